# SPDX-License-Identifier: Apache-2.0
# What strip takes away is in debug files that debuggers find: beside the wheel, each at its installed path, with the
# checksum that the stripped file's link names. The wheel itself is that of --strip but for the links.
. "$(dirname "$0")/common.inc"
mkdir -p lib tree/demo in
echo 'int foo(void) { return 42; }' >foo.c
gcc -g -shared -fPIC -o lib/libfoo.so.1 -Wl,-soname,libfoo.so.1 foo.c
echo 'int foo(void); static int inner(void) { return foo(); } int x(void) { return inner(); }' >x.c
gcc -g -shared -fPIC -o tree/demo/_x.so x.c lib/libfoo.so.1
echo 'int plain(void) { return 1; }' | gcc -shared -fPIC -s -x c - -o tree/demo/plain.so
echo 'int p(void) { return 1; }' | gcc -g -shared -fPIC -x c - -o tree/demo/p.so
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --strip=split --search lib -w out in/*.whl
says stdout "3 debug files"
folder=$(echo out/*.debug)
[ "$folder" = "$(echo out/*.whl | sed 's/whl$/debug/')" ]
unzip -q out/*.whl -d site
for file in demo/_x.so demo/p.so demo.libs/libfoo-*.so.1; do
  file=$(cd site && echo $file)
  readelf -SW site/$file | has_not -E '\.symtab|\.debug_'
  readelf -SW $folder/$file.debug | has '\.debug_info'
  readelf -sW $folder/$file.debug | has FUNC
  readelf --string-dump=.gnu_debuglink site/$file | has -F "$(basename $file).debug"
  python3 - site/$file $folder/$file.debug <<'END'
import subprocess, sys, zlib
section = subprocess.run(["objcopy", "-O", "binary", "--only-section=.gnu_debuglink", "--set-section-flags", ".gnu_debuglink=alloc", sys.argv[1], "/dev/stdout"],
                         capture_output=True, check=True).stdout
assert int.from_bytes(section[-4:], "little") == zlib.crc32(open(sys.argv[2], "rb").read()), "the link's checksum is another"
END
done
[ ! -e $folder/demo/plain.so.debug ]
# A debugger that finds the tree beside the installed files has the names back.
cp -r $folder/. site/
if command -v gdb >/dev/null; then
  gdb -q -batch -ex 'info functions inner' site/demo/_x.so >gdb.txt 2>&1
  says gdb.txt inner
fi
# The stripped file loads.
python3 -c "import ctypes; assert ctypes.CDLL('$PWD/site/demo/_x.so').x() == 42"
# Another folder; without an output there are no debug files.
run 0 "$truewheel" repair --strip=split --debug-dir elsewhere --search lib -w out2 in/*.whl
cmp out/*.whl out2/*.whl
[ "$(cd elsewhere && find . -name '*.debug' -type f | wc -l)" = 3 ]
run 1 "$truewheel" repair --strip=split --search lib -w out3 --plat manylinux_2_5 in/*.whl --exclude nothing --verify strict
nothing_in out3
run 2 "$truewheel" repair --strip=much --search lib -w out4 in/*.whl
