# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# No run path leads from the bin folder to the wheel's libraries: a script takes the place of a program that needs one.
example
mkdir -p tree/demo-1.0.data/scripts
echo 'int foo(void); int main(void) { return foo() == 42 ? 7 : 1; }' >main.c
gcc -o tree/demo-1.0.data/scripts/tool main.c lib/libfoo.so.1
pack tree "$wheel"
run 0 "$truewheel" repair --search lib --dry-run "$wheel"
says stdout 'moved beside its libraries: demo-1.0.data/scripts/tool; a script in its place runs demo.scripts/tool'
run 0 "$truewheel" repair --search lib "$wheel"
says stdout 'moved beside its libraries: demo-1.0.data/scripts/tool; a script in its place runs demo.scripts/tool'
rm -r lib
python3 -m venv --without-pip env
python3 -m pip --python env/bin/python install -q --no-deps --no-index wheelhouse/*.whl 2>stderr
run 7 env/bin/tool
# -v calls an entry by its own name.
mkdir lib; gcc -shared -fPIC -o lib/libfoo.so.1 -Wl,-soname,libfoo.so.1 foo.c
run 0 "$truewheel" -v repair --search lib "$wheel"
grep -q "how: DT_SONAME: 'libfoo-.*.so.1' instead of 'libfoo.so.1'" stdout
# What was not bundled is no floor of the result's.
echo '#include <math.h>
double foo(double x) { return pow(x, 3); }' >pow.c
gcc -shared -fPIC -o lib/libfoo.so.1 -Wl,-soname,libfoo.so.1 pow.c -lm
rm -r tree/demo-1.0.data; pack tree "$wheel"
run 0 "$truewheel" repair --search lib --dry-run "$wheel"
says stdout 'lib/libfoo.so.1 for pow'
run 0 "$truewheel" repair --search lib --plat linux --dry-run "$wheel"
says stdout '0 libraries bundled'
says_not stdout 'needs glibc'
