# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
cp "$wheel" in/demo-1.1-py3-none-linux_x86_64.whl # dist-info does not match: refused
run 3 "$truewheel" repair --search lib -w out "$wheel" in/demo-1.1-py3-none-linux_x86_64.whl
nothing_in out
pack tree in/other-2.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --search lib -w out "$wheel" in/other-2.0-py3-none-linux_x86_64.whl
[ "$(ls out | wc -l)" = 2 ]
