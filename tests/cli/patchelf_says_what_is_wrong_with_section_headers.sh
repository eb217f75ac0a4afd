# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# Loaders never look at section headers: the file is edited, and the fault is told in patchelf's words.
fail() { echo "$*" >&2; return 1; }
poke() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
field() { readelf -hW libf.so.1 | sed -n "s/^ *$1: *\([0-9]*\).*/\1/p"; }
table=$(field 'Start of section headers')
names=$(field 'Section header string table index')
broken() { # WHAT OFFSET BYTES WORDS
  cp libf.so.1 broken.so
  poke broken.so "$2" "$3"
  run 0 "$truewheel" patchelf --set-rpath '$ORIGIN/where-it-is' broken.so
  grep -q "warning: broken.so: .*$4" stderr || fail "$1 is not told: $(cat stderr)"
  [ "$("$truewheel" patchelf --print-rpath broken.so 2>/dev/null)" = '$ORIGIN/where-it-is' ] || fail "$1: no run path"
  [ "$(./host "$PWD/broken.so")" = 1 ] || fail "$1: does not load"
}
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) { puts(count == 2 && dlopen(words[1], RTLD_NOW) ? "1" : dlerror()); return 0; }
END
gcc -o host host.c -ldl
broken 'a names index past the sections' 62 '\376\000' 'string table index out of bounds'
broken 'names past the end' $((table + names * 64 + 24)) '\377\377\377\377' 'data offset extends past file end'
broken 'names of a size past the end' $((table + names * 64 + 32)) '\377\377\377\377' 'data region extends past file end'
broken 'names of no size' $((table + names * 64 + 32)) '\0\0\0\0\0\0\0\0' 'string table size is zero'
broken 'a name past the names' $((table + 64)) '\377\377\377\177' 'section name offset out of bounds'
# A sound file has no such warning, and what is refused is told in patchelf's words, too.
run 0 "$truewheel" patchelf --print-rpath libf.so.1
[ ! -s stderr ] || fail "a sound file is warned of: $(cat stderr)"
cp libf.so.1 broken.so
poke broken.so 58 '\060\000'
run 3 "$truewheel" patchelf --set-rpath /x broken.so
grep -q 'section headers have wrong size' stderr
cp libf.so.1 broken.so
poke broken.so 32 '\377\377\377\377'
run 3 "$truewheel" patchelf --set-rpath /x broken.so
grep -q 'program header table out of bounds' stderr
