# SPDX-License-Identifier: Apache-2.0
"""The situations in which the fault tests make truewheel fail: what lies in the folder before a run,
the command, and what may lie there afterwards."""

import dataclasses
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
import pack_wheel  # noqa: E402

WHEEL = "demo-1.0-py3-none-linux_x86_64.whl"


@dataclasses.dataclass
class Scenario:
    """`name`: for messages. `command`: arguments after the program, run in the scenario's folder.
    `target`: the file the command makes or changes, relative to that folder. `complete`: its bytes after
    an undisturbed run. `old`: its bytes before, None where the file is new."""

    name: str
    template: Path
    command: list[str]
    target: str = ""
    complete: bytes = b""
    old: bytes | None = None

    def fresh(self, at: Path) -> Path:
        """A copy of the folder as it is before the run; files keep their times, so that a change shows."""
        if at.exists():
            shutil.rmtree(at)
        shutil.copytree(self.template, at, symlinks=True)
        return at


def state(folder: Path, leave_out: str = "") -> dict[str, tuple]:
    """What lies below `folder`: path -> (mode, size, time of change of content, digest)."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name == leave_out:
            continue
        status = path.lstat()
        if path.is_file() and not path.is_symlink():
            found[name] = (status.st_mode, status.st_size, status.st_mtime_ns,
                           hashlib.sha256(path.read_bytes()).hexdigest())
        else:
            found[name] = (status.st_mode,)
    return found


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("AUDITWHEEL") and name not in ("LD_LIBRARY_PATH", "SOURCE_DATE_EPOCH")}
    return kept | {"LC_ALL": "C"}


def compile_library(output: Path, source: str, *flags: str) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", str(output), *flags],
                   input=source.encode(), check=True)


DATA = bytes(range(256)) * 800  # deflates to little


def example(folder: Path, data: bytes = DATA) -> None:
    """in/WHEEL with demo/_x.so, which needs libfoo.so.1 of lib/, and a data file."""
    foo = folder / "lib" / "libfoo.so.1"
    tree = folder / "tree"
    compile_library(foo, "int foo(void) { return 42; }", "-Wl,-soname,libfoo.so.1")
    compile_library(tree / "demo" / "_x.so", "int foo(void); int x(void) { return foo(); }", str(foo))
    (tree / "demo" / "__init__.py").write_text("")
    (tree / "demo" / "data.bin").write_bytes(data)
    (folder / "in").mkdir()
    pack_wheel.main(tree, folder / "in" / WHEEL)
    shutil.rmtree(tree)


def scenarios(truewheel: str, work: Path, data: bytes = DATA) -> list[Scenario]:
    """Four scenarios on example(), each with the bytes that an undisturbed run gives."""
    def undisturbed(folder: Path, command: list[str]) -> None:
        subprocess.run([truewheel, *command], cwd=folder, check=True, env=environment(),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    repair = ["repair", "--search", "lib", "-w", "out", "-j", "1", f"in/{WHEEL}"]
    made = []

    template = work / "template-graft"
    example(template, data)
    made.append(Scenario("a new wheel with a graft", template, repair))

    template = work / "template-replace"
    example(template, data)
    result = work / "result"
    shutil.copytree(template, result)
    undisturbed(result, repair)
    output = next((result / "out").glob("*.whl"))
    (template / "out").mkdir()
    (template / "out" / output.name).write_bytes(b"an older wheel of the same name")
    made.append(Scenario("an output that exists is replaced", template, repair))

    template = work / "template-repaired"
    (template / "in").mkdir(parents=True)
    shutil.copy2(output, template / "in")
    made.append(Scenario("a wheel that needs nothing", template, ["repair", "-w", "out", "-j", "1", f"in/{output.name}"]))

    template = work / "template-patchelf"
    compile_library(template / "libedit.so", "int edited(void) { return 7; }", "-Wl,-soname,libedit.so.1")
    made.append(Scenario("a library edited in place", template,
                         ["patchelf", "--set-rpath", "$ORIGIN/" + "x" * 300, "libedit.so"]))

    for scenario in made:
        folder = scenario.fresh(work / "undisturbed")
        undisturbed(folder, scenario.command)
        if "patchelf" in scenario.command:
            scenario.target = "libedit.so"
            scenario.old = (scenario.template / "libedit.so").read_bytes()
        else:
            scenario.target = "out/" + next((folder / "out").glob("*.whl")).name
            before = scenario.template / scenario.target
            scenario.old = before.read_bytes() if before.exists() else None
        scenario.complete = (folder / scenario.target).read_bytes()
    return made


def judge(scenario: Scenario, folder: Path, before: dict[str, tuple], killed: bool) -> str:
    """What is wrong after a disturbed run; an empty text if all is well."""
    target = folder / scenario.target
    bytes_now = target.read_bytes() if target.exists() else None
    if bytes_now not in (scenario.old, scenario.complete):
        return f"{scenario.target} is neither as before nor complete"
    after = state(folder, scenario.target)
    for name, was in before.items():
        if name != scenario.target and after.get(name) != was:
            return f"{name} changed"
    litter = [name for name in after if name not in before and (folder / name).is_file()]
    allowed = 1 if killed and scenario.old is not None else 0
    if len(litter) > allowed or any(not Path(name).name.startswith(".") for name in litter):
        return f"left behind: {', '.join(litter)}"
    folders = [name for name in after if name not in before and (folder / name).is_dir()]
    if not killed and bytes_now is None and folders:
        return f"left behind: folder {', '.join(folders)}"
    return ""
