# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# .note.gnu.property has program headers of its own beside those of the other notes. One group may find room in the first
# LOAD, where the other one was, which then leaves for the new LOAD.
cat >g.c <<'END'
__asm__(".section .note.package,\"a\",@note\n.p2align 2\n.long 4,16,0xcafe1a7e\n.asciz \"FDO\"\n.asciz \"{11111}\"\n.long 0,0\n.previous");
int f(void) { return 3; }
END
long=/$(printf 'y%.0s' {1..600}) longest=/$(printf 'y%.0s' {1..6000})
first_load() { readelf -lW "$1" | awk '$1 == "LOAD" { print $5; exit }'; }
# link LENGTH: libf.so.1 with a symbol whose name is that long.
link() {
  { cat g.c; echo "int v$(printf 'x%.0s' $(seq "$1"));"; } >v.c
  gcc -shared -fPIC -o libf.so.1 v.c -Wl,-soname,libf.so.1,--hash-style=gnu,-z,noseparate-code,-z,ibt,-z,shstk
}
link 3000
base=$(($(first_load libf.so.1)))
for gap in $(seq 0 12 200); do
  link $((3000 + (0x1000 - gap - base % 0x1000 + 0x1000) % 0x1000))
  cp libf.so.1 kept
  for path in "$long" "$longest"; do
    cp kept libf.so.1
    readelf -nW libf.so.1 >before
    run 0 "$truewheel" patchelf --set-rpath "$path" libf.so.1
    readelf -nW libf.so.1 | cmp - before
    LD_LIBRARY_PATH=. ./program
  done
done
gcc -shared -fPIC -o libf.so.1 -Wl,-soname,libf.so.1 f.c
for size in 16384 65536 2097152; do
  cp libf.so.1 kept
  run 0 "$truewheel" patchelf --set-rpath "$long" --page-size $size libf.so.1
  LD_LIBRARY_PATH=. ./program
  mv kept libf.so.1
done
