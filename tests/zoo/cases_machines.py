# SPDX-License-Identifier: Apache-2.0
"""Wheels for other machines, repaired on this one. What cannot be run is judged by its bytes."""

import re
import subprocess
import zipfile
from pathlib import Path

from case import Case, Skipped, case, case_family
from elf_facts import parse
from judge import graft_name, judge, members

SIXTY_FOUR = {"aarch64": ("aarch64-linux-gnu", 183, "manylinux_2_17_aarch64"), "riscv64": ("riscv64-linux-gnu", 243, "manylinux_2_31_riscv64"),
              "ppc64le": ("powerpc64le-linux-gnu", 21, "manylinux_2_17_ppc64le")}
CROSS = ("-fuse-ld=lld", "-nostdlib", "-Wl,-z,max-page-size=65536")


def cross(c: Case, target: str) -> dict:
    c.need("clang", "ld.lld")
    libc = c._shared(c.root / "stub/libc.so.6", "int strlen(){return 0;}", flags=(f"--target={target}", *CROSS), compiler="clang")
    return {"compiler": "clang", "flags": (f"--target={target}", *CROSS), "libs": (libc,)}


def dynamic(path: Path) -> dict[str, list[str]]:
    text = subprocess.run(["readelf", "-dW", str(path)], check=True, capture_output=True, text=True).stdout
    found: dict[str, list[str]] = {}
    for kind, value in re.findall(r"\((NEEDED|SONAME|RPATH|RUNPATH)\)[^\[]*\[(.*)\]", text):
        found.setdefault(kind, []).append(value)
    return found


def other_machine(name: str):
    target, machine, tag = SIXTY_FOUR[name]

    def one(c: Case) -> None:
        how = cross(c, target)
        c.machine = machine
        b = c.lib("libb.so.1", "int b(){return 2;}", **how)
        a = c.lib("liba.so.1", "int a(){return b();}", **{**how, "libs": (b, *how["libs"])}, rpath=("/x",))
        e = "pkg/_e.so"
        c.member_lib(e, "int PyInit__e(){return a();}", **{**how, "libs": (a, *how["libs"])}, soname=None)
        # The host's own library of that name, first on the search path, is of no use.
        host = c.lib("host/liba.so.1", "int a(){return 666;}")
        c.wheel(f"zoo-1.0-cp311-cp311-linux_{name}")
        c.repair("--plat", tag, "--search", str(host.parent), "--search", str(c.build), env={})
        judge(c, [a, b], install=False, rpaths={e: ["$ORIGIN/../zoo.libs"], f"zoo.libs/{graft_name(a)}": ["$ORIGIN"], f"zoo.libs/{graft_name(b)}": []})
        c.check(tag in c.output().name, f"name {c.output().name}")
        for member, data in members(c.output()).items():
            if data[:4] == b"\x7fELF":
                for load in parse(data).loads():
                    c.check(load.align >= 65536, f"{member}: a PT_LOAD is aligned to {load.align:#x}")

    return one


for name in SIXTY_FOUR:
    case_family(f"a-wheel-for-{name}", __name__, "C14 A14 A15 A16", other_machine(name), ours=True)


def thirty_two(name: str, target: str, more: tuple[str, ...], tag: str):
    def one(c: Case) -> None:
        c.need("clang", "ld.lld")
        flags = (f"--target={target}", "-fuse-ld=lld", "-nostdlib", *more)
        libc = c._shared(c.root / "stub/libc.so.6", "int strlen(){return 0;}", flags=flags, compiler="clang")
        a = c.lib("liba.so.1", "int a(){return 1;}", flags=flags, compiler="clang", libs=(libc,))
        c.member_lib("pkg/_e.so", "int PyInit__e(){return a();}", flags=flags, compiler="clang", libs=(a, libc), rpath=("/build/lib",))
        c.wheel(f"zoo-1.0-cp311-cp311-linux_{name}")
        c.repair("--plat", tag)
        with zipfile.ZipFile(c.output()) as archive:
            archive.extractall(c.site)
        graft = graft_name(a)
        c.equal(dynamic(c.site / "pkg/_e.so"), {"NEEDED": [graft, "libc.so.6"], "SONAME": ["_e.so"], "RPATH": ["$ORIGIN/../zoo.libs"]}, "dynamic section of the module")
        c.equal(dynamic(c.site / "zoo.libs" / graft), {"NEEDED": ["libc.so.6"], "SONAME": [graft]}, "dynamic section of the graft")
        for path in (c.site / "pkg/_e.so", c.site / "zoo.libs" / graft):
            done = subprocess.run(["readelf", "-aW", str(path)], capture_output=True, text=True)
            c.check("Warning" not in done.stderr and "Error" not in done.stderr, f"readelf: {done.stderr[:300]}")

    return one


