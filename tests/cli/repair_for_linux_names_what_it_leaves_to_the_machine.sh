# SPDX-License-Identifier: Apache-2.0
# The platform "linux" leaves every library to the user's machine. What no other platform would leave to it is told: the
# wheel works where it was built, and nowhere else.
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --plat linux --search lib -w out "$wheel"
says stderr 'the user'"'"'s machine must have libfoo.so.1; needed by demo/_x.so'
says stderr '--plat auto'
says_not stderr libc.so.6
holds_not out/demo-1.0-py3-none-linux_x86_64.whl libfoo
# Also where nobody has it, and in a dry run.
run 0 "$truewheel" repair --plat linux --dry-run -w out "$wheel"
says stderr 'must have libfoo.so.1'
# What is left out on purpose needs no word, nor does what every system has.
run 0 "$truewheel" repair --plat linux --exclude libfoo.so.1 -w out "$wheel"
says_not stderr 'must have'
mkdir -p plain/demo
echo 'int x(void) { return 1; }' >x.c
gcc -shared -fPIC -o plain/demo/_x.so x.c
pack plain in/plain-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --plat linux -w out in/plain-1.0-py3-none-linux_x86_64.whl
[ ! -s stderr ]
