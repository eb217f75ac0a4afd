# SPDX-License-Identifier: Apache-2.0
# .note.dlopen says what a file opens while it runs. A required library that is nowhere is a warning, one that is
# bundled under another name is, too; what a pattern leaves out, the wheel has or the policy allows is none.
. "$(dirname "$0")/common.inc"
mkdir -p lib tree/demo in
cat >note.s <<'END'
.section .note.dlopen,"a",@note
.align 4
.long 4, 2f - 1f, 0x407c0c0a
.asciz "FDO"
1: .asciz "[{\"feature\":\"zip\",\"description\":\"x\",\"priority\":\"required\",\"soname\":[\"libabsent.so.7\",\"libabsent.so.6\"]},{\"feature\":\"gone\",\"priority\":\"suggested\",\"soname\":[\"liboptional.so.1\"]},{\"feature\":\"own\",\"priority\":\"required\",\"soname\":[\"libown.so\"]},{\"feature\":\"c\",\"priority\":\"required\",\"soname\":[\"libm.so.6\"]},{\"feature\":\"foo\",\"priority\":\"recommended\",\"soname\":[\"libfoo.so.1\"]}]"
.align 4
2: .section .note.GNU-stack,"",@progbits
END
echo 'int foo(void) { return 42; }' | gcc -shared -fPIC -x c - -o lib/libfoo.so.1 -Wl,-soname,libfoo.so.1
echo 'int own(void) { return 1; }' | gcc -shared -fPIC -x c - -o tree/demo/libown.so
echo 'int foo(void); int x(void) { return foo(); }' >x.c
gcc -shared -fPIC -o tree/demo/_x.so x.c note.s lib/libfoo.so.1
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
run 0 "$truewheel" repair --search lib -w out in/*.whl
says stderr "demo/_x.so: opens libabsent.so.7 or libabsent.so.6 by name (zip, required), and it is not in the wheel"
says stderr "opens libfoo.so.1 by name (foo, recommended), but libfoo.so.1 is bundled as libfoo-"
says_not stderr libown
says_not stderr liboptional
says_not stderr libm.so.6
run 0 "$truewheel" repair -v --search lib --exclude 'libabsent.so.*' --exclude libfoo.so.1 -w out2 in/*.whl
says_not stderr "put it into the wheel"
says_not stderr "matched no library"
says stderr "opens liboptional.so.1 by name (gone, suggested)"
run 0 "$truewheel" show --search lib in/*.whl
says stdout "demo/_x.so: libabsent.so.7 or libabsent.so.6 (zip, required)"
run 0 "$truewheel" show --json --search lib in/*.whl
python3 - <<'END'
import json
[notes] = [f["dlopen"] for f in json.load(open("stdout"))["files"] if f["dlopen"]]
assert notes[0] == {"sonames": ["libabsent.so.7", "libabsent.so.6"], "feature": "zip", "priority": "required"}, notes
END
