# SPDX-License-Identifier: Apache-2.0
"""The table of cases: what a case is, and how rows register theirs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from elf_bytes import Elf
from small_files import DEPENDENCY, FOUR, NATIVE, CannotBuild, library

# What a row asks for: refuse the file; let it pass, an edit is refused; edit it; let it pass, an edit is refused for a
# reason of the file's kind. P and X differ in why, not in what is tried.
VERDICTS = "RPEX"


@dataclass
class Case:
    name: str
    data: bytes
    verdict: str
    id: str = ""  # the stable id of the refusal, for all but E
    use: str = ""  # "library" or "program": it can be used here, before and after
    needed: str = DEPENDENCY  # the needed name that is made longer
    wheel_verdict: str = ""  # of a member of a wheel, where that is another one
    soname_edit: bool = True
    companions: dict[str, bytes] = field(default_factory=dict)
    edits: int = 1  # times that the edits are made, one after the other
    keeps: tuple[str, ...] = ()  # what readelf -d must still say


ROWS: dict[str, list[Callable[[], Iterator[Case]]]] = {}
NOT_BUILT: list[str] = []


def row(name: str):
    def register(function: Callable[[], Iterator[Case]]):
        ROWS.setdefault(name, []).append(function)
        return function

    return register


def cases() -> Iterator[tuple[str, Case]]:
    for name in sorted(ROWS):
        for function in ROWS[name]:
            for case in function():
                yield name, case


def short(target: str) -> str:
    return target.split("-")[0]


def bases(targets: list[str] = FOUR, *options: str) -> Iterator[tuple[str, Elf]]:
    """Fresh copies of the library for each target that the tools here can make."""
    for target in targets:
        try:
            yield short(target), Elf(library(target, *options))
        except CannotBuild as reason:
            NOT_BUILT.append(f"{target} {' '.join(options)}: {reason}")


def changed(title: str, change: Callable[[Elf], object], verdict: str, id: str = "", targets: list[str] | None = None,
            options: tuple[str, ...] = (), **more) -> Iterator[Case]:
    """One change on the native library and on one of each class and byte order."""
    for target, elf in bases([NATIVE, *FOUR[1:]] if targets is None else targets, *options):
        change(elf)
        yield Case(f"{title}, {target}", elf.bytes(), verdict, id, **more)


def set_header(name: str, value: int) -> Callable[[Elf], None]:
    def change(elf: Elf) -> None:
        elf.header[name] = value

    return change


def set_byte(place: int, value: int) -> Callable[[Elf], None]:
    def change(elf: Elf) -> None:
        elf.data[place] = value

    return change


def set_segment(kind: str, name: str, value, number: int = 0) -> Callable[[Elf], None]:
    """`value`: a number, or a function of the old one and the file."""

    def change(elf: Elf) -> None:
        segment = elf.segment(kind, number)
        segment[name] = value(segment[name], elf) if callable(value) else value

    return change


def set_entry(tag: str, value) -> Callable[[Elf], None]:
    def change(elf: Elf) -> None:
        entry = elf.entry(tag)
        entry["value"] = value(entry["value"], elf) if callable(value) else value

    return change
