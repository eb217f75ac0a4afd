# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# lld and old patchelf give .dynamic a LOAD of its own. If it left, GNU strip would write that LOAD with an offset that no
# loader maps: it grows into the padding behind it.
cat >script <<'END'
PHDRS { tables PT_LOAD FILEHDR PHDRS FLAGS(6); own PT_LOAD FLAGS(6); text PT_LOAD FLAGS(5); data PT_LOAD FLAGS(6); dynamic PT_DYNAMIC FLAGS(6);
  stack PT_GNU_STACK FLAGS(6); }
SECTIONS {
  . = SIZEOF_HEADERS;
  .dynsym : { *(.dynsym) } :tables
  .dynstr : { *(.dynstr) } :tables
  .gnu.hash : { *(.gnu.hash) } :tables
  .rela.dyn : { *(.rela.dyn) } :tables
  . = ALIGN(0x1000) + 0xe40;
  .dynamic : { *(.dynamic) } :own :dynamic
  . = ALIGN(0x1000) + 0x100;
  .text : { *(.text) } :text
  .eh_frame : { *(.eh_frame) } :text
  . = ALIGN(0x1000) + 0x200;
  .data : { *(.data) *(.bss) } :data
  .got : { *(.got) *(.got.plt) } :data
}
END
echo 'int word = 3; int f(void) { return word; }' >f.c
gcc -shared -fPIC -nostdlib -Wl,-T,script,-soname,libf.so.1,--hash-style=gnu,--spare-dynamic-tags=0,--build-id=none -o libf.so.1 f.c
LD_LIBRARY_PATH=. ./program
run 0 "$truewheel" patchelf --set-rpath '$ORIGIN' --add-debug-tag libf.so.1
LD_LIBRARY_PATH=. ./program
[ "$(tags libf.so.1 RUNPATH)" = '$ORIGIN' ]
for tool in strip llvm-strip eu-strip; do
  command -v "$tool" >/dev/null || continue
  cp libf.so.1 kept
  "$tool" libf.so.1
  LD_LIBRARY_PATH=. ./program || { echo "does not load after $tool" >&2; exit 1; }
  mv kept libf.so.1
done
state libf.so.1 >before
run 0 "$truewheel" patchelf --set-rpath '$ORIGIN' --add-debug-tag libf.so.1
state libf.so.1 | cmp - before
