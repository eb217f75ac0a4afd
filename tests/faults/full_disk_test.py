#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repairs into a file system of 50 sizes, from one that holds nothing to one that holds the result.

    full_disk_test.py TRUEWHEEL

Each run gives the result, or says that there is no space and leaves nothing. Exit 77 where nothing can be mounted.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from scenarios import environment, scenarios

SIZES = 50


def main() -> int:
    if os.geteuid() != 0:
        print("skipped: mounting needs root")
        return 77
    truewheel = str(Path(sys.argv[1]).resolve())
    failures = full = whole = 0
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        scenario = scenarios(truewheel, work, random.Random(1).randbytes(400_000))[0]
        folder = scenario.fresh(work / "run")
        disk = folder / "out"
        disk.mkdir()
        step = 4096
        most = len(scenario.complete) + 8 * step
        for number in range(SIZES):
            size = step * (1 + (most // step) * number // (SIZES - 1))
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True)
            if mounted.returncode != 0:
                print("skipped: no tmpfs can be mounted here")
                return 77
            try:
                done = subprocess.run([truewheel, *scenario.command], cwd=folder, env=environment(), capture_output=True, text=True)
                left = {path.name: path.read_bytes() for path in disk.rglob("*")}
            finally:
                subprocess.run(["umount", str(disk)], check=True)
            if done.returncode == 0:
                whole += 1
                good = list(left.values()) == [scenario.complete]
            else:
                full += 1
                good = done.returncode == 4 and "No space left on device" in done.stderr and not left
            if not good:
                failures += 1
                print(f"{size} bytes: exit {done.returncode}, left {sorted(left)}: {done.stderr.strip()[-300:]}")
    print(f"{full} times no space, {whole} times the result")
    return 1 if failures or not full or not whole else 0


if __name__ == "__main__":
    sys.exit(main())
