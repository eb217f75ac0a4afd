# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
mkdir -p tree/demo-1.0.data/scripts tree/demo-1.0.data/data/lib
mv lib/libfoo.so.1 tree/demo-1.0.data/data/lib/
echo 'int foo(void); int main(void) { return foo() != 42; }' >p.c
gcc -o tree/demo-1.0.data/scripts/prog p.c tree/demo-1.0.data/data/lib/libfoo.so.1 -Wl,-rpath,'$ORIGIN/../lib'
rm tree/demo/_x.so
pack tree "$wheel"
run 0 "$truewheel" repair -w out "$wheel"
unzip -q out/*.whl -d site
mkdir -p prefix/bin prefix/lib
cp site/demo-1.0.data/scripts/prog prefix/bin/
cp site/demo-1.0.data/data/lib/libfoo.so.1 prefix/lib/
chmod +x prefix/bin/prog
prefix/bin/prog
cmp tree/demo-1.0.data/scripts/prog prefix/bin/prog
