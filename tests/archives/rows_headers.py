# SPDX-License-Identifier: Apache-2.0
"""Two readers, two archives: members that are doubled, hidden, overlap, or whose two headers differ (Z01 to Z11, Z23, Z25 to Z29, Z43, Z44)."""

import struct
import zlib
from collections.abc import Iterator

from cases import Case, refused, row, taken
from wheel_bytes import (DEFLATED, DESCRIPTOR_FLAG, INFO, LIBRARY, SENTINEL16, SENTINEL32, STORED, TEXT, UTF8_FLAG, Item, Zip, deflated, extra_field,
                         files_of, good, unicode_path, wheel_of)

STUB = "odd/__init__.py"
LONG = "odd/text.txt"
PLACES = (STUB, LONG, "odd/lib.so", f"{INFO}/METADATA", f"{INFO}/WHEEL", f"{INFO}/RECORD")
OTHER = b"import os\n"


def short(name: str) -> str:
    return name.rsplit("/", 1)[-1]


@row
def z01() -> Iterator[Case]:
    for name in PLACES:
        item = good().item(name)
        yield refused(f"{short(name)} twice", "zip-duplicate-name", good().add(Item(item.name, item.data)))
        yield refused(f"{short(name)} twice with other content", "zip-duplicate-name", good().add(Item(item.name, OTHER)))
        first = good()
        first.items.insert(0, Item(name.encode(), OTHER))
        yield refused(f"{short(name)} twice, the other content first", "zip-duplicate-name", first)
    yield refused("a folder entry twice", "zip-duplicate-name", good().add(*(Item(b"odd/", b"", STORED, 0o040755) for _ in range(2))))
    both = good()
    both.add(Item(STUB.encode(), b"", present=False, central={"offset": 0, "size": 10, "packed_size": 10, "crc": zlib.crc32(b"VALUE = 1\n"), "method": 0}))
    yield refused("two entries for one local header", "zip-duplicate-name", both)
    marked = good().add(Item(STUB.encode(), OTHER).both(flags=UTF8_FLAG))
    yield refused("twice, once marked as UTF-8", "zip-duplicate-name", marked)
    yield refused("three times", "zip-duplicate-name", good().add(*(Item(LONG.encode(), TEXT) for _ in range(2))))


@row
def z02() -> Iterator[Case]:
    for name in (STUB, LONG, f"{INFO}/RECORD"):
        for data, what in ((OTHER, "other content"), (b"", "no content")):
            archive = good()
            hidden = Item(name.encode(), data, STORED, listed=False)
            archive.items.insert(archive.items.index(archive.item(name)) + 1, hidden)
            yield refused(f"a second local header of {short(name)} with {what} behind it", "zip-unlisted-data", archive)
            archive = good()
            archive.items.insert(archive.items.index(archive.item(name)), Item(name.encode(), data, STORED, listed=False))
            yield refused(f"a second local header of {short(name)} with {what} before it", "zip-unlisted-data", archive)


@row
def z03() -> Iterator[Case]:
    for place, what in ((0, "first"), (3, "middle"), (99, "last")):
        archive = good()
        archive.items.insert(place, Item(b"odd/hidden.py", OTHER, listed=False))
        yield refused(f"a {what} member that no entry lists", "zip-unlisted-data", archive)
    archive = good()
    archive.items.insert(2, Item(b"odd/hidden.py", OTHER, listed=False).describe())
    yield refused("a member that no entry lists, with a descriptor", "zip-unlisted-data", archive)
    for number, item in enumerate(good().items):
        archive = good()
        archive.items[number].listed = False
        yield refused(f"the entry of {short(item.name.decode())} deleted", "zip-unlisted-data", archive)
    archive = good()
    for item in archive.items:
        item.listed = False
    yield refused("every entry deleted", "zip-unlisted-data", archive)


@row
def z04() -> Iterator[Case]:
    for name in (STUB, LONG, f"{INFO}/RECORD"):
        archive = good()
        archive.item(name).present = False
        yield refused(f"no local header for {short(name)}", "zip-name-mismatch", archive)
    for offset, what, id in ((1, "inside the first header", "zip-local-header"), (60, "into data", "zip-local-header"),
                             (1 << 20, "past the end", "zip-local-header"), (0x7FFFFFFF, "far past the end", "zip-local-header"),
                             (0xFFFFFFFE, "near 2^32", "zip-local-header"), (0, "at another member", "zip-name-mismatch")):
        archive = good()
        archive.item(LONG).central["offset"] = offset
        yield refused(f"an entry that points {what}", id, archive)
    archive = good()
    archive.build()
    archive.item(LONG).central["offset"] = archive.item(LONG).offset + 1
    yield refused("an entry off by one", "zip-local-header", archive)
    for signature, what in ((0x04034B51, "another signature"), (0x02014B50, "the signature of a directory entry"), (0, "no signature"), (0x08074B50, "the signature of a descriptor"),
                            (0x30304B50, "the signature of a split archive")):
        archive = good()
        archive.item(LONG).local["signature"] = signature
        yield refused(f"a local header with {what}", "zip-local-header", archive)


