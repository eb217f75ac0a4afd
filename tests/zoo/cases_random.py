# SPDX-License-Identifier: Apache-2.0
"""Wheels put together by chance: modules, programs and libraries inside and outside of the wheel, needing each other by
run paths that are right, wrong, dead or absent. The seed is the case's number; each file's value follows from the graph.
"""

import os
import random
import shutil
import subprocess
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import elf_facts
from case import Case, Failed, case_family, run_clean
from judge import STRIPS, judge

FOLDERS = ("", "pkg", "pkg/lib", "pkg/sub", "other", "other/deep/lib", "vendor/lib64")
LAYOUTS = ((), (), ("-Wl,-z,max-page-size=0x10000",), ("-Wl,-z,noseparate-code",), ("-fuse-ld=lld",), ("-fuse-ld=gold",), ("-Wl,--hash-style=both",), ("-s",))
SEEDS = int(os.environ.get("ZOO_SEEDS", "48"))


@dataclass
class File:
    number: int
    kind: str  # module, program, sibling, external
    name: str
    folder: str
    needs: list["File"] = field(default_factory=list)
    rpath: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    versions: bool = False
    path: Path = Path()

    @property
    def member(self) -> str:
        return f"{self.folder}/{self.name}".lstrip("/")

    def value(self) -> int:
        return self.number + 1 + sum(one.value() for one in self.needs)

    def below(self) -> list["File"]:
        found = []
        for one in self.needs:
            found += [one, *one.below()]
        return found


def draw(chance: random.Random) -> list[File]:
    """In the order of building: what is needed comes first."""
    files: list[File] = []
    for i in range(chance.randint(2, 7)):
        kind = chance.choice(("sibling", "sibling", "external"))
        name = f"lib{chance.choice(('a', 'core', 'x-1.2', 'data'))}{i}{chance.choice(('.so', '.so.1', '.so.2.3'))}"
        files.append(File(i, kind, name, chance.choice(FOLDERS if kind == "sibling" else ("lib", "lib2", "deep/er"))))
    for i in range(len(files), len(files) + chance.randint(1, 4)):
        kind = chance.choice(("module", "module", "program"))
        name = f"_m{i}.cpython-311-x86_64-linux-gnu.so" if kind == "module" else f"tool{i}"
        files.append(File(i, kind, name, chance.choice(FOLDERS)))
    for i, one in enumerate(files):
        # A library outside of the wheel seldom knows one inside of it.
        below = [other for other in files[:i] if other.kind in ("sibling", "external") and (one.kind != "external" or other.kind == "external" or chance.random() < 0.2)]
        one.needs = chance.sample(below, min(len(below), chance.choice((0, 1, 1, 2, 3))))
        one.flags = chance.choice(LAYOUTS) + (("-Wl,--disable-new-dtags",) if chance.random() < 0.4 else ())
        if one.kind == "program":
            one.flags += chance.choice((("-pie", "-fPIE"), ("-no-pie", "-fno-pie")))
        one.versions = chance.random() < 0.4
    return files


def entries(c: Case, chance: random.Random, one: File) -> tuple[str, ...]:
    found = []
    for other in one.needs:
        right = f"$ORIGIN/{os.path.relpath(other.folder or '.', one.folder or '.')}" if other.kind == "sibling" and one.kind != "external" else str(other.path.parent)
        found += chance.choice(([], [], [right], [right], [str(c.build / other.folder)], ["/dead/lib"], ["$ORIGIN/no/such"]))
    if chance.random() < 0.1:
        found.append("$ORIGIN/../../../../above")
    chance.shuffle(found)
    return tuple(dict.fromkeys(found))


