# SPDX-License-Identifier: Apache-2.0
# Two files of the same bytes and no SONAME are two libraries to the loader, each with its own state.
. "$(dirname "$0")/common.inc"
mkdir -p tree/demo in lib
: >tree/demo/__init__.py
echo 'static int count; int next(void) { return ++count; }' >count.c
gcc -shared -fPIC -o lib/liba.so count.c
cp lib/liba.so lib/libb.so
echo 'int next(void); int run(void) { return next(); }' >run.c
for name in a b; do gcc -shared -fPIC -o tree/demo/_$name.so run.c -Llib -l$name -Wl,-soname,_$name.so; done
wheel=in/demo-1.0-py3-none-linux_x86_64.whl
pack tree "$wheel"
run 0 "$truewheel" repair --search lib -w out "$wheel"
says stdout '2 libraries bundled'
unzip -q out/*.whl -d installed
python3 - >counted <<'P'
import ctypes
a, b = (ctypes.CDLL(f"installed/demo/_{name}.so") for name in "ab")
print(a.run(), a.run(), b.run())
P
[ "$(cat counted)" = "1 2 1" ]
# The gate cannot know why there are two, and says so without refusing the wheel.
run 0 "$truewheel" check out/*.whl
says stdout 'R008 warning'
