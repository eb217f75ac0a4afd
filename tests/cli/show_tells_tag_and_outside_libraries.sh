# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 env LD_LIBRARY_PATH=lib "$truewheel" show "$wheel"
says stdout "linux_x86_64"
says stdout "libfoo.so.1"
run 0 env LD_LIBRARY_PATH=lib "$truewheel" show --json "$wheel"
python3 - <<'PY'
import json
shown = json.load(open("stdout"))
assert shown["version"] == 1 and shown["pure"] is False, shown
assert shown["overall_tag"] == "linux_x86_64", shown
assert shown["external_libs"]["libfoo.so.1"].endswith("lib/libfoo.so.1"), shown
assert shown["own_tag"].startswith("manylinux_2_"), shown
assert shown["files"][0]["path"] == "demo/_x.so", shown
PY
