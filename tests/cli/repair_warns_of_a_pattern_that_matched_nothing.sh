# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --exclude 'libnothing.so*' --search lib -w out "$wheel"
says stderr "libnothing.so*"
run 1 "$truewheel" repair --verify strict --exclude 'libnothing.so*' --search lib -w strict "$wheel"
nothing_in strict
# Of one that need not match nothing is said, and what it matches is left out all the same.
run 0 "$truewheel" repair --search lib --exclude 'optional:libother*' --verify=strict -w optional "$wheel"
says_not stderr libother
run 0 "$truewheel" repair --exclude 'optional:libfoo*' --verify=strict -w left "$wheel"
says stdout "libfoo.so.1 (--exclude optional libfoo*)"
