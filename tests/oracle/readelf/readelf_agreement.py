#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our facts of ELF files against those of binutils' readelf, over a sample of this system's files.

usage: readelf_agreement.py PRINT_FACTS [FILE...]
"""
import os
import re
import shutil
import stat
import subprocess
import sys

SAMPLE = 300
FOLDERS = ["/usr/lib", "/usr/bin", "/usr/sbin"]
SKIPPED = 77
PROGRAM_KINDS = {"1", "2", "3", "4"}  # FileKind: shared_object, pie, executable, static_executable


def is_elf(path):
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode) or status.st_size < 64:
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def sample():
    """Every n-th ELF file in order of name, so that each run takes the same ones."""
    found = []
    for folder in FOLDERS:
        for root, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(root, name)
                try:
                    if "\n" not in path and is_elf(path):
                        found.append(path)
                except OSError:
                    pass
    return found[:: max(1, len(found) // SAMPLE)]


def our_facts(print_facts, paths):
    output = subprocess.run([print_facts], input="\n".join(paths) + "\n", text=True, check=True,
                            capture_output=True, errors="surrogateescape").stdout
    facts, current = {}, None
    for line in output.splitlines():
        key, value = line.split("\t", 1)
        if key == "file":
            current = facts.setdefault(value, {})
        else:
            current.setdefault(key, []).append(value)
    return facts


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], text=True, capture_output=True,
                          errors="surrogateescape", env={**os.environ, "LC_ALL": "C"}).stdout


def their_facts(path):
    facts = {}

    def add(key, value):
        facts.setdefault(key, []).append(value)

    for line in readelf(path, "-d").splitlines():
        match = re.search(r"\((NEEDED|SONAME|RPATH|RUNPATH)\)[^\[]*\[(.*)\]$", line)
        if match:
            add(match[1].lower(), match[2])
    for line in readelf(path, "-l").splitlines():
        if match := re.search(r"Requesting program interpreter: (.*)\]", line):
            add("interpreter", match[1])
        if match := re.match(r"\s*GNU_STACK(?:\s+0x\w+){5}\s+([RWE]+) ", line):
            add("stack", "RWE" if "E" in match[1] else "RW")
    for line in readelf(path, "-n").splitlines():
        if match := re.search(r"Build ID: (\w+)", line):
            facts.setdefault("build_id", [match[1]])
    library = None
    for line in readelf(path, "-V").splitlines():
        if match := re.search(r"Version: \d+  File: (.*)  Cnt: \d+$", line):
            library = match[1]
        elif match := re.search(r":\s+Name: (\S+)  Flags: (.*)  Version: \d+$", line):
            add("version", f"{library} {match[1]}" + (" weak" if "WEAK" in match[2] else ""))
        elif match := re.search(r"Rev: \d+  Flags: (.*?)\s+Index: \d+  Cnt: \d+  Name: (\S+)$", line):
            if "BASE" not in match[1]:
                add("defines", match[2])
    for line in readelf(path, "--dyn-syms").splitlines():
        fields = line.split()
        # Num: Value Size Type Bind Vis Ndx Name@Version (index); processors put remarks before Ndx.
        match = re.match(r"\s*\d+: \w+\s+\S+\s+\S+\s+(\S+)\s+\S+\s+(?:\[.*\]\s+)?UND (\S+)", line)
        if match and len(fields) > 7:
            name = match[2].replace("@@", "@")
            add("import", name + (" weak" if match[1] == "WEAK" else ""))
    return facts


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if shutil.which("readelf") is None:
        print("skipped: there is no readelf")
        sys.exit(SKIPPED)
    paths = sys.argv[2:] or sample()
    ours = our_facts(sys.argv[1], paths)
    compared = differing = imports = 0
    for path in paths:
        facts = ours[path]
        kind = facts.pop("kind", ["refused"])[0]
        if kind not in PROGRAM_KINDS and kind != "refused":
            continue  # object files and separate debug files have no facts of ours
        compared += 1
        theirs = their_facts(path)
        imports += len(theirs.get("import", []))
        for key in sorted(set(facts) | set(theirs)):
            if facts.get(key) != theirs.get(key):
                differing += 1
                ours_only = set(facts.get(key, [])) - set(theirs.get(key, []))
                theirs_only = set(theirs.get(key, [])) - set(facts.get(key, []))
                print(f"{path}: {key}: ours {sorted(ours_only)[:5]}, readelf {sorted(theirs_only)[:5]}")
    print(f"{len(paths)} files, {compared} programs and libraries, {imports} imports, "
          f"{differing} facts differ")
    sys.exit(1 if differing or compared == 0 else 0)


main()
