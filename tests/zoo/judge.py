# SPDX-License-Identifier: Apache-2.0
"""Judges a repaired wheel: by its bytes, by a second repair, and by using it."""

import os
import posixpath
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import build
from case import Case, run_clean
from elf_facts import is_elf, is_native, parse
from judge_elf import edit_complaints
from judge_zip import NORMAL_TIME, epoch_time, record_complaints, tag_complaints, zip_complaints

STRIPS = (("strip",), ("strip", "-g"), ("llvm-strip",), ("eu-strip",))


def members(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}


def modes(wheel: Path) -> dict[str, int]:
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}


def graft_name(source: Path) -> str:
    """auditwheel's form: the hash of the source, before the first dot."""
    real = source.resolve()
    stem, dot, rest = real.name.partition(".")
    if re.search(r"-[0-9a-f]{8}$", stem):
        return real.name
    return f"{stem}-{build.digest(real.read_bytes())[:8]}{dot}{rest}"


def known_as(source: Path) -> set[str]:
    names = {source.name, source.resolve().name}
    if soname := parse(source.read_bytes()).soname:
        names.add(soname)
    return names | {path.name for path in source.parent.iterdir() if path.resolve() == source.resolve()}


def installed(member: str) -> str:
    """Where an installer puts a member, relative to site-packages; .data other than platlib and purelib stays."""
    return re.sub(r"^[^/]+\.data/(platlib|purelib)/", "", member)


