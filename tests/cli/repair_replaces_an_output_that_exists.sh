# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w out "$wheel"
output=$(ls out/*.whl)
sha256sum "$output" >sum
echo old >"$output"
run 0 "$truewheel" repair --search lib -w out "$wheel"
sha256sum --quiet -c sum
[ "$(ls -A out | wc -l)" = 1 ]
