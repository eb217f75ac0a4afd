# SPDX-License-Identifier: Apache-2.0
# A library that lies where a library of another file comes from, or where another file's run path leads, is missing all
# the same: the loader does not look there for this file. The message names the folder that would help.
. "$(dirname "$0")/common.inc"
mkdir -p one two tree/demo in
echo 'int f(void) { return 1; }' >f.c
for library in one/libone one/libmissed two/libtwo; do
  gcc -shared -fPIC -o "$library.so.1" -Wl,-soname,"$(basename $library).so.1" f.c
done
echo 'no ELF file' >two/libmissed.so.1
module() { echo 'int x(void) { return 1; }' | gcc -shared -fPIC -x c - -x none -o "tree/demo/$1.so" -Wl,--no-as-needed "${@:2}"; }
module _a one/libone.so.1 -Wl,-rpath,"$PWD/one"
module _b one/libmissed.so.1 two/libtwo.so.1
module _c -Wl,-rpath,"$PWD/two"
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
run 1 "$truewheel" repair -w out in/*.whl
says stderr '2 libraries were not found'
says stderr "$PWD/one has libmissed.so.1, $PWD/two has libtwo.so.1; --exclude"
nothing_in out
run 0 "$truewheel" repair --search one --search two -w out in/*.whl
