# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w out "$wheel"
run 0 "$truewheel" repair -w again out/*.whl
cmp out/*.whl again/*.whl
[ "$(ls out)" = "$(ls again)" ]
