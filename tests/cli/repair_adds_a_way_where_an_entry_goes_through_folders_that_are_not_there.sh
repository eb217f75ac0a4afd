# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
# "$ORIGIN/../bin/../demo/sub" means a folder of the wheel, but the kernel walks through bin, which no wheel of this one has.
mkdir -p tree/demo/sub
gcc -shared -fPIC -o tree/demo/sub/libs.so -Wl,-soname,libs.so -x c - <<<'int s(void) { return 5; }'
: >tree/demo/__init__.py
wheel=demo-1.0-py3-none-linux_x86_64.whl
for entry in '$ORIGIN/../bin/../demo/sub' '$ORIGIN/none/../sub' '$ORIGIN/$LIB/../sub' '$ORIGIN/__init__.py/../sub'; do
  for option in --verify=standard --fix-only; do
    gcc -shared -fPIC -o tree/demo/ext.so -Wl,-rpath,"$entry" -x c - -x none tree/demo/sub/libs.so <<<'int s(void); int x(void) { return s(); }'
    pack tree $wheel
    rm -rf out site
    run 0 "$truewheel" repair $option -w out $wheel
    unzip -q out/*.whl -d site
    python3 -c 'import ctypes; assert ctypes.CDLL("site/demo/ext.so").x() == 5'
  done
done