@row
def z05() -> Iterator[Case]:
    for name in (b"odd/text.tx_", b"odd/text.tx", b"odd/text.txt2", b"ODD/text.txt", b"../text.txtx", b"", b"/etc/passwd!", b"odd\\text.txt", b"odd/text.txt/"):
        archive = good()
        archive.item(LONG).local["name"] = name
        yield refused(f"the local header says {name.decode()!r}", "zip-name-mismatch", archive)
    archive = good()
    archive.item(LONG).central["name"] = b"odd/other.py"
    yield refused("the directory says another name", "zip-name-mismatch", archive)
    archive = good()
    archive.items[0].local["name"], archive.items[2].local["name"] = archive.items[2].name, archive.items[0].name
    yield refused("two local headers that swapped their names", "zip-name-mismatch", archive)
    archive = good({"odd/é.py": b""})
    archive.item("odd/é.py").local["name"] = "odd/e\u0301.py".encode()
    yield refused("another normalisation in the local header", "zip-name-mismatch", archive)
    archive = good({"odd/é.py": b""})
    archive.item("odd/é.py").local["name"] = "odd/é.py".encode("latin-1")
    yield refused("another encoding in the local header", "zip-name-mismatch", archive)


@row
def z06() -> Iterator[Case]:
    for field in ("size", "packed_size"):
        for delta in (-1, 1, 1000, -100):
            archive = good()
            item = archive.item(LONG)
            item.local[field] = max(0, item.values()[field] + delta)
            yield refused(f"{field} {delta:+} in the local header", "zip-size-mismatch", archive)
        archive = good()
        archive.item(LONG).local[field] = 0
        yield refused(f"{field} of zero in the local header", "zip-size-mismatch", archive)
    archive = good()
    archive.item(LONG).local.update(size=0, packed_size=0)
    yield refused("sizes of zero in the local header", "zip-size-mismatch", archive)
    archive = good()
    archive.item(LONG).local.update(size=0, packed_size=0, crc=0)
    yield refused("sizes and CRC of zero in the local header, no descriptor", "zip-size-mismatch", archive)
    for field, id in (("size", "zip-size-mismatch"), ("packed_size", "zip-size-mismatch")):
        archive = good()
        item = archive.item(LONG)
        item.central[field] = item.values()[field] + 1
        yield refused(f"{field} +1 in the directory", id, archive)
    archive = good()
    item = archive.items[-1]
    item.central["packed_size"] = item.values()["packed_size"] - 1
    yield refused("the last member one byte shorter in the directory", "zip-size-mismatch", archive)


@row
def z07() -> Iterator[Case]:
    for name in (STUB, LONG, "odd/lib.so", f"{INFO}/METADATA", f"{INFO}/WHEEL", f"{INFO}/RECORD"):
        archive = good()
        archive.item(name).local["crc"] = 0
        yield refused(f"a local CRC of 0 for {short(name)}", "zip-crc-mismatch", archive)
        archive = good()
        archive.item(name).both(crc=0)
        yield refused(f"a CRC of 0 twice for {short(name)}", "zip-content", archive)
        archive = good()
        archive.item(name).both(crc=archive.item(name).values()["crc"] ^ 1)
        yield refused(f"a wrong CRC twice for {short(name)}", "zip-content", archive)
    archive = good()
    archive.item(LONG).central["crc"] = 1
    yield refused("another CRC in the directory", "zip-crc-mismatch", archive)
    archive = good({"odd/empty": b""})
    archive.item("odd/empty").method = STORED
    archive.item("odd/empty").both(crc=1)
    yield refused("a CRC for an empty member", "zip-content", archive)
    archive = good({"odd/empty": b""})
    archive.item("odd/empty").method = STORED
    yield taken("a CRC of 0 for an empty member", archive)


