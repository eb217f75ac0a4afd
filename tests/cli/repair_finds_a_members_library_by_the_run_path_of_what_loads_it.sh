# SPDX-License-Identifier: Apache-2.0
# A library of the wheel finds what it needs by the DT_RPATH of the module that loads it, as CMake's builds have it.
. "$(dirname "$0")/common.inc"
mkdir -p tree/demo/lib in build
: >tree/demo/__init__.py
echo 'int x(void) { return 7; }' >x.c
gcc -shared -fPIC -o build/libx.so.1 -Wl,-soname,libx.so.1 x.c
echo 'int x(void); int mid(void) { return x(); }' >mid.c
gcc -shared -fPIC -o tree/demo/lib/libmid.so -Wl,-soname,libmid.so mid.c build/libx.so.1
echo 'int mid(void); int run(void) { return mid(); }' >m.c
gcc -shared -fPIC -o tree/demo/_m.so m.c tree/demo/lib/libmid.so -Wl,--disable-new-dtags,-rpath,'$ORIGIN/lib':"$PWD/build"
wheel=in/demo-1.0-py3-none-linux_x86_64.whl
pack tree "$wheel"
run 0 "$truewheel" repair -v -w out "$wheel"
says stdout "of demo/_m.so"
mv build away
unzip -q out/*.whl -d installed
python3 -c 'import ctypes; assert ctypes.CDLL("installed/demo/_m.so").run() == 7'
# A DT_RUNPATH there is not inherited, and the message tells where it was looked for.
mv away build
gcc -shared -fPIC -o tree/demo/_m.so m.c tree/demo/lib/libmid.so -Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib':"$PWD/build"
pack tree "$wheel"
run 1 "$truewheel" repair -w none "$wheel"
says stderr libx.so.1
nothing_in none
