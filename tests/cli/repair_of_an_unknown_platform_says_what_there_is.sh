# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 2 "$truewheel" repair --search lib --plat foo -w out $wheel
says stderr "unknown platform 'foo'; there are manylinux_2_5 to manylinux_2_41, linux, and auto, which takes the best"
says stderr "hint: --plat auto"
run 2 "$truewheel" repair --search lib --plat manylinux_2_29 -w out $wheel
says stderr "the nearest one is 'manylinux_2_28'"
run 2 "$truewheel" repair --search lib --plat musllinux_1_2 -w out $wheel
says stderr "is for musl"
nothing_in out
