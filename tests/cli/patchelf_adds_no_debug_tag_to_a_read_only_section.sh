# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# lld's -z rodynamic: the loader would write an address into DT_DEBUG, to memory that is read-only.
command -v ld.lld >/dev/null || skip "there is no lld"
echo 'int main(void) { return 7; }' | gcc -fuse-ld=lld -Wl,-z,rodynamic -o a -x c -
cp a before
run 3 "$truewheel" patchelf --add-debug-tag a
says stderr 'the dynamic section is read-only'
cmp a before
run 0 "$truewheel" patchelf --set-rpath /opt/lib a
run 7 ./a
