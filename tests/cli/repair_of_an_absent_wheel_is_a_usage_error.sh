# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
run 2 "$truewheel" repair -w out nothing-1.0-py3-none-linux_x86_64.whl
says stderr "error: 'nothing-1.0-py3-none-linux_x86_64.whl' does not exist"
[ "$(grep -o nothing-1.0 stderr | wc -l)" = 1 ]
for command in show check lddtree "explain libfoo"; do
  run 2 "$truewheel" $command absent.whl
  [ "$(grep -o absent.whl stderr | wc -l)" = 1 ]
done
[ ! -e out ]