class Judge:
    """`grafts`: build libraries that must be in the output, and no other. The other arguments are what must come out:
    `needed` and `rpaths` by member, `unedited` members (or True for every ELF file), platform `tags`, values computed
    by modules (`load`) and text printed by `programs`."""

    def __init__(self, case: Case, grafts: list[Path] = [], libs_folder: str | None = None) -> None:
        self.case = case
        self.before = members(case.input)
        self.output = case.output()
        self.after = members(self.output)
        self.output_digest = build.digest(self.output.read_bytes())
        name = case.input.name.split("-")[0]
        self.libs = libs_folder or f"{name}.libs"
        self.sources = {f"{self.libs}/{graft_name(path)}": path for path in grafts}
        self.names = {Path(member).name: known_as(path) for member, path in self.sources.items()}
        self.source_bytes = {member: path.resolve().read_bytes() for member, path in self.sources.items()}
        self.moved: dict[str, str] = {}  # input member -> output member, for programs behind a shim

    def check_archive(self, when: tuple[int, ...] = NORMAL_TIME) -> None:
        case = self.case
        if epoch := case.environment.get("SOURCE_DATE_EPOCH"):
            when = epoch_time(int(epoch))
        problems = record_complaints(self.after)
        if case.setting.full:
            problems += zip_complaints(self.output.read_bytes(), when)
            if "--no-update-tags" not in case.options:
                problems += tag_complaints(self.output.name, self.after)
        case.check(not problems, f"archive: {'; '.join(problems[:6])}")

    def check_members(self) -> None:
        case = self.case
        grafted = {name for name in self.after if name.startswith(f"{self.libs}/") and name not in self.before}
        case.equal(sorted(grafted), sorted(self.sources), "grafts")
        # Our own bill of materials follows what is bundled; where nothing is, it stays.
        made = r"\.dist-info/(WHEEL|RECORD|RECORD\.jws|RECORD\.p7s" + (r"|sboms/truewheel\.cdx\.json)$" if grafted else ")$")
        same = {name for name in self.before if not re.search(made, name)}
        for name in same:
            if name in self.moved:
                continue
            case.check(name in self.after, f"{name} is lost")
            if not is_native(self.before[name], case.machine):
                case.check(self.after[name] == self.before[name], f"{name} was changed")
        extra = set(self.after) - set(self.before) - grafted - set(self.moved.values())
        extra = {name for name in extra if not re.search(r"\.dist-info/(sboms/[^/]+\.json$|licenses/[^/]+\.[^/]+/)", name)}
        case.check(not extra, f"new members: {sorted(extra)}")
        wanted = {name: 0o755 if (mode or 0) & 0o111 else 0o644 for name, mode in self.input_modes().items()}
        for name, mode in modes(self.output).items():
            right = 0o755 if name in grafted or name in self.moved.values() else wanted.get(name, 0o644)
            if case.setting.full or name in grafted:
                case.check(mode == right or not case.setting.full, f"{name} has mode {mode:o}, right is {right:o}")

    def input_modes(self) -> dict[str, int]:
        return {name: mode for name, mode in modes(self.case.input).items() if not name.endswith("/")}

    def original(self, member: str) -> bytes | None:
        back = {new: old for old, new in self.moved.items()}
        if member in self.source_bytes:
            return self.source_bytes[member]
        return self.before.get(back.get(member, member))

    def check_elf_files(self, kind: str = "RPATH", dropped: tuple[str, ...] = (), unedited: bool | tuple[str, ...] = (),
                        needed: dict[str, list[str]] = {}, rpaths: dict[str, list[str]] = {}, kept: tuple[str, ...] = (),
                        absolute: tuple[str, ...] = (), strip: bool = False) -> None:
        case = self.case
        for member, data in self.after.items():
            old = self.original(member)
            if old is None or not is_native(data, case.machine) or data[16] not in (2, 3):
                continue
            if data == old:
                case.check(member not in self.sources or member.endswith(self.sources[member].name), f"{member} keeps its SONAME")
                continue
            elf, was = parse(data), parse(old)
            if case.setting.full and not strip:
                problems = edit_complaints(old, data, versions_dropped=bool(dropped))
                case.check(not problems, f"{member}: {'; '.join(problems[:5])}")
            # The kind alone is no reason, except that all grafts get the same kind.
            changed = ((elf.needed, elf.run_path, elf.soname) != (was.needed, was.run_path, was.soname) or len(was.run_paths) > 1
                       or member in self.sources and elf.run_paths != was.run_paths)
            case.check(changed or strip, f"{member} was edited for no visible reason")
            self.check_needed(member, elf.needed, [name for name in was.needed if name not in dropped], kept)
            self.check_run_path(member, elf, was, kind, absolute)
            if member in self.sources:
                case.equal(elf.soname, Path(member).name, f"SONAME of {member}")
            else:
                case.equal(elf.soname, was.soname, f"SONAME of {member}")
        names = [name for name, data in self.before.items() if is_elf(data)] if unedited is True else unedited or ()
        for member in names:
            case.check(self.after[member] == self.before[member], f"{member} was edited, and needs no edit: {self.describe(member)}")
        for member, wanted in needed.items():
            case.equal(parse(self.after[member]).needed, wanted, f"NEEDED of {member}")
        for member, wanted in rpaths.items():
            found = parse(self.after[member]).run_path
            case.equal([entry.replace("${ORIGIN}", "$ORIGIN").rstrip("/") for entry in found], wanted, f"run path of {member}")

    def describe(self, member: str) -> str:
        data = self.after[member]
        return f"NEEDED {parse(data).needed}, {parse(data).run_paths}" if is_native(data, self.case.machine) else "not a native ELF file"

    def check_needed(self, member: str, new: list[str], old: list[str], kept: tuple[str, ...]) -> None:
        case = self.case
        case.equal(len(new), len(old), f"count of NEEDED entries of {member} ({old} became {new})")
        for one, two in zip(old, new):
            base = posixpath.basename(one)
            graft = any(base in names for names in self.names.values()) and one not in kept
            if graft:
                case.check(base in self.names.get(two, set()), f"{member}: NEEDED {one} became {two}, right is one of {sorted(self.names)}")
            elif "/" not in one:
                case.equal(two, one, f"{member}: NEEDED")

    def check_run_path(self, member: str, elf: object, was: object, kind: str, absolute: tuple[str, ...]) -> None:
        case = self.case
        case.check(len(elf.run_paths) <= 1, f"{member} has both kinds of run path")
        place = posixpath.dirname(installed(member))
        for entry in elf.run_path:
            if entry in absolute:
                continue
            plain = entry.replace("${ORIGIN}", "$ORIGIN")
            case.check(plain == "$ORIGIN" or plain.startswith("$ORIGIN/"), f"{member}: run path entry {entry!r}")
            case.check(not posixpath.normpath(posixpath.join("root", place, "." + plain[7:])).startswith(".")
                       and posixpath.normpath(posixpath.join("root", place, "." + plain[7:])).split("/")[0] == "root",
                       f"{member}: run path entry {entry!r} leaves the installation")
        case.check(len(elf.run_path) == len(set(elf.run_path)) or len(was.run_path) != len(set(was.run_path)), f"{member}: doubled run path {elf.run_path}")
        gained = {entry.replace("${ORIGIN}", "$ORIGIN") for entry in elf.run_path} - {entry.replace("${ORIGIN}", "$ORIGIN") for entry in was.run_path}
        if gained:
            case.equal(list(elf.run_paths), [kind], f"kind of run path of {member}")
        elif elf.run_paths and len(was.run_paths) == 1 and member not in self.sources and case.setting.full:
            case.equal(list(elf.run_paths), list(was.run_paths), f"kind of run path of {member}, which only lost entries")

    def check_again(self, with_build: bool) -> None:
        """A second repair changes no byte; the build is gone unless the options need it."""
        case = self.case
        if with_build:
            (case.root / "hidden").rename(case.build)
        second = case.root / "second"
        options = [word for word in case.options if word != "--no-clobber"]
        outcome = case.run("repair", "-w", str(second), *options, str(self.output), env=case.environment or (None if with_build else {}))
        if with_build:
            case.build.rename(case.root / "hidden")
        case.check(outcome.code == 0, f"the second repair ends with {outcome.code}: {outcome.stderr.strip()[-500:]}")
        found = sorted(second.iterdir())
        case.equal([path.name for path in found], [self.output.name], "the second repair's output")
        if case.setting.full and found[0].read_bytes() != self.output.read_bytes():
            new = members(found[0])
            differing = [name for name in sorted(set(new) | set(self.after)) if new.get(name) != self.after.get(name)]
            case.check(False, f"the second repair changes {differing or 'only the framing'}")
        case.equal(build.digest(self.output.read_bytes()), self.output_digest, "the first output after the second repair")

    def edited(self) -> list[str]:
        """Members that are ELF files and are not the bytes they were made of."""
        return [member for member, data in self.after.items()
                if is_native(data, self.case.machine) and data[16] in (2, 3) and data != self.original(member)]

    def strip_and_load(self, load: dict[str, int], programs: dict[str, str]) -> None:
        """Users strip wheels later: each strip tool on every edited file, then everything is used again."""
        case = self.case
        for command in STRIPS:
            if not build.has_program(command[0]):
                continue
            site = case.root / f"site-{'-'.join(command)}"
            shutil.copytree(case.site, site, symlinks=True)
            for member in self.edited():
                path = site / installed(member)
                if path.is_file():
                    done = subprocess.run([*command, str(path)], capture_output=True, text=True)
                    case.check(done.returncode == 0, f"{' '.join(command)} {member}: {done.stderr.strip()[-300:]}")
            try:
                case.load(load, site=site)
                for member, text in programs.items():
                    case.equal(run_clean([str(site / member)]), text, f"output of {member}")
            except Exception as error:
                raise type(error)(f"after {' '.join(command)}: {error}") from error
            shutil.rmtree(site)


