#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random ELF layouts times random edits, judged by running the result.

Each case links a shared object or a program with random linker options, edits it a few times through
elf_edit_driver, and after each edit demands:
  - the same output, eager binding, nothing on stderr;
  - a second identical edit has no patch;
  - eu-elflint and readelf find nothing that they did not find in the input;
  - symbols, relocations, notes and unwind tables read the same as before;
  - strip, strip -g, eu-strip, llvm-strip, objcopy and llvm-objcopy keep it running, unless the tool breaks the
    unedited file as well, and one more edit of the stripped file runs.
Prints the seed; a failing case's folder is kept and named.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LIBRARY_C = r"""
#include <string.h>
#include <stdlib.h>
extern int dep_value(void), dep_other(void), extra_value(void);
int data_word = 5;
int zeros[5000];
const char *strings[] = {"alpha", "beta", 0};
__thread int tls_word = 7;
static __thread char tls_zeros[64];
static int constructed;
__attribute__((constructor)) static void set_up(void) { constructed = 11; }
#ifdef WITH_IFUNC
static int fast(void) { return 13; }
static void *pick(void) { return fast; }
int chosen(void) __attribute__((ifunc("pick")));
#else
int chosen(void) { return 13; }
#endif
int lib(void) { return 17; }
int run(void) {
  zeros[4999] += 1;
  tls_word += 1;
  tls_zeros[63] += 1;
  char *heap = malloc(100000);
  if (!heap) return -1;
  memset(heap, 1, 100000);
  int sum = data_word + zeros[4999] + tls_word + tls_zeros[63] + constructed + chosen() + lib() + heap[99999] +
            (int)strlen(strings[1]) + dep_value() + dep_other() + extra_value();
  free(heap);
  for (int i = 0; i < 4999; ++i) sum += zeros[i];
  return sum;
}
"""
LIBRARY_CXX = r"""
#include <stdexcept>
#include <string>
#include <vector>
extern "C" int dep_value(void);
extern "C" int dep_other(void);
extern "C" int extra_value(void);
namespace {
struct Counter { int n = 3; Counter() { n += 4; } ~Counter() {} };
Counter counter;
thread_local std::vector<int> numbers{1, 2, 3};
__attribute__((noinline)) int thrower(int x) { if (x > 1) throw std::runtime_error("thrown " + std::to_string(x)); return x; }
}
int zeros[3000];
extern "C" int run(void) {
  int sum = counter.n + static_cast<int>(numbers.size()) + zeros[17] + dep_value() + dep_other() + extra_value();
  try { sum += thrower(5); } catch (const std::exception &e) { sum += static_cast<int>(std::string(e.what()).size()); }
  return sum;
}
"""
PROGRAM_C = r"""
#include <stdio.h>
extern int run(void);
int main(void) { for (int i = 0; i < 3; ++i) printf("%d\n", run()); return 0; }
"""
LOADER_C = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **words) {
  void *library = dlopen(words[1], RTLD_NOW);
  if (!library) { fprintf(stderr, "%s\n", dlerror()); return 1; }
  int (*run)(void) = (int (*)(void))dlsym(library, "run");
  if (!run) { fprintf(stderr, "no run\n"); return 1; }
  for (int i = 0; i < 3; ++i) printf("%d\n", run());
  return 0;
}
"""
DEPENDENCY_C = "int dep_value(void) { return 19; }\nint dep_other(void) { return 23; }\n"
EXTRA_C = "int extra_value(void) { return 29; }\n"
STRIPS = [["strip"], ["strip", "-g"], ["strip", "--strip-unneeded"], ["eu-strip"], ["llvm-strip"], ["objcopy"],
          ["llvm-objcopy"]]


class Failure(Exception):
    pass


def call(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", timeout=120,
                          **options)


