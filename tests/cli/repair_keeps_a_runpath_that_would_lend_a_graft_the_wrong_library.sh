# SPDX-License-Identifier: Apache-2.0
# A DT_RUNPATH speaks for its file alone. Made a DT_RPATH it would also answer a bundled library, which means the system's
# libz and would come to the wheel's own of that name.
. "$(dirname "$0")/common.inc"
mkdir -p tree/demo/lib in lib
: >tree/demo/__init__.py
echo 'int mine(void) { return 3; }' >mine.c
gcc -shared -fPIC -o tree/demo/lib/libz.so.1 -Wl,-soname,libz.so.1 mine.c
echo 'int own(void) { return 4; }' >own.c
gcc -shared -fPIC -o tree/demo/lib/libown.so -Wl,-soname,libown.so own.c
echo 'const char* zlibVersion(void); int packed(void) { return zlibVersion()[0] == 49; }' >p.c
gcc -shared -fPIC -o lib/libp.so.1 -Wl,-soname,libp.so.1 p.c -l:libz.so.1
echo 'int packed(void), own(void); int run(void) { return packed() * 10 + own(); }' >x.c
gcc -shared -fPIC -o tree/demo/_x.so x.c tree/demo/lib/libown.so lib/libp.so.1 -Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib'
wheel=in/demo-1.0-py3-none-linux_x86_64.whl
pack tree "$wheel"
run 0 "$truewheel" repair --search lib -w out "$wheel"
mv lib away
unzip -q out/*.whl -d installed
python3 -c 'import ctypes, os; assert ctypes.CDLL("installed/demo/_x.so", os.RTLD_NOW).run() == 14'
readelf -d installed/demo/_x.so | has RUNPATH
# Asked for a kind, it is that kind.
run 0 "$truewheel" repair --search away --rpath-kind rpath -w again "$wheel"
unzip -q again/*.whl -d other
readelf -d other/demo/_x.so | has '(RPATH)'
