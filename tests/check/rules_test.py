#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""For each rule of `truewheel check` a wheel that breaks it and one just inside.

    rules_test.py TRUEWHEEL [RULE...]
"""

import json
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SUPPORT = Path(__file__).resolve().parent.parent / "support"
MACHINE = platform.machine()
TAG = f"manylinux_2_34_{MACHINE}"
CASES = []


def case(rule, *options, inside=(), severity="error"):
    """Registers a function that yields nothing and fills two trees: broken and inside."""
    def register(function):
        CASES.append((rule, list(options), list(inside) or list(options), severity, function))
        return function
    return register


class Tree:
    """A wheel in the making."""

    def __init__(self, truewheel, scratch, name):
        self.truewheel, self.scratch, self.folder = truewheel, scratch, scratch / name
        self.wheel_name = f"demo-1.0-cp311-cp311-{TAG}.whl"
        (self.folder / "demo").mkdir(parents=True)
        (self.folder / "demo/__init__.py").touch()

    def cc(self, path, source, *flags, soname=None, needs=(), rpath=None, runpath=None, program=False):
        """An ELF file; `needs` are paths of files made before, linked by their SONAME."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        code = self.scratch / "code.c"
        code.write_text(source)
        command = ["gcc", "-O1", "-o", target, code, "-Wl,--no-as-needed", "-Wl,-z,noexecstack"]
        command += [] if program else ["-shared", "-fPIC"]
        command += [f"-Wl,-soname,{soname}"] if soname else []
        command += [self.folder / need if (self.folder / need).exists() else need for need in needs]
        if rpath is not None:
            command += ["-Wl,--disable-new-dtags", f"-Wl,-rpath,{rpath}"]
        if runpath is not None:
            command += ["-Wl,--enable-new-dtags", f"-Wl,-rpath,{runpath}"]
        subprocess.run([*map(str, command), *flags], check=True)
        return path

    def ext(self, path="demo/_x.so", needs=(), **more):
        return self.cc(path, "int PyInit__x(void) { return 1; }", needs=needs, **more)

    def lib(self, path, **more):
        name = Path(path).name
        return self.cc(path, f"int f_{abs(hash(path)) % 99999}(void) {{ return 1; }}", soname=more.pop("soname", name), **more)

    def outside(self, name, versions=""):
        """A library that is not packed."""
        path = self.scratch / "outside" / name
        path.parent.mkdir(exist_ok=True)
        code = self.scratch / "outside.c"
        code.write_text("int outside(void) { return 1; }")
        command = ["gcc", "-shared", "-fPIC", "-o", path, code, f"-Wl,-soname,{name}"]
        if versions:
            (self.scratch / "map").write_text(versions)
            command.append(f"-Wl,--version-script={self.scratch / 'map'}")
        subprocess.run(list(map(str, command)), check=True)
        return path

    def patch(self, path, *options):
        subprocess.run([self.truewheel, "patchelf", *options, str(self.folder / path)], check=True)

    def pack(self):
        out = self.scratch / f"dist-{self.folder.name}" / self.wheel_name
        subprocess.run([sys.executable, SUPPORT / "pack_wheel.py", self.folder, out], check=True)
        return out


@case("R001")
def absolute_entry(broken, inside):
    broken.ext(runpath="/opt/demo/lib")
    inside.ext(runpath="$ORIGIN/../demo")


@case("R002")
def entry_names_a_file(broken, inside):
    for tree, entry in ((broken, "$ORIGIN/../demo.libs/libfoo.so.1"), (inside, "$ORIGIN/../demo.libs")):
        lib = tree.lib("demo.libs/libfoo.so.1")
        tree.ext(needs=[lib], rpath=entry)


@case("R002", "--ignore", "R003")
def file_name_in_place_of_a_run_path(broken, inside):
    """patchelf 0.14.3's fault: the new NEEDED name where the run path was."""
    for tree, entry in ((broken, "libglog-0a1b2c3d.so.0.4.0"), (inside, "$ORIGIN/../demo.libs")):
        lib = tree.lib("demo.libs/libglog-0a1b2c3d.so.0.4.0")
        tree.ext(needs=[lib], rpath=entry)


