# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# A linker script that lists its program headers and forgets PT_DYNAMIC: no loader takes the library, but the
# link editor reads names and run paths from the section, and patchelf edits it.
cat >script <<'END'
PHDRS { headers PT_PHDR PHDRS; text PT_LOAD FILEHDR PHDRS; }
SECTIONS { . = SIZEOF_HEADERS; .text : { *(.text) } :text }
END
gcc -shared -fPIC -nostdlib -Wl,-T,script,-soname,libg.so.1 -o libg.so f.c 2>/dev/null
cp libg.so sound.so
readelf -lW libg.so | has_not DYNAMIC
run 0 "$truewheel" patchelf --set-rpath '$ORIGIN/a-run-path-that-is-new' --set-soname libother.so.2 libg.so
[ "$("$truewheel" patchelf --print-rpath --print-soname libg.so)" = "$(printf 'libother.so.2\n$ORIGIN/a-run-path-that-is-new')" ]
# The link editor takes the new name for DT_NEEDED, and finds the function.
echo 'int f(void); int main(void) { return f(); }' >user.c
gcc -o user user.c libg.so
tags user NEEDED | has -x libother.so.2
state libg.so >before
run 0 "$truewheel" patchelf --set-rpath '$ORIGIN/a-run-path-that-is-new' libg.so
state libg.so | cmp - before
# Without section headers nothing leads there.
objcopy --strip-section-headers sound.so bare.so 2>/dev/null || {
  cp sound.so bare.so
  printf '\0\0\0\0\0\0\0\0' | dd of=bare.so bs=1 seek=40 conv=notrunc status=none
}
run 3 "$truewheel" patchelf --set-rpath /x bare.so
says stderr 'no dynamic section'
