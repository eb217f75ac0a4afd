#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random ELF layouts times random edits and strips, judged by running the result.

A pool of shared objects and programs is linked with random linker options. Each case takes one of them, edits it a few
times through elf_edit_driver, and after each edit demands:
  - the same output, eager binding, nothing on stderr; also in many threads, and through the dynamic linker's command;
  - a second identical edit has no patch;
  - eu-elflint and readelf find nothing that they did not find in the input;
  - symbols, relocations, notes and version definitions read the same as before;
  - LOADs keep their place, and code, data, relocations and unwind tables their bytes and their place;
  - bytes behind the ELF file survive;
  - strip, strip -g, eu-strip, llvm-strip, objcopy and llvm-objcopy keep it running, unless the tool breaks the unedited
    file as well; so does one more edit of the stripped file, and the case may go on with that one.
--machine has the same for another architecture, by Debian's cross compilers and qemu-user; exit 77 without them.
Prints the seed; a failing case's folder is kept and named. --only NUMBER runs one case again.
"""
import argparse
import dataclasses
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import elf_layouts
import elf_oracle
from elf_layouts import call
from elf_machines import MACHINES


class Failure(Exception):
    pass


@dataclasses.dataclass
class Layout:
    """A linked file and what is known of it before any edit."""
    number: int
    path: Path
    specification: elf_layouts.Specification
    expected: dict  # by mode
    strips: list    # that keep it running
    clean: set
    reading: str


def prepare(workshop, number, specification):
    """Links a layout and looks at it; None when it does not run as the linker made it."""
    folder = workshop.folder / f"layout{number}"
    folder.mkdir()
    path = folder / ("case" if specification.is_program else "case.so")
    libraries = [workshop.folder / "libdep.so.1", workshop.folder / "libextra.so.1"]
    random.Random(number).shuffle(libraries)
    try:
        elf_layouts.link(workshop, specification, path, libraries)
    except RuntimeError:
        return None
    expected = {mode: elf_oracle.run(path, mode, workshop, folder) for mode in elf_oracle.run_modes(specification.kind)}
    expected = {mode: result for mode, result in expected.items() if result[0] == 0 and not result[2]}
    if not expected:
        return None
    strips = []
    # BFD's tools lose the links of unnamed sections.
    for words in elf_oracle.STRIPS if not specification.unnamed else []:
        target = folder / "stripped"
        if elf_oracle.strip(words, path, target, workshop.machine) and all(
                elf_oracle.run(target, mode, workshop, folder) == result for mode, result in expected.items()):
            strips.append(words)
    return Layout(number, path, specification, expected, strips, elf_oracle.lint(path), elf_oracle.readings(path))


@dataclasses.dataclass
class State:
    """What the edits of one case have done so far."""
    needed: dict = dataclasses.field(default_factory=lambda: {"dep": "libdep.so.1", "extra": "libextra.so.1"})
    removed: bool = False
    cleared: set = dataclasses.field(default_factory=set)
    names: dict = dataclasses.field(default_factory=dict)  # first name of a symbol or version -> the one it has now
    first_names: dict = dataclasses.field(default_factory=dict)  # any name it had -> the first one

    def copy(self):
        return dataclasses.replace(self, needed=dict(self.needed), cleared=set(self.cleared), names=dict(self.names),
                                   first_names=dict(self.first_names))

    def rename(self, dice, option, first):
        """The words for a new name; longer, shorter or another one."""
        old = self.names.get(first, first)
        new = dice.choice(["n", "renamed_symbol_or_version_"]) + "%06x" % dice.randrange(1 << 24)
        self.names[first] = new
        self.first_names[new] = first
        return [option, old, new]


# What the library defines and its loader does not ask for, and what it needs of libdep.so.1.
OWN_NAMES = ["lib", "chosen", "zeros", "data_word"]
NEEDED_NAMES = [("--rename-symbol", "dep_value"), ("--rename-symbol", "dep_other"), ("--rename-version", "DEP_1"),
                ("--rename-version", "DEP_2")]


def copy_dependency(driver, source, target, name, state):
    """A copy of a needed library in which all has its present name."""
    words = [word for option, first in NEEDED_NAMES if first in state.names and name == "dep"
             for word in (option, first, state.names[first])]
    if not words:
        shutil.copy(source, target)
        return
    done = call([driver, source, target, *words])
    if done.returncode != 0:
        raise Failure(f"{' '.join(words)} in {source.name}: exit {done.returncode}: {done.stderr}")
    target.chmod(0o755)


def draw_wishes(dice, folder, workshop, state, is_program, driver):
    """One edit in random order of options; copies of renamed libraries are put into the folder."""
    groups = []
    roll = dice.random
    if roll() < 0.7:
        long_path = ":".join("$ORIGIN/" + "p" * dice.randrange(1, 60) for _ in range(dice.choice([1, 2, 6, 30, 100])))
        text = dice.choice(["$ORIGIN", "", "/n", long_path, long_path])
        groups.append(dice.choice([["--set-rpath", text], ["--set-runpath", text], ["--remove-rpath"]]))
    if roll() < 0.5:
        groups.append(["--set-soname", "lib" + "s" * dice.choice([1, 5, 30, 200]) + ".so"])
    for name in ("dep", "extra"):
        current = state.needed[name]
        if current is None:
            continue
        if roll() < 0.4:
            new_name = f"lib{name}-" + "%08x" % dice.randrange(1 << 32) + "x" * dice.choice([0, 0, 40]) + ".so.1"
            groups.append(["--replace-needed", current, new_name])
            if name == "dep":
                groups += [state.rename(dice, *item) for item in NEEDED_NAMES if roll() < 0.15]
            copy_dependency(driver, workshop.folder / f"lib{name}.so.1", folder / new_name, name, state)
            state.needed[name] = new_name
        elif name == "extra" and roll() < 0.15:
            groups.append(["--remove-needed", current])
            state.needed[name] = None
            state.removed = True
    if roll() < 0.15:
        groups.append(["--add-needed", "libadded.so.1"])
    if is_program and roll() < 0.4:
        groups.append(["--set-interpreter", str(dice.choice(workshop.interpreters))])
    was = {new: old for option, old, new in filter(lambda group: group[0] == "--rename-symbol", groups)}
    for name in ("dep_value", "dep_other"):
        if roll() < 0.08:
            current = state.names.get(name, name)
            groups.append(["--clear-symbol-version", was.get(current, current)])
            state.cleared.add(name)
    groups += [state.rename(dice, "--rename-symbol", name) for name in OWN_NAMES if roll() < 0.06]
    for option in ("--no-default-lib", "--add-debug-tag", dice.choice(["--clear-execstack", "--set-execstack"])):
        if roll() < 0.12:
            groups.append([option])
    dice.shuffle(groups)
    return [word for group in groups for word in group] or ["--set-rpath", "$ORIGIN/fallback"]


class Case:
    """One sequence of edits and strips of one layout."""

    def __init__(self, driver, workshop, layout, dice, folder, thorough):
        self.driver, self.workshop, self.layout = driver, workshop, layout
        self.dice, self.folder, self.thorough = dice, folder, thorough
        self.log = [f"layout {layout.number}: {' '.join(layout.specification.command)}"
                    f"{' (trailing)' if layout.specification.trailing else ''}"
                    f"{' (no sections)' if layout.specification.drops_sections else ''}"
                    f"{' (patchelf)' if layout.specification.foreign_edits else ''}"
                    f"{' (two .shstrtab)' if layout.specification.second_names else ''}"
                    f"{' (unnamed sections)' if layout.specification.unnamed else ''}"
                    f"{' (PT_NULL)' if layout.specification.spare_header else ''}"]
        self.state = State()
        self.growth = self.edits = 0
        self.moved_headers = False

    def run(self):
        base, clean, reading = self.layout.path, self.layout.clean, self.layout.reading
        current = base
        for number in range(self.dice.choice([1, 1, 2, 3, 5])):
            output = self.folder / f"edited{number}{base.suffix}"
            refusal = self.edit(current, output)
            if refusal:
                return refusal
            self.judge(base, output, clean, reading)
            current = output
            strips = [] if self.moved_headers else self.layout.strips
            chosen = strips if self.thorough else self.dice.sample(strips, min(len(strips), 1))
            for words in chosen:
                stripped, before = self.strip(words, current)
                state, self.state = self.state, self.state.copy()
                again = stripped.with_name("again-" + stripped.name)
                refusal = self.edit(stripped, again)
                if refusal:
                    return "after strip " + refusal
                self.judge(stripped, again, *before)
                if words == chosen[-1] and self.dice.random() < 0.4:
                    base, current, (clean, reading) = stripped, again, before
                    self.layout = dataclasses.replace(self.layout, clean=clean, reading=reading)
                else:
                    self.state = state
        return "ok"

    def edit(self, source, output):
        words = draw_wishes(self.dice, self.folder, self.workshop, self.state, self.layout.specification.is_program,
                            self.driver)
        self.log.append(f"edit {source.name}: " + " ".join(words))
        done = call([self.driver, source, output, *words])
        if done.returncode == 3:
            return "refused " + done.stderr.split(":")[0]
        if done.returncode != 0:
            raise Failure(f"driver: exit {done.returncode}: {done.stderr}")
        self.log += [line for line in done.stdout.splitlines() if line.startswith(("growth", "step"))]
        self.growth += int(done.stdout.split()[1])
        self.edits += 1
        self.moved_headers = self.moved_headers or "do not strip" in done.stdout
        if "again 0\n" not in done.stdout:
            raise Failure(f"a second identical edit changes something: {done.stdout}")
        output.chmod(0o755)
        return None

    def judge(self, base, output, clean, reading):
        self.demand_run(output)
        before, after = base.read_bytes(), output.read_bytes()
        found = elf_oracle.damage(before, after, bool(self.state.first_names))
        if found:
            raise Failure("; ".join(found))
        payload = before.find(elf_layouts.PAYLOAD)
        if payload != -1 and after.find(elf_layouts.PAYLOAD) != payload:
            raise Failure("the bytes behind the file are gone or moved")
        if not elf_oracle.sections_are_mapped(before):
            return  # readers go by sections that lie, which an edit may put right
        was, now = ({elf_oracle.with_first_names(line, self.state.first_names) for line in lines}
                    for lines in (clean, elf_oracle.lint(output)))
        new = now - was
        if self.layout.specification.foreign_edits:
            # Of the LOAD that an old patchelf made for .dynamic, when that moves on.
            new = {line for line in new if "is writable but contains no writable sections" not in line}
        if new:
            raise Failure(f"new complaints: {sorted(new)}")
        state = self.state
        was, now = (elf_oracle.comparable(text, state.removed, state.cleared, state.first_names)
                    for text in (reading, elf_oracle.readings(output)))
        if was != now:
            lines = set(was.splitlines()) ^ set(now.splitlines())
            raise Failure(f"symbols, relocations, notes or versions changed: {sorted(lines)[:6]}")

    def demand_run(self, path):
        modes = list(self.layout.expected)
        for mode in modes if self.thorough else [self.dice.choice(modes)]:
            got = elf_oracle.run(path, mode, self.workshop, self.folder)
            if got != self.layout.expected[mode]:
                raise Failure(f"{path.name} as {mode}: {got}, expected {self.layout.expected[mode]}")

    def strip(self, words, path):
        """The stripped file, and what is said of it."""
        target = self.folder / f"stripped-{len(self.log)}{path.suffix}"
        self.log.append(f"strip {path.name}: {' '.join(words)}")
        if not elf_oracle.strip(words, path, target, self.workshop.machine):
            raise Failure(f"{' '.join(words)} refuses the edited file and takes the unedited one")
        self.demand_run(target)
        # What eu-elflint says of a section goes by offsets that a strip tool makes up.
        return target, (elf_oracle.lint(target) | self.layout.clean, elf_oracle.readings(target))


# Workers are forked, so that they find what the parent has prepared.
SHARED = {}


def compile_one(job):
    SHARED["workshop"].compile(*job)


def prepare_one(job):
    return prepare(SHARED["workshop"], *job)


def layouts_for(number):
    """The pool in the order in which a case asks for them; made now where only one case is run."""
    arguments, layouts = SHARED["arguments"], SHARED["layouts"]
    order = list(range(len(SHARED["specifications"])))
    random.Random(f"{arguments.seed}/{number}/layout").shuffle(order)
    for index in order:
        if layouts[index] is None and arguments.only is not None:
            for job in SHARED["specifications"][index].objects:
                compile_one(job)
            layouts[index] = prepare_one((index, SHARED["specifications"][index]))
        yield layouts[index]


def case_one(number):
    arguments = SHARED["arguments"]
    dice = random.Random(f"{arguments.seed}/{number}")
    layout = next(layout for layout in layouts_for(number) if layout)
    folder = SHARED["workshop"].folder / f"case{number}"
    folder.mkdir()
    case = Case(arguments.driver, SHARED["workshop"], layout, dice, folder, arguments.long)
    try:
        result = case.run()
        if layout.specification.kind == "static-pie" and result.endswith(("elf-static", "elf-no-interpreter")):
            result = "left alone, as static programs are"
    except Failure as failure:
        kept = Path(tempfile.gettempdir()) / f"elf-property-failed-{arguments.machine}-{arguments.seed}-{number}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder, kept)
        shutil.copy(layout.path, kept / "original")
        result = f"FAILED ({kept}): {failure}"
    shutil.rmtree(folder)
    return number, result, case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True, type=Path)
    parser.add_argument("--machine", choices=sorted(MACHINES), default="native")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20, help="of cases")
    parser.add_argument("--layouts", type=int, help="size of the pool; a quarter of the cases if not given")
    parser.add_argument("--only", type=int, help="this case alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--long", action="store_true", help="all strip tools and all ways to run after each edit")
    parser.add_argument("--verbose", action="store_true", help="every case with its steps")
    parser.add_argument("--go-on", action="store_true", help="count failures instead of stopping at the first")
    arguments = parser.parse_args()
    arguments.driver = arguments.driver.resolve()
    sys.stdout.reconfigure(line_buffering=True)
    machine = MACHINES[arguments.machine]
    if not machine.is_here():
        print(f"SKIPPED: {machine.tool('g++')} and {machine.qemu} are needed")
        return 77
    results, failures, growths, edits = {}, 0, [], 0
    with tempfile.TemporaryDirectory(prefix="elf-property-") as base:
        workshop = elf_layouts.Workshop(Path(base), machine)
        wanted = arguments.layouts or max(8, arguments.count // 4)
        specifications = elf_layouts.draw_all(arguments.seed, wanted, workshop)
        SHARED.update(workshop=workshop, arguments=arguments, specifications=specifications)
        print(f"{machine.name}, seed {arguments.seed}, {arguments.count} cases, linkers: {' '.join(workshop.linkers)}")
        start = time.monotonic()
        layouts = [None] * wanted
        if arguments.only is None:
            with multiprocessing.Pool(arguments.jobs) as pool:
                pool.map(compile_one, sorted({job for one in specifications for job in one.objects}), chunksize=1)
                layouts = pool.map(prepare_one, list(enumerate(specifications)), chunksize=1)
            usable = sum(1 for layout in layouts if layout)
            print(f"{usable} of {wanted} layouts run unedited; {time.monotonic() - start:.1f} s to make them")
            if usable == 0:
                print("no case could be judged")
                return 1
        SHARED["layouts"] = layouts
        start = time.monotonic()
        numbers = range(arguments.count) if arguments.only is None else [arguments.only]
        with multiprocessing.Pool(arguments.jobs) as pool:
            for number, result, case in pool.imap(case_one, numbers):
                key = result.split(" (")[0] if result.startswith("FAILED") else result
                if case.moved_headers:
                    key += ", the program headers moved"
                results[key] = results.get(key, 0) + 1
                growths.append(case.growth)
                edits += case.edits
                if arguments.verbose or result.startswith(("FAILED", "refused", "after strip")):
                    print(f"case {number} of seed {arguments.seed}: {result}\n  " + "\n  ".join(case.log))
                if result.startswith("FAILED"):
                    failures += 1
                    if not arguments.go_on:
                        pool.terminate()
                        return 1
        seconds = time.monotonic() - start
        print(f"{len(growths)} cases, {edits} edits in {seconds:.1f} s ({len(growths) / seconds:.1f} cases a second); growth of "
              f"a case: mean {sum(growths) // len(growths)}, most {max(growths)} bytes")
    print("results: " + "; ".join(f"{name}: {count}" for name, count in sorted(results.items())))
    if results.get("ok", 0) == 0:
        print("no case could be judged")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
