# SPDX-License-Identifier: Apache-2.0
"""Runs programs and measures them."""

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


def be_undisturbed() -> None:
    """The first priority where that is allowed, so that other work on the machine does not get in the way; programs
    started from here inherit it. (A function between fork and exec would cost each run 3 ms.) Not a real-time one:
    under it a thread may wait on its parent's core while another core is free."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -20)
    except PermissionError:
        pass


def run(command: list[str], environment: dict[str, str], out: Path | None = None) -> Figures:
    """One run; `out`: the folder that gets one wheel, emptied before."""
    if out:
        shutil.rmtree(out, ignore_errors=True)
    start = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {' '.join(command)}\n{complaint.decode()}")
    size = sum(wheel.stat().st_size for wheel in out.glob("*.whl")) if out else 0
    return Figures(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, size)


def median(figures: list[Figures]) -> Figures:
    return Figures(statistics.median(f.wall for f in figures), statistics.median(f.processor for f in figures),
                   statistics.median(f.peak for f in figures), figures[0].size)
