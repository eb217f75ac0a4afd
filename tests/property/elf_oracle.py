# SPDX-License-Identifier: Apache-2.0
"""What tells elf_property.py that a file is as sound as it was: running it, and what readers say of it."""
import os
import re
import shutil

from elf_headers import PT_INTERP, Elf, page_faults
from elf_layouts import call
from elf_machines import NATIVE

STRIPS = [("strip",), ("strip", "-g"), ("strip", "--strip-unneeded"), ("eu-strip",), ("llvm-strip",), ("objcopy",),
          ("llvm-objcopy",), ("objcopy", "--only-keep-debug")]


def run_modes(kind):
    """The ways in which a kind of file is run."""
    return {"library": ["loader", "threads"], "runnable": ["loader", "threads", "program"],
            "static-pie": ["program"]}.get(kind, ["program", "linker"])


def run(path, mode, workshop, folder):
    """Exit code, output and complaints, with eager binding."""
    environment = {"LD_BIND_NOW": "1", "LD_WARN": "1", "PATH": os.environ["PATH"],
                   "LD_LIBRARY_PATH": ":".join(map(str, [folder, workshop.folder, *sorted(workshop.system)])),
                   "LD_PRELOAD": str(workshop.folder / "libextra.so.1")}
    words = {"loader": [workshop.folder / "loader", path], "threads": [workshop.folder / "loader", path, "threads"],
             "program": [path], "linker": [workshop.interpreter_file, path]}[mode]
    words, environment = workshop.machine.run(words, environment)
    done = call(words, env=environment, timeout=60)
    return done.returncode, done.stdout, done.stderr.replace(str(path), "FILE")


def lint(path):
    """Complaints of eu-elflint and readelf, without the numbers in them."""
    found = set()
    if not sections_are_mapped(path.read_bytes()):
        return found
    for words in (["eu-elflint", "--gnu-ld", path], ["readelf", "-aW", path]):
        if not shutil.which(words[0]):
            continue
        done = call(words)
        text = done.stdout if words[0] == "eu-elflint" else done.stderr
        for line in text.splitlines():
            line = re.sub(r"0x[0-9a-f]+|\b\d+\b", "N", line.replace(str(path), "FILE"))
            # Where objcopy has lost the links of unnamed sections, this is said of each tag that there is.
            line = re.sub(r"entry N: [A-Z]+ value must be valid offset", "entry N: TAG value must be valid offset", line)
            if line != "No errors":
                found.add(line)
    return found


def sections_are_mapped(data):
    """Is each loaded section where a LOAD has its address? llvm-strip leaves .dynstr elsewhere in files of old patchelf."""
    elf = Elf(data)
    return all(any(load.vaddr <= address < load.vaddr + load.filesz and
                   load.offset + address - load.vaddr == offset for load in elf.loads())
               for kind, flags, address, offset, length in elf.sections() if flags & 2 and kind not in (0, 8) and length)


def readings(path):
    """Symbols with versions, relocations, notes and version definitions, without where they stand."""
    if not sections_are_mapped(path.read_bytes()):
        return "readelf goes by sections that lie"
    text = call(["readelf", "-W", "--dyn-syms", "-r", "-n", "-V", path]).stdout
    text = re.sub(r"(at offset 0x[0-9a-f]+|found in: .*|Displaying notes .*|Addr: .*)", "", text)
    text = re.sub(r"(File: ).*?(  Cnt)", r"\1\2", text)  # a library that is renamed
    # strip links .rela.plt of 64-bit SPARC to .symtab, and readelf then names section symbols, which follow their section.
    text = re.sub(r"( R_\S+ +)[0-9a-f]+( \.\S+ \+ )", r"\1\2", text)
    # A removed library takes its versions away, and the offsets in the table with them.
    lines = []
    for line in text.splitlines():
        if "Version needs section" in line or "Version symbols section" in line or "Version definition" in line:
            line = re.sub(r"contains \d+ entr.*", "", line)
        lines.append(line)
    return "\n".join(lines).replace(str(path), "FILE")


def with_first_names(text, first_names):
    """A text that names symbols and versions as they were before any edit."""
    for name, first in first_names.items():
        text = re.sub(rf"\b{name}\b", first, text)
    return text


