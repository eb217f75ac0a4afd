# SPDX-License-Identifier: Apache-2.0
"""Platform tags and what decides them."""

import re
import shutil
import struct
import subprocess
from pathlib import Path

from case import Case, Skipped, case, case_family
from elf_facts import DT_VERNEED, DT_VERNEEDNUM, parse
from judge import judge

OLDEST = "manylinux1_x86_64.manylinux_2_5_x86_64"
NEW_SYMBOL = ("arc4random()&0", "unsigned arc4random(void);")  # GLIBC_2.36


def need_glibc(c: Case, version: tuple[int, int]) -> None:
    import os

    have = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
    if have < version:
        raise Skipped(f"glibc {have} is too old")


def platforms(c: Case) -> list[str]:
    return c.output().name.removesuffix(".whl").rsplit("-", 1)[1].split(".")


def trivial(options: list[str], tags: str, name: str = "zoo-1.0-cp311-cp311-linux_x86_64", env: dict[str, str] | None = None):
    def one(c: Case) -> None:
        c.ext("pkg/_e")
        c.wheel(name)
        c.repair(*options, env=env)
        judge(c, [], {"pkg._e": 1}, unedited=True, tags=tags)

    return one


for label, options, tags in (
        ("auto", [], OLDEST), ("auto-asked-for", ["--plat", "auto"], OLDEST),
        ("floor-2-28", ["--plat", "manylinux_2_28_x86_64"], "manylinux1_x86_64.manylinux_2_28_x86_64.manylinux_2_5_x86_64"),
        ("only-2-28", ["--plat", "manylinux_2_28_x86_64", "--only-plat"], "manylinux_2_28_x86_64"),
        ("floor-2014", ["--plat", "manylinux2014_x86_64"], "manylinux1_x86_64.manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_5_x86_64"),
        ("only-2014", ["--plat", "manylinux2014_x86_64", "--only-plat"], "manylinux2014_x86_64.manylinux_2_17_x86_64"),
        ("only-2-17", ["--plat", "manylinux_2_17_x86_64", "--only-plat"], "manylinux2014_x86_64.manylinux_2_17_x86_64"),
):
    case_family(f"tags-{label}", __name__, "C8", trivial(options, tags))
case_family("tags-name-without-architecture", __name__, "E6 C8", trivial(["--plat", "manylinux_2_28", "--only-plat"], "manylinux_2_28_x86_64"), ours=True)
case_family("tags-from-the-environment", __name__, "E6", trivial([], "manylinux1_x86_64.manylinux_2_28_x86_64.manylinux_2_5_x86_64", env={"AUDITWHEEL_PLAT": "manylinux_2_28_x86_64"}))
case_family("tags-beside-those-in-the-name", __name__, "C8", trivial([], f"manylinux1_x86_64.manylinux_2_31_x86_64.manylinux_2_5_x86_64", "zoo-1.0-cp311-cp311-manylinux_2_31_x86_64"), ours=True)
case_family("no-update-tags-keeps-the-name", __name__, "C8", trivial(["--no-update-tags"], "linux_x86_64"))
case_family("tags-abi3-build-number-and-local-version", __name__, "C10 C9", trivial([], OLDEST, "a_b-1.0+cu130-1-cp38-abi3-linux_x86_64"))
case_family("tags-build-number-with-letters", __name__, "C10 C9", trivial([], OLDEST, "zoo-1.0-7abc-cp311-cp311-linux_x86_64"))
case_family("tags-several-pythons", __name__, "C9 C10", trivial([], OLDEST, "zoo-1.0-cp310.cp311-abi3.cp311-linux_x86_64"))
case_family("tags-dots-in-the-name", __name__, "C10", trivial([], OLDEST, "zoo.sub.core-1.0.post1-cp311-cp311-linux_x86_64"))


@case("C8", ours=True)
def plain_linux_can_be_asked_for(c: Case) -> None:
    need_glibc(c, (2, 36))
    c.ext("pkg/_e", *NEW_SYMBOL)
    c.repair("--plat", "linux", "--only-plat")
    judge(c, [], {"pkg._e": 0}, tags="linux_x86_64", unedited=True)


