#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills truewheel at each of its file system calls, and looks at what it leaves.

    kill_test.py TRUEWHEEL [--every N] [--scenario TEXT]

The final name must be absent, as before, or complete; inputs as before; nothing left for a new name, at most
one hidden file when a file is replaced. --every N tries each Nth call (default 1: all). Exit 77 without strace.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from scenarios import judge, scenarios, state
from trace import disturbed, injection_points, interesting, trace


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
            points = injection_points(calls)
            # The first call, execve, cannot be killed before the program is there.
            chosen = [position for position in interesting(calls, options.every) if position > 0]
            complete = 0
            for position in chosen:
                call, number = points[position]
                before = state(scenario.fresh(folder))
                disturbed(command, folder, f"{call}:signal=SIGKILL:when={number}")
                if wrong := judge(scenario, folder, before, killed=True):
                    failures += 1
                    print(f"{scenario.name}: killed at {call} number {number}: {wrong}")
                target = folder / scenario.target
                complete += target.exists() and target.read_bytes() == scenario.complete
            print(f"{scenario.name}: {len(chosen)} of {len(calls)} calls, {complete} times complete")
            if complete == len(chosen):
                failures += 1
                print(f"{scenario.name}: no run was cut short; the test tests nothing")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
