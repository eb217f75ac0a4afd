# SPDX-License-Identifier: Apache-2.0
"""What the benchmark repairs: published wheels turned back into unrepaired ones, wheels that pip builds, and wheels of
any size. Each is made once and kept in the work folder."""

import base64
import hashlib
import shutil
import struct
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "comparison")]
import built  # noqa: E402
import published  # noqa: E402
import ungraft  # noqa: E402

CUDA = [("nvidia-cublas-cu12==12.9.1.4", "manylinux_2_27_x86_64", "453611eb21a7c1f2c2156ed9f3a45b691deda0440ec550860290dc901af5b4c2"),
        ("nvidia-cudnn-cu12==9.10.2.21", "manylinux_2_27_x86_64", "949452be657fa16687d0930933f032835951ef0892b37d2d53824d1a84dc97a8")]


@dataclass
class Input:
    wheel: Path
    excludes: list[str] = field(default_factory=list)
    platform: str = "auto"
    libraries: Path | None = None  # where the libraries to bundle are
    rounds: int = 5
    repairwheel: bool = False


def record_row(data: bytes) -> tuple[str, str]:
    """Hash and size as RECORD has them."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return f"sha256={digest}", str(len(data))


def unrepaired(requirement: tuple[str, ...], work: Path, patchelf: str) -> tuple[Path, Path]:
    folder = work / requirement[0].split("==")[0]
    if not list((folder / "raw").glob("*.whl")):
        shutil.rmtree(folder, ignore_errors=True)
        ungraft.ungraft(published.download(*requirement), folder / "raw", folder / "lib", patchelf)
    (wheel,) = (folder / "raw").glob("*.whl")
    return wheel, folder / "lib"


def from_source(project: str, version: str) -> Path:
    return built.build(built.Source(project, version, "", ""), published.CACHE)


def members_with_data(wheel: Path) -> list[tuple[zipfile.ZipInfo, bytes]]:
    """The members of a wheel with their packed bytes."""
    found = []
    with zipfile.ZipFile(wheel) as archive, wheel.open("rb") as file:
        for entry in archive.infolist():
            file.seek(entry.header_offset + 26)
            name, extra = struct.unpack("<HH", file.read(4))
            file.seek(name + extra, 1)
            found.append((entry, file.read(entry.compress_size)))
    return found


def joined(parts: list[Path], wheel: Path) -> Path:
    """One wheel of several, their members as they are packed; the first one's metadata describe it."""
    if wheel.exists():
        return wheel
    wheel.parent.mkdir(parents=True, exist_ok=True)
    name, version = wheel.name.split("-")[:2]
    folder = f"{name}-{version}.dist-info"
    directory, rows = b"", []
    partial = wheel.with_suffix(".partial")
    with partial.open("wb") as out:
        def put(entry_name: str, method: int, crc: int, data: bytes, size: int, mode: int) -> None:
            nonlocal directory
            raw = entry_name.encode()
            common = struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0x21, crc, len(data), size, len(raw), 0)
            directory += struct.pack("<IH", 0x02014B50, 0x0314) + common
            directory += struct.pack("<HHHII", 0, 0, 0, mode << 16, out.tell()) + raw
            out.write(struct.pack("<I", 0x04034B50) + common + raw + data)

        for part in parts:
            for entry, data in members_with_data(part):
                if ".dist-info/" in entry.filename or entry.is_dir() or entry.filename in {row[0] for row in rows}:
                    continue
                put(entry.filename, entry.compress_type, entry.CRC, data, entry.file_size, 0o100755)
                with zipfile.ZipFile(part) as archive:
                    rows.append((entry.filename, *record_row(archive.read(entry))))
        texts = {"WHEEL": "Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n",
                 "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}
        for leaf, text in texts.items():
            rows.append((f"{folder}/{leaf}", *record_row(text.encode())))
        texts["RECORD"] = "".join(",".join(row) + "\n" for row in rows) + f"{folder}/RECORD,,\n"
        for leaf, text in texts.items():
            put(f"{folder}/{leaf}", 0, zipfile.crc32(text.encode()), text.encode(), len(text.encode()), 0o100644)
        start = out.tell()
        out.write(directory)
        count = len(rows) + 1
        out.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(directory), start, 0))
    partial.rename(wheel)
    return wheel


