# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
run 0 "$truewheel" --version
grep -qxE 'truewheel [0-9]+\.[0-9]+\.[0-9]+' stdout
for command in "" repair show; do
  run 0 "$truewheel" $command --help
  [ "$(wc -l <stdout)" -le 50 ]
  [ "$(wc -L <stdout)" -le 100 ]
  # Values stand in the option's own words, not in those of the library that reads the command line.
  has_not -E ':\{|:(INT|UINT|FLOAT) in' <stdout
done
# Examples of the command itself.
for command in explain lddtree; do
  run 0 "$truewheel" $command --help
  grep -A1 -x "Examples:" stdout | has "  truewheel $command "
done
run 2 "$truewheel" --nothing
says stderr "hint: truewheel --help"
run 2 "$truewheel"
