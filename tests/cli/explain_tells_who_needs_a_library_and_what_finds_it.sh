# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" explain libfoo "$wheel"
says stdout "libfoo.so.1"
says stdout "no platform tag promises it"
says stdout "needed by demo/_x.so (no run path)"
says stdout "not found"
run 0 "$truewheel" explain libfoo.so.1 "$wheel" --provide 'libfoo.so*'
says stdout "matched by --provide libfoo.so*"
run 0 env LD_LIBRARY_PATH=lib "$truewheel" repair "$wheel" -w out
run 0 "$truewheel" explain 'libfoo*' out/*.whl
says stdout "is in the subject: demo.libs/libfoo-"
says stdout "through \$ORIGIN/../demo.libs"
# By the name that the build knows.
for name in libfoo libfoo.so libfoo.so.1; do
  run 0 "$truewheel" explain $name out/*.whl
  says stdout "is in the subject: demo.libs/libfoo-"
done
run 1 "$truewheel" explain libfo out/*.whl
run 1 "$truewheel" explain libnothing "$wheel"
run 2 "$truewheel" explain libfoo
