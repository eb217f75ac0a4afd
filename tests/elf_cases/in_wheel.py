# SPDX-License-Identifier: Apache-2.0
"""The same files as members of a wheel for x86-64: malformed ones are refused only if ident, type and machine are the
wheel's; what is refused by no rule comes out byte for byte as it went in."""

import base64
import hashlib
import zipfile
from pathlib import Path

from elf_bytes import Elf
from small_files import DEPENDENCY, NATIVE, dependency, library
from table import Case

NAME = "odd-1.0-cp311-cp311-linux_x86_64.whl"


def write_wheel(path: Path, members: dict[str, bytes]) -> None:
    info = "odd-1.0.dist-info"
    members = {**members, f"{info}/METADATA": b"Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n",
               f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: cases\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n"}
    record = ""
    for name, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += f"{name},sha256={digest},{len(data)}\n"
    members[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), data)


def sound_members() -> dict[str, bytes]:
    return {"odd/__init__.py": b"", "odd/_sound.so": library(NATIVE, "-s"), f"odd/{DEPENDENCY}": dependency()}


def is_of_wheel(data: bytes) -> bool:
    """ident, e_type and e_machine of a whole ELF header are those of an x86-64 program or library."""
    if data[:4] != b"\x7fELF" or len(data) < 64 or data[4] != 2 or data[5] == 2:
        return False
    elf = Elf(data[:5] + b"\1" + data[6:])
    return elf.header["e_machine"] == 62 and elf.header["e_type"] in (2, 3)


def is_refused_here(case: Case) -> bool:
    # Tables that only an edit reads do not matter where there is none.
    return case.verdict == "R" and case.wheel_verdict != "P" and is_of_wheel(case.data)


def judge(bench, table: list[tuple[str, Case]], work: Path) -> int:
    failures = 0
    passing: dict[str, bytes] = {}
    for number, (row, case) in enumerate(table):
        if case.verdict not in "RPX":
            continue
        member = f"odd/m{number:04}/case.so"
        if not is_refused_here(case):
            passing[member] = case.data
            passing[f"odd/m{number:04}/{DEPENDENCY}"] = dependency()
            continue
        folder = work / f"{number:04}" / "wheel"
        folder.mkdir()
        write_wheel(folder / NAME, {**sound_members(), member: case.data})
        done = bench.run(bench.tool, "repair", "-w", folder / "out", folder / NAME)
        if done.returncode != 3 or member not in done.stderr or (folder / "out").exists():
            failures += 1
            print(f"FAILED {number:04} {row}, {case.name}, in a wheel: exit {done.returncode}, {done.stderr.strip()[-300:]}")
    return failures + judge_passing(bench, passing, work)


def judge_passing(bench, passing: dict[str, bytes], work: Path) -> int:
    folder = work / "passing"
    folder.mkdir()
    write_wheel(folder / NAME, {**sound_members(), **passing})
    done = bench.run(bench.tool, "repair", "-w", folder / "out", folder / NAME)
    if done.returncode != 0:
        print(f"FAILED: a wheel of files that pass: exit {done.returncode}, {done.stderr.strip()[-500:]}")
        return 1
    failures = 0
    (result,) = (folder / "out").iterdir()
    with zipfile.ZipFile(result) as archive:
        for name, data in passing.items():
            if archive.read(name) != data:
                failures += 1
                print(f"FAILED {name}: did not pass as it is")
            broken = data[:4] == b"\x7fELF" and name.endswith("case.so") and not is_of_wheel(data) and (len(data) < 64 or may_be_loaded(data))
            if broken and f"{name}: " not in done.stderr:
                failures += 1
                print(f"FAILED {name}: passes without a word")
    return failures


def may_be_loaded(data: bytes) -> bool:
    order = "big" if data[5] == 2 else "little"
    return int.from_bytes(data[16:18], order) in (2, 3)
