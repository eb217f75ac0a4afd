# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
head -c 60000000 /dev/urandom >tree/demo/data.bin
pack tree "$wheel"
"$truewheel" repair --search lib -w out "$wheel" >/dev/null 2>stderr & job=$!
sleep 0.05
truncate -s 1000 "$wheel"
status=0
wait "$job" || status=$?
case $status in 0 | 3 | 4) ;; *) echo "exit $status" >&2; exit 1 ;; esac
[ "$status" = 0 ] || nothing_in out
