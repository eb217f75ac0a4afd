# SPDX-License-Identifier: Apache-2.0
# Strip lays a file out anew, so that one without symbols is not given to it: the second repair changes nothing.
. "$(dirname "$0")/common.inc"
example
gcc -g -shared -fPIC -o lib/libfoo.so.1 -Wl,-soname,libfoo.so.1 foo.c
gcc -g -shared -fPIC -o tree/demo/_x.so x.c lib/libfoo.so.1
pack tree "$wheel"
for option in --strip --strip=split; do
  run 0 "$truewheel" repair "$option" --search lib -w "first$option" "$wheel"
  unzip -qo "first$option"/*.whl -d "site$option"
  readelf -SW "site$option/demo/_x.so" | has_not -E '\.symtab|\.debug_'
  python3 -c "import ctypes; assert ctypes.CDLL('$PWD/site$option/demo/_x.so').x() == 42"
  run 0 "$truewheel" repair "$option" --search lib -w "second$option" "first$option"/*.whl
  cmp "first$option"/*.whl "second$option"/*.whl
done
