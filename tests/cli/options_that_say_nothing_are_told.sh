# SPDX-License-Identifier: Apache-2.0
# An option that cannot have the effect that was meant is told, and help that cannot be written is a failure.
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib --search absent --debug-dir debug --system-rpath -w out "$wheel"
says stderr '--search absent is no folder'
says stderr '--debug-dir says nothing without --strip=split'
says stderr '--system-rpath says nothing without a --profile'
says stdout '1 ELF file, 1 edited, 1 library bundled, 0 left out'
run 0 "$truewheel" repair --search lib --only-plat --include 'libnone*' -w out "$wheel"
says stderr '--only-plat says nothing without a --plat'
says stderr 'libnone*: --include matched no library'
run 0 "$truewheel" repair --search lib -w again "$wheel"
[ ! -s stderr ]
run 0 "$truewheel" check --root / again/*.whl
says stderr '--root says nothing without --installed'
run 0 "$truewheel" explain --root / libfoo.so.1 again/*.whl
says stderr '--root says nothing without --installed'
run 2 "$truewheel" repair --search lib --sysroot absent -w other "$wheel"
says stderr '--sysroot absent is no folder'
run 2 "$truewheel" lddtree --sysroot absent tree/demo/_x.so
nothing_in other
for words in --help "repair --help" --version "auditwheel --help" "auditwheel --version" "patchelf --help"; do
  status=0
  # shellcheck disable=SC2086
  "$truewheel" $words >/dev/full 2>stderr || status=$?
  case $words in auditwheel*) wanted=1 ;; *) wanted=4 ;; esac
  [ $status = $wanted ] || { echo "$words >/dev/full: exit $status" >&2; exit 1; }
done
# Who is called by auditwheel's name speaks in that name.
run 2 "$truewheel" auditwheel repair absent.whl; says stderr 'auditwheel: error: '
run 2 "$truewheel" patchelf --nonsense x; says stderr 'truewheel: error: '

# Libraries of a GPU's vendor are bundled only with a word to say so.
cp lib/libfoo.so.1 lib/libamdhip64.so.7
gcc -shared -fPIC -o lib/libamdhip64.so.7 -Wl,-soname,libamdhip64.so.7 foo.c
gcc -shared -fPIC -o tree/demo/_x.so x.c lib/libamdhip64.so.7
pack tree "$wheel"
run 0 "$truewheel" repair --search lib -w gpu "$wheel"
says stderr 'libamdhip64.so.7 is bundled, but belongs to what is installed'
says stderr '--profile rocm'
says stderr '--include libamdhip64.so.7 says that this is meant'
run 0 "$truewheel" repair --search lib --include libamdhip64.so.7 -w gpu "$wheel"
says_not stderr libamdhip64
# The name that is needed counts, whatever the file's is.
mv lib/libamdhip64.so.7 lib/libamdhip64.so.7.1; ln -s libamdhip64.so.7.1 lib/libamdhip64.so.7
run 0 "$truewheel" repair --search lib -w gpu "$wheel"
says stderr '--include libamdhip64.so.7 says that this is meant'
run 0 "$truewheel" repair --search lib --include libamdhip64.so.7 -w gpu "$wheel"
says_not stderr libamdhip64
run 0 "$truewheel" repair --search lib --include 'libamdhip64*' -w gpu "$wheel"
says_not stderr libamdhip64
run 0 "$truewheel" repair --search lib --profile rocm -w gpu "$wheel"
says_not stderr 'is bundled'
