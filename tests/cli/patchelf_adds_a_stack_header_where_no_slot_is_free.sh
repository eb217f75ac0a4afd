# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
command -v ld.lld >/dev/null || skip 'lld is not installed'
# Behind the program headers stands a note that code may address, and the program needs its PT_PHDR: the table moves.
cat >note.s <<'END'
.section .note.own, "a", @note
.long 4, 4, 1
.ascii "own\0note"
.section .note.GNU-stack, "", @progbits
END
echo 'int main(void) { return 0; }' >bare.c
gcc -fuse-ld=lld -no-pie -Wl,-z,nognustack -o bare bare.c note.s
readelf -lW bare | has_not GNU_STACK
./bare
run 0 "$truewheel" patchelf --set-execstack bare
readelf -lW bare | has 'GNU_STACK.*RWE'
./bare
[ "$("$truewheel" patchelf --print-execstack bare)" = 'execstack: X' ]
says stderr 'do not strip'
run 0 "$truewheel" patchelf --clear-execstack bare
readelf -lW bare | has 'GNU_STACK.*RW '
./bare
