# SPDX-License-Identifier: Apache-2.0
"""Members, RECORD, metadata and layout of wheels."""

import json
import re
import struct
import zipfile
from pathlib import Path

import build
from build import Entry
from case import Case, case, case_family, pip_install
from judge import graft_name, judge, members, modes


def with_graft(c: Case, module: str = "pkg/_e") -> Path:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.ext(module, "a()", libs=(a,))
    return a


@case("D1", ours=True)
def names_that_need_quotes_and_other_alphabets(c: Case) -> None:
    a = with_graft(c)
    b = c.lib("libb.so.1", "int b(){return 7;}")
    for name in ("a,b.dat", "q\"uote.txt", "sp ace.txt", "ünï.txt", "日本.txt", "semi;colon's.txt", "-dash", "percent%20.txt"):
        c.file(f"pkg/{name}", name)
    c.member_lib("pkg/li,b ü.so", "int s(){return b();}", libs=(b,), soname="libcomma.so")
    c.repair()
    judge(c, [a, b], {"pkg._e": 6})
    path = str(c.site / "pkg/li,b ü.so")
    c.equal(c.python(f"import ctypes; print(ctypes.CDLL({path!r}).s())").strip(), "7", "value of the library with a comma")


@case("D1")
def a_record_that_omits_an_elf_file_is_refused(c: Case) -> None:
    with_graft(c)
    c.member_lib("pkg/hidden.so", "int s(){return 1;}")
    c.record_omits = {"pkg/hidden.so"}
    if not c.setting.is_truewheel:
        c.repair()
        return
    c.refused(exit=3, names=("pkg/hidden.so",))


@case("D1", ours=True)
def a_record_that_omits_an_elf_file_can_be_accepted(c: Case) -> None:
    a = with_graft(c)
    c.member_lib("pkg/hidden.so", "int s(){return a();}", libs=(a,))
    c.record_omits = {"pkg/hidden.so"}
    outcome = c.repair("--accept-record-mismatch")
    c.check("pkg/hidden.so" in outcome.text, f"not listed: {outcome.text}")
    judge(c, [a], {"pkg._e": 6}, rpaths={"pkg/hidden.so": ["$ORIGIN/../zoo.libs"]})


def record_change(change, ours_exit: int = 3):
    """`change` turns the text of RECORD; the wheel is refused, and repaired when asked to accept it."""

    def arrange(entries: list[Entry]) -> list[Entry]:
        entries[-1].data = change(entries[-1].data.decode()).encode()
        return entries

    def one(c: Case) -> None:
        a = with_graft(c)
        c.file("pkg/data.txt", "data")
        c.wheel(arrange=arrange)
        c.refused(exit=ours_exit)
        c.options = []
        c.repair("--accept-record-mismatch")
        judge(c, [a], {"pkg._e": 6})

    return one


DATA_ROW = re.compile(r"^pkg/data\.txt,.*\n", re.M)
for label, change in (
        ("a-wrong-hash", lambda text: re.sub(r"(pkg/data\.txt,sha256=)...", r"\1AAA", text)),
        ("a-wrong-size", lambda text: re.sub(r"(pkg/data\.txt,.*),4", r"\1,5", text)),
        ("a-missing-row", lambda text: DATA_ROW.sub("", text)),
        ("an-extra-row", lambda text: "pkg/absent.txt,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n" + text),
):
    case_family(f"record-with-{label}", __name__, "D2", record_change(change), ours=True)


@case("D2", ours=True)
def a_record_with_carriage_returns_and_other_hashes(c: Case) -> None:
    import base64
    import hashlib

    a = with_graft(c)
    c.file("pkg/data.txt", "data")

    def arrange(entries: list[Entry]) -> list[Entry]:
        other = base64.urlsafe_b64encode(hashlib.sha512(b"data").digest()).decode().rstrip("=")
        entries[-1].data = re.sub(r"pkg/data\.txt,[^,]*", f"pkg/data.txt,sha512={other}", entries[-1].data.decode()).replace("\n", "\r\n").encode()
        return entries

    c.wheel(arrange=arrange)
    c.repair()
    judge(c, [a], {"pkg._e": 6})


