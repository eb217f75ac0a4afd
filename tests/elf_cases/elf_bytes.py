# SPDX-License-Identifier: Apache-2.0
"""Reads and changes single fields of an ELF file of either class and byte order. Checks nothing: it makes bad files."""

import struct

HEADER = {
    64: {"e_type": (16, "H"), "e_machine": (18, "H"), "e_version": (20, "I"), "e_entry": (24, "Q"), "e_phoff": (32, "Q"),
         "e_shoff": (40, "Q"), "e_flags": (48, "I"), "e_ehsize": (52, "H"), "e_phentsize": (54, "H"), "e_phnum": (56, "H"),
         "e_shentsize": (58, "H"), "e_shnum": (60, "H"), "e_shstrndx": (62, "H")},
    32: {"e_type": (16, "H"), "e_machine": (18, "H"), "e_version": (20, "I"), "e_entry": (24, "I"), "e_phoff": (28, "I"),
         "e_shoff": (32, "I"), "e_flags": (36, "I"), "e_ehsize": (40, "H"), "e_phentsize": (42, "H"), "e_phnum": (44, "H"),
         "e_shentsize": (46, "H"), "e_shnum": (48, "H"), "e_shstrndx": (50, "H")},
}
SEGMENT = {
    64: {"type": (0, "I"), "flags": (4, "I"), "offset": (8, "Q"), "vaddr": (16, "Q"), "paddr": (24, "Q"), "filesz": (32, "Q"),
         "memsz": (40, "Q"), "align": (48, "Q")},
    32: {"type": (0, "I"), "offset": (4, "I"), "vaddr": (8, "I"), "paddr": (12, "I"), "filesz": (16, "I"), "memsz": (20, "I"),
         "flags": (24, "I"), "align": (28, "I")},
}
SECTION = {
    64: {"name": (0, "I"), "type": (4, "I"), "flags": (8, "Q"), "addr": (16, "Q"), "offset": (24, "Q"), "size": (32, "Q"),
         "link": (40, "I"), "info": (44, "I"), "addralign": (48, "Q"), "entsize": (56, "Q")},
    32: {"name": (0, "I"), "type": (4, "I"), "flags": (8, "I"), "addr": (12, "I"), "offset": (16, "I"), "size": (20, "I"),
         "link": (24, "I"), "info": (28, "I"), "addralign": (32, "I"), "entsize": (36, "I")},
}
DYNAMIC = {64: {"tag": (0, "Q"), "value": (8, "Q")}, 32: {"tag": (0, "I"), "value": (4, "I")}}
# The same in both classes.
NEED = {"version": (0, "H"), "count": (2, "H"), "file": (4, "I"), "aux": (8, "I"), "next": (12, "I")}
NEED_AUX = {"hash": (0, "I"), "flags": (4, "H"), "other": (6, "H"), "name": (8, "I"), "next": (12, "I")}
DEFINITION = {"version": (0, "H"), "flags": (2, "H"), "index": (4, "H"), "count": (6, "H"), "hash": (8, "I"), "aux": (12, "I"),
              "next": (16, "I")}

PT = {"NULL": 0, "LOAD": 1, "DYNAMIC": 2, "INTERP": 3, "NOTE": 4, "PHDR": 6, "TLS": 7, "EH_FRAME": 0x6474E550,
      "STACK": 0x6474E551, "RELRO": 0x6474E552, "PROPERTY": 0x6474E553}
DT = {"NULL": 0, "NEEDED": 1, "HASH": 4, "STRTAB": 5, "SYMTAB": 6, "RELA": 7, "RELASZ": 8, "STRSZ": 10, "SYMENT": 11, "INIT": 12,
      "SONAME": 14, "RPATH": 15, "DEBUG": 21, "JMPREL": 23, "RUNPATH": 29, "FLAGS": 30, "REL": 17, "RELSZ": 18,
      "RELR": 36, "GNU_HASH": 0x6FFFFEF5, "VERSYM": 0x6FFFFFF0, "VERDEF": 0x6FFFFFFC, "VERDEFNUM": 0x6FFFFFFD,
      "VERNEED": 0x6FFFFFFE, "VERNEEDNUM": 0x6FFFFFFF, "FLAGS_1": 0x6FFFFFFB, "CHECKSUM": 0x6FFFFDF8,
      "GNU_PRELINKED": 0x6FFFFDF5, "AUXILIARY": 0x7FFFFFFD, "FILTER": 0x7FFFFFFF, "CONFIG": 0x6FFFFEFA, "DEPAUDIT": 0x6FFFFEFB,
      "AUDIT": 0x6FFFFEFC, "RELACOUNT": 0x6FFFFFF9}