@row
def z08() -> Iterator[Case]:
    for method in (STORED, 1, 9, 12, 0xFFFF):
        archive = good()
        archive.item(LONG).local["method"] = method
        yield refused(f"method {method} in the local header", "zip-method-mismatch", archive)
    archive = good()
    archive.items[0].local["method"] = DEFLATED
    yield refused("stored in the directory, deflated in the local header", "zip-method-mismatch", archive)
    for change in (-1, 1, 500):
        archive = good()
        item = archive.items[0]
        item.both(size=item.values()["size"] + change)
        yield refused(f"stored with a size {change:+}", "zip-stored-size", archive)
    archive = good()
    archive.item(LONG).both(method=STORED)
    yield refused("deflated data that is said to be stored", "zip-stored-size", archive)
    same = good()
    item = same.item(LONG)
    item.both(method=STORED, size=len(item.stream))
    yield refused("deflated data that is said to be stored, with its size", "zip-content", same)
    for flags, what in ((UTF8_FLAG, "the mark of UTF-8"), (1, "the mark of encryption"), (1 << 5, "patched data")):
        archive = good()
        archive.item(LONG).local["flags"] = flags
        yield refused(f"{what} in the local header alone", "zip-flags-mismatch", archive)
        archive = good()
        archive.item(LONG).central["flags"] = flags
        id = {UTF8_FLAG: "zip-flags-mismatch", 1: "zip-encrypted"}.get(flags, "zip-flags")
        yield refused(f"{what} in the directory alone", id, archive)
    for level in (2, 4, 6):
        archive = good()
        archive.item(LONG).local["flags"] = level
        yield taken(f"deflate level {level} in one of the flags", archive)
        archive = good()
        archive.item(LONG).both(flags=level)
        yield taken(f"deflate level {level} in both flags", archive)


@row
def z09() -> Iterator[Case]:
    for size in (0, 1, len(TEXT) - 1):
        archive = good()
        archive.item(LONG).both(size=size)
        yield refused(f"{len(TEXT)} bytes that are said to be {size}", "zip-content", archive)
        archive = good()
        archive.item(LONG).both(size=size, crc=zlib.crc32(TEXT[:size]))
        yield refused(f"{len(TEXT)} bytes that are said to be {size}, with the CRC of those", "zip-content", archive)
    for size in (len(TEXT) + 1, 2 * len(TEXT)):
        archive = good()
        archive.item(LONG).both(size=size)
        yield refused(f"{len(TEXT)} bytes that are said to be {size}", "zip-content", archive)
    for name in ("odd/lib.so", f"{INFO}/RECORD", f"{INFO}/WHEEL"):
        archive = good()
        item = archive.item(name)
        item.both(size=len(item.data) - 1, crc=zlib.crc32(item.data[:-1]))
        yield refused(f"{short(name)} one byte shorter than it is", "zip-content", archive)


@row
def z10() -> Iterator[Case]:
    for name in (STUB, LONG, f"{INFO}/RECORD"):
        archive = good()
        archive.item(name).describe()
        yield taken(f"a descriptor behind {short(name)}", archive)
        archive = good()
        archive.item(name).describe(wide=True)
        yield taken(f"a ZIP64 descriptor behind {short(name)}", archive)
    archive = good()
    for item in archive.items:
        item.describe()
    yield taken("descriptors everywhere, as zipfile writes to a pipe", archive)
    archive = good()
    item = archive.item(LONG)
    true = {key: item.values()[key] for key in ("crc", "size", "packed_size")}
    item.describe().local.update(true)
    yield taken("a descriptor behind true sizes", archive)
    archive = good()
    archive.item(LONG).describe().local["size"] = len(TEXT)
    yield taken("a descriptor and the size alone in the header, as zip writes to a pipe", archive)
    archive = good()
    archive.items.insert(0, Item(b"odd/", b"", STORED, 0o040755).describe())
    yield taken("a descriptor behind a folder entry", archive)
    archive = good({"odd/empty": b""})
    archive.item("odd/empty").describe()
    yield taken("a descriptor behind an empty deflate stream", archive)
    archive = good({"odd/pk": b"PK\7\x08 and no descriptor, PK\3\4 and no header"})
    archive.item("odd/pk").method = STORED
    yield taken("stored data with signatures in it", archive)
    archive = good({"odd/pk": b"PK\7\x08 and no descriptor, PK\3\4 and no header"})
    archive.item("odd/pk").describe()
    yield taken("deflated data with signatures in it and a descriptor", archive)


