# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 env -i PATH= "$truewheel" repair --search lib -w out "$wheel"
[ "$(ls out | wc -l)" = 1 ]
