#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs a folder into a wheel.

    pack_wheel.py TREE WHEEL

Adds METADATA, WHEEL and RECORD for the name and tags of WHEEL unless TREE has them; modes of the files are kept.
"""
import base64
import hashlib
import sys
import zipfile
from pathlib import Path


def record_row(name: str, data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    quoted = '"' + name.replace('"', '""') + '"' if any(c in name for c in '",\n\r') else name
    return f"{quoted},sha256={digest},{len(data)}\n"


def main(tree: Path, wheel: Path) -> None:
    parts = wheel.name.removesuffix(".whl").split("-")
    name, version = parts[:2]
    python, abi, platform = parts[-3:]
    info = f"{name}-{version}.dist-info"
    files = {str(p.relative_to(tree)): (p.read_bytes(), p.stat().st_mode) for p in sorted(tree.rglob("*")) if p.is_file()}
    tags = [f"{p}-{a}-{t}" for p in python.split(".") for a in abi.split(".") for t in platform.split(".")]
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: pack_wheel\nRoot-Is-Purelib: false\n"
        + "".join(f"Tag: {tag}\n" for tag in tags) + "\n",
    }
    for path, text in texts.items():
        files.setdefault(path, (text.encode(), 0o100644))
    record = "".join(record_row(path, data) for path, (data, _) in files.items()) + f"{info}/RECORD,,\n"
    files.setdefault(f"{info}/RECORD", (record.encode(), 0o100644))
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (data, mode) in files.items():
            entry = zipfile.ZipInfo(path, (2024, 1, 2, 3, 4, 6))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | (mode & 0o777)) << 16
            archive.writestr(entry, data)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
