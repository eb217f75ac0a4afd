# SPDX-License-Identifier: Apache-2.0
"""E17, E18, E28 to E33, E36, E37, E41: segments, alignment, notes and what lies behind the file."""

from elf_bytes import PT, Elf
from small_files import FOUR, NATIVE, CannotBuild, built, library, program
from table import NOT_BUILT, Case, changed, row, set_segment

CPP = """
extern "C" int dep_value();
struct Thrown { int value; };
extern "C" int run() { try { throw Thrown{dep_value()}; } catch (const Thrown &thrown) { return thrown.value + 3; } }
extern "C" int PyInit_case() { return 0; }
"""
TLS = """
extern int dep_value(void);
__thread int counter __attribute__((aligned(64))) = 3; __thread int zero;
int run(void) { return counter + zero + dep_value(); }
int PyInit_case(void) { return 0; }
"""


@row("E17")
def malformed_loads():
    def swap(elf: Elf) -> None:
        loads = [s for s in elf.segments if s["type"] == PT["LOAD"]]
        size = 56 if elf.bits == 64 else 32
        a, b = loads[0].offset, loads[1].offset
        first, second = bytes(elf.data[a:a + size]), bytes(elf.data[b:b + size])
        elf.data[a:a + size], elf.data[b:b + size] = second, first

    def overlap(elf: Elf) -> None:
        loads = [s for s in elf.segments if s["type"] == PT["LOAD"]]
        loads[0]["memsz"] = loads[1]["vaddr"] - loads[0]["vaddr"] + 1

    def same(elf: Elf) -> None:
        loads = [s for s in elf.segments if s["type"] == PT["LOAD"]]
        for name in ("vaddr", "offset", "filesz", "memsz"):
            loads[1][name] = loads[0][name]

    yield from changed("LOADs in another order", swap, "R", "elf-load-order")
    yield from changed("LOADs overlap", overlap, "R", "elf-load-overlap")
    yield from changed("one LOAD twice", same, "R", "elf-load-overlap")
    yield from changed("more bytes in the file than in memory", set_segment("LOAD", "memsz", lambda v, e: v - 1), "R", "elf-load-size")
    yield from changed("past the end of the file", set_segment("LOAD", "filesz", lambda v, e: v + 0x100000, 1), "R", "elf-load-size")
    yield from changed("offset wraps", set_segment("LOAD", "offset", lambda v, e: e.largest & ~0xFFFF, 1), "R", "elf-truncated|number-overflow|elf-load-align")
    yield from changed("memory wraps", set_segment("LOAD", "memsz", lambda v, e: e.largest, 2), "R", "number-overflow|elf-load-overlap", [NATIVE])
    yield from changed("address and offset differ within a page", set_segment("LOAD", "vaddr", lambda v, e: v + 8, 1), "R", "elf-load-align")
    for value in (3, 0x1001, 0xFFF):
        yield from changed(f"p_align {value:#x}", set_segment("LOAD", "align", value), "R", "elf-load-align", [NATIVE, FOUR[2]])
    yield from changed("p_align of 2 GiB", set_segment("LOAD", "align", 1 << 31), "R", "elf-load-align")


@row("E18")
def page_sizes():
    for size in (0x1000, 0x4000, 0x10000, 0x200000):
        for more in ((), ("-Wl,-z,separate-code",), ("-Wl,-z,noseparate-code",)):
            yield Case(f"pages of {size:#x} {' '.join(more)}", library(NATIVE, f"-Wl,-z,max-page-size={size}", *more), "E", use="library")
        for target in ("aarch64-linux-gnu", "powerpc64-linux-gnu", "i386-linux-gnu"):
            yield Case(f"pages of {size:#x}, {target}", library(target, f"-Wl,-z,max-page-size={size}"), "E")
    for value in (0, 1):
        yield Case(f"p_align {value}", aligned(value), "E")


def aligned(value: int) -> bytes:
    elf = Elf(library())
    for segment in elf.segments:
        if segment["type"] == PT["LOAD"]:
            segment["align"] = value
    return elf.bytes()


@row("E28")
def properties():
    for kind in ("full", "branch", "return"):
        yield Case(f"CET {kind}", library(NATIVE, f"-fcf-protection={kind}", "-Wl,-z,ibt,-z,shstk"), "E", use="library", keeps=())
    try:
        for kind in ("bti", "standard", "pac-ret"):
            yield Case(f"AArch64 {kind}", library("aarch64-linux-gnu", f"-mbranch-protection={kind}"), "E")
    except CannotBuild as reason:
        NOT_BUILT.append(str(reason))


@row("E29")
def memory_sealing():
    """GNU_PROPERTY_MEMORY_SEAL is type 3 without data; the linkers of today know no option for it."""
    elf = Elf(library(NATIVE, "-fcf-protection=full", "-Wl,-z,ibt,-z,shstk"))
    note = elf.segment("PROPERTY")
    place = note["offset"] + 16
    while place < note["offset"] + note["filesz"] and elf.word(place) != 0xC0000002:
        place += 8 + (elf.word(place + 4) + 7 & ~7)
    elf.set_word(place, 3)
    elf.set_word(place + 4, 0)
    yield Case("a seal among the properties", elf.bytes(), "E", use="library")


