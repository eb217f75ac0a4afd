# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# A separate debug file has headers of a dynamic section without its bytes: nothing is printed, and that is no error.
objcopy --only-keep-debug libf.so.1 libf.debug
run 0 "$truewheel" patchelf --print-rpath --print-needed libf.debug
echo | cmp - stdout
# The kernel reads PT_INTERP of a program without a dynamic section, and nothing of notes that a
# linker script put at its beginning.
cat >bare.s <<'END'
.section .note.own, "a", @note
.long 4, 4, 1
.ascii "own\0note"
.section .interp, "a"
.ascii "/lib/a-linker-of-a-long-name.so\0"
.text
.globl _start
_start: mov $60, %eax
xor %edi, %edi
syscall
END
cat >script <<'END'
PHDRS { all PT_LOAD FILEHDR PHDRS FLAGS(5); named PT_INTERP; }
SECTIONS { . = 0x400000 + SIZEOF_HEADERS; .note.own : { *(.note.own) } :all :named
  .interp : { *(.interp) } :all :named .text : { *(.text) } :all }
END
gcc -nostdlib -static -Wl,-T,script,--build-id=none -o bare bare.s
readelf -x .note.own bare >note
run 0 "$truewheel" patchelf --set-interpreter /lib/ld.so bare
readelf -lW bare | has 'interpreter: /lib/ld.so\]'
readelf -x .note.own bare | cmp - note
run 3 "$truewheel" patchelf --set-interpreter "/lib/$(printf '%0100d' 0)" bare
# A static program is one, whether it has a dynamic section for itself or none.
for kind in -static -static-pie; do
  echo 'int main(void) { return 0; }' | gcc "$kind" -o static -x c -
  run 1 "$truewheel" patchelf --print-rpath static
  says stderr 'static program'
done