@row
def z11() -> Iterator[Case]:
    for name in (STUB, LONG):
        for field in ("crc", "size", "packed_size"):
            archive = good()
            item = archive.item(name)
            item.describe(**{field: item.values()[field] ^ 1})
            yield refused(f"a descriptor with a wrong {field} behind {short(name)}", "zip-descriptor", archive)
        archive = good()
        archive.item(name).describe().after = b""
        yield refused(f"no descriptor behind {short(name)} though one is announced", "zip-descriptor", archive)
        archive = good()
        archive.item(name).describe(signature=b"")
        yield refused(f"a descriptor without signature behind {short(name)}", "zip-descriptor", archive)
        archive = good()
        item = archive.item(name)
        item.describe(signature=b"PK\7\x09")
        yield refused(f"a descriptor with another signature behind {short(name)}", "zip-descriptor", archive)
    archive = good()
    item = archive.item(LONG)
    item.describe().after += b"x"
    yield refused("a byte behind the descriptor", "zip-unlisted-data", archive)
    archive = good()
    archive.items[-1].describe().after += b"x"
    yield refused("a byte behind the last descriptor", "zip-unlisted-data", archive)
    archive = good()
    item = archive.item(LONG)
    item.describe().after = item.after[:-1]
    yield refused("a descriptor cut short", "zip-descriptor", archive)
    archive = good()
    item = archive.item(LONG)
    item.describe().after += item.after
    yield refused("two descriptors", "zip-descriptor", archive)
    archive = good()
    item = archive.item(LONG)
    descriptor = item.describe().after
    item.local.clear()
    item.central.clear()
    yield refused("a descriptor that no header announces", "zip-descriptor", archive)
    archive = good()
    item = archive.item(LONG)
    item.describe().local["flags"] = 0
    yield refused("a descriptor announced in the directory alone", "zip-flags-mismatch", archive)
    archive = good()
    item = archive.item(LONG)
    v = item.values()
    item.describe().after = b"PK\7\x08" + struct.pack("<IQQ", v["crc"], v["packed_size"], v["size"])
    yield refused("a ZIP64 descriptor without ZIP64 field", "zip-descriptor", archive)
    archive = good()
    item = archive.item(LONG)
    item.describe(wide=True).after = b"PK\7\x08" + struct.pack("<III", v["crc"], v["packed_size"], v["size"])
    yield refused("a short descriptor behind a ZIP64 field", "zip-descriptor", archive)
    for field, value in (("packed_size", 1), ("size", 1), ("crc", 1)):
        archive = good()
        archive.item(LONG).describe().local[field] = value
        yield refused(f"a descriptor and another {field} in the header", "zip-size-mismatch", archive)
    visible = b"print()\n"
    inside = Item(STUB.encode(), visible, STORED).describe().after
    for data, what in ((visible + inside + OTHER, "ends early for one reader"), (b"PK\7\x08" + bytes(12) + OTHER, "ends before it starts for one reader")):
        archive = wheel_of(files_of({STUB: data}))
        archive.item(STUB).describe()
        yield refused(f"stored data that {what}", "zip-descriptor", archive)
    hidden = good()
    hidden.item(LONG).describe()
    hidden.item(LONG).after += Item(b"odd/hidden.py", OTHER).local_header() + deflated(OTHER)
    yield refused("a member between a descriptor and the next one", "zip-unlisted-data", hidden)


