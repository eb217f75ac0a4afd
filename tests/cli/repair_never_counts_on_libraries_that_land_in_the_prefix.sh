# SPDX-License-Identifier: Apache-2.0
# .data/data is installed to the prefix: no run path leads there from site-packages, by whatever name.
. "$(dirname "$0")/common.inc"
example
mkdir -p tree/demo-1.0.data/data/lib
cp lib/libfoo.so.1 tree/demo-1.0.data/data/lib/
pack tree "$wheel"
run 1 "$truewheel" repair -w out "$wheel"
says stderr "libfoo.so.1"
nothing_in out
