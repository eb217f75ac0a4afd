# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
run 2 "$truewheel" repair -w out nothing-1.0-py3-none-linux_x86_64.whl
says stderr "nothing-1.0-py3-none-linux_x86_64.whl"
[ ! -e out ]
