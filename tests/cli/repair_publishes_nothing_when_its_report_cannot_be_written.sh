# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
status=0
"$truewheel" repair --search lib -w out "$wheel" >/dev/full 2>stderr || status=$?
[ "$status" = 4 ]
nothing_in out
