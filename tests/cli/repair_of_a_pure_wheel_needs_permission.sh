# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
mkdir -p tree/demo && : >tree/demo/__init__.py
pack tree demo-1.0-py3-none-any.whl
run 1 "$truewheel" repair -w out demo-1.0-py3-none-any.whl
says stderr "--allow-pure-python-wheel"
nothing_in out
run 0 "$truewheel" repair --allow-pure-python-wheel -w out demo-1.0-py3-none-any.whl
cmp demo-1.0-py3-none-any.whl out/demo-1.0-py3-none-any.whl
