# SPDX-License-Identifier: Apache-2.0
"""E19 to E23: hash tables, version tables and relocations."""

from collections.abc import Callable

from elf_bytes import DT, Elf
from small_files import FOUR, NATIVE, CannotBuild, library
from table import NOT_BUILT, Case, changed, row, set_entry

BOTH = ("-Wl,--hash-style=both",)
# powerpc64 of lld has a .gnu.hash, too.
TARGETS = [NATIVE, *FOUR[1:]]


def word(tag: str, index: int, value: int) -> Callable[[Elf], None]:
    return lambda elf: elf.set_word(elf.table(tag) + 4 * index, value)


@row("E19")
def huge_counts():
    def with_hashes(title: str, change, id: str):
        return changed(title, change, "R", id, TARGETS, BOTH)

    yield from with_hashes("DT_HASH: nchain", word("HASH", 1, 0xFFFFFFFF), "elf-symbol-count")
    yield from with_hashes("DT_HASH: nchain a little more than the file", word("HASH", 1, 0x10000), "elf-symbol-count")
    yield from with_hashes("DT_HASH: nbucket", word("HASH", 0, 0xFFFFFFFF), "elf-hash")
    yield from with_hashes("DT_GNU_HASH: nbuckets", word("GNU_HASH", 0, 0xFFFFFFFF), "elf-hash")
    yield from with_hashes("DT_GNU_HASH: bloom", word("GNU_HASH", 2, 0xFFFFFFFF), "elf-hash")
    yield from with_hashes("DT_GNU_HASH: symoffset", word("GNU_HASH", 1, 0xFFFFFFFF), "elf-hash|elf-symbol-count")
    yield from with_hashes("DT_GNU_HASH: a bucket", lambda e: word("GNU_HASH", 4 + e.word(e.table("GNU_HASH") + 8) * e.bits // 32, 0xFFFFFFF0)(e),
                           "elf-hash|elf-symbol-count")
    yield from with_hashes("DT_HASH far away", set_entry("HASH", lambda v, e: e.largest - 64), "elf-hash")
    yield from with_hashes("DT_GNU_HASH far away", set_entry("GNU_HASH", lambda v, e: e.largest - 64), "elf-hash")
    for tag in ("HASH", "GNU_HASH", "SYMTAB", "VERSYM", "VERDEF", "VERNEED"):
        yield from with_hashes(f"DT_{tag} in the ELF header", set_entry(tag, lambda v, e: e.segment("LOAD")["vaddr"] + 6), "elf-tables-overlap")
    yield from with_hashes("DT_VERNEEDNUM", set_entry("VERNEEDNUM", lambda v, e: e.largest), "elf-version-count")
    yield from with_hashes("DT_VERDEFNUM", set_entry("VERDEFNUM", 0x10000), "elf-version-count")
    yield from with_hashes("DT_SYMENT", set_entry("SYMENT", 4), "elf-symbol-size")
    yield from with_hashes("DT_VERSYM far away", set_entry("VERSYM", lambda v, e: e.largest - 64), "elf-symbol-count")
    for tag, size in (("RELA", "RELASZ"), ("REL", "RELSZ")):
        for title, value in (("all the memory", lambda v, e: e.largest), ("more than its LOAD", lambda v, e: 0x100000)):
            yield from having(tag, f"DT_{size}: {title}", set_entry(size, value), "R", "elf-relocations")
    yield from having("JMPREL", "DT_JMPREL far away", set_entry("JMPREL", lambda v, e: e.largest - 64), "R", "elf-relocations")


def having(tag: str, title: str, change, verdict: str, id: str):
    for case in changed(title, lambda elf: change(elf) if elf.has_entry(tag) else elf.data.clear(), verdict, id, TARGETS, BOTH):
        if case.data:
            yield case


@row("E20")
def broken_version_tables():
    def need(name: str, value):
        def change(elf: Elf) -> None:
            view = elf.needs()[0][0]
            view[name] = value(view[name], elf) if callable(value) else value

        return change

    def aux(name: str, value):
        def change(elf: Elf) -> None:
            elf.needs()[0][1][0][name] = value

        return change

    def definition(name: str, value):
        def change(elf: Elf) -> None:
            elf.definitions()[0][name] = value

        return change

    any_id = "elf-version-.*|elf-string-offset|elf-tables-overlap"
    for title, change in (
            ("vn_next into itself", need("next", 8)), ("vn_next wraps", need("next", 0xFFFFFFF0)), ("vn_next past the LOAD", need("next", 0x40000)),
            ("vn_cnt 0", need("count", 0)), ("vn_cnt 65535", need("count", 65535)), ("vn_version 2", need("version", 2)),
            ("vn_file past the strings", need("file", 0xFFFFFF)), ("vn_aux 0", need("aux", 0)), ("vn_aux wraps", need("aux", 0xFFFFFFF0)),
            ("vna_other above 15 bits", aux("other", 0x8002)), ("vna_other 65535", aux("other", 0xFFFF)), ("vna_name past the strings", aux("name", 0x7FFFFFFF)),
            ("vna_next into itself", aux("next", 4)), ("vna_next wraps", aux("next", 0xFFFFFFF0)),
            ("vd_next into itself", definition("next", 4)), ("vd_next wraps", definition("next", 0xFFFFFFF0)), ("vd_version 3", definition("version", 3)),
            ("vd_aux wraps", definition("aux", 0xFFFFFFF0)), ("vd_cnt 0", definition("count", 0)), ("vd_ndx above 15 bits", definition("index", 0x8001))):
        yield from changed(title, change, "R", any_id)
    yield from changed("DT_VERNEED is in no LOAD", set_entry("VERNEED", lambda v, e: e.largest - 15), "R", "elf-version-.*")
    yield from changed("DT_VERDEF is in no LOAD", set_entry("VERDEF", lambda v, e: e.largest - 15), "R", "elf-version-.*")

    def missing_index(elf: Elf) -> None:
        """An undefined symbol asks for a version that no table has."""
        versions, symbols, size = elf.table("VERSYM"), elf.table("SYMTAB"), 24 if elf.bits == 64 else 16
        for number in range(1, 8):
            at = symbols + number * size + (6 if elf.bits == 64 else 14)
            if elf.data[at:at + 2] == b"\0\0":
                elf.data[versions + 2 * number:versions + 2 * number + 2] = b"\x77\x77"
                return

    yield from changed("a symbol's version is in no table", missing_index, "R", "elf-version-index")


@row("E21")
def renamed_needs():
    """The edit that makes the needed name longer must rename vn_file, or glibc stops at an assertion."""
    for style in ("gnu", "sysv", "both"):
        yield Case(f"a version need, {style}", library(NATIVE, f"-Wl,--hash-style={style}"), "E", use="library")
    yield from changed("a version need", lambda elf: None, "E", "", FOUR)


@row("E22")
def hash_tables():
    for style in ("gnu", "sysv", "both"):
        for target in TARGETS:
            yield Case(f"{style}, {target}", library(target, f"-Wl,--hash-style={style}"), "E", use="library" if target == NATIVE else "")

    def none(elf: Elf) -> None:
        for entry in elf.dynamic:
            if entry["tag"] in (DT["HASH"], DT["GNU_HASH"]):
                entry["tag"] = 0x6FFFFE01

    yield from changed("none", none, "E", "", TARGETS, BOTH)
    nothing = "extern int dep_value(void); static int x(void) { return dep_value(); } static int (*volatile p)(void) = x;"
    for style in ("gnu", "sysv"):
        yield Case(f"nothing is exported, {style}", library(NATIVE, f"-Wl,--hash-style={style}", source=nothing), "E")
        yield Case(f"nothing is exported, {style}, lld", library("i386-linux-gnu", f"-Wl,--hash-style={style}", source=nothing), "E")
    yield from changed("nbuckets 0", word("GNU_HASH", 0, 0), "E", "", TARGETS, ("-Wl,--hash-style=gnu",))


@row("E23")
def packed_relocations():
    pointers = "extern int dep_value(void); int a, b; int *volatile table[40] = {&a, &b}; static int s; static int *volatile own[] = {&s, &s, &s};"
    source = pointers + "int run(void) { return dep_value() + (own[0] == &s && table[0] == &a) * 3; } int PyInit_case(void) { return 0; }"
    yield Case("RELR", library(NATIVE, "-Wl,-z,pack-relative-relocs", source=source), "E", use="library")
    yield Case("RELR with full RELRO", library(NATIVE, "-Wl,-z,pack-relative-relocs,-z,now,-z,relro", source=source), "E", use="library")
    for target in ("x86_64-linux-gnu", "aarch64-linux-gnu", "powerpc64-linux-gnu", "i386-linux-gnu"):
        for how in ("relr", "android", "android+relr"):
            try:
                data = library(target, f"-Wl,--pack-dyn-relocs={how}", "-Wl,--use-android-relr-tags" if "android" in how else "-Wl,-z,relro", source=source)
            except CannotBuild as reason:
                NOT_BUILT.append(str(reason))
                continue
            yield Case(f"{how}, {target}", data, "E")
    for target in ("x86_64-linux-gnu",):
        elf = Elf(library(target, "-Wl,--pack-dyn-relocs=relr", source=source))
        elf.entry("RELR")["value"] = elf.largest - 7
        yield Case("DT_RELR far away", elf.bytes(), "R", "elf-relocations")
