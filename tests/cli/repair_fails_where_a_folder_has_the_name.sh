# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w out "$wheel"
output=$(ls out/*.whl)
rm "$output"
mkdir "$output"
run 4 "$truewheel" repair --search lib -w out "$wheel"
[ -d "$output" ]
nothing_in "$output"
