#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the order of calls that makes an output safe: written, synced, named, folder synced; and that
inputs are never opened for writing, no program is started, and no network is touched.

    order_test.py TRUEWHEEL

Exit 77 without strace.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scenarios import environment, scenarios
from trace import trace

WRITES = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND")


def order(calls, scenario) -> str:
    """What is wrong with the order of calls; an empty text if nothing is."""
    names = [name for name, _ in calls]
    naming = [i for i, (name, text) in enumerate(calls)
              if name in ("linkat", "renameat", "renameat2", "rename", "link") and not re.search(r"= -1 ", text)]
    if not naming:
        return "the output got its name by no link and no rename"
    last_write = max(i for i, name in enumerate(names) if name in ("write", "pwrite64", "writev") and is_output(calls[i][1]))
    syncs = [i for i, name in enumerate(names) if name == "fsync"]
    if not any(last_write < i < naming[0] for i in syncs):
        return "no fsync between the last write and the naming"
    if not any(i > naming[-1] for i in syncs):
        return "no fsync of the folder after the naming"
    return ""


def is_output(text: str) -> bool:
    """Not standard output and error, which are not files here."""
    return not re.match(r"[012](<|,)", text)


def main() -> int:
    if not shutil.which("strace"):
        print("skipped: no strace")
        return 77
    truewheel = str(Path(sys.argv[1]).resolve())
    failures = []
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for scenario in scenarios(truewheel, work):
            folder = scenario.fresh(work / "run")
            command = [truewheel, *scenario.command]
            calls = trace(command, folder, work / "log")
            if wrong := order(calls, scenario):
                failures.append(f"{scenario.name}: {wrong}")
            for call, text in calls:
                if call in ("open", "openat", "creat") and any(flag in text for flag in WRITES):
                    opened = re.search(r'"([^"]*)"', text)[1]
                    if opened.startswith(("in/", "lib/")):
                        failures.append(f"{scenario.name}: input opened for writing: {text}")
                    elif opened.startswith("/") and not opened.startswith("/dev/"):
                        failures.append(f"{scenario.name}: opened for writing outside the output folder: {text}")
            folder = scenario.fresh(folder)
            subprocess.run(["strace", "-f", "-qq", "-o", str(work / "other"), "-e", "trace=execve,execveat,fork,vfork,%network",
                            *command], cwd=folder, check=True, env=environment(), stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            other = [line for line in (work / "other").read_text().splitlines() if "(" in line]
            if len(other) != 1 or "execve" not in other[0]:
                failures.append(f"{scenario.name}: starts programs or uses the network: {other[1:]}")
            print(f"{scenario.name}: {len(calls)} calls looked at")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
