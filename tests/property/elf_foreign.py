#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Edits shared objects and programs of other machines, both classes and byte orders.

They cannot run here, so they are judged by what readers say: readelf and llvm-readelf must show the wished names and
everything else as before, complain about nothing new, and llvm-strip and objcopy must leave a file that says the same.
The editor's own invariants are checked inside elf_edit_driver. Skips what clang and lld cannot make.
"""
import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TARGETS = ["aarch64-linux-gnu", "aarch64_be-linux-gnu", "i386-linux-gnu", "x86_64-linux-gnux32", "armv7-linux-gnueabihf",
           "powerpc64le-linux-gnu", "powerpc64-linux-gnu", "powerpc-linux-gnu", "riscv64-linux-gnu", "riscv32-linux-gnu",
           "mips-linux-gnu", "mipsel-linux-gnu", "mips64-linux-gnuabi64", "mips64el-linux-gnuabi64", "sparcv9-linux-gnu"]
LIBRARY = """
extern int dep_value(void);
int data_word = 3; int zeros[100]; static int *pointer = &data_word;
int run(void) { return *pointer + zeros[7] + dep_value(); }
int lib(void) { return 1; }
"""


def call(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", **options)


def build(target, kind, options, folder):
    (folder / "dep.c").write_text("int dep_value(void) { return 4; }\n")
    (folder / "dep.map").write_text("DEP_1 { global: dep_value; };\n")
    (folder / "case.c").write_text(LIBRARY)
    common = ["clang", f"--target={target}", "-ffreestanding", "-nostdlib", "-fuse-ld=lld", "-O1", "-fPIC"]
    if target.startswith("riscv"):
        common.append("-mno-relax")
    steps = [[*common, "-shared", "-Wl,-soname,libdep.so.1", "-Wl,--version-script=dep.map", "-o", "libdep.so.1", "dep.c"]]
    if kind == "library":
        steps.append([*common, "-shared", *options, "-o", "case", "case.c", "libdep.so.1"])
    else:
        steps.append([*common, f"-{kind}", "-Wl,-e,run", "-Wl,--dynamic-linker=/lib/ld.so.1", *options, "-o", "case",
                      "case.c", "libdep.so.1"])
    for step in steps:
        if call(step, cwd=folder).returncode != 0:
            return None
    return folder / "case"


def model(path):
    """Symbols with versions, relocations, notes and dynamic tags that have no address, as readelf prints them."""
    result = {}
    for name, words in {"symbols": ["readelf", "--dyn-syms", "-W"], "relocations": ["readelf", "-rW"],
                        "notes": ["readelf", "-nW"], "other": ["llvm-readelf", "--dyn-symbols", "--gnu-hash-table"]}.items():
        text = call([*words, path]).stdout.replace(str(path), "FILE")
        result[name] = re.sub(r"at offset 0x[0-9a-f]+", "", text)
    return result


def names(path):
    text = call(["readelf", "-dW", path]).stdout
    return re.findall(r"\((NEEDED|SONAME|RPATH|RUNPATH)\)[^\[]*\[(.*)\]", text)


def complaints(path):
    text = call(["readelf", "-aW", path]).stderr + call(["llvm-readelf", "-a", path]).stderr
    return {re.sub(r"0x[0-9a-f]+|\b\d+\b", "N", line.replace(str(path), "FILE")) for line in text.splitlines()}


def one_case(driver, target, kind, dice, folder):
    options = [f"-Wl,--hash-style={dice.choice(['gnu', 'sysv', 'both'] if 'mips' not in target else ['sysv'])}"]
    if dice.random() < 0.5:
        options.append("-Wl,-rpath,/opt/zzz/lib")
    if dice.random() < 0.4:
        options.append(f"-Wl,-z,max-page-size={dice.choice([4096, 65536, 0x200000])}")
    if dice.random() < 0.4:
        options.append(dice.choice(["-Wl,--no-rosegment", "-Wl,-z,separate-code", "-Wl,-z,separate-loadable-segments"]))
    if kind == "library" and dice.random() < 0.7:
        options.append("-Wl,-soname,libcase.so")
    if dice.random() < 0.5:
        options.append("-Wl,--build-id=sha1")
    path = build(target, kind, options, folder)
    if path is None:
        return "cannot build"
    before, clean = model(path), complaints(path)
    current = path
    needed = "libdep.so.1"
    for number in range(3):
        words = ["--set-rpath", "$ORIGIN/" + "r" * dice.choice([3, 90, 350])]
        wished = {"RPATH": words[1]}
        if dice.random() < 0.6:
            soname = "libnew" + "s" * dice.choice([1, 60]) + ".so"
            words += ["--set-soname", soname]
            wished["SONAME"] = soname
        new_needed = f"libdep-{number}{'n' * dice.choice([1, 40])}.so.1"
        words += ["--replace-needed", needed, new_needed]
        needed = new_needed
        output = folder / f"edited{number}"
        done = call([driver, current, output, *words])
        if done.returncode == 3:
            return "refused " + done.stderr.strip()
        where = f"{target} {kind} {' '.join(options)}: edit {' '.join(words)}\n{done.stdout}"
        if done.returncode != 0:
            return f"FAILED {where}: {done.stderr}"
        again = call([driver, output, folder / "again", *words])
        if "patches 0\n" not in again.stdout:
            return f"FAILED {where}: not idempotent: {again.stdout}{again.stderr}"
        for candidate in [output, stripped(["llvm-strip"], output), stripped(["llvm-objcopy"], output)]:
            if candidate is None:
                return f"FAILED {where}: a strip tool refuses the file"
            said = names(candidate)
            if ("NEEDED", new_needed) not in said or any((tag, text) not in said for tag, text in wished.items()):
                return f"FAILED {where}: {candidate.name} says {said}"
            new = complaints(candidate) - clean
            if new:
                return f"FAILED {where}: {candidate.name}: new complaints {sorted(new)}"
            after = model(candidate)
            for name, text in before.items():
                if comparable(after[name]) != comparable(text):
                    return f"FAILED {where}: {candidate.name}: {name} changed"
        current = output
    return "ok"


def comparable(text):
    text = re.sub(r"\(\d+\)", "", text)  # version indices are kept; readelf prints them after the name
    # Where a section header is gone a tool prints the address instead of the name.
    return [line for line in text.splitlines() if "Displaying notes" not in line and "Relocation section" not in line]


def stripped(words, path):
    target = path.with_name(path.name + "-" + words[0])
    if words[0].endswith("objcopy"):
        done = call([*words, path, target])
    else:
        shutil.copy(path, target)
        done = call([*words, target])
    return target if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", default=["library", "pie", "no-pie"])
    arguments = parser.parse_args()
    if not shutil.which("clang") or not shutil.which("ld.lld"):
        print("SKIPPED: clang and lld are needed")
        return 77
    driver = arguments.driver.resolve()
    results, failed = {}, False
    print(f"seed {arguments.seed}")
    for target in TARGETS:
        for kind in arguments.kinds:
            for number in range(arguments.rounds):
                dice = random.Random(f"{arguments.seed}/{target}/{kind}/{number}")
                with tempfile.TemporaryDirectory(prefix="elf-foreign-") as folder:
                    result = one_case(driver, target, kind, dice, Path(folder))
                if result.startswith(("FAILED", "refused")):
                    print(f"{target} {kind} {number}: {result}")
                    failed = failed or result.startswith("FAILED")
                key = f"{target}: {result.split()[0]}"
                results[key] = results.get(key, 0) + 1
    for key, count in results.items():
        print(f"{key} {count}")
    if not any(key.endswith(": ok") for key in results):
        print("no case could be judged")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
