# SPDX-License-Identifier: Apache-2.0
"""Facts about wheels and ELF files for tests, found without any code of truewheel."""

import base64
import csv
import hashlib
import io
import re
import struct
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path


def is_elf(data: bytes) -> bool:
    return data[:4] == b"\x7fELF"


def members(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


def modes(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}


def unpack(wheel: Path, folder: Path) -> None:
    """Unpacks as an installer does: with each member's execute bits."""
    permissions = modes(wheel)
    for name, data in members(wheel).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(permissions[name])


def compressed_members(wheel: Path) -> dict[str, bytes]:
    """Each member's bytes as they lie in the archive."""
    data = wheel.read_bytes()
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            name_size, extra_size = struct.unpack_from("<HH", data, entry.header_offset + 26)
            start = entry.header_offset + 30 + name_size + extra_size
            found[entry.filename] = data[start:start + entry.compress_size]
    return found


def record_complaints(wheel: Path) -> list[str]:
    """What is wrong with RECORD, against the archive's own list of members; [] if nothing."""
    files = members(wheel)
    (record,) = [name for name in files if re.fullmatch(r"[^/]+\.dist-info/RECORD", name)]
    rows = list(csv.reader(io.StringIO(files[record].decode(), newline="")))
    names = [row[0] for row in rows]
    complaints = [f"{name} has several rows" for name in sorted(set(names)) if names.count(name) > 1]
    complaints += [f"{name} has no row" for name in files if name not in names]
    complaints += [f"{name} has a row and no member" for name in names if name not in files]
    for name, digest, size in rows:
        if name == record:
            if digest or size:
                complaints.append("RECORD states its own hash or size")
        elif name in files:
            wanted = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
            if digest != f"sha256={wanted}":
                complaints.append(f"{name} has the wrong hash")
            if size != str(len(files[name])):
                complaints.append(f"{name} has the wrong size")
    return complaints


@dataclass(frozen=True)
class Dynamic:
    """The entries of .dynamic that a repair may change."""

    needed: list[str]
    soname: str | None
    run_path: list[str]
    run_path_kind: str | None


def dynamic(path: Path) -> Dynamic:
    text = subprocess.run(["readelf", "-dW", str(path)], check=True, capture_output=True, text=True).stdout
    entries = re.findall(r"\((NEEDED|SONAME|RPATH|RUNPATH)\)[^\[]*\[(.*)\]", text)
    run_paths = [(kind, value) for kind, value in entries if kind in ("RPATH", "RUNPATH")]
    if len(run_paths) > 1:
        raise AssertionError(f"{path} has both kinds of run path: {run_paths}")
    kind, value = run_paths[0] if run_paths else (None, "")
    return Dynamic([value for kind, value in entries if kind == "NEEDED"],
                   next((value for kind, value in entries if kind == "SONAME"), None),
                   value.split(":") if kind else [], kind)


@dataclass(frozen=True)
class Section:
    kind: int
    flags: int
    address: int
    data: bytes


def sections(path: Path) -> dict[str, Section]:
    """The named sections of a 64-bit little-endian ELF file."""
    data = path.read_bytes()
    assert data[:6] == b"\x7fELF\x02\x01", path
    table, = struct.unpack_from("<Q", data, 0x28)
    entry_size, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * entry_size) for i in range(count)]
    names_offset = headers[names_index][4]
    found = {}
    for name, kind, flags, address, offset, size in headers:
        start = names_offset + name
        text = data[start:data.index(b"\0", start)].decode()
        found[text] = Section(kind, flags, address, b"" if kind == 8 else data[offset:offset + size])
    return found


def elf_type(path: Path) -> int:
    """2: an executable at fixed addresses; 3: a shared object or PIE."""
    return struct.unpack_from("<H", path.read_bytes(), 16)[0]