@case("R003")
def relative_entry(broken, inside):
    broken.ext(runpath="lib:$ORIGIN")
    inside.ext(runpath="$ORIGIN")


@case("R003")
def entry_above_the_installation(broken, inside):
    broken.ext(runpath="$ORIGIN/../../lib")
    inside.ext(runpath="$ORIGIN/../torch/lib")


@case("R004", "--ignore", "R001")
def stub_folder(broken, inside):
    broken.ext(runpath="/usr/local/cuda/lib64/stubs")
    inside.ext(runpath="/usr/local/cuda/lib64")


@case("R004", "--ignore", "R001")
def toolkit_of_one_version(broken, inside):
    broken.ext(runpath="/opt/rocm-7.2.3/lib")
    inside.ext(runpath="/opt/rocm/lib")


@case("R005")
def library_that_nobody_has(broken, inside):
    broken.ext(needs=[broken.outside("libnobody.so.1")])
    inside.ext(needs=[inside.outside("libz.so.1")])


@case("R005")
def library_of_another_distribution(broken, inside):
    """demo needs demo-runtime, which installs into demo/runtime/lib (PyQt6 and PyQt6-Qt6)."""
    for tree in (broken, inside):
        tree.ext(needs=[tree.outside("libruntime.so.1")], rpath="$ORIGIN/runtime/lib")
    info = inside.folder / "demo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo\nVersion: 1.0\nRequires-Dist: Demo-Runtime (==1.0)\n")


@case("R006", severity="warning")
def library_that_an_import_of_another_distribution_loads(broken, inside):
    """cudf-cu12 needs libcudf.so, which the import of libcudf-cu12 has loaded."""
    for tree, name in ((broken, "libruntime.so.1"), (inside, "libz.so.1")):
        tree.ext(needs=[tree.outside(name)])
        info = tree.folder / "demo-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo\nVersion: 1.0\nRequires-Dist: libruntime-cu12\n")


@case("R005")
def library_that_no_path_leads_to(broken, inside):
    for tree, entry in ((broken, "$ORIGIN"), (inside, "$ORIGIN/../demo.libs")):
        lib = tree.lib("demo.libs/libfoo.so.1")
        tree.ext(needs=[lib], rpath=entry)


@case("R006", severity="warning")
def library_found_by_load_order(broken, inside):
    for tree, entry in ((broken, None), (inside, "$ORIGIN")):
        first = tree.lib("demo.libs/libfirst.so")
        second = tree.lib("demo.libs/libsecond.so", needs=[first], runpath=entry)
        tree.ext(needs=[first, second], runpath="$ORIGIN/../demo.libs")


@case("R006", "--ignore", "G", severity="warning")
def vendor_library_without_a_path(broken, inside):
    broken.ext(needs=[broken.outside("libtorch.so")])
    inside.ext(needs=[inside.outside("libtorch.so")], rpath="$ORIGIN/../torch/lib")


@case("R007", severity="warning")
def mixed_kinds(broken, inside):
    for tree, second in ((broken, {"runpath": "$ORIGIN"}), (inside, {"rpath": "$ORIGIN"})):
        tree.ext("demo/_a.so", rpath="$ORIGIN")
        tree.cc("demo/_b.so", "int PyInit__b(void) { return 2; }", **second)


@case("R008")
def library_with_and_without_hash(broken, inside):
    for tree, name in ((broken, "libfoo-0a1b2c3d.so"), (inside, "libbar-0a1b2c3d.so")):
        plain = tree.lib("demo/libfoo.so")
        hashed = tree.lib(f"demo.libs/{name}")
        tree.ext("demo/_a.so", needs=[plain], rpath="$ORIGIN")
        tree.cc("demo/_b.so", "int PyInit__b(void) { return 2; }", needs=[hashed], rpath="$ORIGIN/../demo.libs")


