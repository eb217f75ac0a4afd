# SPDX-License-Identifier: Apache-2.0
# In one call, in any order, or one call each: the same is true afterwards, and the program runs.
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
loader=$("$truewheel" patchelf --print-interpreter program)
cp "$loader" ./the-other-loader-under-a-long-name
edits=("--set-interpreter $PWD/the-other-loader-under-a-long-name" "--set-rpath $PWD" "--set-soname program.so"
  '--add-needed libm.so.6' '--no-default-lib' '--set-execstack' '--replace-needed libc.so.6 libc.so.6')
facts() {
  "$truewheel" patchelf --print-interpreter --print-soname --print-rpath --print-needed --print-execstack "$1"
  readelf -dW "$1" | sed -n 's/.*(FLAGS_1) *//p'
}
cp program forward; cp program backward; cp program stepwise
run 0 "$truewheel" patchelf ${edits[*]} forward
for ((i = ${#edits[@]} - 1; i >= 0; --i)); do reversed+=(${edits[i]}); done
run 0 "$truewheel" patchelf "${reversed[@]}" backward
for edit in "${edits[@]}"; do run 0 "$truewheel" patchelf $edit stepwise; done
cmp forward backward
facts forward >wanted
facts stepwise | cmp - wanted
# The default folders are out of bounds now.
export LD_LIBRARY_PATH=${PWD}:$(dirname "$(readlink -f "$(gcc -print-file-name=libm.so.6)")")
./forward
./stepwise
