# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# What a file opens by name there, and what its libraries need there, is not seen in its own NEEDED entries.
mkdir -p tree/demo lib other
gcc -shared -fPIC -o other/libo.so.1 -Wl,-soname,libo.so.1 -x c - <<<'int o(void) { return 5; }'
gcc -shared -fPIC -o lib/libfoo.so.1 -Wl,-soname,libfoo.so.1 -x c - <<<'int foo(void) { return 42; }'
gcc -shared -fPIC -o tree/demo/libw.so -Wl,-soname,libw.so -x c - -x none other/libo.so.1 <<<'int o(void); int w(void) { return o(); }'
echo '#include <dlfcn.h>
int foo(void); int w(void);
int x(void) { int (*o)(void) = (int (*)(void))dlsym(dlopen("libo.so.1", RTLD_NOW), "o"); return foo() + o() + w(); }' >x.c
echo 'import os' >tree/demo/__init__.py
wheel=demo-1.0-py3-none-linux_x86_64.whl
gcc -shared -fPIC -o tree/demo/_x.so x.c tree/demo/libw.so lib/libfoo.so.1 -Wl,--allow-shlib-undefined -Wl,--disable-new-dtags \
  -Wl,-rpath,"\$ORIGIN:\$ORIGIN/../nvidia/o/lib:$PWD/lib:\$ORIGIN/filled"
pack tree $wheel
run 0 "$truewheel" repair --exclude libo.so.1 $wheel
says stdout '-> RPATH $ORIGIN:$ORIGIN/../nvidia/o/lib:$ORIGIN/filled:$ORIGIN/../demo.libs'
mv lib lib.gone
mkdir -p site/nvidia/o/lib
unzip -q wheelhouse/*.whl -d site
cp other/libo.so.1 site/nvidia/o/lib
python3 -c 'import ctypes; assert ctypes.CDLL("site/demo/_x.so").x() == 52'
# One that nothing can ask goes, unless METADATA asks for who fills it.
rm -r site wheelhouse tree; mv lib.gone lib
mkdir -p tree/demo tree/demo-1.0.dist-info
gcc -shared -fPIC -o tree/demo/_x.so -Wl,-rpath,"\$ORIGIN/../nvidia/o/lib:\$ORIGIN/../torch/lib:$PWD/lib" \
  -x c - -x none lib/libfoo.so.1 <<<'int foo(void); int x(void) { return foo(); }'
printf 'Metadata-Version: 2.1\nName: demo\nVersion: 1.0\nRequires-Dist: torch\n' >tree/demo-1.0.dist-info/METADATA
pack tree $wheel
run 0 "$truewheel" repair $wheel
says stdout '-> RPATH $ORIGIN/../torch/lib:$ORIGIN/../demo.libs'
# A program that moves out of the folder for scripts takes the way along, by where it is then.
rm -r tree wheelhouse
mkdir -p tree/demo tree/demo-1.0.data/scripts
python=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
gcc -o tree/demo-1.0.data/scripts/tool -Wl,-rpath,"\$ORIGIN/../lib/$python/site-packages/nvidia/o/lib:\$ORIGIN/../lib:$PWD/lib:$PWD/other" \
  -x c - -x none lib/libfoo.so.1 other/libo.so.1 <<<'int foo(void); int o(void); int main(void) { return foo() + o(); }'
: >tree/demo/__init__.py
pack tree $wheel
run 0 "$truewheel" repair --exclude libo.so.1 $wheel
says stderr 'run-path entry $ORIGIN/../lib leads to no folder of site-packages'
rm -r lib
python3 -m venv --without-pip env
python3 -m pip --python env/bin/python install -q --no-deps --no-index wheelhouse/*.whl 2>stderr
mkdir -p env/lib/$python/site-packages/nvidia/o/lib; cp other/libo.so.1 env/lib/$python/site-packages/nvidia/o/lib
run 47 env/bin/tool
