# SPDX-License-Identifier: Apache-2.0
"""Published wheels of every architecture and policy family, pinned by sha256 in published_wheels.txt.

They are kept in $TRUEWHEEL_CACHE/corpus or ~/.cache/truewheel/corpus, each under its own file name.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import published  # noqa: E402

LIST = Path(__file__).resolve().parent / "published_wheels.txt"
FOLDER = published.CACHE / "corpus"


@dataclass(frozen=True)
class Published:
    """A line of the list; the parts of its file name are those of the wheel specification."""

    file_name: str
    sha256: str
    quick: bool

    @property
    def path(self) -> Path:
        return FOLDER / self.file_name

    def part(self, index: int) -> str:
        return self.file_name.removesuffix(".whl").split("-")[index]

    @property
    def requirement(self) -> str:
        return f"{self.part(0).lower().replace('_', '-')}=={self.part(1)} --hash=sha256:{self.sha256}"


def wheels() -> list[Published]:
    lines = [line.split() for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return [Published(file_name, digest, bool(mark)) for digest, file_name, *mark in lines]


def interpreter(wheel: Published) -> tuple[str, str]:
    """Implementation and version of an interpreter that takes the wheel."""
    implementation, version = re.fullmatch(r"([a-z]+)(\d+)", wheel.part(-3).split(".")[-1]).groups()
    if implementation == "py" or wheel.part(-2) == "abi3":
        return "cp", "27" if version == "2" else "314"
    return implementation, version


def batches(wanted: list[Published]) -> list[list[Published]]:
    """Groups that one call of pip takes: one interpreter, no project twice."""
    found: dict[tuple[tuple[str, str], int], list[Published]] = {}
    for wheel in wanted:
        which = interpreter(wheel)
        turn = 0
        while any(other.part(0).lower() == wheel.part(0).lower() for other in found.get((which, turn), [])):
            turn += 1
        found.setdefault((which, turn), []).append(wheel)
    return list(found.values())


def pip_options(batch: list[Published]) -> list[str]:
    implementation, version = interpreter(batch[0])
    abis = sorted({wheel.part(-2) for wheel in batch} - {"none", "abi3"}) or [f"{implementation}{version}"]
    platforms = sorted({platform for wheel in batch for platform in wheel.part(-1).split(".")})
    return ["--implementation", implementation, "--python-version", version,
            *(word for abi in abis for word in ("--abi", abi)),
            *(word for platform in platforms for word in ("--platform", platform))]


def download(wanted: list[Published]) -> None:
    """Downloads what is not in the cache; Unreachable without network, SystemExit when pip finds no such file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for wheel in wanted:
        older = published.CACHE / wheel.file_name
        if not wheel.path.exists() and older.exists():
            wheel.path.symlink_to(older)
    for batch in batches([wheel for wheel in wanted if not wheel.path.exists()]):
        with tempfile.TemporaryDirectory(dir=FOLDER) as scratch:
            requirements = Path(scratch) / "requirements.txt"
            # The hash leaves pip one file to choose.
            requirements.write_text("".join(f"{wheel.requirement}\n" for wheel in batch))
            published.pip_download(["-r", str(requirements), *pip_options(batch)], Path(scratch), batch[0].file_name)
            for wheel in batch:
                (Path(scratch) / wheel.file_name).rename(wheel.path)
    for wheel in wanted:
        if hashlib.sha256(wheel.path.read_bytes()).hexdigest() != wheel.sha256:
            sys.exit(f"{wheel.path} has not the sha256 {wheel.sha256}")


if __name__ == "__main__":
    download(wheels())
