# SPDX-License-Identifier: Apache-2.0
# An option that can be repeated takes one value, and not the wheels behind it.
. "$(dirname "$0")/common.inc"
example
for option in "--exclude libfoo.so.1" "--include libfoo.so.1" "--profile rocm" "--search lib"; do
  rm -rf out
  run 2 "$truewheel" repair -w out --search lib $option $wheel missing-1.0-py3-none-linux_x86_64.whl
  says stderr "missing-1.0"
  nothing_in out
  run 0 "$truewheel" repair -w out --search lib $option $wheel
  [ "$(ls out | wc -l)" = 1 ]
done
pack tree in/other-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair -w both --search lib --exclude libfoo.so.1 $wheel in/other-1.0-py3-none-linux_x86_64.whl
[ "$(ls both | wc -l)" = 2 ]
