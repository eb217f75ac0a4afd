# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
for suffix in .dist-info .data =-1.0.data/purelib . ../x /../x 'a ' $'\n' '\'; do
  run 2 "$truewheel" repair "--lib-sdir=$suffix" --search lib -w out "$wheel"
done
run 2 "$truewheel" repair -L "" --search lib -w out "$wheel"
run 2 "$truewheel" repair -w "" --search lib "$wheel"
nothing_in out
