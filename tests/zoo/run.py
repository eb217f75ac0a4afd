#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds small wheels, has a tool repair them, and judges them by use.

    run.py --tool COMMAND [--work FOLDER] [--group NAME]... [--case NAME]... [-j N] [--list] [--keep]
           [--judge full|load] [--prepare] [--classes] [--readers] [--sample N]

Prints a line for each case and last 'N passed, N failed, N skipped'; exit 1 if any failed. `--judge load` asks
only for what holds of every good tool's output, to compare others. `--classes` lists the known bug classes of wheel
repair with the cases of each, and fails where one has none. `--sample N` takes every N-th case only. `--readers` has
other programs read the results, too: pip, uv, zipfile, wheel unpack, check-wheel-contents. The work folder holds a
virtual environment and what the compilers made, for the next run.
"""

import argparse
import importlib
import multiprocessing
import os
import platform
import shlex
import shutil
import subprocess
import sys
import traceback
import venv
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
GROUPS = sorted(path.stem.removeprefix("cases_") for path in FOLDER.glob("cases_*.py"))


def in_venv(work: Path) -> Path:
    """The environment that installs: made once, under its final name only when complete."""
    target = work / "venv"
    if not (target / "bin/python").exists():
        work.mkdir(parents=True, exist_ok=True)
        venv.create(target, with_pip=True, symlinks=True)
    return target / "bin/python"


def run_case(job: tuple) -> tuple[str, str, str]:
    from case import Case, FUNCTIONS, Failed, Skipped

    setting, name, keep = job
    entry = FUNCTIONS[name]
    if entry.ours and not setting.is_truewheel:
        return name, "skip", "only truewheel has this"
    one = Case(setting, name)
    try:
        entry.function(one)
        result = "pass", ""
    except Skipped as reason:
        result = "skip", str(reason)
    except Failed as reason:
        result = "FAIL", str(reason)
    except subprocess.TimeoutExpired as reason:
        result = "FAIL", f"hangs: {reason}"
    except Exception:
        result = "FAIL", "the case broke: " + "".join(traceback.format_exc())[-900:]
    if result[0] != "FAIL" and not keep:
        shutil.rmtree(one.root, ignore_errors=True)
    return name, *result


# What a class is about; those of group A are judged by the property tests of the editor, too.
CLASSES = {"A": 45, "B": 29, "C": 17, "D": 20, "E": 10}
# Nothing that a repair could do decides this: a program that was given capabilities, whose loader ignores $ORIGIN.
UNDECIDED = {"A45"}


def readers_complaints(collected: Path) -> list[str]:
    """What other programs say against the repaired wheels that they do not say against the unrepaired ones."""
    sys.path.insert(0, str(FOLDER.parent / "comparison"))
    sys.path.insert(0, str(FOLDER.parent / "support"))
    import accept
    from published import CACHE

    folders = sorted(folder for folder in collected.iterdir() if (folder / "after").is_dir())
    results = [accept.Result(before, after) for folder in folders for before, after in
               [(next((folder / "before").iterdir()), next((folder / "after").iterdir()))]]
    found = accept.check(results, CACHE / "comparison", collected / ".work")
    del found["dlopen"]  # which the cases have done themselves, with what is to be there
    for check, wheels in found.items():
        print(f"{check}: {len(wheels)} wheels")
    bad = {(check, wheel): problem for check, wheels in found.items() for wheel, problem in wheels.items() if problem}
    # What a program says of the unrepaired wheel, too, is not the repair's fault.
    inputs = [accept.Result(result.before, result.before) for result in results if any(wheel == result.after for _, wheel in bad)]
    before = accept.check(inputs, CACHE / "comparison", collected / ".work") if inputs else {}
    problems = []
    for (check, wheel), problem in bad.items():
        unrepaired = next((wheel.parent.parent / "before").iterdir())
        if not before[check].get(unrepaired):
            problems.append(f"{check} of {wheel.parent.parent.name}: {problem}")
    return problems


def list_classes(cases: dict[str, list[str]]) -> int:
    gaps = 0
    for group, count in CLASSES.items():
        for number in range(1, count + 1):
            name = f"{group}{number}"
            of_class = [case for case, classes in cases.items() if name in classes]
            is_gap = not of_class and group != "A" and name not in UNDECIDED
            gaps += is_gap
            print(f"{name:4} {len(of_class):3} " + (", ".join(of_class[:4]) or ("NO CASE" if is_gap else "-")))
    print(f"{sum(CLASSES.values())} classes, {gaps} without a case")
    return 1 if gaps else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="truewheel")
    parser.add_argument("--work", type=Path, default=Path("/tmp/truewheel-zoo"))
    parser.add_argument("--group", action="append", choices=GROUPS)
    parser.add_argument("--case", action="append")
    parser.add_argument("--judge", choices=("full", "load"), default=None)
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--classes", action="store_true")
    parser.add_argument("--readers", action="store_true")
    parser.add_argument("--sample", type=int, default=1)
    options = parser.parse_args()

    if sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64":
        print("the wheels of these cases are for CPython 3.11 on x86-64")
        return 77
    work = options.work.resolve()
    python = in_venv(work)
    if options.prepare:
        return 0
    if Path(sys.prefix).resolve() != (work / "venv").resolve():
        os.execv(python, [str(python), *sys.argv])

    sys.path.insert(0, str(FOLDER))
    for group in GROUPS:
        importlib.import_module(f"cases_{group}")
    from case import FUNCTIONS, Setting
    import pip._internal.cli.main  # noqa: F401  shared by all forked children
    import pip._internal.commands.install  # noqa: F401

    names = [name for name, entry in FUNCTIONS.items() if not options.group or entry.group in options.group]
    if options.case:
        unknown = [name for name in options.case if name not in FUNCTIONS]
        if unknown:
            parser.error(f"no such case: {', '.join(unknown)}")
        names = options.case
    names = names[::options.sample]
    if options.classes:
        return list_classes({name: entry.classes.split() for name, entry in FUNCTIONS.items()})
    if options.list:
        for name in names:
            print(f"{name:60} {FUNCTIONS[name].group:12} {FUNCTIONS[name].classes}")
        print(f"{len(names)} cases")
        return 0

    tool = shlex.split(options.tool)
    program = shutil.which(tool[0])
    if program is None:
        parser.error(f"no such tool: {tool[0]}")
    is_truewheel = "auditwheel" not in Path(tool[0]).name
    setting = Setting([str(Path(program).absolute()), *tool[1:]], work, (options.judge or ("full" if is_truewheel else "load")) == "full",
                      is_truewheel, work / "collected" if options.readers else None)
    if setting.collect:
        sys.path.insert(0, str(FOLDER.parent / "support"))
        import published
        import wheel_readers

        shutil.rmtree(setting.collect, ignore_errors=True)
        setting.collect.mkdir(parents=True)
        try:
            wheel_readers.programs()
        except published.Unreachable as reason:
            print(reason)
            return 77
    # From here on what the caller's environment says of libraries must not reach gcc, the tool or the programs.
    for name in list(os.environ):
        if name.startswith(("LD_", "AUDITWHEEL_", "TRUEWHEEL_", "PYTHON", "PIP_")) or name in ("SOURCE_DATE_EPOCH", "TMPDIR"):
            del os.environ[name]
    os.umask(0o022)
    counts = {"pass": 0, "FAIL": 0, "skip": 0}
    with multiprocessing.get_context("fork").Pool(options.j, maxtasksperchild=None) as pool:
        for name, verdict, reason in pool.imap_unordered(run_case, [(setting, name, options.keep) for name in names]):
            counts[verdict] += 1
            print(f"{verdict} {name}" + (f": {reason}" if reason else ""), flush=True)
    print(f"{counts['pass']} passed, {counts['FAIL']} failed, {counts['skip']} skipped")
    complaints = readers_complaints(setting.collect) if setting.collect else []
    for complaint in complaints:
        print(f"FAIL {complaint}")
    return 1 if counts["FAIL"] or not counts["pass"] or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
