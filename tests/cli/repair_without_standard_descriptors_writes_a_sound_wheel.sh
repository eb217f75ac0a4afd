# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
"$truewheel" repair --exclude nothing.so --search lib -w out "$wheel" <&- >&- 2>&- || true
for output in out/*.whl; do [ ! -e "$output" ] || "$truewheel" show "$output" >/dev/null; done
run 0 bash -c '"$1" repair -q --exclude nothing.so --search lib -w quiet "$2" <&- 2>&-' - "$truewheel" "$wheel"
run 0 "$truewheel" show quiet/*.whl
