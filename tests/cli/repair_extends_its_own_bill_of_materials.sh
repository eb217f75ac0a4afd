# SPDX-License-Identifier: Apache-2.0
# A second repair adds its libraries to the bill of the first; what others wrote stays, and what is no longer in the
# wheel goes. Where nothing is bundled the bill stays byte for byte.
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w one "$wheel"
echo 'int bar(void) { return 1; }' >bar.c
gcc -shared -fPIC -o lib/libbar.so.1 -Wl,-soname,libbar.so.1 bar.c
echo 'int bar(void); int y(void) { return bar(); }' >y.c
unzip -q one/*.whl -d second
cp -r second third
bom=demo-1.0.dist-info/sboms/truewheel.cdx.json
rm {second,third}/demo-1.0.dist-info/RECORD
gcc -shared -fPIC -o second/demo/_y.so y.c lib/libbar.so.1
python3 - second/$bom <<'END'
import json, sys
bom = json.load(open(sys.argv[1]))
gone = json.loads(json.dumps(bom["components"][0]).replace("libfoo", "libgone"))
bom["components"] += [gone, {"type": "library", "name": "vendored", "bom-ref": "theirs"}]
bom["dependencies"] += [{"ref": "theirs"}, {"ref": gone["bom-ref"]}]
json.dump(bom, open(sys.argv[1], "w"))
END
name=demo-1.0-py3-none-linux_x86_64.whl
pack second in/$name
run 0 "$truewheel" repair --search lib -w two in/$name
unzip -p two/*.whl $bom >new.json
python3 - new.json <<'END'
import json, sys
bom = json.load(open(sys.argv[1]))
assert bom["version"] == 2
assert sorted(c["name"] for c in bom["components"]) == ["libbar.so.1", "libfoo.so.1", "vendored"], bom["components"]
references = sorted(entry["ref"] for entry in bom["dependencies"])
assert references == sorted([c["bom-ref"] for c in bom["components"]] + ["pkg:pypi/demo@1.0"]), references
END
pack third in/$name
run 0 "$truewheel" repair -w three in/$name
unzip -p three/*.whl $bom | cmp - third/$bom
