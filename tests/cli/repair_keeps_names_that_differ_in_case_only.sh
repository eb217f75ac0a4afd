# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
echo one >tree/demo/A.h
echo two >tree/demo/a.h
echo dot >tree/demo/dot.
pack tree "$wheel"
run 0 "$truewheel" repair --search lib -w out "$wheel"
unzip -q out/*.whl -d result
[ "$(cat result/demo/A.h result/demo/a.h result/demo/dot.)" = "one
two
dot" ]
