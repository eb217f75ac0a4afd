#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make streams of each kind for deflate_splice_fuzz to start from: 8 bytes of edits, then the stream.

    deflate_splice_seeds.py FOLDER
"""

import random
import sys
import zlib
from pathlib import Path

KINDS = {
    "stored": (0, zlib.Z_DEFAULT_STRATEGY),
    "fast": (1, zlib.Z_DEFAULT_STRATEGY),
    "usual": (6, zlib.Z_DEFAULT_STRATEGY),
    "fixed": (6, zlib.Z_FIXED),
    "huffman": (6, zlib.Z_HUFFMAN_ONLY),
}
FLUSHES = {"none": zlib.Z_NO_FLUSH, "sync": zlib.Z_SYNC_FLUSH, "full": zlib.Z_FULL_FLUSH,
           "partial": zlib.Z_PARTIAL_FLUSH, "block": zlib.Z_BLOCK}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    numbers = random.Random(1)
    text = b"".join(b"%d %s\n" % (i, numbers.choice([b"alpha", b"beta", b"gamma"]) * numbers.randint(1, 9))
                    for i in range(1500))
    for kind, (level, strategy) in KINDS.items():
        for flush_name, flush in FLUSHES.items():
            content = text if level else text[:6000]
            coder = zlib.compressobj(level, zlib.DEFLATED, -15, 1, strategy)
            stream = b""
            for at in range(0, len(content), 5000):
                stream += coder.compress(content[at:at + 5000]) + coder.flush(flush)
            stream += coder.flush()
            (folder / f"{kind}-{flush_name}").write_bytes(numbers.randbytes(8) + stream)


if __name__ == "__main__":
    main()
