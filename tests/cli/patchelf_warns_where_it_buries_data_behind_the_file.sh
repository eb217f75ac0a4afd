# SPDX-License-Identifier: Apache-2.0
# Self-extracting programs have an archive behind the ELF file, and some look for it from the end. An edit that has to add
# to such a file says so; the data stay where they are. One that needs no byte says nothing.
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
size=$(stat -c %s program)
head -c 5000 /dev/urandom >data
cat data >>program
run 0 "$truewheel" patchelf --set-rpath /opt/c program
[ ! -s stderr ] && [ "$(stat -c %s program)" = $((size + 5000)) ]
tail -c 5000 program | cmp - data
run 0 "$truewheel" patchelf --set-rpath "/opt/$(printf 'y%.0s' {1..9000})" program
says stderr 'program: it has data behind its last section'
[ "$(stat -c %s program)" -gt $((size + 5000)) ]
cmp -i "$size:0" -n 5000 program data
LD_LIBRARY_PATH=. ./program
