# SPDX-License-Identifier: Apache-2.0
# Thousands of missing libraries do not make thousands of lines; each one that is told has who needs it, where it was
# looked for and what was passed over, and the option that helps.
. "$(dirname "$0")/common.inc"
mkdir -p wrong lib tree/demo in
echo 'int f(void) { return 1; }' >f.c
# The linker is asked for a stub of each; one file needs all of them.
python3 - <<'END'
with open("stubs.sh", "w") as script:
    script.write("set -e\n")
    for i in range(3000):
        script.write(f"cp stub.so lib/libm{i:04}.so.1\n")
END
gcc -shared -fPIC -o stub.so f.c
bash stubs.sh
echo 'int x(void) { return 1; }' | gcc -shared -fPIC -x c - -o tree/demo/_x.so -Wl,--no-as-needed $(cd lib && printf -- '-l:%s ' *.so.1) -Llib
gcc -shared -fPIC -o lib/librocblas.so.5 f.c
echo 'int y(void) { return 1; }' | gcc -shared -fPIC -x c - -o tree/demo/_y.so -Wl,--no-as-needed -Llib -l:librocblas.so.5 -l:libm0007.so.1
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
echo 'INPUT(x)' >wrong/libm0000.so.1
run 1 "$truewheel" repair --search wrong -w out in/*.whl
says stderr "3001 libraries were not found"
grep -qx "  libm0000.so.1: needed by demo/_x.so" stderr
grep -qx "    passed over $PWD/wrong/libm0000.so.1: it is not an ELF file" stderr
says stderr "libm0007.so.1: needed by demo/_x.so, demo/_y.so"
# Where each was looked for stands once, each place on its line.
grep -qx "  each was looked for in:" stderr
[ "$(grep -cx "    --search wrong" stderr)" = 1 ]
[ "$(grep -c "ld.so.cache" stderr)" = 1 ]
[ "$(wc -L <stderr)" -lt 400 ]
says stderr "--exclude NAME"
says stderr "--profile rocm leaves librocblas.so.5 to it"
[ "$(wc -l <stderr)" -lt 60 ] && [ "$(wc -c <stderr)" -lt 30000 ]
nothing_in out
run 0 "$truewheel" show in/*.whl
[ "$(wc -l <stdout)" -lt 120 ]
says_not stdout "searched"
# What only one of them has before the common places is told with it.
rm tree/demo/_x.so
gcc -shared -fPIC -o lib/libfoo.so.1 f.c
echo 'int y(void) { return 1; }' | gcc -shared -fPIC -x c - -o tree/demo/_y.so -Wl,--no-as-needed -Wl,-rpath,/opt/here -Llib -l:libfoo.so.1
echo 'int z(void) { return 1; }' | gcc -shared -fPIC -x c - -o tree/demo/_z.so -Wl,--no-as-needed -Llib -l:librocblas.so.5
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
run 1 "$truewheel" repair -w out in/*.whl
grep -A1 "  libfoo.so.1: needed by demo/_y.so" stderr | tail -1 | grep -x "    searched RUNPATH /opt/here.*"
[ "$(grep -c /opt/here stderr)" = 1 ] && [ "$(grep -c "ld.so.cache" stderr)" = 1 ]
# One alone.
rm tree/demo/_z.so
pack tree in/demo-1.0-py3-none-linux_x86_64.whl
run 1 "$truewheel" repair -w out in/*.whl
grep -A1 -x "  it was looked for in:" stderr | tail -1 | grep -x "    RUNPATH /opt/here.*"
