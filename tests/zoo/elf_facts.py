# SPDX-License-Identifier: Apache-2.0
"""Facts of 64-bit little-endian ELF files, read with struct alone: no truewheel, no binutils."""

import struct
from dataclasses import dataclass, field

PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_PHDR, PT_TLS = 1, 2, 3, 4, 6, 7
PT_GNU_EH_FRAME, PT_GNU_STACK, PT_GNU_RELRO, PT_GNU_PROPERTY = 0x6474E550, 0x6474E551, 0x6474E552, 0x6474E553
DT_NEEDED, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 5, 6, 10, 14, 15, 29
DT_HASH, DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERDEFNUM = 4, 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFD
DT_AUXILIARY, DT_FILTER = 0x7FFFFFFD, 0x7FFFFFFF
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF


@dataclass(frozen=True)
class Segment:
    kind: int
    flags: int
    offset: int
    vaddr: int
    paddr: int
    filesz: int
    memsz: int
    align: int


@dataclass
class Elf:
    data: bytes
    type: int = 0
    machine: int = 0
    entry: int = 0
    phoff: int = 0
    segments: list[Segment] = field(default_factory=list)
    dynamic: list[tuple[int, int]] = field(default_factory=list)

    def segment(self, kind: int) -> Segment | None:
        return next((one for one in self.segments if one.kind == kind), None)

    def loads(self) -> list[Segment]:
        return [one for one in self.segments if one.kind == PT_LOAD]

    def value(self, tag: int) -> int | None:
        return next((value for one, value in self.dynamic if one == tag), None)

    def at(self, vaddr: int, size: int) -> bytes:
        for load in self.loads():
            if load.vaddr <= vaddr and vaddr + size <= load.vaddr + load.filesz:
                start = load.offset + vaddr - load.vaddr
                return self.data[start:start + size]
        raise AssertionError(f"address {vaddr:#x} is not in a segment's file part")

    def string(self, offset: int) -> str:
        table, size = self.value(DT_STRTAB), self.value(DT_STRSZ)
        assert table is not None and size is not None and offset < size, f"string offset {offset:#x} past DT_STRSZ"
        text = self.at(table + offset, size - offset)
        return text[:text.index(b"\0")].decode()

    def strings(self, tag: int) -> list[str]:
        return [self.string(value) for one, value in self.dynamic if one == tag]

    @property
    def needed(self) -> list[str]:
        return self.strings(DT_NEEDED)

    @property
    def soname(self) -> str | None:
        return next(iter(self.strings(DT_SONAME)), None)

    @property
    def run_paths(self) -> dict[str, str]:
        return {kind: text for kind, tag in (("RPATH", DT_RPATH), ("RUNPATH", DT_RUNPATH)) for text in self.strings(tag)}

    @property
    def run_path(self) -> list[str]:
        paths = list(self.run_paths.values())
        return paths[0].split(":") if paths else []

    def version_needs(self) -> list[tuple[str, list[str]]]:
        """(library, [version names]) of each Verneed record."""
        found, address = [], self.value(DT_VERNEED)
        for _ in range(self.value(DT_VERNEEDNUM) or 0):
            _, count, name, aux, following = struct.unpack("<HHIII", self.at(address, 16))
            names, place = [], address + aux
            for _ in range(count):
                _, _, _, text, step = struct.unpack("<IHHII", self.at(place, 16))
                names.append(self.string(text))
                place += step
            found.append((self.string(name), names))
            address += following
        return found

    def version_names(self) -> dict[int, str]:
        """Version index -> name, without the library: renames keep it."""
        names: dict[int, str] = {}
        address = self.value(DT_VERNEED)
        for _ in range(self.value(DT_VERNEEDNUM) or 0):
            _, count, _, aux, following = struct.unpack("<HHIII", self.at(address, 16))
            place = address + aux
            for _ in range(count):
                _, _, index, text, step = struct.unpack("<IHHII", self.at(place, 16))
                names[index & 0x7FFF] = self.string(text)
                place += step
            address += following
        address = self.value(DT_VERDEF)
        for _ in range(self.value(DT_VERDEFNUM) or 0):
            _, _, index, _, _, aux, following = struct.unpack("<HHHHIII", self.at(address, 20))
            text, _ = struct.unpack("<II", self.at(address + aux, 8))
            names[index & 0x7FFF] = self.string(text)
            address += following
        return names

    def symbol_count(self) -> int:
        if (table := self.value(DT_HASH)) is not None:
            return struct.unpack("<II", self.at(table, 8))[1]
        if (table := self.value(DT_GNU_HASH)) is None:
            return 0
        buckets, offset, bloom, _ = struct.unpack("<IIII", self.at(table, 16))
        start = table + 16 + bloom * 8
        last = max(struct.unpack(f"<{buckets}I", self.at(start, 4 * buckets)), default=0)
        if last < offset:
            return offset
        chain = start + 4 * buckets
        while not struct.unpack("<I", self.at(chain + 4 * (last - offset), 4))[0] & 1:
            last += 1
        return last + 1

    def symbols(self) -> list[tuple[str, int, int, int, int, str]]:
        """Each dynamic symbol: name, info, other, value, size, version."""
        names = self.version_names()
        table, versions = self.value(DT_SYMTAB), self.value(DT_VERSYM)
        found = []
        for i in range(self.symbol_count()):
            name, info, other, _, value, size = struct.unpack("<IBBHQQ", self.at(table + 24 * i, 24))
            index = struct.unpack("<H", self.at(versions + 2 * i, 2))[0] & 0x7FFF if versions is not None else 1
            found.append((self.string(name), info, other, value, size, names.get(index, "")))
        return found


def is_elf(data: bytes) -> bool:
    return data[:4] == b"\x7fELF"


def is_native(data: bytes, machine: int) -> bool:
    """A 64-bit little-endian file for that machine."""
    return data[:6] == b"\x7fELF\x02\x01" and len(data) >= 64 and struct.unpack_from("<H", data, 18)[0] == machine


def parse(data: bytes) -> Elf:
    assert data[:6] == b"\x7fELF\x02\x01"
    elf = Elf(data)
    elf.type, elf.machine = struct.unpack_from("<HH", data, 16)
    elf.entry, elf.phoff = struct.unpack_from("<QQ", data, 24)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, flags, offset, vaddr, paddr, filesz, memsz, align = struct.unpack_from("<IIQQQQQQ", data, elf.phoff + i * size)
        elf.segments.append(Segment(kind, flags, offset, vaddr, paddr, filesz, memsz, align))
    if dynamic := elf.segment(PT_DYNAMIC):
        for i in range(dynamic.filesz // 16):
            tag, value = struct.unpack_from("<qQ", data, dynamic.offset + 16 * i)
            if tag == 0:
                break
            elf.dynamic.append((tag & 0xFFFFFFFF, value))
    return elf


@dataclass(frozen=True)
class Section:
    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    align: int
    data: bytes


def sections(data: bytes) -> list[Section]:
    table, = struct.unpack_from("<Q", data, 0x28)
    entry_size, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    if not table or not count:
        return []
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + i * entry_size) for i in range(count)]
    names_offset = headers[names_index][4]
    found = []
    for name, kind, flags, address, offset, size, _, _, align, _ in headers:
        start = names_offset + name
        text = data[start:data.index(b"\0", start)].decode()
        found.append(Section(text, kind, flags, address, offset, size, align, b"" if kind == 8 else data[offset:offset + size]))
    return found
