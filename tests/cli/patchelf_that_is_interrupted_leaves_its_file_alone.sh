# SPDX-License-Identifier: Apache-2.0
# A signal at each call that makes the edited copy: the file stays as it was or is edited, and nothing lies beside it.
# The same for a wheel that replaces an older one, whose new file gets a hidden name first.
. "$(dirname "$0")/common.inc"
command -v strace >/dev/null || skip "no strace"
example
mkdir edit
cp lib/libfoo.so.1 old.so
cp old.so new.so
"$truewheel" patchelf --set-rpath "/$(printf 'x%.0s' {1..300})" new.so
run_path=$("$truewheel" patchelf --print-rpath new.so)
for signal in INT TERM HUP; do
  for call in openat ftruncate copy_file_range pwrite64 fchmod fsync renameat; do
    for number in 1 2 3; do
      cp old.so edit/file.so
      strace -f -o trace -e "trace=$call" -P "$PWD/edit" -P edit -e "inject=$call:signal=$signal:when=$number" \
        "$truewheel" patchelf --set-rpath "$run_path" edit/file.so >stdout 2>stderr || true
      cmp -s edit/file.so old.so || cmp -s edit/file.so new.so || { echo "$signal at $call $number: the file is broken" >&2; exit 1; }
      [ "$(ls -A edit)" = file.so ] || { echo "$signal at $call $number leaves" edit/.* >&2; exit 1; }
      [ $call = openat ] || break
    done
  done
done
mkdir out
"$truewheel" repair -q --search lib -w out "$wheel"
name=$(ls out)
for signal in INT TERM HUP; do
  for call in linkat fsync renameat; do
    for number in 1 2; do
      echo old >"out/$name"
      strace -f -o trace -e "trace=$call" -e "inject=$call:signal=$signal:when=$number" \
        "$truewheel" repair -q --search lib -w out "$wheel" >stdout 2>stderr || true
      [ "$(ls -A out)" = "$name" ] || { echo "$signal at $call $number leaves $(ls -A out)" >&2; exit 1; }
    done
  done
done
