# SPDX-License-Identifier: Apache-2.0
"""Writes wheels byte by byte, so that every field of every header can be made wrong: APPNOTE 6.3.10, sections 4.3 to 4.5.

Nothing here uses zipfile, which would not write most of these archives.
"""

import base64
import hashlib
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field

STORED, DEFLATED = 0, 8
SENTINEL16, SENTINEL32 = 0xFFFF, 0xFFFFFFFF
DESCRIPTOR_FLAG, UTF8_FLAG = 1 << 3, 1 << 11
INFO = "odd-1.0.dist-info"
FILE_NAME = "odd-1.0-py3-none-linux_x86_64.whl"


def deflated(data: bytes, level: int = 6) -> bytes:
    coder = zlib.compressobj(level, zlib.DEFLATED, -15)
    return coder.compress(data) + coder.flush()


def extra_field(number: int, content: bytes) -> bytes:
    return struct.pack("<HH", number, len(content)) + content


def unicode_path(name: bytes, of: bytes, version: int = 1) -> bytes:
    return extra_field(0x7075, struct.pack("<BI", version, zlib.crc32(of)) + name)


@dataclass
class Item:
    """A member. `local` and `central` override fields of the two headers, whatever the content is."""

    name: bytes
    data: bytes
    method: int = DEFLATED
    mode: int = 0o100644
    packed: bytes | None = None  # the bytes in the archive, if not the content as the method has it
    local: dict = field(default_factory=dict)
    central: dict = field(default_factory=dict)
    listed: bool = True
    present: bool = True
    before: bytes = b""  # in front of the local header
    after: bytes = b""  # behind the data: where a descriptor stands
    offset: int = 0

    def both(self, **values: object) -> "Item":
        self.local.update(values)
        self.central.update(values)
        return self

    @property
    def stream(self) -> bytes:
        if self.packed is not None:
            return self.packed
        return deflated(self.data) if self.method == DEFLATED else self.data

    def values(self) -> dict:
        stream = self.stream
        return {"version": 20, "flags": 0 if self.name.isascii() else UTF8_FLAG, "method": self.method, "time": 0x6000, "date": 0x5821,
                "crc": zlib.crc32(self.data), "packed_size": len(stream), "size": len(self.data), "name": self.name, "extra": b"",
                "made_by": 3 << 8 | 20, "comment": b"", "disk": 0, "internal": 0, "external": self.mode << 16, "offset": self.offset}

    def local_header(self) -> bytes:
        v = self.values() | {"signature": 0x04034B50} | self.local
        name, extra = v["name"], v["extra"]
        return struct.pack("<IHHHHHIIIHH", v["signature"], v["version"], v["flags"], v["method"], v["time"], v["date"], v["crc"],
                           v["packed_size"], v["size"], v.get("name_size", len(name)), v.get("extra_size", len(extra))) + name + extra

    def central_header(self) -> bytes:
        v = self.values() | {"signature": 0x02014B50} | self.central
        name, extra, comment = v["name"], v["extra"], v["comment"]
        return struct.pack("<IHHHHHHIIIHHHHHII", v["signature"], v["made_by"], v["version"], v["flags"], v["method"], v["time"], v["date"],
                           v["crc"], v["packed_size"], v["size"], v.get("name_size", len(name)), v.get("extra_size", len(extra)),
                           v.get("comment_size", len(comment)), v["disk"], v["internal"], v["external"], v["offset"]) + name + extra + comment

    def describe(self, signature: bytes = b"PK\7\x08", wide: bool = False, **changes: int) -> "Item":
        """Leaves CRC and sizes to a data descriptor behind the data."""
        v = self.values() | changes
        self.both(flags=v["flags"] | DESCRIPTOR_FLAG)
        self.local.update(crc=0, packed_size=0, size=0)
        if wide:
            self.local.update(packed_size=SENTINEL32, size=SENTINEL32, extra=extra_field(1, bytes(16)), version=45)
        self.after = signature + struct.pack("<IQQ" if wide else "<III", v["crc"], v["packed_size"], v["size"])
        return self


