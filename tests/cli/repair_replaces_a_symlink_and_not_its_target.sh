# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w out "$wheel"
output=$(ls out/*.whl)
rm "$output"
echo precious >target
ln -s ../target "$output"
run 0 "$truewheel" repair --search lib -w out "$wheel"
[ "$(cat target)" = precious ]
[ -f "$output" ] && [ ! -L "$output" ]
