# SPDX-License-Identifier: Apache-2.0
# A library with three notes in one LOAD with its code: one group of notes moves to the padding behind the LOAD, another
# to where the first one was or to a new LOAD, whatever the padding.
. "$(dirname "$0")/common.inc"
cat >a.c <<'C'
__asm__(".section .note.package,\"a\",@note\n.p2align 2\n.long 4,16,0xcafe1a7e\n.asciz \"FDO\"\n.asciz \"{11111}\"\n"
        ".long 0,0\n.p2align 2\n.previous");
int run(void) { return 7; }
int FILL;
C
build() {
  gcc -shared -fPIC -o "$1" a.c "-DFILL=v$(printf "%${2}s" | tr ' ' x)" -Wl,--hash-style=gnu,-z,noseparate-code,-z,ibt,-z,shstk,--build-id
}
build first.so 3000
python3 - first.so >size <<'P'
import struct, sys
data = open(sys.argv[1], "rb").read()
start = struct.unpack_from("<Q", data, 32)[0]
print(next(struct.unpack_from("<Q", data, at + 32)[0] for at in range(start, start + 20 * 56, 56) if struct.unpack_from("<I", data, at)[0] == 1))
P
for gap in $(seq 0 12 196); do
  build a.so $((3000 + (0x1000 - gap - $(cat size) % 0x1000 + 0x1000) % 0x1000))
  for length in 600 6000; do
    cp a.so b.so
    run 0 "$truewheel" patchelf --set-rpath "/$(printf "%${length}s" | tr ' ' y)" b.so
    readelf -nW a.so >before 2>&1
    readelf -nW b.so >after 2>&1
    diff <(grep -v '^File' before) <(grep -v '^File' after)
    python3 -c 'import ctypes; assert ctypes.CDLL("./b.so").run() == 7'
  done
done
# On larger pages, too, as of glibc's own libraries.
libdl=$(gcc -print-file-name=libdl.so.2)
cp "$libdl" copy.so.2
run 0 "$truewheel" patchelf --set-rpath '$ORIGIN' --page-size 65536 copy.so.2
python3 -c 'import ctypes; ctypes.CDLL("./copy.so.2")'
