# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
mkdir first second empty junk
cp libf.so.1 first
cp libf.so.1 second
echo 'no library' >junk/libf.so.1
# shrinks FROM TO OPTIONS...
shrinks() {
  gcc -o edited program.c libf.so.1 -Wl,--enable-new-dtags,-rpath,"$1"
  run 0 "$truewheel" patchelf --shrink-rpath "${@:3}" edited
  [ "$(tags edited RUNPATH)" = "$2" ] || { tags edited RUNPATH; false; }
}
here=$PWD
shrinks "$here/empty:$here/junk:$here/first:$here/second" "$here/first"
shrinks "\$ORIGIN/empty:$here/second:$here/first" "\$ORIGIN/empty:$here/second"
shrinks "$here/first:$here/second" "$here/second" --allowed-rpath-prefixes "/none:$here/sec"
shrinks /none "$here/first" --set-rpath "$here/empty:$here/first"
