# SPDX-License-Identifier: Apache-2.0
# All files of a call are edited, or none is: not even the first.
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
head -c 2000 program >truncated
echo text >text
state program >before
for bad in truncated text; do
  run 3 "$truewheel" patchelf --set-rpath /x program "$bad"
  says stderr "$bad: "
done
run 2 "$truewheel" patchelf --set-rpath /x program absent
run 3 "$truewheel" patchelf --set-rpath /x --set-interpreter /lib/ld.so program libf.so.1
run 2 "$truewheel" patchelf --set-os-abi none-such program
run 2 "$truewheel" patchelf --set-rpath @absent program
run 4 "$truewheel" patchelf --set-rpath /x --output absent/folder/file program
state program | cmp - before
[ "$(ls -A | grep -c truewheel-)" = 0 ]
