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