@case("R009")
def copied_links(broken, inside):
    for tree in (broken, inside):
        tree.lib("demo/libplugin.so.1.2")
    for name in ("libplugin.so.1", "libplugin.so"):
        shutil.copy(broken.folder / "demo/libplugin.so.1.2", broken.folder / "demo" / name)


@case("R010", "--ignore", "R005")
def version_need_of_another_name(broken, inside):
    for tree in (broken, inside):
        foo = tree.outside("libfoo.so.1", "FOO_1 { global: *; };")
        tree.cc("demo/_x.so", "int outside(void); int PyInit__x(void) { return outside(); }", needs=[foo])
    # Only NEEDED is renamed, as a tool did that forgot .gnu.version_r: both strings have one length.
    path = broken.folder / "demo/_x.so"
    data = bytearray(path.read_bytes())
    table = subprocess.run(["readelf", "-dW", path], check=True, capture_output=True, text=True).stdout
    assert "libfoo.so.1" in table
    replace_needed(data, b"libfoo.so.1\0", b"libc.so.6\0")
    path.write_bytes(data)


@case("R010")
def version_need_of_a_library_that_another_one_brings(broken, inside):
    """What patchelf --remove-needed leaves: glibc finds the name among all that is loaded."""
    for tree in (broken, inside):
        tree.outside("libfoo.so.1", "FOO_1 { global: *; };")
        shutil.copy(tree.scratch / "outside/libfoo.so.1", tree.folder / "demo/libfoo.so.1")
        shutil.copy(tree.scratch / "outside/libfoo.so.1", tree.folder / "demo/libbar.so.1")
        brings = "demo/libfoo.so.1" if tree is inside else "demo/libdull.so.1"
        tree.lib("demo/libdull.so.1")
        bar = tree.lib("demo/libbar.so.1", needs=[brings], runpath="$ORIGIN")
        tree.cc("demo/_x.so", "int outside(void); int PyInit__x(void) { return outside(); }",
                needs=["demo/libfoo.so.1", bar], runpath="$ORIGIN")
        path = tree.folder / "demo/_x.so"
        data = bytearray(path.read_bytes())
        replace_needed(data, b"libfoo.so.1\0", b"libbar.so.1\0")
        path.write_bytes(data)


@case("R013")
def library_without_a_version_that_is_needed_of_it(broken, inside):
    for tree in (broken, inside):
        foo = tree.outside("libfoo.so.1", "FOO_1 { }; FOO_2 { global: outside; } FOO_1;")
        shutil.copy(foo, tree.folder / "demo/libfoo.so.1")
        tree.cc("demo/_x.so", "int outside(void); int PyInit__x(void) { return outside(); }",
                needs=["demo/libfoo.so.1"], runpath="$ORIGIN")
    old = broken.outside("libfoo.so.1", "FOO_1 { global: outside; };")
    shutil.copy(old, broken.folder / "demo/libfoo.so.1")


def replace_needed(data, old, new):
    """Points the NEEDED entry of `old` at another string of .dynstr."""
    dynamic, strings = data.index(b"\x7fELF") * 0, None
    phoff = int.from_bytes(data[32:40], "little")
    count = int.from_bytes(data[56:58], "little")
    loads = []
    for i in range(count):
        at = phoff + i * 56
        kind = int.from_bytes(data[at:at + 4], "little")
        offset, vaddr, _, filesz = (int.from_bytes(data[at + 8 + 8 * k:at + 16 + 8 * k], "little") for k in range(4))
        if kind == 1:
            loads.append((vaddr, offset, filesz))
        if kind == 2:
            dynamic, size = offset, filesz
    entries = []
    for at in range(dynamic, dynamic + size, 16):
        tag, value = (int.from_bytes(data[at + 8 * k:at + 8 * k + 8], "little") for k in range(2))
        entries.append((at, tag, value))
        if tag == 5:
            strings = next(offset + value - vaddr for vaddr, offset, filesz in loads if vaddr <= value < vaddr + filesz)
    wanted = data.index(new, strings) - strings
    for at, tag, value in entries:
        if tag == 1 and data[strings + value:strings + value + len(old)] == old:
            data[at + 8:at + 16] = wanted.to_bytes(8, "little")
            return
    raise AssertionError("no such NEEDED entry")


