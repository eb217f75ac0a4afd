# SPDX-License-Identifier: Apache-2.0
"""End records, comments, what stands around the archive, ZIP64, and files cut short (Z12 to Z22, Z24, Z42, Z50, Z51)."""

import struct
from collections.abc import Iterator

from cases import Case, refused, row, taken, warned
from rows_headers import LONG, OTHER, STUB
from wheel_bytes import SENTINEL16, SENTINEL32, STORED, Item, Zip, files_of, good, tiny_library, wheel_of

SHELL = b"#!/bin/sh\nexec python3 $0\n"
PROGRAM = tiny_library()


def end_of(data: bytes) -> bytes:
    return data[-22:]


def directory_of(data: bytes) -> bytes:
    size, start = struct.unpack_from("<II", data, len(data) - 10)
    return data[start:start + size]


def tar_header(name: bytes, size: int) -> bytes:
    header = bytearray(512)
    header[:len(name)] = name
    header[100:108], header[124:136], header[156:157] = b"0000644\0", b"%011o\0" % size, b"0"
    header[257:265] = b"ustar\00000"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


@row
def z12() -> Iterator[Case]:
    prefixes = {"a shell script": SHELL, "a program": PROGRAM, "one byte": b"x", "a NUL": b"\0", "PK": b"PK", "a page of NULs": bytes(4096), "another archive": good().build(),
                "the mark of a split archive": b"PK\7\x08", "the mark of one part": b"PK00", "a picture": b"\x89PNG\r\n\x1a\n" + bytes(50), "an end record": end_of(good().build())}
    for what, prefix in prefixes.items():
        archive = good()
        archive.prefix = prefix
        yield refused(f"{what} in front", "zip-directory-position", archive)
        archive = good()
        archive.items[0].before = prefix
        id = {"the mark of a split archive": "zip-descriptor", "another archive": "zip-unlisted-data"}.get(what, "zip-prefix")
        yield refused(f"{what} in front that the offsets know", id, archive)


@row
def z13() -> Iterator[Case]:
    for what, tail in (("a byte", b"x"), ("a line", b"\n"), ("a page", b"<html></html>"), ("another archive's end record", end_of(good().build())), ("NULs and a byte", bytes(30) + b"x"),
                       ("a byte and NULs", b"x" + bytes(30)), ("64 KiB", b"t" * 65536), ("100 KiB", b"t" * 100000), ("a local header", Item(b"x", OTHER).local_header()), ("PK", b"PK")):
        archive = good()
        archive.tail = tail
        id = {"another archive's end record": "zip-directory-position", "64 KiB": "zip-no-end-record", "100 KiB": "zip-no-end-record"}.get(what, "zip-trailing-data")
        yield refused(f"{what} behind the end", id, archive)
    for count in (1, 2, 21, 22, 1000, 70000):
        archive = good()
        archive.tail = bytes(count)
        yield warned(f"{count} NULs behind the end", "NUL bytes follow the end", archive)
    archive = good()
    archive.comment, archive.tail = b"text", bytes(8)
    yield warned("a comment and NULs", "NUL bytes follow the end", archive)
    archive = good()
    archive.tail = good().build()
    yield refused("a whole archive behind the end", "zip-directory-position", archive)


@row
def z14() -> Iterator[Case]:
    for what, comment in (("a word", b"built by hand"), ("lines", b"one\r\ntwo\r\n"), ("the longest", b"c" * 65535), ("UTF-8", "gebaut für dich".encode()), ("a tab", b"a\tb"), ("P and K apart", b"P K"),
                          ("another language's bytes", bytes(range(0x80, 0x100)))):
        archive = good()
        archive.comment = comment
        yield taken(f"a comment: {what}", archive)
    for size, what in ((9, "longer"), (2, "shorter"), (0, "absent"), (65535, "as long as can be")):
        archive = good()
        archive.comment, archive.end["comment_size"] = b"text", size
        yield refused(f"a comment that is said to be {what}", "zip-trailing-data", archive)