def build_files(c: Case, chance: random.Random, files: list[File]) -> None:
    for one in files:
        expression = "+".join([str(one.number + 1), *(f"f{other.number}()" for other in one.needs)])
        one.rpath = entries(c, chance, one)
        libs = tuple(other.path for other in one.needs)
        how = {"libs": libs, "rpath": one.rpath, "flags": one.flags}
        if one.kind == "module":
            c.ext(one.member.split(".")[0], expression, package=False, **how)
            one.path = c.tree / one.member
        elif one.kind == "program":
            c.program(one.member, expression, **how)
            one.path = c.tree / one.member
        else:
            make = c.member_lib if one.kind == "sibling" else c.lib
            versions = f"V_{one.number} {{ global: f{one.number}; local: *; }};" if one.versions else ""
            one.path = make(one.member, f"int f{one.number}(){{return {expression};}}", versions=versions, **how)


def use(c: Case, site: Path, files: list[File], env: dict[str, str]) -> None:
    """Each file that a process may start with, in a process of its own."""
    needed = {id(other) for one in files if one.kind != "external" for other in one.needs}
    for one in files:
        path = site / one.member
        if one.kind == "module":
            c.load({one.member.split(".")[0].replace("/", "."): one.value()}, site=site, env=env)
        elif one.kind == "program":
            c.equal(run_clean([str(path)], env), f"{one.value()}\n", f"output of {one.member}")
        elif one.kind == "sibling" and id(one) not in needed:
            found = c.python(f"import ctypes; print(ctypes.CDLL({str(path)!r}).f{one.number}())", site, env)
            c.equal(int(found), one.value(), f"value of {one.member}")


def is_fit(c: Case, files: list[File]) -> bool:
    """Whether the wheel works as it was built, and no run path needs to be cleaned."""
    for one in files:
        if one.kind != "external" and any(not entry.startswith("$ORIGIN") or "above" in entry for entry in one.rpath):
            return False
    site = c.root / "as-built"
    with zipfile.ZipFile(c.input) as archive:
        archive.extractall(site)
        for entry in archive.infolist():
            (site / entry.filename).chmod(entry.external_attr >> 16 & 0o777)
    try:
        use(c, site, files, {})
    except Failed:
        return False
    finally:
        shutil.rmtree(site)
    return True


def random_case(seed: int):
    def one(c: Case) -> None:
        chance = random.Random(seed)
        files = draw(chance)
        build_files(c, chance, files)
        inside = [one for one in files if one.kind != "external"]
        c.wheel()
        outside = {id(other): other for one in inside for other in one.below() if other.kind == "external"}
        excluded = [one for one in outside.values() if chance.random() < 0.2]

        def reached(from_files: list[File]) -> dict[int, File]:
            found: dict[int, File] = {}
            for one in from_files:
                for other in one.needs:
                    if other.kind == "external" and other not in excluded and id(other) not in found:
                        found[id(other)] = other
                        found.update(reached([other]))
                    elif other.kind == "sibling":
                        pass  # a file of the wheel is looked at by itself
            return found

        grafts = [one.path for one in reached(inside).values()]
        c.repair(*(word for one in excluded for word in ("--exclude", one.name)))
        env = {}
        if excluded:
            folder = c.root / "provided"
            folder.mkdir()
            for one in files:
                if one.kind in ("external", "sibling"):
                    shutil.copy2(one.path, folder / one.name)
            env = {"LD_LIBRARY_PATH": str(folder)}
        result = judge(c, grafts)
        use(c, c.site, inside, env)
        command = chance.choice(STRIPS)
        for member in result.edited():
            subprocess.run([*command, str(c.site / member)], check=True)
        try:
            use(c, c.site, inside, env)
        except Failed as error:
            raise Failed(f"after {' '.join(command)}: {error}") from error
        if not outside and is_fit(c, inside):
            for member, data in result.before.items():
                if elf_facts.is_elf(data):
                    c.check(result.after[member] == data, f"{member} was edited though the wheel works as it was built: {result.describe(member)}")

    return one


for seed in range(SEEDS):
    case_family(f"random-{seed}", __name__, "A B", random_case(seed), ours=True)
