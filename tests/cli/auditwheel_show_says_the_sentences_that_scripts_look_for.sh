# SPDX-License-Identifier: Apache-2.0
# `auditwheel show`: its sentences wrapped as it wraps them, its exit code for a pure wheel, its JSON.
. "$(dirname "$0")/common.inc"
example
ln -s "$truewheel" auditwheel
run 0 ./auditwheel show --ldpaths lib "$wheel"
tr '\n' ' ' <stdout >joined
says joined 'demo-1.0-py3-none-linux_x86_64.whl is consistent with the following platform tag: "linux_x86_64".'
says joined 'The following external shared libraries are required by the wheel: {     "libfoo.so.1": "'
[ "$(awk '{ print length }' stdout | sort -n | tail -1)" -le 100 ]
run 0 ./auditwheel repair --ldpaths lib -w out "$wheel"
run 0 ./auditwheel show out/*.whl
says stdout '"manylinux_2_5_x86_64"'
says stdout 'The wheel requires no external shared libraries! :)'
run 0 ./auditwheel show --json out/*.whl
python3 -c 'import json; assert json.load(open("stdout"))["overall_tag"] == "manylinux_2_5_x86_64"'
rm tree/demo/_x.so
pack tree pure-1.0-py3-none-any.whl
run 1 ./auditwheel show pure-1.0-py3-none-any.whl
run 0 ./auditwheel show --allow-pure-python-wheel pure-1.0-py3-none-any.whl