@row
def z23() -> Iterator[Case]:
    def local(what: str, id: str, **values: object) -> Case:
        archive = good()
        item = archive.item(LONG)
        packed = len(item.stream)
        wide = extra_field(1, struct.pack("<QQ", len(TEXT), packed))
        item.local.update({"size": SENTINEL32, "packed_size": SENTINEL32, "extra": wide, "version": 45} | values)
        return refused("local: " + what, id, archive) if id else taken("local: " + what, archive)

    packed = len(deflated(TEXT))
    both = struct.pack("<QQ", len(TEXT), packed)
    yield local("sentinels and their field", "")
    yield local("no field for the sentinels", "zip-zip64-extra", extra=b"")
    yield local("an empty field", "zip-zip64-extra", extra=extra_field(1, b""))
    yield local("a field with one size", "zip-zip64-extra", extra=extra_field(1, both[:8]))
    yield local("a field of 15 bytes", "zip-zip64-extra", extra=extra_field(1, both[:15]))
    yield local("a field of 24 bytes", "zip-zip64-extra", extra=extra_field(1, both + bytes(8)))
    yield local("a field of 28 bytes", "zip-zip64-extra", extra=extra_field(1, both + bytes(12)))
    yield local("two fields", "zip-zip64-extra", extra=2 * extra_field(1, both))
    yield local("two fields that differ", "zip-zip64-extra", extra=extra_field(1, both) + extra_field(1, bytes(16)))
    yield local("another size", "zip-size-mismatch", extra=extra_field(1, struct.pack("<QQ", len(TEXT) + 1, packed)))
    yield local("another packed size", "zip-size-mismatch", extra=extra_field(1, struct.pack("<QQ", len(TEXT), packed + 1)))
    yield local("the sizes swapped", "zip-size-mismatch", extra=extra_field(1, struct.pack("<QQ", packed, len(TEXT))))
    yield local("a size above 2^32", "zip-size-mismatch", extra=extra_field(1, struct.pack("<QQ", len(TEXT) + (1 << 32), packed)))
    yield local("one sentinel and both sizes", "zip-zip64-extra", packed_size=packed)
    yield local("a field that repeats true sizes, as zipfile had it", "", size=len(TEXT), packed_size=packed)
    yield local("a field of other sizes than the header", "zip-zip64-extra", size=len(TEXT), packed_size=packed, extra=extra_field(1, struct.pack("<QQ", 5, 5)))
    yield local("another field beside it", "", extra=extra_field(0x5455, b"\1" + bytes(4)) + extra_field(1, both))

    def central(what: str, id: str, content: bytes | None, **values: object) -> Case:
        archive = good()
        item = archive.item(LONG)
        archive.build()
        values = {key: item.offset if value == "offset" else value for key, value in values.items()}
        content = None if content is None else content.replace(b"OFFSET##", struct.pack("<Q", item.offset))
        item.central.update({"extra": b"" if content is None else extra_field(1, content)} | values)
        return refused("directory: " + what, id, archive) if id else taken("directory: " + what, archive)

    size, stream = struct.pack("<Q", len(TEXT)), struct.pack("<Q", packed)
    yield central("the size in its field", "", size, size=SENTINEL32)
    yield central("the packed size in its field", "", stream, packed_size=SENTINEL32)
    yield central("the offset in its field", "", b"OFFSET##", offset=SENTINEL32)
    yield central("all three in their field", "", size + stream + b"OFFSET##", size=SENTINEL32, packed_size=SENTINEL32, offset=SENTINEL32)
    yield central("the disk in its field", "", bytes(4), disk=SENTINEL16)
    yield central("a sentinel without field", "zip-zip64-extra", None, size=SENTINEL32)
    yield central("an offset sentinel without field", "zip-zip64-extra", None, offset=SENTINEL32)
    yield central("a packed size sentinel without field", "zip-zip64-extra", None, packed_size=SENTINEL32)
    yield central("a field without sentinel", "zip-zip64-extra", size)
    yield central("a field with both sizes without sentinel", "zip-zip64-extra", size + stream)
    yield central("an empty field", "zip-zip64-extra", b"")
    yield central("a field cut short", "zip-zip64-extra", size[:7], size=SENTINEL32)
    yield central("a field with a size too many", "zip-zip64-extra", size + stream, size=SENTINEL32)
    yield central("a field with a size too few", "zip-zip64-extra", size, size=SENTINEL32, packed_size=SENTINEL32)
    yield central("all four though one is due", "zip-zip64-extra", size + stream + b"OFFSET##" + bytes(4), size=SENTINEL32)
    yield central("another size", "zip-size-mismatch", struct.pack("<Q", len(TEXT) + 1), size=SENTINEL32)
    yield central("another offset", "zip-name-mismatch", bytes(8), offset=SENTINEL32)
    yield central("an offset near 2^64", "zip-local-header", struct.pack("<Q", 2**64 - 10), offset=SENTINEL32)
    yield central("an offset of 2^63", "zip-local-header", struct.pack("<Q", 2**63), offset=SENTINEL32)
    yield central("another disk in its field", "zip-multi-disk", struct.pack("<I", 1), disk=SENTINEL16)
    for what, extra in (("two fields", 2 * extra_field(1, size)), ("two fields that differ", extra_field(1, size) + extra_field(1, stream))):
        archive = good()
        archive.item(LONG).central.update(size=SENTINEL32, extra=extra)
        yield refused("directory: " + what, "zip-zip64-extra", archive)


