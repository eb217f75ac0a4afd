# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
run 0 "$truewheel" patchelf --add-needed libm.so.6 --add-needed libdl.so.2 program
[ "$(tags program NEEDED | xargs)" = 'libm.so.6 libdl.so.2 libf.so.1 libc.so.6' ]
cp libf.so.1 libg.so
run 0 "$truewheel" patchelf --replace-needed libf.so.1 libg.so --remove-needed libdl.so.2 program
[ "$(tags program NEEDED | xargs)" = 'libm.so.6 libg.so libc.so.6' ]
rm libf.so.1
LD_LIBRARY_PATH=. ./program
# The versions of a library follow its name.
run 0 "$truewheel" patchelf --replace-needed libc.so.6 libown.so.6 program
readelf -VW program | has 'File: libown.so.6'
readelf -VW program >read
says_not read 'File: libc.so.6'
