#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same wheel and options give the same bytes, wherever and however truewheel runs.

    identical_test.py TRUEWHEEL

Two extension modules need two libraries of the build. What surrounds the repair changes: time zone, language, umask, folders, threads, user, the order of the
files on the disk. The input's members are shuffled, and get other times and descriptors: they are copied as they are packed, and everything else of
their headers is made anew.
"""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "faults"))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import pack_wheel  # noqa: E402
from scenarios import WHEEL, compile_library  # noqa: E402

LIBRARIES = ("libone.so.1", "libtwo.so.1")


def make(folder: Path) -> None:
    tree = folder / "tree"
    for name in LIBRARIES:
        symbol = name[3:6]
        compile_library(folder / "lib" / name, f"int {symbol}(void) {{ return 1; }}", f"-Wl,-soname,{name}")
    for module in ("_x", "_y"):
        compile_library(tree / "demo" / f"{module}.so", "int one(void), two(void); int value(void) { return one() + two(); }",
                        *(str(folder / "lib" / name) for name in LIBRARIES))
    (tree / "demo" / "__init__.py").write_text("")
    (tree / "demo" / "data.bin").write_bytes(bytes(range(256)) * 4000)
    (folder / "in").mkdir()
    pack_wheel.main(tree, folder / "in" / WHEEL)
    shutil.rmtree(tree)


class Unseekable(io.RawIOBase):
    """What zipfile writes here, it writes with descriptors."""

    def __init__(self, file: io.BufferedWriter) -> None:
        self.file = file

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:
        return self.file.write(data)


def shuffled(source: Path, target: Path, with_descriptors: bool) -> None:
    """Members in reverse, other times; zlib packs the same content at the same level to the same bytes."""
    target.parent.mkdir()
    with zipfile.ZipFile(source) as old, target.open("wb") as file, zipfile.ZipFile(Unseekable(file) if with_descriptors else file, "w") as new:
        for info in reversed(old.infolist()):
            entry = zipfile.ZipInfo(info.filename, (1999, 12, 31, 23, 59, 58))
            entry.compress_type, entry.external_attr = info.compress_type, info.external_attr
            new.writestr(entry, old.read(info))


def main() -> int:
    truewheel = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="identical-") as name:
        root = Path(name)
        root.chmod(0o755)
        make(root)
        # The same libraries, made in another order, in another place.
        (root / "elsewhere").mkdir()
        for library in reversed(LIBRARIES):
            (root / "elsewhere" / "filler").write_bytes(bytes(5000))
            shutil.copy(root / "lib" / library, root / "elsewhere" / library)
        (root / "link").symlink_to("in")
        deep = root / "a" / "b"
        deep.mkdir(parents=True)
        (root / "copy").mkdir()
        shutil.copy(root / "in" / WHEEL, root / "copy" / WHEEL)
        os.utime(root / "copy" / WHEEL, (0, 0))
        shuffled(root / "in" / WHEEL, root / "shuffled" / WHEEL, False)
        shuffled(root / "in" / WHEEL, root / "piped" / WHEEL, True)
        base = {"PATH": os.environ["PATH"], "HOME": str(root), "SOURCE_DATE_EPOCH": "1700000000"}
        # name -> (environment, how the process is started, input, search folder, options, program in front)
        ways: dict[str, dict] = {
            "plain": {}, "again": {}, "TZ east": {"env": {"TZ": "Asia/Kolkata"}}, "TZ west": {"env": {"TZ": "America/St_Johns"}}, "TZ broken": {"env": {"TZ": ":no/where"}},
            "Turkish": {"env": {"LANG": "tr_TR.UTF-8"}}, "LC_ALL=C": {"env": {"LC_ALL": "C"}}, "C.UTF-8": {"env": {"LC_ALL": "C.UTF-8"}}, "a language that is none": {"env": {"LC_ALL": "xx_YY.ISO-8859-15"}},
            "umask 077": {"umask": 0o077}, "umask 000": {"umask": 0}, "in /": {"cwd": "/"}, "in a deep folder": {"cwd": str(deep)}, "one thread": {"options": ["-j", "1"]}, "two threads": {"options": ["-j", "2"]},
            "eight threads": {"options": ["-j", "8"]}, "no HOME": {"without": ["HOME"]}, "memory that is not zero": {"env": {"MALLOC_PERTURB_": "165"}}, "other libraries' place and order": {"search": "elsewhere"},
            "search twice": {"options": ["--search", str(root / "elsewhere")]}, "through a link": {"input": "link"}, "a copy of another time": {"input": "copy"}, "another TMPDIR": {"env": {"TMPDIR": str(deep)}},
            "a wide terminal": {"env": {"COLUMNS": "500", "TERM": "xterm", "NO_COLOR": "1"}}, "one processor": {"front": ["taskset", "-c", "0"]}, "members shuffled": {"input": "shuffled"}, "members shuffled, with descriptors": {"input": "piped"},
            **({"nobody": {"front": ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]}} if os.geteuid() == 0 and shutil.which("setpriv") else {})}
        digests = {}
        for number, (label, way) in enumerate(ways.items()):
            out = root / f"out-{number}"
            out.mkdir()
            out.chmod(0o777)
            environment = {key: value for key, value in (base | way.get("env", {})).items() if key not in way.get("without", [])}
            command = [*way.get("front", []), truewheel, "repair", "-w", str(out), "--search", str(root / way.get("search", "lib")), *way.get("options", []), str(root / way.get("input", "in") / WHEEL)]
            done = subprocess.run(command, env=environment, cwd=way.get("cwd", str(root)), umask=way.get("umask", 0o022), capture_output=True, text=True)
            made = sorted(out.iterdir())
            if done.returncode or len(made) != 1:
                print(f"WRONG: {label}: exit {done.returncode}, {len(made)} files: {done.stderr.strip()[-300:]}")
                return 1
            digests[label] = (made[0].name, hashlib.sha256(made[0].read_bytes()).hexdigest())
        differ = [label for label, digest in digests.items() if digest != digests["plain"]]
        print(f"{len(ways)} ways, {len(set(digests.values()))} results{': ' + ', '.join(differ) if differ else ''}")
        return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
