# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
for suffix in .dist-info .data =-1.0.data/purelib . ../x /../x 'a ' $'\n' '\'; do
  run 2 "$truewheel" repair "--lib-sdir=$suffix" --search lib -w out "$wheel"
done
run 2 "$truewheel" repair -L "" --search lib -w out "$wheel"
run 2 "$truewheel" repair -w "" --search lib "$wheel"
nothing_in out
# As in auditwheel it stands behind the name: /lib is a folder of the wheel, not of this machine.
for suffix in /lib .deps _libs /a/b; do
  run 0 "$truewheel" repair "--lib-sdir=$suffix" --search lib -w out "$wheel"
  holds out/*.whl "demo$suffix/libfoo-"
  rm -r out
done
