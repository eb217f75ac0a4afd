# SPDX-License-Identifier: Apache-2.0
"""E11 to E16, E42 to E44: the dynamic section and its strings."""

from elf_bytes import DT, Elf
from small_files import FOUR, NATIVE, CannotBuild, library, program
from table import Case, changed, row, set_entry, set_segment

FAR = {64: 0x7FFFFFFFFFFFF000, 32: 0x7FFFF000}


@row("E11")
def end_of_dynamic():
    def no_null(elf: Elf) -> None:
        for entry in elf.dynamic:
            if entry["tag"] == 0:
                entry["tag"] = 0x6FFFFE00
        segment = elf.segment("DYNAMIC")
        # Up to the last entry that the linker made, so that the tags above are not needed.
        segment["memsz"] = segment["filesz"]

    def junk(elf: Elf) -> None:
        slots = [entry for entry in elf.dynamic if entry["tag"] == 0]
        for entry in slots[1:]:
            entry["tag"], entry["value"] = DT["NEEDED"], elf.largest

    def cut(elf: Elf) -> None:
        used = len([entry for entry in elf.dynamic if entry["tag"] != 0])
        elf.segment("DYNAMIC")["filesz"] = used * 2 * elf.bits // 8

    yield from changed("no DT_NULL", no_null, "R", "elf-dynamic-no-end")
    yield from changed("cut before DT_NULL", cut, "R", "elf-dynamic-no-end")
    yield from changed("junk behind DT_NULL", junk, "E")
    elf = Elf(library())
    junk(elf)
    yield Case("junk behind DT_NULL is loaded", elf.bytes(), "E", use="library")
    for more in (1, 3, 4):
        step = (lambda n: lambda v, e: v - n)(more)
        yield from changed(f"{more} bytes short", set_segment("DYNAMIC", "filesz", step), "R", "elf-dynamic-size", [NATIVE, FOUR[2]])
    yield from changed("past the LOAD", set_segment("DYNAMIC", "filesz", lambda v, e: FAR[e.bits]), "R", "elf-dynamic-unmapped")
    yield from changed("another address", set_segment("DYNAMIC", "vaddr", lambda v, e: v + 8), "R", "elf-dynamic-unmapped")
    yield from changed("another offset", set_segment("DYNAMIC", "offset", lambda v, e: v + 8), "R", "elf-dynamic-unmapped")
    yield from changed("past the end", set_segment("DYNAMIC", "offset", lambda v, e: len(e) + 64), "R", "elf-dynamic-unmapped")
    yield from changed("no bytes", set_segment("DYNAMIC", "filesz", 0), "X", "elf-not-dynamic")

    def null_first(elf: Elf) -> None:
        elf.dynamic[0]["tag"] = 0

    yield from changed("DT_NULL is the first", null_first, "X", "elf-not-dynamic")


@row("E12")
def many_entries():
    """LIEF 0.9 reads a thousand. The stubs differ in the digits of their SONAME alone."""
    stub = library(NATIVE, "-s", "-Wl,-soname,libst0000.so", source="int PyInit_case(void) { return 0; } int run(void) { return 0; }")
    companions = {}
    for number in range(1100):
        companions[f"libst{number:04}.so"] = stub.replace(b"libst0000.so", f"libst{number:04}.so".encode())
    data = many_needed(companions)
    yield Case("1100 needed libraries", data, "E", needed="libst0007.so")
    elf = Elf(data)
    elf.entry("NEEDED", 1050)["value"] = 0x7FFFFFF
    yield Case("the 1050th needed name is past the strings", elf.bytes(), "R", "elf-string-offset")


def many_needed(companions: dict[str, bytes]) -> bytes:
    import tempfile
    from pathlib import Path

    from small_files import call, compiler

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for library_name, data in companions.items():
            (folder / library_name).write_bytes(data)
        (folder / "case.c").write_text("int run(void) { return 7; }\n")
        (folder / "names").write_text("\n".join(companions))
        call([*compiler(NATIVE), "-fPIC", "-shared", "-Wl,-soname,libcase.so.1", "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN", "-o", "case", "case.c",
              "-L.", "@names"], folder)
        return (folder / "case").read_bytes()


