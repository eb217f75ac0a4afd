# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
mkdir -p tree/demo-1.0.dist-info
unzip -p "$wheel" demo-1.0.dist-info/RECORD | sed 's/sha256=[^,]*,0$/sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFX,0/' >tree/demo-1.0.dist-info/RECORD
pack tree in2/demo-1.0-py3-none-linux_x86_64.whl
run 3 "$truewheel" repair --search lib -w out in2/demo-1.0-py3-none-linux_x86_64.whl
says stderr "demo/__init__.py"
says stderr "hint: "
nothing_in out
run 0 "$truewheel" repair --accept-record-mismatch --search lib -w out in2/demo-1.0-py3-none-linux_x86_64.whl
says stderr "demo/__init__.py"
