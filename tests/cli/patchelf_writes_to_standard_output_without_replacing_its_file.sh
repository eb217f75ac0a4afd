# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
echo 'int f(void) { return 1; }' >f.c
gcc -shared -fPIC -o f.so f.c
"$truewheel" patchelf --set-rpath /x --output plain.so f.so
(
  echo start
  "$truewheel" patchelf --set-rpath /x --output /dev/stdout f.so
  echo end
) >log.bin
(echo start; cat plain.so; echo end) >wanted.bin
cmp log.bin wanted.bin
