# SPDX-License-Identifier: Apache-2.0
"""Holds a repaired wheel's archive against the normal form that truewheel promises."""

import base64
import collections
import csv
import hashlib
import io
import re
import struct
import time
import zlib

NORMAL_TIME = (1980, 1, 1, 0, 0, 0)


def dos_time(value: tuple[int, ...]) -> tuple[int, int]:
    year, month, day, hour, minute, second = value
    return hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day


def epoch_time(seconds: int) -> tuple[int, ...]:
    return max(NORMAL_TIME, tuple(time.gmtime(seconds)[:6]))


def zip_complaints(data: bytes, when: tuple[int, ...] = NORMAL_TIME) -> list[str]:
    """What is not normal about the archive's framing, read from its bytes alone."""
    end = len(data) - 22
    if data[end:end + 4] != b"PK\5\6":
        return ["the end record is not the last 22 bytes"]
    disk, start_disk, here, total, size, start, comment = struct.unpack_from("<HHHHIIH", data, end + 4)
    complaints = []
    if here == 0xFFFF or size == 0xFFFFFFFF or start == 0xFFFFFFFF:
        # ZIP64, which is due where a number does not fit: the true ones stand in front of the locator.
        signature, length, count_here, count, true_size, true_start = struct.unpack_from("<IQ12xQQQQ", data, end - 76)
        if (signature, length) != (0x06064B50, 44) or struct.unpack_from("<IIQI", data, end - 20) != (0x07064B50, 0, end - 76, 1):
            return ["broken ZIP64 end records"]
        true = (count_here, count, true_size, true_start)
        if any(small != min(value, limit) for small, value, limit in zip((here, total, size, start), true, (0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF))):
            complaints.append("the two end records differ")
        if count < 0xFFFF and max(true_size, true_start) < 0xFFFFFFFF:
            complaints.append("ZIP64 records where none are due")
        here, total, size, start = true
        end -= 76
    if (disk, start_disk, comment) != (0, 0, 0) or here != total:
        complaints.append("odd end record")
    if start + size != end:
        complaints.append("the central directory does not touch the end record")
    place, expected, names = start, 0, []
    for _ in range(total):
        (made, needs, flags, method, clock, date, crc, packed, plain, name_size, extra, comment, disk, internal, external,
         offset) = struct.unpack_from("<4xHHHHHHIIIHHHHHII", data, place)
        if data[place:place + 4] != b"PK\1\2":
            return complaints + ["a broken central entry"]
        raw = data[place + 46:place + 46 + name_size]
        name = raw.decode("utf-8")
        names.append(name)
        place += 46 + name_size + extra + comment
        local = struct.unpack_from("<4sHHHHHIIIHH", data, offset)
        if local[0] != b"PK\3\4":
            complaints.append(f"{name}: no local header")
            continue
        if offset != expected:
            complaints.append(f"{name}: a gap or an overlap before it")
        if local[1:10] != (needs, flags, method, clock, date, crc, packed, plain, name_size):
            complaints.append(f"{name}: local and central header differ")
        if data[offset + 30:offset + 30 + name_size] != raw:
            complaints.append(f"{name}: local name differs")
        if extra or comment or local[10]:
            complaints.append(f"{name}: extra field or comment")
        if flags & ~0x0806:
            complaints.append(f"{name}: flags {flags:#x}")
        if not name.isascii() and not flags & 0x0800:
            complaints.append(f"{name}: not marked as UTF-8")
        if method not in (0, 8):
            complaints.append(f"{name}: method {method}")
        if (clock, date) != dos_time(when):
            complaints.append(f"{name}: time {date:#x} {clock:#x}, right is {when}")
        if made >> 8 != 3 or external >> 16 not in (0o100755, 0o100644):
            complaints.append(f"{name}: mode {external >> 16:o}, made by {made >> 8}")
        if name.endswith("/"):
            complaints.append(f"{name}: folder entry")
        body = data[offset + 30 + name_size + local[10]:][:packed]
        expected = offset + 30 + name_size + local[10] + packed
        text = zlib.decompress(body, -15) if method == 8 else body
        if len(text) != plain or zlib.crc32(text) != crc:
            complaints.append(f"{name}: content does not fit its header")
    if expected != start:
        complaints.append("a gap before the central directory")
    if place != end:
        complaints.append("the central directory has another size than it says")
    info = [name for name in names if re.match(r"[^/]+\.dist-info/", name)]
    record = [name for name in info if re.fullmatch(r"[^/]+\.dist-info/RECORD", name)]
    others = sorted((name for name in names if name not in info), key=str.encode)
    if names != others + sorted((name for name in info if name not in record), key=str.encode) + record:
        complaints.append(f"members are not sorted with .dist-info and RECORD last: {names}")
    return complaints


def record_complaints(files: dict[str, bytes]) -> list[str]:
    records = [name for name in files if re.fullmatch(r"[^/]+\.dist-info/RECORD", name)]
    if len(records) != 1:
        return [f"RECORD files: {records}"]
    record = records[0]
    text = files[record].decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    complaints = ["RECORD starts with a byte order mark"] if text.startswith("\ufeff") else []
    if bad := [row for row in rows if len(row) != 3]:
        return [f"RECORD rows without three fields: {bad}"]
    names = [row[0] for row in rows]
    counts = collections.Counter(names)
    complaints += [f"{name} has several rows" for name in sorted(counts) if counts[name] > 1]
    complaints += [f"{name} has no row" for name in files if name not in counts]
    complaints += [f"{name} has a row and no member" for name in names if name not in files]
    if names[-1] != record or rows[-1] != [record, "", ""]:
        complaints.append(f"the last row of RECORD is {rows[-1]}")
    for name, value, size in rows:
        if name in files and name != record:
            wanted = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
            if (value, size) != (f"sha256={wanted}", str(len(files[name]))):
                complaints.append(f"{name}: wrong hash or size in RECORD")
    return complaints


def tag_complaints(file_name: str, files: dict[str, bytes]) -> list[str]:
    """WHEEL says what the file name says, once each."""
    parts = file_name.removesuffix(".whl").split("-")
    wheels = [name for name in files if re.fullmatch(r"[^/]+\.dist-info/WHEEL", name)]
    fields: dict[str, list[str]] = {}
    for line in files[wheels[0]].decode().splitlines():
        if line:
            key, _, value = line.partition(":")
            fields.setdefault(key.strip(), []).append(value.strip())
    complaints = []
    if fields.get("Root-Is-Purelib") != ["false"]:
        complaints.append(f"Root-Is-Purelib is {fields.get('Root-Is-Purelib')}")
    if len(fields.get("Wheel-Version", [])) != 1:
        complaints.append("not one Wheel-Version")
    wanted = [f"{py}-{abi}-{plat}" for py in parts[-3].split(".") for abi in parts[-2].split(".") for plat in parts[-1].split(".")]
    if sorted(fields.get("Tag", [])) != sorted(wanted):
        complaints.append(f"WHEEL tags {fields.get('Tag')} are not those of {file_name}")
    platforms = parts[-1].split(".")
    if platforms != sorted(set(platforms)):
        complaints.append(f"platform tags of {file_name} are not sorted and unique")
    if fields.get("Build", []) != parts[2:-3]:
        complaints.append(f"Build is {fields.get('Build')}")
    return complaints