def must(words, **options):
    done = call(words, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


class Workshop:
    """Everything that is compiled once."""

    def __init__(self, folder):
        self.folder = folder
        self.objects = {}
        (folder / "dep.map").write_text("DEP_1 { global: dep_value; };\nDEP_2 { global: dep_other; } DEP_1;\n")
        (folder / "extra.map").write_text("EXTRA_1 { global: extra_value; local: *; };\n")
        for name, text in [("dep", DEPENDENCY_C), ("extra", EXTRA_C)]:
            (folder / f"{name}.c").write_text(text)
            must(["gcc", "-shared", "-fPIC", f"-Wl,-soname,lib{name}.so.1", f"-Wl,--version-script={name}.map",
                  "-o", f"lib{name}.so.1", f"{name}.c"], cwd=folder)
        (folder / "added.c").write_text("int added_value(void) { return 1; }\n")
        must(["gcc", "-shared", "-fPIC", "-Wl,-soname,libadded.so.1", "-o", "libadded.so.1", "added.c"], cwd=folder)
        (folder / "loader.c").write_text(LOADER_C)
        must(["gcc", "-o", "loader", "loader.c", "-ldl"], cwd=folder)
        # Under --no-default-lib the loader looks in LD_LIBRARY_PATH only.
        self.system = {Path(must(["gcc", f"-print-file-name={name}"]).strip()).resolve().parent
                       for name in ("libc.so.6", "libstdc++.so.6", "libgcc_s.so.1")}
        self.interpreter = re.search(r"interpreter: (.*)\]", must(["readelf", "-lW", folder / "loader"]))[1]
        (folder / "program.c").write_text(PROGRAM_C)
        (folder / "library.c").write_text(LIBRARY_C)
        (folder / "library.cpp").write_text(LIBRARY_CXX)
        self.linkers = [name for name in ("bfd", "gold", "lld", "mold")
                        if shutil.which(f"ld.{name}") or (name == "mold" and shutil.which("mold"))]

    def compile(self, source, *flags):
        key = (source, *flags)
        if key not in self.objects:
            output = self.folder / f"object{len(self.objects)}.o"
            compiler = "g++" if source.endswith("pp") else "gcc"
            must([compiler, "-O1", "-g", "-c", *flags, "-o", output, source], cwd=self.folder)
            self.objects[key] = output
        return self.objects[key]


def random_link(workshop, dice, folder):
    """Links one file; returns its path, whether it is a program, and the command."""
    kind = dice.choice(["library", "library", "library", "pie", "nopie"])
    cxx = dice.random() < 0.25
    linker = dice.choice(workshop.linkers)
    flags = ["-fno-pie"] if kind == "nopie" else ["-fPIC"]
    if not cxx and dice.random() < 0.5:
        flags.append("-DWITH_IFUNC")
    if dice.random() < 0.3:
        flags.append("-fcf-protection=full")
    objects = [workshop.compile("library.cpp" if cxx else "library.c", *flags)]
    if kind != "library":
        objects.append(workshop.compile("program.c", *flags[:1]))
    options = [f"-fuse-ld={linker}"]
    options += {"library": ["-shared"], "pie": ["-pie"], "nopie": ["-no-pie"]}[kind]
    wishes = [f"-Wl,-z,max-page-size={dice.choice([4096, 16384, 65536, 2097152])}"] if dice.random() < 0.5 else []
    wishes.append(f"-Wl,--hash-style={dice.choice(['gnu', 'sysv', 'both'])}")
    wishes.append(dice.choice(["-Wl,-z,now", "-Wl,-z,lazy"]))
    if dice.random() < 0.3:
        wishes.append("-Wl,-z,norelro")
    if dice.random() < 0.4 and linker != "gold":
        wishes.append(dice.choice(["-Wl,-z,noseparate-code", "-Wl,-z,separate-code"]))
    if dice.random() < 0.3 and linker == "lld":
        wishes.append(dice.choice(["-Wl,--pack-dyn-relocs=relr", "-Wl,--no-rosegment", "-Wl,-z,separate-loadable-segments"]))
    if dice.random() < 0.2 and linker == "lld":
        wishes.append("-Wl,-z,nognustack")
    wishes.append(dice.choice(["-Wl,--build-id", "-Wl,--build-id=none"]))
    if kind == "library" and dice.random() < 0.8:
        wishes.append("-Wl,-soname," + dice.choice(["libcase.so", "libcase.so.1", "a"]))
    if dice.random() < 0.5:
        tag = dice.choice(["--enable-new-dtags", "--disable-new-dtags"])
        wishes += [f"-Wl,{tag}", "-Wl,-rpath," + dice.choice(["/opt/zzz/lib", "$ORIGIN", "/a/run"])]
    if dice.random() < 0.2:
        wishes.append("-Wl,-s")
    if kind == "library" and dice.random() < 0.3:
        (folder / "case.map").write_text("libcase.so { global: run; lib; };\nCASE_2 { global: chosen; } libcase.so;\n"
                                         if not cxx else "libcase.so { global: run; local: *; };\n")
        wishes.append("-Wl,--version-script=" + str(folder / "case.map"))
    output = folder / ("case.so" if kind == "library" else "case")
    libraries = [workshop.folder / "libdep.so.1", workshop.folder / "libextra.so.1"]
    dice.shuffle(libraries)
    command = ["g++" if cxx else "gcc", *options, *wishes, "-o", output, *objects, *libraries]
    must(command, cwd=folder)
    if shutil.which("patchelf") and dice.random() < 0.2:
        # Files that another editor has been at; what it breaks is no usable case.
        for _ in range(dice.choice([1, 2, 3])):
            call(["patchelf", "--set-rpath", "/" + "k" * dice.randrange(1, 2500), output])
        command.append("(patchelf)")
    if dice.random() < 0.15:
        drop_section_headers(output)
    return output, kind != "library", command


def drop_section_headers(path):
    data = bytearray(path.read_bytes())
    data[40:48] = bytes(8)
    data[60:64] = bytes(4)
    path.write_bytes(data)


def random_wishes(dice, folder, workshop, state, is_program):
    """One edit. `state` follows the NEEDED names so that copies of the libraries can be put there."""
    words = []
    roll = dice.random
    if roll() < 0.7:
        long_path = ":".join("$ORIGIN/" + "p" * dice.randrange(1, 60) for _ in range(dice.choice([1, 2, 6, 30])))
        text = dice.choice(["$ORIGIN", "", "/n", long_path, long_path])
        words += dice.choice([["--set-rpath", text], ["--set-runpath", text], ["--remove-rpath"]])
    if roll() < 0.6:
        words += ["--set-soname", "lib" + "s" * dice.choice([1, 5, 30, 200]) + ".so"]
    for name in ("dep", "extra"):
        current = state[name]
        if current is None:
            continue
        if roll() < 0.4:
            new_name = f"lib{name}-" + "%08x" % dice.randrange(1 << 32) + "x" * dice.choice([0, 0, 40]) + ".so.1"
            words += ["--replace-needed", current, new_name]
            shutil.copy(workshop.folder / f"lib{name}.so.1", folder / new_name)
            state[name] = new_name
        elif name == "extra" and roll() < 0.15:
            words += ["--remove-needed", current]
            state[name] = None
    if roll() < 0.15:
        words += ["--add-needed", "libadded.so.1"]
    if is_program and roll() < 0.4:
        interpreter = workshop.folder / ("ld" + "i" * dice.choice([1, 20, 200]))
        shutil.copy(workshop.interpreter, interpreter)
        words += ["--set-interpreter", interpreter]
    for option in ("--no-default-lib", "--add-debug-tag", "--clear-execstack"):
        if roll() < 0.15:
            words.append(option)
    words = [str(word) for word in words]
    return words or ["--set-rpath", "$ORIGIN/fallback"]


def run_case(path, is_program, workshop, folder):
    environment = {"LD_BIND_NOW": "1", "LD_WARN": "1", "PATH": os.environ["PATH"],
                   "LD_LIBRARY_PATH": ":".join(map(str, [folder, workshop.folder, *sorted(workshop.system)])),
                   "LD_PRELOAD": str(workshop.folder / "libextra.so.1")}
    words = [path] if is_program else [workshop.folder / "loader", path]
    done = call(words, env=environment)
    return done.returncode, done.stdout, done.stderr


def lint(path):
    found = set()
    for words in (["eu-elflint", "--gnu-ld", path], ["readelf", "-aW", path]):
        if not shutil.which(words[0]):
            continue
        done = call(words)
        text = done.stdout if words[0] == "eu-elflint" else done.stderr
        for line in text.splitlines():
            line = line.replace(str(path), "FILE")
            line = re.sub(r"0x[0-9a-f]+|\b\d+\b", "N", line)
            if line not in ("No errors",):
                found.add(line)
    return found


def readings(path):
    """What must not change: names and versions of symbols, relocations, notes, unwind data, code."""
    result = {}
    for name, words in {"symbols": ["nm", "-D", "--with-symbol-versions"], "notes": ["readelf", "-nW"],
                        "relocations": ["readelf", "-rW"]}.items():
        text = call([*words, path]).stdout
        text = re.sub(r"(at offset 0x[0-9a-f]+|found in: .*|Displaying notes .*)", "", text)
        result[name] = text.replace(str(path), "FILE")
    return result


def unversioned(text):
    """nm's symbols without versions, since a removed library takes its versions away."""
    return re.sub(r"@EXTRA_1", "", text)


def one_case(driver, workshop, dice, folder, thorough):
    path, is_program, command = random_link(workshop, dice, folder)
    log = [" ".join(map(str, command))]
    try:
        expected = run_case(path, is_program, workshop, folder)
        if expected[0] != 0 or expected[2]:
            return "unusable", log  # the linker's own output does not run here
        original = folder / "original"
        shutil.copy(path, original)
        clean, reading = lint(original), readings(original)
        stripped_ok = {}
        for strip in STRIPS:
            stripped_ok[tuple(strip)] = strip_runs(strip, original, is_program, workshop, folder, expected)
        state = {"dep": "libdep.so.1", "extra": "libextra.so.1"}
        statistics = {"growth": 0}
        for _ in range(dice.choice([1, 1, 2, 4])):
            words = random_wishes(dice, folder, workshop, state, is_program)
            log.append("edit " + " ".join(words))
            output = folder / "edited"
            done = call([driver, path, output, *words])
            if done.returncode == 3:
                return "refused " + done.stderr.split(":")[0], log
            if done.returncode != 0:
                raise Failure(f"driver: exit {done.returncode}: {done.stderr}")
            log += [line for line in done.stdout.splitlines() if line.startswith(("growth", "step"))]
            statistics["growth"] += int(done.stdout.split()[1])
            output.chmod(0o755)
            if run_case(output, is_program, workshop, folder) != expected:
                raise Failure(f"after the edit: {run_case(output, is_program, workshop, folder)}, expected {expected}")
            again = folder / "again"
            second = must([driver, output, again, *words])
            if "patches 0\n" not in second or again.read_bytes() != output.read_bytes():
                raise Failure(f"a second identical edit changes something: {second}")
            new = lint(output) - clean
            if new:
                raise Failure(f"new complaints: {sorted(new)}")
            for name, text in readings(output).items():
                if unversioned(text) != unversioned(reading[name]):
                    raise Failure(f"{name} changed")
            strips = STRIPS if thorough else dice.sample(STRIPS, 3)
            moved_headers = "do not strip" in done.stdout
            for strip in strips:
                if stripped_ok[tuple(strip)] and not moved_headers:
                    if not strip_runs(strip, output, is_program, workshop, folder, expected, driver):
                        raise Failure(f"after {' '.join(strip)} the edited file does not run, the unedited one does")
            shutil.copy(output, path)
        return "ok", log
    except Failure as failure:
        raise Failure(f"{failure}\n  " + "\n  ".join(log)) from None


def strip_runs(strip, path, is_program, workshop, folder, expected, driver=None):
    target = folder / ("stripped" + ("" if is_program else ".so"))
    if strip[0] in ("objcopy", "llvm-objcopy"):
        done = call([*strip, path, target])
    else:
        shutil.copy(path, target)
        done = call([*strip, target])
    if done.returncode != 0:
        return False
    target.chmod(0o755)
    if run_case(target, is_program, workshop, folder) != expected:
        return False
    if driver is None:
        return True
    edited = folder / "stripped-edited"
    done = call([driver, target, edited, "--set-rpath", "$ORIGIN/" + "q" * 120, "--set-soname", "libafter-strip.so"])
    if done.returncode == 3:
        return True
    if done.returncode != 0:
        raise Failure(f"editing after {' '.join(strip)}: {done.stderr}")
    edited.chmod(0o755)
    return run_case(edited, is_program, workshop, folder) == expected


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--long", action="store_true", help="all strip tools after each edit")
    parser.add_argument("--go-on", action="store_true", help="count failures instead of stopping at the first")
    arguments = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)
    driver = arguments.driver.resolve()
    print(f"seed {arguments.seed}, {arguments.count} cases")
    results, failures = {}, 0
    with tempfile.TemporaryDirectory(prefix="elf-property-") as base:
        workshop = Workshop(Path(base))
        print("linkers: " + " ".join(workshop.linkers))
        for number in range(arguments.count):
            dice = random.Random(f"{arguments.seed}/{number}")
            folder = Path(base) / f"case{number}"
            folder.mkdir()
            try:
                result, log = one_case(driver, workshop, dice, folder, arguments.long)
                results[result] = results.get(result, 0) + 1
                if result.startswith("refused"):
                    print(f"case {number}: {result}\n  " + "\n  ".join(log))
                shutil.rmtree(folder)
            except Failure as failure:
                failures += 1
                kept = Path(tempfile.gettempdir()) / f"elf-property-failed-{arguments.seed}-{number}"
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(folder, kept)
                print(f"case {number} of seed {arguments.seed} FAILED ({kept}):\n  {failure}")
                if not arguments.go_on:
                    return 1
    print("results: " + ", ".join(f"{name} {count}" for name, count in sorted(results.items())))
    if results.get("ok", 0) == 0:
        print("no case could be judged")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
