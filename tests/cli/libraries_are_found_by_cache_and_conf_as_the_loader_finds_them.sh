# SPDX-License-Identifier: Apache-2.0
# The loader reads ld.so.cache, which ldconfig makes of ld.so.conf and what that includes, and then its default folders;
# a folder that ldconfig has not seen finds nothing. lddtree says the same, on this machine and below a sysroot; repair
# takes what a build meant as well.
. "$(dirname "$0")/common.inc"
PATH=$PATH:/usr/sbin:/sbin
loader=/lib64/ld-linux-x86-64.so.2
[ -e $loader ] || skip "not an x86-64 glibc machine"

# A system of its own: the C library, and liba.so.1 in three folders, of which one is a default one.
mkdir -p root/etc/ld.so.conf.d root/lib64 root/lib root/usr/lib root/opt/{one,two,late} root/app root/var/cache
cp $loader root/lib64/
cp "$(ldd /bin/sh | sed -n 's/.*libc\.so\.6 => \([^ ]*\).*/\1/p')" root/lib/libc.so.6
printf '# first\ninclude ld.so.conf.d/*.conf\n/opt/two\n' >root/etc/ld.so.conf
printf '/opt/one # by an include\n' >root/etc/ld.so.conf.d/one.conf
build() { # build FOLDER NAME VALUE
  echo "int ${2//[^a-z]/}(void) { return $3; }" >part.c
  gcc -shared -fPIC -o "root$1/$2" -Wl,-soname,"$2" part.c
}
build /opt/one liba.so.1 1; build /opt/two liba.so.1 2; build /usr/lib liba.so.1 3
build /opt/two libb.so.1 2; build /usr/lib libb.so.1 3
build /usr/lib libd.so.1 3
build /opt/late libe.so.1 9
program() { # program NAME LIBRARY FLAGS...
  local name=$1 library=$2; shift 2
  echo 'int main(void) { return 0; }' >main.c
  gcc -o "root/app/$name" main.c -Wl,--no-as-needed "$library" "$@"
}
for letter in a b d e; do
  library=$(find root -name "lib$letter.so.1" | sort | sed -n 1p)
  program $letter "$library"
  program $letter-nodef "$library" -Wl,-z,nodefaultlib
done

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else unshare -r "$@"; fi; }
as_root chroot root /lib64/ld-linux-x86-64.so.2 --version >/dev/null 2>&1 || skip "no chroot here"

agree() {
  for file in root/app/*; do
    run 0 "$truewheel" lddtree --sysroot root "$file"
    as_root chroot root /lib64/ld-linux-x86-64.so.2 --list "/app/${file##*/}" >list 2>&1 || true
    python3 - "$PWD/root" "$file" "$1" <<'END'
import json, os, re, sys
root, file, when = sys.argv[1:]
tree = json.load(open("stdout"))["libraries"]
text = open("list").read()
seen = 0
for name, path in re.findall(r"^\s+(lib[abde]\.so\.1) => (\S+)", text, re.M):
    found = tree[name]["path"]
    right = None if path == "not" else os.path.realpath(root + path)
    assert (found and os.path.realpath(found)) == right, f"{when}: {file}: {name}: {found} ({tree[name]['how']}), the loader: {path}"
    seen += 1
assert seen == 1 or "nodef" in file, f"{when}: {file}: the loader said {text}"
END
  done
}

# Without a cache the loader has its default folders only; what ld.so.conf names stands for the cache that nobody made.
run 0 "$truewheel" lddtree --sysroot root root/app/a
says stdout '"how": "/etc/ld.so.conf /opt/one"'
as_root ldconfig -r root
[ -s root/etc/ld.so.cache ]
# A folder that came after ldconfig: nothing finds it.
printf '/opt/late\n' >root/etc/ld.so.conf.d/zlate.conf
mv root/app/e . ; mv root/app/e-nodef .
agree "with a cache"
run 0 "$truewheel" lddtree --sysroot root root/app/a
says stdout '"how": "/etc/ld.so.cache"'
says stdout 'root/opt/one/liba.so.1'
run 0 "$truewheel" lddtree --sysroot root root/app/d-nodef
says_not stdout 'root/usr/lib/libd.so.1'
# The entry is there and the file is not: the search goes on in the default folders.
rm root/opt/two/libb.so.1
agree "with a stale cache"
# A damaged cache is none.
head -c 60 root/etc/ld.so.cache >short && cp short root/etc/ld.so.cache
run 0 "$truewheel" lddtree --sysroot root root/app/d
says stdout 'root/usr/lib/libd.so.1'

# A wheel's library that only the cache knows is bundled; one of a folder that it does not know yet, too.
printf '/opt/one\n' >root/etc/ld.so.conf; rm -r root/etc/ld.so.conf.d
as_root ldconfig -r root
rm root/etc/ld.so.conf root/usr/lib/liba.so.1
mkdir -p tree/demo
echo 'int libaso(void); int x(void) { return 40 + libaso(); }' >x.c
gcc -shared -fPIC -o tree/demo/_x.so x.c root/opt/one/liba.so.1
: >tree/demo/__init__.py
pack tree demo-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --sysroot root -w out demo-1.0-py3-none-linux_x86_64.whl
says stdout /etc/ld.so.cache
unzip -q out/*.whl -d unpacked
[ "$(python3 -c "import ctypes; print(ctypes.CDLL('$PWD/unpacked/demo/_x.so').x())")" = 41 ]
