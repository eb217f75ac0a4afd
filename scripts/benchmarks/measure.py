# SPDX-License-Identifier: Apache-2.0
"""Runs programs and measures them."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Figures:
    wall: float  # seconds
    processor: float  # seconds of user and system time
    peak: float  # MB of resident memory
    size: int = 0  # bytes of the wheel written


class Starter:
    """A small process that starts the programs. One started from here would have this process's peak of memory, and a
    function between fork and exec would cost each run 3 ms."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, command: list[str], environment: dict[str, str]) -> dict:
        print(json.dumps([command, environment]), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline())


STARTER = None if __name__ == "__main__" else Starter()  # before this process takes memory


def be_started() -> None:
    """The starter's side: a command and its environment a line, and the figures of its run back."""
    try:
        # So that other work on the machine does not get in the way. Not a real-time priority: under it a thread may
        # wait on its parent's core while another core is free.
        os.setpriority(os.PRIO_PROCESS, 0, -20)
    except PermissionError:
        pass
    for line in sys.stdin:
        command, environment = json.loads(line)
        start = time.monotonic()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        complaint = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        print(json.dumps({"wall": time.monotonic() - start, "processor": usage.ru_utime + usage.ru_stime,
                          "peak": usage.ru_maxrss * 1024 / 1e6, "exit": process.returncode,
                          "complaint": complaint.decode(errors="replace")}), flush=True)


def run(command: list[str], environment: dict[str, str], out: Path | None = None) -> Figures:
    """One run; `out`: the folder that gets one wheel, emptied before."""
    if out:
        shutil.rmtree(out, ignore_errors=True)
    found = STARTER.run(command, environment)
    if found["exit"] != 0:
        sys.exit(f"failed: {' '.join(command)}\n{found['complaint']}")
    size = sum(wheel.stat().st_size for wheel in out.glob("*.whl")) if out else 0
    return Figures(found["wall"], found["processor"], found["peak"], size)


def median(figures: list[Figures]) -> Figures:
    return Figures(statistics.median(f.wall for f in figures), statistics.median(f.processor for f in figures),
                   statistics.median(f.peak for f in figures), figures[0].size)


if __name__ == "__main__":
    be_started()
