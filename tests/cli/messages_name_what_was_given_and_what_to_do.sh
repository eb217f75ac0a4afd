# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
# A platform that is not met: where it was asked for.
gcc -shared -fPIC -o tree/demo/_x.so -x c - -lm <<<'#include <math.h>
double f(double x) { return pow(x, 3); }'
pack tree "$wheel"
AUDITWHEEL_PLAT=manylinux1_x86_64 run 1 "$truewheel" repair "$wheel"
says stderr AUDITWHEEL_PLAT
printf '[tool.truewheel]\nplat = "manylinux1_x86_64"\n' >pyproject.toml
run 1 "$truewheel" repair "$wheel"
says stderr 'pyproject.toml: line 2: plat'
printf '[tool.truewheel.repare]\nplat = "manylinux1_x86_64"\n' >pyproject.toml
run 2 "$truewheel" repair "$wheel"
says stderr 'the nearest one is repair'
rm pyproject.toml
# Inputs of another kind.
: >demo-1.0.tar.gz
run 3 "$truewheel" repair demo-1.0.tar.gz
says stderr 'is a source distribution, not a wheel'
mkdir sources
run 2 "$truewheel" repair sources
says stderr 'pip wheel sources'
run 2 "$truewheel" repair in
says stderr 'in/*.whl names the wheels in it'
echo 'print()' >setup.py
run 3 "$truewheel" check setup.py
says stderr 'neither a wheel (.whl) nor a folder nor an ELF file'
mkdir mac; echo 'x = 1' >mac/m.py
pack mac m-1.0-cp311-cp311-macosx_11_0_arm64.whl
run 1 "$truewheel" repair m-1.0-cp311-cp311-macosx_11_0_arm64.whl
says stderr 'the wheel is for macosx_11_0_arm64'
run 2 "$truewheel" check --installed pip --root /nosuch/folder
says stderr '/nosuch/folder is no folder'
# Whose folders a missing library was not in.
example
mkdir sysroot
run 1 "$truewheel" repair --sysroot sysroot "$wheel"
says stderr "it was looked for in (the system's folders below sysroot):"
# A pattern without a library, a name of which others begin, a list with blanks.
run 0 "$truewheel" repair --search lib --exclude 'libbar*' "$wheel"
says stderr "--exclude 'optional:libbar*' says that it need not"
run 1 "$truewheel" explain libf "$wheel"
says stderr "'libf*' names what begins so"
run 0 "$truewheel" repair --search lib --profile 'rocm, rdma' "$wheel"
# A report on standard output is alone there.
run 0 "$truewheel" check --report json wheelhouse/*.whl
python3 -m json.tool stdout >/dev/null
