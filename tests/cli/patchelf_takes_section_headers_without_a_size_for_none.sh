# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# LIEF 1.0 writes e_shentsize 0 with e_shnum 0 or 1, and leaves e_shoff. No loader reads any of them.
for count in 0 1; do
  cp program edited
  python3 - edited $count <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<HHH", data, 58, 0, int(sys.argv[2]), 0)
open(sys.argv[1], "wb").write(data)
END
  LD_LIBRARY_PATH=. ./edited
  [ "$("$truewheel" patchelf --print-rpath edited)" = /opt/a:/opt/b ]
  for path in /a "/opt/$(printf 'x%.0s' {1..3000})" "$PWD"; do
    run 0 "$truewheel" patchelf --set-rpath "$path" edited
    LD_LIBRARY_PATH=. ./edited
    [ "$("$truewheel" patchelf --print-rpath edited)" = "$path" ]
  done
  ./edited
done
# Of more headers one with a wrong size is a contradiction.
cp program edited
printf '\0\0' | dd of=edited bs=1 seek=58 conv=notrunc status=none
run 3 "$truewheel" patchelf --print-rpath edited
says stderr e_shentsize