def refused_archive(exit: int, *names: str, extra=(), arrange=None):
    def one(c: Case) -> None:
        with_graft(c)
        c.wheel(extra=extra, arrange=arrange)
        c.refused(exit=exit, names=names)

    return one


def doubled(name: str):
    return lambda entries: entries + [Entry(entry.name, entry.data) for entry in entries if entry.name.endswith(name)]


case_family("a-doubled-member-is-refused", __name__, "D2 D4", refused_archive(3, "pkg/__init__.py", arrange=doubled("/__init__.py")), ours=True)
case_family("a-doubled-record-is-refused", __name__, "D2 D4", refused_archive(3, "RECORD", arrange=doubled("/RECORD")), ours=True)
case_family("a-symlink-member-is-refused", __name__, "D7", refused_archive(3, "pkg/link.so", extra=(Entry("pkg/link.so", b"_e.so", 0o120777),)), ours=True)
case_family("a-second-dist-info-is-refused", __name__, "D20", refused_archive(3, "dist-info", extra=(Entry("other-2.0.dist-info/METADATA", b"Name: other\n"),)), ours=True)
case_family("a-path-that-climbs-is-refused", __name__, "D4", refused_archive(3, "evil", extra=(Entry("../evil.py", b""),)), ours=True)
case_family("an-absolute-path-is-refused", __name__, "D4", refused_archive(3, "evil", extra=(Entry("/tmp/evil.py", b""),)), ours=True)
case_family("a-wheel-without-wheel-file-is-refused", __name__, "D2", refused_archive(3, "WHEEL", arrange=lambda entries: [e for e in entries if not e.name.endswith("/WHEEL")]), ours=True)
case_family("a-wheel-without-record-is-refused", __name__, "D2", refused_archive(3, "RECORD", arrange=lambda entries: entries[:-1]), ours=True)


@case("D3", ours=True)
def folder_entries_and_signatures_go(c: Case) -> None:
    a = with_graft(c)
    c.wheel(arrange=lambda entries: [Entry("pkg/", b"", 0o040755), *entries, Entry("zoo-1.0.dist-info/RECORD.jws", b"{}"), Entry("zoo-1.0.dist-info/RECORD.p7s", b"x")])
    c.repair()
    one = judge(c, [a], {"pkg._e": 6})
    c.check(not any(name.endswith(("/", ".jws", ".p7s")) for name in one.after), f"members: {sorted(one.after)}")


@case("D3", ours=True)
def a_record_row_for_a_signature_is_allowed(c: Case) -> None:
    a = with_graft(c)

    def arrange(entries: list[Entry]) -> list[Entry]:
        entries[-1].data = b"zoo-1.0.dist-info/RECORD.jws,,\n" + entries[-1].data
        return entries + [Entry("zoo-1.0.dist-info/RECORD.jws", b"{}")]

    c.wheel(arrange=arrange)
    c.repair()
    judge(c, [a], {"pkg._e": 6})


@case("D6")
def modes_are_made_plain(c: Case) -> None:
    a = with_graft(c)
    for name, mode in (("run.sh", 0o100755), ("odd.sh", 0o100711), ("suid", 0o104755), ("plain", 0o100644), ("secret", 0o100600), ("none", 0o100000), ("absent", None),
                       ("typeless", 0o000755), ("group", 0o100674), ("writeonly", 0o100222)):
        c.file(f"pkg/{name}", name, mode)
    c.repair()
    judge(c, [a], {"pkg._e": 6})
    if c.setting.full:
        executable = {name for name, mode in modes(c.output()).items() if mode == 0o755 and name.startswith("pkg/") and not name.endswith("gnu.so")}
        c.equal(executable, {f"pkg/{name}" for name in ("run.sh", "odd.sh", "suid", "typeless", "group")}, "executable members")


