# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# Another machine's ELF file beside the wheel's own may be data, such as firmware. Where there is no other the wheel was
# built for another machine than its name says.
example
mkdir -p other/demo/firmware; cp tree/demo/* other/demo/
pack other demo-1.0-py3-none-linux_aarch64.whl
run 1 "$truewheel" check demo-1.0-py3-none-linux_aarch64.whl
says stdout 'T005 error: demo/_x.so is an ELF file for x86_64, not for aarch64'
run 0 "$truewheel" check --allow T005:demo/_x.so demo-1.0-py3-none-linux_aarch64.whl
run 1 "$truewheel" repair --search lib demo-1.0-py3-none-linux_aarch64.whl
says stderr 'no ELF file in the wheel is for aarch64, which its platform tag promises: they are for x86_64'
nothing_in wheelhouse
# Beside its own it is a warning.
python3 - tree/demo/_x.so tree/demo/firmware.so <<'P'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("<H", data, 18, 183)
open(sys.argv[2], "wb").write(data)
P
pack tree "$wheel"
run 0 "$truewheel" check --exclude libfoo.so.1 "$wheel"
says stdout 'T005 warning: demo/firmware.so is an ELF file for aarch64, not for x86_64'
