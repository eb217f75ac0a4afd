# SPDX-License-Identifier: Apache-2.0
"""ELF headers of both classes and byte orders: a reader for the oracle, and layouts that no linker option gives."""
import struct
from dataclasses import dataclass

PT_NULL, PT_LOAD, PT_INTERP, PT_NOTE, PT_PHDR, PT_GNU_PROPERTY = 0, 1, 3, 4, 6, 0x6474E553


@dataclass
class Segment:
    type: int
    flags: int
    offset: int
    vaddr: int
    filesz: int
    memsz: int
    align: int
    at: int  # file offset of its header


class Elf:
    def __init__(self, data):
        self.data = bytearray(data)
        self.order = "<" if data[5] == 1 else ">"
        self.is_64 = data[4] == 2

    def get(self, form, at):
        return struct.unpack_from(self.order + form, self.data, at)

    def put(self, form, at, *values):
        struct.pack_into(self.order + form, self.data, at, *values)

    def segments(self):
        start, = self.get("Q", 32) if self.is_64 else self.get("I", 28)
        size, count = self.get("HH", 54) if self.is_64 else self.get("HH", 42)
        result = []
        for at in range(start, start + size * count, size):
            if self.is_64:
                kind, flags, offset, vaddr, _, filesz, memsz, align = self.get("IIQQQQQQ", at)
            else:
                kind, offset, vaddr, _, filesz, memsz, flags, align = self.get("IIIIIIII", at)
            result.append(Segment(kind, flags, offset, vaddr, filesz, memsz, align, at))
        return result

    def section_table(self):
        """Offset, entry size, number of sections, index of their names' section."""
        start, = self.get("Q", 40) if self.is_64 else self.get("I", 32)
        return (start, *(self.get("HHH", 58) if self.is_64 else self.get("HHH", 46)))

    def loads(self):
        return [segment for segment in self.segments() if segment.type == PT_LOAD]

    def sections(self):
        """(type, flags, address, offset, size) of each."""
        start, size, count, _ = self.section_table()
        form = "IQQQQ" if self.is_64 else "IIIII"
        return [self.get(form, start + size * i + 4) for i in range(count if start else 0)]


def drop_section_headers(path):
    elf = Elf(path.read_bytes())
    elf.put("Q" if elf.is_64 else "I", 40 if elf.is_64 else 32, 0)
    elf.put("HH", 60 if elf.is_64 else 48, 0, 0)
    path.write_bytes(elf.data)


def blank_program_header(path, dice, may_drop_phdr):
    """One program header that the file works without becomes PT_NULL, emptied or with its old fields; mold's and
    BOLT's spare headers look so. False if there is none."""
    elf = Elf(path.read_bytes())
    # The last PT_NOTE, so that of two the first one stays.
    useless = [PT_GNU_PROPERTY, PT_NOTE] + ([PT_PHDR] if may_drop_phdr else [])
    found = [segment for segment in reversed(elf.segments()) if segment.type in useless]
    if not found:
        return False
    chosen = dice.choice(found)
    if dice.random() < 0.5:
        elf.put("IIQQQQQQ" if elf.is_64 else "IIIIIIII", chosen.at, *[0] * 8)
    else:
        elf.put("I", chosen.at, PT_NULL)
    path.write_bytes(elf.data)
    return True


def unname_sections(path, dice):
    """Some sections lose their names (objcopy and packers leave such)."""
    elf = Elf(path.read_bytes())
    start, size, count, _ = elf.section_table()
    for index in range(1, count if start else 0):
        if dice.random() < 0.3:
            elf.put("I", start + index * size, 0)
    path.write_bytes(elf.data)


def page_faults(before, after):
    """What the edit of a file (both given as bytes) has made wrong for kernels with the largest pages it is made for."""
    old, new = Elf(before).loads(), Elf(after).loads()
    largest = max(segment.align for segment in old)
    faults = [f"the LOAD at {segment.vaddr:#x}: file offset {segment.offset:#x} is not congruent" for segment in new
              if segment.align > 1 and (segment.vaddr - segment.offset) % segment.align]
    known = {segment.vaddr for segment in old}
    faults += [f"the new LOAD has p_align {segment.align:#x}, the file has {largest:#x}" for segment in new
               if segment.vaddr not in known and segment.align != max(largest, 0x1000)]
    if shared_pages(new, largest) > shared_pages(old, largest):
        faults.append(f"LOADs share pages of {largest:#x}")
    return faults


def shared_pages(segments, page):
    ends = [(segment.vaddr // page * page, -(-(segment.vaddr + segment.memsz) // page) * page) for segment in segments]
    return sum(ends[i][0] < ends[i - 1][1] for i in range(1, len(ends)))
