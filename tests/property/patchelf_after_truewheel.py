#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Old patchelf finds the sections that stand behind the program headers of a file of truewheel.

Up to 0.18 patchelf makes room for its own program headers by moving sections away, in the order of the section headers and up
to the first one that stands far behind. Each case takes a linked file, or one of the system's, and lets truewheel move its
first sections: by a run path that needs another LOAD, or by an interpreter that is longer. Then one old patchelf edits it,
and truewheel and patchelf edit it again, with strip tools between and behind. After each step the file has the notes, the
build-id among them, that it had, in its sections and in its program headers, and does what it did.
A chain is judged up to the step that goes wrong without truewheel's first edit as well. Exit 77 where the versions of
patchelf can neither be found nor downloaded.
"""
import argparse
import collections
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import elf_layouts
import elf_oracle
from after_patchelf import DIGESTS, KIND_WORDS, SMALL_LIBRARY_C, SMALL_PROGRAM_C, fetch_patchelfs, open_bench, path_of, shown
from elf_headers import Elf
from elf_layouts import call, must

# Debian's and Ubuntu's, and the last that goes by the order of the section headers.
OLD = {"0.14.3.0": "a8dd89901f32f0ce93a5c995a8f9eb79908d43e3a70eaf6b8efe8643976e6a8c", "0.18.0.0": DIGESTS["0.18.0.0"]}
SYSTEM = ["tar", "grep", "sed", "diff", "make", "readelf", "libz.so.1", "liblzma.so.5", "libexpat.so.1", "libsqlite3.so.0",
          "libxml2.so.2", "libgnutls.so.30", "libstdc++.so.6"]
PT_NOTE, SHT_NOTE = 4, 7


def interpreter(steps):
    return "/lib64/" + "../lib64/" * steps + "ld-linux-x86-64.so.2"


def split_notes(data, align, byte_order):
    """The notes of a section or segment, as bytes without their padding."""
    found, at = [], 0
    while at + 12 <= len(data):
        name, size = (int.from_bytes(data[at + i:at + i + 4], byte_order) for i in (0, 4))
        begin = at + 12
        contents = begin + (name + align - 1) // align * align
        found.append(bytes(data[at:begin + name] + data[contents:contents + size]))
        at = contents + (size + align - 1) // align * align
    return found


def notes_of(path):
    """The notes by the program headers and those by the sections."""
    elf = Elf(path.read_bytes())
    byte_order = "little" if elf.order == "<" else "big"
    segments, sections = [], []
    for segment in elf.segments():
        if segment.type == PT_NOTE:
            segments += split_notes(elf.data[segment.offset:segment.offset + segment.filesz], 8 if segment.align == 8 else 4,
                                    byte_order)
    for kind, flags, _, offset, size in elf.sections():
        if kind == SHT_NOTE and flags & 2:
            data = elf.data[offset:offset + size]
            # Notes of eight-byte alignment are those of properties alone.
            sections += split_notes(data, 8 if data[8:16] == b"\x05\0\0\0GNU\0" else 4, byte_order)
    return sorted(segments), sorted(sections)


class Case:
    """A file, the way to run it, and what it does and holds."""

    def __init__(self, name, path, is_program, run):
        self.name, self.path, self.is_program, self.run = name, path, is_program, run
        self.expected = self.state_of(path)

    def state_of(self, path):
        return self.run(path), notes_of(path)


class Bench:
    def __init__(self, truewheel, folder):
        self.truewheel, self.folder = truewheel, folder
        self.patchelfs = fetch_patchelfs(folder, OLD)
        (folder / "workshop").mkdir()
        self.workshop = elf_layouts.Workshop(folder / "workshop")
        (self.workshop.folder / "small-library.c").write_text(SMALL_LIBRARY_C)
        (self.workshop.folder / "small-program.c").write_text(SMALL_PROGRAM_C)
        self.strips = [words for words in (("strip",), ("eu-strip",), ("llvm-strip",)) if shutil.which(words[0])]
        self.results = collections.Counter()

    def linked(self):
        """Small files of both kinds: in others patchelf puts the section headers in order first."""
        folder = self.folder / "linked"
        folder.mkdir()
        for linker in self.workshop.linkers:
            for kind in ("library", "pie"):
                for number, flags in enumerate(([], ["-Wl,--hash-style=both", "-rdynamic"], ["-Wl,--build-id=none"])):
                    path = folder / f"{kind}-{linker}-{number}{'.so' if kind == 'library' else ''}"
                    source = "small-library.c" if kind == "library" else "small-program.c"
                    must(["gcc", *KIND_WORDS[kind], "-O1", f"-fuse-ld={linker}", "-Wl,--build-id", *flags, "-o", path, source,
                          "-lm"], cwd=self.workshop.folder)
                    mode = elf_oracle.run_modes(kind)[0]
                    yield Case(path.name, path, kind != "library",
                               lambda path, mode=mode: elf_oracle.run(path, mode, self.workshop, path.parent))

    def of_system(self, names):
        """Position-independent files of the system that need no run path, and that can be asked for their version or loaded."""
        for path in sorted({Path(folder, name).resolve() for name in names for folder in ("/usr/bin", "/usr/lib/x86_64-linux-gnu")
                            if Path(folder, name).exists()}):
            case = self.system_case(path) if is_shared(path) else None
            if case and case.expected[0][0] == 0:
                yield case

    def system_case(self, path):
        if re.search(r"\(R(UN)?PATH\)", call(["readelf", "-dW", path]).stdout):
            return None  # another run path would lose its libraries
        is_program = ".so" not in path.name
        if is_program:
            return Case(str(path), path, True, lambda path: self.outcome([path, "--version"], path))
        words = [sys.executable, "-c", "import ctypes, os, sys; ctypes.CDLL(sys.argv[1], mode=os.RTLD_NOW); os._exit(0)"]
        return Case(str(path), path, False, lambda path: self.outcome([*words, path], path))

    @staticmethod
    def outcome(words, path):
        done = call(words, timeout=60, stdin=subprocess.DEVNULL, cwd="/")
        return done.returncode, done.stdout.replace(str(path), "FILE"), ""

    def apply(self, step, source, target):
        """True when the tool says that it did it."""
        by, *words = step
        if by == "truewheel":
            return call([self.truewheel, "patchelf", *words, "--output", target, source]).returncode == 0
        if by == "strip":
            return elf_oracle.strip(tuple(words), source, target)
        shutil.copy(source, target)
        target.chmod(0o755)
        return call([self.patchelfs[by], *words, target]).returncode == 0

    def leads_on(self, case, step, source, target):
        return self.apply(step, source, target) and case.state_of(target) == case.expected

    def judge(self, case, number, steps):
        folder = self.folder / "chain"
        shutil.rmtree(folder, ignore_errors=True)
        ours, rival, log = case.path, case.path, []
        for i, (by, *words) in enumerate(steps):
            log.append(f"{i}: {by} {shown(words)}")
            # The rival goes without the first edit.
            next_ours, next_rival = (folder / f"{i}-{who}" / case.path.name for who in ("ours", "rival"))
            next_ours.parent.mkdir(parents=True)
            next_rival.parent.mkdir()
            if i > 0 and rival is not None:
                rival = next_rival if self.leads_on(case, (by, *words), rival, next_rival) else None
            if not self.leads_on(case, (by, *words), ours, next_ours):
                if rival is None:
                    self.results[f"ok until {by} breaks it, as without truewheel's first edit"] += 1
                    return
                print("\n  ".join([f"{case.name}, chain {number}: step {i} breaks it", *log]))
                if next_ours.exists():
                    for what, wanted, found in zip(("behaviour", "notes"), case.expected, case.state_of(next_ours)):
                        if found != wanted:
                            print(f"  {what}: {found}\n  instead of {wanted}")
                self.results["FAILED"] += 1
                return
            ours = next_ours
        self.results["ok"] += 1


def is_shared(path):
    with path.open("rb") as file:
        head = file.read(18)
    return head[:6] == b"\x7fELF\2\1" and head[16] == 3  # ET_DYN of 64 bits, little-endian


def chains(case, strips):
    """The edits of patchelf, behind two of truewheel."""
    by_truewheel = [["--set-rpath", path_of(3001)]]
    by_patchelf = [["--set-rpath", path_of(6001, "p")]]
    if case.is_program:
        by_truewheel.append(["--set-interpreter", interpreter(3)])
        by_patchelf += [["--set-interpreter", interpreter(5)], ["--set-interpreter", interpreter(5), *by_patchelf[0]]]
    number = 0
    for first in by_truewheel:
        for second in by_patchelf:
            for version in OLD:
                # Each strip tool in turn, and none. llvm-strip breaks files of old patchelf anyhow.
                first_strip, *others = (strips[number // divisor % len(strips)] for divisor in (1, 2, 3))
                between, behind = ([] if strip == [("strip", "llvm-strip")] else strip for strip in others)
                yield number, [("truewheel", *first), *first_strip, (version, *second), *between,
                               ("truewheel", "--set-rpath", path_of(9001, "w")),
                               (version, "--set-rpath", path_of(12001, "q")), *behind]
                number += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truewheel", required=True, type=Path)
    parser.add_argument("--system", nargs="*", default=SYSTEM, help="paths, or names in /usr/bin and the folder of libraries")
    parser.add_argument("--only", default="", help="files whose name has it")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    start = time.monotonic()
    bench, folder = open_bench(Bench, arguments.truewheel, "patchelf-after-truewheel-")
    for case in [*bench.linked(), *bench.of_system(arguments.system)]:
        if arguments.only not in case.name:
            continue
        for number, steps in chains(case, [[], *([("strip", *words)] for words in bench.strips)]):
            bench.judge(case, number, steps)
    print(f"{sum(bench.results.values())} chains in {time.monotonic() - start:.1f} s")
    for result, count in sorted(bench.results.items()):
        print(f"  {result}: {count}")
    shutil.rmtree(folder)
    return 1 if bench.results["FAILED"] or not bench.results["ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
