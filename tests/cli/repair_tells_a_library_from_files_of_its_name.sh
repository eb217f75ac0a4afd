# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# A member that has the name of a needed library is that library, unless it lacks what the file takes from the build's one.
wheel=demo-1.0-py3-none-linux_x86_64.whl
library() {  # library FILE CODE [GCC-ARGUMENT...]
  local file=$1 code=$2; shift 2
  mkdir -p "$(dirname "$file")"
  gcc -shared -fPIC -o "$file" -Wl,-soname,"$(basename "$file")" -x c - "$@" <<<"$code"
}
loads() {  # loads NUMBER REPAIR-OPTION...: demo/_x.so of the repaired wheel says the number without the build's library
  local number=$1; shift
  rm -rf wheelhouse site
  pack tree $wheel
  run 0 "$truewheel" repair "$@" $wheel
  mv lib gone
  unzip -q wheelhouse/*.whl -d site
  python3 -c "import ctypes; n = ctypes.CDLL('site/demo/_x.so').x(); assert n == $number, n"
  mv gone lib
}
fresh() { rm -rf tree lib; mkdir -p tree/demo lib; : >tree/demo/__init__.py; }
needs_foo() { gcc -shared -fPIC -o tree/demo/_x.so -Wl,-rpath,"$1" -x c - -x none lib/libfoo.so.1 <<<'int foo(void); int x(void) { return foo(); }'; }

fresh  # a plugin, opened by its path
library tree/demo/plugins/libfoo.so.1 'int plugin(void) { return 1; }'
library lib/libfoo.so.1 'int foo(void) { return 42; }'
needs_foo "$PWD/lib"
loads 42
# Also where the file's own run path comes to it, behind the build's folder.
needs_foo "$PWD/lib:\$ORIGIN/plugins"
loads 42
# And one level down, for a library that is bundled.
library lib/libbar.so 'int foo(void); int bar(void) { return foo(); }' -x none lib/libfoo.so.1 -Wl,-rpath,"$PWD/lib"
gcc -shared -fPIC -o tree/demo/_x.so -Wl,-rpath,"$PWD/lib" -x c - -x none lib/libbar.so <<<'int bar(void); int x(void) { return bar(); }'
loads 42
loads 42 -L /plugins  # no folder of the wheel's own may tell otherwise

fresh  # the platform's library, and another one of its name
library tree/demo/libz.so.1 'int other(void) { return 1; }'
gcc -shared -fPIC -o tree/demo/other.so -Wl,-rpath,'$ORIGIN' -x c - -x none tree/demo/libz.so.1 <<<'int other(void); int y(void) { return other(); }'
library lib/libfoo.so.1 'const char *zlibVersion(void); int foo(void) { return zlibVersion()[0] - 48; }' -l:libz.so.1
needs_foo "$PWD/lib"
loads 1

fresh  # of two that could be meant equally the one that was linked, also where it was stripped since
library tree/demo/cpu/libfoo.so.1 'int foo(void) { return 1; }'
library tree/demo/gpu/libfoo.so.1 'int foo(void) { return 2; }'
cp tree/demo/gpu/libfoo.so.1 lib
strip tree/demo/*/libfoo.so.1
needs_foo "$PWD/lib"
loads 2
holds_not wheelhouse/*.whl demo.libs

fresh  # the wheel's own variant stays the wheel's choice, which is told, with build-ids or without
for id in sha1 none; do
  library tree/demo/libfoo.so.1 'int foo(void) { return 3; }' -Wl,--build-id=$id
  library lib/libfoo.so.1 'int foo(void) { return 42; }' -Wl,--build-id=$id
  needs_foo "$PWD/lib"
  loads 3
  says stderr "demo/libfoo.so.1 of the wheel answers libfoo.so.1, and the build's copy $PWD/lib/libfoo.so.1 has"
  holds_not wheelhouse/*.whl demo.libs
done

fresh  # what another library of the file defines says nothing of this one
library tree/demo/libfoo.so.1 'int foo(void) { return 4; }'
library lib/libfoo.so.1 'int foo(void) { return 42; } int helper(void) { return 0; }'
library lib/libhelper.so 'int helper(void) { return 5; }'
gcc -shared -fPIC -o tree/demo/_x.so -Wl,-rpath,"$PWD/lib" -x c - -x none lib/libhelper.so lib/libfoo.so.1 \
  <<<'int foo(void); int helper(void); int x(void) { return foo() + helper(); }'
loads 9
