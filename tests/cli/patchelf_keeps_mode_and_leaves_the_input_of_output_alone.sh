# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
chmod 2750 program
run 0 "$truewheel" patchelf --set-rpath /x program
[ "$(stat -c %a program)" = 2750 ]
# A link is followed, as by every editor in place.
ln -s program link
run 0 "$truewheel" patchelf --set-rpath /y link
[ -L link ] && [ "$(tags program RUNPATH)" = /y ]
state program >before
run 0 "$truewheel" patchelf --set-rpath /z --output copy program
[ "$(tags copy RUNPATH)" = /z ]
[ "$(stat -c %a copy)" = 2750 ]
run 0 "$truewheel" patchelf --output same program
cmp same program
state program | cmp - before
run 2 "$truewheel" patchelf --output copy program libf.so.1
says stderr 'exactly one file'
