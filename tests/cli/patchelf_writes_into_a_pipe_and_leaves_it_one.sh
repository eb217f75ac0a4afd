# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
mkfifo pipe
cat pipe >received &
run 0 "$truewheel" patchelf --set-soname libother.so --output pipe libf.so.1
wait $!
[ -p pipe ]
[ "$(tags received SONAME)" = libother.so ]
run 4 "$truewheel" patchelf --set-soname libother.so --output . libf.so.1
