# SPDX-License-Identifier: Apache-2.0
# show: several wheels in one call, a failure among them ends it after all are told; JSON is one list. What --exclude
# and --profile leave out is told apart; a tag of the name that is not wholly true is told.
. "$(dirname "$0")/common.inc"
example
cp $wheel in/demo-1.0-py3-none-manylinux_2_28_x86_64.whl
run 0 "$truewheel" show --exclude 'libfoo.so*' $wheel in/demo-1.0-py3-none-manylinux_2_28_x86_64.whl
[ "$(grep -c '^demo-1.0-py3-none-' stdout)" = 2 ]
says stdout "libfoo.so.1 (--exclude libfoo.so*)"
says_not stdout "claims"
run 0 "$truewheel" show in/demo-1.0-py3-none-manylinux_2_28_x86_64.whl
says stdout "its name claims manylinux_2_28_x86_64, which is true where the user's machine has the rest"
says stdout "not manylinux_2_5_x86_64 to manylinux_2_41_x86_64: demo/_x.so needs libfoo.so.1, which was not found"
run 2 "$truewheel" show --profile nonsense $wheel
echo nonsense >in/bad-1.0-py3-none-linux_x86_64.whl
run 3 "$truewheel" show --json $wheel in/bad-1.0-py3-none-linux_x86_64.whl
python3 - <<'END'
import json
one, two = json.load(open("stdout"))
assert one["wheel"].startswith("demo-") and one["false_tags"] == {}, one
assert two["wheel"].startswith("bad-") and two["error"], two
END
says stderr "bad-1.0-py3-none-linux_x86_64.whl"
# --quiet says nothing but errors and the answer; --verbose says every offence.
run 0 "$truewheel" show -q $wheel
[ ! -s stderr ]
