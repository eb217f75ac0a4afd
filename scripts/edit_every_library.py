#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Edits every ELF file below some folders with truewheel's editor and with patchelf, and compares what comes out.

    scripts/edit_every_library.py TRUEWHEEL PATH... [--patchelf PROGRAM] [--count N [--rest]]

Each shared object and dynamic program gets a run path of 200 characters. Judged: does the loader still take it as it took
the unedited file (dlopen with RTLD_NOW in a process of its own, or `ld.so --list` for a program, with the same output),
does eu-elflint complain of something new, and does it still load after `strip` and after `llvm-strip` wherever the
unedited file does. All folders that the unedited file loads from are on the library path, so that no run path decides.
Prints a table in Markdown, and each file where truewheel is worse; Ctrl-C ends with the files so far. Exit code 1 if
there is one.
"""
import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LINKER = "/lib64/ld-linux-x86-64.so.2"
RUN_PATH = "$ORIGIN/../" + "/".join(["libraries-of-a-package"] * 9)[:189]
LOADER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words) {
  puts(count == 2 && dlopen(words[1], RTLD_NOW) ? "loaded" : dlerror());
  fflush(stdout);
  _exit(0);
}
"""


def call(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", **options)


def is_candidate(path):
    """An ELF file of this machine with a dynamic section and an e_type of ET_EXEC or ET_DYN."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as stream:
        header = stream.read(64)
        if len(header) < 64 or header[:6] != b"\x7fELF\x02\x01" or header[16] not in (2, 3) or header[18] != 62:
            return False
        stream.seek(int.from_bytes(header[32:40], "little"))
        table = stream.read(56 * int.from_bytes(header[56:58], "little"))
    kinds = {int.from_bytes(table[i:i + 4], "little"): int.from_bytes(table[i + 32:i + 40], "little")
             for i in range(0, len(table), 56)}
    return kinds.get(2, 0) != 0


def is_program(path):
    with path.open("rb") as stream:
        head = stream.read(4096)
    return b"/ld-linux-x86-64.so.2\0" in head and not re.search(r"\.so(\.|$)", path.name)


class Loader:
    """Asks the dynamic linker to take a file, with a time limit."""

    def __init__(self, folder):
        (folder / "loader.c").write_text(LOADER)
        self.program = folder / "loader"
        subprocess.run(["cc", "-o", str(self.program), str(folder / "loader.c"), "-ldl"], check=True)
        self.folders, self.is_program = "", False

    def look_where(self, path):
        """Puts the folders of all that a file loads on the library path, so that no run path decides."""
        text = call([LINKER, "--list", path]).stdout
        found = dict.fromkeys(os.path.dirname(name) for name in re.findall(r"=> (/\S+)", text))
        self.folders = ":".join([str(path.parent), *found])
        self.is_program = is_program(path)

    def __call__(self, path):
        # Of a program: what it loads, and that all symbols and versions are found, without running it.
        words = [LINKER, "--list", path] if self.is_program else [self.program, path]
        environment = dict(os.environ, LD_LIBRARY_PATH=self.folders, LD_BIND_NOW="1", LD_WARN="1")
        try:
            done = call(words, env=environment, timeout=60)
        except subprocess.TimeoutExpired:
            return "timeout"
        text = re.sub(r"\(0x[0-9a-f]+\)|==\d+==", "", done.stdout + done.stderr)  # addresses, process numbers
        return f"{done.returncode} {text}".replace(str(path), "FILE")


def lint(path):
    text = call(["eu-elflint", "--gnu-ld", path]).stdout.replace(str(path), "FILE")
    # check_one_reloc() of elfutils 0.188 adds the symbol's size to the place of the relocation, so that a read-only LOAD
    # behind the data seems to be relocated by the calls of a large function.
    return {re.sub(r"0x[0-9a-f]+|\b\d+\b", "N", line) for line in text.splitlines()
            if "read-only section modified but text relocation flag not set" not in line}


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Tool:
    def __init__(self, name, words):
        self.name, self.words = name, words
        self.edited = self.refused = self.same = self.clean = self.stripped = self.growth = 0
        self.seconds = self.processor = 0.0

    def edit(self, source, target):
        shutil.copy(source, target)
        target.chmod(0o755)
        start, used = time.monotonic(), processor_seconds()
        done = call([*self.words, "--set-rpath", RUN_PATH, target])
        self.seconds += time.monotonic() - start
        self.processor += processor_seconds() - used
        return done.stderr.strip() if done.returncode != 0 else None


def strip(words, source, target):
    shutil.copy(source, target)
    target.chmod(0o755)
    return call([*words, target]).returncode == 0


def compare(path, tools, folder, loads):
    """Edits one file with each tool; a list of sentences about where truewheel is worse."""
    copy = folder / path.name
    shutil.copy(path, copy)
    loads.look_where(path)
    expected, clean = loads(copy), lint(copy)
    # As which strip tools leave the unedited file: what they break is not the editors' fault.
    kept = {}
    for words in (("strip",), ("llvm-strip",)):
        if strip(words, path, copy):
            kept[words] = loads(copy)
    verdicts = {}
    for tool in tools:
        edited = folder / path.name
        error = tool.edit(path, edited)
        if error is not None:
            tool.refused += 1
            verdicts[tool.name] = {"refused": error}
            continue
        verdict = {}
        tool.edited += 1
        tool.growth += edited.stat().st_size - path.stat().st_size
        got = loads(edited)
        if got == expected:
            tool.same += 1
        else:
            verdict["loads otherwise"] = f"{got!r} instead of {expected!r}"
        new = lint(edited) - clean
        if not new:
            tool.clean += 1
        else:
            verdict["eu-elflint"] = "; ".join(sorted(new))
        survives = True
        keep = edited.read_bytes()
        for words, was in kept.items():
            edited.write_bytes(keep)
            if call([*words, edited]).returncode != 0 or loads(edited) != was:
                survives = False
                verdict["after " + words[0]] = "does not load as the unedited file does after it"
        tool.stripped += survives
        verdicts[tool.name] = verdict
    ours, others = verdicts[tools[0].name], [verdicts[tool.name] for tool in tools[1:]]
    worse = []
    for what, text in ours.items():
        also = all(what in other for other in others) and others
        worse.append((path, what, text, bool(also)))
    return worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewheel", type=Path)
    parser.add_argument("paths", nargs="+", type=Path, help="files, or folders that are searched")
    parser.add_argument("--patchelf", default=shutil.which("patchelf"), help="program to compare with")
    parser.add_argument("--count", type=int, help="only that many files, evenly chosen")
    parser.add_argument("--rest", action="store_true", help="the files that --count does not choose")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    found, seen = [], set()
    for root in arguments.paths:
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if is_candidate(path) and path.resolve() not in seen:
                seen.add(path.resolve())
                found.append(path)
    if arguments.count and arguments.count < len(found):
        chosen = {i * len(found) // arguments.count for i in range(arguments.count)}
        found = [path for i, path in enumerate(found) if (i in chosen) != arguments.rest]
    tools = [Tool("truewheel", [arguments.truewheel.resolve(), "patchelf"])]
    if arguments.patchelf:
        version = call([arguments.patchelf, "--version"]).stdout.strip()
        tools.append(Tool(version, [arguments.patchelf]))
    worse = []
    with tempfile.TemporaryDirectory(prefix="edit-every-") as folder, tempfile.TemporaryDirectory() as tools_folder:
        loads = Loader(Path(tools_folder))
        done = []
        try:
            for path in found:
                for entry in compare(path, tools, Path(folder), loads):
                    worse.append(entry)
                    print(f"{entry[0]}: {entry[1]}: {entry[2]}{' (so does the other)' if entry[3] else ''}"[:600], file=sys.stderr)
                done.append(path)
                for leftover in Path(folder).iterdir():
                    leftover.unlink()
        except KeyboardInterrupt:
            print(f"stopped before {found[len(done)]}", file=sys.stderr)
        found = done
    size = sum(path.stat().st_size for path in found)
    print(f"{len(found)} files, {size / 1e6:.1f} MB, run path of {len(RUN_PATH)} characters\n")
    print("| | " + " | ".join(tool.name for tool in tools) + " |")
    print("|---" * (len(tools) + 1) + "|")
    for label, value in [("edited", lambda tool: tool.edited), ("refused", lambda tool: tool.refused),
                         ("loads as before", lambda tool: tool.same), ("no new eu-elflint complaint", lambda tool: tool.clean),
                         ("loads as before after strip and llvm-strip", lambda tool: tool.stripped),
                         ("growth, bytes", lambda tool: tool.growth), ("seconds of editing", lambda tool: f"{tool.seconds:.1f}"),
                         ("of them processor time", lambda tool: f"{tool.processor:.1f}")]:
        print(f"| {label} | " + " | ".join(str(value(tool)) for tool in tools) + " |")
    return 1 if any(not also for _, _, _, also in worse) else 0


if __name__ == "__main__":
    sys.exit(main())
