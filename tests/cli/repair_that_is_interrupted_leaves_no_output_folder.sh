# SPDX-License-Identifier: Apache-2.0
# A signal while a wheel is written, after the output folder was made: the folder goes, what was there stays, and the
# process ends by the signal. One that is ignored, as under nohup, stays ignored.
. "$(dirname "$0")/common.inc"
command -v strace >/dev/null || skip "no strace"
example
export ASAN_OPTIONS=detect_leaks=0  # which cannot be looked for under strace
interrupt() { # interrupt SIGNAL FOLDER: the signal arrives with the last fsync of the output
  local status=0
  strace -f -o trace -e trace=fsync -e inject=fsync:signal="$1":when=1 \
    "$truewheel" repair --search lib -w "$2" "$wheel" >stdout 2>stderr || status=$?
  echo $status
}
for signal in INT TERM HUP; do
  number=$(kill -l $signal)
  status=$(interrupt $signal made/out)
  [ "$status" = $((128 + number)) ] || { echo "SIG$signal: exit $status" >&2; cat stderr trace >&2; exit 1; }
  [ ! -e made ]
done
mkdir -p kept/out
echo kept >kept/out/file
[ "$(interrupt TERM kept/out)" = 143 ]
[ "$(ls -A kept/out)" = file ]
trap '' HUP
[ "$(interrupt HUP ignored)" = 0 ]
ls ignored/*.whl