@row("E30")
def relro():
    for title, options in (("full", ("-Wl,-z,relro,-z,now",)), ("partial", ("-Wl,-z,relro,-z,lazy",)), ("none", ("-Wl,-z,norelro",)),
                           ("lld", ("-fuse-ld=lld", "-Wl,-z,relro,-z,now")), ("gold", ("-fuse-ld=gold", "-Wl,-z,relro,-z,now"))):
        yield Case(f"RELRO {title}", library(NATIVE, *options), "E", use="library")
        yield Case(f"RELRO {title}, program", program(NATIVE, "-pie", *options), "E", use="program")


@row("E31")
def stacks():
    yield Case("executable stack", library(NATIVE, "-Wl,-z,execstack"), "E")
    yield from changed("no PT_GNU_STACK", set_segment("STACK", "type", 0), "E")
    yield from changed("PT_GNU_STACK with a size", set_segment("STACK", "memsz", 0x100000), "E")


@row("E32")
def threads_and_exceptions():
    yield Case("thread-local memory", library(NATIVE, source=TLS), "E", use="library")
    yield Case("exceptions", library(NATIVE, "-nodefaultlibs", "-lstdc++", "-lgcc_s", "-lc", source=CPP, suffix="cc"), "E", use="library")
    yield Case("exceptions, lld", library(NATIVE, "-fuse-ld=lld", "-nodefaultlibs", "-lstdc++", "-lgcc_s", "-lc", source=CPP, suffix="cc"), "E", use="library")
    yield Case("thread-local memory, powerpc64", library("powerpc64-linux-gnu", source=TLS), "E")


@row("E33")
def notes():
    for kind in ("sha1", "md5", "0x" + "ab" * 64, "0xcd"):
        yield Case(f"build-id {kind[:8]}", library(NATIVE, f"-Wl,--build-id={kind}"), "E", use="library")

    def on_note(name: str, value):
        def change(elf: Elf) -> None:
            for section in elf.sections:
                if section["type"] == 7:
                    section[name] = value

        return change

    yield from changed("sh_addralign 0", on_note("addralign", 0), "E", "", [NATIVE, "powerpc64-linux-gnu"], ("-Wl,--build-id=sha1",))
    yield from changed("empty PT_NOTE", empty_note, "E", "", [NATIVE, "i386-linux-gnu"], ("-Wl,--build-id=sha1",))
    yield from changed("PT_NOTE that lies about its sizes", lying_note, "E", "", [NATIVE, "powerpc64-linux-gnu"], ("-Wl,--build-id=sha1",))
    yield from changed("PT_NOTE past the end", set_segment("NOTE", "filesz", lambda v, e: e.largest), "E|R", "elf-truncated|truncated|elf-note.*|number-overflow",
                       [NATIVE, "powerpc64-linux-gnu"], ("-Wl,--build-id=sha1",))


@row("E10")
def odd_interpreters():
    def unterminated(elf: Elf) -> None:
        note = elf.segment("INTERP")
        elf.data[note["offset"] + note["filesz"] - 1] = ord("x")

    for target in (NATIVE, "i386-linux-gnu", "powerpc-linux-gnu"):
        elf = Elf(program(target))
        unterminated(elf)
        yield Case(f"PT_INTERP does not end, {target}", elf.bytes(), "R", "elf-interpreter")
        elf = Elf(program(target))
        elf.segment("INTERP")["memsz"] = 0xFFE1
        yield Case(f"PT_INTERP with another p_memsz, {target}", elf.bytes(), "E")


def empty_note(elf: Elf) -> None:
    note = elf.segment("NOTE")
    note["filesz"] = note["memsz"] = 0


def lying_note(elf: Elf) -> None:
    elf.set_word(elf.segment("NOTE")["offset"] + 4, 0x7FFFFFFF)


@row("E36")
def payload_behind():
    for title, payload in (("text", b"#!/bin/sh\nexec tail\n" * 100), ("an ELF file", library(NATIVE, "-s")), ("zeros", bytes(9000)), ("one byte", b"\x01")):
        yield Case(f"{title} behind a library", library() + payload, "E", use="library")
        yield Case(f"{title} behind a stripped library", library(NATIVE, "-s") + payload, "E", use="library")
        yield Case(f"{title} behind a program", program() + payload, "E", use="program")
        yield Case(f"{title} behind a powerpc library", library(FOUR[2]) + payload, "E")


@row("E37")
def growing_again_and_again():
    yield Case("ten times, ET_EXEC", program(NATIVE, "-no-pie"), "E", use="program", edits=10)
    yield Case("ten times, PIE", program(NATIVE, "-pie"), "E", use="program", edits=10)
    yield Case("ten times, library", library(), "E", use="library", edits=10)
    yield Case("ten times, stripped", library(NATIVE, "-s"), "E", use="library", edits=10)
    yield Case("ten times, ET_EXEC of lld", program(NATIVE, "-no-pie", "-fuse-ld=lld"), "E", use="program", edits=10)
    for target in FOUR[1:]:
        yield Case(f"ten times, {target}", library(target), "E", edits=10)
    yield Case("static PIE", built(NATIVE, "int _start(void) { return 0; }", "-static-pie"), "X", "elf-static|elf-not-dynamic|elf-dynamic-fixed|elf-no-strings")