@case("R011", "--ignore", "R005")
def needed_by_path(broken, inside):
    library = broken.scratch / "build/libplain.so"
    library.parent.mkdir(exist_ok=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), "-xc", "/dev/null"], check=True)
    broken.ext(needs=[library])
    inside.ext(needs=[inside.outside("libnobody.so.1")])


@case("R012", severity="warning")
def libpython_needed(broken, inside):
    broken.ext(needs=[broken.outside("libpython3.11.so.1.0")])
    inside.ext()


@case("E001")
def overlapping_segments(broken, inside):
    for tree in (broken, inside):
        tree.ext()
    path = broken.folder / "demo/_x.so"
    data = bytearray(path.read_bytes())
    # The last LOAD is moved into the page of the one before it.
    phoff, count = int.from_bytes(data[32:40], "little"), int.from_bytes(data[56:58], "little")
    loads = [phoff + i * 56 for i in range(count) if int.from_bytes(data[phoff + i * 56:phoff + i * 56 + 4], "little") == 1]
    size = int.from_bytes(data[loads[-2] + 40:loads[-2] + 48], "little")
    data[loads[-2] + 40:loads[-2] + 48] = (size + 0x4000).to_bytes(8, "little")
    path.write_bytes(data)


@case("E002", severity="warning")
def fixed_address(broken, inside):
    broken.cc("demo/tool", "int main(void) { return 0; }", "-no-pie", program=True)
    inside.cc("demo/tool", "int main(void) { return 0; }", "-pie", "-fPIE", program=True)


@case("E004")
def section_elsewhere(broken, inside):
    for tree in (broken, inside):
        tree.ext()
    path = broken.folder / "demo/_x.so"
    data = bytearray(path.read_bytes())
    shoff, count = int.from_bytes(data[40:48], "little"), int.from_bytes(data[60:62], "little")
    for i in range(count):
        at = shoff + i * 64
        if int.from_bytes(data[at + 4:at + 8], "little") == 11:  # SHT_DYNSYM
            address = int.from_bytes(data[at + 16:at + 24], "little")
            data[at + 16:at + 24] = (address + 8).to_bytes(8, "little")
    path.write_bytes(data)


@case("E005", severity="warning")
def executable_stack(broken, inside):
    broken.ext()
    broken.patch("demo/_x.so", "--set-execstack")
    inside.ext()


@case("E007", severity="warning")
def interpreter_of_the_build_machine(broken, inside):
    for tree, flags in ((broken, ["-Wl,--dynamic-linker=/nix/store/abc-glibc/lib/ld-linux-x86-64.so.2"]), (inside, [])):
        tree.cc("demo/tool", "int main(void) { return 0; }", *flags, program=True)


@case("G001")
def driver_bundled(broken, inside):
    for tree, name in ((broken, "libcuda-0a1b2c3d.so.1"), (inside, "libdemo-0a1b2c3d.so.1")):
        lib = tree.lib(f"demo.libs/{name}")
        tree.ext(needs=[lib], rpath="$ORIGIN/../demo.libs")


@case("G002", "--exclude", "libwrong.so.1", inside=("--exclude", "libnobody*"), severity="warning")
def dead_pattern(broken, inside):
    for tree in (broken, inside):
        tree.ext(needs=[tree.outside("libnobody.so.1")])
    CASES_IGNORE.add("R005")


@case("G003", "--max-size", "1kB", inside=("--max-size", "1MB"))
def budget(broken, inside):
    broken.ext()
    inside.ext()


@case("G004", "--ignore", "R006", severity="warning")
def nobody_brings_it(broken, inside):
    for tree in (broken, inside):
        tree.ext(needs=[tree.outside("libtorch.so")])
    info = inside.folder / "demo-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: demo\nVersion: 1.0\nRequires-Dist: torch (>=2)\n")


@case("G005", severity="warning")
def bound_to_the_machine(broken, inside):
    for tree, name in ((broken, "libGL-0a1b2c3d.so.1"), (inside, "libGLU-0a1b2c3d.so.1")):
        lib = tree.lib(f"demo.libs/{name}")
        tree.ext(needs=[lib], rpath="$ORIGIN/../demo.libs")


