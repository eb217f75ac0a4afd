#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lets wheel_sweep repair changed copies of small wheels, and reads what came of them.

    sweep.py SWEEP lengths|bytes|random [--seed N] [--count N] [--no-memory-limit]

Every shorter copy is refused. A copy with changed bytes is refused, or its repair is a wheel in order whose members are those of the wheel
before the change but for what the change may reach: RECORD vouches for the rest.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "zoo"))
import zip_reader  # noqa: E402
from judge_zip import record_complaints, tag_complaints, zip_complaints  # noqa: E402
from wheel_bytes import FILE_NAME, INFO, STORED, Item, Zip, extra_field, good  # noqa: E402

MEMORY = 512 << 20


def plain() -> Zip:
    return good()


def described() -> Zip:
    """As zipfile writes to a pipe, with folder entries, another alphabet, comments and extra fields."""
    archive = good({"odd/é.txt": b"x", "odd/tool.sh": b"#!/bin/sh\n"})
    archive.items.insert(0, Item(b"odd/", b"", STORED, 0o040755))
    archive.item("odd/tool.sh").mode = 0o100755
    for item in archive.items[1:]:
        item.describe()
        item.both(extra=extra_field(0x5455, b"\1" + bytes(4)))
    archive.comment = b"built by hand"
    archive.items[2].central["comment"] = b"a word"
    return archive


def wide() -> Zip:
    """ZIP64 throughout, members in another order than the directory."""
    archive = good({f"{INFO}/licenses/LICENSE": b"MIT"})
    for item in archive.items:
        item.describe(wide=True)
    archive.wide = {}
    archive.order = list(range(len(archive.items)))[::-1]
    return archive


WHEELS = {"plain": plain, "described": described, "wide": wide}


def judge(before: dict, output: Path) -> list[str]:
    data = output.read_bytes()
    after = zip_reader.read(data)
    contents = {name: member.content for name, member in after.items()}
    complaints = zip_complaints(data) + record_complaints(contents) + tag_complaints(output.name, contents)
    for name, was in before.items():
        leaf = name.removeprefix(f"{INFO}/")
        if leaf in ("WHEEL", "RECORD"):
            continue
        if name not in contents or contents[name] != was.content:
            complaints.append(f"{name} is lost or changed")
    complaints += [f"{name} is new" for name in contents if name not in before]
    return complaints


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sweep", type=Path)
    parser.add_argument("mode", choices=("lengths", "bytes", "random"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=3000, help="random copies of each wheel")
    parser.add_argument("--no-memory-limit", action="store_true")
    options = parser.parse_args()
    wrong = 0
    for name, make in WHEELS.items():
        with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
            wheel = Path(folder) / FILE_NAME
            wheel.write_bytes(make().build())
            work = Path(folder) / "work"
            words = [str(options.seed), str(options.count)] if options.mode == "random" else []
            limit = [] if options.no_memory_limit else [f"--as={MEMORY}"]
            done = subprocess.run(["prlimit", "--cpu=1200", *limit, str(options.sweep.resolve()), options.mode, str(wheel), str(work), *words],
                                  capture_output=True, text=True)
            print(f"{name}, {wheel.stat().st_size} bytes: {(done.stdout + done.stderr).strip()}", flush=True)
            wrong += done.returncode != 0
            outputs = sorted((work / "out").rglob("*.whl"))
            if options.mode == "lengths" and outputs:
                print(f"WRONG: {len(outputs)} shorter copies were taken")
                wrong += 1
            before = zip_reader.read(make().build())
            for output in outputs:
                complaints = judge(before, output)
                if complaints:
                    wrong += 1
                    print(f"WRONG: {output.parent.name}: {complaints[:3]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
