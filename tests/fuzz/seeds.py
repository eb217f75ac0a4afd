#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of text_fuzz, config_fuzz and repair_fuzz.

    seeds.py FOLDER      writes FOLDER/text_seeds, FOLDER/config_seeds and FOLDER/repair_seeds
"""

import json
import struct
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("archives", "elf_cases")]
from small_files import DEPENDENCY, NATIVE, SMALL, CannotBuild, dependency, library, program  # noqa: E402
from wheel_bytes import Zip, files_of, tiny_library, wheel_of  # noqa: E402

RECORD, WHEEL, METADATA, NAMES, ENTRY_POINTS, PATTERN = range(6)  # of text_fuzz.cpp
# Of built_wheel.cpp.
(EXTENSION, SIBLING, GRAFT, SCRIPT, DATA, PURELIB, INIT, METADATA_FILE, WHEEL_FILE, RECORD_FILE, ENTRIES, BILL, LICENCE, OWN_NAME,
 OUTSIDE) = range(15)
IS_ARCHIVE, IS_ACCEPTING, IS_FIX_ONLY, ALLOWS_PURE, IS_COMPRESSED = 1, 2, 4, 8, 16  # bits of repair_fuzz.cpp
LINUX, MANYLINUX, MUSLLINUX, ANY = 0, 1 << 6, 2 << 6, 3 << 6

TEXTS = [
    (RECORD, 'a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\r\n"a,""b",,\nRECORD,,\n'),
    (RECORD, "b.py,sha512=z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg_SpIdNs6c5H0NE8XYXysP-DGNKHfuwvY7kxvUdBeoGlODJ6-SfaPg,1\np-1.dist-info/RECORD.jws,,\n"),
    (WHEEL, "Wheel-Version: 1.0\nGenerator: a\n b\nRoot-Is-Purelib: false\nTag: py3-none-any\nBuild: 1\n\nbody"),
    (WHEEL, "Wheel-Version: 1.9\r\nroot-is-purelib: True\r\nTag: cp312-cp312-linux_x86_64\r\nTag: py3-none-any\r\n"),
    (METADATA, "Metadata-Version: 2.1\nName: p\nRequires-Dist: nvidia-cuda-runtime-cu12 (>=12); extra == 'x'\nrequires-dist: Q.R[s]~=1\n\nbody\n"),
    (NAMES, "a_b-1.0rc1.post2.dev3+cu.130-1x-py2.py3-abi3-linux_x86_64-label.whl\na_b/_x.so\na.b-1.0rc1.post2.dev3+cu.130.dist-info/RECORD\n"
            "a.b-1.0rc1.post2.dev3+cu.130.data/scripts/python3.12\n"),
    (NAMES, "p-1-py3-none-any.whl\np-1.dist-info/WHEEL\np-1.data/purelib/x.py\np-1.data/odd/x\np-1.data/headers/x.h\n"),
    (ENTRY_POINTS, "[console_scripts]\nx = a.b:c [d]\n../y = a:b\n# note\n[gui_scripts]\nz=q\n"),
    (PATTERN, "[!a-c]*?[]x]\nlibabc.so"),
]

CONFIGURATIONS = [
    # The first byte: the command (repair, show, check, explain), and 4 for pyproject.toml.
    (0, 'exclude = ["libcuda.so*"]\nprofile = "rocm"\nplat = "auto"\nstrip = "split"\njobs = 2\nzip-level = 9\nrpath-kind = "runpath"\n'),
    (0, '[repair]\nlib-dir = "{name}.libs"\nverify = "strict"\nno-clobber = true\nplat-only = true\nmax-ratio = 12.5\n[check]\nselect = ["R"]\n'),
    (1, 'profiles = ["rocm", "rdma"]\nsearch = ["build/lib"]\nlibstdcxx = "host"\naccept-record-mismatch = true\n'),
    (2, 'fail-on = "warning"\nallow = { R001 = ["/opt/rocm/lib"] }\nmax-size = "100MB"\nmax-bundled = 1000\ntarget-glibc = "2.28"\n'
        'dead-patterns = "error"\n'),
    (2, '[assert]\nname = "p-*.whl"\ncount = 1\nneeded = { "*.so" = "libc.so.6" }\nforbid = { "*" = ["libgcc*"] }\nexecutables = "pie"\n'),
    (6, '[project]\nname = "p"\n[tool.truewheel]\nprovide = "libm.so*"\n[tool.truewheel.check]\nignore = ["E002"]\nreport = ["sarif=x"]\n'),
    (3, 'provides = ["libc.so*"]\nexcludes = ["libx*"]\n'),
    (4, "[tool.other]\na = 1979-05-27T07:32:00Z\nb = 0x10\nc = '''x'''\nd = [[1], {e = nan}]\n[[tool.list]]\n\"quoted\\u0041\" = +1_000.5e-3\n"),
]


def put(folder: Path, seeds: list[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds):
        (folder / f"{number:02}").write_bytes(seed)


def piece(place: int, content: bytes | str) -> bytes:
    data = content if isinstance(content, bytes) else content.encode()
    return bytes([place]) + struct.pack("<H", len(data)) + data


def wheel(choice: int, *pieces: bytes) -> bytes:
    return bytes([choice]) + b"".join(pieces)


def tiny(tag: int, text: str) -> bytes:
    """The tiny library, whose one string is the value of another tag than SONAME."""
    data = tiny_library(text)
    return data.replace(struct.pack("<QQ", 14, 1), struct.pack("<QQ", tag, 1))


NEEDED, SONAME, RPATH, RUNPATH, AUXILIARY = 1, 14, 15, 29, 0x7FFFFFFD


def compiled() -> list[bytes]:
    """Wheels of what a compiler makes; none where it is not there."""
    page = "-Wl,-z,max-page-size=4096"
    try:
        extension, needed = library(NATIVE, *SMALL, page), dependency()
        tool = program(NATIVE, "-pie", *SMALL, page)
    except CannotBuild:
        return []
    as_sibling = piece(OWN_NAME, f"pkg/lib/{DEPENDENCY}\n".encode() + needed)
    outside = needed.replace(b"libdep.so.1", b"libg.so.1\0\0")
    from_outside = extension.replace(b"libdep.so.1", b"libg.so.1\0\0")
    seeds = []
    for choice in (LINUX, LINUX | IS_COMPRESSED, LINUX | IS_FIX_ONLY, MUSLLINUX):
        seeds.append(wheel(choice, piece(EXTENSION, extension), as_sibling))
        seeds.append(wheel(choice, piece(EXTENSION, from_outside), piece(OUTSIDE, outside)))
    seeds.append(wheel(LINUX, piece(SCRIPT, tool), as_sibling))
    return seeds


def archive() -> Zip:
    """A wheel p-1, as the file names of repair_fuzz.cpp say."""
    info = "p-1.dist-info"
    return wheel_of(files_of(info=info, metadata="Metadata-Version: 2.1\nName: p\nVersion: 1\n"), info=info)


def wheels() -> list[bytes]:
    plain, outside = tiny(SONAME, "libx.so"), tiny(SONAME, "libg.so.1")
    described = archive()
    for item in described.items:
        item.describe()
    component = {"type": "library", "name": "g", "bom-ref": "g", "purl": "pkg:deb/debian/g@1"}
    bill = json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.5", "components": [component], "dependencies": [{"ref": "g", "dependsOn": []}]})
    record = "pkg/_x.so,,\np-1.dist-info/METADATA,sha256=x,41\np-1.dist-info/WHEEL,,\np-1.dist-info/RECORD,,\n"
    return [
        wheel(IS_ARCHIVE, archive().build()),
        wheel(IS_ARCHIVE, described.build()),
        wheel(LINUX, piece(EXTENSION, plain)),
        wheel(MANYLINUX, piece(EXTENSION, plain)),
        wheel(MUSLLINUX, piece(EXTENSION, plain)),
        wheel(ANY, piece(EXTENSION, plain)),
        wheel(ANY | ALLOWS_PURE, piece(INIT, "x = 1\n")),
        wheel(LINUX | IS_COMPRESSED, piece(EXTENSION, tiny(NEEDED, "libg.so.1")), piece(OUTSIDE, outside)),
        wheel(LINUX, piece(EXTENSION, tiny(NEEDED, "liby.so.1")), piece(SIBLING, plain)),
        wheel(LINUX, piece(SCRIPT, tiny(NEEDED, "liby.so.1")), piece(DATA, plain)),
        wheel(LINUX, piece(EXTENSION, tiny(AUXILIARY, "libg.so.1")), piece(OUTSIDE, outside)),
        wheel(LINUX | IS_FIX_ONLY, piece(EXTENSION, tiny(RPATH, "/opt/lib:$ORIGIN/sub")), piece(SIBLING, plain)),
        wheel(LINUX, piece(EXTENSION, tiny(RUNPATH, "$ORIGIN:/opt/lib::lib"))),
        wheel(LINUX | IS_FIX_ONLY, piece(SIBLING, plain), piece(GRAFT, plain), piece(EXTENSION, plain)),
        wheel(LINUX, piece(PURELIB, plain)),
        wheel(LINUX, piece(EXTENSION, plain), piece(WHEEL_FILE, "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")),
        wheel(LINUX, piece(EXTENSION, plain), piece(METADATA_FILE, "Name: p\nVersion: 1\nLicense-File: LICENSE\nRequires-Dist: g\n"),
              piece(LICENCE, "MIT")),
        wheel(LINUX | IS_ACCEPTING, piece(EXTENSION, plain), piece(RECORD_FILE, record)),
        wheel(LINUX, piece(EXTENSION, tiny(NEEDED, "libg.so.1")), piece(OUTSIDE, outside), piece(BILL, bill)),
        wheel(LINUX, piece(EXTENSION, plain), piece(ENTRIES, "[console_scripts]\nx = a:b\n../y = a:b\n")),
        wheel(LINUX, piece(EXTENSION, b"\x7fELF")),
        wheel(LINUX, piece(EXTENSION, plain), piece(OWN_NAME, "pkg/data.txt\n" + "line\n" * 100)),
    ]


def main(folder: Path) -> None:
    put(folder / "text_seeds", [bytes([reader]) + text.encode() for reader, text in TEXTS])
    put(folder / "config_seeds", [bytes([reader]) + text.encode() for reader, text in CONFIGURATIONS])
    put(folder / "repair_seeds", wheels() + compiled())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