def library(path: Path, payload: int) -> None:
    """A library with an absolute run path, which a repair drops, and so many bytes of machine code that nobody runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-Wl,-rpath,/opt/build/lib", "-o", str(path)],
                   input="int answer(void) { return 42; }", text=True, check=True)
    filler = path.with_suffix(".payload")
    sources = sorted(Path("/usr/lib/x86_64-linux-gnu").glob("*.so.*"), key=lambda file: file.stat().st_size)
    with filler.open("wb") as out:
        while payload > 0:
            for source in reversed(sources[-40:]):
                data = source.read_bytes()[:payload]
                out.write(data)
                payload -= len(data)
                if payload == 0:
                    break
    subprocess.run(["objcopy", "--add-section", f".payload={filler}", str(path)], check=True)
    filler.unlink()


def synthetic(work: Path, megabytes: int, members: int) -> Path:
    """A wheel with one library of so many MB and so many small modules."""
    name = f"synthetic_{megabytes}_{members}"
    wheel = work / "synthetic" / f"{name}-1.0-py3-none-linux_x86_64.whl"
    if wheel.exists():
        return wheel
    folder = work / "synthetic" / name
    shutil.rmtree(folder, ignore_errors=True)
    library(folder / name / "native.so", megabytes * 1000 * 1000)
    partial = wheel.with_suffix(".partial")
    rows = []
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        def put(path: str, data: bytes) -> None:
            archive.writestr(path, data)
            rows.append(",".join((path, *record_row(data))) + "\n")

        put(f"{name}/native.so", (folder / name / "native.so").read_bytes())
        for i in range(members):
            put(f"{name}/module_{i}.py", (f"# module {i}\n" + "".join(f"value_{j} = {i * j}\n" for j in range(40))).encode())
        info = f"{name}-1.0.dist-info"
        put(f"{info}/WHEEL", b"Wheel-Version: 1.0\nGenerator: bench\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n")
        put(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode())
        archive.writestr(f"{info}/RECORD", "".join(rows) + f"{info}/RECORD,,\n")
    shutil.rmtree(folder)
    partial.rename(wheel)
    return wheel


def real(work: Path, patchelf: str) -> dict[str, Input]:
    """The inputs by name, small ones first."""
    excluded = [f"{name}.so*" for name in published.EXCLUDED]
    inputs = {
        "markupsafe (C extension)": Input(from_source("markupsafe", "2.1.5")),
        "psycopg2": Input(from_source("psycopg2", "2.9.10"), repairwheel=True),
    }
    wheel, libraries = unrepaired(published.ROCM, work, patchelf)
    inputs["mooncake rocm"] = Input(wheel, excluded, "manylinux_2_35_x86_64", libraries, repairwheel=True)
    wheel, libraries = unrepaired(published.NON_CUDA, work, patchelf)
    inputs["mooncake non-cuda"] = Input(wheel, excluded, "manylinux_2_28_x86_64", libraries)
    wheel, libraries = unrepaired(published.NIXL, work, patchelf)
    inputs["nixl-cu13 (47 ELF files)"] = Input(wheel, ["*"], libraries=libraries, rounds=1)
    wheel, libraries = unrepaired(published.JAX_ROCM, work, patchelf)
    inputs["jax-rocm7-pjrt (459 MB ELF)"] = Input(wheel, ["*"], libraries=libraries, rounds=3)
    parts = [published.download(*part) for part in CUDA]
    inputs["CUDA libraries (1.3 GB)"] = Input(
        joined(parts, work / "cuda_libraries-1.0-py3-none-linux_x86_64.whl"), ["*"], rounds=1)
    return inputs