def comparable(text, removes_needs, cleared, first_names):
    """Readings without what the edits were to change."""
    text = with_first_names(text, first_names)
    for name in cleared:
        text = re.sub(rf"\b{name}@+\S+( \(\d+\))?", name, text)
    if removes_needs:
        text = re.sub(r"@EXTRA_1( \(\d+\))?", "", text)
    if removes_needs or cleared or first_names:
        # .gnu.version and the offsets in .gnu.version_r change as well.
        text = "\n".join(line for line in text.splitlines()
                         if not re.match(r"\s*(0x)?[0-9a-f]+:\s+(\d+ \(|Version:|Name:|[0-9a-f]+h? \()", line)
                         and "ersion" not in line)
    if first_names:
        # DT_GNU_HASH sorts symbols by their names: they have other numbers, and so do relocations.
        lines = [re.sub(r"^\s*\d+: ", "", line) for line in text.splitlines()]
        lines = [re.sub(r"^([0-9a-f]{8,16}\s+)[0-9a-f]{8,16}(\s+R_)", r"\1\2", line) for line in lines]
        text = "\n".join(sorted(re.sub(r"[ \t]+", " ", line) for line in lines))
    return re.sub(r"[ \t]+", " ", text)


def loads(data):
    """(flags, offset, vaddr, filesz, memsz, align) of each PT_LOAD."""
    return [(load.flags, load.offset, load.vaddr, load.filesz, load.memsz, load.align) for load in Elf(data).loads()]


RELA, REL = 4, 9


def payload(data):
    """(kind, address, offset, size) of the sections that no edit may touch: code, data, relocations, unwind tables."""
    elf = Elf(data)
    result = []
    for kind, flags, address, offset, length in elf.sections():
        if not flags & 2 or kind in (0, 3, 5, 6, 7, 8, 11) or 0x6ffffff6 <= kind <= 0x6fffffff or not length:
            continue  # strings, hashes, .dynamic, notes, symbols and versions are the editor's business
        result.append((kind, address, offset, length))
    interpreter = [(segment.vaddr, segment.vaddr + segment.filesz) for segment in elf.segments() if segment.type == PT_INTERP]
    return [one for one in result if not any(begin <= one[1] < end for begin, end in interpreter)]


def damage(before, after, renumbers_symbols=False):
    """What an edit did to LOADs or payload; empty when nothing."""
    found = page_faults(before, after)
    new = loads(after)
    for flags, offset, vaddr, filesz, memsz, align in loads(before):
        same = [load for load in new if load[2] == vaddr]
        if not same or same[0][:2] != (flags, offset) or same[0][3] < filesz or same[0][4] < memsz or same[0][5] != align:
            ours = same and (flags, same[0][0]) == (4, 6)  # an earlier edit's LOAD takes .dynamic
            # One that held only tables goes with them; that no payload was in it is seen below.
            emptied = not any(load[1] == offset for load in same) and vaddr != loads(before)[0][2] and memsz == filesz
            if not ours and not emptied:
                found.append(f"the LOAD at {vaddr:#x} changed: {same}")
    for kind, address, offset, length in payload(before):
        # What readelf says of relocations is compared elsewhere.
        names_symbols = renumbers_symbols and kind in (RELA, REL)
        if not names_symbols and before[offset:offset + length] != after[offset:offset + length]:
            found.append(f"{length} bytes at {address:#x} changed")
        if not any(at + (address - vaddr) == offset for _, at, vaddr, filesz, _, _ in new
                   if vaddr <= address and address + length <= vaddr + filesz):
            found.append(f"{length} bytes at {address:#x} are not where they were")
    return found


def strip(words, path, target, machine=NATIVE):
    """Strips a copy; False when the tool refuses. A kept debug file takes its place beside the stripped one."""
    objcopy = machine.tool("objcopy")
    if words == ("objcopy", "--only-keep-debug"):
        debug = target.with_name(target.name + ".debug")
        if call([objcopy, "--only-keep-debug", path, debug]).returncode != 0:
            return False
        target.unlink(missing_ok=True)
        done = call([objcopy, "--strip-debug", f"--add-gnu-debuglink={debug}", path, target])
    elif words[0].endswith("objcopy"):
        done = call([objcopy if words[0] == "objcopy" else words[0], *words[1:], path, target])
    else:
        shutil.copy(path, target)
        done = call([machine.tool("strip") if words[0] == "strip" else words[0], *words[1:], target])
    if done.returncode != 0:
        return False
    target.chmod(0o755)
    return True
