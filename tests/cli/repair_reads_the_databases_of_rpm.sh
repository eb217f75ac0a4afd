# SPDX-License-Identifier: Apache-2.0
# rpm says which package a library came with, in each form that its database had: SQLite, ndb, Berkeley DB.
# The package's %license files go into the wheel, where the bill of materials points at them.
. "$(dirname "$0")/common.inc"
for program in rpmbuild db5.3_load; do command -v $program >/dev/null || skip "no $program"; done
mkdir -p root/etc tree/demo in files
echo 'ID="almalinux"' >root/etc/os-release
echo 'int owned(void) { return 1; }' | gcc -shared -fPIC -x c - -o files/libowned.so.1 -Wl,-soname,libowned.so.1
echo 'Permission is granted' >files/COPYING
echo 'and more' >files/EXTRA
cat >owned.spec <<END
Name: owned-libs
Epoch: 3
Version: 2.1
Release: 4.el9
License: MIT AND Zlib
Summary: x
%description
x
%install
mkdir -p %{buildroot}/usr/lib64 %{buildroot}/usr/share/licenses/owned-libs %{buildroot}/opt
cp $PWD/files/libowned.so.1 %{buildroot}/usr/lib64
cp $PWD/files/COPYING %{buildroot}/usr/share/licenses/owned-libs
cp $PWD/files/EXTRA %{buildroot}/opt
%files
/usr/lib64/libowned.so.1
%license /usr/share/licenses/owned-libs/COPYING
%license /opt/EXTRA
END
rpmbuild -bb --quiet --define "_topdir $PWD/rpmbuild" --define '__os_install_post %{nil}' --define 'debug_package %{nil}' \
  owned.spec >rpm.log 2>&1 || { cat rpm.log; skip "rpmbuild does not work here"; }
package=$(find rpmbuild/RPMS -name '*.rpm')

# The installed files are the same three times; only the database's form differs. Debian's rpm writes SQLite alone.
install_package() {
  rm -rf root/var root/usr root/opt
  rpm --root "$PWD/root" --dbpath /var/lib/rpm -i --nodeps --ignorearch --noscripts "$package" >rpm.log 2>&1 || { cat rpm.log; return 1; }
  [ -e root/var/lib/rpm/rpmdb.sqlite ]
}
as_berkeley_db() {
  python3 - <<'END' | db5.3_load -t hash -c db_pagesize=4096 root/var/lib/rpm/Packages
import sqlite3, struct
print("VERSION=3\nformat=bytevalue\ntype=hash\nHEADER=END")
print(" 00000000\n 01000000")
for number, blob in sqlite3.connect("root/var/lib/rpm/rpmdb.sqlite").execute("SELECT hnum, blob FROM Packages"):
    print(" " + struct.pack("<I", number).hex() + "\n " + blob.hex())
print("DATA=END")
END
  rm root/var/lib/rpm/rpmdb.sqlite*
}
# lib/backend/ndb/rpmpkg.c: a page with a head and slots, then the blobs in blocks of 16 bytes.
as_ndb() {
  python3 - <<'END'
import sqlite3, struct, zlib
[(number, blob)] = sqlite3.connect("root/var/lib/rpm/rpmdb.sqlite").execute("SELECT hnum, blob FROM Packages").fetchall()
body = b"BlbS" + struct.pack("<III", number, 1, len(blob)) + blob
body += bytes(-(len(body) + 12) % 16) + struct.pack("<II", zlib.adler32(blob), len(blob)) + b"BlbE"
slots = b"Slot" + bytes(12) + b"Slot" + struct.pack("<III", number, 4096 // 16, len(body) // 16)
slots += (b"Slot" + bytes(12)) * ((4096 - 32 - len(slots)) // 16)
open("root/var/lib/rpm/Packages.db", "wb").write(b"RpmP" + struct.pack("<IIII", 0, 1, 1, number + 1) + bytes(12) + slots + body)
END
  rm root/var/lib/rpm/rpmdb.sqlite*
}

echo 'int owned(void); int x(void) { return owned(); }' >x.c
gcc -shared -fPIC -o tree/demo/_x.so x.c files/libowned.so.1
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
for form in sqlite ndb berkeley_db; do
  install_package
  [ $form = sqlite ] || as_$form
  before=$(cd root/var/lib/rpm && sha256sum -- * | sort)
  run 0 "$truewheel" repair --sysroot root -w out-$form in/*.whl
  [ "$before" = "$(cd root/var/lib/rpm && sha256sum -- * | sort)" ]
  rm -rf site && unzip -q out-$form/*.whl -d site
  info=site/demo-1.0.dist-info licences=licenses/demo.libs/owned-libs-3_2.1-4.el9
  cmp files/COPYING $info/$licences/COPYING
  cmp files/EXTRA $info/$licences/EXTRA
  says $info/RECORD "demo-1.0.dist-info/$licences/COPYING,sha256="
  python3 - $info/sboms/truewheel.cdx.json "$(uname -m)" <<'END'
import json, sys
[owned] = json.load(open(sys.argv[1]))["components"]
assert owned["purl"] == f"pkg:rpm/almalinux/owned-libs@2.1-4.el9?arch={sys.argv[2]}&epoch=3", owned
assert owned["licenses"] == [{"license": {"name": "MIT AND Zlib"}}], owned
assert [r["url"] for r in owned["externalReferences"]] == [
    "../licenses/demo.libs/owned-libs-3_2.1-4.el9/COPYING", "../licenses/demo.libs/owned-libs-3_2.1-4.el9/EXTRA"], owned
END
done
cmp out-sqlite/*.whl out-ndb/*.whl
cmp out-sqlite/*.whl out-berkeley_db/*.whl
