#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an edit may cost: growth, repeated edits, and tables of megabytes.

Each file is edited through elf_edit_driver, run, stripped by each tool, edited again and run again. Prints a table of the
growths and fails where one is above its bound:
  - SONAME, two renamed libraries and a run path in one call: 4 KiB, whatever the alignment or the linker;
  - a library with 1.5 MB of symbol names: nothing where GNU ld's version tables behind them can give way for free, else
    8 bytes a symbol and 4 KiB; the table itself and 1 KiB where what stands behind it must stay; nothing at the next edit;
  - ten edits that each ask for longer names: one LOAD more and the strings; back and forth between two states: nothing;
  - the same edit seventy times: the same bytes.
--patchelf PROGRAM adds a column of what that program makes of the same wishes.
"""
import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import elf_layouts
import elf_oracle
from elf_layouts import call, must

KIB = 1024
LAYOUTS = {
    "4 KiB pages": ("library", ["-shared", "-Wl,-z,max-page-size=4096"]),
    "64 KiB pages": ("library", ["-shared", "-Wl,-z,max-page-size=65536"]),
    "2 MiB pages": ("library", ["-shared", "-Wl,-z,max-page-size=2097152"]),
    "2 MiB pages, no separate code": ("library", ["-shared", "-Wl,-z,max-page-size=2097152,-z,noseparate-code"]),
    "PIE": ("pie", ["-pie"]),
    "non-PIE": ("nopie", ["-no-pie"]),
    "non-PIE, 64 KiB pages": ("nopie", ["-no-pie", "-Wl,-z,max-page-size=65536"]),
    "library by lld": ("library", ["-shared", "-fuse-ld=lld"]),
    "PIE by lld": ("pie", ["-pie", "-fuse-ld=lld"]),
    "non-PIE by lld": ("nopie", ["-no-pie", "-fuse-ld=lld"]),
    "library by gold": ("library", ["-shared", "-fuse-ld=gold"]),
    "non-PIE by gold": ("nopie", ["-no-pie", "-fuse-ld=gold"]),
    "library by mold": ("library", ["-shared", "-fuse-ld=mold"]),
    "PIE by mold": ("pie", ["-pie", "-fuse-ld=mold"]),
    "PIE by mold, 2 MiB pages": ("pie", ["-pie", "-fuse-ld=mold", "-Wl,-z,max-page-size=2097152,--build-id"]),
}


class Bench:
    def __init__(self, driver, folder, patchelf):
        self.driver, self.folder, self.patchelf = driver, folder, patchelf
        self.workshop = elf_layouts.Workshop(folder)
        self.failures, self.rows = [], []

    def demand(self, holds, text):
        if not holds:
            self.failures.append(text)
            print("FAILED: " + text)

    def edit(self, source, target, words):
        must([self.driver, source, target, *words])
        target.chmod(0o755)
        return target.stat().st_size - source.stat().st_size

    def has(self, options):
        linker = next((word.removeprefix("-fuse-ld=") for word in options if word.startswith("-fuse-ld=")), "bfd")
        return linker in self.workshop.linkers

    def wishes(self, number, run_path="--set-rpath"):
        words = []
        for name in ("dep", "extra"):
            new = f"lib{name}-0123456{number}.so.1"
            old = f"lib{name}.so.1" if number == 0 else f"lib{name}-0123456{number - 1}.so.1"
            shutil.copy(self.workshop.folder / f"lib{name}.so.1", self.folder / new)
            words += ["--replace-needed", old, new]
        return [*words, "--set-soname", f"libcase-{number}1234567.so.1", run_path,
                "$ORIGIN/../case.libs:$ORIGIN/../nvidia/cuda_runtime/lib:/opt/rocm/lib" + f"/{number}" * 60]

    def ordinary(self, name, kind, options):
        """One call with four wishes; strip by every tool; edit and run again."""
        folder, path = self.folder, self.folder / "case.so"
        flags = ("-fno-pie",) if kind == "nopie" else ("-fPIC",)
        objects = [("library.c", flags)] + ([("program.c", flags)] if kind != "library" else [])
        for source in objects:
            self.workshop.compile(*source)
        inputs = [self.workshop.object_of(*source) for source in objects]
        must(["gcc", *options, "-Wl,-soname,libcase.so.1", "-o", path, *inputs, "libdep.so.1", "libextra.so.1"], cwd=folder)
        modes = elf_oracle.run_modes(kind)
        expected = {mode: elf_oracle.run(path, mode, self.workshop, folder) for mode in modes}
        words = self.wishes(0)
        edited = folder / "edited.so"
        growth = self.edit(path, edited, words)
        self.demand(growth <= 4 * KIB, f"{name}: grew by {growth}")
        self.judge(name, edited, modes, expected)
        for words_of_strip in elf_oracle.STRIPS:
            stripped, again = folder / "stripped.so", folder / "again.so"
            where = f"{name}: {' '.join(words_of_strip)}"
            if not elf_oracle.strip(words_of_strip, edited, stripped):
                self.demand(False, f"{where} refuses the file")
                continue
            self.judge(where, stripped, modes, expected)
            growth_again = self.edit(stripped, again, self.wishes(1))
            self.demand(growth_again <= 4 * KIB, f"{where}: the next edit grew by {growth_again}")
            self.judge(f"{where}, edited again", again, modes, expected)
        self.rows.append((name, path.stat().st_size, growth, self.peer(path, words)))

    def judge(self, where, path, modes, expected):
        for mode in modes:
            got = elf_oracle.run(path, mode, self.workshop, self.folder)
            self.demand(got == expected[mode], f"{where}: as {mode} {got}, expected {expected[mode]}")

    def peer(self, path, words):
        if not self.patchelf:
            return ""
        target = self.folder / "patchelf.so"
        shutil.copy(path, target)
        words = [word for word in words if word != "--set-rpath"]
        run_path = words.pop()
        call([self.patchelf, *words, "--force-rpath", "--set-rpath", run_path, target])
        return target.stat().st_size - path.stat().st_size

    def many_names(self, linker, symbols, note, versions):
        """A library whose symbol names fill megabytes."""
        if linker not in self.workshop.linkers:
            return
        name = f"{symbols} names by {linker}, {note}{', versions' if versions else ''}"
        path, edited, again = (self.folder / f"{text}.so" for text in ("many", "many-edited", "many-again"))
        prefix = "_ZN4some6deeply6nested9namespace4with9templatesILi42EE" + "x" * 90
        (self.folder / "many.s").write_text("".join(
            f".globl {prefix}{i}\n.type {prefix}{i},@object\n.size {prefix}{i},8\n{prefix}{i}:\n" for i in range(symbols)))
        text = (f".data\n.include \"many.s\"\n.quad 1\n.text\n.globl run\n.type run,@function\nrun: jmp dep_value@PLT\n"
                ".section .note.GNU-stack,\"\",@progbits\n")
        (self.folder / "all.s").write_text(text)
        (self.folder / "many.map").write_text("MANY_1 { global: *; };\n")
        must(["g++", "-shared", f"-fuse-ld={linker}", f"-Wl,--build-id={'sha1' if note == 'build-id' else 'none'}",
              *(["-Wl,--version-script=many.map"] if versions else []), "-Wl,-soname,libmany.so", "-o", path, "all.s",
              "libdep.so.1"], cwd=self.folder)
        table = int(next(line for line in must(["readelf", "-dW", path]).splitlines() if "(STRSZ)" in line).split()[2])
        expected = elf_oracle.run(path, "loader", self.workshop, self.folder)
        self.demand(expected[0] == 0 and table >= 1_500_000, f"{name}: {table} bytes of names, {expected}")
        for length in (40, 200, 1000, 4000):
            first = ["--set-rpath", "/" + "r" * length, "--set-soname", "libmany-01234567.so"]
            growth = self.edit(path, edited, first)
            if linker == "bfd":
                room = self.free_room(path)
                bound = 0 if room is not None and length + 30 <= room else 8 * symbols + 4 * KIB
            else:
                bound = table + length + KIB
            self.demand(growth <= bound, f"{name}, {length} more: grew by {growth}, bound {bound}")
            self.judge(name, edited, ["loader"], {"loader": expected})
            second = self.edit(edited, again, ["--set-rpath", "/" + "s" * length, "--set-soname", "libmany-76543210.so"])
            self.demand(second == 0, f"{name}, {length} more: the next edit grew by {second}")
            self.judge(name, again, ["loader"], {"loader": expected})
            for words in elf_oracle.STRIPS if length == 1000 else []:
                self.demand(elf_oracle.strip(words, edited, self.folder / "stripped.so"), f"{name}: {words} refuses")
                self.judge(f"{name}: {words}", self.folder / "stripped.so", ["loader"], {"loader": expected})
            self.rows.append((f"{name}, {length + 21} bytes more", path.stat().st_size, growth,
                              self.peer(path, [*first[2:], *first[:2]])))

    def free_room(self, path):
        """Bytes that .dynstr gains when .gnu.version_d and .gnu.version_r behind it go into the padding of a LOAD; None
        when that has no room for them."""
        sections = [line.split("]", 1)[1].split() for line in must(["readelf", "-SW", path]).splitlines() if "] ." in line]
        sizes = {words[0]: int(words[4], 16) for words in sections}
        leaving = sum(sizes.get(name, 0) for name in (".gnu.version_d", ".gnu.version_r"))
        data = path.read_bytes()
        ends = sorted((offset, offset + filesz) for _, offset, _, filesz, _, _ in elf_oracle.loads(data))
        padding = max(after[0] - before[1] for before, after in zip(ends, ends[1:]))
        return leaving - 16 if leaving + 32 <= padding else None

    def repeated(self, name, kind, options):
        """Growing edits, edits back and forth, and the same one many times."""
        folder = self.folder
        flags = ("-fno-pie",) if kind == "nopie" else ("-fPIC",)
        objects = [("library.c", flags)] + ([("program.c", flags)] if kind != "library" else [])
        for source in objects:
            self.workshop.compile(*source)
        path, current = folder / "case.so", folder / "current.so"
        must(["gcc", *options, "-o", path, *(self.workshop.object_of(*source) for source in objects), "libdep.so.1",
              "libextra.so.1"], cwd=folder)
        mode = elf_oracle.run_modes(kind)[0]
        expected = {mode: elf_oracle.run(path, mode, self.workshop, folder)}
        count = len(elf_oracle.loads(path.read_bytes()))
        shutil.copy(path, current)
        strings = 0
        for number in range(1, 11):
            words = ["--set-rpath", "/" + chr(96 + number) * (200 * number), "--set-soname", "lib" + chr(64 + number) * (90 * number)]
            strings += sum(len(word) for word in words)
            self.edit(current, folder / "next.so", words)
            shutil.copy(folder / "next.so", current)
        growth = current.stat().st_size - path.stat().st_size
        more = len(elf_oracle.loads(current.read_bytes())) - count
        self.demand(more <= 1, f"{name}: ten growing edits made {more} LOADs")
        self.demand(growth <= strings + 4 * KIB, f"{name}: ten growing edits with {strings} bytes of names grew by {growth}")
        self.judge(f"{name}: ten growing edits", current, [mode], expected)
        size = current.stat().st_size
        for number in range(8):
            self.edit(current, folder / "next.so", ["--set-rpath", ("/AAAA" if number % 2 else "/BBB") * 300])
            shutil.copy(folder / "next.so", current)
        grew = current.stat().st_size - size
        self.demand(grew == 0, f"{name}: back and forth grew by {grew}")
        self.judge(f"{name}: back and forth", current, [mode], expected)
        shutil.copy(path, current)
        words = ["--set-rpath", "$ORIGIN/../case.libs" + "/x" * 200, "--set-soname", "libcase-01234567.so"]
        self.edit(path, current, words)
        first = current.read_bytes()
        for _ in range(70):
            self.edit(current, folder / "next.so", words)
            shutil.copy(folder / "next.so", current)
        self.demand(current.read_bytes() == first, f"{name}: the same edit seventy times changed the file")
        self.rows.append((f"{name}, ten growing edits", path.stat().st_size, growth, ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True, type=Path)
    parser.add_argument("--patchelf", help="adds a column of what this program does")
    parser.add_argument("--symbols", type=int, default=12000, help="of the libraries with many names")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    with tempfile.TemporaryDirectory(prefix="elf-growth-") as folder:
        bench = Bench(arguments.driver.resolve(), Path(folder), arguments.patchelf)
        for name, (kind, options) in LAYOUTS.items():
            if bench.has(options):
                bench.ordinary(name, kind, options)
                bench.repeated(name, kind, options)
        for linker in ("bfd", "lld", "mold", "gold"):
            for note in ("build-id", "no note"):
                for versions in (False, True):
                    bench.many_names(linker, arguments.symbols, note, versions)
        print("| file | bytes | growth |" + (" patchelf |" if arguments.patchelf else ""))
        print("|---|---|---|" + ("---|" if arguments.patchelf else ""))
        for name, size, growth, peer in bench.rows:
            print(f"| {name} | {size} | {growth} |" + (f" {peer} |" if arguments.patchelf else ""))
        return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
