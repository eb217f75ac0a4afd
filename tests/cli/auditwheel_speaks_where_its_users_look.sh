# SPDX-License-Identifier: Apache-2.0
# Under the name auditwheel, and as `truewheel auditwheel`: its options, its exit codes, its line on stderr with a
# path that exists, nothing on stdout.
. "$(dirname "$0")/common.inc"
example
ln -s "$truewheel" auditwheel
folder=$(readlink -f lib)
for tool in "$PWD/auditwheel" "$truewheel auditwheel"; do
  rm -rf out
  run 0 $tool -v repair --ldpaths "$folder" --plat manylinux_2_17_x86_64 -w out "$wheel"
  [ ! -s stdout ]
  written=$(sed -n 's/.*Fixed-up wheel written to //p' stderr)
  [[ $written == /* ]] && [ -f "$written" ]
  says stderr "Wheel is eligible for a higher priority tag. You requested manylinux_2_17_x86_64 but I have found this wheel is eligible for manylinux_2_5_x86_64."
  says stderr "Previous filename tags: linux_x86_64"
  says stderr "New filename tags: manylinux1_x86_64, manylinux2014_x86_64, manylinux_2_17_x86_64, manylinux_2_5_x86_64"
  run 0 $tool repair --ldpaths "$folder" -w again "$written"
  says stderr "No filename tags change needed."
  run 0 $tool repair --ldpaths "$folder" --no-update-tags -w kept "$wheel"
  says_not stderr "filename tags"
  AUDITWHEEL_PLAT=manylinux_2_28 run 0 $tool repair --ldpaths "$folder" --only-plat -w plat "$wheel"
  [ -f plat/demo-1.0-py3-none-manylinux_2_28_x86_64.whl ]
  AUDITWHEEL_LD_LIBRARY_PATH=$folder run 0 $tool repair -w out "$wheel"
  run 0 $tool --version
  says stdout "auditwheel 6."
  run 0 $tool
  says stdout "lddtree"
  run 2 $tool repair
  run 2 $tool repair --no-such-option "$wheel"
  run 2 $tool repair --plat no_such_platform "$wheel"
  for command in show repair; do
    run 2 $tool $command absent-1.0-py3-none-linux_x86_64.whl
    says stderr "cannot access absent-1.0-py3-none-linux_x86_64.whl. No such file"
    run 2 $tool $command in
    says stderr "cannot access in. No such file"
  done
  run 1 $tool repair "$wheel"
  says stderr 'Cannot repair wheel, because required library "libfoo.so.1" could not be located'
  says stderr "libfoo.so.1: needed by demo/_x.so"
done
mkdir -p purelib/demo-1.0.data/purelib
cp tree/demo/_x.so purelib/demo-1.0.data/purelib/
pack purelib purelib/demo-1.0-py3-none-linux_x86_64.whl
run 1 ./auditwheel repair purelib/*.whl
says stderr "found the following shared library/libraries in purelib folder:"
says stderr "  _x.so"
mkdir -p pure/demo
: >pure/demo/__init__.py
pack pure demo-1.0-py3-none-any.whl
for command in show repair; do
  run 1 ./auditwheel $command demo-1.0-py3-none-any.whl
  says stderr "This does not look like a platform wheel, no ELF executable or shared library file (including compiled Python C extension) found in the wheel archive"
done
# A wheel that is only copied is no fixed-up one, in auditwheel's words.
run 0 ./auditwheel repair --allow-pure-python-wheel -w pure-out demo-1.0-py3-none-any.whl
says stderr "This does not look like a platform wheel"
says_not stderr "Fixed-up"
[ -f pure-out/demo-1.0-py3-none-any.whl ]

# refused KIND SOURCE FLAGS...: repair cannot reach a tag, and says why in auditwheel's words.
refused() {
  local words=$1 source=$2
  shift 2
  echo "$source" >y.c
  gcc -shared -fPIC -Wl,--no-as-needed -o tree/demo/_x.so y.c "$@"
  pack tree in/demo-1.0-py3-none-linux_x86_64.whl
  run 2 ./auditwheel repair -w refused --plat manylinux_2_17_x86_64 in/demo-1.0-py3-none-linux_x86_64.whl
  says stderr "cannot repair \"in/demo-1.0-py3-none-linux_x86_64.whl\" to \"manylinux_2_17_x86_64\" ABI because $words"
  says stderr "the wheel does not meet manylinux_2_17_x86_64"
  nothing_in refused
}
if [ "$(uname -m)" = x86_64 ]; then
  refused "it depends on unsupported ISA extensions." 'int x(void) { return 1; }' -Wl,-z,x86-64-v3
fi
refused "it depends on black-listed symbols." 'int _tr_align(void*); int x(void) { return _tr_align(0); }' -lz
refused "it was compiled against a UCS2 build of Python." 'void PyUnicodeUCS2_Format(void); void x(void) { PyUnicodeUCS2_Format(); }'
echo 'unsigned arc4random(void); unsigned y(void) { return arc4random(); }' >y.c
if gcc -shared -fPIC -o tree/demo/_x.so y.c 2>/dev/null && readelf -V tree/demo/_x.so | has GLIBC_2.36; then
  refused "of the presence of too-recent versioned symbols." "$(cat y.c)"
  says stderr "GLIBC_2.36"
fi
run 2 "$truewheel" -v auditwheel

# As auditwheel's parser has it: of an option that is given twice the last value counts, and the beginning of one
# option's name stands for it.
example
run 0 ./auditwheel -vv repair --ldpaths nowhere --ldpaths "$folder" --plat auto --plat manylinux_2_28_x86_64 --only-plat \
  --only-plat -z 1 -z 9 -L .a -L .b --patcher none --patcher patchelf -w no -w last "$wheel"
[ ! -e no ]
holds last/demo-1.0-py3-none-manylinux_2_28_x86_64.whl demo.b/libfoo
run 0 ./auditwheel --verb repair --ldp "$folder" --no-up --wheel-d=short --allow "$wheel"
[ -f short/demo-1.0-py3-none-linux_x86_64.whl ]
run 0 ./auditwheel show --js "$wheel"
run 2 ./auditwheel repair --p auto "$wheel"  # --plat or --patcher
says stderr "there is no option --p"
run 2 ./auditwheel show --pla auto "$wheel"  # repair's
# truewheel's own command line is stricter.
run 2 "$truewheel" repair --plat auto --plat auto "$wheel"
run 2 "$truewheel" repair --no-up "$wheel"
