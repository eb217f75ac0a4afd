#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Malformed and odd ELF files: each is edited by the program and put into a wheel, and must meet its verdict.

    run.py --tool truewheel --sweep elf_sweep [--row E04]... [--no-memory-limit] [--keep FOLDER] [--list]

A refused file is exit 3, says so with its stable id, and is the same byte for byte afterwards, with nothing beside it.
An edited one is loaded or run where that worked before, and readelf has nothing new to complain about.
"""

import argparse
import errno
import importlib
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

from small_files import DEPENDENCY, EXPECTED, NATIVE, CannotBuild, built, dependency  # noqa: E402
from table import NOT_BUILT, Case, cases  # noqa: E402
from elf_bytes import PT, Elf  # noqa: E402
import in_wheel  # noqa: E402

for module in sorted(FOLDER.glob("rows_*.py")):
    importlib.import_module(module.stem)

LOADER = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
  void *library = dlopen(words[1], RTLD_NOW);
  if (count != 2 || !library) { fputs(dlerror(), stderr); return 1; }
  int (*run)(void) = (int (*)(void))dlsym(library, "run");
  return run ? run() : 2;
}
"""
LONG_PATH = "$ORIGIN:$ORIGIN/" + "l" * 200
SONAME = "lib" + "s" * 60 + ".so.1"
NEEDED = "libdep-" + "n" * 60 + ".so.1"
MEMORY = 512 << 20
# Of the sweep's operations: a long run path, a long SONAME, a longer needed name.
OPERATIONS = (1, 7, 9)
# A name that is not there is nothing to rename: where there are none, one is added instead.
OPERATIONS_OF_NO_NAMES = (1, 7, 15)
# What may be elsewhere or longer after an edit, by section type: strings, symbols, hashes, versions, .dynamic, notes.
MAY_CHANGE = {0, 3, 5, 6, 7, 8, 11, 0x6FFFFFF6, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF}


class Failed(Exception):
    pass


class Bench:
    def __init__(self, tool: str, sweep: str, work: Path, memory_limit: bool) -> None:
        self.tool, self.sweep, self.work = tool, sweep, work
        self.limits = ["prlimit", "--cpu=20", *([f"--as={MEMORY}"] if memory_limit else [])]
        self.loader = work / "loader"
        # The compiler of built() leaves libc out; this program wants it.
        self.loader.write_bytes(built(NATIVE, LOADER, "-fhosted", "-nodefaultlibs", "/usr/lib/x86_64-linux-gnu/crt1.o", "-lc"))
        self.loader.chmod(0o755)

    def run(self, *words: object, limited: bool = True, cwd: Path | None = None) -> subprocess.CompletedProcess:
        command = [*(self.limits if limited else []), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, cwd=cwd)

    def use(self, path: Path) -> str:
        """Loads the library or runs the program: "works", or what went wrong."""
        elf = Elf(path.read_bytes())
        path.chmod(0o755)
        command = [f"./{path.name}"] if elf.has_segment("INTERP") else [self.loader, f"./{path.name}"]
        for attempt in range(100):
            try:
                done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, errors="replace", timeout=10,
                                      env={"LD_BIND_NOW": "1"})
                break
            except (subprocess.TimeoutExpired, OSError) as reason:
                # A child of the other thread has this file open for writing until it becomes a program itself.
                if getattr(reason, "errno", None) != errno.ETXTBSY or attempt == 99:
                    return f"cannot run: {reason}"
                time.sleep(0.01)
        return "works" if done.returncode == EXPECTED else f"exit {done.returncode} {done.stderr.strip()[:300]}"

    def complaints(self, path: Path) -> set[str]:
        done = subprocess.run(["readelf", "-aW", path.name], cwd=path.parent, capture_output=True, text=True, errors="replace", timeout=60)
        lines = [line for line in (done.stderr + done.stdout).splitlines() if re.match(r"readelf: |\s*<corrupt|.*[Ww]arning: ", line)]
        return {re.sub(r"0x[0-9a-f]+|\d+|\[\s*N\]|'[^']*'", "N", line) for line in lines}


def is_native(elf: Elf) -> bool:
    return elf.bits == 64 and elf.order == "<" and elf.header["e_machine"] == 62


