# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --strip --search lib -w out "$wheel"
unzip -q out/*.whl -d site
rm -r lib
readelf -SW site/demo/_x.so | has_not '\.symtab'
python3 -c "import ctypes; assert ctypes.CDLL('site/demo/_x.so').x() == 42"