@row
def z25() -> Iterator[Case]:
    name = LONG.encode()
    right = unicode_path(name, name)
    fields = {"another name": unicode_path(b"odd/evil.py", name), "a name that climbs": unicode_path(b"../evil.py", name), "the CRC of another name": unicode_path(name, b"x"),
              "version 2": unicode_path(name, name, 2), "version 0": unicode_path(name, name, 0), "two of them": right + right,
              "two of them that differ": right + unicode_path(b"odd/evil.py", name), "four bytes": extra_field(0x7075, b"\1abc"), "no bytes": extra_field(0x7075, b""),
              "no name": unicode_path(b"", name), "a name and a byte": unicode_path(name + b"\0", name), "a name without its end": unicode_path(name[:-1], name)}
    for header in ("local", "central"):
        for what, extra in fields.items():
            archive = good()
            getattr(archive.item(LONG), header)["extra"] = extra
            yield refused(f"{header}: {what}", "zip-unicode-path", archive)
        archive = good()
        getattr(archive.item(LONG), header)["extra"] = right
        yield taken(f"{header}: the name again", archive)
    archive = good()
    archive.item(LONG).both(extra=right)
    yield taken("both: the name again", archive)


@row
def z26() -> Iterator[Case]:
    broken = {"one byte": b"\0", "three bytes": b"abc", "three zero bytes, as alignment pads": bytes(3), "a field longer than its block": b"\x55\x54\x09\x00" + bytes(8),
              "a length of 65535": b"\xfe\xca\xff\xff", "a good field and a byte": extra_field(0x5455, bytes(5)) + b"x",
              "a good field and one that runs out": extra_field(0x5455, bytes(5)) + struct.pack("<HH", 9, 1)}
    whole = {"a timestamp": extra_field(0x5455, b"\1" + bytes(4)), "an empty field": extra_field(0xCAFE, b""), "user and group": extra_field(0x7875, bytes(11)),
             "four zero bytes": bytes(4), "a field of 60 KiB": extra_field(0xCAFE, bytes(60000)), "a Unicode comment": extra_field(0x6375, b"\1" + bytes(8)),
             "jar's mark": extra_field(0xCAFE, b"")}
    for header in ("local", "central"):
        for what, extra in broken.items():
            archive = good()
            getattr(archive.item(LONG), header)["extra"] = extra
            yield refused(f"{header}: {what}", "zip-extra-field", archive)
        for what, extra in whole.items():
            archive = good()
            getattr(archive.item(LONG), header)["extra"] = extra
            yield taken(f"{header}: {what}", archive)
    archive = good()
    archive.item(LONG).local["extra_size"] = 4
    yield refused("a length of extra fields that reaches into the data", "zip-extra-field", archive)
    archive = good()
    archive.items[-1].central["extra_size"] = 4
    yield refused("a length of extra fields that runs out of the directory", "zip-directory", archive)


@row
def z27() -> Iterator[Case]:
    inner = Item(b"odd/inner.py", b"y", STORED)
    quoted = inner.local_header() + b"y"
    archive = wheel_of(files_of({STUB: quoted}))
    hidden = Item(b"odd/inner.py", b"y", STORED, present=False)
    hidden.central["offset"] = 30 + len(STUB)
    archive.add(hidden)
    yield refused("a member inside another one's data", "zip-overlap", archive)
    kernel = deflated(bytes(1 << 16))
    count = 40
    out, entries, tail = bytearray(), [], kernel
    # Fifield's quoted overlap: each local header stands in a stored block of the stream before it.
    for number in range(count):
        name = b"odd/%03d" % number
        header = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, DEFLATED, 0, 0x5821, 0, 0, 0, len(name), 0) + name
        entries.append((name, len(out)))
        out += header + b"\0" + struct.pack("<HH", len(header), 0xFFFF - len(header))
    bomb = good()
    start = len(bomb.build())
    archive = Zip(bomb.items, before_directory=b"")
    archive.items[-1].after = bytes(out) + kernel
    for name, at in entries:
        archive.add(Item(name, b"", present=False, central={"offset": start, "packed_size": len(out) + len(kernel) - at, "size": 1 << 16, "crc": 0}))
    yield refused("quoted local headers around one kernel", "zip-local-header", archive)
    for count in (2, 500):
        archive = good()
        for number in range(count):
            archive.add(Item(b"odd/%d" % number, b"", present=False, central={"offset": 0, "packed_size": 10, "size": 10, "crc": zlib.crc32(b"VALUE = 1\n"), "method": 0}))
        yield refused(f"{count} more names for the first member", "zip-name-mismatch", archive)
    archive = good()
    item = archive.item(LONG)
    item.both(packed_size=len(item.stream) + 60)
    yield refused("data that reaches into the next member", "zip-overlap", archive)
    archive = good()
    item = archive.items[-1]
    item.both(packed_size=len(item.stream) + 20)
    yield refused("data that reaches into the directory", "zip-out-of-bounds", archive)
    archive = good()
    item = archive.item(LONG)
    item.both(packed_size=len(item.stream) - 1)
    yield refused("data that ends before its member does", "zip-unlisted-data", archive)
    archive = good()
    archive.end["start"] = 60
    yield refused("a directory that starts inside a member", "zip-directory-position", archive)


