# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w out "$wheel"
output=$(ls out/*.whl)
echo old >"$output"
run 4 "$truewheel" repair --no-clobber --search lib -w out "$wheel"
says stderr "exists"
[ "$(cat "$output")" = old ]
[ "$(ls -A out | wc -l)" = 1 ]
