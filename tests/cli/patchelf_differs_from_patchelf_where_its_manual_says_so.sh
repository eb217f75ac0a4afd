# SPDX-License-Identifier: Apache-2.0
# docs/patchelf.md: where a call means something else to patchelf 0.19, or nothing.
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
here_is=$PWD
gcc -o with_rpath program.c libf.so.1 "-Wl,--disable-new-dtags,-rpath,/opt/a:$here_is"
# The kind of a run path stays.
cp with_rpath edited
run 0 "$truewheel" patchelf --add-rpath /opt/c edited
[ "$(tags edited RPATH)" = "/opt/a:$here_is:/opt/c" ] && [ -z "$(tags edited RUNPATH)" ]
run 0 "$truewheel" patchelf --shrink-rpath edited
[ "$(tags edited RPATH)" = "$here_is" ] && [ -z "$(tags edited RUNPATH)" ]
# Two options about it are both heeded.
cp with_rpath edited
run 0 "$truewheel" patchelf --shrink-rpath --add-rpath /opt/c edited
[ "$(tags edited RPATH)" = "$here_is" ]
run 0 "$truewheel" patchelf --set-rpath "/opt/b:$here_is" --shrink-rpath edited
[ "$(tags edited RUNPATH)" = "$here_is" ]
run 0 "$truewheel" patchelf --remove-rpath --shrink-rpath edited
[ -z "$(tags edited RUNPATH)$(tags edited RPATH)" ]
# No interpreter is none that can be set.
run 2 "$truewheel" patchelf --set-interpreter '' edited
# A program at an address of its own gets the SONAME that it is asked for, and runs.
gcc -no-pie -o fixed program.c libf.so.1
run 0 "$truewheel" patchelf --set-soname fixed.so --set-rpath "$here_is" fixed
[ "$(tags fixed SONAME)" = fixed.so ] && [ "$(tags fixed RUNPATH)" = "$here_is" ]
./fixed
