# SPDX-License-Identifier: Apache-2.0
# The licence of the package that a bundled library came with lies in the wheel, once for all packages that have the
# same, listed in RECORD and named by the bill of materials. Links are followed within the sysroot; what cannot be read is left out.
. "$(dirname "$0")/common.inc"
mkdir -p root/usr/lib/x86_64-linux-gnu root/usr/share/doc/real root/usr/share/doc/libtwo2 root/etc root/var/lib/dpkg/info tree/demo in
ln -s usr/lib root/lib
echo 'ID=debian' >root/etc/os-release
for name in one two three four; do
  echo "int $name(void) { return 1; }" | gcc -shared -fPIC -x c - -o root/usr/lib/x86_64-linux-gnu/lib$name.so.1.0 -Wl,-soname,lib$name.so.1
  ln -s lib$name.so.1.0 root/usr/lib/x86_64-linux-gnu/lib$name.so.1
done
# Lists from before /usr was merged, two libraries of one package, a document folder that is a link to another package's.
printf '/lib/x86_64-linux-gnu/libone.so.1.0\n/lib/x86_64-linux-gnu/libthree.so.1.0\n' >root/var/lib/dpkg/info/libone1:amd64.list
echo /usr/lib/x86_64-linux-gnu/libfour.so.1.0 >root/var/lib/dpkg/info/libfour4:amd64.list
echo /usr/lib/x86_64-linux-gnu/libtwo.so.1.0 >root/var/lib/dpkg/info/libtwo2:amd64.list
printf 'Package: libone1\nArchitecture: amd64\nVersion: 1:2.0~rc1-3\n\nPackage: libtwo2\nArchitecture: amd64\nVersion: 2\n\nPackage: libfour4\nArchitecture: amd64\nVersion: 4\n' >root/var/lib/dpkg/status
ln -s /usr/share/doc/real root/usr/share/doc/libone1
echo 'one may copy' >root/usr/share/doc/real/copyright
mkdir root/usr/share/doc/libfour4
echo 'one may copy' >root/usr/share/doc/libfour4/copyright
ln -s /nowhere root/usr/share/doc/libtwo2/copyright
echo 'int one(void), two(void), three(void), four(void); int x(void) { return one() + two() + three() + four(); }' >x.c
gcc -shared -fPIC -o tree/demo/_x.so x.c root/usr/lib/x86_64-linux-gnu/lib*.so.1
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --sysroot root -w out in/*.whl
unzip -q out/*.whl -d site
info=site/demo-1.0.dist-info
licence=$(cd $info && find licenses -type f)
[ "$licence" = licenses/demo.libs/libfour4-4/copyright ]
cmp root/usr/share/doc/real/copyright "$info/$licence"
says $info/RECORD "demo-1.0.dist-info/$licence,sha256="
python3 - $info/sboms/truewheel.cdx.json <<'END'
import json, sys
parts = {c["properties"][1]["value"]: c.get("externalReferences") for c in json.load(open(sys.argv[1]))["components"]}
licence = [{"type": "license", "url": "../licenses/demo.libs/libfour4-4/copyright"}]
assert parts == {"libone.so.1.0": licence, "libfour.so.1.0": licence, "libthree.so.1.0": licence, "libtwo.so.1.0": None}, parts
END
# A second repair adds none, and a wheel that has the licence already keeps it.
run 0 "$truewheel" repair --sysroot root -w again out/*.whl
cmp out/*.whl again/*.whl
