# SPDX-License-Identifier: Apache-2.0
# What a configuration file or the environment says is right, or one clear error with exit code 2: never a crash,
# never passed over.
. "$(dirname "$0")/common.inc"
example
refuse() { # refuse TEXT: with the pyproject.toml as it is, exit 2 and a message that holds TEXT
  run 2 "$truewheel" repair --search lib -w out "$wheel"
  says stderr "$1"
  [ "$(grep -c '^truewheel: error:' stderr)" = 1 ]
  nothing_in out
}
toml() { printf '%b' "$1" >pyproject.toml; }

# Nesting that a parser goes down by recursion.
python3 -c "print('[tool.truewheel]\n' + 'a' + '.a' * 100000 + ' = 1')" >pyproject.toml; refuse 'nest more than'
python3 -c "print('[tool' + '.a' * 100000 + ']\nx = 1')" >pyproject.toml; refuse 'nest more than'
python3 -c "print('x = ' + '[' * 100000)" >pyproject.toml; refuse 'nest more than'
python3 -c "print('x = ' + '{a' + '.a' * 900 + ' = [\n{b' + '.b' * 900 + ' = 1}]}')" >pyproject.toml; refuse 'line 2: keys and brackets nest'
# Dots and brackets in texts and comments are none, and a long list is not deep.
python3 - >pyproject.toml <<'END'
print("# " + "." * 5000 + "\nx = \"" + ".[" * 3000 + "\\\"\"\ny = '''\n" + "{." * 3000 + "'''\nz = [" + "1.5, " * 3000 + "]")
END
run 0 "$truewheel" repair --search lib -w out "$wheel"
rm -r out

# What toml++ asserts of a text without having looked at it.
toml 'x = 1979-05-27Tp7:32:00Z\n'; refuse 'pyproject.toml: line 1: this is no TOML'
toml '# a comment\n[tool.truewheel]\n[\n[other]\nx = 1\n'; refuse 'pyproject.toml: line 3: this is no TOML'

toml 'tool = 1\n'; refuse 'tool is no table'
toml '[[tool]]\n'; refuse 'tool is no table'
toml '[tool]\ntruewheel = "x"\n'; refuse 'tool.truewheel is no table'
toml '[tool.truewheel]\nplat = ["a", "b"]\n'; refuse 'line 2: plat is to be a text, not a list'
toml '[tool.truewheel]\nplat = {a = "b"}\n'; refuse 'line 2: plat is to be a text, not a table'
toml '[tool.truewheel]\nsearch = true\n'; refuse 'line 2: search is to be a list of texts, not true'
toml '[tool.truewheel]\nprofiles = [["rocm"]]\n'; refuse 'line 2: profiles is to be a list of texts, not a list'
toml '[tool.truewheel]\nno-clobber = "maybe"\n'; refuse 'no-clobber is either true or false'
toml '[tool.truewheel]\nno-clobber = 1.5\n'; refuse 'line 2: no-clobber is to be true or false, not a number'
toml '[tool.truewheel]\ntarget-glibc = 2.30\n'; run 2 "$truewheel" check "$wheel"; says stderr 'line 2: target-glibc is to be a text, not a number'
toml '[tool.truewheel.check]\nfail-on = {a = "b"}\n'; run 2 "$truewheel" check "$wheel"; says stderr 'line 2: fail-on is to be a text, not a table'
toml '[tool.truewheel]\njobs = 2\nmax-ratio = 60\nzip-compression-level = 9\n'
run 0 "$truewheel" repair --search lib -w out "$wheel"
rm -r out
toml '[tool.truewheel]\nmax-ratio = 60.5\njobs = 1.5\n'; refuse 'jobs'
toml '[tool.truewheel]\n\njobs = "two"\n'; refuse 'pyproject.toml: line 3: jobs is to be a number, not "two"'
toml '[tool.truewheel]\nmax-ratio = nan\n'; refuse 'nan is no number from 1'
run 2 "$truewheel" show --max-ratio nan "$wheel"
toml '[tool.truewheel]\njobs = 5000\n'; refuse 'line 2: jobs: Value 5000 not in range'
toml '[tool.truewheel]\nplat = "manylinux"\n'; refuse 'pyproject.toml: line 2: plat: '
toml '[tool.truewheel]\nlist-rules = true\n'; refuse 'there is no key list-rules'
toml '[tool.truewheel.lddtree]\nsysroot = "x"\n'; refuse 'lddtree takes no options from here'
toml '[tool.truewheel]\nrpath_kind = "rpath"\n'; refuse 'there is no key rpath_kind'; says stderr 'the nearest one is rpath-kind'
toml '[tool.truewheel]\nexclud = ["x"]\n'; refuse 'there is no key exclud'; says stderr 'the nearest one is exclude'
toml '[tool.truewheel]\nwombat-frequency = 1\n'; refuse 'there is no key wombat-frequency'; says_not stderr 'the nearest one'