@row
def z28() -> Iterator[Case]:
    zeros = bytes(80 << 20)
    archive = good({"odd/zeros": zeros})
    yield refused("80 MiB of zeros", "zip-ratio", archive, accept="--max-ratio=5000")
    piece = bytes(8 << 20)
    yield refused("ten members of 8 MiB of zeros", "zip-ratio", good({f"odd/{i}": piece for i in range(10)}))
    for claim, id in ((65 << 20, "zip-ratio"), (SENTINEL32 - 1, "zip-ratio"), (63 << 20, "zip-content")):
        archive = good()
        archive.item(LONG).both(size=claim)
        yield refused(f"a member that is said to be {claim} bytes", id, archive)
    archive = good()
    item = archive.item(LONG)
    for header in (item.local, item.central):
        header.update(size=SENTINEL32, packed_size=SENTINEL32, extra=extra_field(1, struct.pack("<QQ", 10 << 30, len(item.stream))))
    yield refused("a member that is said to be 10 GiB", "zip-ratio", archive)
    archive = good({"odd/zeros": bytes(60 << 20)})
    yield taken("60 MiB of zeros", archive, seconds=30)
    layer = good({"odd/zeros": bytes(1 << 20)}).build()
    for _ in range(4):
        layer = good({"odd/inner.whl": layer}).build()
    yield taken("wheels in wheels in wheels", layer)


@row
def z29() -> Iterator[Case]:
    big = 2**64 - 6
    for sizes, what, id in (((big, big), "both sizes", "zip-total-size"), ((len(TEXT), big), "the packed size", "zip-out-of-bounds"),
                            ((big, 40), "the size", "zip-total-size"), ((1 << 63, 1 << 63), "sizes that wrap when doubled", "zip-total-size"),
                            ((1 << 41, 40), "a size of 2 TiB", "zip-total-size")):
        archive = good()
        item = archive.item(LONG)
        for header in (item.local, item.central):
            header.update(size=SENTINEL32, packed_size=SENTINEL32, extra=extra_field(1, struct.pack("<QQ", *sizes)))
        yield refused(f"near 2^64: {what}", id, archive)
    archive = good()
    for name in (LONG, "odd/lib.so"):
        item = archive.item(name)
        for header in (item.local, item.central):
            header.update(size=SENTINEL32, packed_size=SENTINEL32, extra=extra_field(1, struct.pack("<QQ", 1 << 63, len(item.stream))))
    yield refused("two sizes whose sum wraps", "zip-total-size", archive)
    archive = good()
    item = archive.item(LONG)
    archive.build()
    wrap = 2**64 - item.offset
    for header in (item.local, item.central):
        header.update(size=SENTINEL32, packed_size=SENTINEL32, extra=extra_field(1, struct.pack("<QQ", len(TEXT), wrap)))
    yield refused("a packed size that wraps to the start", "zip-out-of-bounds", archive)
    archive = good()
    archive.items[-1].local["name_size"] = 0xFFFF
    yield refused("a local name that runs into the directory", "zip-out-of-bounds", archive)
    archive = good()
    archive.items[-1].local["extra_size"] = 0xFFFF
    yield refused("local extra fields that run into the directory", "zip-out-of-bounds", archive)
    for field in ("name_size", "comment_size"):
        archive = good()
        archive.items[-1].central[field] = 0xFFFF
        yield refused(f"a directory entry with a {field} of 65535", "zip-directory", archive)
    archive = good()
    archive.items[2].central["comment_size"] = 200
    yield refused("a comment that swallows the next entry", "zip-directory", archive)


