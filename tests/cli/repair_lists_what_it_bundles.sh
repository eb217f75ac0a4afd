# SPDX-License-Identifier: Apache-2.0
# The bill of materials names the package of each bundled library: by the library's own note, else by the
# package manager's files below the sysroot, else by nothing but its file name. No path of the build is in it.
. "$(dirname "$0")/common.inc"
mkdir -p root/usr/lib root/etc root/var/lib/dpkg/info private tree/demo in
echo 'ID=debian' >root/etc/os-release
for name in owned noted private; do echo "int $name(void) { return 1; }" >$name.c; done
cat >note.s <<'END'
.section .note.package,"a",@note
.align 4
.long 4, 2f - 1f, 0xcafe1a7e
.asciz "FDO"
1: .asciz "{\"type\":\"rpm\",\"osCpe\":\"cpe:/o:fedoraproject:fedora:38\",\"name\":\"noted\",\"version\":\"2-1\",\"architecture\":\"x86_64\"}"
2: .section .note.GNU-stack,"",@progbits
END
gcc -shared -fPIC -o root/usr/lib/libowned.so.1 -Wl,-soname,libowned.so.1 owned.c
gcc -shared -fPIC -o private/libnoted.so.1 -Wl,-soname,libnoted.so.1 noted.c note.s
gcc -shared -fPIC -o private/libprivate.so.1 -Wl,-soname,libprivate.so.1 private.c
echo /usr/lib/libowned.so.1 >root/var/lib/dpkg/info/libowned1:amd64.list
printf 'Package: libowned1\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:3.0-1\n' >root/var/lib/dpkg/status
echo 'int owned(void), noted(void), private(void); int x(void) { return owned() + noted() + private(); }' >x.c
gcc -shared -fPIC -o tree/demo/_x.so x.c root/usr/lib/libowned.so.1 private/*.so.1
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
SOURCE_DATE_EPOCH=1700000000 run 0 "$truewheel" repair --search private --sysroot root -w out in/*.whl
unzip -q out/*.whl -d site
bom=site/demo-1.0.dist-info/sboms/truewheel.cdx.json
says_not $bom "$PWD"
says site/demo-1.0.dist-info/RECORD "demo-1.0.dist-info/sboms/truewheel.cdx.json,sha256="
python3 - $bom <<'END'
import hashlib, json, sys
bom = json.load(open(sys.argv[1]))
assert (bom["bomFormat"], bom["specVersion"], bom["version"]) == ("CycloneDX", "1.4", 1)
assert bom["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
assert bom["metadata"]["component"]["purl"] == "pkg:pypi/demo@1.0"
assert [tool["name"] for tool in bom["metadata"]["tools"]] == ["truewheel"]
noted, owned, private = bom["components"]
assert noted["purl"] == "pkg:rpm/fedora/noted@2-1?arch=x86_64", noted
assert owned["purl"] == "pkg:deb/debian/libowned1@1:3.0-1?arch=amd64", owned
assert (owned["name"], owned["version"]) == ("libowned1", "1:3.0-1")
assert private["name"] == "libprivate.so.1" and "purl" not in private, private
digest = hashlib.sha256(open("private/libprivate.so.1", "rb").read()).hexdigest()
assert private["hashes"] == [{"alg": "SHA-256", "content": digest}]
needs = {entry["ref"]: entry.get("dependsOn", []) for entry in bom["dependencies"]}
assert needs["pkg:pypi/demo@1.0"] == sorted(c["bom-ref"] for c in bom["components"]), needs
END
