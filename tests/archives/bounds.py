#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bombs and counts that promise more than the file holds: what truewheel takes for them in memory and time
of the processor.

    bounds.py TRUEWHEEL

A wheel of 10 GiB of zeros is refused within a second and 64 MiB. A count, in an archive or in an ELF file, takes no more memory than 16 times the
file, beyond what an ordinary wheel takes. What a few kilobytes of deflate become stays below 256 MiB.
"""

import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from run import Launchers  # noqa: E402
from wheel_bytes import FILE_NAME, INFO, LIBRARY, SENTINEL32, WHEEL, Item, extra_field, files_of, good, wheel_of  # noqa: E402

MIB = 1 << 20


def zeros(size: int) -> bytes:
    """A deflate stream of so many zeros, without deflating them all: one piece, again and again."""
    piece = 16 * MIB
    coder = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = coder.compress(bytes(piece)) + coder.flush(zlib.Z_FULL_FLUSH)
    return first * (size // piece) + b"\3\0"


def claimed(stream: bytes, size: int) -> bytes:
    archive = good({"odd/zeros": b""})
    item = archive.item("odd/zeros")
    item.packed = stream
    for header in (item.local, item.central):
        header.update(size=SENTINEL32, packed_size=SENTINEL32, extra=extra_field(1, struct.pack("<QQ", size, len(stream))), version=45)
    return archive.build()


def bombs() -> Iterator[tuple[str, bytes]]:
    stream = zeros(10 << 30)
    yield "10 GiB of zeros", claimed(stream, 10 << 30)
    yield "10 GiB of zeros that are said to be a kilobyte", claimed(stream, 1024)
    yield "10 GiB of zeros that are said to be 60 MiB", claimed(stream, 60 * MIB)
    yield "10 GiB in ten members", many(10, zeros(1 << 30), 1 << 30)
    yield "a thousand members of 10 MiB", many(1000, zeros(16 * MIB), 16 * MIB)
    archive = good()
    for number in range(60000):
        archive.add(Item(b"odd/%d" % number, b"", present=False, central={"offset": 0, "packed_size": 10, "size": 1 << 30, "crc": 0, "method": 0}))
    archive.wide = {}
    yield "60,000 names for one member", archive.build()


def many(count: int, stream: bytes, size: int) -> bytes:
    archive = good()
    for number in range(count):
        archive.add(Item(b"odd/%d" % number, b"", packed=stream).both(size=size))
    return archive.build()


def counts() -> Iterator[tuple[str, bytes]]:
    for number in (1 << 20, 1 << 32, 1 << 60):
        archive = good()
        archive.wide = {"entries": number, "here": number}
        yield f"{number} entries in the end record", archive.build()
    for size in (63 * MIB, (1 << 40) - 1):
        archive = good()
        archive.item("odd/lib.so").both(size=min(size, SENTINEL32 - 1))
        yield f"a member that is said to be {size} bytes", archive.build()
    header = {"e_phnum": (56, "<H", (0xFFFE, 0xFFFF)), "e_shnum": (60, "<H", (0xFF00, 0xFFFF)), "e_shoff": (40, "<Q", (64, 2**64 - 64)), "e_phoff": (32, "<Q", (0, 2**63))}
    for field, (at, form, values) in header.items():
        for value in values:
            yield f"ELF: {field} {value}", with_library(patched(LIBRARY, at, form, value))
    hashes = LIBRARY.index(struct.pack("<IIIII", 1, 1, 0, 0, 0))
    for at, what in ((hashes, "nbucket"), (hashes + 4, "nchain")):
        for value in (1 << 20, 0xFFFFFFFF):
            yield f"ELF: {what} {value}", with_library(patched(LIBRARY, at, "<I", value))
    dynamic = LIBRARY.index(struct.pack("<QQ", 4, hashes))
    for tag, what in ((10, "DT_STRSZ"), (11, "DT_SYMENT")):
        at = LIBRARY.index(struct.pack("<Q", tag), dynamic) + 8
        for value in (1 << 30, 1 << 40, 2**64 - 1):
            yield f"ELF: {what} {value}", with_library(patched(LIBRARY, at, "<Q", value))
    soname = LIBRARY.index(struct.pack("<QQ", 14, 1))
    for tag, what in ((0x6FFFFFFF, "DT_VERNEEDNUM"), (0x6FFFFFFD, "DT_VERDEFNUM"), (8, "DT_RELASZ"), (25, "DT_INIT_ARRAY"), (0x6FFFFEF5, "DT_GNU_HASH"), (36, "DT_RELR")):
        for value in (1 << 30, 2**64 - 1):
            changed = LIBRARY[:soname] + struct.pack("<QQ", tag, value) + LIBRARY[soname + 16:]
            yield f"ELF: {what} {value}", with_library(changed)
    for at, what in ((64 + 32, "p_filesz"), (64 + 40, "p_memsz"), (64 + 48, "p_align")):
        for value in (1 << 40, 2**63):
            yield f"ELF: {what} {value}", with_library(patched(LIBRARY, at, "<Q", value))


def patched(data: bytes, at: int, form: str, value: int) -> bytes:
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form):]


def with_library(library: bytes) -> bytes:
    return wheel_of(files_of({"odd/lib.so": library})).build()


def texts() -> Iterator[tuple[str, bytes]]:
    """Texts of 60 MiB that deflate to nearly nothing and have as many pieces as they can."""
    size = 60 * MIB
    rows = b"".join(b"%x,,\n" % number for number in range(6_000_000))[:size]
    for what, record in (("rows", rows[:rows.rindex(b"\n") + 1]), ("columns", b"," * size), ("blank lines", b"\n" * size), ("quotes", b'"' * size), ("folders in one path", b"/" * size)):
        yield f"RECORD: {what}", wheel_of(files_of(), record).build()
    for what, text in (("tags", WHEEL + "Tag: a-b-c\n" * (size // 11)), ("blank lines", WHEEL + "\n" * size), ("headers", WHEEL + "a:\n" * (size // 3)), ("folded lines", WHEEL + " a\n" * (size // 3)), ("dots in a version", WHEEL.replace("1.0", "1" + ".0" * (size // 2)))):
        yield f"WHEEL: {what}", wheel_of(files_of(wheel=text)).build()
    for what, text in (("entry points", b"[console_scripts]\n" + b"a/b=\n" * (size // 5)), ("blank lines", b"\n" * size), ("one name", b"[console_scripts]\n/" + b"\x1b" * size)):
        yield f"entry_points.txt: {what}", wheel_of(files_of({f"{INFO}/entry_points.txt": text})).build()
    for what, text in (("requirements", "Requires-Dist: a\n" * (size // 17)), ("lines", "x: y\n" * (size // 5))):
        yield f"METADATA: {what}", wheel_of(files_of(metadata="Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n" + text)).build()


def main() -> int:
    truewheel = str(Path(sys.argv[1]).resolve())
    launchers = Launchers(1)
    wrong = []
    worst: dict[str, tuple[int, float]] = {}
    with tempfile.TemporaryDirectory(prefix="bounds-") as folder:
        wheel = Path(folder) / FILE_NAME

        def run(data: bytes, *words: str) -> dict:
            wheel.write_bytes(data)
            return launchers.run([truewheel, *words, str(wheel)], 60)

        usual = max(run(good().build(), "repair", "-w", f"{folder}/out")["memory"] for _ in range(2))
        groups = (("bombs", bombs, lambda data: 64 * MIB, 1.0), ("counts", counts, lambda data: usual + 16 * len(data) + 2 * MIB, 1.0), ("texts", texts, lambda data: 256 * MIB, 10.0))
        for group, cases, memory, seconds in groups:
            number = 0
            for number, (what, data) in enumerate(cases(), 1):
                for words in (("show",), ("check",), ("repair", "-w", f"{folder}/out")):
                    answer = run(data, *words)
                    most = worst.get(group, (0, 0.0))
                    worst[group] = (max(most[0], answer["memory"]), max(most[1], answer["seconds"]))
                    if answer["code"] not in (0, 1, 3) or group == "bombs" and answer["code"] != 3:
                        wrong.append(f"{what}: {words[0]}: exit {answer['code']}: {answer['stderr'][-200:]}")
                    if answer["memory"] > memory(data):
                        wrong.append(f"{what}: {words[0]} took {answer['memory'] / MIB:.1f} MiB, right are {memory(data) / MIB:.1f}")
                    if answer["seconds"] > seconds:
                        wrong.append(f"{what}: {words[0]} took {answer['seconds']:.2f} s, right are {seconds}")
            print(f"{group}: {number} wheels, at most {worst[group][0] / MIB:.1f} MiB and {worst[group][1]:.2f} s", flush=True)
        print(f"an ordinary wheel: {usual / MIB:.1f} MiB")
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
