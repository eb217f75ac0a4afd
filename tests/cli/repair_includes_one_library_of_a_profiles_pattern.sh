# SPDX-License-Identifier: Apache-2.0
# --include takes one library out of a profile's pattern; what the pattern also names stays left out.
. "$(dirname "$0")/common.inc"
example
for name in nppc nppial; do
  printf 'int %s(void) { return 1; }\n' $name >$name.c
  gcc -shared -fPIC -o lib/lib$name.so.12 -Wl,-soname,lib$name.so.12 $name.c
done
gcc -shared -fPIC -o tree/demo/_x.so x.c -Wl,--no-as-needed lib/libnppc.so.12 lib/libnppial.so.12
pack tree "$wheel"
run 0 "$truewheel" repair --search lib --profile cuda --include libnppc.so.12 -w out "$wheel"
says stdout '1 library bundled, 1 left out'
holds out/*.whl libnppc-
holds_not out/*.whl libnppial
