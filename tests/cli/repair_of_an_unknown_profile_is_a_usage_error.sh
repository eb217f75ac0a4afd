# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 2 "$truewheel" repair --profile rokm -w out "$wheel"
says stderr "rokm"
says stderr "rocm"
nothing_in out
