# SPDX-License-Identifier: Apache-2.0
# By the name it has when it is installed, at the wheel's root and below .data: pip could not install the result.
. "$(dirname "$0")/common.inc"
example
mkdir -p tree/demo-1.0.data
for place in . demo-1.0.data/platlib demo-1.0.data/purelib; do
  mkdir -p "tree/$place"
  echo text >"tree/$place/demo.libs"
  pack tree "$wheel"
  run 1 "$truewheel" repair --search lib -w out "$wheel"
  says stderr 'a file of the wheel is called demo.libs'
  nothing_in out
  run 0 "$truewheel" repair --search lib -L .bundled -w "out-$(basename "$place")" "$wheel"
  rm "tree/$place/demo.libs"
done
