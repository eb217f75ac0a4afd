# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
size=$(stat -c %s "$wheel")
for keep in 0 1 100 $((size / 2)) $((size - 1)); do
  head -c "$keep" "$wheel" >"cut-1.0-py3-none-linux_x86_64.whl"
  run 3 "$truewheel" repair --search lib -w out cut-1.0-py3-none-linux_x86_64.whl
  says stderr "truewheel: error: cut-1.0-py3-none-linux_x86_64.whl: "
done
nothing_in out
