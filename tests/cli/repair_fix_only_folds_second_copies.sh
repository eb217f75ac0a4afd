# SPDX-License-Identifier: Apache-2.0
# auditwheel bundles a library that the wheel has when only LD_LIBRARY_PATH found it for a program: the
# program then runs with a copy that the extension does not know.
. "$(dirname "$0")/common.inc"
mkdir -p tree/demo tree/demo.libs out
echo 'static int n; int count(void) { return ++n; }' >foo.c
echo 'int inner(void) { return 7; }' >bar.c
gcc -shared -fPIC -Wl,--build-id -Wl,-soname,libbar.so.1 -o libbar.so.1 bar.c
sed -i 's/.*/int inner(void); static int n; int count(void) { return n += inner(); }/' foo.c
gcc -shared -fPIC -Wl,--build-id -Wl,-soname,libfoo.so -o tree/demo/libfoo.so foo.c libbar.so.1
hash=$(sha256sum tree/demo/libfoo.so | cut -c1-8)
cp tree/demo/libfoo.so tree/demo.libs/libfoo-$hash.so.2
cp libbar.so.1 tree/demo.libs/libbar-0a1b2c3d.so.1
"$truewheel" patchelf --set-soname libfoo-$hash.so.2 --replace-needed libbar.so.1 libbar-0a1b2c3d.so.1 --force-rpath \
  --set-rpath '$ORIGIN' tree/demo.libs/libfoo-$hash.so.2
"$truewheel" patchelf --set-soname libbar-0a1b2c3d.so.1 tree/demo.libs/libbar-0a1b2c3d.so.1
echo 'int count(void); int x(void) { return count(); }' >x.c
gcc -shared -fPIC -Wl,-rpath,'$ORIGIN' -o tree/demo/_x.so x.c tree/demo/libfoo.so -Wl,--unresolved-symbols=ignore-all
echo 'int count(void); int main(void) { return count(); }' >main.c
gcc -pie -o tree/demo/tool main.c tree/demo/libfoo.so -Wl,--unresolved-symbols=ignore-all
"$truewheel" patchelf --replace-needed libfoo.so libfoo-$hash.so.2 --force-rpath --set-rpath '$ORIGIN/../demo.libs' tree/demo/tool
pack tree demo-1.0-py3-none-linux_x86_64.whl
run 1 "$truewheel" check demo-1.0-py3-none-linux_x86_64.whl
says stdout "R008 error"

run 0 "$truewheel" repair --fix-only -w out demo-1.0-py3-none-linux_x86_64.whl
says stdout "demo.libs/libfoo-$hash.so.2 is gone: demo/libfoo.so takes its place"
says_not stderr "only the build"
says_not stderr "without --fix-only"
run 0 "$truewheel" check out/*.whl
unzip -qo out/*.whl -d site
[ ! -e site/demo.libs/libfoo-$hash.so.2 ]
# The copy that stays gets what only the other one had: its bundled libbar.
rm libbar.so.1
python3 -c "import ctypes; assert ctypes.CDLL('site/demo/_x.so').x() == 7"
status=0
site/demo/tool || status=$?
[ "$status" = 7 ]
# One library in one process: what the extension counts, the library's own handle sees.
python3 - <<'PY'
import ctypes
x, library = ctypes.CDLL("site/demo/_x.so"), ctypes.CDLL("site/demo/libfoo.so")
assert (x.x(), library.count(), x.x()) == (7, 14, 21)
PY
run 0 "$truewheel" repair --fix-only -w again out/*.whl
cmp out/*.whl again/*.whl