@case("D4 D6", ours=True)
def stored_members_and_a_zip_made_with_descriptors(c: Case) -> None:
    """A wheel written to a pipe: sizes and CRC follow the data."""
    import io

    a = with_graft(c)
    c.file("pkg/big.txt", "x" * 100000)
    path = c.wheel()

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(pipe, "w") as target:
        for i, entry in enumerate(source.infolist()):
            info = zipfile.ZipInfo(entry.filename, entry.date_time)
            info.external_attr = entry.external_attr
            info.create_system = 3
            info.compress_type = zipfile.ZIP_STORED if i % 2 else zipfile.ZIP_DEFLATED
            target.writestr(info, source.read(entry))
    path.write_bytes(bytes(pipe.data))
    c.repair()
    judge(c, [a], {"pkg._e": 6})


def outputs(c: Case, ways: dict[str, dict]) -> dict[str, str]:
    found = {}
    for label, how in ways.items():
        folder = c.root / f"out-{label}"
        how = dict(how)
        env = {**c.search_environment(), **how.pop("env", {})}
        outcome = c.run("repair", "-w", str(folder), *how.pop("options", ()), str(how.pop("input", c.input)), env=env, **how)
        c.check(outcome.code == 0, f"{label}: exit {outcome.code}: {outcome.stderr}")
        (path,) = folder.iterdir()
        found[label] = build.digest(path.read_bytes())
    return found


@case("D8")
def the_same_bytes_whatever_the_surroundings(c: Case) -> None:
    libs = tuple(c.lib(f"lib{name}.so.1", f"int {name}(){{return 1;}}") for name in ("one", "two", "three"))
    for i in range(4):
        c.ext(f"p{i}/_e", "one()+two()+three()", libs=libs[i % 2:])
    c.file("pkg/long.txt", "abcdefgh" * 20000)
    first = c.wheel()
    shuffled = c.wheel(folder="shuffled", arrange=lambda entries: entries[::-1])
    c.input = first
    epoch = {"SOURCE_DATE_EPOCH": "1700000000"}
    found = outputs(c, {
        "plain": {"env": epoch}, "again": {"env": epoch}, "folder": {"env": epoch, "cwd": Path("/")}, "umask": {"env": epoch, "umask": 0o077},
        "zone": {"env": {**epoch, "TZ": "Asia/Kolkata"}}, "locale": {"env": {**epoch, "LC_ALL": "C", "LANG": "tr_TR.UTF-8"}},
        **({"one-job": {"env": epoch, "options": ("-j", "1")}, "many-jobs": {"env": epoch, "options": ("-j", "5")},
            "shuffled": {"env": epoch, "input": shuffled}} if c.setting.is_truewheel else {})})
    c.equal([label for label in found if found[label] != found["plain"]], [], "outputs that differ")


def epoch_case(value: str):
    def one(c: Case) -> None:
        a = with_graft(c)
        c.repair(env={**c.search_environment(), "SOURCE_DATE_EPOCH": value})
        judge(c, [a], {"pkg._e": 6})

    return one


for value in ("0", "315532800", "1700000001", "4000000000"):
    case_family(f"source-date-epoch-{value}", __name__, "D8", epoch_case(value), ours=True)


