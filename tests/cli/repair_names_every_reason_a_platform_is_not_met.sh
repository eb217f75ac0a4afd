# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
echo 'void arc4random_buf(void *, unsigned long); void y(void *p) { arc4random_buf(p, 4); }' >y.c
gcc -shared -fPIC -o tree/demo/_y.so y.c
pack tree "$wheel"
run 1 "$truewheel" repair --plat manylinux_2_28 --search lib -w out "$wheel"
says stderr "demo/_y.so"
says stderr "GLIBC_2.36"
says stderr "arc4random_buf"
nothing_in out
run 0 "$truewheel" repair --search lib -w out "$wheel"
[ "$(basename out/*.whl)" = demo-1.0-py3-none-manylinux_2_36_x86_64.whl ]
run 2 "$truewheel" repair --plat manylinux_2_99 --search lib -w out2 "$wheel"
nothing_in out2