@row("E13")
def place_of_strings():
    for title, value in (("0", 0), ("at the last address", lambda v, e: e.largest), ("far away", lambda v, e: FAR[e.bits]),
                         ("in .bss", lambda v, e: zero_memory(e)), ("at the end of its LOAD", lambda v, e: end_of_load(e, v))):
        # An address of 0 is the ELF header of a library.
        id = "elf-strtab-unmapped" if title != "0" else "elf-tables-overlap"
        yield from changed(f"DT_STRTAB {title}", set_entry("STRTAB", value), "R", id)


def zero_memory(elf: Elf) -> int:
    last = [s for s in elf.segments if s["type"] == 1][-1]
    last["memsz"] = max(last["memsz"], last["filesz"] + 64)
    return last["vaddr"] + last["filesz"] + 8


def end_of_load(elf: Elf, address: int) -> int:
    for segment in elf.segments:
        if segment["type"] == 1 and segment["vaddr"] <= address < segment["vaddr"] + segment["filesz"]:
            return segment["vaddr"] + segment["filesz"] - 1
    raise ValueError


@row("E14")
def strings():
    for title, value, id in (("0", 0, "elf-strtab-unmapped"), ("huge", lambda v, e: e.largest, "elf-strtab-unmapped|number-overflow"),
                             ("past its LOAD", lambda v, e: v + 0x100000, "elf-strtab-unmapped"),
                             ("one short", lambda v, e: v - 1, "elf-strtab-no-end"), ("one", 1, "elf-string-offset"),
                             ("half", lambda v, e: half(e, v), "elf-string-offset|elf-symbol-name")):
        yield from changed(f"DT_STRSZ {title}", set_entry("STRSZ", value), "R", id)

    def unterminated(elf: Elf) -> None:
        elf.data[elf.table("STRTAB") + elf.entry("STRSZ")["value"] - 1] = ord("x")

    yield from changed("the last string does not end", unterminated, "R", "elf-strtab-no-end")
    for tag in ("NEEDED", "SONAME", "RPATH"):
        yield from changed(f"DT_{tag} at the end", set_entry(tag, lambda v, e: e.entry("STRSZ")["value"]), "R", "elf-string-offset")
        yield from changed(f"DT_{tag} far away", set_entry(tag, lambda v, e: e.largest), "R", "elf-string-offset", [NATIVE, FOUR[2]])

    def symbol(elf: Elf) -> None:
        size = 24 if elf.bits == 64 else 16
        elf.set_word(elf.table("SYMTAB") + size, 0xFFFFFF)

    yield from changed("a symbol's name is past the strings", symbol, "R", "elf-string-offset|elf-symbol-name")

    def no_strings(elf: Elf) -> None:
        elf.entry("STRTAB")["tag"] = 0x6FFFFE00

    yield from changed("no DT_STRTAB", no_strings, "R", "elf-string-offset")