@case("G006", severity="warning")
def ended_branch(broken, inside):
    for tree, name in ((broken, "libcrypto-0a1b2c3d.so.1.1"), (inside, "libcrypto-0a1b2c3d.so.3")):
        lib = tree.lib(f"demo.libs/{name}")
        tree.ext(needs=[lib], rpath="$ORIGIN/../demo.libs")


@case("T001")
def tag_too_old(broken, inside):
    for tree in (broken, inside):
        tree.cc("demo/_x.so", "#include <stdlib.h>\nextern unsigned arc4random(void);"
                " unsigned PyInit__x(void) { return arc4random(); }")
    inside.wheel_name = inside.wheel_name.replace("2_34", "2_36")


@case("T002")
def other_tag_in_wheel_file(broken, inside):
    for tree, tag in ((broken, "cp311-cp311-linux_x86_64"), (inside, f"cp311-cp311-{TAG}")):
        tree.ext()
        info = tree.folder / "demo-1.0.dist-info"
        info.mkdir()
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: false\nTag: {tag}\n")


@case("T003", "--target-glibc", "2.31", inside=("--target-glibc", "2.34"))
def target_too_old(broken, inside):
    broken.ext()
    inside.ext()


@case("T004")
def elf_in_purelib(broken, inside):
    broken.ext("demo-1.0.data/purelib/demo/_x.so")
    inside.ext("demo-1.0.data/platlib/demo/_x.so")


@case("T005", severity="warning")
def other_machine(broken, inside):
    for tree in (broken, inside):
        tree.ext()
    data = bytearray((broken.folder / "demo/_x.so").read_bytes())
    data[18:20] = (8).to_bytes(2, "little")  # EM_MIPS
    (broken.folder / "demo/_firmware.so").write_bytes(data)


@case("Z001")
def wrong_record(broken, inside):
    for tree in (broken, inside):
        tree.ext()
    info = broken.folder / "demo-1.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("demo/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n")


@case("Z001")
def program_without_execute_bit(broken, inside):
    for tree, mode in ((broken, 0o644), (inside, 0o755)):
        tree.cc("demo/tool", "int main(void) { return 0; }", "-pie", "-fPIE", program=True)
        (tree.folder / "demo/tool").chmod(mode)


@case("N001", "--require-needed", "demo/_x.so:libamdhip64.so.*", "--ignore", "R,G")
def wrong_variant(broken, inside):
    broken.ext()
    inside.ext(needs=[inside.outside("libamdhip64.so.7")])


@case("N001", "--forbid-needed", "demo/*:libcuda.so*", "--ignore", "R,G")
def forbidden_library(broken, inside):
    broken.ext(needs=[broken.outside("libcuda.so.1")])
    inside.ext()


@case("N001", "--expect-name", "other-*", inside=("--expect-name", "demo-*"))
def wrong_name(broken, inside):
    broken.ext()
    inside.ext()


CASES_IGNORE = set()


def findings(truewheel, wheel, options, wanted_exit=None):
    done = subprocess.run([truewheel, "check", "--json", str(wheel), *options], capture_output=True, text=True)
    assert done.returncode in (0, 1), f"exit {done.returncode}: {done.stderr}"
    found = [finding for subject in json.loads(done.stdout)["subjects"] for finding in subject["findings"]]
    has_error = any(finding["severity"] == "error" for finding in found)
    assert done.returncode == int(has_error), f"exit {done.returncode} with {found}"
    return found


