#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make stand-ins for libraries that this machine lacks, such as a GPU runtime.

    stub_libraries.py FOLDER SONAME[,SONAME...] ELF...

A stand-in defines each function that the ELF files import from its SONAME, under the version they ask
for; all return 1. That loads the files and proves that their libraries are found, and computes nothing.
Needs gcc and readelf.
"""

import collections
import re
import subprocess
import sys
from pathlib import Path


def readelf(option: str, elf: str) -> list[str]:
    return subprocess.run(["readelf", "-W", option, elf], check=True, capture_output=True, text=True).stdout.splitlines()


def version_needs(elf: str) -> dict[str, tuple[str, str]]:
    """Version index -> (SONAME that must define it, version name)."""
    needs, soname = {}, ""
    for line in readelf("--version-info", elf):
        if match := re.search(r"Version: 1 +File: (\S+)", line):
            soname = match[1]
        elif match := re.search(r"Name: (\S+) +Flags: .* Version: (\d+)$", line):
            needs[match[2]] = (soname, match[1])
    return needs


def imports(elf: str) -> list[tuple[str, str, str]]:
    """(SONAME, version, symbol) of each undefined dynamic symbol with a version."""
    needs = version_needs(elf)
    found = [re.search(r" UND (\S+?)@+\S+ \((\d+)\)$", line) for line in readelf("--dyn-syms", elf)]
    return [(*needs[match[2]], match[1]) for match in found if match and match[2] in needs]


def write_stub(folder: Path, soname: str, versions: dict[str, set[str]]) -> int:
    symbols = sorted(set().union(*versions.values()))
    script = "".join(f"{version} {{ global: {' '.join(f'{name};' for name in sorted(names))} }};\n"
                     for version, names in sorted(versions.items()))
    map_file = folder / f"{soname}.map"
    map_file.write_text(script)
    command = ["gcc", "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", str(folder / soname), f"-Wl,-soname,{soname}"]
    command += [f"-Wl,--version-script={map_file}"] if versions else []
    source = "".join(f"int {name}(void) {{ return 1; }}\n" for name in symbols)
    subprocess.run(command, input=source, text=True, check=True)
    map_file.unlink()
    return len(symbols)


def main(folder: str, sonames: str, *elfs: str) -> None:
    wanted = {soname: collections.defaultdict(set) for soname in sonames.split(",")}
    for elf in elfs:
        for soname, version, symbol in imports(elf):
            if soname in wanted:
                wanted[soname][version].add(symbol)
    Path(folder).mkdir(parents=True, exist_ok=True)
    for soname, versions in wanted.items():
        print(f"{soname}: {write_stub(Path(folder), soname, versions)} functions")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
