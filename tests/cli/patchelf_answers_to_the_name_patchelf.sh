# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
ln -s "$truewheel" patchelf
run 0 ./patchelf --version
grep -qxE 'patchelf 0\.[0-9]+\.[0-9]+ \(truewheel .*\)' stdout
run 0 ./patchelf --set-rpath /x program
run 0 ./patchelf --print-rpath program
[ "$(cat stdout)" = /x ]
for name in ./patchelf "$truewheel patchelf"; do
  run 0 $name --help
  says stdout '--replace-needed OLD NEW'
  [ "$(wc -l <stdout)" -le 50 ] && [ "$(wc -L <stdout)" -le 100 ]
done
run 0 ./patchelf --help
says stdout "Usage: patchelf [options] FILE..."
run 0 "$truewheel" patchelf --help
says stdout "Usage: truewheel patchelf [options] FILE..."
# Messages begin with the name that was called.
run 2 ./patchelf --print-rpath absent
[ "$(cat stderr)" = "patchelf: error: 'absent' does not exist" ]
echo text >text
run 3 ./patchelf --set-rpath /x text
says stderr "patchelf: error: text: "
run 3 "$truewheel" patchelf --set-rpath /x text
says stderr "truewheel: error: text: "
