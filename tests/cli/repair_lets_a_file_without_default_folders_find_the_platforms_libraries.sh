# SPDX-License-Identifier: Apache-2.0
# -z nodefaultlib and a run path of system folders: without these the platform's libraries would not be found.
. "$(dirname "$0")/common.inc"
mkdir -p tree/demo in lib
: >tree/demo/__init__.py
cat >x.cc <<'C'
#include <string>
extern "C" int foo();
extern "C" int run() { try { throw std::string("abc"); } catch (std::string& x) { return foo() + int(x.size()); } }
C
echo 'int foo(void) { return 40; }' >foo.c
system=$(dirname "$(gcc -print-file-name=libstdc++.so.6 | xargs readlink -f)")
gcc -shared -fPIC -o lib/libfoo.so.1 -Wl,-soname,libfoo.so.1,-z,nodefaultlib foo.c
g++ -shared -fPIC -o tree/demo/_x.so x.cc lib/libfoo.so.1 -Wl,-z,nodefaultlib,-rpath,"$system:$PWD/lib"
wheel=in/demo-1.0-py3-none-linux_x86_64.whl
pack tree "$wheel"
run 0 "$truewheel" repair -v -w out "$wheel"
mv lib away
unzip -q out/*.whl -d installed
python3 -c 'import ctypes; assert ctypes.CDLL("installed/demo/_x.so").run() == 43'
for file in installed/demo/_x.so installed/demo.libs/*; do readelf -d "$file" | has_not NODEFLIB; done

# One whose folders all lie in the wheel says what it wants.
rm -r tree/demo out
mkdir tree/demo
: >tree/demo/__init__.py
gcc -shared -fPIC -o tree/demo/_x.so foo.c -Wl,-z,nodefaultlib,-rpath,'$ORIGIN'
pack tree "$wheel"
run 0 "$truewheel" repair -w out "$wheel"
unzip -p out/*.whl demo/_x.so | cmp - tree/demo/_x.so
