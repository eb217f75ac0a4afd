# SPDX-License-Identifier: Apache-2.0
# A library of 80 MiB is never held as a whole, and comes out as one that is.
. "$(dirname "$0")/common.inc"
example
# What deflate makes blocks of each kind of: random bytes, repeated words and zeros.
python3 - <<'PY'
import random
source = random.Random(20261130)
words = [source.randbytes(source.randrange(3, 12)) for _ in range(3000)]
with open("payload", "wb") as file:
    for _ in range(4):
        file.write(source.randbytes(6 << 20))
        file.write(b"".join(source.choices(words, k=1_200_000))[: 7 << 20])
        file.write(bytes(7 << 20))
PY
cat >y.c <<'C'
__asm__(".pushsection .rodata\n.globl payload\npayload: .incbin \"payload\"\n.byte 0\n.popsection\n");
extern const unsigned char payload[] __attribute__((visibility("hidden")));
int foo(void);
unsigned long y(void) {
  unsigned long sum = foo();
  for (unsigned long i = 0; i < 80ul << 20; i += 4096) sum = sum * 31 + payload[i];
  return sum;
}
C
gcc -O1 -shared -fPIC -o tree/demo/_y.so y.c lib/libfoo.so.1 -Wl,-rpath,"$PWD/lib"
pack tree "$wheel"

# most_of COMMAND...: runs it, and sets most_memory to the KiB that it took.
most_of() {
  most_memory=$(python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=open("stdout", "w"), stderr=open("stderr", "w"))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@")
}
most_of "$truewheel" repair --search lib -w out "$wheel"
for jobs in 1 5; do
  run 0 "$truewheel" repair -j "$jobs" --search lib -w "out$jobs" "$wheel"
  cmp out/*.whl "out$jobs"/*.whl
done

# The same wheel as no build packs it: everything stored, by the archive or in blocks of deflate. It stays so.
mkdir stored blocks
python3 - "$wheel" <<'PY'
import os, sys, zipfile
name = os.path.basename(sys.argv[1])
with zipfile.ZipFile(sys.argv[1]) as old, \
     zipfile.ZipFile(f"stored/{name}", "w", zipfile.ZIP_STORED) as stored, \
     zipfile.ZipFile(f"blocks/{name}", "w", zipfile.ZIP_DEFLATED, compresslevel=0) as blocks:
    for entry in old.infolist():
        stored.writestr(entry.filename, old.read(entry))
        blocks.writestr(entry.filename, old.read(entry))
PY
memories=$most_memory
for kind in stored blocks; do
  most_of "$truewheel" repair --search lib -w "of_$kind" "$kind"/*.whl
  memories+=" $most_memory"
done
if ldd "$truewheel" | has 'lib[at]san'; then memories=; fi  # they take memory of their own
python3 - out/*.whl of_stored/*.whl of_blocks/*.whl "$memories" <<'PY'
import ctypes, sys, zipfile
wheels = [zipfile.ZipFile(name) for name in sys.argv[1:4]]
for wheel, packed_as in zip(wheels, (8, 0, 8)):
    assert wheel.testzip() is None
    assert wheel.getinfo("demo/_y.so").compress_type == packed_as
    assert wheel.read("demo/_y.so") == wheels[0].read("demo/_y.so")
    assert wheel.read("demo-1.0.dist-info/RECORD") == wheels[0].read("demo-1.0.dist-info/RECORD")
wheels[0].extractall("site")
assert ctypes.CDLL("site/demo/_y.so").y()
size = wheels[0].getinfo("demo/_y.so").file_size
most = [1024 * int(kib) for kib in sys.argv[4].split()]
assert all(bytes < 1.2 * size + (64 << 20) for bytes in most), f"{most} for a library of {size} bytes"
PY
rm -r lib
run 0 "$truewheel" check out/*.whl
