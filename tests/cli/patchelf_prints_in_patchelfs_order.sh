# SPDX-License-Identifier: Apache-2.0
# What is printed is what readelf reads, in one order, however the options stand.
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
run 0 "$truewheel" patchelf --print-needed --print-execstack --print-rpath --print-interpreter --print-os-abi program
interpreter=$(readelf -lW program | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
printf '%s\n' "$interpreter" 'System V' /opt/a:/opt/b 'execstack: -' libf.so.1 libc.so.6 >wanted
cmp stdout wanted
run 0 "$truewheel" patchelf --print-soname libf.so.1
[ "$(cat stdout)" = libf.so.1 ]
# Without a run path there is an empty line; without a SONAME there is nothing.
run 0 "$truewheel" patchelf --print-rpath libf.so.1
[ "$(wc -c <stdout)" = 1 ]
run 0 "$truewheel" patchelf --print-soname program
[ ! -s stdout ]
run 1 "$truewheel" patchelf --print-interpreter libf.so.1
says stderr 'libf.so.1: the file names no interpreter'
# A file that is named twice is printed twice, as patchelf does.
run 0 "$truewheel" patchelf --print-soname libf.so.1 libf.so.1
[ "$(cat stdout)" = "libf.so.1
libf.so.1" ]