@case("D9")
def a_module_in_platlib_is_judged_where_it_is_installed(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    e = c.ext("zoo-1.0.data/platlib/pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 6}, rpaths={e: ["$ORIGIN/../zoo.libs"]})


@case("D9", ours=True)
def a_sibling_across_platlib_and_root(c: Case) -> None:
    s = c.member_lib("pkg/libs.so", "int s(){return 6;}")
    e = c.ext("zoo-1.0.data/platlib/pkg2/_e", "s()", libs=(s,))
    c.repair()
    judge(c, [], {"pkg2._e": 6}, rpaths={e: ["$ORIGIN/../pkg"]}, unedited=("pkg/libs.so",))


@case("D9", ours=True)
def a_data_file_that_needs_a_graft_is_refused(c: Case) -> None:
    a = with_graft(c)
    c.member_lib("zoo-1.0.data/data/lib/libd.so", "int d(){return a();}", libs=(a,))
    c.refused(exit=1, names=("zoo-1.0.data/data/lib/libd.so",))


@case("D9", ours=True)
def a_data_file_that_needs_nothing_stays(c: Case) -> None:
    a = with_graft(c)
    c.member_lib("zoo-1.0.data/data/lib/libd.so", "int d(){return 1;}")
    c.file("zoo-1.0.data/headers/zoo.h", "")
    c.file("zoo-1.0.data/purelib/pkg/more.py", "x = 1\n")
    c.repair()
    judge(c, [a], {"pkg._e": 6}, unedited=("zoo-1.0.data/data/lib/libd.so",))


@case("D11")
def elf_files_under_purelib_are_refused_and_named(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    names = [c.ext(f"zoo-1.0.data/purelib/pkg/_{i}", "a()", libs=(a,)) for i in "ef"]
    c.refused(exit=1, names=tuple(names) if c.setting.is_truewheel else ())


@case("D11", ours=True)
def a_package_that_is_called_purelib_is_ordinary(c: Case) -> None:
    a = with_graft(c, "pkg/purelib/_e")
    c.repair()
    judge(c, [a], {"pkg.purelib._e": 6})


def pure(c: Case) -> None:
    c.file("pkg/__init__.py", "")
    c.wheel("zoo-1.0-py3-none-any", purelib=True, arrange=lambda entries: [Entry("pkg/", b"", 0o040755), *entries])


@case("D13")
def a_pure_wheel_is_refused(c: Case) -> None:
    pure(c)
    c.refused(exit=1)


@case("D13")
def a_pure_wheel_is_copied_byte_for_byte_when_allowed(c: Case) -> None:
    pure(c)
    c.repair("--allow-pure-python-wheel")
    c.equal(c.output().name, c.input.name, "name")
    c.check(c.output().read_bytes() == c.input.read_bytes(), "the copy differs")


@case("D15 D16")
def two_distributions_share_a_namespace(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    for name in ("ns_a", "ns_b"):
        c.ext(f"ns/{name}/_e", "a()", libs=(a,), package=False)
        c.wheel(f"{name}-1.0-cp311-cp311-linux_x86_64")
        (c.tree / f"ns/{name}").rename(c.root / name)
        c.out = c.root / f"out-{name}"
        c.watched = {}
        c.repair()
    c.hide_build()
    site = c.root / "site"
    pip_install(["--target", str(site), str(next((c.root / "out-ns_a").iterdir())), str(next((c.root / "out-ns_b").iterdir()))], c.root)
    c.load({"ns.ns_a._e": 6, "ns.ns_b._e": 6}, site=site)
    c.equal(sorted(path.name for path in site.glob("*.libs")), ["ns_a.libs", "ns_b.libs"], "libs folders")


@case("D17", ours=True)
def boms_of_others_are_kept_and_ours_is_added(c: Case) -> None:
    a = with_graft(c)
    own = {"zoo-1.0.dist-info/sboms/auditwheel.cdx.json": b"{\"bomFormat\": \"CycloneDX\"}", "zoo-1.0.dist-info/sboms/x.json": b"{}"}
    c.wheel(extra=tuple(Entry(name, data) for name, data in own.items()))
    c.repair(env={**c.search_environment(), "SOURCE_DATE_EPOCH": "1700000000"})
    one = judge(c, [a], {"pkg._e": 6})
    for name, data in own.items():
        c.check(one.after[name] == data, f"{name} changed")
    bom = json.loads(one.after["zoo-1.0.dist-info/sboms/truewheel.cdx.json"])
    c.equal(bom["bomFormat"], "CycloneDX", "bomFormat")
    c.check("liba" in json.dumps(bom["components"]), f"components: {bom['components']}")
    c.check(bom["metadata"]["timestamp"].startswith("2023-11-14T22:13:20"), f"timestamp {bom['metadata']['timestamp']}")
    c.check(str(c.root) not in json.dumps(bom), "the build's path is in the output")


@case("D17 D14", ours=True)
def no_bom_when_nothing_is_bundled(c: Case) -> None:
    c.ext("pkg/_e")
    c.repair()
    one = judge(c, [], {"pkg._e": 1}, unedited=True)
    c.check(not any("sboms" in name for name in one.after), f"members: {sorted(one.after)}")


@case("D18", ours=True)
def file_names_that_are_no_wheel_names_are_refused(c: Case) -> None:
    c.ext("pkg/_e")
    path = c.wheel()
    for name in ("zoo.whl", "zoo-1.0-cp311-linux_x86_64.whl", "zoo-1.0-cp311-cp311-linux_x86_64.zip", "zoo-dev-cp311-cp311-linux_x86_64.whl"):
        other = c.root / name
        other.write_bytes(path.read_bytes())
        outcome = c.run("repair", "-w", str(c.out), str(other))
        c.check(outcome.code in (2, 3) and outcome.stderr.strip(), f"{name}: exit {outcome.code}: {outcome.stderr}")
        c.check(not c.out.exists() or not list(c.out.iterdir()), f"{name}: an output was written")


@case("D19", ours=True)
def a_temporary_folder_behind_a_symlink(c: Case) -> None:
    a = with_graft(c)
    (c.root / "real-tmp").mkdir()
    (c.root / "tmp").symlink_to("real-tmp")
    c.repair(env={**c.search_environment(), "TMPDIR": str(c.root / "tmp")})
    judge(c, [a], {"pkg._e": 6})
    c.equal(list((c.root / "real-tmp").iterdir()), [], "files left in TMPDIR")


@case("D20")
def a_vendored_dist_info_does_not_count(c: Case) -> None:
    a = with_graft(c)
    c.file("pkg/_vendor/other-2.0.dist-info/METADATA", "Name: other\n")
    c.file("pkg/_vendor/other-2.0.dist-info/RECORD", "wrong,sha256=x,1\n")
    c.repair()
    judge(c, [a], {"pkg._e": 6})


@case("D20", ours=True)
def a_dist_info_spelled_otherwise_is_found(c: Case) -> None:
    a = with_graft(c)
    c.wheel("Zoo_Pkg-1.0-cp311-cp311-linux_x86_64", dist_info="zoo_pkg-1.0.dist-info")
    c.repair()
    judge(c, [a], {"pkg._e": 6}, libs_folder="Zoo_Pkg.libs")


@case("D1 D2", ours=True)
def a_member_that_stands_at_the_name_of_a_graft_stays(c: Case) -> None:
    a = with_graft(c)
    name = f"zoo.libs/{graft_name(a)}"
    c.file(name, "not the library")
    c.repair()
    one = members(c.output())
    c.equal(one[name], b"not the library", f"content of {name}")
    new = [path for path in one if path.startswith("zoo.libs/") and path != name]
    c.equal(len(new), 1, f"count of grafts besides ({new})")
    c.hide_build()
    c.install()
    c.load({"pkg._e": 6})


@case("D1", ours=True)
def elf_files_are_known_by_their_content(c: Case) -> None:
    a = with_graft(c)
    for name in ("pkg/noname", "pkg/lib.py", "pkg/data.txt"):
        c.member_lib(name, "int s(){return a()+1;}", libs=(a,), soname=None)
    c.repair()
    judge(c, [a], {"pkg._e": 6}, rpaths={name: ["$ORIGIN/../zoo.libs"] for name in ("pkg/noname", "pkg/lib.py", "pkg/data.txt")})


@case("D12", ours=True)
def nothing_changes_in_the_members_that_were_not_edited(c: Case) -> None:
    """Their compressed bytes are copied."""
    a = with_graft(c)
    c.ext("pkg/_plain")
    c.file("pkg/big.txt", "".join(str(i) for i in range(50000)))
    c.repair()
    judge(c, [a], {"pkg._e": 6})

    def packed(path: Path) -> dict[str, bytes]:
        data, found = path.read_bytes(), {}
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                name_size, extra_size = struct.unpack_from("<HH", data, entry.header_offset + 26)
                start = entry.header_offset + 30 + name_size + extra_size
                found[entry.filename] = data[start:start + entry.compress_size]
        return found

    before, after = packed(c.input), packed(c.output())
    for name in before:
        if not re.search(r"/_e\.|/WHEEL$|/RECORD$", name):
            c.check(before[name] == after[name], f"{name} was compressed anew")


@case("D5", ours=True)
def a_library_larger_than_the_editors_windows(c: Case) -> None:
    """8 MiB that deflate hardly shrinks, with the edit at the front: the rest keeps its compressed blocks."""
    a = with_graft(c)
    import random

    noise = random.Random(1).randbytes(8 << 20)
    blob = c.root / "noise.bin"
    blob.write_bytes(noise)
    d = c.member_lib("pkg/libbig.so", f"__asm__(\".section .rodata\\n.global blob\\nblob: .incbin \\\"{blob}\\\"\\n.text\");\nextern unsigned char blob[]; int big(){{return blob[8388607]+a();}}",
                     libs=(a,))
    c.ext("pkg/_f", "big()", libs=(d,), rpath=("$ORIGIN",))
    c.repair()
    judge(c, [a], {"pkg._e": 6, "pkg._f": noise[-1] + 6})


@case("C9 D2", ours=True)
def wheel_with_carriage_returns_and_blank_lines(c: Case) -> None:
    a = with_graft(c)
    c.wheel(wheel_text="Wheel-Version: 1.0\r\nGenerator: zoo\r\nRoot-Is-Purelib: false\r\nTag: cp311-cp311-linux_x86_64\r\n\r\n")
    c.repair()
    judge(c, [a], {"pkg._e": 6})


@case("D2")
def other_files_of_the_dist_info_stay(c: Case) -> None:
    a = with_graft(c)
    files = {"licenses/LICENSE": b"MIT", "licenses/sub/a,b.txt": b"x", "entry_points.txt": b"[console_scripts]\nhello = pkg:main\n", "top_level.txt": b"pkg\n", "sboms/other.spdx.json": b"{}"}
    c.wheel(extra=tuple(Entry(f"zoo-1.0.dist-info/{name}", data) for name, data in files.items()))
    c.repair()
    one = judge(c, [a], {"pkg._e": 6})
    for name, data in files.items():
        c.check(one.after[f"zoo-1.0.dist-info/{name}"] == data, f"{name} changed")


@case("Z28", ours=True)
def a_wheel_that_unpacks_to_very_much_needs_a_word(c: Case) -> None:
    a = with_graft(c)
    c.file("pkg/zeros.bin", bytes(80 << 20))
    c.wheel()
    c.watch()
    c.refused(exit=3, names=("--max-ratio",))
    c.repair("--max-ratio", "5000")
    judge(c, [a], {"pkg._e": 6})


@case("E9", ours=True)
def an_input_behind_a_symlink_and_without_write_permission(c: Case) -> None:
    a = with_graft(c)
    path = c.wheel()
    real = c.root / "store" / "0123abcd"
    real.parent.mkdir()
    path.rename(real)
    real.chmod(0o444)
    (c.root / "links dir").mkdir()
    c.input = c.root / "links dir" / path.name
    c.input.symlink_to(real)
    c.repair()
    judge(c, [a], {"pkg._e": 6})


@case("E4", ours=True)
def four_repairs_at_once_into_one_folder(c: Case) -> None:
    import subprocess
    import os

    a = with_graft(c)
    c.wheel()
    c.watch()
    command = [*c.setting.tool, "repair", "-q", "-w", str(c.out), str(c.input)]
    running = [subprocess.Popen(command, env={"PATH": os.environ["PATH"], **c.search_environment()}, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    for one in running:
        _, errors = one.communicate(timeout=100)
        c.equal(one.returncode, 0, f"exit code ({errors.strip()})")
    judge(c, [a], {"pkg._e": 6})


@case("D9 B8", ours=True)
def a_dead_run_path_of_a_data_file_goes_without_a_graft(c: Case) -> None:
    """Dropping an entry needs no fixed way to site-packages."""
    a = with_graft(c)
    c.member_lib("zoo-1.0.data/data/lib/libd.so", "int d(){return 1;}", rpath=("/build/lib",))
    c.repair()
    judge(c, [a], {"pkg._e": 6}, rpaths={"zoo-1.0.data/data/lib/libd.so": []})
