# SPDX-License-Identifier: Apache-2.0
# A Ctrl-C reaches the program and the strip that it runs. Nothing stays: no temporary folder, no output.
. "$(dirname "$0")/common.inc"
example
mkdir -p bin tmp
cat >bin/strip <<'END'
#!/bin/sh
: >"$STARTED"
exec sleep 60
END
chmod +x bin/strip
for signal in INT TERM; do
  rm -f started
  STARTED=$PWD/started TMPDIR=$PWD/tmp PATH=$PWD/bin:$PATH python3 - "$truewheel" "$signal" in/*.whl <<'END'
import os, signal, subprocess, sys, time
program, name, wheel = sys.argv[1:]
child = subprocess.Popen([program, "repair", "--strip", "--search", "lib", "-w", "out", wheel], start_new_session=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
end = time.monotonic() + 30
while not os.path.exists(os.environ["STARTED"]):
    assert time.monotonic() < end and child.poll() is None, child.poll()
    time.sleep(0.01)
os.killpg(child.pid, getattr(signal, "SIG" + name))
assert child.wait(30) == -getattr(signal, "SIG" + name), child.returncode
END
  nothing_in tmp
  nothing_in out
done
