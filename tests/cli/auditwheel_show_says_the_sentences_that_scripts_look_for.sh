# SPDX-License-Identifier: Apache-2.0
# `auditwheel show`: its sentences wrapped as it wraps them, in its order and no more of them, its exit code for a pure
# wheel, its JSON. tests/oracle/policy_agreement.py holds them against auditwheel's own.
. "$(dirname "$0")/common.inc"
example
ln -s "$truewheel" auditwheel
run 0 ./auditwheel show --ldpaths lib "$wheel"
tr '\n' ' ' <stdout >joined
says joined 'demo-1.0-py3-none-linux_x86_64.whl is consistent with the following platform tag: "linux_x86_64".'
says joined 'The following external shared libraries are required by the wheel: {     "libfoo.so.1": "'
[ "$(awk '{ print length }' stdout | sort -n | tail -1)" -le 100 ]
run 0 ./auditwheel repair --ldpaths lib -w out "$wheel"
run 0 ./auditwheel show out/*.whl
says stdout '"manylinux_2_5_x86_64"'
says stdout 'The wheel requires no external shared libraries! :)'
run 0 ./auditwheel show --json out/*.whl
python3 -c 'import json; assert json.load(open("stdout"))["overall_tag"] == "manylinux_2_5_x86_64"'

# made WHEEL SOURCE FLAGS...: another module in the wheel's place.
made() {
  local name=$1 source=$2
  shift 2
  echo "$source" >y.c
  gcc -shared -fPIC -Wl,--no-as-needed -o tree/demo/_x.so y.c "$@"
  pack tree "in/$name"
}
# tells OPTIONS WHEEL WORDS...: these, in this order, and nothing after the last that it says without -v.
tells() {
  local options=$1 name=$2 rest
  shift 2
  run 0 ./auditwheel $options show "in/$name"
  rest=$(tr -s '\n ' ' ' <stdout)
  for words in "$@"; do
    [[ $rest == *"$words"* ]] || { echo "not in its place: $words" >&2; cat stdout >&2; return 1; }
    rest=${rest#*"$words"}
  done
}
new=demo-1.0-cp311-cp311-linux_x86_64.whl
fpe="This wheel uses the PyFPE_jbuf function, which is not compatible with the manylinux/musllinux tags."
versions="The wheel references external versioned symbols in these system-provided shared libraries: "
none="The wheel requires no external shared libraries! :)"
made $new '#include <stdio.h>
extern int PyFPE_jbuf[]; int x(void) { return puts("") + PyFPE_jbuf[0]; }'
tells "" $new '"linux_x86_64".' "$fpe"
says_not stdout "references"
tells -v $new '"linux_x86_64".' "$fpe" "$versions" "$none"
run 0 ./auditwheel show --json in/$new
python3 -c 'import json; shown = json.load(open("stdout")); assert shown["pyfpe"] and not shown["ucs2"]'
made $new '#include <stdio.h>
void PyUnicodeUCS2_Format(void); int x(void) { PyUnicodeUCS2_Format(); return puts(""); }'
tells -v $new '"linux_x86_64".' "This wheel is compiled against a narrow unicode (UCS2) version of Python" "$versions" "$none"
run 0 ./auditwheel show --json in/$new
python3 -c 'import json; shown = json.load(open("stdout")); assert shown["ucs2"] and not shown["pyfpe"]'
if [ "$(uname -m)" = x86_64 ]; then
  made $new '#include <stdio.h>
int x(void) { return puts(""); }' -Wl,-z,x86-64-v3
  tells "" $new '"linux_x86_64".' "This wheel depends on unsupported ISA extensions."
  says_not stdout "references"
  tells -v $new '"linux_x86_64".' "This wheel depends on unsupported ISA extensions." "$versions" "$none"
  run 0 ./auditwheel show --disable-isa-ext-check in/$new
  says_not stdout "unsupported"
fi
# Black-listed symbols, from the newest tag to the oldest.
made $new '#include <stdio.h>
int _tr_align(void*); int x(void) { return puts("") + _tr_align(0); }' -lz
eliminate="the following black-listed symbol dependencies will need to be eliminated: From libz.so.1: _tr_align"
tells "" $new '"linux_x86_64".' "$versions" "$none" "tag 'manylinux_2_39_x86_64' $eliminate" \
  "tag 'manylinux_2_28_x86_64' $eliminate" "tag 'manylinux_2_5_x86_64' $eliminate"
# What only a new build changes ends it, unless it is to say all.
made $new '#include <stdio.h>
char *secure_getenv(const char *);
int foo(void); int x(void) { return puts("") + foo() + (secure_getenv("") != 0); }' lib/libfoo.so.1
constrained='This constrains the platform tag to "manylinux_2_17_x86_64". In order to achieve a more compatible tag, you would need to recompile'
tells "" $new '"linux_x86_64".' "$versions" "$constrained"
says_not stdout "libfoo"
tells -v $new '"linux_x86_64".' "$versions" "$constrained" '"libfoo.so.1": null' \
  "tag 'manylinux_2_39_x86_64' the following shared library dependencies will need to be eliminated: libfoo.so.1" \
  "tag 'manylinux_2_5_x86_64' the following shared library dependencies will need to be eliminated: libfoo.so.1"

rm tree/demo/_x.so
pack tree pure-1.0-py3-none-any.whl
run 1 ./auditwheel show pure-1.0-py3-none-any.whl
run 0 ./auditwheel show --allow-pure-python-wheel pure-1.0-py3-none-any.whl
run 1 ./auditwheel show --json pure-1.0-py3-none-any.whl
python3 -c 'import json; shown = json.load(open("stdout")); assert shown["error"] and shown["pure"]'
run 0 ./auditwheel show --json --allow-pure-python-wheel pure-1.0-py3-none-any.whl
python3 -c 'import json; shown = json.load(open("stdout")); assert shown["pure"] and "error" not in shown'
