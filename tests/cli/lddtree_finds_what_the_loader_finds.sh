# SPDX-License-Identifier: Apache-2.0
# The tree of a program is the loader's own: DT_RPATH reaches the libraries of libraries and stands before
# LD_LIBRARY_PATH, DT_RUNPATH does neither; a library that is nowhere has no path.
. "$(dirname "$0")/common.inc"
mkdir a b c
for folder in a b c; do
  echo "int low(void) { return '$folder'; }" >low.c
  gcc -shared -fPIC -o $folder/liblow.so -Wl,-soname,liblow.so low.c
done
echo 'int low(void); int high(void) { return low(); }' >high.c
gcc -shared -fPIC -o a/libhigh.so -Wl,-soname,libhigh.so high.c b/liblow.so
echo 'int high(void); int main(void) { return high() - 1; }' >main.c
link() { gcc -o "$1" main.c a/libhigh.so -Wl,-rpath-link,a "${@:2}"; }
link rpath -Wl,--disable-new-dtags,-rpath,'$ORIGIN/a'
link runpath -Wl,--enable-new-dtags,-rpath,'$ORIGIN/a'
link none

# same PROGRAM: each library that the loader names is at the path that the tree says.
same() {
  run 0 "$truewheel" lddtree "$1"
  cp stdout tree.json
  { LD_TRACE_LOADED_OBJECTS=1 "$1" 2>/dev/null || true; } >loader
  python3 - <<'END'
import json, os, re
tree = json.load(open("tree.json"))
seen = 0
for line in open("loader"):
    if match := re.match(r"\s+(\S+) => (\S+|not found)", line):
        name, path = match[1], match[2]
        found = tree["libraries"][name]["path"]
        assert (found is None) == (path == "not"), (name, path, found)
        if found: assert os.path.realpath(found) == os.path.realpath(path), (name, path, found)
        seen += 1
assert seen >= 2, open("loader").read()
END
}
same ./rpath
python3 -c 'import json; assert json.load(open("tree.json"))["libraries"]["liblow.so"]["path"].endswith("/a/liblow.so")'
same ./runpath
python3 -c 'import json; assert json.load(open("tree.json"))["libraries"]["liblow.so"]["path"] is None'
same ./none
export LD_LIBRARY_PATH=$PWD/c:$PWD/a
same ./rpath
same ./runpath
same ./none
unset LD_LIBRARY_PATH
same "$truewheel"
run 0 "$truewheel" lddtree --ldpaths "$PWD/a" ./none
python3 -c 'import json; t = json.load(open("stdout")); assert t["libraries"]["libhigh.so"]["how"].startswith("--ldpaths"), t; assert t["libc"] == "glibc"'
mkdir -p root/lib root/lib64
mv a/liblow.so root/lib
run 0 "$truewheel" lddtree --sysroot root ./rpath
python3 -c 'import json; t = json.load(open("stdout")); assert t["libraries"]["liblow.so"]["path"].endswith("/root/lib/liblow.so"), t; assert t["libraries"]["libc.so.6"]["path"] is None, t'
run 2 "$truewheel" lddtree absent.so
run 3 "$truewheel" lddtree main.c