@row
def z15() -> Iterator[Case]:
    for byte in range(1, 9):
        archive = good()
        archive.comment = b"text" + bytes([byte])
        yield refused(f"a comment with byte {byte}", "zip-comment", archive)
    inner = wheel_of(files_of({"odd/__init__.py": OTHER})).build()
    comments = {"PK": (b"see PK", "zip-comment"), "a local header": (Item(b"odd/x.py", OTHER).local_header(), "zip-comment"), "a whole archive": (inner, "zip-second-end-record"),
                "a whole archive and text": (inner + b"text", "zip-comment"), "an end record": (end_of(inner), "zip-second-end-record"), "a directory": (directory_of(inner), "zip-comment"),
                "the first signature alone": (b"PK\5\6", "zip-comment"), "the signature at the end": (b"text PK\5\6", "zip-comment"), "a descriptor's signature": (b"PK\7\x08", "zip-comment")}
    for what, (comment, id) in comments.items():
        archive = good()
        archive.comment = comment
        yield refused(f"a comment with {what}", id, archive)
    nested = good()
    nested.comment = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0, 0, 0, 0, 0)
    yield refused("an empty archive in the comment", "zip-second-end-record", nested)


@row
def z16() -> Iterator[Case]:
    for what, comment in (("a word", b"hello"), ("the longest", b"c" * 65535), ("PK", b"PK\1\2PK\3\4"), ("control bytes", b"\x1b[31m\0\1")):
        archive = good()
        archive.item(LONG).central["comment"] = comment
        yield taken(f"{what} as a member's comment", archive)
    archive = good()
    for item in archive.items:
        item.central["comment"] = b"each one"
    yield taken("a comment on each member", archive)
    archive = good()
    archive.items[-1].central["comment"] = end_of(good().build())
    yield taken("an end record in the last member's comment", archive)


@row
def z17() -> Iterator[Case]:
    data = good().build()
    yield refused("the end record twice", "zip-directory-position", data + end_of(data))
    yield refused("the directory and the end record twice", "zip-directory-position", data + directory_of(data) + end_of(data))
    archive = good()
    archive.before_directory = directory_of(data) + end_of(data)
    yield refused("two directories, each with its end record", "zip-unlisted-data", archive)
    archive = good()
    archive.before_directory = directory_of(data)
    yield refused("two directories, one end record", "zip-unlisted-data", archive)
    archive = good()
    archive.after_directory = directory_of(data)
    yield refused("a second directory behind the first", "zip-directory-position", archive)
    other = wheel_of(files_of({STUB: OTHER})).build()
    yield refused("two archives one behind the other", "zip-directory-position", data + other)
    # One end record whose comment is the other one: each reaches the end of the file.
    archive = good()
    archive.comment = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 6, 6, len(directory_of(data)), len(data) - 22 - len(directory_of(data)), 0)
    yield refused("an end record in the comment of another one", "zip-second-end-record", archive)
    inside = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0, 0, 0, 0, 0)
    archive = good({"odd/zip.bin": inside + b"rest"})
    archive.item("odd/zip.bin").method = STORED
    yield taken("an end record in stored data that does not reach the end", archive)
    archive = good({"odd/zip.bin": b"PK\5\6" + bytes(16) + b"##"})
    archive.item("odd/zip.bin").method = STORED
    place = archive.build().index(b"PK\5\6" + bytes(16))
    reach = len(archive.build()) - place - 22
    archive.item("odd/zip.bin").data = b"PK\5\6" + bytes(16) + struct.pack("<H", reach)
    files = files_of({"odd/zip.bin": archive.item("odd/zip.bin").data})
    exact = wheel_of(files)
    exact.item("odd/zip.bin").method = STORED
    # The digest in RECORD may change the length of its stream by a byte or two; the comment makes up for it.
    for pad in range(64):
        exact.comment = b"c" * pad
        if len(exact.build()) - place - 22 == reach:
            yield refused("an end record in stored data whose comment would reach the end", "zip-second-end-record", exact)
            break
    archive = good()
    archive.end["size"] = 0x06054B50
    yield refused("an end record that holds its own signature as a size", "zip-second-end-record", archive)