def half(elf: Elf, size: int) -> int:
    """About half of the size, at the end of a string."""
    place = elf.table("STRTAB")
    return elf.data.index(0, place + size // 2) - place + 1


@row("E15")
def doubled_entries():
    for tag in ("STRTAB", "STRSZ", "SYMTAB"):
        yield from spare(f"two DT_{tag}", lambda elf: elf.add_entry(tag, elf.entry(tag)["value"]), "R", "elf-strtab-twice")
    for tag in ("SONAME", "RPATH", "NEEDED"):
        yield from spare(f"two DT_{tag}", lambda elf: elf.add_entry(tag, elf.entry(tag)["value"]), "E", use="library")
    yield from spare("both run paths", lambda elf: elf.add_entry("RUNPATH", elf.entry("RPATH")["value"]), "E", use="library")
    yield from spare("both run paths, and one more", lambda elf: (elf.add_entry("RUNPATH", elf.entry("RPATH")["value"]),
                                                                elf.add_entry("RPATH", elf.entry("SONAME")["value"])), "E", use="library")


def spare(title: str, change, verdict: str, id: str = "", **more):
    """Only GNU ld leaves spare dynamic entries."""
    yield from changed(title, change, verdict, id, [NATIVE], **more)


@row("E16")
def odd_names():
    def named(tag: str, text: bytes):
        def change(elf: Elf) -> None:
            place = elf.string_place(tag)
            elf.data[place:place + len(text)] = text

        return change

    yield from changed("DT_NEEDED is empty", set_entry("NEEDED", 0), "E", needed="")
    yield from changed("DT_SONAME is empty", set_entry("SONAME", 0), "E")
    for tag, name in (("NEEDED", "libdep.so.1"), ("SONAME", "libcase.so.1")):
        for value in (1, 10, 27, 127):
            text = bytes([value]) + name[1:].encode()
            # The name of the library is that of its version need, too: the strings are shared.
            yield from changed(f"DT_{tag} with byte {value}", named(tag, text), "R", "elf-control-character", [NATIVE, FOUR[2]])
        yield from changed(f"DT_{tag} with a folder", named(tag, b"a/b" + name[3:].encode()), "E", needed="a/b" + name[3:] if tag == "NEEDED" else "libdep.so.1")
        yield from changed(f"DT_{tag} above its folder", named(tag, b"../" + name[3:].encode()), "E", needed="../" + name[3:] if tag == "NEEDED" else "libdep.so.1")
        yield from changed(f"DT_{tag} with a high byte", named(tag, b"\xff\xfe" + name[2:].encode()), "E", needed="none")
    for length in (255, 4096):
        yield Case(f"SONAME of {length} bytes", library(NATIVE, f"-Wl,-soname,{'s' * length}"), "E", use="library")


@row("E42")
def names_of_helpers():
    for option, tag in (("-f,libaux.so", "AUXILIARY"), ("-F,libfil.so", "FILTER"), ("--audit,libaud.so", "AUDIT"), ("--depaudit,libdpa.so", "DEPAUDIT")):
        name = option.split(",")[1]
        for target in (NATIVE, "powerpc64-linux-gnu") if tag in ("AUXILIARY", "FILTER") else (NATIVE,):
            yield Case(f"DT_{tag}, {target}", library(target, f"-Wl,{option}"), "E", keeps=(name,), use="library" if target == NATIVE and tag == "AUXILIARY" else "")
    yield from spare("DT_CONFIG", lambda elf: elf.add_entry("CONFIG", elf.entry("SONAME")["value"]), "E", keeps=("CONFIG",), soname_edit=False)


@row("E43")
def flags():
    yield Case("DF_1_NODEFLIB", library(NATIVE, "-Wl,-z,nodefaultlib"), "E", use="library", keeps=("NODEFLIB",))
    yield Case("DF_ORIGIN", library(NATIVE, "-Wl,-z,origin"), "E", use="library", keeps=("ORIGIN",))
    yield Case("DF_1_NODELETE and INITFIRST", library(NATIVE, "-Wl,-z,nodelete,-z,initfirst"), "E", use="library", keeps=("NODELETE", "INITFIRST"))
    yield Case("DF_SYMBOLIC", library(NATIVE, "-Wl,-Bsymbolic"), "E", use="library", keeps=("SYMBOLIC",))


@row("E44")
def machine_tags():
    def made(title: str, target: str, *options: str, make=library, **more):
        try:
            return [Case(f"{title}, {target}", make(target, *options), "E", **more)]
        except CannotBuild:
            return []

    for target in ("mips-linux-gnu", "mipsel-linux-gnu", "mips64-linux-gnuabi64"):
        yield from made("DT_MIPS_RLD_MAP_REL", target, "-pie", make=program, keeps=("RLD_MAP_REL",))
    yield from made("DT_PPC64", "powerpc64-linux-gnu", keeps=("0x0000000070000000",))
    yield from made("DT_AARCH64_BTI_PLT", "aarch64-linux-gnu", "-mbranch-protection=bti", "-Wl,-z,force-bti", keeps=("BTI_PLT",))
    for tag in (0x70000000, 0x70000001, 0x70000003, 0x6FFFFE37):
        yield from spare(f"tag {tag:#x}", lambda elf: elf.add_entry(tag, elf.entry("SYMTAB")["value"]), "E", use="library", keeps=(f"{tag:016x}"[-8:],))