SHT = {"NULL": 0, "PROGBITS": 1, "STRTAB": 3, "DYNAMIC": 6, "NOTE": 7, "NOBITS": 8, "DYNSYM": 11}


class View:
    """The fields of one structure, read from and written to the file's bytes. A value is cut to its field's width."""

    def __init__(self, elf: "Elf", offset: int, fields: dict) -> None:
        self.elf, self.offset, self.fields = elf, offset, fields

    def __getitem__(self, name: str) -> int:
        place, code = self.fields[name]
        return struct.unpack_from(self.elf.order + code, self.elf.data, self.offset + place)[0]

    def __setitem__(self, name: str, value: int) -> None:
        place, code = self.fields[name]
        mask = (1 << (8 * struct.calcsize(code))) - 1
        struct.pack_into(self.elf.order + code, self.elf.data, self.offset + place, value & mask)


class Elf:
    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.bits = 64 if data[4] == 2 else 32
        self.order = "<" if data[5] == 1 else ">"
        self.header = View(self, 0, HEADER[self.bits])
        self.largest = (1 << self.bits) - 1

    def bytes(self) -> bytes:
        return bytes(self.data)

    def __len__(self) -> int:
        return len(self.data)

    @property
    def segments(self) -> list[View]:
        size = 56 if self.bits == 64 else 32
        return [View(self, self.header["e_phoff"] + i * size, SEGMENT[self.bits]) for i in range(self.header["e_phnum"])]

    @property
    def sections(self) -> list[View]:
        return self.sections_at(self.header["e_shnum"])

    def sections_at(self, count: int) -> list[View]:
        size = 64 if self.bits == 64 else 40
        return [View(self, self.header["e_shoff"] + i * size, SECTION[self.bits]) for i in range(count)]

    def segment(self, kind: str, number: int = 0) -> View:
        return [s for s in self.segments if s["type"] == PT[kind]][number]

    def has_segment(self, kind: str) -> bool:
        return any(s["type"] == PT[kind] for s in self.segments)

    def section(self, name: str) -> View:
        names = self.sections[self.header["e_shstrndx"]]["offset"]
        for section in self.sections:
            if self.text(names + section["name"]) == name:
                return section
        raise KeyError(name)

    def text(self, offset: int) -> str:
        return bytes(self.data[offset:self.data.index(0, offset)]).decode("latin-1")

    @property
    def dynamic(self) -> list[View]:
        """Every slot, those behind the first DT_NULL too."""
        segment = self.segment("DYNAMIC")
        size = 2 * self.bits // 8
        return [View(self, segment["offset"] + at, DYNAMIC[self.bits]) for at in range(0, segment["filesz"], size)]

    def entry(self, tag: str, number: int = 0) -> View:
        return [e for e in self.dynamic if e["tag"] == DT[tag]][number]

    def has_entry(self, tag: str) -> bool:
        return any(e["tag"] == DT[tag] for e in self.dynamic)

    def spare(self) -> View:
        """The first DT_NULL, for an entry more; another one must follow."""
        slots = [e for e in self.dynamic if e["tag"] == 0]
        if len(slots) < 2:
            raise ValueError("no spare dynamic entry")
        return slots[0]

    def add_entry(self, tag: int | str, value: int) -> None:
        slot = self.spare()
        slot["tag"] = DT[tag] if isinstance(tag, str) else tag
        slot["value"] = value

    def place(self, address: int) -> int:
        """The file offset of an address."""
        for s in self.segments:
            if s["type"] == PT["LOAD"] and s["vaddr"] <= address < s["vaddr"] + s["filesz"]:
                return s["offset"] + address - s["vaddr"]
        raise ValueError(hex(address))

    def table(self, tag: str) -> int:
        return self.place(self.entry(tag)["value"])

    def needs(self) -> list[tuple[View, list[View]]]:
        found, at = [], self.table("VERNEED")
        while True:
            need = View(self, at, NEED)
            aux, place = [], at + need["aux"]
            for _ in range(need["count"]):
                aux.append(View(self, place, NEED_AUX))
                place += aux[-1]["next"]
            found.append((need, aux))
            if need["next"] == 0:
                return found
            at += need["next"]

    def definitions(self) -> list[View]:
        found = [View(self, self.table("VERDEF"), DEFINITION)]
        while found[-1]["next"]:
            found.append(View(self, found[-1].offset + found[-1]["next"], DEFINITION))
        return found

    def word(self, offset: int) -> int:
        return struct.unpack_from(self.order + "I", self.data, offset)[0]

    def set_word(self, offset: int, value: int) -> None:
        struct.pack_into(self.order + "I", self.data, offset, value & 0xFFFFFFFF)

    def string_place(self, tag: str, number: int = 0) -> int:
        """The file offset of the text of a dynamic entry."""
        return self.table("STRTAB") + self.entry(tag, number)["value"]
