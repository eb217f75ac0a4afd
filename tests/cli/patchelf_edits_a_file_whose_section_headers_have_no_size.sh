# SPDX-License-Identifier: Apache-2.0
# LIEF 1.0 leaves e_shoff in files without sections, and e_shentsize 0: that is a file without sections.
. "$(dirname "$0")/common.inc"
echo 'int main(void) { return 7; }' >a.c
gcc -o a a.c
python3 - <<'P'
import struct
data = bytearray(open("a", "rb").read())
struct.pack_into("<HHH", data, 58, 0, 0, 0)
open("a", "wb").write(data)
P
run 7 ./a
run 0 "$truewheel" patchelf --print-needed a
says stdout libc.so.6
run 0 "$truewheel" patchelf --set-rpath /somewhere/else a
run 7 ./a
[ "$("$truewheel" patchelf --print-rpath a)" = /somewhere/else ]
