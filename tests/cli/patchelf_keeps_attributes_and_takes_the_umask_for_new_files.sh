# SPDX-License-Identifier: Apache-2.0
# An edit in place keeps the user's attributes and mode; a file that --output makes gets the mode that any new file gets.
. "$(dirname "$0")/common.inc"
. "$here/patchelf.inc"
python3 -c 'import os; os.setxattr("program", "user.origin", b"a build")' || skip "the file system has no extended attributes"
chmod 4751 program
(umask 077; run 0 "$truewheel" patchelf --set-rpath /in/place program)
[ "$(tags program RUNPATH)" = /in/place ] && [ "$(stat -c %a program)" = 4751 ]
python3 -c 'import os; assert os.getxattr("program", "user.origin") == b"a build"'
chmod 755 program
(umask 027; run 0 "$truewheel" patchelf --set-rpath /new --output made program)
[ "$(tags made RUNPATH)" = /new ] && [ "$(stat -c %a made)" = 750 ]
# One that is there keeps its own attributes.
echo old >there
python3 -c 'import os; os.setxattr("there", "user.origin", b"mine")'
run 0 "$truewheel" patchelf --set-rpath /new --output there program
python3 -c 'import os; assert os.getxattr("there", "user.origin") == b"mine"'