def judge(case: Case, grafts: list[Path] = (), load: dict[str, int] = {}, programs: dict[str, str] = {}, strip: bool = False,
          tags: str | None = None, libs_folder: str | None = None, install: bool = True, again: bool = True, again_with_build: bool = False, moved: dict[str, str] = {},
          when: tuple[int, ...] = NORMAL_TIME, before_load: object = None, **elf: object) -> Judge:
    """Everything there is to say about a wheel that was repaired."""
    one = Judge(case, list(grafts), libs_folder)
    one.moved = dict(moved)
    if case.setting.collect:
        for place, wheel in (("before", case.input), ("after", one.output)):
            (case.setting.collect / case.name / place).mkdir(parents=True, exist_ok=True)
            shutil.copy2(wheel, case.setting.collect / case.name / place)
    one.check_archive(when)
    one.check_members()
    one.check_elf_files(strip="--strip" in case.options, **elf)
    if tags is not None:
        case.equal(one.output.name.removesuffix(".whl").rsplit("-", 1)[1], tags, "platform tags")
    case.hide_build()
    if install:
        case.install(one.output)
        if before_load:
            before_load()
        if load:
            case.load(load)
        for member, text in programs.items():
            path = case.site / installed(member)
            case.check(os.access(path, os.X_OK), f"{member} is not executable once installed")
            case.equal(run_clean([str(path)]), text, f"output of {member}")
        if strip and case.setting.full:
            one.strip_and_load(load, programs)
    if again:
        one.check_again(again_with_build)
    return one
