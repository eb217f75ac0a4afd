# SPDX-License-Identifier: Apache-2.0
"""What must hold between an ELF file and its edited self."""

from elf_facts import (Elf, PT_DYNAMIC, PT_GNU_PROPERTY, PT_GNU_RELRO, PT_GNU_STACK, PT_LOAD, PT_NOTE, PT_PHDR, PT_TLS,
                       parse, sections)

# Sections whose bytes an edit may change; every other keeps its bytes.
REWRITTEN = {".dynamic", ".dynstr", ".gnu.version_r", ".symtab", ".strtab", ".shstrtab"}
# Sections that only headers and dynamic entries point at: they may move, the rest stays at its address.
MOVABLE = {".interp", ".note.gnu.property", ".note.gnu.build-id", ".note.ABI-tag", ".gnu.hash", ".hash", ".dynsym",
           ".dynstr", ".gnu.version", ".gnu.version_r", ".gnu.version_d", ".symtab", ".strtab", ".shstrtab", ".dynamic"}


def load_complaints(elf: Elf, before: Elf) -> list[str]:
    complaints, loads = [], elf.loads()
    if loads != sorted(loads, key=lambda load: load.vaddr):
        complaints.append("PT_LOADs are not ascending")
    for load in loads:
        if load.align & (load.align - 1) or (load.align > 1 and (load.vaddr - load.offset) % load.align):
            complaints.append(f"PT_LOAD at {load.vaddr:#x}: address and offset are not congruent modulo {load.align:#x}")
        if load.offset + load.filesz > len(elf.data):
            complaints.append(f"PT_LOAD at {load.vaddr:#x} reaches past the end of the file")
    old = {(load.vaddr, load.memsz) for load in before.loads()}
    for one, two in zip(loads, loads[1:]):
        page = max(one.align, two.align, 1)
        if one.vaddr + one.memsz > two.vaddr:
            complaints.append(f"PT_LOADs at {one.vaddr:#x} and {two.vaddr:#x} overlap")
        elif (one.vaddr + max(one.memsz, 1) - 1) // page == two.vaddr // page and not {(one.vaddr, one.memsz), (two.vaddr, two.memsz)} <= old:
            complaints.append(f"PT_LOADs at {one.vaddr:#x} and {two.vaddr:#x} share a page of {page:#x}")
    if min(load.vaddr for load in loads) != min(load.vaddr for load in before.loads()):
        complaints.append("the lowest address changed")
    if len(elf.segments) > len(before.segments) + 1:
        complaints.append(f"{len(elf.segments) - len(before.segments)} program headers more")
    return complaints


def inside(elf: Elf, vaddr: int, size: int, offset: int, flags: int) -> bool:
    return any(load.vaddr <= vaddr and vaddr + size <= load.vaddr + load.memsz and load.flags & flags == flags
               and load.offset + vaddr - load.vaddr == offset for load in elf.loads())


