# SPDX-License-Identifier: Apache-2.0
"""E01 to E10: the ELF header, program headers and section headers."""

from elf_bytes import PT, SHT, Elf
from small_files import FOUR, NATIVE, STATIC, built, library, program, strip_sections
from table import Case, bases, changed, row, set_byte, set_header, set_segment, short


@row("E01")
def cut():
    for target, elf in bases([NATIVE, *FOUR[1:]]):
        whole = elf.bytes()
        header = 64 if elf.bits == 64 else 52
        for length in (0, 1, 3):
            yield Case(f"{length} bytes, {target}", whole[:length], "P", "elf-no-magic")
        for length in (4, 6, 15, 16, header - 1):
            yield Case(f"{length} bytes, {target}", whole[:length], "R", "elf-truncated")
        yield Case(f"only the header, {target}", whole[:header], "R", "elf-phoff")
        yield Case(f"half of the program headers, {target}", whole[:header + 90], "R", "elf-phoff")
        yield Case(f"in the middle of .dynamic, {target}", whole[:elf.segment("DYNAMIC")["offset"] + 24], "R", "elf-truncated")
        yield Case(f"the last byte is gone, {target}", whole[:-1], "R", "elf-truncated")


@row("E02")
def ident():
    for value in (0, 3, 255):
        yield from changed(f"class {value}", set_byte(4, value), "R", "elf-ident", [NATIVE, FOUR[2]])
        yield from changed(f"data {value}", set_byte(5, value), "R", "elf-ident", [NATIVE, FOUR[2]])
    for value in (0, 2, 255):
        yield from changed(f"version {value}", set_byte(6, value), "R", "elf-ident", [NATIVE, FOUR[3]])
        yield from changed(f"e_version {value}", set_header("e_version", value), "R", "elf-ident", [NATIVE, FOUR[1]])
    yield from changed("data of the other order", lambda elf: set_byte(5, 3 - elf.data[5])(elf), "R", "elf-ident|elf-entry-size|elf-phoff")
    yield from changed("class of the other size", lambda elf: set_byte(4, 3 - elf.data[4])(elf), "R", "elf-entry-size", [NATIVE, FOUR[1]])
    for value in (3, 9, 64, 97, 255):
        yield from changed(f"OSABI {value}", set_byte(7, value), "E", targets=[NATIVE, FOUR[3]])
    for value in (1, 7):
        yield from changed(f"ABIVERSION {value}", set_byte(8, value), "E", targets=[NATIVE, FOUR[1]])
    yield from changed("padding", set_byte(12, 1), "E")


@row("E03")
def entry_sizes():
    for value in (0, 31, 33, 55, 57, 0xFFFF):
        yield from changed(f"e_phentsize {value}", set_header("e_phentsize", value), "R", "elf-entry-size", [NATIVE, FOUR[2]])
    for value in (0, 39, 65):
        yield from changed(f"e_shentsize {value}", set_header("e_shentsize", value), "R", "elf-entry-size", [NATIVE, FOUR[1]])
    for value in (0, 51, 53, 0xFFFF):
        yield from changed(f"e_ehsize {value}", set_header("e_ehsize", value), "R", "elf-entry-size", [NATIVE, FOUR[2]])


