# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --exclude 'libnothing.so*' --search lib -w out "$wheel"
says stderr "libnothing.so*"
run 1 "$truewheel" repair --verify strict --exclude 'libnothing.so*' --search lib -w strict "$wheel"
nothing_in strict
