# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# A linker script may put constants of the program behind the symbols, into their section. How many symbols there are is
# told by the hash table.
cat >l.c <<'C'
__attribute__((section(".k.dynsym"), visibility("hidden"), used, aligned(8))) const int k[6] = {FIRST, 0x00010012, 0, 0, 0, 0};
__attribute__((section(".k.version"), visibility("hidden"), used, aligned(2))) const short kv[4] = {7, 7, 7, 7};
int f0(void) { return 1; }
int check(void) {
  const int *p = k; const short *q = kv; __asm__("" : "+r"(p), "+r"(q));
  if (p[0] != FIRST || p[1] != 0x00010012) return 1;
  for (int i = 0; i < 4; i++) if (q[i] != 7) return 2;
  return 0;
}
C
echo 'V_1 { global: f0; check; local: *; };' >v
echo 'f0 renamed_f0' >names
ld -shared --verbose | sed '1,/^====/d;/^====/,$d' |
  sed 's/{ \*(\.dynsym) }/{ *(.dynsym) . = ALIGN(8); *(.k.dynsym) }/; s/{ \*(\.gnu\.version) }/{ *(.gnu.version) *(.k.version) }/' >s.ld
link() { gcc -O1 -fPIC -shared -Wl,-T,s.ld,--version-script=v,--hash-style="$2" -DFIRST="$1" l.c -o l.so; }
sound() { python3 -c 'import ctypes, sys; assert ctypes.CDLL("./" + sys.argv[1]).check() == 0' "$1"; }
link 1 sysv
name=$(python3 -c '
import re, subprocess
data = open("l.so", "rb").read()
line = next(l for l in subprocess.run(["readelf", "-SW", "l.so"], capture_output=True, text=True).stdout.splitlines() if " .dynstr" in l)
begin = int(line.split("STRTAB")[1].split()[1], 16)
print(data.index(b"\0f0\0", begin) + 1 - begin)')
for first in "$name" 0x736e6f63; do
  for style in sysv gnu both; do
    link "$first" $style
    sound l.so
    for edit in "--clear-symbol-version f0" "--rename-dynamic-symbols names" "--set-rpath /opt/$(printf 'x%.0s' {1..300})"; do
      cp l.so m.so
      run 0 "$truewheel" patchelf $edit m.so
      sound m.so
    done
  done
done
