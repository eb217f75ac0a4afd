#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of elf_edit_fuzz: each small ELF file with each single wish.

    elf_edit_seeds.py FOLDER
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "elf_cases"))
from small_files import smallest  # noqa: E402

WISHES = 29  # kSingleWishes of edit_oracle.hpp


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in smallest().items():
        for number in [*range(WISHES), *range(WISHES, 256, 23)]:
            (folder / f"{name}-{number}").write_bytes(bytes([number]) + data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
