# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 1 "$truewheel" repair -w out "$wheel"
says stderr "truewheel: error: $wheel: "
says stderr "libfoo.so.1: needed by demo/_x.so"
says stderr "hint: --search DIR"
nothing_in out