# Strip says how.
toml '[tool.truewheel]\nstrip = "split"\n'
run 0 "$truewheel" repair --search lib -w out "$wheel"
[ -d out/*.debug ]
rm -r out
toml '[tool.truewheel]\nstrip = "none"\n'
run 0 "$truewheel" repair --search lib -w out "$wheel"
rm -r out
toml '[tool.truewheel]\nstrip = "perhaps"\n'; refuse '--strip is all, split or none'
rm pyproject.toml

# A file of any name may hold the table that pyproject.toml has.
printf '[project]\nname = "x"\n[tool.truewheel]\nwheel-dir = "other"\n' >options.toml
run 0 "$truewheel" repair --config options.toml --search lib "$wheel"
[ -d other ]
printf '[project]\nname = "x"\n[tool.black]\nx = 1\n' >options.toml
run 2 "$truewheel" repair --config options.toml --search lib "$wheel"
says stderr "options.toml: there is no table [tool.truewheel]"
says stderr "hint: outside of pyproject.toml options stand without it, too"

# Variables: the message names the one that is wrong.
for variable in AUDITWHEEL_PLAT AUDITWHEEL_PATCHER AUDITWHEEL_ZIP_COMPRESSION_LEVEL TRUEWHEEL_PLAT TRUEWHEEL_JOBS; do
  run 2 env $variable=wombat "$truewheel" repair --search lib -w out "$wheel"
  says stderr "truewheel: error: $variable: "
  nothing_in out
done
for variable in TRUEWHEEL_PROFILE TRUEWHEEL_SYSROOT TRUEWHEEL_STRIP; do
  run 2 env $variable=wombat "$truewheel" repair --search lib -w out "$wheel"
  says stderr "truewheel: error: $variable: "
  nothing_in out
done
printf 'search = ["lib"]\nprofiles = ["rokm"]\n' >options.toml
for words in "repair -w out" show check "explain libfoo.so.1"; do
  # shellcheck disable=SC2086
  run 2 "$truewheel" $words --config options.toml "$wheel"
  says stderr "options.toml: line 2: profiles: there is no profile 'rokm'"
done
for variable in AUDITWHEEL_PLAT AUDITWHEEL_PATCHER AUDITWHEEL_ZIP_COMPRESSION_LEVEL; do
  run 2 env $variable=wombat "$truewheel" auditwheel repair --ldpaths lib -w out "$wheel"
  says stderr "auditwheel: error: $variable: "
  run 0 env $variable= "$truewheel" auditwheel repair --ldpaths lib -w empty "$wheel"
done
AUDITWHEEL_PLAT=wombat run 0 "$truewheel" repair --plat auto --search lib -w out "$wheel"
rm -r out
AUDITWHEEL_PLAT=manylinux_2_28 TRUEWHEEL_PLAT=wombat run 0 "$truewheel" repair --search lib -w out "$wheel"
[ -f out/*manylinux_2_28* ]
rm -r out

# A variable that is nearly an option's; one of somebody else's.
TRUEWHEEL_EXCLUD='*' refuse 'TRUEWHEEL_EXCLUD names no option'
says stderr 'the nearest one is TRUEWHEEL_EXCLUDE'
TRUEWHEEL_FAIL_ON=never TRUEWHEEL_HOME=/x run 0 "$truewheel" repair --search lib -w out "$wheel"
