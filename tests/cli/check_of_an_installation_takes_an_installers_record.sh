# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
site=root/lib/python3.11/site-packages
mkdir -p $site/demo $site/demo-1.0.dist-info root/bin
touch root/pyvenv.cfg root/bin/demo
echo 'int f(void) { return 1; }' | gcc -shared -fPIC -x c - -o $site/demo/_x.so
printf '../../../bin/demo,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\ndemo/_x.so,,\ndemo-1.0.dist-info/RECORD,,\n' \
  >$site/demo-1.0.dist-info/RECORD
printf 'Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n' >$site/demo-1.0.dist-info/METADATA
run 0 "$truewheel" check --installed demo --root root
says stdout "1 ELF file"

# A program among the scripts counts as the package's.
echo 'int foo(void) { return 1; }' | gcc -shared -fPIC -x c - -Wl,-soname,libfoo.so.1 -o $site/demo/libfoo.so.1
echo 'int foo(void); int main(void) { return !foo(); }' >main.c
gcc -pie -o root/bin/tool main.c $site/demo/libfoo.so.1 -Wl,-rpath,'$ORIGIN/../lib/python3.11/site-packages/demo'
printf '../../../bin/tool,,\ndemo/libfoo.so.1,,\n' >>$site/demo-1.0.dist-info/RECORD
run 0 "$truewheel" check --installed demo --root root
says stdout "3 ELF files"
says stdout "libfoo.so.1: demo/libfoo.so.1"
root/bin/tool
"$truewheel" patchelf --remove-rpath root/bin/tool
run 1 "$truewheel" check --installed demo --root root
says stdout "R005 error: ../../../bin/tool needs libfoo.so.1"
