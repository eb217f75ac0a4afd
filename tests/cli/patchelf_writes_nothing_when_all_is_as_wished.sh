# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
touch -d 2001-01-01 program
state program >before
run 0 "$truewheel" patchelf --set-rpath /opt/a:/opt/b --clear-execstack --replace-needed absent.so other.so program
run 0 "$truewheel" patchelf --print-rpath program
run 0 "$truewheel" patchelf program
state program | cmp - before
