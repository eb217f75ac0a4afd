# SPDX-License-Identifier: Apache-2.0
# The kernel takes a program's capabilities away when it is written to. Who may give them finds them where they were, on the
# program that was edited, and not on what another program is written over.
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
cp program other
cat >caps.py <<'PY'
import os, struct, sys
wanted = struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0)  # cap_net_bind_service, effective and permitted
if sys.argv[1] == "set":
    os.setxattr(sys.argv[2], "security.capability", wanted)
else:
    has = "security.capability" in os.listxattr(sys.argv[2]) and os.getxattr(sys.argv[2], "security.capability") == wanted
    sys.exit(has != (sys.argv[1] == "has"))
PY
python3 caps.py set program 2>/dev/null || skip "capabilities cannot be given here"
python3 caps.py set other
run 0 "$truewheel" patchelf --set-rpath /a/run/path/that/is/longer/than/the/former:/one program
[ "$(tags program RUNPATH)" = /a/run/path/that/is/longer/than/the/former:/one ]
python3 caps.py has program
run 0 "$truewheel" patchelf --set-rpath /in/place --output program program
[ "$(tags program RUNPATH)" = /in/place ]
python3 caps.py has program
run 0 "$truewheel" patchelf --set-rpath /new --output other program
python3 caps.py has_not other
