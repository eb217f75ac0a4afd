# SPDX-License-Identifier: Apache-2.0
# A limit on the size of files (ulimit -f) is for what is written, not for what is read in memory.
. "$(dirname "$0")/common.inc"
example
# An extension module of 40 MiB, of which the wheel takes few.
echo '__asm__(".section .rodata\n.zero 41943040\n"); int foo(void); int y(void) { return foo(); }' >y.c
gcc -shared -fPIC -o tree/demo/_y.so y.c lib/libfoo.so.1
pack tree "$wheel"
before=$(sha256sum "$wheel")

limited() (
  ulimit -f "$1"  # KiB
  shift
  "$@"
)
run 0 limited 1024 "$truewheel" show "$wheel"
run 0 limited 1024 "$truewheel" repair --search lib -w out "$wheel"
[ "$(ls -A out | wc -l)" = 1 ]
run 4 limited 4 "$truewheel" repair --search lib -w out2 "$wheel"
says stderr "File too large"
nothing_in out2
cp tree/demo/_y.so _y.so
run 4 limited 1024 "$truewheel" patchelf --set-rpath /x _y.so
cmp _y.so tree/demo/_y.so
[ -z "$(ls -A | grep '^\.')" ]
[ "$before" = "$(sha256sum "$wheel")" ]