@case("C1 C16")
def auto_counts_a_new_symbol_of_the_module(c: Case) -> None:
    need_glibc(c, (2, 36))
    c.ext("pkg/_e", *NEW_SYMBOL)
    c.repair()
    judge(c, [], {"pkg._e": 0}, tags="manylinux_2_36_x86_64")


@case("C1")
def auto_counts_a_new_symbol_of_a_graft(c: Case) -> None:
    need_glibc(c, (2, 36))
    a = c.lib("liba.so.1", f"{NEW_SYMBOL[1]} int a(){{return {NEW_SYMBOL[0]};}}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 0}, tags="manylinux_2_36_x86_64")


@case("C1", ours=True)
def a_new_symbol_of_an_excluded_library_does_not_count(c: Case) -> None:
    need_glibc(c, (2, 36))
    a = c.lib("liba.so.1", f"{NEW_SYMBOL[1]} int a(){{return {NEW_SYMBOL[0]};}}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair("--exclude", "liba.so.1")
    judge(c, [], tags=OLDEST)


@case("C16", ours=True)
def a_platform_that_is_not_met_names_file_symbol_and_version(c: Case) -> None:
    need_glibc(c, (2, 36))
    e = c.ext("pkg/_e", *NEW_SYMBOL)
    c.refused("--plat", "manylinux_2_28_x86_64", exit=1, names=(e, "arc4random", "GLIBC_2.36"))


@case("C1 C16", ours=True)
def a_platform_not_met_by_a_graft_names_the_library(c: Case) -> None:
    need_glibc(c, (2, 36))
    a = c.lib("libnewish.so.1", f"{NEW_SYMBOL[1]} int a(){{return {NEW_SYMBOL[0]};}}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.refused("--plat", "manylinux_2_28_x86_64", exit=1, names=("libnewish.so.1", "arc4random", "GLIBC_2.36"))


def weak_version(data: bytes, name: str) -> bytes:
    """Sets VER_FLG_WEAK on one version need, as newer linkers do when only weak symbols ask for it."""
    elf, changed = parse(data), bytearray(data)
    record = elf.value(DT_VERNEED)
    for _ in range(elf.value(DT_VERNEEDNUM)):
        _, count, _, aux, following = struct.unpack("<HHIII", elf.at(record, 16))
        place = record + aux
        for _ in range(count):
            _, flags, _, text, step = struct.unpack("<IHHII", elf.at(place, 16))
            if elf.string(text) == name:
                (load,) = [load for load in elf.loads() if load.vaddr <= place < load.vaddr + load.filesz]
                struct.pack_into("<H", changed, place - load.vaddr + load.offset + 4, flags | 2)
            place += step
        record += following
    assert changed != data
    return bytes(changed)


@case("C5")
def a_weak_version_need_does_not_count(c: Case) -> None:
    """The loader does not ask for it. Without the flag it does, though the symbol is weak: then it counts."""
    need_glibc(c, (2, 36))
    if not c.setting.is_truewheel:
        raise Skipped("auditwheel counts it")
    e = c.ext("pkg/_e", "arc4random?1:2", "extern unsigned arc4random(void) __attribute__((weak));")
    plain = (c.tree / e).read_bytes()
    (c.tree / e).write_bytes(weak_version(plain, "GLIBC_2.36"))
    c.repair()
    judge(c, [], {"pkg._e": 1}, unedited=True, tags=OLDEST)
    (c.tree / e).write_bytes(plain)
    c.wheel(folder="counted")
    c.watched = {}
    c.refused("--plat", "manylinux_2_28_x86_64", exit=1, names=("GLIBC_2.36",), out="out-counted")


def blacklisted(strength: str):
    """Linked against a libc that has no such symbol, so that no version says more than the name does."""

    def one(c: Case) -> None:
        libc = c._shared(c.root / "stub/libc.so.6", "int other(){return 1;}", flags=("-nostdlib",))
        e = c.ext("pkg/_e", "p!=0", f"extern int __cxa_thread_atexit_impl() {strength}; static int (*volatile p)() = __cxa_thread_atexit_impl;", libs=(libc,), flags=("-nostdlib",))
        if strength:
            c.repair("--plat", "manylinux_2_17_x86_64")
            judge(c, [], {"pkg._e": 1}, unedited=True)
        else:
            c.refused("--plat", "manylinux_2_17_x86_64", exit=1, names=("__cxa_thread_atexit_impl", e) if c.setting.is_truewheel else ())

    return one


case_family("a-weak-blacklisted-symbol-is-allowed", __name__, "C5", blacklisted("__attribute__((weak))"))
case_family("a-strong-blacklisted-symbol-is-refused", __name__, "C5", blacklisted(""))


@case("C3")
def versions_of_unknown_families_do_not_restrict(c: Case) -> None:
    libs = []
    for i, (name, version) in enumerate((("zng", "ZLIB_NG_2.1.0"), ("ossl", "OPENSSL_1_1_0"), ("foo", "FOO"), ("six", "6"), ("net", "LIBX_9_9_9"))):
        symbol = version if not version[0].isdigit() else f'"{version}"'
        libs.append(c.lib(f"lib{name}.so.{i}", f"int {name}(){{return {2 ** i};}}", versions=f"{symbol} {{ global: {name}; local: *; }};"))
    c.ext("pkg/_e", "+".join(re.match(r"lib([a-z]+)", path.name)[1] + "()" for path in libs), libs=tuple(libs))
    c.repair()
    judge(c, libs, {"pkg._e": 31}, tags=OLDEST)


@case("C4")
def a_private_glibc_symbol_meets_no_policy(c: Case) -> None:
    stub = c.lib("stub/libc.so.6", "int __secret(){return 1;}", versions="GLIBC_PRIVATE { global: __secret; };", flags=("-nostdlib",))
    c.ext("pkg/_e", "__secret()", libs=(stub,))
    c.wheel()
    shutil.rmtree(stub.parent)
    c.watch()
    c.refused("--plat", "manylinux_2_36_x86_64", exit=1, names=("GLIBC_PRIVATE",) if c.setting.is_truewheel else ())


@case("C4", ours=True)
def auto_with_nothing_met_is_refused(c: Case) -> None:
    stub = c.lib("stub/libc.so.6", "int __secret(){return 1;}", versions="GLIBC_PRIVATE { global: __secret; };", flags=("-nostdlib",))
    c.ext("pkg/_e", "__secret()", libs=(stub,))
    c.wheel()
    shutil.rmtree(stub.parent)
    c.watch()
    c.refused(exit=1, names=("GLIBC_PRIVATE",))


@case("C2")
def vector_maths_needs_the_policy_that_allows_it(c: Case) -> None:
    if not Path("/lib/x86_64-linux-gnu/libmvec.so.1").exists():
        raise Skipped("no libmvec")
    c.ext("pkg/_e", "p!=0", "extern int _ZGVbN2v_cos(); static int (*volatile p)() = _ZGVbN2v_cos;", flags=("-Wl,--no-as-needed", "-l:libmvec.so.1"))
    c.repair()
    judge(c, [], {"pkg._e": 1}, tags="manylinux_2_24_x86_64", unedited=True)


@case("C11")
def an_instruction_set_level_blocks_every_policy(c: Case) -> None:
    c.ext("pkg/_e", flags=("-Wl,-z,x86-64-v3",))
    c.refused("--plat", "manylinux_2_36_x86_64", exit=1, names=("v3",) if c.setting.is_truewheel else ())


@case("C11", ours=True)
def an_instruction_set_level_without_section_headers_blocks_too(c: Case) -> None:
    e = c.ext("pkg/_e", flags=("-Wl,-z,x86-64-v3",))
    data = bytearray((c.tree / e).read_bytes())
    struct.pack_into("<Q", data, 0x28, 0)
    struct.pack_into("<HH", data, 0x3C, 0, 0)
    (c.tree / e).write_bytes(bytes(data))
    c.refused("--plat", "manylinux_2_36_x86_64", exit=1, names=("v3",))


@case("C11")
def the_instruction_set_check_can_be_left_out(c: Case) -> None:
    if " avx2 " not in Path("/proc/cpuinfo").read_text():
        raise Skipped("this processor cannot load it")
    c.ext("pkg/_e", flags=("-Wl,-z,x86-64-v3",))
    c.repair("--disable-isa-ext-check")
    judge(c, [], {"pkg._e": 1}, tags=OLDEST, unedited=True)


@case("B25")
def a_runtime_inside_of_the_wheel_counts(c: Case) -> None:
    real = Path(subprocess.run(["gcc", "-print-file-name=libstdc++.so.6"], capture_output=True, text=True).stdout.strip()).resolve()
    need_glibc(c, (2, 34))
    c.copy(real, "pkg/libstdc++.so.6")
    c.ext("pkg/_e", "f()", "#include <string>\nstatic int f(){ std::string s(\"abc\"); s += s; return s.size(); }", compiler="g++", rpath=("$ORIGIN",))
    c.refused("--plat", "manylinux_2_28_x86_64", exit=1, names=("libstdc++.so.6",) if c.setting.is_truewheel else ())


CXX_NEW = "#include <string>\n#include <charconv>\nstatic int f(){ double d = 0; const char t[] = \"6.5\"; std::from_chars(t, t + 3, d); return (int)d; }"  # GLIBCXX_3.4.29


@case("C1", ours=True)
def libstdcxx_binds_by_policy(c: Case) -> None:
    c.ext("pkg/_e", "f()", CXX_NEW, compiler="g++", flags=("-std=c++17",))
    c.refused("--plat", "manylinux_2_28_x86_64", exit=1, names=("GLIBCXX_3.4.29",))


@case("C1", ours=True)
def libstdcxx_of_the_host_does_not_bind(c: Case) -> None:
    c.ext("pkg/_e", "f()", CXX_NEW, compiler="g++", flags=("-std=c++17",))
    c.repair("--plat", "manylinux_2_28_x86_64", "--libstdcxx", "host")
    judge(c, [], {"pkg._e": 6}, unedited=True)
    c.check("manylinux_2_28_x86_64" in platforms(c), f"tags {platforms(c)}")


@case("C7", ours=True)
def a_false_tag_in_the_name_goes(c: Case) -> None:
    need_glibc(c, (2, 36))
    c.ext("pkg/_e", *NEW_SYMBOL)
    c.wheel("zoo-1.0-cp311-cp311-manylinux1_x86_64.manylinux_2_5_x86_64")
    c.repair()
    judge(c, [], {"pkg._e": 0}, tags="manylinux_2_36_x86_64", unedited=True)


@case("C7", ours=True)
def a_false_tag_that_is_kept_is_told(c: Case) -> None:
    need_glibc(c, (2, 36))
    c.ext("pkg/_e", *NEW_SYMBOL)
    c.wheel("zoo-1.0-cp311-cp311-manylinux_2_5_x86_64")
    outcome = c.repair("--no-update-tags")
    c.check("manylinux_2_5" in outcome.stderr, f"no warning: {outcome.stderr}")
    judge(c, [], {"pkg._e": 0}, tags="manylinux_2_5_x86_64", unedited=True)


@case("C9 D11")
def an_any_tag_with_an_elf_file_becomes_a_platform_tag(c: Case) -> None:
    c.member_lib("pkg/libs.so", "int s(){return 1;}")
    c.file("pkg/__init__.py", "import ctypes, os\ndef value(): return ctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libs.so')).s()\n")
    c.wheel("zoo-1-py2.py3-none-any", purelib=True)
    c.repair()
    judge(c, [], {"pkg": 1}, unedited=True, **({"tags": OLDEST} if c.setting.is_truewheel else {}))


@case("D11 C9")
def a_platform_wheel_that_claims_to_be_pure(c: Case) -> None:
    c.ext("pkg/_e")
    c.wheel(purelib=True)
    c.repair()
    judge(c, [], {"pkg._e": 1}, unedited=True, tags=OLDEST)


@case("C9", ours=True)
def malformed_tags_in_wheel_are_put_right(c: Case) -> None:
    c.ext("pkg/_e")
    c.wheel("zoo-1.0-7-cp311-cp311-linux_x86_64", wheel_text="Wheel-Version: 1.0\nGenerator: zoo (1)\nRoot-Is-Purelib: true\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\nTag: cp311-cp311-linux_x86_64\nX-Own: kept\nBuild: 7\n")
    c.repair()
    one = judge(c, [], {"pkg._e": 1}, unedited=True, tags=OLDEST)
    text = one.after["zoo-1.0.dist-info/WHEEL"].decode()
    c.check("X-Own: kept\n" in text and "Generator: zoo (1)\n" in text, f"headers lost: {text}")


@case("C13", ours=True)
def a_static_program_with_both_families_in_its_name(c: Case) -> None:
    c.program("zoo-1.0.data/scripts/tool", "3", flags=("-static",))
    c.file("pkg/__init__.py", "")
    c.wheel("zoo-1.0-py3-none-manylinux_2_12_x86_64.musllinux_1_1_x86_64")
    outcome = c.run("repair", "-w", str(c.out), str(c.input))
    c.check(outcome.code in (0, 1, 2), f"exit {outcome.code}: {outcome.stderr}")
    if outcome.code == 0:
        c.check({"manylinux_2_12_x86_64", "musllinux_1_1_x86_64"} <= set(platforms(c)), f"tags {platforms(c)}")
    else:
        c.check(outcome.stderr.strip() and not c.out.exists(), "refused without a message, or with an output")


@case("C15", ours=True)
def elf_files_of_other_machines_stay_as_they_are(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    data = bytearray(c._shared(c.root / "fw.so", "int fw(){return 1;}", (a,), rpath=("/build/x",)).read_bytes())
    names = []
    for name, machine in (("arm", 40), ("amdgpu", 224), ("riscv", 243), ("future", 0xFEED)):
        struct.pack_into("<H", data, 18, machine)
        names.append(c.file(f"pkg/fw_{name}.elf", bytes(data)))
    big = bytearray(data)
    big[5] = 2
    names.append(c.file("pkg/fw_big.elf", bytes(big)))
    outcome = c.repair()
    c.check("fw_arm.elf" in outcome.stderr, f"no warning: {outcome.stderr}")
    judge(c, [a], {"pkg._e": 1}, unedited=tuple(names))


@case("C15", ours=True)
def only_elf_files_of_another_machine_are_an_error(c: Case) -> None:
    data = bytearray(c._shared(c.root / "fw.so", "int fw(){return 1;}").read_bytes())
    struct.pack_into("<H", data, 18, 183)
    c.file("pkg/__init__.py", "")
    c.file("pkg/_e.so", bytes(data))
    c.refused(exit=1, names=("x86_64",))


@case("E6", ours=True)
def an_unknown_platform_is_a_usage_error(c: Case) -> None:
    c.ext("pkg/_e")
    c.refused("--plat", "manylinux_2_99_x86_64", exit=2, names=("manylinux_2_99",))


@case("E6", ours=True)
def a_platform_of_another_architecture_is_a_usage_error(c: Case) -> None:
    c.ext("pkg/_e")
    c.refused("--plat", "manylinux_2_28_aarch64", exit=2, names=("manylinux_2_28_aarch64",))


@case("C12", ours=True)
def a_platform_of_another_libc_is_refused(c: Case) -> None:
    c.ext("pkg/_e")
    c.refused("--plat", "musllinux_1_2_x86_64", exit={1, 2}, names=("musllinux_1_2",))
