# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
[ "$(id -u)" = 0 ] || skip "mounting needs root"
example
head -c 3000000 /dev/urandom >tree/demo/data.bin
pack tree "$wheel"
mkdir full
mount -t tmpfs -o size=1m tmpfs full || skip "no tmpfs can be mounted here"
trap 'umount full; rm -rf "$scratch"' EXIT
before=$(sha256sum "$wheel")
run 4 "$truewheel" repair --search lib -w full/out "$wheel"
says stderr "No space left on device"
nothing_in full/out
[ "$before" = "$(sha256sum "$wheel")" ]
