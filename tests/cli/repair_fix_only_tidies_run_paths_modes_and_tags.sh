# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
mkdir -p tree/demo/lib
echo 'int foo(void) { return 42; }' >foo.c
echo 'int foo(void); int x(void) { return foo(); }' >x.c
echo 'int foo(void); int main(void) { return foo() != 42; }' >main.c
gcc -shared -fPIC -Wl,-soname,libfoo.so.1 -o tree/demo/lib/libfoo.so.1 foo.c
# RUNPATH with what a build leaks; RPATH; both tags; a program that lost its mode.
gcc -shared -fPIC -Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib:/opt/rocm-7.2.3/lib::build/lib:$ORIGIN/../../../x:$ORIGIN/none:$ORIGIN/../torch/lib' \
  -o tree/demo/_leaky.so x.c tree/demo/lib/libfoo.so.1
gcc -shared -fPIC -Wl,--disable-new-dtags,-rpath,'$ORIGIN/lib' -o tree/demo/_plain.so x.c tree/demo/lib/libfoo.so.1
gcc -pie -Wl,--disable-new-dtags,-rpath,'$ORIGIN/lib/libfoo.so.1' -o tree/demo/tool main.c tree/demo/lib/libfoo.so.1
chmod -x tree/demo/tool
pack tree demo-1.0-py3-none-manylinux_2_5_x86_64.whl
run 1 "$truewheel" check demo-1.0-py3-none-manylinux_2_5_x86_64.whl
for rule in R001 R002 R003 R004 R005 T001 Z001; do says stdout "$rule error"; done
says stdout "R007 warning"

run 0 "$truewheel" repair --fix-only -w out demo-1.0-py3-none-manylinux_2_5_x86_64.whl
run 0 "$truewheel" check --fail-on warning out/*.whl
says_not stdout "R007"
# The tag is not true and goes; a better name is found.
[ ! -e out/demo-1.0-py3-none-manylinux_2_5_x86_64.whl ]
unzip -qo out/*.whl -d site
readelf -dW site/demo/_leaky.so | grep -F '(RPATH)' | has -F '[$ORIGIN/lib:$ORIGIN/../torch/lib]'
readelf -dW site/demo/tool | grep -F '(RPATH)' | has -F '[$ORIGIN/lib]'
[ -x site/demo/tool ]
site/demo/tool
python3 -c "import ctypes; assert ctypes.CDLL('site/demo/_leaky.so').x() == 42"
run 0 "$truewheel" repair --fix-only -w again out/*.whl
cmp out/*.whl again/*.whl

# A wheel of one kind keeps its kind, unless asked.
mkdir -p one/demo
gcc -shared -fPIC -Wl,-soname,libfoo.so.1 -o one/demo/libfoo.so.1 foo.c
gcc -shared -fPIC -Wl,--enable-new-dtags,-rpath,'/tmp/build:$ORIGIN' -o one/demo/_x.so x.c one/demo/libfoo.so.1
gcc -shared -fPIC -o one/demo/_y.so x.c one/demo/libfoo.so.1
pack one one-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w runpath one-1.0-py3-none-linux_x86_64.whl
unzip -qo runpath/*.whl -d runpath/site
for file in _x.so _y.so; do readelf -dW runpath/site/demo/$file | grep -F '(RUNPATH)' | has -F '[$ORIGIN]'; done
run 0 "$truewheel" repair --fix-only --rpath-kind rpath -w rpath one-1.0-py3-none-linux_x86_64.whl
unzip -qo rpath/*.whl -d rpath/site
for file in _x.so _y.so; do readelf -dW rpath/site/demo/$file | grep -F '(RPATH)' | has -F '[$ORIGIN]'; done

# What another distribution fills is no dead entry, if METADATA asks for it.
mkdir -p needs/demo needs/needs-1.0.dist-info
gcc -shared -fPIC -Wl,-soname,libfoo.so.1 -o libfoo.so.1 foo.c
gcc -shared -fPIC -Wl,-rpath,'/tmp/build:$ORIGIN/runtime/lib' -o needs/demo/_x.so x.c libfoo.so.1
printf 'Metadata-Version: 2.1\nName: needs\nVersion: 1.0\nRequires-Dist: Demo-Runtime (==1.0)\n' >needs/needs-1.0.dist-info/METADATA
pack needs needs-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w needs-out needs-1.0-py3-none-linux_x86_64.whl
says_not stderr "only the build"
says_not stderr "without --fix-only"
unzip -qo needs-out/*.whl -d needs-out/site
readelf -dW needs-out/site/demo/_x.so >dynamic
says dynamic '[$ORIGIN/runtime/lib]'

# A wheel that meets no tag at all keeps its name, and it is said why.
if [ "$(uname -m)" = x86_64 ]; then
  mkdir -p new/demo
  gcc -shared -fPIC -Wl,-z,x86-64-v3 -Wl,-rpath,/tmp/build -o new/demo/_x.so foo.c
  pack new new-1.0-py3-none-manylinux_2_34_x86_64.whl
  run 0 "$truewheel" repair --fix-only -w new-out new-1.0-py3-none-manylinux_2_34_x86_64.whl
  says stderr "T001: manylinux_2_34_x86_64 is not true"
  [ -e new-out/new-1.0-py3-none-manylinux_2_34_x86_64.whl ]
fi
