# SPDX-License-Identifier: Apache-2.0
# A linker script may put constants of the program and .dynstr into one section. No edit may take their bytes for its own.
. "$(dirname "$0")/common.inc"
cat >a.c <<'C'
#include <stdio.h>
const char *volatile text = "payload-string";
const int numbers[4] = {11, 22, 33, 44};
int main(int count, char **words) { (void)words; printf("%s %d\n", text, numbers[count]); return 0; }
C
ld -pie --verbose | sed '1,/^====/d;/^====/,$d' >default.ld
sed 's/\.dynstr *: { \*(\.dynstr) }/.dynstr : { *(.dynstr) *(.rodata .rodata.*) }/' default.ld >behind.ld
sed '/^ *\.dynstr *:/d; s/\.rodata *: { \*(\.rodata /.rodata : { *(.dynstr) *(.rodata /' default.ld >before.ld
for script in behind before; do
  gcc -pie -o program a.c -Wl,-T,$script.ld
  [ "$(./program)" = "payload-string 22" ]
  for path in /opt/aaaa/bbbb /opt/cccc/dddddddddddddddddddddd /x; do
    cp program was
    status=0
    "$truewheel" patchelf --set-rpath "$path" program 2>stderr || status=$?
    [ "$(./program)" = "payload-string 22" ]
    case $status in 0) ;; 3) cmp program was ;; *) cat stderr >&2; exit 1 ;; esac
  done
done
