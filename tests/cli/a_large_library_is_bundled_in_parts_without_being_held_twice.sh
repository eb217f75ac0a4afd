# SPDX-License-Identifier: Apache-2.0
# A library of 96 MiB of this machine: several threads compress it to the bytes that one makes, in little more memory
# than it has bytes; where deflate makes it no smaller, too.
. "$(dirname "$0")/common.inc"
example
python3 - <<'PY'
import random
source = random.Random(20261130)
words = [source.randbytes(source.randrange(3, 12)) for _ in range(3000)]
with open("words", "wb") as file:
    for _ in range(4):
        file.write(b"".join(source.choices(words, k=3_000_000))[: 18 << 20])
        file.write(source.randbytes(6 << 20))
with open("noise", "wb") as file:
    for _ in range(4):
        file.write(source.randbytes(24 << 20))
PY
cat >y.c <<'C'
__asm__(".pushsection .rodata\n.globl payload\npayload: .incbin \"payload\"\n.byte 0\n.popsection\n");
extern const unsigned char payload[] __attribute__((visibility("hidden")));
int foo(void) {
  unsigned sum = 0;
  for (unsigned long i = 0; i < 96ul << 20; i += 4096) sum += payload[i];
  return (int)(sum & 0xFFFF);
}
C
for kind in words noise; do
  cp "$kind" payload
  # Without padding: what it saves would be more than the headers of stored blocks cost.
  gcc -O1 -shared -fPIC -nostdlib -s -o lib/libfoo.so.1 -Wl,-soname,libfoo.so.1 y.c -Wl,-rpath,/somewhere/else -Wl,-z,noseparate-code
  for jobs in 1 5; do
    python3 - "$truewheel" repair -z 1 -j "$jobs" --search lib -w "$kind$jobs" "$wheel" <<'PY'
import os, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
peak = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
size = os.path.getsize("lib/libfoo.so.1")
with_sanitizer = b"libasan" in subprocess.check_output(["ldd", sys.argv[1]]) or b"libtsan" in subprocess.check_output(["ldd", sys.argv[1]])
assert with_sanitizer or peak < size + (48 << 20), f"{peak} bytes for a library of {size}"
PY
  done
  cmp "$kind"1/*.whl "$kind"5/*.whl
  python3 - "$kind"1/*.whl <<'PY'
import ctypes, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
assert wheel.testzip() is None
library, = (entry for entry in wheel.infolist() if "libfoo-" in entry.filename)
assert library.compress_type == (0 if sys.argv[1].startswith("noise") else 8), library
folder = "site-" + sys.argv[1].split("/")[0]
wheel.extractall(folder)
with open("payload", "rb") as file:
    wanted = sum(file.read()[::4096]) & 0xFFFF
assert ctypes.CDLL(folder + "/demo/_x.so").x() == wanted
PY
done
