# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
echo 'F_1.0 { global: f; local: *; };' >versions
gcc -shared -fPIC -o libf.so.1 -Wl,-soname,libf.so.1,--version-script=versions f.c
gcc -o program program.c libf.so.1
run 0 "$truewheel" patchelf --rename-symbol-version F_1.0 A_LONGER_NAME_2.0 program
LD_BIND_NOW=1 LD_LIBRARY_PATH=. ./program 2>stderr && exit 1
says stderr "version \`A_LONGER_NAME_2.0' not found"
run 0 "$truewheel" patchelf --rename-symbol-version F_1.0 A_LONGER_NAME_2.0 libf.so.1
LD_BIND_NOW=1 LD_WARN=1 LD_LIBRARY_PATH=. ./program
nm -D libf.so.1 | has ' T f@@A_LONGER_NAME_2.0$'
run 2 "$truewheel" patchelf --rename-symbol-version A B --rename-symbol-version A C program
says stderr "'A' is to be renamed twice"
