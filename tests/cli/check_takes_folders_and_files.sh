# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
# A staging tree, an ELF file and a wheel in one call say the same of the same file.
run 1 "$truewheel" check --json tree tree/demo/_x.so "$wheel"
python3 - <<'PY'
import json
subjects = json.load(open("stdout"))["subjects"]
assert len(subjects) == 3, subjects
for subject in subjects:
    assert [(f["rule"], f["value"]) for f in subject["findings"]] == [("R005", "libfoo.so.1")], subject
PY
cp lib/libfoo.so.1 tree/demo/
"$truewheel" patchelf --set-rpath '$ORIGIN' tree/demo/_x.so
run 0 "$truewheel" check tree
# A folder without ELF files, and an empty one, have nothing wrong.
mkdir empty
run 0 "$truewheel" check empty
says stdout "empty: holds no ELF file: nothing was checked"
# Nor does it say that all is well where only wheels lie.
run 2 "$truewheel" check in
says stderr "wheels are named one by one"
says stderr "hint: truewheel check in/*.whl"
# A file that was named alone lies beside the libraries that its run path leads to.
mkdir -p alone/bin alone/lib
cp lib/libfoo.so.1 alone/lib/
cp tree/demo/_x.so alone/bin/
"$truewheel" patchelf --set-rpath '$ORIGIN/../lib' alone/bin/_x.so
run 0 "$truewheel" check alone/bin/_x.so
says_not stdout R003
(cd alone/bin && run 0 "$truewheel" check _x.so)
rm alone/lib/libfoo.so.1
run 1 "$truewheel" check alone/bin/_x.so
says stdout "R005 error"
# What is read is not written.
[ -z "$(find tree -newer stdout)" ]
