# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
state program >before
run 2 "$truewheel" patchelf --build-resolution-cache program
says stderr 'is not offered'
run 2 "$truewheel" patchelf --none-such program
says stderr 'there is no option --none-such'
says stderr 'hint: truewheel patchelf --help'
run 2 "$truewheel" patchelf --set-rpath
says stderr '--set-rpath needs PATH'
run 2 "$truewheel" patchelf --set-rpath /x --add-rpath /y program
run 2 "$truewheel" patchelf --page-size 1000 program
run 2 "$truewheel" patchelf
state program | cmp - before
