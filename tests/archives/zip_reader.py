# SPDX-License-Identifier: Apache-2.0
"""Reads an archive by its directory, trusting nothing but what it needs: the tests' own idea of what a wheel holds."""

import struct
import zlib
from typing import NamedTuple


class Member(NamedTuple):
    content: bytes
    method: int
    packed: bytes
    mode: int


def read(data: bytes) -> dict[str, Member]:
    """Members by name, folder entries left out."""
    end = data.rfind(b"PK\5\6")
    entries, size, start = struct.unpack_from("<HII", data, end + 10)
    if end >= 20 and data[end - 20:end - 16] == b"PK\6\7":
        entries, size, start = struct.unpack_from("<QQQ", data, struct.unpack_from("<Q", data, end - 12)[0] + 32)
    found = {}
    at = start
    for _ in range(entries):
        method, packed_size, plain_size, name_size, extra_size, comment_size, external, offset = struct.unpack_from("<10xH8xIIHHH4xII", data, at)
        name = data[at + 46:at + 46 + name_size].decode()
        extra = data[at + 46 + name_size:at + 46 + name_size + extra_size]
        wide = {}
        while extra:
            number, length = struct.unpack_from("<HH", extra)
            wide.setdefault(number, extra[4:4 + length])
            extra = extra[4 + length:]
        values = [plain_size, packed_size, offset]
        rest = wide.get(1, b"")
        for i, value in enumerate(values):
            if value == 0xFFFFFFFF:
                values[i], rest = struct.unpack_from("<Q", rest)[0], rest[8:]
        plain_size, packed_size, offset = values
        body = offset + 30 + sum(struct.unpack_from("<HH", data, offset + 26))
        packed = data[body:body + packed_size]
        content = zlib.decompress(packed, -15) if method == 8 else packed
        assert len(content) == plain_size, name
        if not name.endswith("/"):
            assert name not in found, name
            found[name] = Member(content, method, packed, external >> 16)
        at += 46 + name_size + extra_size + comment_size
    return found