@dataclass
class Zip:
    """An archive. `end` and `wide` (the ZIP64 end record and its locator) override fields; without `wide` there is none."""

    items: list[Item]
    prefix: bytes = b""  # moves everything without the offsets knowing
    before_directory: bytes = b""
    after_directory: bytes = b""
    comment: bytes = b""
    tail: bytes = b""
    end: dict = field(default_factory=dict)
    wide: dict | None = None
    has_end: bool = True
    order: list[int] | None = None  # of the entries in the directory

    def item(self, name: str) -> Item:
        return next(item for item in self.items if item.name == name.encode())

    def add(self, *items: Item) -> "Zip":
        self.items += items
        return self

    def build(self) -> bytes:
        out = bytearray()
        for item in self.items:
            out += item.before
            if item.present:
                item.offset = len(out)
                out += item.local_header() + item.stream
            out += item.after
        out += self.before_directory
        start = len(out)
        listed = [item for item in self.items if item.listed]
        for i in self.order or range(len(listed)):
            out += listed[i].central_header()
        size = len(out) - start
        out += self.after_directory
        v = {"disk": 0, "directory_disk": 0, "here": len(listed), "entries": len(listed), "size": size, "start": start,
             "comment_size": len(self.comment)}
        if self.wide is not None:
            v |= {"here": SENTINEL16, "entries": SENTINEL16, "size": SENTINEL32, "start": SENTINEL32}
            w = {"signature": 0x06064B50, "record_size": 44, "made_by": 45, "version": 45, "disk": 0, "directory_disk": 0, "here": len(listed),
                 "entries": len(listed), "size": size, "start": start, "extensible": b"", "between": b"", "locator_signature": 0x07064B50,
                 "locator_disk": 0, "record_at": len(out), "disks": 1, "has_record": True, "has_locator": True} | self.wide
            if w["has_record"]:
                out += struct.pack("<IQHHIIQQQQ", w["signature"], w["record_size"], w["made_by"], w["version"], w["disk"], w["directory_disk"],
                                   w["here"], w["entries"], w["size"], w["start"]) + w["extensible"]
            out += w["between"]
            if w["has_locator"]:
                out += struct.pack("<IIQI", w["locator_signature"], w["locator_disk"], w["record_at"], w["disks"])
        v |= self.end
        if self.has_end:
            out += struct.pack("<IHHHHIIH", 0x06054B50, v["disk"], v["directory_disk"], v["here"] & 0xFFFF, v["entries"] & 0xFFFF, v["size"],
                               v["start"], v["comment_size"])
        return self.prefix + bytes(out) + self.comment + self.tail


def tiny_library(soname: str = "", text: bytes = b"") -> bytes:
    """A shared object of less than a kilobyte that glibc loads: one PT_LOAD, PT_DYNAMIC, empty tables."""
    strings = b"\0" + (soname.encode() + b"\0" if soname else b"")
    strings += bytes(-len(strings) % 8)
    headers = 64 + 3 * 56
    symbols = headers + len(strings)
    hashes = symbols + 24
    dynamic = hashes + 24
    tags = [(4, hashes), (5, headers), (6, symbols), (10, len(strings)), (11, 24)] + ([(14, 1)] if soname else []) + [(0, 0)]
    body = strings + bytes(24) + struct.pack("<IIIII", 1, 1, 0, 0, 0) + bytes(4) + b"".join(struct.pack("<QQ", *tag) for tag in tags) + text
    size = headers + len(body)
    ident = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header = ident + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 3, 64, 0, 0)
    segments = struct.pack("<IIQQQQQQ", 1, 6, 0, 0, 0, size, size, 0x1000)
    segments += struct.pack("<IIQQQQQQ", 2, 6, dynamic, dynamic, dynamic, 16 * len(tags), 16 * len(tags), 8)
    segments += struct.pack("<IIQQQQQQ", 0x6474E551, 6, 0, 0, 0, 0, 0, 16)
    return header + segments + body


def digest(data: bytes, algorithm: str = "sha256") -> str:
    return algorithm + "=" + base64.urlsafe_b64encode(hashlib.new(algorithm, data).digest()).rstrip(b"=").decode()


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ',"\r\n') else text


def record_of(files: dict[str, bytes], path: str) -> str:
    rows = [f"{quoted(name)},{digest(data)},{len(data)}\n" for name, data in files.items() if not name.endswith("/")]
    return "".join(rows) + f"{quoted(path)},,\n"


WHEEL = "Wheel-Version: 1.0\nGenerator: archives\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"
METADATA = "Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n"
LIBRARY = tiny_library("libodd.so")
TEXT = b"It is the same line again and again.\n" * 20


def files_of(more: dict[str, bytes] | None = None, without: Iterable[str] = (), wheel: bytes | str = WHEEL, metadata: str = METADATA,
             info: str = INFO) -> dict[str, bytes]:
    """What every wheel here holds but for RECORD."""
    text = wheel if isinstance(wheel, bytes) else wheel.encode()
    files = {"odd/__init__.py": b"VALUE = 1\n", "odd/lib.so": LIBRARY, "odd/text.txt": TEXT, **(more or {}),
             f"{info}/METADATA": metadata.encode(), f"{info}/WHEEL": text}
    return {name: data for name, data in files.items() if name not in without}


def wheel_of(files: dict[str, bytes], record: bytes | str | None = None, info: str = INFO, has_record: bool = True) -> Zip:
    path = f"{info}/RECORD"
    text = record_of(files, path) if record is None else record
    everything = dict(files)
    if has_record:
        everything[path] = text if isinstance(text, bytes) else text.encode()
    small = {"odd/__init__.py"}
    return Zip([Item(name.encode(), data, STORED if name in small else DEFLATED, 0o040755 if name.endswith("/") else 0o100644)
                for name, data in everything.items()])


def good(more: dict[str, bytes] | None = None) -> Zip:
    """A wheel without fault; `more` are members that it has besides."""
    return wheel_of(files_of(more))
