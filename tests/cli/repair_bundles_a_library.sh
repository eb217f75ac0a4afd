# SPDX-License-Identifier: Apache-2.0
# The main job on one library: found by --search, renamed, found again by the loader without the build's folder.
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w out --plat auto "$wheel"
says stdout "demo.libs/libfoo-"
says stdout "needed by demo/_x.so"
unzip -q out/*.whl -d site
rm -r lib
readelf -dW site/demo/_x.so | grep -F '(RPATH)' | has -F '[$ORIGIN/../demo.libs]'
python3 -c "import ctypes; assert ctypes.CDLL('site/demo/_x.so').x() == 42"