@row("E04")
def table_offsets():
    def relative(name: str, function):
        def change(elf: Elf) -> None:
            elf.header[name] = function(elf)

        return change

    for title, value in (("at the end", lambda e: len(e)), ("near the end", lambda e: len(e) - 8 & ~7), ("wraps", lambda e: e.largest & ~7),
                         ("misaligned", lambda e: e.header["e_phoff"] + 2), ("in the header", lambda e: 8), ("zero", lambda e: 0)):
        more = {"wraps": "number-overflow"} if title == "wraps" else {}
        for case in changed(f"e_phoff {title}", relative("e_phoff", value), "R", "elf-phoff"):
            if title == "wraps" and Elf(case.data).bits == 64:
                case.id = more["wraps"]
            yield case
    for title, value in (("at the end", lambda e: len(e)), ("far away", lambda e: e.largest // 2), ("at the last address", lambda e: e.largest),
                         ("in the header", lambda e: 1), ("over the program headers", lambda e: e.header["e_phoff"]),
                         ("over code", lambda e: e.segment("DYNAMIC")["offset"])):
        yield from changed(f"e_shoff {title}", relative("e_shoff", value), "E")
    yield from changed("e_shoff a word too far", relative("e_shoff", lambda e: e.header["e_shoff"] + 8), "E", "", [NATIVE, FOUR[2]])
    yield from changed("e_shoff misaligned", relative("e_shoff", lambda e: e.header["e_shoff"] + 1), "E|R", "elf-truncated")


@row("E05")
def program_header_count():
    def many_headers(elf: Elf) -> None:
        elf.header["e_phnum"] = 1 + 65536 // (56 if elf.bits == 64 else 32)
        elf.data.extend(bytes(70000))

    yield from changed("PN_XNUM", set_header("e_phnum", 0xFFFF), "R", "elf-phnum")
    yield from changed("more than the file holds", set_header("e_phnum", 1100), "R", "elf-phoff")
    yield from changed("more than kernels read", many_headers, "R", "elf-phnum")
    yield from changed("none", set_header("e_phnum", 0), "X", "elf-not-dynamic")


@row("E06")
def extended_numbering():
    def count(elf: Elf) -> None:
        elf.sections[0]["size"] = elf.header["e_shnum"]
        elf.header["e_shnum"] = 0

    def names(elf: Elf) -> None:
        elf.sections[0]["link"] = elf.header["e_shstrndx"]
        elf.header["e_shstrndx"] = 0xFFFF

    def both(elf: Elf) -> None:
        names(elf)
        count(elf)

    def too_many(elf: Elf) -> None:
        elf.sections[0]["size"] = elf.largest
        elf.header["e_shnum"] = 0

    yield from changed("e_shnum in sh_size", count, "E")
    yield from changed("e_shstrndx in sh_link", names, "E")
    yield from changed("both", both, "E")
    yield from changed("sh_size counts more than the file holds", too_many, "R", "elf-truncated")
    yield from changed("e_shnum counts more than the file holds", set_header("e_shnum", 0xFE00), "R", "elf-truncated")


@row("E07")
def no_section_headers():
    def gone(elf: Elf) -> None:
        elf.data[:] = strip_sections(elf.bytes())

    yield from changed("cut off", gone, "E")
    yield Case("cut off, native", strip_sections(library(NATIVE)), "E", use="library")
    # A hash table of no symbol does not say how many undefined ones there are; the place of .dynstr does.
    yield Case("cut off, program", strip_sections(program()), "E|R", "elf-no-room", use="program")
    yield Case("cut off, program that exports", strip_sections(program(NATIVE, "-pie", "-rdynamic")), "E", use="program")
    yield from changed("e_shoff 0 with a count", set_header("e_shoff", 0), "E")
    yield from changed("no headers, many of them", lambda e: (set_header("e_shoff", 0)(e), set_header("e_shnum", 0xFFFF)(e)), "E")
    yield from changed("a table of the null section only", set_header("e_shnum", 1), "E")


@row("E08")
def lying_section_headers():
    def on(section: str, name: str, value):
        def change(elf: Elf) -> None:
            view = elf.section(section)
            view[name] = value(view[name], elf) if callable(value) else value

        return change

    changes = {
        ".dynamic has another address": on(".dynamic", "addr", lambda v, e: v + 16),
        ".dynamic has another offset": on(".dynamic", "offset", lambda v, e: v - 16),
        ".dynamic is shorter": on(".dynamic", "size", lambda v, e: v - 16),
        ".dynamic is past the end": on(".dynamic", "offset", lambda v, e: len(e) + 8),
        ".dynstr is longer": on(".dynstr", "size", lambda v, e: v + 5),
        ".dynstr is past the end": on(".dynstr", "offset", lambda v, e: e.largest - 3),
        ".dynsym counts more": on(".dynsym", "size", lambda v, e: v // 2),
        ".text lies over the header": on(".text", "offset", 0),
        ".text has all the memory": on(".text", "size", lambda v, e: e.largest),
        ".dynstr is not loaded": on(".dynstr", "flags", 0),
        ".dynsym has another type": on(".dynsym", "type", 1),
        ".gnu.version_r is gone": on(".gnu.version_r", "type", 0),
        "a section of no type": on(".text", "type", 0x7FFFFFFF),
    }
    for title, change in changes.items():
        # A string table that would reach into the next table cannot move; where it need not the edit is done.
        verdict, id = ("E|R", "elf-no-room") if title == ".dynstr is longer" else ("E", "")
        yield from changed(title, change, verdict, id)

    def all_wrong(elf: Elf) -> None:
        for section in elf.sections[1:]:
            section["offset"], section["size"] = elf.largest, elf.largest

    yield from changed("every section is past the end", all_wrong, "E")
    for target, elf in bases([NATIVE, *FOUR[1:]]):
        elf.section(".dynamic")["type"] = SHT["NOBITS"]
        yield Case(f".dynamic is NOBITS, {target}", elf.bytes(), "R", "elf-hollow-dynamic")


@row("E09")
def no_dynamic():
    def forget(elf: Elf) -> None:
        set_segment("DYNAMIC", "type", PT["NULL"])(elf)
        set_header("e_shoff", 0)(elf)

    # The link editor goes by the section.
    yield from changed("PT_DYNAMIC is PT_NULL", set_segment("DYNAMIC", "type", PT["NULL"]), "E")
    yield from changed("PT_DYNAMIC is PT_NULL, without sections", forget, "X", "elf-not-dynamic")
    for target in [NATIVE, *FOUR[1:]]:
        yield Case(f"static program, {short(target)}", built(target, STATIC, "-static", "-no-pie"), "X", "elf-not-dynamic")


@row("E10")
def segments_that_may_be_there_once():
    def double(kind: str, donor: str):
        def change(elf: Elf) -> None:
            source, target = elf.segment(kind), elf.segment(donor)
            for name in source.fields:
                target[name] = source[name]

        return change

    yield from changed("two PT_DYNAMIC", double("DYNAMIC", "STACK"), "R", "elf-two-dynamic")
    for target in (NATIVE, "i386-linux-gnu"):
        elf = Elf(program(target))
        double("INTERP", "STACK")(elf)
        yield Case(f"two PT_INTERP, {target}", elf.bytes(), "R", "elf-two-interpreters")
        elf = Elf(program(target))
        elf.segment("PHDR")["vaddr"] += 0x1000000
        yield Case(f"PT_PHDR in no LOAD, {target}", elf.bytes(), "X", "elf-phdr")
        elf = Elf(program(target))
        first, second = elf.segment("PHDR"), elf.segment("LOAD")
        if second.offset > first.offset:
            size = 56 if elf.bits == 64 else 32
            # In between stands PT_INTERP at most.
            middle = elf.data[first.offset + size:second.offset]
            a, b = bytes(elf.data[first.offset:first.offset + size]), bytes(elf.data[second.offset:second.offset + size])
            elf.data[first.offset:second.offset + size] = b + middle + a
            yield Case(f"PT_PHDR behind a LOAD, {target}", elf.bytes(), "X", "elf-phdr")
