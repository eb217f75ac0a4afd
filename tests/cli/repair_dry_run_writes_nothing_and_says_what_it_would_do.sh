# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --dry-run --search lib -w out "$wheel"
says stdout "would write out/demo-1.0-py3-none-manylinux"
says stdout "libfoo-"
[ ! -e out ]
# The plan is what was asked for: -q keeps it, as it keeps what show tells.
cp stdout plan
run 0 "$truewheel" -q repair --dry-run --search lib -w out "$wheel"
cmp stdout plan
[ ! -s stderr ]
run 0 "$truewheel" show -q "$wheel"
says stdout "as it is it is consistent with"
run 0 "$truewheel" repair -q --search lib -w out "$wheel"
[ ! -s stdout ] && [ ! -s stderr ]
