#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs elf_sweep over the small files under limits of time and memory.

    sweep.py make FOLDER                       builds the small files
    sweep.py lengths|bytes|load|huge FOLDER SWEEP [--stride N] [--no-memory-limit]
"""

import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from elf_bytes import PT, Elf  # noqa: E402
from small_files import DEPENDENCY, CannotBuild, dependency, smallest  # noqa: E402

MEMORY = 512 << 20
# Files that are loaded here, by the linkers that made them.
LOADED = ["native-bfd", "native-bfd-both", "native-gold"]


def make(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        (folder / DEPENDENCY).write_bytes(dependency())
    except CannotBuild as reason:
        print(f"SKIPPED: {reason}")
        return 77
    files = smallest()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    kinds = {(data[4], data[5]) for data in files.values()}
    print(f"{len(files)} files of {len(kinds)} classes and byte orders")
    return 0 if len(files) >= 9 and len(kinds) == 4 else 1


def huge_file(folder: Path) -> Path:
    """A library whose section headers lie behind 5 GiB of nothing."""
    elf = Elf((folder / "native-bfd-both").read_bytes())
    table = elf.header["e_shoff"]
    far = 5 << 30
    rest = bytes(elf.data[table:])
    elf.header["e_shoff"] = far
    path = folder / "huge"
    with path.open("wb") as file:
        file.write(elf.data[:table])
        file.truncate(far)
        file.seek(far)
        file.write(rest)
    assert any(segment["type"] == PT["LOAD"] for segment in elf.segments)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("make", "lengths", "bytes", "load", "huge"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("sweep", type=Path, nargs="?")
    parser.add_argument("--stride", type=int)
    parser.add_argument("--no-memory-limit", action="store_true")
    options = parser.parse_args()
    if options.mode == "make":
        return make(options.folder)
    folder = options.folder.resolve()
    files = sorted(path.name for path in folder.iterdir() if path.name not in (DEPENDENCY, "huge"))
    words = {"lengths": ["lengths", *files], "bytes": ["bytes", str(options.stride or 1), *files],
             "load": ["load", str(options.stride or 7), f"./{DEPENDENCY}", *(name for name in LOADED if name in files)]}
    if options.mode == "huge":
        command = ["plan", str(huge_file(folder))]
    else:
        command = words[options.mode]
    # The mapping of a huge file counts as memory.
    limit = [] if options.no_memory_limit or options.mode == "huge" else [f"--as={MEMORY}"]
    done = subprocess.run(["prlimit", "--cpu=600", *limit, str(options.sweep.resolve()), *command], cwd=folder)
    (folder / "huge").unlink(missing_ok=True)
    return done.returncode if done.returncode >= 0 else 1


if __name__ == "__main__":
    sys.exit(main())
