# SPDX-License-Identifier: Apache-2.0
# A program and its library, both given one map, still find each other; nobody else finds the old names.
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# Words behind the second one, empty lines and names that no file has are no matter.
printf 'f renamed_f and more\n\nnone_such other\n' >map
run 0 "$truewheel" patchelf --rename-dynamic-symbols map program libf.so.1
LD_BIND_NOW=1 LD_LIBRARY_PATH=. ./program
nm -D libf.so.1 | has ' T renamed_f$'
nm -D program | has ' U renamed_f$'
state program >before
run 0 "$truewheel" patchelf --rename-dynamic-symbols map program
state program | cmp - before
# From a pipe, and back.
"$truewheel" patchelf --rename-dynamic-symbols <(echo 'renamed_f f') program libf.so.1
LD_BIND_NOW=1 LD_LIBRARY_PATH=. ./program

state program >before
fails() { printf '%b' "$1" >map; run 2 "$truewheel" patchelf --rename-dynamic-symbols map program libf.so.1; says stderr "$2"; }
fails 'f\n' 'map:1: the new name is missing'
fails '\nf a\nf b\n' "map:3: 'f' is to be renamed twice"
fails 'f@V1 g\n' 'map:1: a name with @'
run 4 "$truewheel" patchelf --rename-dynamic-symbols none_such program
state program | cmp - before
