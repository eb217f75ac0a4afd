# SPDX-License-Identifier: Apache-2.0
# An option with one value must not swallow the wheels that follow it, as a shell's glob puts them there.
. "$(dirname "$0")/common.inc"
example
mkdir second
pack tree second/other-1.0-py3-none-linux_x86_64.whl
for option in "--exclude libfoo.so.1" "--search lib" "--profile rocm" "--include libnone"; do
  rm -rf out
  # shellcheck disable=SC2086
  run 0 env LD_LIBRARY_PATH=lib "$truewheel" repair -w out $option "$wheel" second/other-1.0-py3-none-linux_x86_64.whl
  [ "$(ls out | wc -l)" = 2 ]
done