@row
def z18() -> Iterator[Case]:
    for count in (0, 1, 5, 7, 12, 65534, 65535):
        archive = good()
        archive.end.update(entries=count, here=count)
        yield refused(f"6 entries that are said to be {count}", "zip-entry-count", archive)
    for count, field in ((5, "entries"), (5, "here"), (0, "here")):
        archive = good()
        archive.end[field] = count
        yield refused(f"6 entries, {field}: {count}", "zip-multi-disk", archive)
    archive = good()
    archive.wide = {"entries": 7, "here": 7}
    yield refused("6 entries that are said to be 7 in the ZIP64 end record", "zip-entry-count", archive)
    archive = good()
    archive.wide = {"entries": 6 + 65536, "here": 6 + 65536}
    yield refused("6 entries that are said to be 65542 in the ZIP64 end record", "zip-entry-count", archive)
    many = good({f"odd/{i}": b"" for i in range(65536)})
    for item in many.items:
        item.method = STORED
    yield refused("65542 entries that are said to be 6", "zip-entry-count", many, seconds=60)
    many.end.update(entries=65535, here=65535)
    yield refused("65542 entries that are said to be 65535", "zip-entry-count", many, seconds=60)


@row
def z19() -> Iterator[Case]:
    for field in ("start", "size"):
        for value, what in ((0, "0"), (10, "10"), (0x7FFFFFFF, "2^31-1"), (SENTINEL32 - 1, "2^32-2"), (SENTINEL32, "2^32-1")):
            archive = good()
            archive.end[field] = value
            yield refused(f"directory {field} {what}", "zip-directory-position", archive)
    for delta in (-1, 1, 46):
        archive = good()
        data = archive.build()
        archive.end["start"] = struct.unpack_from("<I", data, len(data) - 6)[0] + delta
        yield refused(f"directory start {delta:+}", "zip-directory-position", archive)
        archive = good()
        archive.end["size"] = struct.unpack_from("<I", data, len(data) - 10)[0] + delta
        yield refused(f"directory size {delta:+}", "zip-directory-position", archive)
    data = good().build()
    start, size = struct.unpack_from("<I", data, len(data) - 6)[0], struct.unpack_from("<I", data, len(data) - 10)[0]
    archive = good()
    archive.end.update(start=start - 1, size=size + 1)
    yield refused("directory one byte earlier and longer", "zip-directory", archive)
    archive = good()
    archive.end.update(start=start + 1, size=size - 1)
    yield refused("directory one byte later and shorter", "zip-directory", archive)
    for what, gap in (("a byte", b"\0"), ("text", b"gap"), ("46 bytes", bytes(46))):
        archive = good()
        archive.before_directory = gap
        yield refused(f"{what} before the directory", "zip-unlisted-data", archive)
        archive = good()
        archive.after_directory = gap
        yield refused(f"{what} behind the directory", "zip-directory-position", archive)
        archive = good()
        archive.items[2].before = gap
        yield refused(f"{what} between two members", "zip-unlisted-data", archive)
        archive = good()
        archive.after_directory, archive.end["size"] = gap, size + len(gap)
        yield refused(f"{what} behind the directory that it is said to hold", "zip-entry-count", archive)
    signature = struct.pack("<IH", 0x05054B50, 4) + b"sign"
    archive = good()
    archive.after_directory, archive.end["size"] = signature, size + len(signature)
    yield refused("a digital signature behind the directory", "zip-entry-count", archive)
    archive = good()
    archive.before_directory = struct.pack("<II", 0x08064B50, 4) + b"data"
    yield refused("an archive extra data record", "zip-unlisted-data", archive)
    for signature, what in ((0x02014B51, "another signature"), (0x04034B50, "a local header's signature"), (0, "no signature")):
        archive = good()
        archive.items[2].central["signature"] = signature
        yield refused(f"a directory entry with {what}", "zip-directory", archive)
    archive = good()
    archive.order = [5, 4, 3, 2, 1, 0]
    yield taken("a directory in another order than the members", archive)


def widened(change: dict, end: dict | None = None) -> Zip:
    archive = good()
    archive.wide = change
    archive.end = end or {}
    return archive


