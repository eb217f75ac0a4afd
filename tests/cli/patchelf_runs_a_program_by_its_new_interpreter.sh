# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
cp "$("$truewheel" patchelf --print-interpreter program)" ./a-loader-with-a-longer-name-than-the-one-before
LD_LIBRARY_PATH=. ./program
run 0 "$truewheel" patchelf --set-interpreter "$PWD/a-loader-with-a-longer-name-than-the-one-before" program
readelf -lW program | has -F "interpreter: $PWD/a-loader-with-a-longer-name-than-the-one-before]"
LD_LIBRARY_PATH=. ./program
# Without that file the program does not start: it is the one that is used.
rm a-loader-with-a-longer-name-than-the-one-before
run 127 env LD_LIBRARY_PATH=. ./program
run 3 "$truewheel" patchelf --set-interpreter /lib/ld.so libf.so.1
says stderr 'no PT_INTERP'
# patchelf's other name of the option.
cp program again
run 0 "$truewheel" patchelf --interpreter /lib64/../lib64/ld-linux-x86-64.so.2 again
readelf -lW again | has -F 'interpreter: /lib64/../lib64/ld-linux-x86-64.so.2'
