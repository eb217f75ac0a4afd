#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of elf_edit_fuzz: each small ELF file with each single wish, and those of the replay besides: each
malformed or odd file of tests/elf_cases with some.

    elf_edit_seeds.py FOLDER [--cases]
"""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "elf_cases"))
from small_files import CannotBuild, smallest  # noqa: E402
from table import cases  # noqa: E402

WISHES = 29  # kSingleWishes of edit_oracle.hpp


LARGEST = 64 << 10  # of a case


def put_cases(folder: Path) -> None:
    for module in sorted((Path(__file__).resolve().parents[1] / "elf_cases").glob("rows_*.py")):
        importlib.import_module(module.stem)
    try:
        files = [case.data for _, case in cases() if len(case.data) <= LARGEST]
    except CannotBuild as reason:
        print(f"not built: {reason}")
        return
    for number, data in enumerate(files):
        for wish in {1, 7, 9, number % WISHES, 7 * number % 256}:
            (folder / f"case-{number:04}-{wish}").write_bytes(bytes([wish]) + data)


def main(folder: Path, with_cases: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in smallest().items():
        for number in [*range(WISHES), *range(WISHES, 256, 23)]:
            (folder / f"{name}-{number}").write_bytes(bytes([number]) + data)


    if with_cases:
        put_cases(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--cases" in sys.argv)
