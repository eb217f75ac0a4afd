# SPDX-License-Identifier: Apache-2.0
"""E24 to E27, E34, E35, E38 to E40: machines, kinds of files, and what is no ELF file."""

import struct

from elf_bytes import Elf
from small_files import FOUR, MANY, NATIVE, STATIC, CannotBuild, built, have, library, program
from table import NOT_BUILT, Case, changed, row, set_header
from rows_dynamic import spare


def made(title: str, make, *words, verdict: str = "E", id: str = "", **more):
    try:
        return [Case(title, make(*words), verdict, id, **more)]
    except CannotBuild as reason:
        NOT_BUILT.append(str(reason))
        return []


@row("E24")
def machines():
    for target in MANY:
        yield from made(f"library, {target}", library, target)
        yield from made(f"stripped library, {target}", library, target, "-s")
        yield from made(f"program, {target}", program, target, "-pie")
    for machine in (0, 2, 0xFFFF, 0x9026):
        yield from changed(f"e_machine {machine:#x}", set_header("e_machine", machine), "E", "", [NATIVE, FOUR[2]])


@row("E25")
def static_programs():
    yield Case("static PIE", built(NATIVE, STATIC, "-static-pie"), "X", "elf-static")
    yield Case("static PIE, stripped", built(NATIVE, STATIC, "-static-pie", "-s"), "X", "elf-static")
    yield from made("static PIE, lld", lambda: built("aarch64-linux-gnu", STATIC, "-static-pie"), verdict="X", id="elf-static")


@row("E26")
def programs():
    for linker in ("bfd", "gold", "lld"):
        yield Case(f"PIE, {linker}", program(NATIVE, "-pie", f"-fuse-ld={linker}"), "E", use="program", soname_edit=False)
        yield Case(f"ET_EXEC, {linker}", program(NATIVE, "-no-pie", f"-fuse-ld={linker}"), "E", use="program", soname_edit=False)
    yield Case("a library with an interpreter", program(NATIVE, "-shared", "-Wl,-soname,libx.so"), "E")


@row("E27")
def prelinked():
    for tag in ("GNU_PRELINKED", "CHECKSUM"):
        yield from spare(f"DT_{tag}", lambda elf: elf.add_entry(tag, 0x5F000000), "X", "elf-prelinked")


@row("E34")
def debug_files():
    yield Case("objcopy --only-keep-debug", library(NATIVE, "-g", after=("objcopy", "--only-keep-debug")), "X", "elf-not-dynamic")
    yield from made("llvm-objcopy --only-keep-debug", lambda: library("powerpc64-linux-gnu", "-g", after=("llvm-objcopy", "--only-keep-debug")), verdict="X",
                    id="elf-not-dynamic")
    if have("eu-strip"):
        yield Case("eu-strip -f", debug_file_of_eu_strip(), "X", "elf-not-dynamic")


def debug_file_of_eu_strip() -> bytes:
    import tempfile
    from pathlib import Path

    from small_files import call

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "case").write_bytes(library(NATIVE, "-g"))
        call(["eu-strip", "-f", "debug", "case"], folder)
        return (folder / "debug").read_bytes()


@row("E35")
def section_names():
    def zeros(elf: Elf) -> None:
        names = elf.sections[elf.header["e_shstrndx"]]
        elf.data[names["offset"]:names["offset"] + names["size"]] = bytes(names["size"])

    def without_end(elf: Elf) -> None:
        names = elf.sections[elf.header["e_shstrndx"]]
        elf.data[names["offset"]:names["offset"] + names["size"]] = b"x" * names["size"]

    def far(elf: Elf) -> None:
        elf.sections[elf.header["e_shstrndx"]]["offset"] = elf.largest - 4

    yield from changed(".shstrtab is zeros", zeros, "E")
    yield from changed(".shstrtab does not end", without_end, "E")
    yield from changed(".shstrtab is past the end", far, "E")
    for value in (0, 0xFE00, 1):
        yield from changed(f"e_shstrndx {value}", set_header("e_shstrndx", value), "E")


@row("E38")
def other_types():
    for value in (0, 1, 4, 5, 0xFE00, 0xFEFF, 0xFF00, 0xFFFF):
        yield from changed(f"e_type {value:#x}", set_header("e_type", value), "X", "elf-not-dynamic", [NATIVE, FOUR[2]])
    for target in [NATIVE, *FOUR[1:]]:
        yield Case(f"object, {target}", built(target, STATIC, "-c"), "X", "elf-not-dynamic")


@row("E39")
def no_elf():
    archive = b"!<arch>\n" + b"a.o/            0           0     0     644     4         `\nabcd"
    for title, data in (("Mach-O 64", struct.pack("<8I", 0xFEEDFACF, 0x1000007, 3, 6, 0, 0, 0x85, 0)), ("Mach-O fat", struct.pack(">2I", 0xCAFEBABE, 2) + bytes(60)),
                        ("PE", b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + bytes(40)), ("ar", archive), ("thin ar", archive.replace(b"<arch>", b"<thin>")),
                        ("LLVM bitcode", b"BC\xc0\xde" + bytes(40)), ("linker script", b"/* GNU ld script */\nINPUT(libdep.so.1)\n"), ("empty", b""),
                        ("a newline", b"\n"), ("magic one byte late", b"\n" + library()), ("magic in lower case", b"\x7felf" + bytes(60))):
        yield Case(title, data, "P", "elf-no-magic")


@row("E40")
def machines_in_one_wheel():
    """The wheel is for x86-64; whatever else is a sound file of another machine passes."""
    for target in MANY[1:]:
        yield from made(f"{target} in a wheel for x86-64", library, target, "-s", "-Wl,-z,now")
