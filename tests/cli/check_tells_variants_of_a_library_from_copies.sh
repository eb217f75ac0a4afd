# SPDX-License-Identifier: Apache-2.0
# Files of one build-id may be one library, bundled or stripped a second time, or a product that was patched for each of
# its variants after it was linked: their code and data tell.
. "$(dirname "$0")/common.inc"
mkdir -p lib tree/demo
# variant FILE TEXT RESULT: what FILE is, with another text in its data.
variant() { sed "s/VARIANT_A/$2/" "$1" >"$3" && chmod +x "$3"; }
echo 'const char *t(void) { static const char tag[] = "VARIANT_A"; return tag; } int unused(int x) { return 3 * x; }' >a.c
gcc -shared -fPIC -g -Wl,--build-id -o lib/liba.so a.c
variant lib/liba.so VARIANT_B lib/libb.so
for name in a b; do
  echo "const char *t(void); int run(void) { return t()[8]; }" >m.c
  gcc -shared -fPIC -o "tree/demo/m_$name.so" m.c -Llib "-l$name"
done
: >tree/demo/__init__.py
pack tree demo-1.0-py3-none-linux_x86_64.whl

# Both are bundled, and none is too many.
run 0 "$truewheel" repair --search lib -w out demo-1.0-py3-none-linux_x86_64.whl
unzip -Z1 out/*.whl | has 'demo.libs/liba-.*so'
unzip -Z1 out/*.whl | has 'demo.libs/libb-.*so'
run 0 "$truewheel" check out/*.whl
says_not stdout R008
unzip -qo out/*.whl -d site
(cd site && python3 -c 'import ctypes; assert [ctypes.CDLL("demo/m_%s.so" % name).run() for name in "ab"] == [65, 66]')
run 0 "$truewheel" check --select R008 site
says_not stdout R008

# One of them a second time, stripped: that is a copy, in the wheel and on the disk.
cp -r site twice && rm -r twice/*.dist-info
strip -o twice/demo/liba.so lib/liba.so
pack twice again-1.0-py3-none-linux_x86_64.whl
for subject in again-1.0-py3-none-linux_x86_64.whl twice; do
  run 1 "$truewheel" check --select R008 "$subject"
  says stdout 'R008 error'
  says stdout 'more than once (one build-id)'
  says_not stdout demo.libs/libb-
done

# Of one name: --fix-only folds what is a copy, and no variant.
mkdir -p fold/demo fold/demo.libs
gcc -shared -fPIC -Wl,--build-id -Wl,-soname,liba.so -o fold/demo/liba.so a.c
variant fold/demo/liba.so VARIANT_B fold/demo.libs/liba-0a1b2c3d.so
"$truewheel" patchelf --set-soname liba-0a1b2c3d.so fold/demo.libs/liba-0a1b2c3d.so
gcc -shared -fPIC -o fold/demo/m.so m.c fold/demo.libs/liba-0a1b2c3d.so -Wl,-rpath,'$ORIGIN/../demo.libs'
pack fold fold-1.0-py3-none-linux_x86_64.whl
run 1 "$truewheel" check --select R008 fold-1.0-py3-none-linux_x86_64.whl
says stdout 'R008 error'
says stdout 'two libraries called liba.so'
says_not stdout --fix-only
run 0 "$truewheel" repair --fix-only -w out fold-1.0-py3-none-linux_x86_64.whl
holds out/fold-1.0-*.whl liba-0a1b2c3d.so

# Without section headers nothing tells.
mkdir -p bare/demo
for name in a b; do
  cp "lib/lib$name.so" "bare/demo/lib$name.so"
  python3 - "bare/demo/lib$name.so" <<'PY'
import sys
path = sys.argv[1]
data = bytearray(open(path, "rb").read())
data[40:48] = bytes(8)  # e_shoff
data[58:64] = bytes(6)  # e_shentsize, e_shnum, e_shstrndx
open(path, "wb").write(data)
PY
done
pack bare bare-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" check --select R008 bare-1.0-py3-none-linux_x86_64.whl
says stdout 'R008 warning'
says stdout 'do not tell'

# Members that are too large to be held. The limit on an archive's ratio asks for bytes that do not shrink.
mkdir -p large/demo
python3 -c 'import random; open("noise", "wb").write(random.Random(1).randbytes(2 << 20))'
cat >large.s <<'S'
.section .rodata
.global tag
tag: .ascii "VARIANT_A"
.incbin "noise"
.fill 52428800, 1, 7
.section .note.GNU-stack, "", %progbits
S
gcc -shared -Wl,--build-id -o large/demo/liblarge.so large.s
variant large/demo/liblarge.so VARIANT_B large/demo/libvariant.so
pack large large-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" check --select R008 large-1.0-py3-none-linux_x86_64.whl
says_not stdout R008
cp large/demo/liblarge.so large/demo/libcopy.so
"$truewheel" patchelf --set-rpath '$ORIGIN' large/demo/libcopy.so
pack large large-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" check --select R008 large-1.0-py3-none-linux_x86_64.whl
says stdout 'R008 warning: demo/libcopy.so'
says_not stdout libvariant
