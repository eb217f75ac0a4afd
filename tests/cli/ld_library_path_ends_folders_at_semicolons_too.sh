# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# As the dynamic linker reads it (elf/dl-load.c).
example
mkdir other
gcc -shared -fPIC -o other/libfoo.so.1 -Wl,-soname,libfoo.so.1 foo.c
run 0 env LD_LIBRARY_PATH="/nosuch;$PWD/other:$PWD/lib" "$truewheel" repair --dry-run "$wheel"
says stdout "from $PWD/other/libfoo.so.1"
run 0 env LD_LIBRARY_PATH="$PWD/other;$PWD/lib" "$truewheel" lddtree tree/demo/_x.so
says stdout "$PWD/other/libfoo.so.1"
