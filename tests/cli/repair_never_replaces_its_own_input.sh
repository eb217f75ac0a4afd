# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w out "$wheel"
output=$(ls out/*.whl)
before=$(sha256sum "$output"; stat -c '%i %Y' "$output")
run 0 "$truewheel" repair -w out "$output"
says stdout "unchanged"
[ "$before" = "$(sha256sum "$output"; stat -c '%i %Y' "$output")" ]
cp "$output" other.whl
mkdir named && python3 - "$output" "named/$(basename "$output")" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_STORED) as new:
    for name in old.namelist():
        new.writestr(name, old.read(name))
PY
before=$(sha256sum named/*.whl)
run 2 "$truewheel" repair -w named named/*.whl
says stderr "-w"
[ "$before" = "$(sha256sum named/*.whl)" ]
