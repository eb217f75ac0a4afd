# SPDX-License-Identifier: Apache-2.0
"""What a case is, and the table of the functions that yield them: one function a row, named by its number."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from wheel_bytes import FILE_NAME, Zip

REFUSED = 3  # exit code: not a wheel, malformed or unsafe
UNFIT = 1  # exit code: the wheel is one, and does not pass


@dataclass
class Case:
    """`id`: of the refusal, empty if the wheel is taken. `says`: a piece of the warning that a taken wheel gets. `accept`: with this option
    it is taken all the same. `dropped`: members that the output does not have. `judged`: False where installers need not take it.
    `checked`: what the gate ends with. `tidy`: False where WHEEL comes out as odd as it was. `strict`: False where --verify=strict refuses it."""

    what: str
    archive: bytes
    id: str = ""
    says: str = ""
    code: int = REFUSED
    file_name: str = FILE_NAME
    accept: str = ""
    dropped: frozenset[str] = field(default_factory=frozenset)
    judged: bool = True
    checked: int = 0
    tidy: bool = True
    strict: bool = True
    seconds: float = 10
    row: str = ""

    @property
    def name(self) -> str:
        return f"{self.row} {self.what}"


ROWS: dict[str, Callable[[], Iterator[Case]]] = {}


def row(function: Callable[[], Iterator[Case]]) -> Callable[[], Iterator[Case]]:
    number = function.__name__.upper()
    assert number not in ROWS, number
    ROWS[number] = function
    return function


def bytes_of(archive: Zip | bytes) -> bytes:
    return archive.build() if isinstance(archive, Zip) else archive


def refused(what: str, id: str, archive: Zip | bytes, **more: object) -> Case:
    return Case(what, bytes_of(archive), id, **more)


def taken(what: str, archive: Zip | bytes, **more: object) -> Case:
    return Case(what, bytes_of(archive), **more)


def warned(what: str, says: str, archive: Zip | bytes, **more: object) -> Case:
    return Case(what, bytes_of(archive), says=says, **more)


def all_cases(wanted: str = "") -> Iterator[Case]:
    """Every case, row by row; `wanted` is a row or a piece of a case's name."""
    for number, function in sorted(ROWS.items()):
        if wanted and wanted in ROWS and wanted != number:
            continue
        seen = set()
        for case in function():
            case.row = number
            assert case.what not in seen, case.name
            seen.add(case.what)
            if not wanted or wanted in ROWS or wanted in case.name:
                yield case
