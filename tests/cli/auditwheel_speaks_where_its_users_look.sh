# SPDX-License-Identifier: Apache-2.0
# Under the name auditwheel, and as `truewheel auditwheel`: its options, its exit codes, its line on stderr with a
# path that exists, nothing on stdout.
. "$(dirname "$0")/common.inc"
example
ln -s "$truewheel" auditwheel
folder=$(readlink -f lib)
for tool in "$PWD/auditwheel" "$truewheel auditwheel"; do
  rm -rf out
  run 0 $tool -v repair --ldpaths "$folder" --plat manylinux_2_17_x86_64 -w out "$wheel"
  [ ! -s stdout ]
  written=$(sed -n 's/.*Fixed-up wheel written to //p' stderr)
  [[ $written == /* ]] && [ -f "$written" ]
  AUDITWHEEL_PLAT=manylinux_2_28 run 0 $tool repair --ldpaths "$folder" --only-plat -w plat "$wheel"
  [ -f plat/demo-1.0-py3-none-manylinux_2_28_x86_64.whl ]
  AUDITWHEEL_LD_LIBRARY_PATH=$folder run 0 $tool repair -w out "$wheel"
  run 0 $tool --version
  says stdout "auditwheel 6."
  run 0 $tool
  says stdout "lddtree"
  run 2 $tool repair
  run 2 $tool repair --no-such-option "$wheel"
  run 2 $tool repair --plat no_such_platform "$wheel"
  run 2 $tool repair absent-1.0-py3-none-linux_x86_64.whl
  run 1 $tool repair "$wheel"
  says stderr "libfoo.so.1"
done
echo 'unsigned arc4random(void); unsigned y(void) { return arc4random(); }' >y.c
if gcc -shared -fPIC -o tree/demo/_x.so y.c 2>/dev/null && readelf -V tree/demo/_x.so | grep -q GLIBC_2.36; then
  pack tree in/demo-1.0-py3-none-linux_x86_64.whl
  run 2 ./auditwheel repair --plat manylinux_2_17_x86_64 "$wheel"
  says stderr "GLIBC_2.36"
fi
run 2 "$truewheel" -v auditwheel
