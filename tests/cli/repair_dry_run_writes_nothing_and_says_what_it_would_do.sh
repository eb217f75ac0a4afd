# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --dry-run --search lib -w out "$wheel"
says stdout "would write out/demo-1.0-py3-none-manylinux"
says stdout "libfoo-"
[ ! -e out ]
