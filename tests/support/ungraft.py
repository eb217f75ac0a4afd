#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Undo a wheel's repair: a published wheel becomes real input for a repair.

    ungraft.py WHEEL OUT_FOLDER LIBRARY_FOLDER [PATCHELF]

Libraries in <name>.libs move to LIBRARY_FOLDER under the names they had before a hash was put in, NEEDED
entries and SONAMEs go back to those names, run path entries into <name>.libs go, and the platform tag
becomes linux_<arch>; Android's stays, since builds have it, too. Prints the path of the wheel written to
OUT_FOLDER. PATCHELF: patchelf 0.19 or later (older ones damage files when asked for several edits); default: the
one on PATH.
"""

import base64
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

GRAFT_NAME = re.compile(r"(lib.+?)-[0-9a-f]{8}((?:\.[^/]*)?)")


def unpack(wheel: Path, folder: Path) -> dict[str, int]:
    """Unpacks the wheel; returns each file's mode."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        return {entry.filename: entry.external_attr >> 16 for entry in archive.infolist() if not entry.is_dir()}


def edits_for(path: Path, original: dict[str, str], patchelf: str) -> list[str]:
    def ask(question: str) -> list[str]:
        done = subprocess.run([patchelf, question, str(path)], check=True, capture_output=True, text=True)
        return done.stdout.split("\n")[:-1]

    edits = []
    for needed in ask("--print-needed"):
        if needed in original:
            edits += ["--replace-needed", needed, original[needed]]
    if path.name in original:
        edits += ["--set-soname", original[path.name]]
    run_path = "".join(ask("--print-rpath")).split(":")
    kept = [] if path.name in original else [entry for entry in run_path if ".libs" not in entry]
    if kept != run_path:
        edits += ["--set-rpath", ":".join(kept)] if kept else ["--remove-rpath"]
    return edits


def untag(text: str, platform: str) -> str:
    """WHEEL with one tag line for each Python and ABI tag."""
    lines = [re.sub(r"^(Tag: .*-)[^-]+$", rf"\g<1>{platform}", line) for line in text.splitlines()]
    return "\n".join(dict.fromkeys(lines)) + "\n"


def pack(folder: Path, modes: dict[str, int], wheel: Path) -> None:
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    (record,) = [name for name in names if re.fullmatch(r"[^/]+\.dist-info/RECORD", name)]
    rows = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in [*(name for name in names if name != record), record]:
            data = (folder / name).read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            quoted = '"' + name.replace('"', '""') + '"' if set(name) & set('",') else name
            rows.append(f"{quoted},," if name == record else f"{quoted},sha256={digest},{len(data)}")
            entry = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = modes[name] << 16
            archive.writestr(entry, "\n".join([*rows, ""]) if name == record else data)


def ungraft(wheel: Path, out: Path, libraries: Path, patchelf: str = "patchelf") -> Path:
    stem, platforms = wheel.stem.rsplit("-", 1)
    platform = re.sub(r"^(manylinux(1|2010|2014|_\d+_\d+)|musllinux_\d+_\d+)_", "linux_", platforms.split(".")[-1])
    target = out / f"{stem}-{platform}.whl"
    out.mkdir(parents=True, exist_ok=True)
    libraries.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        modes = unpack(wheel, folder)
        grafts = [path for path in folder.glob("*.libs/*") if path.is_file()]
        original = {path.name: "".join(match.groups()) for path in grafts if (match := GRAFT_NAME.fullmatch(path.name))}
        for path in folder.rglob("*"):
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
                if edits := edits_for(path, original, patchelf):
                    subprocess.run([patchelf, *edits, str(path)], check=True)
        for path in grafts:
            (libraries / original.get(path.name, path.name)).write_bytes(path.read_bytes())
            path.unlink()
        for path in folder.glob("*.dist-info/sboms/*"):
            path.unlink()
        (wheel_file,) = folder.glob("*.dist-info/WHEEL")
        wheel_file.write_text(untag(wheel_file.read_text(), platform))
        pack(folder, modes, target)
    return target


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    print(ungraft(*(Path(word) for word in sys.argv[1:4]), *sys.argv[4:]))
