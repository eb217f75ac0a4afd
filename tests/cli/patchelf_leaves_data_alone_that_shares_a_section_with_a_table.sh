# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# Linker scripts may put constants of the program into the section of .dynstr, of .gnu.hash or of .gnu.version. DT_STRSZ
# and the tables themselves tell where they end; what stands behind is the program's.
cat >a.c <<'END'
#include <stdio.h>
const char *volatile text = "payload-string"; const int table[4] = {11, 22, 33, 44}; const char zeros[24] = {0};
int main(int c, char **v) { (void)v; printf("%s %d", text, table[c]); for (int i = 0; i < 24; i++) printf("%d", zeros[i]); return 0; }
END
ld -pie --verbose | sed '1,/^====/d;/^====/,$d' >usual
constants='*(.rodata .rodata.*)'
sed "s/\.dynstr *: { \*(\.dynstr) }/.dynstr : { *(.dynstr) $constants }/" usual >dynstr.ld
sed "s/\.dynstr *: { \*(\.dynstr) }//; s/\.rodata *: { \*(\.rodata/.rodata : { *(.dynstr) *(.rodata/" usual >first.ld
sed "s/\.gnu\.hash *: { \*(\.gnu\.hash) }/.gnu.hash : { *(.gnu.hash) $constants }/" usual >hash.ld
sed "s/\.gnu\.version *: { \*(\.gnu\.version) }/.gnu.version : { *(.gnu.version) $constants }/" usual >versions.ld
long=/opt/$(printf 'x%.0s' {1..300}) longest=/opt/$(printf 'y%.0s' {1..9000})
for layout in dynstr first hash versions; do
  for code in separate-code noseparate-code; do
    gcc -pie -o a a.c -Wl,-T,$layout.ld,-z,$code
    wanted=$(./a)
    for edits in "/opt/aaaa/bbbb" "$long /opt/aaaa/bbbbb" "/opt/aaaa /opt/cccc/dddddddddddddddd /x" \
      "/opt/aaaa/bbbb $longest" "$longest /a /opt/aaaa/bbbb"; do
      cp a b
      for path in $edits; do
        run 0 "$truewheel" patchelf --set-rpath "$path" b
        [ "$(./b)" = "$wanted" ] || { echo "$layout, $code: $path: $(./b)" >&2; exit 1; }
        [ "$("$truewheel" patchelf --print-rpath b)" = "$path" ]
      done
    done
  done
done
# Of the strings' section the headers cannot tell what strip has to keep.
gcc -pie -o a a.c -Wl,-T,dynstr.ld
run 0 "$truewheel" patchelf --set-rpath "$long" a
says stderr 'do not strip it afterwards'
