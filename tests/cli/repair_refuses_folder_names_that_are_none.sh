# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
for suffix in "" . ../x /../x 'a ' $'\n' '\'; do
  run 2 "$truewheel" repair -L "$suffix" --search lib -w out "$wheel"
done
run 2 "$truewheel" repair -w "" --search lib "$wheel"
nothing_in out