@row
def z20() -> Iterator[Case]:
    yield refused("no locator", "zip-zip64-locator", widened({"has_locator": False}))
    yield refused("no locator, true values in the end record", "zip-zip64-locator", widened({"has_locator": False}, true_end()))
    yield refused("no ZIP64 end record", "zip-zip64-end-record", widened({"has_record": False, "record_at": 0}))
    yield refused("no ZIP64 end record, true values in the end record", "zip-zip64-end-record", widened({"has_record": False, "record_at": 0}, true_end()))
    for at, what, id in ((0, "at the first member", "zip-zip64-end-record"), (20, "at nothing", "zip-zip64-end-record"), (1 << 20, "past itself", "zip-zip64-locator"),
                         (1 << 63, "at 2^63", "zip-zip64-locator"), (2**64 - 1, "at 2^64-1", "zip-zip64-locator")):
        yield refused(f"a locator that points {what}", id, widened({"record_at": at}))
        yield refused(f"a locator that points {what}, true values in the end record", id, widened({"record_at": at}, true_end()))
    yield refused("a gap before the locator", "zip-zip64-locator", widened({"between": b"gap"}))
    yield refused("another signature on the ZIP64 end record", "zip-zip64-end-record", widened({"signature": 0x06064B51}))
    yield refused("another signature on the locator", "zip-directory-position", widened({"locator_signature": 0x07064B51}))
    archive = widened({})
    archive.prefix = SHELL
    yield refused("a script in front of ZIP64 records", "zip-zip64-end-record", archive)
    record = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 6, 6, 0, 0)
    archive = widened({"between": b""})
    archive.after_directory = record
    yield refused("two ZIP64 end records", "zip-directory-position", archive)
    archive = good()
    archive.items[-1].central["comment"] = record + struct.pack("<IIQI", 0x07064B50, 0, 0, 1)
    yield refused("ZIP64 records in the last member's comment", "zip-zip64-end-record", archive)


def true_end() -> dict:
    data = good().build()
    size, start = struct.unpack_from("<II", data, len(data) - 10)
    return {"entries": 6, "here": 6, "size": size, "start": start}


@row
def z21() -> Iterator[Case]:
    for size in (0, 43, 45, 56, 1 << 31, 2**63, 2**64 - 1):
        yield refused(f"a size of {size}", "zip-zip64-end-record", widened({"record_size": size}))
    for extensible in (b"x", bytes(8), b"PK\6\7" + bytes(16)):
        yield refused(f"{len(extensible)} bytes of extensible data", "zip-zip64-end-record", widened({"record_size": 44 + len(extensible), "extensible": extensible}))
        yield refused(f"{len(extensible)} bytes of extensible data that the size passes over", "zip-zip64-locator", widened({"extensible": extensible}))


@row
def z22() -> Iterator[Case]:
    for field, value in (("entries", 5), ("here", 5), ("size", 46), ("start", 1), ("disk", 1), ("directory_disk", 1), ("entries", 0), ("size", 0), ("start", 0)):
        yield refused(f"{field} {value} in the end record", "zip-zip64-values", widened({}, {field: value}))
    for field, value, id in (("entries", 5, "zip-multi-disk"), ("here", 5, "zip-multi-disk"), ("size", 46, "zip-directory-position"), ("start", 1, "zip-directory-position"),
                             ("disk", 1, "zip-multi-disk"), ("directory_disk", 1, "zip-multi-disk"), ("size", 2**64 - 1, "zip-directory-position"),
                             ("start", 2**64 - 1, "zip-directory-position"), ("entries", 2**63, "zip-multi-disk")):
        yield refused(f"{field} {value} in the ZIP64 end record", id, widened({field: value}))
        strict = {"zip-directory-position": "zip-zip64-values"}.get(id, id)
        yield refused(f"{field} {value} in the ZIP64 end record, true values in the other", strict, widened({field: value}, true_end()))
    yield refused("offset and size that wrap to the right sum", "zip-directory-position", widened({"size": 2**64 - 1, "start": 1 + sum(true_end()[key] for key in ("size", "start"))}))
    yield taken("true values in both", widened({}, true_end()))
    yield taken("a true size and sentinels", widened({}, {"size": true_end()["size"]}))


@row
def z24() -> Iterator[Case]:
    yield taken("ZIP64 records where none are due", widened({}))
    archive = widened({})
    for item in archive.items:
        stream = len(item.stream)
        item.local.update(size=SENTINEL32, packed_size=SENTINEL32, version=45, extra=struct.pack("<HHQQ", 1, 16, len(item.data), stream))
        item.central.update(size=SENTINEL32, packed_size=SENTINEL32, version=45, extra=struct.pack("<HHQQ", 1, 16, len(item.data), stream))
    yield taken("ZIP64 everywhere", archive)
    many = good({f"odd/{i}": b"" for i in range(65536)})
    for item in many.items:
        item.method = STORED
    many.wide = {}
    yield taken("65542 entries", many, seconds=120)


