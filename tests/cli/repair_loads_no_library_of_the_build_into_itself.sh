# SPDX-License-Identifier: Apache-2.0
# LD_LIBRARY_PATH names the libraries of the build that made the wheel: they are bundled. truewheel itself loads libzip and
# what that needs, whatever lies there under these names.
. "$(dirname "$0")/common.inc"
example
cat >own.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void of_the_build(void) { puts("code of the build runs"); }
C
for name in libzip.so.4 libzip.so.5 libbz2.so.1 libbz2.so.1.0 liblzma.so.5 libzstd.so.1 libz.so.1 libcrypto.so.3 libgnutls.so.30; do
  gcc -shared -fPIC -o "lib/$name" "-Wl,-soname,$name" own.c
done
LD_LIBRARY_PATH=$PWD/lib run 0 "$truewheel" repair -w out "$wheel"
says_not stdout 'code of the build runs'
unzip -Z1 out/*.whl | has 'demo.libs/libfoo-.*\.so\.1$'