def header_complaints(elf: Elf, before: Elf) -> list[str]:
    complaints = []
    if (elf.type, elf.machine, elf.entry) != (before.type, before.machine, before.entry):
        complaints.append("type, machine or entry point changed")
    if elf.data[36:52] and elf.data[48:52] != before.data[48:52]:
        complaints.append("e_flags changed")
    for kind, name in ((PT_TLS, "PT_TLS"), (PT_GNU_STACK, "PT_GNU_STACK")):
        if elf.segment(kind) != before.segment(kind):
            complaints.append(f"{name} changed")
    relro, old = elf.segment(PT_GNU_RELRO), before.segment(PT_GNU_RELRO)
    if (relro and (relro.vaddr, relro.memsz)) != (old and (old.vaddr, old.memsz)):
        complaints.append("PT_GNU_RELRO covers other addresses")
    for kind, name in ((PT_NOTE, "notes"), (PT_GNU_PROPERTY, "the GNU property")):
        def content(one: Elf) -> bytes:
            return b"".join(sorted(one.data[part.offset:part.offset + part.filesz] for part in one.segments if part.kind == kind))
        if content(elf) != content(before):
            complaints.append(f"the content of {name} changed")
    table = elf.segment(PT_PHDR)
    size = 56 * len(elf.segments)
    if table and (table.offset != elf.phoff or table.filesz != size or not inside(elf, table.vaddr, size, table.offset, 4)):
        complaints.append("PT_PHDR does not hold the program headers inside a PT_LOAD")
    if table or before.type == 2:
        # Kernels before 5.18 compute AT_PHDR from the first PT_LOAD.
        first = elf.loads()[0]
        address = first.vaddr - first.offset + elf.phoff
        if not inside(elf, address, size, elf.phoff, 4):
            complaints.append("AT_PHDR of an old kernel would miss the program headers")
    dynamic, old = elf.segment(PT_DYNAMIC), before.segment(PT_DYNAMIC)
    if dynamic and old:
        writable = any(load.flags & 2 and load.vaddr <= old.vaddr < load.vaddr + load.memsz for load in before.loads())
        if not inside(elf, dynamic.vaddr, dynamic.filesz, dynamic.offset, 6 if writable else 4):
            complaints.append("PT_DYNAMIC does not lie in a PT_LOAD as it should")
        for load in elf.loads():
            page = 4096
            start, end = dynamic.vaddr // page, (dynamic.vaddr + dynamic.memsz - 1) // page
            if writable and not load.flags & 2 and load.memsz and not (load.vaddr // page > end or (load.vaddr + load.memsz - 1) // page < start):
                complaints.append(f"the read-only PT_LOAD at {load.vaddr:#x} shares a page with PT_DYNAMIC")
    return complaints


def section_complaints(elf: Elf, before: Elf, versions_dropped: bool) -> list[str]:
    old, new = sections(before.data), sections(elf.data)
    if not old:
        return []
    complaints = []
    if [one.name for one in old] != [one.name for one in new]:
        return [f"the sections' names or order changed: {[one.name for one in new]}"]
    rewritten = REWRITTEN | ({".gnu.version"} if versions_dropped else set())
    for one, two in zip(old, new):
        # A version table without entries cannot stay one: readers stumble over its count of 0.
        emptied = versions_dropped and one.name in (".gnu.version_r", ".gnu.version") and not elf.version_needs()
        if (one.kind, one.flags, one.align) != (two.kind, two.flags, two.align) and not emptied:
            complaints.append(f"section {one.name}: another kind, flags or alignment")
        if one.name not in rewritten and one.data != two.data and one.name != ".dynsym":
            complaints.append(f"section {one.name}: content changed")
        if one.name not in MOVABLE and one.address != two.address:
            complaints.append(f"section {one.name}: address changed")
        if two.flags & 2 and two.kind != 8 and two.size and not inside(elf, two.address, two.size, two.offset, 4):
            complaints.append(f"section {two.name} does not lie inside a PT_LOAD")
        if two.kind != 8 and two.offset + two.size > len(elf.data):
            complaints.append(f"section {two.name} reaches past the end of the file")
    return complaints


def edit_complaints(old_bytes: bytes, new_bytes: bytes, versions_dropped: bool = False) -> list[str]:
    before, elf = parse(old_bytes), parse(new_bytes)
    complaints = load_complaints(elf, before) + header_complaints(elf, before) + section_complaints(elf, before, versions_dropped)
    moved = {".dynamic", "_DYNAMIC"}

    def symbols(one: Elf) -> list[tuple]:
        return [(name, info, other, value if name not in moved else 0, size, "" if versions_dropped else version)
                for name, info, other, value, size, version in one.symbols()]

    if symbols(elf) != symbols(before):
        complaints.append("dynamic symbols or their versions changed")
    def stray(one: Elf) -> set[str]:
        return {library for library, _ in one.version_needs()} - set(one.needed)

    # A file may have been linked so that another library brings the name.
    if len(stray(elf)) > len(stray(before)):
        complaints.append(f"version needs name libraries that NEEDED does not: {sorted(stray(elf))}")
    if len(elf.run_paths) > 1:
        complaints.append("RPATH and RUNPATH in one file")
    movable = sum(one.size for one in sections(old_bytes) if one.name in MOVABLE) if sections(old_bytes) else len(old_bytes) // 4
    page = max((load.align for load in before.loads()), default=1)
    if len(new_bytes) - len(old_bytes) > 8192 + 2 * movable + 2 * sum(map(len, elf.needed)):
        complaints.append(f"grew by {len(new_bytes) - len(old_bytes)} bytes (pages of {page:#x})")
    return complaints
