# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w out "$wheel"
output=$(ls out/*.whl)
echo changed >tree/demo/extra.txt
pack tree "$wheel"
before=$(sha256sum "$output")
run 2 "$truewheel" repair --search lib -w out "$wheel" "$output"
[ "$before" = "$(sha256sum "$output")" ]