def judge(truewheel, rule, options, inside_options, severity, function):
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        broken, inside = Tree(truewheel, scratch, "broken"), Tree(truewheel, scratch, "inside")
        CASES_IGNORE.clear()
        function(broken, inside)
        found = [f for f in findings(truewheel, broken.pack(), options) if f["rule"] == rule]
        assert found, f"{rule}: {function.__name__}: the broken wheel passes"
        assert any(f["severity"] == severity for f in found), f"{rule}: {function.__name__}: {found}"
        # The message names the member, or the value, that it is about.
        assert all(f["message"] and (f["member"] or f["value"]) for f in found), found
        rest = [f for f in findings(truewheel, inside.pack(), inside_options)
                if f["severity"] != "note" and f["rule"] not in CASES_IGNORE]
        assert not rest, f"{rule}: {function.__name__}: the wheel just inside has {rest}"
        # An allow list takes exactly that finding away.
        value = found[0]["value"] or found[0]["member"]
        if "[" not in value and ":" not in rule:
            left = findings(truewheel, broken.pack(), [*options, "--allow", f"{rule}:{value}"])
            assert len([f for f in left if f["rule"] == rule]) < len(found), f"{rule}: --allow {value} takes nothing away"


def device_code(truewheel):
    """E003: the same member of the wheel before and after, with and without a changed fat binary."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        trees = [Tree(truewheel, scratch, label) for label in ("before", "same", "changed")]
        for tree, content in zip(trees, ("abcd", "abcd", "abce")):
            tree.cc("demo/_x.so", f'__attribute__((section(".hip_fatbin"), used)) const char blob[] = "{content}";'
                    " int PyInit__x(void) { return 1; }")
        before, same, changed = (tree.pack() for tree in trees)
        assert not findings(truewheel, same, ["--compare", str(before)])
        assert [f["rule"] for f in findings(truewheel, changed, ["--compare", str(before)])] == ["E003"]
        # Device code that is not there any more, and a wheel of which nothing is there.
        gone = Tree(truewheel, scratch, "gone")
        gone.ext("demo/_y.so")
        found = findings(truewheel, gone.pack(), ["--compare", str(before)])
        assert [(f["rule"], f["member"]) for f in found] == [("E003", "demo/_x.so"), ("E003", "")], found
        plain = Tree(truewheel, scratch, "plain")
        plain.ext("demo/_z.so")
        found = findings(truewheel, same, ["--compare", str(plain.pack())])
        assert [f["rule"] for f in found] == ["E003"] and "nothing was compared" in found[0]["message"], found


def pages_of_the_linker(truewheel):
    """E001: a file that was laid out for small pages shares none of those, whatever kernels its machine also has."""
    with tempfile.TemporaryDirectory() as name:
        for page, complaints in ((4096, 0), (65536, 0)):
            tree = Tree(truewheel, Path(name), f"page{page}")
            tree.wheel_name = "demo-1.0-cp311-cp311-manylinux_2_34_aarch64.whl"
            path = tree.folder / tree.ext("demo/_x.so", needs=(), rpath=None)
            tree.cc("demo/_x.so", "int PyInit__x(void) { return 1; }", f"-Wl,-z,max-page-size={page}", "-nostdlib")
            data = bytearray(path.read_bytes())
            data[18:20] = (183).to_bytes(2, "little")  # EM_AARCH64
            path.write_bytes(data)
            found = [f for f in findings(truewheel, tree.pack(), []) if f["rule"] == "E001"]
            assert len(found) == complaints, found


def main(truewheel, only):
    known = [line.split()[0] for line in subprocess.run([truewheel, "check", "--list-rules"], check=True,
                                                        capture_output=True, text=True).stdout.splitlines()]
    tested = {rule for rule, *_ in CASES} | {"E003"}
    missing = set(known) - tested - {"E006"}
    assert not missing, f"no wheel breaks {missing}"
    failures = 0
    for rule, options, inside, severity, function in CASES:
        if only and rule not in only:
            continue
        try:
            judge(truewheel, rule, options, inside, severity, function)
        except (AssertionError, subprocess.CalledProcessError) as error:
            failures += 1
            print(f"FAILED {error}")
    device_code(truewheel)
    pages_of_the_linker(truewheel)
    print(f"{len(CASES) + 1} cases, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    if MACHINE != "x86_64" or not shutil.which("gcc"):
        print("skipped: needs gcc on x86_64")
        sys.exit(77)
    sys.exit(main(sys.argv[1], set(sys.argv[2:])))
