# SPDX-License-Identifier: Apache-2.0
# A second copy stays when a program opens it by its name or looks for it in its folder, when it is another library
# under the same build-id, and when what would take its place needs what is not in the wheel.
. "$(dirname "$0")/common.inc"
cc() { gcc -shared -fPIC "$@"; }
mkdir -p out

# Opened by name: from the folder of each package, and by the path of the bundled copy.
mkdir -p a/pkg/a a/pkg/b
echo 'int k(void) { return 7; }' >k.c
cc -o a/pkg/a/libkern-1234abcd.so k.c
cp a/pkg/a/libkern-1234abcd.so a/pkg/b/
for name in a b; do
  echo "import ctypes, os; value = ctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libkern-1234abcd.so')).k()" >a/pkg/$name/__init__.py
done
pack a pkg-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out pkg-1.0-py3-none-linux_x86_64.whl
unzip -qo out/pkg-1.0-*.whl -d site1
[ "$(cd site1 && python3 -c 'import pkg.a, pkg.b; print(pkg.a.value + pkg.b.value)')" = 14 ]

# Needed by an extension, and named in a text besides.
mkdir -p b/pkg b/pkg.libs
cc -Wl,--build-id -Wl,-soname,libkern.so -o b/pkg/libkern.so k.c
cp b/pkg/libkern.so b/pkg.libs/libkern-0a1b2c3d.so
"$truewheel" patchelf --set-soname libkern-0a1b2c3d.so b/pkg.libs/libkern-0a1b2c3d.so
echo 'int k(void); int x(void) { return k(); }' >x.c
cc -o b/pkg/ext.so x.c b/pkg.libs/libkern-0a1b2c3d.so -Wl,-rpath,'$ORIGIN/../pkg.libs'
cp -r b c
echo "import ctypes, os; ctypes.CDLL(os.path.join(os.path.dirname(__file__), '../pkg.libs/libkern-0a1b2c3d.so'))" >b/pkg/__init__.py
pack b pkg-2.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out pkg-2.0-py3-none-linux_x86_64.whl
unzip -qo out/pkg-2.0-*.whl -d site2
(cd site2 && python3 -c 'import pkg')
# The text names its folder alone.
cp -r c f
echo "import ctypes, glob, os; ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(__file__), '..', 'pkg.libs', '*'))[0])" >f/pkg/__init__.py
pack f pkg-6.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out pkg-6.0-py3-none-linux_x86_64.whl
unzip -qo out/pkg-6.0-*.whl -d site6
(cd site6 && python3 -c 'import pkg')
# Without such a text it goes.
pack c pkg-3.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out pkg-3.0-py3-none-linux_x86_64.whl
says stdout 'pkg.libs/libkern-0a1b2c3d.so is gone'
unzip -qo out/pkg-3.0-*.whl -d site3
python3 -c "import ctypes; assert ctypes.CDLL('site3/pkg/ext.so').x() == 7"
# Nor does the name of a folder that is not one of libraries keep what is in it.
mkdir -p g/pkg/lib
cp c/pkg/libkern.so g/pkg/
cp c/pkg.libs/libkern-0a1b2c3d.so g/pkg/lib/
cc -o g/pkg/ext.so x.c g/pkg/lib/libkern-0a1b2c3d.so -Wl,-rpath,'$ORIGIN/lib'
echo '# lib' >g/pkg/__init__.py
pack g pkg-7.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out pkg-7.0-py3-none-linux_x86_64.whl
says stdout 'pkg/lib/libkern-0a1b2c3d.so is gone'
unzip -qo out/pkg-7.0-*.whl -d site7
python3 -c "import ctypes; assert ctypes.CDLL('site7/pkg/ext.so').x() == 7"

# One build-id, set by hand, and two libraries.
mkdir -p d/pkg d/pkg.libs
cc -Wl,--build-id=0x1234 -Wl,-soname,libfoo.so.1 -o d/pkg/libfoo.so.1 k.c
echo 'int k(void) { return 7; } int more(void) { return 8; }' >more.c
cc -Wl,--build-id=0x1234 -Wl,-soname,libfoo-0a1b2c3d.so.1 -o d/pkg.libs/libfoo-0a1b2c3d.so.1 more.c
echo 'int more(void); int x(void) { return more(); }' >y.c
cc -o d/pkg/ext.so y.c d/pkg.libs/libfoo-0a1b2c3d.so.1 -Wl,-rpath,'$ORIGIN/../pkg.libs'
pack d pkg-4.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out pkg-4.0-py3-none-linux_x86_64.whl
unzip -qo out/pkg-4.0-*.whl -d site4
python3 -c "import ctypes; assert ctypes.CDLL('site4/pkg/ext.so').x() == 8"

# The build's own file needs a library that is not here; the copy was bundled without that need.
mkdir -p e/pkg e/pkg.libs
echo 'int dep(void) { return 1; }' >dep.c
cc -Wl,-soname,libdep.so.1 -o libdep.so.1 dep.c
cc -Wl,--build-id -Wl,--no-as-needed -Wl,-soname,libfoo.so.1 -o e/pkg/libfoo.so.1 k.c ./libdep.so.1
cp e/pkg/libfoo.so.1 e/pkg.libs/libfoo-0a1b2c3d.so.1
"$truewheel" patchelf --set-soname libfoo-0a1b2c3d.so.1 --remove-needed libdep.so.1 e/pkg.libs/libfoo-0a1b2c3d.so.1
cc -o e/pkg/ext.so x.c e/pkg.libs/libfoo-0a1b2c3d.so.1 -Wl,-rpath,'$ORIGIN/../pkg.libs'
pack e pkg-5.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out pkg-5.0-py3-none-linux_x86_64.whl
unzip -qo out/pkg-5.0-*.whl -d site5
python3 -c "import ctypes; assert ctypes.CDLL('site5/pkg/ext.so').x() == 7"
