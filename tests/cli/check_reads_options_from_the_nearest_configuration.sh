# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 1 "$truewheel" check "$wheel"
says stdout "R005 error: demo/_x.so needs libfoo.so.1"

# The nearest pyproject.toml with our table, from the current folder upwards.
mkdir -p project/deep
cat >project/pyproject.toml <<'TOML'
[project]
name = "demo"
[tool.truewheel]
plat = "manylinux_2_35"
[tool.truewheel.check]
provide = ["libfoo.so*"]
TOML
(cd project/deep && run 0 "$truewheel" check "../../$wheel")
# The command line comes before the environment, and that before the file.
(cd project && run 0 env TRUEWHEEL_FAIL_ON=error "$truewheel" check "../$wheel")
printf 'fail-on = "never"\n' >other.toml
run 0 "$truewheel" check --config other.toml "$wheel"
run 1 env TRUEWHEEL_FAIL_ON=error "$truewheel" check --config other.toml "$wheel"
run 1 env TRUEWHEEL_FAIL_ON=never "$truewheel" check --config other.toml --fail-on error "$wheel"

# Lists, tables and flags.
cat >truewheel.toml <<'TOML'
[check]
allow = { R005 = ["libfoo.so.1"] }
require-needed = { "demo/_x.so" = ["libbar.so*"] }
pie-only = true
TOML
run 1 "$truewheel" check "$wheel"
says stdout "N001 error: demo/_x.so does not need libbar.so*"
says_not stdout "R005"
rm truewheel.toml

# What is wrong names the place, and the nearest key there is.
printf 'profils = ["rocm"]\n' >wrong.toml
run 2 "$truewheel" check --config wrong.toml "$wheel"
says stderr "wrong.toml: line 1: there is no key profils"
says stderr "the nearest one is profile"
printf '[check]\nfail-on = "sometimes"\n' >wrong.toml
run 2 "$truewheel" check --config wrong.toml "$wheel"
printf 'a = \n' >wrong.toml
run 2 "$truewheel" check --config wrong.toml "$wheel"
says stderr "line 1"
printf '[check]\npie-only = 3\n' >wrong.toml
run 2 "$truewheel" check --config wrong.toml "$wheel"
run 2 "$truewheel" check --config absent.toml "$wheel"

# What a wheel has to be.
cat >assert.toml <<'TOML'
provide = ["libfoo.so*"]
[assert]
name = "other-*"
needed = { "demo/_x.so" = ["libamdhip64.so.*", "libfoo.so*"] }
forbid = { "demo/*" = ["libfoo.so.1"] }
executables = "pie"
TOML
run 1 "$truewheel" check --config assert.toml "$wheel"
says stdout "N001 error: the file name demo-1.0-py3-none-linux_x86_64.whl is none of other-*"
says stdout "N001 error: demo/_x.so does not need libamdhip64.so.*"
says stdout "N001 error: demo/_x.so needs libfoo.so.1, which --forbid-needed rules out"
says_not stdout "does not need libfoo"
printf 'provide = ["libfoo.so*"]\n[assert]\nname = "demo-*"\n' >assert.toml
run 0 "$truewheel" check --config assert.toml "$wheel"
run 0 "$truewheel" show --config assert.toml "$wheel"
printf '[assert]\nneed = { "demo/*" = ["libc*"] }\n' >wrong.toml
run 2 "$truewheel" check --config wrong.toml "$wheel"
says stderr "there is no key assert.need"
says stderr "the nearest one is needed"
printf '[assert]\nexecutables = "static"\n' >wrong.toml
run 2 "$truewheel" check --config wrong.toml "$wheel"

# repair takes its keys from there, and folders are relative to the file.
mkdir -p conf/lib && cp lib/libfoo.so.1 conf/lib/
printf '[repair]\nsearch = ["lib"]\nrpath-kind = "runpath"\nlib-dir = "{name}.private"\n' >conf/truewheel.toml
rm -r lib
run 0 "$truewheel" repair --config conf/truewheel.toml "$wheel" -w out
python3 -m zipfile -l out/*.whl >members
says members demo.private/libfoo-
