# SPDX-License-Identifier: Apache-2.0
# show: "repaired on this machine" is what repair does, which leaves the driver's libraries out, while the fields of
# auditwheel keep its meaning and count them. A library that is not found makes no tag false: check and --fix-only say
# the same.
. "$(dirname "$0")/common.inc"
mkdir -p lib tree/demo in
# The driver's library is newer than any platform tag allows.
echo '__asm__(".symver fresh, fresh@GLIBC_2.99"); int fresh(void); int cuInit(void) { return fresh(); }' >cuda.c
echo 'GLIBC_2.99 { global: fresh; };' >libc.map
echo 'int fresh(void) { return 1; }' | gcc -shared -fPIC -x c - -o lib/libc.so.6 -nostdlib -Wl,-soname,libc.so.6,--version-script=libc.map
gcc -shared -fPIC -nostdlib -o lib/libcuda.so.1 -Wl,-soname,libcuda.so.1 cuda.c lib/libc.so.6
rm lib/libc.so.6
echo 'int cuInit(void); int x(void) { return cuInit(); }' | gcc -shared -fPIC -x c - -o tree/demo/_x.so -x none -Wl,-z,lazy lib/libcuda.so.1 -Wl,--allow-shlib-undefined
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" show --search lib in/*.whl
says stdout "libcuda.so.1 (driver group cuda-driver)"
says_not stdout "GLIBC_2.99"
tag=$(sed -n 's/^repaired on this machine: *//p' stdout)
run 0 "$truewheel" repair --search lib -w out in/*.whl
says_not stdout "bundled:"
case $(echo out/*.whl) in *"$tag"*) ;; *) echo "show says $tag, repair writes $(echo out/*)"; exit 1 ;; esac
run 1 "$truewheel" repair --search lib --include 'libcuda.so*' -w with in/*.whl
says stderr GLIBC_2.99
run 0 "$truewheel" show --search lib --json in/*.whl
python3 - "$tag" <<'END'
import json, sys
shown = json.load(open("stdout"))
assert shown["repaired_tag"] == sys.argv[1], shown
assert shown["external_libs"]["libcuda.so.1"].endswith("lib/libcuda.so.1"), shown
assert shown["left_to_driver"] == {"libcuda.so.1": "driver group cuda-driver"}, shown
END

example
mv $wheel in/demo-1.0-py3-none-manylinux_2_28_x86_64.whl
run 0 "$truewheel" show in/demo-1.0-py3-none-manylinux_2_28_x86_64.whl
says stdout "repaired on this machine:       refused, since libraries are not found"
says stdout "its name claims manylinux_2_28_x86_64, which is true where the user's machine has the rest: demo/_x.so needs libfoo.so.1"
says_not stdout "which is not true"
run 1 "$truewheel" check in/demo-1.0-py3-none-manylinux_2_28_x86_64.whl
says stdout R005
says_not stdout T001
run 1 "$truewheel" repair -w out2 in/demo-1.0-py3-none-manylinux_2_28_x86_64.whl
run 0 "$truewheel" repair --fix-only -w out2 in/demo-1.0-py3-none-manylinux_2_28_x86_64.whl
[ -e out2/demo-1.0-py3-none-manylinux_2_28_x86_64.whl ]
