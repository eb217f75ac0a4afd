# SPDX-License-Identifier: Apache-2.0
# standard: the repair itself holds. strict: the finished wheel has no error that `check` knows of, or no name.
. "$(dirname "$0")/common.inc"
example
# A driver's library that the build put into the wheel: G001; the repair itself has nothing to do with it.
mkdir -p tree/demo.libs
gcc -shared -fPIC -Wl,-soname,libcuda-0a1b2c3d.so.1 -o tree/demo.libs/libcuda-0a1b2c3d.so.1 foo.c
pack tree "$wheel"
run 0 "$truewheel" repair --search lib -w standard "$wheel"
run 1 "$truewheel" check standard/*.whl
says stdout "G001 error"

run 1 "$truewheel" repair --search lib --verify=strict -w strict "$wheel"
says stderr "under --verify=strict"
says stderr "G001 demo.libs/libcuda-0a1b2c3d.so.1"
nothing_in strict
# What stands there from before stays.
mkdir before
cp standard/*.whl before/
run 1 "$truewheel" repair --search lib --verify=strict -w before "$wheel"
cmp standard/*.whl before/*.whl
# Without the fault strict publishes the bytes of standard.
rm -r tree/demo.libs
pack tree "$wheel"
run 0 "$truewheel" repair --search lib -w out "$wheel"
run 0 "$truewheel" repair --search lib --verify=strict -w strict "$wheel"
cmp out/*.whl strict/*.whl
# What is left out on purpose is found: by --exclude, and by a group.
run 0 "$truewheel" repair --verify=strict --exclude 'libfoo.so*' -w excluded "$wheel"
