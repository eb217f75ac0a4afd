# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
run 0 "$truewheel" patchelf --set-execstack --no-default-lib --set-os-abi GNU program
readelf -lW program | has 'GNU_STACK.* RWE '
readelf -dW program | has 'FLAGS_1.*NODEFLIB'
run 0 "$truewheel" patchelf --print-os-abi --print-execstack program
printf '%s\n' Linux 'execstack: X' | cmp - stdout
run 0 "$truewheel" patchelf --clear-execstack program
readelf -lW program >read
says_not read ' RWE '
run 0 "$truewheel" patchelf --add-debug-tag --set-soname libother.so libf.so.1
readelf -dW libf.so.1 | has '(DEBUG)'
[ "$(tags libf.so.1 SONAME)" = libother.so ]
readelf --dyn-syms -W program | has '__libc_start_main@'
run 0 "$truewheel" patchelf --clear-symbol-version __libc_start_main program
readelf --dyn-syms -W program >read
says_not read '__libc_start_main@'
# A static program and an object have a stack flag or an OS ABI, too.
gcc -static -o static -x c - <<<'int main(void) { return 0; }'
run 0 "$truewheel" patchelf --set-execstack --set-os-abi freebsd static
readelf -lW static | has 'GNU_STACK.* RWE '
readelf -h static | has 'OS/ABI: .*FreeBSD'
