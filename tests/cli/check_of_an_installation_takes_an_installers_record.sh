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
