# SPDX-License-Identifier: Apache-2.0
"""One case: a folder with a build, a wheel made of it, a repair, and questions about the outcome."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import build

FUNCTIONS: dict[str, "Entry"] = {}


class Failed(Exception):
    """What truewheel did is not what is right."""


class Skipped(Exception):
    """This machine or this tool cannot answer the case."""


@dataclass(frozen=True)
class Entry:
    name: str
    group: str
    classes: str
    ours: bool
    function: Callable[["Case"], None]


def case(classes: str = "", ours: bool = False) -> Callable[[Callable[["Case"], None]], Callable[["Case"], None]]:
    """Registers a case. `classes`: the bug classes it belongs to; `ours`: needs what only truewheel has."""

    def register(function: Callable[["Case"], None]) -> Callable[["Case"], None]:
        name = function.__name__.replace("_", "-")
        assert name not in FUNCTIONS, name
        group = function.__module__.removeprefix("cases_")
        FUNCTIONS[name] = Entry(name, group, classes, ours, function)
        return function

    return register


def case_family(name: str, group: str, classes: str, function: Callable[["Case"], None], ours: bool = False) -> None:
    """Registers one of many cases that differ by a parameter."""
    assert name not in FUNCTIONS, name
    FUNCTIONS[name] = Entry(name, group.removeprefix("cases_"), classes, ours, function)


@dataclass
class Setting:
    """What all cases share."""

    tool: list[str]
    work: Path
    full: bool  # False: ask only for loading and grafts, for comparing other tools
    is_truewheel: bool
    collect: Path | None = None  # a folder that gets the wheels before and after, one folder a case


@dataclass
class Outcome:
    code: int
    stdout: str
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout + self.stderr


class Case:
    def __init__(self, setting: Setting, name: str) -> None:
        self.setting = setting
        self.name = name
        self.root = setting.work / "cases" / name
        shutil.rmtree(self.root, ignore_errors=True)
        self.build = self.root / "build"
        self.tree = self.root / "tree"
        self.dist = self.root / "dist"
        self.out = self.root / "out"
        self.site = self.root / "site"
        for folder in (self.build, self.tree):
            folder.mkdir(parents=True)
        self.compiler = build.Compiler(setting.work / "cache")
        self.modes: dict[str, int | None] = {}
        self.record_omits: set[str] = set()
        self.options: list[str] = []
        self.environment: dict[str, str] = {}
        self.input: Path | None = None
        self.outcome = Outcome(-1, "", "")
        self.watched: dict[Path, str] = {}
        self.hidden = False
        self.machine = 62  # e_machine of the files that are judged

    # -- questions

    def check(self, truth: object, message: str) -> None:
        if not truth:
            raise Failed(message)

    def equal(self, found: object, wanted: object, what: str) -> None:
        if found != wanted:
            raise Failed(f"{what}: found {found!r}, right is {wanted!r}")

    def need(self, *programs: str) -> None:
        for program in programs:
            if not build.has_program(program):
                raise Skipped(f"no {program}")

    # -- building

    def _link(self, output: Path, source: str, libs: tuple[Path, ...], rpath: tuple[str, ...], flags: tuple[str, ...],
              by_path: bool, compiler: str) -> Path:
        words = list(flags)
        if rpath:
            words.append("-Wl,-rpath," + ":".join(rpath))
        words.append("-Wl,--no-as-needed")
        for library in libs:
            words += [str(library)] if by_path else [f"-L{library.parent}", f"-l:{library.name}"]
        self.compiler.link(output, source, words, list(libs), compiler)
        return output

    def _shared(self, output: Path, source: str, libs: tuple[Path, ...] = (), soname: str | None = "", rpath: tuple[str, ...] = (),
                flags: tuple[str, ...] = (), versions: str = "", by_path: bool = False, compiler: str = "gcc") -> Path:
        words = ["-shared", "-fPIC", "-Wl,--allow-shlib-undefined", *flags]
        if soname is not None:
            words.append(f"-Wl,-soname,{soname or output.name}")
        if versions:
            script = self.root / f"{build.digest(versions.encode())[:12]}.map"
            script.write_text(versions)
            words.append(f"-Wl,--version-script={script}")
        return self._link(output, source, libs, rpath, tuple(words), by_path, compiler)

    def lib(self, path: str, source: str, **how: object) -> Path:
        """A library of the build, outside of the wheel. `libs`, `soname` (None: none), `rpath`, `flags`, `versions`."""
        return self._shared(self.build / path, source, **how)

    def member_lib(self, path: str, source: str, **how: object) -> Path:
        """A library inside of the wheel."""
        return self._shared(self.tree / path, source, **how)

    def ext(self, path: str, value: str = "1", prelude: str = "", libs: tuple[Path, ...] = (), suffix: str = ".cpython-311-x86_64-linux-gnu.so",
            functions: dict[str, str] | None = None, package: bool = True, **how: object) -> str:
        """An extension module whose function value() computes `value`; returns its member name."""
        output = self.tree / (path + suffix)
        name = path.rsplit("/", 1)[-1]
        source = build.module_source(name, {"value": value, **(functions or {})}, prelude)
        how.setdefault("soname", None)
        self._shared(output, source, libs, **how)
        self.modes[path + suffix] = 0o100755
        folders = Path(path).parts[:-1]
        start = 3 if folders and folders[0].endswith(".data") else 1
        for depth in range(start, len(folders) + 1 if package else 0):
            if not (self.tree / "/".join(folders[:depth]) / "__init__.py").exists():
                self.file("/".join([*folders[:depth], "__init__.py"]), b"")
        return path + suffix

    def program(self, path: str, value: str = "1", prelude: str = "", libs: tuple[Path, ...] = (), rpath: tuple[str, ...] = (),
                flags: tuple[str, ...] = ("-pie", "-fPIE"), compiler: str = "gcc", by_path: bool = False) -> str:
        """A program that prints `value`."""
        words = ("-Wl,--unresolved-symbols=ignore-in-shared-libs", *flags)
        self._link(self.tree / path, build.program_source(value, prelude), libs, rpath, words, by_path, compiler)
        self.modes[path] = 0o100755
        return path

    def file(self, path: str, data: bytes | str, mode: int | None = 0o100644) -> str:
        target = self.tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data.encode() if isinstance(data, str) else data)
        self.modes[path] = mode
        return path

    def copy(self, source: Path, path: str) -> str:
        return self.file(path, source.read_bytes(), 0o100755)

    def wheel(self, name: str = "zoo-1.0-cp311-cp311-linux_x86_64", purelib: bool = False, tags: list[str] | None = None,
              dist_info: str | None = None, wheel_text: str | None = None, extra: tuple[build.Entry, ...] = (),
              arrange: Callable[[list[build.Entry]], list[build.Entry]] | None = None, folder: str = "dist") -> Path:
        """Packs the tree. `arrange` may reorder or change the members after RECORD was made."""
        parts = name.split("-")
        base = dist_info or f"{parts[0]}-{parts[1]}.dist-info"
        if tags is None:
            tags = [f"{py}-{abi}-{plat}" for py in parts[-3].split(".") for abi in parts[-2].split(".") for plat in parts[-1].split(".")]
        number = f"Build: {parts[2]}\n" if len(parts) == 6 else ""
        text = wheel_text if wheel_text is not None else (
            f"Wheel-Version: 1.0\nGenerator: zoo\nRoot-Is-Purelib: {str(purelib).lower()}\n{number}" + "".join(f"Tag: {tag}\n" for tag in tags))
        entries = [build.Entry(path.relative_to(self.tree).as_posix(), path.read_bytes(), self.modes.get(path.relative_to(self.tree).as_posix(), 0o100644))
                   for path in sorted(self.tree.rglob("*")) if path.is_file()]
        entries += [build.Entry(f"{base}/METADATA", f"Metadata-Version: 2.1\nName: {parts[0]}\nVersion: {parts[1]}\n".encode()),
                    build.Entry(f"{base}/WHEEL", text.encode()), *extra]
        rows = [build.record_row(entry.name, entry.data) for entry in entries if not entry.name.endswith("/") and entry.name not in self.record_omits]
        entries.append(build.Entry(f"{base}/RECORD", build.record_text([*rows, [f"{base}/RECORD", "", ""]])))
        target = self.root / folder / f"{name}.whl"
        build.write_zip(target, arrange(entries) if arrange else entries)
        self.input = target
        return target

    # -- the tool

    def search_environment(self) -> dict[str, str]:
        folders = sorted({str(path.parent) for path in self.build.rglob("*") if path.is_file() or path.is_symlink()})
        return {"AUDITWHEEL_LD_LIBRARY_PATH": ":".join(folders)} if folders else {}

    def run(self, *words: str, env: dict[str, str] | None = None, cwd: Path | None = None, **how: object) -> Outcome:
        """Runs the tool. Without `env` it finds the build's libraries by AUDITWHEEL_LD_LIBRARY_PATH."""
        surroundings = {"PATH": os.environ["PATH"], "HOME": str(self.root), "LC_ALL": "C.UTF-8",
                        **(self.search_environment() if env is None else env)}
        done = subprocess.run([*self.setting.tool, *words], capture_output=True, text=True, errors="replace", timeout=120,
                              env=surroundings, cwd=cwd or self.root, stdin=subprocess.DEVNULL, **how)
        self.outcome = Outcome(done.returncode, done.stdout, done.stderr)
        if done.returncode < 0:
            raise Failed(f"killed by {signal.Signals(-done.returncode).name}: {' '.join(words)}\n{done.stderr[-600:]}")
        return self.outcome

    def watch(self) -> None:
        """Notes the inputs' digests; the judge asks whether they are still so."""
        places = [self.build, *([self.input] if self.input else [])]
        files = [path for place in places for path in ([place] if place.is_file() else sorted(place.rglob("*"))) if path.is_file()]
        self.watched = {path: build.digest(path.read_bytes()) for path in files}

    def repair(self, *options: str, exit: int | set[int] = 0, env: dict[str, str] | None = None, cwd: Path | None = None) -> Outcome:
        """Repairs the wheel into `out`."""
        self.options = list(options)
        self.environment = {} if env is None else env
        if self.input is None:
            self.wheel()
        if not self.watched:
            self.watch()
        outcome = self.run("repair", "-w", str(self.out), *options, str(self.input), env=env, cwd=cwd)
        codes = {exit} if isinstance(exit, int) else exit
        if outcome.code not in codes:
            raise Failed(f"repair {' '.join(options)}: exit {outcome.code}, right is {sorted(codes)}: {outcome.stderr.strip()[-700:]}")
        for path, wanted in self.watched.items():
            if not path.is_file() or build.digest(path.read_bytes()) != wanted:
                raise Failed(f"the input {path.relative_to(self.root)} was changed")
        if outcome.code != 0:
            left = sorted(self.out.iterdir()) if self.out.is_dir() else []
            self.check(not left, f"exit {outcome.code} but {[path.name for path in left]} is in the output folder")
            self.check(outcome.stderr.strip(), f"exit {outcome.code} without a message")
        return outcome

    def refused(self, *options: str, exit: int | set[int], names: tuple[str, ...] = (), env: dict[str, str] | None = None, out: str = "out") -> None:
        """The repair fails with this exit code, writes nothing, and its message holds `names`."""
        if not self.setting.is_truewheel:
            exit = {1, 2}
        self.out = self.root / out
        outcome = self.repair(*options, exit=exit, env=env)
        for name in names:
            self.check(name in outcome.text, f"the message does not say {name!r}: {outcome.text.strip()[-700:]}")

    def output(self) -> Path:
        found = sorted(self.out.iterdir()) if self.out.is_dir() else []
        if len(found) != 1:
            raise Failed(f"{len(found)} files in the output folder: {[path.name for path in found]}")
        return found[0]

    def hide_build(self) -> None:
        """From here on nothing of the build is where it was."""
        if not self.hidden and self.build.exists():
            self.build.rename(self.root / "hidden")
        self.hidden = True

    # -- installing and using

    def install(self, wheel: Path | None = None, site: Path | None = None) -> Path:
        target = site or self.site
        pip_install(["--target", str(target), str(wheel or self.output())], self.root)
        return target

    def python(self, code: str, site: Path | None = None, env: dict[str, str] | None = None) -> str:
        target = site or self.site
        return run_clean([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(target)!r})\n{code}"], env or {})

    def load(self, values: dict[str, int], site: Path | None = None, env: dict[str, str] | None = None) -> None:
        """Asks each "package.module" or "package.module:function" for its value, all in one process."""
        code = "import importlib\n"
        for name in values:
            module, _, function = name.partition(":")
            code += f"print(importlib.import_module({module!r}).{function or 'value'}())\n"
        found = [int(word) for word in self.python(code, site, env).split()]
        self.equal(dict(zip(values, found)), values, "computed values")


def run_clean(command: list[str], env: dict[str, str] | None = None, code: int = 0, input: str | None = None) -> str:
    """Runs a program as on a user's machine, binding every symbol at once; what it says on stderr is a failure."""
    surroundings = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LD_BIND_NOW": "1", "LC_ALL": "C.UTF-8", **(env or {})}
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=surroundings, cwd="/", timeout=60, input=input)
    if done.returncode != code or done.stderr:
        raise Failed(f"{Path(command[0]).name} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-600:]}")
    return done.stdout


def pip_install(words: list[str], folder: Path) -> None:
    """pip in a child of this process: importing pip once saves most of the time."""
    log = folder / "pip.log"
    child = os.fork()
    if child == 0:
        code = 70
        try:
            descriptor = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            from pip._internal.cli.main import main

            code = main(["install", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", "--no-cache-dir",
                         "--no-warn-script-location", "-q", *words])
        finally:
            sys.stdout.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    text = log.read_text(errors="replace")
    log.unlink()
    if status:
        raise Failed(f"pip refuses the wheel: {text.strip()[-500:]}")
