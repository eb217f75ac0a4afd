#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over src/, in parallel, skipping what was clean before.

    tidy.py BUILD_DIR [FILE...]     BUILD_DIR holds compile_commands.json; FILE: only these

A file is skipped if it, every header of ours that it reaches, its compile command, .clang-tidy and
clang-tidy itself are as they were when it last passed; BUILD_DIR/tidy-cache remembers that.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The default clang-tidy of Debian 12, 14, has no std::source_location.
CLANG_TIDY = "clang-tidy-15"
# What g++ knows and clang-tidy's front end does not.
GCC_ONLY = re.compile(r"-fstrict-flex-arrays\S*|-fcf-protection\S*|-mbranch-protection\S*|-f(no-)?strict-overflow|"
                      r"-fstack-clash-protection|-ftrivial-auto-var-init=\S+|-Wnull-dereference|-Werror(?!=)|--coverage")


def reached(path: Path, seen: set[Path]) -> set[Path]:
    """The file and every header of ours that it includes, directly or not."""
    if path in seen:
        return seen
    seen.add(path)
    for target in re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE):
        for folder in (ROOT / "src", ROOT / "include", path.parent):
            if (folder / target).is_file():
                reached(folder / target, seen)
    return seen


def fingerprint(path: Path, command: str, version: bytes) -> str:
    state = hashlib.sha256(version + command.encode())
    rules = {ROOT / ".clang-tidy", *path.parent.glob(".clang-tidy")}
    for file in sorted(reached(path, rules)):
        state.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
    return state.hexdigest()


def has_using_declaration(path: Path) -> bool:
    """misc-unused-using-decls judges only those of the file that it is given, not what that includes."""
    return re.search(r"^\s*using (?!namespace)[\w:]+;", path.read_text(), re.MULTILINE) is not None


def grouped(files: list[Path], commands: dict[Path, str]) -> list[list[Path]]:
    """Files of one folder that are compiled alike, six at a time: the library's headers, which take most of the time,
    are then read once for six. Neighbours by name, which have helpers of one name, stand in different groups."""
    alike: dict[tuple[Path, str], list[Path]] = {}
    groups = []
    for path in files:
        if has_using_declaration(path):
            groups.append([path])
        else:
            command = re.sub(r"\S*\b" + re.escape(path.name) + r"\S*", "", commands[path])
            alike.setdefault((path.parent, command), []).append(path)
    for members in alike.values():
        count = -(-len(members) // 6)
        groups += [members[i::count] for i in range(count)]
    return groups


def main(build: Path, only: set[Path]) -> int:
    database = json.loads((build / "compile_commands.json").read_text())
    commands = {Path(entry["file"]): GCC_ONLY.sub("", entry["command"]) for entry in database}
    files = sorted(path for path in commands if path.is_relative_to(ROOT / "src") and (not only or path in only))
    clean, cache = build / "tidy", build / "tidy-cache"
    clean.mkdir(exist_ok=True)
    cache.mkdir(exist_ok=True)
    version = subprocess.run([CLANG_TIDY, "--version"], check=True, capture_output=True).stdout
    marks = {path: cache / fingerprint(path, commands[path], version) for path in files}
    groups = grouped([path for path in files if not marks[path].exists()], commands)
    together = {clean / group[0].relative_to(ROOT): group for group in groups if len(group) > 1}
    for path, group in together.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{member}"\n' for member in group))
        commands[path] = commands[group[0]].replace(str(group[0]), str(path))
    for rules in [ROOT / ".clang-tidy", *(ROOT / "src").rglob(".clang-tidy")]:
        copy = clean / rules.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(rules.read_bytes())
    (clean / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(build), "file": str(path), "command": commands[path]} for path in [*files, *together]]))

    def check(path: Path) -> str:
        """What clang-tidy found; empty if nothing."""
        done = subprocess.run([CLANG_TIDY, "--quiet", "-p", str(clean), str(path)], capture_output=True, text=True)
        return "" if done.returncode == 0 else done.stdout or done.stderr

    def check_group(group: list[Path]) -> list[str]:
        path = clean / group[0].relative_to(ROOT)
        # Files that do not compile together, or in which something was found, are judged one by one.
        if path in together and not check(path):
            found = [""] * len(group)
        else:
            found = [check(member) for member in group]
        for member, text in zip(group, found):
            if not text:
                marks[member].touch()
        return found

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for texts in pool.map(check_group, groups) for text in texts if text]
    for text in found:
        print(text)
    print(f"clang-tidy: {len(files)} files, {len(found)} with findings")
    return 1 if found or not files else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).absolute(), {Path(name).absolute() for name in sys.argv[2:]}))