def edits_of(case: Case, number: int) -> list[tuple[str, list[str]]]:
    tail = str(number) * number
    edits = [("run path", ["--force-rpath", "--set-rpath", LONG_PATH + tail])]
    if case.soname_edit:
        edits.append(("SONAME", ["--set-soname", SONAME + tail]))
    if case.verdict in "XP":
        edits.append(("needed name", ["--add-needed", NEEDED]))
        return edits
    edits.append(("needed name", ["--replace-needed", case.needed if number == 0 else f"{number - 1}{NEEDED}", f"{number}{NEEDED}"]))
    return edits


def payload(elf: Elf) -> list[tuple[int, bytes]]:
    """Addresses and bytes of what an edit must leave alone, as far as the section headers can be believed."""
    result = []
    try:
        for section in elf.sections:
            offset, size, address = section["offset"], section["size"], section["addr"]
            if section["type"] in MAY_CHANGE or not section["flags"] & 2 or not size or offset + size > len(elf):
                continue
            if elf.has_segment("INTERP") and elf.segment("INTERP")["offset"] == offset:
                continue
            if elf.place(address) == offset:
                result.append((address, bytes(elf.data[offset:offset + size])))
    except Exception:
        return []
    return result


def behind(elf: Elf) -> tuple[int, bytes]:
    """Where the ELF file ends, and what comes behind that."""
    ends = [segment["offset"] + segment["filesz"] for segment in elf.segments]
    if 0 < elf.header["e_shoff"] < len(elf):
        count = elf.header["e_shnum"] or elf.sections_at(1)[0]["size"]
        ends += [elf.header["e_shoff"] + count * (64 if elf.bits == 64 else 40)]
        ends += [s["offset"] + s["size"] for s in elf.sections_at(count) if s["type"] != 8 and s["offset"] + s["size"] <= len(elf)]
    end = max(ends)
    return end, bytes(elf.data[end:])


def check_edited(bench: Bench, case: Case, before: bytes, path: Path, worked: bool, known: set[str]) -> None:
    after = path.read_bytes()
    if after == before:
        raise Failed("nothing was changed")
    old, new = Elf(before), Elf(after)
    for address, content in payload(old):
        place = new.place(address)
        if after[place:place + len(content)] != content:
            raise Failed(f"the payload at {address:#x} changed")
    end, rest = behind(old)
    if len(rest) > 64 and after[end:end + len(rest)] != rest:
        raise Failed("what is behind the file is not where it was")
    # Where readelf takes junk for section headers it reads other junk from the edited file.
    new_complaints = set() if known else bench.complaints(path)
    if new_complaints:
        raise Failed(f"readelf: {sorted(new_complaints)}")
    if worked and (outcome := bench.use(path)) != "works":
        raise Failed(f"worked before and now: {outcome}")
    if case.keeps:
        text = bench.run("readelf", "-dW", path, limited=False).stdout
        for word in case.keeps:
            if word not in text:
                raise Failed(f"{word} is not there any more")


def judge_editable(bench: Bench, case: Case, folder: Path) -> None:
    path = folder / "case"
    path.write_bytes(case.data)
    for name, data in {DEPENDENCY: dependency(), **case.companions}.items():
        (folder / name).write_bytes(data)
    for number in range(case.edits):
        (folder / f"{number}{NEEDED}").write_bytes(case.companions.get(case.needed, dependency()))
    beside = {entry.name for entry in folder.iterdir()}
    elf = Elf(case.data)
    worked = is_native(elf) and bench.use(path) == "works"
    if case.use and not worked:
        raise Failed(f"does not work before any edit: {bench.use(path)}")
    known = bench.complaints(path)
    current = case.data
    for number in range(case.edits):
        for name, words in edits_of(case, number):
            if case.edits == 1:
                path.write_bytes(case.data)
                current = case.data
            done = bench.run(bench.tool, "patchelf", *words, path)
            # A name that is not there is no edit.
            if done.returncode == 0 and words[0] == "--replace-needed" and path.read_bytes() == current:
                if worked and case.use:
                    raise Failed("the needed name did not change")
                continue
            if done.returncode != 0 or without_warnings(done.stderr):
                raise Failed(f"{name}: exit {done.returncode}, {done.stderr.strip()}")
            try:
                check_edited(bench, case, current, path, worked, known)
            except Failed as reason:
                raise Failed(f"{name}, round {number}: {reason}") from None
            current = path.read_bytes()
    if {entry.name for entry in folder.iterdir()} != beside:
        raise Failed("litter beside the file")


