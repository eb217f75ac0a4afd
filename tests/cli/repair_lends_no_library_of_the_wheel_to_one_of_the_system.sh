# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# A DT_RPATH also answers what is loaded through its file: libX11.so.6, which every platform promises, here one that needs
# libtwice.so.1 of the machine. The wheel has another library of that name beside one that it needs.
mkdir -p machine lib tree/demo/libs
shared() { local out=$1; shift; gcc -shared -fPIC -o "$out" -Wl,-soname,"${out##*/}" -x c - -x none "$@"; }
shared machine/libtwice.so.1 <<<'int twice(void) { return 2; }'
shared machine/libX11.so.6 machine/libtwice.so.1 <<<'int twice(void); int machine(void) { return twice(); }'
shared tree/demo/libs/libtwice.so.1 <<<'int other(void) { return 100; }'
shared tree/demo/libs/libgood.so <<<'int good(void) { return 1; }'
shared lib/libfoo.so.1 <<<'int foo(void) { return 40; }'
: >tree/demo/__init__.py
wheel=demo-1.0-py3-none-linux_x86_64.whl
load() {
  LD_LIBRARY_PATH=machine LD_BIND_NOW=1 python3 -c 'import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).answer())' "$1/demo/ext.so"
}
# By a DT_RUNPATH that gains the folder of a bundled library.
shared tree/demo/ext.so -Wl,--enable-new-dtags,-rpath,'$ORIGIN/libs':"$PWD/lib" -Wl,-rpath-link,machine \
  lib/libfoo.so.1 tree/demo/libs/libgood.so machine/libX11.so.6 \
  <<<'int foo(void), good(void), machine(void); int answer(void) { return foo() + good() + machine(); }'
[ "$(load tree)" = 43 ]
pack tree $wheel
mv lib gone; mkdir lib; mv gone/libfoo.so.1 lib/
run 0 env LD_LIBRARY_PATH=machine "$truewheel" repair -w out $wheel
rm -r lib; unzip -q out/*.whl -d site
[ "$(load site)" = 43 ]
# By an entry that the file lacked, since the package loads the library before.
shared tree/demo/ext.so -Wl,-rpath-link,machine tree/demo/libs/libgood.so machine/libX11.so.6 \
  <<<'int good(void), machine(void); int answer(void) { return good() + machine(); }'
pack tree $wheel
run 0 env LD_LIBRARY_PATH=machine "$truewheel" repair -w second $wheel
unzip -q second/*.whl -d after
[ "$(load after)" = 3 ]
# Where the kind is asked for, the other library is named.
run 0 env LD_LIBRARY_PATH=machine "$truewheel" repair -w third --rpath-kind rpath $wheel
says stderr 'libX11.so.6'
says stderr 'needs libtwice.so.1 of the user'\''s machine, and comes to demo/libs/libtwice.so.1 of the wheel instead'
