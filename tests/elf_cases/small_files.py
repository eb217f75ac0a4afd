# SPDX-License-Identifier: Apache-2.0
"""Makes the small libraries and programs that cases, sweeps and the fuzzer's seeds start from."""

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path

LIBRARY = """
extern int dep_value(void);
extern int __attribute__((weak)) maybe(int);
int data_word = 3; static int zeros[40]; static int *pointer = &data_word;
int run(void) { return *pointer + zeros[7] + dep_value() + (maybe ? 1 : 0); }
int PyInit_case(void) { return run(); }
"""
PROGRAM = "extern int dep_value(void);\n"
STATIC = "int _start(void) { return 0; }\n"
EXPECTED = 7  # what run() returns, and a program exits with
DEPENDENCY = "libdep.so.1"
# One target of each class and byte order, for rows that are about them all.
FOUR = ["x86_64-linux-gnu", "i386-linux-gnu", "powerpc-linux-gnu", "powerpc64-linux-gnu"]
MANY = [*FOUR, "aarch64-linux-gnu", "aarch64_be-linux-gnu", "armv7-linux-gnueabihf", "mips-linux-gnu", "mipsel-linux-gnu",
        "mips64-linux-gnuabi64", "powerpc64le-linux-gnu", "riscv64-linux-gnu", "riscv32-linux-gnu", "x86_64-linux-gnux32"]
NATIVE = "native"


class CannotBuild(Exception):
    pass


def have(*programs: str) -> bool:
    return all(shutil.which(program) for program in programs)


def call(words: list, folder: Path) -> None:
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise CannotBuild(f"{' '.join(map(str, words))}: {done.stderr.strip()[-300:]}")


def compiler(target: str) -> list[str]:
    if target == NATIVE:
        return ["gcc", "-O1", "-ffreestanding", "-nostdlib", "-fno-stack-protector", "-fcf-protection=none"]
    words = ["clang", f"--target={target}", "-fuse-ld=lld", "-O1", "-ffreestanding", "-nostdlib"]
    return words + (["-mno-relax"] if target.startswith("riscv") else [])


@functools.cache
def dependency(target: str = NATIVE) -> bytes:
    """libdep.so.1, which defines dep_value with version DEP_1."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "dep.c").write_text("int dep_value(void) { return 4; }\n")
        (folder / "map").write_text("DEP_1 { global: dep_value; local: *; };\n")
        call([*compiler(target), "-fPIC", "-shared", "-s", f"-Wl,-soname,{DEPENDENCY}", "-Wl,--version-script=map", "-o", DEPENDENCY, "dep.c"],
             folder)
        return (folder / DEPENDENCY).read_bytes()


@functools.cache
def library(target: str = NATIVE, *options: str, source: str = LIBRARY, suffix: str = "c", after: tuple[str, ...] = ()) -> bytes:
    """A shared object with run(), a SONAME, a DT_RPATH, a version definition and a version need."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / DEPENDENCY).write_bytes(dependency(target))
        (folder / f"case.{suffix}").write_text(source)
        (folder / "map").write_text("CASE_1 { global: run; PyInit_case; };\n")
        call([*compiler(target), "-fPIC", "-shared", "-Wl,-soname,libcase.so.1", "-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN",
              "-Wl,--version-script=map", "-o", "case", f"case.{suffix}", DEPENDENCY, *options], folder)
        if after:
            call([*after, "case"], folder)
        return (folder / "case").read_bytes()


@functools.cache
def program(target: str = NATIVE, *options: str) -> bytes:
    """A program without libc that exits with dep_value() + 3."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / DEPENDENCY).write_bytes(dependency(target))
        start = """void _start(void) { int r = dep_value() + 3;
  __asm__ volatile ("and $-16, %%rsp\\n\\tmov $60, %%eax\\n\\tmov %0, %%edi\\n\\tsyscall" : : "r"(r) : "rax", "rdi"); }\n"""
        other = "int _start(void) { return dep_value(); }\n"
        (folder / "case.c").write_text(PROGRAM + (start if target == NATIVE else other))
        linker = "/lib64/ld-linux-x86-64.so.2" if target == NATIVE else "/lib/ld.so.1"
        call([*compiler(target), "-fPIE", f"-Wl,--dynamic-linker={linker}", "-Wl,--disable-new-dtags", "-Wl,-rpath,$ORIGIN", "-Wl,-e,_start",
              *(options or ("-pie",)), "-o", "case", "case.c", DEPENDENCY], folder)
        return (folder / "case").read_bytes()


@functools.cache
def built(target: str, source: str, *options: str, after: tuple[str, ...] = ()) -> bytes:
    """Whatever the options make of a source, without the dependency."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "case.c").write_text(source)
        call([*compiler(target), *options, "-o", "case", "case.c"], folder)
        if after:
            call([*after, "case"], folder)
        return (folder / "case").read_bytes()


def strip_sections(data: bytes) -> bytes:
    """Without section headers, as sstrip leaves a file."""
    from elf_bytes import Elf

    elf = Elf(data)
    end = max(s["offset"] + s["filesz"] for s in elf.segments)
    elf.header["e_shoff"] = elf.header["e_shnum"] = elf.header["e_shstrndx"] = 0
    return elf.bytes()[:end]


SMALL = ("-s", "-Wl,--build-id=none", "-Wl,-z,norelro", "-Wl,-z,noseparate-code", "-Wl,--hash-style=gnu", "-fno-asynchronous-unwind-tables")


def smallest() -> dict[str, bytes]:
    """Files of one to some KiB, of several linkers, classes and byte orders, by name."""
    result: dict[str, bytes] = {}

    def add(name: str, make) -> None:
        try:
            result[name] = make()
        except CannotBuild as reason:
            print(f"not built: {name}: {reason}")

    page = "-Wl,-z,max-page-size=4096"
    add("native-bfd", lambda: library(NATIVE, *SMALL, page))
    add("native-bfd-both", lambda: library(NATIVE, "-s", "-Wl,-z,noseparate-code", "-Wl,--hash-style=both", page))
    add("native-gold", lambda: library(NATIVE, "-s", "-fuse-ld=gold", "-Wl,--hash-style=gnu", page))
    add("native-program", lambda: program(NATIVE, "-pie", *SMALL, page))
    add("native-exec", lambda: program(NATIVE, "-no-pie", *SMALL, page))
    for target in [*FOUR, "aarch64-linux-gnu", "mips-linux-gnu"]:
        style = "sysv" if "mips" in target else "both"
        add(f"lld-{target}", lambda: library(target, "-s", "-Wl,-z,max-page-size=4096", "-Wl,-z,norelro", f"-Wl,--hash-style={style}"))
    for name in ("native-bfd", "lld-i386-linux-gnu", "lld-powerpc64-linux-gnu"):
        if name in result:
            result[f"{name}-no-sections"] = strip_sections(result[name])
    return result