def without_warnings(text: str) -> str:
    """Section headers that no loader reads are no reason to refuse a file, but one to warn of."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("truewheel: warning: "))


def judge_refused(bench: Bench, case: Case, folder: Path, ids: list[str]) -> None:
    path = folder / "case"
    path.write_bytes(case.data)
    status = path.stat()
    for name, words in edits_of(case, 0):
        done = bench.run(bench.tool, "patchelf", *words, path)
        if done.returncode != 3:
            raise Failed(f"{name}: exit {done.returncode} instead of 3, {done.stderr.strip()[:300]}")
        if not re.match(r"truewheel: error: .*case: .*\n(hint: .*\n)?\Z", without_warnings(done.stderr)) or done.stdout:
            raise Failed(f"{name}: says {done.stderr!r} {done.stdout!r}")
    if path.read_bytes() != case.data or path.stat().st_mtime_ns != status.st_mtime_ns or path.stat().st_ino != status.st_ino:
        raise Failed("the refused file was touched")
    if [entry.name for entry in folder.iterdir()] != ["case"]:
        raise Failed("litter beside the file")
    for operation, id in zip(OPERATIONS, ids, strict=True):
        if not re.fullmatch(case.id, id):
            raise Failed(f"operation {operation} is {id!r} instead of {case.id!r}")


def refusal_ids(bench: Bench, paths: list[Path], operations: tuple[int, ...]) -> list[list[str]]:
    """The stable ids, which the command does not print: one line of them for each file."""
    done = subprocess.run([*bench.limits, bench.sweep, "refusals", ",".join(map(str, operations))], input="\n".join(map(str, paths)) + "\n",
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"{bench.sweep} ended with {done.returncode}: {done.stdout[-500:]} {done.stderr}")
    return [line.split(" ") for line in done.stdout.splitlines()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--sweep", required=True)
    parser.add_argument("--row", action="append")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-memory-limit", action="store_true", help="for sanitizers, which reserve addresses")
    options = parser.parse_args()
    try:
        table = [(row, case) for row, case in cases() if not options.row or row in options.row]
    except CannotBuild as reason:
        print(f"SKIPPED: {reason}")
        return 77
    counts = Counter(row for row, _ in table)
    if options.list:
        for row, case in table:
            print(row, case.verdict, case.id, case.name)
        print(f"{len(table)} cases")
        return 0
    failures = 0
    with tempfile.TemporaryDirectory(prefix="elf-cases-") as name:
        work = options.keep.resolve() if options.keep else Path(name)
        bench = Bench(str(Path(options.tool).resolve()), str(Path(options.sweep).resolve()), work, not options.no_memory_limit)
        paths = []
        for number, (_, case) in enumerate(table):
            folder = work / f"{number:04}"
            (folder / "use").mkdir(parents=True)
            paths.append(folder / "input")
            paths[-1].write_bytes(case.data)
        ids = refusal_ids(bench, paths, OPERATIONS)
        without_names = refusal_ids(bench, paths, OPERATIONS_OF_NO_NAMES)
        ids = [without_names[n] if case.verdict in "XP" else ids[n] for n, (_, case) in enumerate(table)]

        def judge(number: int) -> str:
            case, folder = table[number][1], work / f"{number:04}" / "use"
            try:
                # "E|R": either is right, and is judged as what it is.
                if "E" in case.verdict and all(id == "-" for id in ids[number]):
                    judge_editable(bench, case, folder)
                elif case.verdict == "E":
                    raise Failed(f"refused: {ids[number]}")
                else:
                    judge_refused(bench, case, folder, ids[number])
            except (Failed, subprocess.TimeoutExpired) as reason:
                return str(reason)
            except Exception as reason:  # the case's own fault, told like one
                return f"the case broke: {type(reason).__name__} {reason}"
            return ""

        with ThreadPoolExecutor(2) as pool:
            for number, failure in enumerate(pool.map(judge, range(len(table)))):
                row, case = table[number]
                if failure:
                    failures += 1
                    print(f"FAILED {number:04} {row} {case.verdict}, {case.name}: {failure}", flush=True)
        failures += in_wheel.judge(bench, table, work)
    rows = {row: counts[row] for row in sorted(counts)}
    print(f"not built here: {NOT_BUILT}" if NOT_BUILT else "all could be built")
    print(" ".join(f"{row}:{count}" for row, count in rows.items()))
    print(f"{len(table)} files, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