@row
def z42() -> Iterator[Case]:
    for flag, what, id in ((1, "encryption", "zip-encrypted"), (1 << 6, "strong encryption", "zip-encrypted"), (1 << 13, "a masked header", "zip-encrypted"), (1 | 1 << 6, "both", "zip-encrypted"),
                           (1 << 5, "patched data", "zip-flags"), (1 << 4, "enhanced deflate", "zip-flags"), (1 << 7, "bit 7", "zip-flags"), (1 << 12, "enhanced compression", "zip-flags"),
                           (1 << 14, "bit 14", "zip-flags"), (1 << 15, "bit 15", "zip-flags")):
        archive = good()
        archive.item(LONG).both(flags=flag)
        yield refused(f"flag: {what}", id, archive)
    for field, value, id in (("disk", 1, "zip-multi-disk"), ("directory_disk", 1, "zip-multi-disk"), ("here", 5, "zip-multi-disk"), ("disk", 0xFFFF, "zip-multi-disk")):
        archive = good()
        archive.end[field] = value
        yield refused(f"end record: {field} {value}", id, archive)
    archive = good()
    archive.item(LONG).central["disk"] = 1
    yield refused("a member on disk 1", "zip-multi-disk", archive)
    archive = good()
    archive.item(LONG).central["disk"] = SENTINEL16
    yield refused("a member on a disk that only a ZIP64 field could name", "zip-zip64-extra", archive)
    for field in ("disk", "directory_disk"):
        yield refused(f"ZIP64 end record: {field}", "zip-multi-disk", widened({field: 1}, {"disk": SENTINEL16, "directory_disk": SENTINEL16}))
    for field, value in (("disks", 0), ("disks", 2), ("locator_disk", 1)):
        yield refused(f"locator: {field} {value}", "zip-multi-disk", widened({field: value}))


@row
def z50() -> Iterator[Case]:
    data = b"print('tar')\n"
    tar = tar_header(b"odd/__init__.py", len(data)) + data.ljust(512, b"\0") + bytes(1024)
    for prefix, what in ((tar, "a tar archive"), (b"MZ" + bytes(600), "a DOS program"), (b"\x7fELF" + bytes(60), "an ELF header"), (b"\x1f\x8b\x08" + bytes(20), "a gzip header"),
                         (b"%PDF-1.4\n", "a PDF"), (b"GIF89a" + bytes(20), "a picture")):
        archive = good()
        archive.items[0].before = prefix
        yield refused(f"{what} that is a wheel, too", "zip-prefix", archive)
    yield refused("a tar archive that ends as a wheel", "zip-directory-position", tar + good().build())
    yield refused("a wheel that ends as a tar archive", "zip-trailing-data", good().build() + tar.rstrip(b"\0"))


@row
def z51() -> Iterator[Case]:
    yield refused("no byte", "zip-no-end-record", b"")
    for what, data in (("a byte", b"P"), ("a signature", b"PK\5\6"), ("a local signature", b"PK\3\4"), ("21 bytes", good().build()[-22:-1]), ("NULs", bytes(1000)), ("text", b"t" * 5000), ("a page", b"<!DOCTYPE html>\n" * 9)):
        yield refused(what, "zip-no-end-record", data)
    data = good().build()
    seen = set()
    for length in (1, 4, 29, 30, 31, 45, 100, len(data) // 2, len(data) - 23, len(data) - 22, len(data) - 21, len(data) - 4, len(data) - 1):
        if length not in seen:
            yield refused(f"{length} of {len(data)} bytes", "zip-no-end-record", data[:length])
        seen.add(length)
    yield refused("the first half gone", "zip-directory-position", data[len(data) // 2:])
    yield refused("a byte in the middle gone", "zip-directory-position", data[:200] + data[201:])
    yield refused("the end record alone", "zip-directory-position", data[-22:])
    yield refused("an archive without members", "dist-info-missing", Zip([]))
    archive = good()
    archive.has_end = False
    yield refused("no end record", "zip-no-end-record", archive)