case_family("a-wheel-for-i686", __name__, "C14", thirty_two("i686", "i686-linux-gnu", (), "manylinux_2_17_i686"), ours=True)
case_family("a-wheel-for-armv7l", __name__, "C14", thirty_two("armv7l", "armv7-linux-gnueabihf", ("-mfloat-abi=hard",), "manylinux_2_31_armv7l"), ours=True)


@case("C14 A22", ours=True)
def an_i686_program_runs(c: Case) -> None:
    """Without crt files and without libc: start, one call into the graft, exit by its value."""
    if not Path("/lib/ld-linux.so.2").exists():
        raise Skipped("no 32-bit loader")
    flags = ("-m32", "-nostdlib", "-fno-stack-protector")
    a = c.lib("liba.so.1", "int a(){return 42;}", flags=flags)
    start = "int a(); void _start(){ int code = a(); __asm__ volatile(\"int $0x80\" :: \"a\"(1), \"b\"(code)); }"
    for name, kind in (("pie", ("-pie", "-fPIE")), ("nopie", ("-no-pie", "-fno-pie"))):
        c._link(c.tree / f"pkg/{name}", start, (a,), ("/build/lib",), (*flags, *kind), False, "gcc")
        c.modes[f"pkg/{name}"] = 0o100755
        probe = subprocess.run([str(c.tree / f"pkg/{name}")], env={"LD_LIBRARY_PATH": str(c.build)})
        if probe.returncode != 42:
            raise Skipped("32-bit programs do not run here")
    c.wheel("zoo-1.0-py3-none-linux_i686")
    c.repair()
    with zipfile.ZipFile(c.output()) as archive:
        archive.extractall(c.site)
    c.hide_build()
    for name in ("pie", "nopie"):
        path = c.site / "pkg" / name
        path.chmod(0o755)
        c.equal(subprocess.run([str(path)], env={}, cwd="/").returncode, 42, f"exit code of {name}")


@case("C14", ours=True)
def an_android_wheel_gets_a_runpath(c: Case) -> None:
    c.need("clang", "ld.lld")
    flags = ("--target=aarch64-linux-android24", "-fuse-ld=lld", "-nostdlib", "-Wl,-z,max-page-size=16384")
    libc = c._shared(c.root / "stub/libc.so", "int strlen(){return 0;}", flags=flags, compiler="clang")
    a = c.lib("liba.so", "int a(){return 1;}", flags=flags, compiler="clang", libs=(libc,))
    c.machine = 183
    c.member_lib("pkg/_e.so", "int PyInit__e(){return a();}", flags=flags, compiler="clang", libs=(a, libc), soname=None)
    c.wheel("zoo-1.0-cp313-cp313-android_24_arm64_v8a")
    c.repair()
    judge(c, [a], install=False, kind="RUNPATH", rpaths={"pkg/_e.so": ["$ORIGIN/../zoo.libs"]})
    c.check(c.output().name.endswith("-android_24_arm64_v8a.whl"), f"name {c.output().name}")


@case("C14", ours=True)
def tags_of_two_machines_are_refused(c: Case) -> None:
    c.ext("pkg/_e")
    c.wheel("zoo-1.0-cp311-cp311-manylinux_2_17_aarch64.manylinux_2_17_x86_64")
    c.refused(exit={1, 3}, names=("aarch64", "x86_64"))
