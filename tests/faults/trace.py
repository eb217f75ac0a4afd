# SPDX-License-Identifier: Apache-2.0
"""Runs a program under strace: to list its file system calls, or to disturb one of them."""

import collections
import re
import subprocess
from pathlib import Path

from scenarios import environment

CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\((.*)$")
SETS = "%file,%desc"


def trace(command: list[str], folder: Path, log: Path) -> list[tuple[str, str]]:
    """(name, arguments and result) of each file and descriptor call, in order, from the program's own start."""
    subprocess.run(["strace", "-f", "-qq", "-y", "-e", f"trace={SETS}", "-e", "signal=none", "-o", str(log), *command], cwd=folder,
                   check=True, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    calls = []
    for line in log.read_text(errors="replace").splitlines():
        if match := CALL.match(line):
            calls.append((match[1], match[2]))
    return calls


def disturbed(command: list[str], folder: Path, inject: str) -> subprocess.CompletedProcess:
    """One run with strace's `inject` expression; its output is in the result. Where an error is injected, only the call
    in question stops the program, by a filter of the kernel; strace 6.1 passes over signals there."""
    call, what = inject.split(":", 1)
    quick = ["--seccomp-bpf"] if what.startswith("error=") else []
    return subprocess.run(["strace", "-f", "-qq", *quick, "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={inject}", *command],
                          cwd=folder, env=environment(), capture_output=True, text=True, errors="replace", timeout=300)


def injection_points(calls: list[tuple[str, str]]) -> list[tuple[str, int]]:
    """Each call as strace's `inject` names it: (name, how many of that name came up to it)."""
    seen: collections.Counter = collections.Counter()
    points = []
    for name, _ in calls:
        seen[name] += 1
        points.append((name, seen[name]))
    return points


def interesting(calls: list[tuple[str, str]], every: int) -> list[int]:
    """Positions to disturb: every `every`th, but of a run of many alike (the package lists of the machine are read
    one by one) far fewer, since one stands for all."""
    chosen, alike = [], 0
    for position, (name, text) in enumerate(calls):
        in_list = "/var/lib/dpkg/" in text
        alike = alike + 1 if in_list else 0
        if alike > 20 and alike % 500:
            continue
        chosen.append(position)
    return chosen[::every]
