# SPDX-License-Identifier: Apache-2.0
# As `| head -1` does with every tool: the signal ends it (128 + 13), and standard error says nothing. Nothing is
# left, as after any other failure; a full disk is still told.
. "$(dirname "$0")/common.inc"
example
set +o pipefail
for command in "show --json" "check --json" "repair --search lib -w out"; do
  # The reader is gone before a byte is written.
  status=$( { (sleep 0.2; "$truewheel" $command "$wheel" 2>err; echo $? >code) | true; sleep 2; cat code; } )
  [ "$status" = 141 ] || { echo "$command: exit $status"; exit 1; }
  [ ! -s err ] || { cat err; exit 1; }
done
nothing_in out
if [ -c /dev/full ]; then
  status=0
  "$truewheel" show "$wheel" >/dev/full 2>err || status=$?
  [ "$status" = 4 ]
  says err 'standard output'
fi
