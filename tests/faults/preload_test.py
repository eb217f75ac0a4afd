#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs truewheel with short reads and writes, and with an allocation that fails.

    preload_test.py TRUEWHEEL [--allocations N]

Short reads and writes must not change a byte of the result. For each failing allocation (a sample of N,
default 120, of all) the run ends with the right result, or with a message and nothing left behind; and so it does
when all allocations from there on fail. LIEF's are left out: the destructors of 0.9 free what its constructors did not
come to set when memory was short. Half of the sample is of the start, where the command line is read and OpenSSL
starts; most of the rest reads the package lists of the machine.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from scenarios import environment, judge, scenarios, state

FOR_EVER = "1000000000"
NO_MEMORY = 4  # exit code
START = 9000  # allocations until the package lists are read


def sample(total: int, count: int) -> list[int]:
    early = min(START, total)
    half = count // 2
    return sorted({1 + i * early // half for i in range(half)} | {1 + i * total // half for i in range(half)})


def extent_of(function: str, program: str) -> str:
    """Where it is in the program, "address+size" as nm prints them."""
    names = subprocess.run(["nm", "-SC", program], capture_output=True, text=True, check=True).stdout
    found = [line for line in names.splitlines() if f" {function}(" in line and line.split()[2] in "tT"
             and "[clone" not in line]
    if len(found) != 1:
        sys.exit(f"{program}: not one {function}: {found}")
    return "+".join(found[0].split()[:2])


def run(command, folder, library, variables):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120,
                          env=environment() | {"LD_PRELOAD": str(library)} | variables)


def allocation_total(command, scenario, folder, library) -> int:
    """The number of the last allocation: beyond it nothing fails any more. Found by halving."""
    low, high = 1, 1 << 22
    while low < high:
        middle = (low + high) // 2
        scenario.fresh(folder)
        # All from `middle` on fail: some output is missing unless there are fewer.
        done = run(command, folder, library, {"FAIL_ALLOCATION": str(middle), "FAIL_ALLOCATION_COUNT": FOR_EVER})
        target = folder / scenario.target
        whole = done.returncode == 0 and target.exists() and target.read_bytes() == scenario.complete
        low, high = (low, middle) if whole else (middle + 1, high)
    return low


def main() -> int:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("truewheel")
    arguments.add_argument("--allocations", type=int, default=120)
    options = arguments.parse_args()
    truewheel = str(Path(options.truewheel).resolve())
    lief = {"LEAVE_OUT": extent_of("truewheel::elf::read_with_lief", truewheel)}
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        library = work / "disturb.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", str(library),
                        str(Path(__file__).parent / "disturb.c"), "-ldl"], check=True)
        for scenario in scenarios(truewheel, work):
            command = [truewheel, *scenario.command]
            folder = work / "run"
            for limit in (1, 7, 4096):
                before = state(scenario.fresh(folder))
                done = run(command, folder, library, {"SHORT_IO": str(limit)})
                whole = (folder / scenario.target).exists() and (folder / scenario.target).read_bytes() == scenario.complete
                wrong = judge(scenario, folder, before, killed=False)
                if done.returncode != 0 or not whole or wrong:
                    failures += 1
                    print(f"{scenario.name}: at most {limit} bytes a call: exit {done.returncode}, {wrong or 'not the same result'}"
                          f": {done.stderr.strip()[-300:]}")
            total = allocation_total(command, scenario, folder, library)
            numbers = sample(total, options.allocations)
            ended = 0
            for place, number in enumerate(numbers):
                count = FOR_EVER if place % 2 else "1"
                before = state(scenario.fresh(folder))
                done = run(command, folder, library, lief | {"FAIL_ALLOCATION": str(number), "FAIL_ALLOCATION_COUNT": count})
                whole = (folder / scenario.target).exists() and (folder / scenario.target).read_bytes() == scenario.complete
                wrong = judge(scenario, folder, before, killed=False)
                if done.returncode not in (0, NO_MEMORY):
                    wrong = f"exit {done.returncode}"
                elif done.returncode == 0 and not whole:
                    wrong = "exit 0 without the result"
                elif done.returncode != 0 and done.stderr.count("error: ") != 1:
                    wrong = f"exit {done.returncode} without one message"
                ended += done.returncode != 0
                if wrong:
                    failures += 1
                    print(f"{scenario.name}: allocation {number} of {total} fails, {count} of them: {wrong}: {done.stderr.strip()[-300:]}")
            print(f"{scenario.name}: {len(numbers)} of {total} allocations, {ended} ended in an error")
            if not ended:
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
