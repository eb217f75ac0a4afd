#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes each file system call of truewheel fail once, with each error that it may meet.

    error_test.py TRUEWHEEL [--every N] [--scenario TEXT]

EINTR must not matter. Any other error ends in the same result, or in a non-zero exit status with one message
and nothing left behind; an error of a call that makes the output safe (write, fsync) must not be passed over.
Exit 77 without strace.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from scenarios import judge, scenarios, state
from trace import disturbed, injection_points, interesting, trace

ERRORS = ["ENOSPC", "EIO", "EDQUOT", "EINTR", "EMFILE"]
# Calls whose failure nobody may overlook.
MUST_FAIL = {"write", "pwrite64", "writev", "fsync", "fdatasync", "ftruncate", "renameat", "renameat2", "rename"}
# Interrupted only where Linux says that they can be.
INTERRUPTIBLE = {"read", "pread64", "write", "pwrite64", "openat", "open", "fsync", "close", "ftruncate", "fallocate"}


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("truewheel")
    arguments.add_argument("--every", type=int, default=1)
    arguments.add_argument("--scenario", default="")
    options = arguments.parse_args()
    if not shutil.which("strace"):
        print("skipped: no strace")
        return 77
    truewheel = str(Path(options.truewheel).resolve())
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for scenario in scenarios(truewheel, work):
            if options.scenario not in scenario.name:
                continue
            command = [truewheel, *scenario.command]
            folder = work / "run"
            calls = trace(command, scenario.fresh(folder), work / "log")
            tried = refused = 0
            start = first_own_call(calls, scenario)
            points = injection_points(calls)
            plan = [(*points[position], error) for position in interesting(calls, 1) if position >= start
                    for error in ERRORS if error != "EINTR" or points[position][0] in INTERRUPTIBLE]
            for call, number, error in plan[::options.every]:
                before = state(scenario.fresh(folder))
                done = disturbed(command, folder, f"{call}:error={error}:when={number}")
                tried += 1
                refused += done.returncode != 0
                if wrong := verdict(scenario, folder, before, call, error, done):
                    failures += 1
                    print(f"{scenario.name}: {call} number {number} fails with {error}: {wrong}")
            print(f"{scenario.name}: {tried} failures tried, {refused} ended in an error message")
            if not refused:
                failures += 1
                print(f"{scenario.name}: nothing failed; the test tests nothing")
    return 1 if failures else 0


def first_own_call(calls, scenario) -> int:
    """Position of the first call about the input; before it the dynamic linker is at work."""
    word = scenario.command[-1].split("/")[-1]
    return next(position for position, (name, text) in enumerate(calls) if word in text and name != "execve")


def verdict(scenario, folder, before, call, error, done) -> str:
    if done.returncode < 0 or done.returncode in (70, 134, 139):
        return f"ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    complete = (folder / scenario.target).exists() and (folder / scenario.target).read_bytes() == scenario.complete
    if done.returncode == 0 and not complete:
        return "exit 0 without the result"
    # A wheel that is in place but whose folder could not be synced is an error with the result there.
    if done.returncode != 0 and "error:" not in done.stderr:
        return f"exit {done.returncode} without a message"
    if error == "EINTR" and done.returncode != 0:
        return f"an interrupted call is an error: {done.stderr.strip()[-300:]}"
    if error != "EINTR" and call in MUST_FAIL and done.returncode == 0:
        return "the failure was passed over"
    return judge(scenario, folder, before, killed=False)


if __name__ == "__main__":
    sys.exit(main())
