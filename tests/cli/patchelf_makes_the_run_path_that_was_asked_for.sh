# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
# becomes RPATH RUNPATH OPTIONS...: of a copy of the program.
becomes() {
  local rpath=$1 runpath=$2
  shift 2
  cp "${from:-program}" edited
  run 0 "$truewheel" patchelf "$@" edited
  [ "$(tags edited RPATH)" = "$rpath" ] && [ "$(tags edited RUNPATH)" = "$runpath" ] || { readelf -dW edited; false; }
  LD_LIBRARY_PATH=. ./edited
}
becomes '' /x --set-rpath /x
becomes /x '' --force-rpath --set-rpath /x
becomes /x '' --set-rpath /x --force-rpath
becomes '' /opt/a:/opt/b:-y:/z --add-rpath -y --add-rpath /z
becomes /opt/a:/opt/b:/y '' --force-rpath --add-rpath /y
becomes '' /opt/a:/opt/b --force-rpath
becomes '' '' --remove-rpath
becomes '' '' --remove-rpath --set-rpath /x
printf '%s\n' /from/a/file >path
becomes '' /from/a/file --set-rpath @path
# Adding and shrinking keep the kind that is there; setting writes DT_RUNPATH.
gcc -o old program.c libf.so.1 -Wl,--disable-new-dtags,-rpath,/opt/a
from=old becomes /opt/a:/y '' --add-rpath /y
from=old becomes '' /x --set-rpath /x
from=old becomes '' '' --shrink-rpath
# Where there is no run path, an empty one is nothing.
cp libf.so.1 none.so
run 0 "$truewheel" patchelf --set-rpath '' none.so
run 0 "$truewheel" patchelf --add-rpath '' none.so
cmp none.so libf.so.1