@row
def z43() -> Iterator[Case]:
    import bz2
    import lzma

    streams = {12: bz2.compress(TEXT), 14: b"\x09\x04\x05\x00" + lzma.compress(TEXT, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1}]),
               95: lzma.compress(TEXT, lzma.FORMAT_XZ), 93: b"\x28\xb5\x2f\xfd" + bytes(20), 9: deflated(TEXT), 1: TEXT, 6: TEXT, 10: TEXT, 98: TEXT, 99: TEXT, 97: TEXT, 20: TEXT,
               0xFFFF: TEXT}
    names = {12: "bzip2", 14: "lzma", 95: "xz", 93: "zstd", 9: "deflate64", 1: "shrink", 6: "implode", 10: "IBM's", 98: "PPMd", 99: "AES", 97: "WavPack", 20: "the old number of zstd", 0xFFFF: "no method"}
    for method, stream in streams.items():
        archive = good()
        archive.item(LONG).packed = stream
        archive.item(LONG).both(method=method)
        yield refused(names[method], "zip-method", archive)
    archive = good()
    archive.items.insert(0, Item(b"odd/", b"", 12, 0o040755, packed=bz2.compress(b"")))
    yield refused("a folder entry in bzip2", "zip-method", archive)


def bits(*pieces: tuple[int, int]) -> bytes:
    """A bit stream, least significant bit first, from (value, width)."""
    value = width = 0
    for piece, size in pieces:
        value |= piece << width
        width += size
    return value.to_bytes((width + 7) // 8, "little")


@row
def z44() -> Iterator[Case]:
    whole = deflated(TEXT)
    stored = b"\1" + struct.pack("<HH", len(TEXT), 0xFFFF - len(TEXT)) + TEXT
    open_end = zlib.compressobj(6, zlib.DEFLATED, -15)
    no_final = open_end.compress(TEXT) + open_end.flush(zlib.Z_SYNC_FLUSH)
    broken = {"a byte behind the last block": whole + b"\0", "a stream behind the stream": whole + whole, "hidden text behind the stream": whole + b"import os",
              "the last byte missing": whole[:-1], "no last block": no_final, "half of the stream": whole[:len(whole) // 2], "no stream": b"",
              "a zlib header": zlib.compress(TEXT), "a gzip header": b"\x1f\x8b\x08\0\0\0\0\0\0\3" + whole, "block type 3": b"\7" + whole, "noise": bytes(range(200)),
              "a stored block of another length": b"\1" + struct.pack("<HH", len(TEXT), len(TEXT)) + TEXT, "a stored block cut short": stored[:-1],
              "a stored block and a byte": stored + b"x", "a distance before the start": bits((1, 1), (1, 2), (0b0000001, 7), (0b00000, 5), (0, 7)),
              "a length code that does not exist": bits((1, 1), (1, 2), (0b01100011, 8)), "a distance code that does not exist": bits((1, 1), (1, 2), (0b0001100, 7), (0b11111, 5), (0, 7)),
              "too many distance codes": bits((1, 1), (2, 2), (0, 5), (31, 5), (15, 4), (0xFFFF, 16)), "too many length codes": bits((1, 1), (2, 2), (31, 5), (0, 5), (15, 4), (0xFFFF, 16)),
              "codes of length codes that are too many": bits((1, 1), (2, 2), (0, 5), (0, 5), (15, 4), *[(1, 3)] * 19), "no codes of length codes": bits((1, 1), (2, 2), (0, 5), (0, 5), (0, 4), *[(0, 3)] * 4, (0, 16)),
              "repeats without a length before them": bits((1, 1), (2, 2), (0, 5), (0, 5), (0, 4), (1, 3), (1, 3), (0, 3), (0, 3), (0, 16))}
    for what, stream in broken.items():
        archive = good()
        archive.item(LONG).packed = stream
        yield refused(what, "zip-content", archive)
    archive = good()
    archive.item("odd/lib.so").packed = deflated(LIBRARY) + b"\0"
    yield refused("a byte behind the stream of an ELF file", "zip-content", archive)
    archive = good()
    record = archive.item(f"{INFO}/RECORD")
    record.packed = deflated(record.data) + deflated(b"odd/x.py,,\n")
    yield refused("a second stream in RECORD", "zip-content", archive)
    valid = {"a stored block": stored, "level 1": deflated(TEXT, 1), "level 9": deflated(TEXT, 9), "level 0": deflated(TEXT, 0),
             "an empty stored block last": no_final + b"\1\0\0\xff\xff", "an empty fixed block last": no_final + b"\3\0",
             "a thousand empty blocks": b"\0\0\0\xff\xff" * 1000 + whole}
    for what, stream in valid.items():
        archive = good()
        archive.item(LONG).packed = stream
        yield taken(what, archive)
    archive = good({"odd/empty": b""})
    archive.item("odd/empty").packed = b"\3\0"
    yield taken("nothing, deflated", archive)
    archive = good({"odd/empty": b""})
    archive.item("odd/empty").packed = b""
    yield refused("nothing, deflated to nothing", "zip-content", archive)
