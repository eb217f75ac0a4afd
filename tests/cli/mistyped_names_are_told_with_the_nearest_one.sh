# SPDX-License-Identifier: Apache-2.0
# A slip of the pen in a command or an option: wrong usage, with what was meant, by the name that the program was called.
. "$(dirname "$0")/common.inc"
ln -s "$truewheel" auditwheel
ln -s "$truewheel" patchelf
told() { # told ERROR HINT COMMAND...
  local error=$1 hint=$2
  shift 2
  run 2 "$@"
  [ "$(cat stderr)" = "$error
hint: $hint" ] || { cat stderr; return 1; }
}
told "truewheel: error: there is no command 'repir'" "did you mean repair? truewheel --help" "$truewheel" repir x.whl
told "truewheel: error: there is no command 'chekc'" "did you mean check? truewheel --help" "$truewheel" -v chekc x.whl
told "truewheel: error: there is no command 'wombat'" "truewheel --help" "$truewheel" wombat
told "truewheel: error: there is no option --plta" "did you mean --plat? truewheel repair --help" "$truewheel" repair --plta x x.whl
told "truewheel: error: there is no option --wheeldir" "did you mean --wheel-dir? truewheel repair --help" "$truewheel" repair --wheeldir=out x.whl
told "truewheel: error: there is no option --foo" "truewheel check --help" "$truewheel" check --foo x.whl
told "truewheel: error: there is no option --plat" "repair has it; truewheel show --help" "$truewheel" show --plat auto x.whl
told "auditwheel: error: there is no command 'shwo'" "did you mean show? auditwheel --help" ./auditwheel shwo x.whl
told "auditwheel: error: there is no option --exclud3" "did you mean --exclude? auditwheel repair --help" "$truewheel" auditwheel repair --exclud3 y x.whl
told "patchelf: error: there is no option --set-rpth" "did you mean --set-rpath? patchelf --help" ./patchelf --set-rpth x y
told "truewheel: error: there is no option --set-rpth" "did you mean --set-rpath? truewheel patchelf --help" "$truewheel" patchelf --set-rpth x y
told "patchelf: error: no file is named" "patchelf --help" ./patchelf

# A folder in a wheel's place.
mkdir -p dist; : >dist/x.whl
for command in repair show; do
  told "truewheel: error: dist: this is a folder, not a wheel" "dist/*.whl names the wheels in it" "$truewheel" $command dist
  told "truewheel: error: dist/: this is a folder, not a wheel" "dist/*.whl names the wheels in it" "$truewheel" $command dist/
done
