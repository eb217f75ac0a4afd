# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
[ "$(uname -m)" = x86_64 ] || skip "the tags are for x86_64"
mkdir -p tree/demo
echo 'int main(void) { return 0; }' >tool.c
gcc -static -o tree/demo/tool tool.c
# maturin publishes its wheels under such names; PEP 425 sorts a compressed tag set.
pack tree demo-1.0-py3-none-musllinux_1_1_x86_64.manylinux_2_17_x86_64.manylinux2014_x86_64.whl
run 0 "$truewheel" repair -w out demo-1.0-*.whl
[ "$(ls out)" = demo-1.0-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64.whl ]
