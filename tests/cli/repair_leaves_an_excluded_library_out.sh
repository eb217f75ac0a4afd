# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
for glob in 'libfoo' 'libfoo.so' 'libfoo.so*' 'libfoo.so.?' "$PWD/lib/*"; do
  rm -rf out
  run 0 "$truewheel" repair --exclude "$glob" --search lib -w out "$wheel"
  says stdout "left to the user's machine"
  says_not stderr "matched no"
  holds_not out/*.whl libfoo
  unzip -p out/*.whl demo/_x.so >x.so
  readelf -dW x.so | has -F '[libfoo.so.1]'
done
