# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
# 1: findings; 0: none at or above --fail-on.
run 1 "$truewheel" check "$wheel"
says stderr "1 finding at or above --fail-on error"
run 0 "$truewheel" check --fail-on never "$wheel"
run 0 "$truewheel" check --ignore R005 "$wheel"
run 0 "$truewheel" check --provide 'libfoo*' "$wheel"
# 2: usage.
run 2 "$truewheel" check
run 2 "$truewheel" check absent-1.0-py3-none-linux_x86_64.whl
run 2 "$truewheel" check --select R999 "$wheel"
run 2 "$truewheel" check --allow R005 "$wheel"
run 2 "$truewheel" check --max-size big "$wheel"
run 2 "$truewheel" check --profile nothing "$wheel"
# 3: no wheel; the others of the call are told all the same.
head -c 300 "$wheel" >broken-1.0-py3-none-linux_x86_64.whl
run 3 "$truewheel" check broken-1.0-py3-none-linux_x86_64.whl "$wheel"
says stdout "Z001 error"
says stdout "R005 error"
# 4: the report cannot be written.
if [ -w /dev/full ]; then
  status=0
  "$truewheel" check "$wheel" >/dev/full 2>stderr || status=$?
  [ "$status" = 4 ]
fi
# The number of subjects, as a glob that matched too much or nothing.
run 1 "$truewheel" check --ignore R005 --expect-count 2 "$wheel"
says stdout "N001"
run 0 "$truewheel" check --list-rules
says stdout "R005"
run 0 "$truewheel" check --explain R005
says stdout "Remedy"
run 2 "$truewheel" check --explain R999
# What follows an option's one value is a subject, however many there are.
run 2 "$truewheel" check --provide 'libfoo*' "$wheel" absent.whl
run 1 "$truewheel" check --ignore G "$wheel" "$wheel" --expect-count 3
says stdout "2 were given, 3 were expected"
