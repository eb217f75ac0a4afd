# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
# The library is found on this machine, and stays there all the same.
export LD_LIBRARY_PATH=$PWD/lib
run 0 "$truewheel" repair --fix-only --search lib -w out "$wheel"
says stderr "needs libfoo.so.1"
says stderr "R005: "
says stderr "a repair without --fix-only bundles it if this machine has it"
says_not stderr "only the build"
says stderr "hint: --exclude libfoo.so.1"
unzip -l out/*.whl >members
says_not members libs/
# Said to be the user's, it is no fault.
run 0 "$truewheel" repair --fix-only --exclude 'libfoo.so*' -w said "$wheel"
says_not stderr "libfoo"
# Two builds of one library are no copies: which one is right nobody can know.
mkdir -p two/demo two/demo.libs
gcc -shared -fPIC -Wl,-soname,libfoo.so -o two/demo/libfoo.so foo.c
echo 'int foo(void) { return 43; }' >other.c
gcc -shared -fPIC -Wl,-soname,libfoo-0a1b2c3d.so -o two/demo.libs/libfoo-0a1b2c3d.so other.c
gcc -shared -fPIC -Wl,-rpath,'$ORIGIN' -o two/demo/_x.so x.c two/demo/libfoo.so
gcc -shared -fPIC -Wl,-rpath,'$ORIGIN/../demo.libs' -o two/demo/_y.so x.c two/demo.libs/libfoo-0a1b2c3d.so
pack two two-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out two-1.0-py3-none-linux_x86_64.whl
says stderr "R008"
says stderr "only the build can repair this"
unzip -l out/two-*.whl >members
says members demo.libs/libfoo-0a1b2c3d.so
