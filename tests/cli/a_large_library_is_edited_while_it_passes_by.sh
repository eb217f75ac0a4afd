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
        file.write(b"".join(source.choices(words, k=1_000_000))[: 7 << 20])
        file.write(bytes(7 << 20))
PY
cat >y.c <<'C'
__asm__(".section .rodata\n.globl payload\npayload: .incbin \"payload\"\npayload_end: .byte 0\n");
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
if ldd "$truewheel" | has 'lib[at]san'; then most_memory=0; fi  # they take memory of their own
for jobs in 1 5; do
  run 0 "$truewheel" repair -j "$jobs" --search lib -w "out$jobs" "$wheel"
  cmp out/*.whl "out$jobs"/*.whl
done

# The same wheel with that library as it is: stored, and so held.
mkdir stored
python3 - "$wheel" "stored/$(basename "$wheel")" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as new:
    for entry in old.infolist():
        kind = zipfile.ZIP_STORED if entry.filename == "demo/_y.so" else zipfile.ZIP_DEFLATED
        new.writestr(entry.filename, old.read(entry), kind)
PY
run 0 "$truewheel" repair --search lib -w held stored/*.whl
python3 - out/*.whl held/*.whl "$most_memory" <<'PY'
import ctypes, sys, zipfile
passed, held = (zipfile.ZipFile(name) for name in sys.argv[1:3])
assert passed.testzip() is None
assert passed.read("demo/_y.so") == held.read("demo/_y.so")
assert passed.read("demo-1.0.dist-info/RECORD") == held.read("demo-1.0.dist-info/RECORD")
passed.extractall("site")
assert ctypes.CDLL("site/demo/_y.so").y
size = passed.getinfo("demo/_y.so").file_size
assert int(sys.argv[3]) * 1024 < size * 1.6, f"{sys.argv[3]} KiB for a library of {size} bytes"
PY
rm -r lib
run 0 "$truewheel" check out/*.whl
