# SPDX-License-Identifier: Apache-2.0
# A file name with a line break must not look like a message of its own.
. "$(dirname "$0")/common.inc"
example
folder=$'x\ntruewheel: error: made up'
mkdir "$folder"
for words in "repair -w out" show check "repair -w out --search" "repair -w out --config" "patchelf --set-rpath x" lddtree "auditwheel show" "auditwheel repair"; do
  # shellcheck disable=SC2086
  "$truewheel" $words "$folder/absent.whl" "$wheel" >stdout 2>stderr || true
  [ -s stderr ] || { echo "$words says nothing" >&2; exit 1; }
  if grep -q '^\(truewheel\|auditwheel\): error: made up' stdout stderr; then
    echo "$words prints the line break" >&2
    cat stderr >&2
    exit 1
  fi
done
cp "$wheel" "$folder/"
run 0 "$truewheel" auditwheel repair --ldpaths lib -w "$folder/out" "$folder/${wheel#in/}"
run 0 "$truewheel" repair --search lib -w "$folder/out" "$folder/${wheel#in/}"
cat stdout stderr | has_not '^truewheel: error: made up'
run 2 "$truewheel" repair "--none$folder"
[ "$(grep -c error: stderr)" = 1 ]
