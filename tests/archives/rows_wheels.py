# SPDX-License-Identifier: Apache-2.0
"""What makes an archive a wheel: .dist-info, RECORD, WHEEL, .data, names that grafts take (Z45 to Z49, Z54 to Z56)."""

from collections.abc import Callable, Iterator

from cases import UNFIT, Case, refused, row, taken, warned
from wheel_bytes import INFO, LIBRARY, METADATA, TEXT, WHEEL, Zip, digest, files_of, good, record_of, tiny_library, wheel_of

RECORD = f"{INFO}/RECORD"
DATA = INFO.removesuffix(".dist-info") + ".data"
ACCEPT = "--accept-record-mismatch"


@row
def z45() -> Iterator[Case]:
    everything = files_of()
    plain = {name: data for name, data in everything.items() if not name.startswith(INFO)}
    yield refused("no .dist-info", "dist-info-missing", wheel_of(plain, has_record=False))
    yield refused(".dist-info is a file", "dist-info-missing", wheel_of(plain | {INFO: b""}, has_record=False))
    yield refused("a second one that is a file", "dist-info-several", good({"other-1.0.dist-info": b""}))
    yield refused(".dist-info is not at the root", "dist-info-missing", wheel_of(plain | {f"odd/{name}": data for name, data in everything.items() if name.startswith(INFO)}, has_record=False))
    for other in ("other-1.0.dist-info", "odd-2.0.dist-info", "odd.dist-info", ".dist-info", "odd-1.0.0.dist-info", "ODD-1.0.dist-info", "Odd-1.0.dist-info"):
        yield refused(f"a second one, {other}", "dist-info-several", good({f"{other}/METADATA": METADATA.encode()}))
    for info in ("other-1.0.dist-info", "odd-2.0.dist-info", "odd.dist-info", "odd-.dist-info", "-1.0.dist-info", "odd1.0.dist-info", "odd-1.0-1.dist-info", ".dist-info", "odd-1.0.1.dist-info"):
        yield refused(f"it is {info}", "dist-info-mismatch", wheel_of(files_of(info=info), info=info))
    for info in ("Odd-1.0.dist-info", "ODD-1.0.dist-info", "odd-1.dist-info", "odd-1.0.0.dist-info", "odd-v1.0.dist-info"):
        yield taken(f"it is spelled {info}", wheel_of(files_of(info=info), info=info), judged=False)
    yield refused("a folder of data of another wheel", "dist-info-data", good({"other-1.0.data/purelib/x.py": b""}))
    yield refused("a folder of data of another version", "dist-info-data", good({"odd-2.0.data/purelib/x.py": b""}))
    yield refused("METADATA is missing", "metadata-missing", wheel_of(files_of(without=[f"{INFO}/METADATA"])))
    yield refused("METADATA is in another case", "metadata-missing", wheel_of(files_of({f"{INFO}/metadata": METADATA.encode()}, without=[f"{INFO}/METADATA"])))
    for what, id, text in (
            ("empty", "metadata-name", ""), ("without Name", "metadata-name", "Metadata-Version: 2.1\nVersion: 1.0\n"), ("without Version", "metadata-version", "Metadata-Version: 2.1\nName: odd\n"),
            ("of another distribution", "metadata-name", METADATA.replace("odd", "even")), ("of another version", "metadata-version", METADATA.replace(" 1.0", " 1.0.1")),
            ("of two distributions", "metadata-name", METADATA + "Name: even\n"), ("of two versions", "metadata-version", METADATA + "version: 2\n"),
            ("with its Name in the description", "metadata-name", "Metadata-Version: 2.1\nVersion: 1.0\n\nName: odd\n"), ("with a byte order mark", "metadata-name", "\ufeff" + METADATA),
            ("with another Name behind a carriage return", "metadata-name", METADATA + "Summary: x\rName: even\n"), ("with a Version that is none", "metadata-version", METADATA.replace(" 1.0", " one"))):
        yield refused(f"METADATA is {what}", id, wheel_of(files_of(metadata=text)))
    yield refused("METADATA is in Latin-1", "metadata-encoding", wheel_of(files_of() | {f"{INFO}/METADATA": METADATA.encode() + b"Summary: \xe9\n"}))
    for what, text in (("the Name in capitals", METADATA.replace("odd", "ODD")), ("a longer Version", METADATA.replace(" 1.0", " 1.0.0")), ("CRLF", METADATA.replace("\n", "\r\n")), ("a folded line", METADATA + "Summary: a\n Name: even\n"),
                       ("a description that begins with a Name", METADATA + "\nName: even\n"), ("the same Name twice", METADATA + "Name: odd\n")):
        yield taken(f"METADATA has {what}", wheel_of(files_of(metadata=text)))
    for name in ("odd.whl", "odd-1.0.whl", "odd-1.0-py3-none.whl", "odd-1.0-py3-none-linux_x86_64.zip", "-1.0-py3-none-linux_x86_64.whl", "odd--py3-none-linux_x86_64.whl",
                 "odd-1.0-py3-none-.whl", "odd-1.0-py3..py2-none-linux_x86_64.whl", "odd-1.0-1-py3-none-linux_x86_64-a-b.whl", "o d-1.0-py3-none-linux_x86_64.whl", "odd-one-py3-none-linux_x86_64.whl"):
        yield refused(f"the file is {name}", "wheel-name", good(), file_name=name)
    yield refused("the file is of another distribution", "dist-info-mismatch", good(), file_name="even-1.0-py3-none-linux_x86_64.whl")
    yield refused("the file is of another version", "dist-info-mismatch", good(), file_name="odd-1.1-py3-none-linux_x86_64.whl")


def recorded(change: Callable[[str], str | bytes], more: dict[str, bytes] | None = None) -> Zip:
    """RECORD's text is changed."""
    files = files_of(more)
    return wheel_of(files, change(record_of(files, RECORD)))


@row
def z46() -> Iterator[Case]:
    yield refused("missing", "record-missing", wheel_of(files_of(), has_record=False))
    yield refused("in another case", "record-missing", wheel_of(files_of({f"{INFO}/record": b""}), has_record=False))
    text_row = f"odd/text.txt,{digest(TEXT)},{len(TEXT)}\n"
    mismatches = {
        "empty": lambda text: "", "a row is missing": lambda text: text.replace(text_row, ""), "the row of an ELF file is missing": lambda text: "".join(line for line in text.splitlines(True) if "lib.so" not in line),
        "a row too many": lambda text: f"odd/gone.py,{digest(b'')},0\n" + text, "a wrong hash": lambda text: text.replace(digest(TEXT), digest(b"x")), "a wrong size": lambda text: text.replace(f",{len(TEXT)}\n", ",5\n"),
        "no hash": lambda text: text.replace(digest(TEXT), ""), "a row with neither": lambda text: text.replace(text_row, "odd/text.txt,,\n"), "a hash for RECORD": lambda text: text.replace(f"{RECORD},,", f"{RECORD},{digest(b'')},0"),
        "a folder's row": lambda text: "odd/,,\n" + text, "a path with a dot": lambda text: text.replace("odd/text.txt", "./odd/text.txt"), "another case": lambda text: text.replace("odd/text.txt", "odd/Text.txt"),
        "a path with a space": lambda text: text.replace("odd/text.txt,", "odd/text.txt ,"), "another sha512": lambda text: text.replace(digest(TEXT), digest(b"x", "sha512")), "a doubled slash": lambda text: text.replace("odd/text.txt", "odd//text.txt"),
        "a long size": lambda text: text.replace(f",{len(TEXT)}\n", f",{len(TEXT) + (1 << 32)}\n")}
    for what, change in mismatches.items():
        yield refused(what, "record-mismatch", recorded(change), accept=ACCEPT)
    broken = {
        "a row twice": (lambda text: text_row + text, "record-duplicate"), "a row twice that differs": (lambda text: f"odd/text.txt,{digest(b'x')},1\n" + text, "record-duplicate"), "RECORD's row twice": (lambda text: f"{RECORD},,\n" + text, "record-duplicate"),
        "a path that climbs": (lambda text: "../x,,\n" + text, "record-path"), "a path that climbs far": (lambda text: f"../../../../etc/passwd,{digest(b'')},0\n" + text, "record-path"), "a path that climbs inside": (lambda text: "odd/../odd/x,,\n" + text, "record-path"),
        "an absolute path": (lambda text: "/etc/passwd,,\n" + text, "record-path"), "a drive": (lambda text: "C:/x,,\n" + text, "record-path"), "a backslash": (lambda text: "odd\\text.txt,,\n" + text, "record-path"),
        "an empty path": (lambda text: ",,\n" + text, "record-path"), "md5": (lambda text: text.replace(digest(TEXT), digest(TEXT, "md5")), "record-weak-hash"), "sha1": (lambda text: text.replace(digest(TEXT), digest(TEXT, "sha1")), "record-weak-hash"),
        "an unknown algorithm": (lambda text: text.replace("sha256=", "crc32=", 1), "record-hash"), "a hash without algorithm": (lambda text: text.replace("sha256=", "", 1), "record-hash"), "a hash in hex": (lambda text: text.replace(digest(TEXT), "sha256=" + "ab" * 32), "record-hash"),
        "a padded hash": (lambda text: text.replace(digest(TEXT), digest(TEXT) + "="), "record-hash"), "a hash in plain base64": (lambda text: text.replace(digest(TEXT), "sha256=" + "+/" * 21 + "A"), "record-hash"), "half a hash": (lambda text: text.replace(digest(TEXT), digest(TEXT)[:30]), "record-hash"),
        "a size that is no number": (lambda text: text.replace(f",{len(TEXT)}\n", ",many\n"), "record-size"), "a negative size": (lambda text: text.replace(f",{len(TEXT)}\n", ",-1\n"), "record-size"), "a size of 2^70": (lambda text: text.replace(f",{len(TEXT)}\n", f",{1 << 70}\n"), "record-size"),
        "a size in hex": (lambda text: text.replace(f",{len(TEXT)}\n", f",{len(TEXT):#x}\n"), "record-size"), "two columns": (lambda text: "odd/text.txt,sha256=x\n" + text, "record-columns"), "one column": (lambda text: "odd\n" + text, "record-columns"),
        "four columns": (lambda text: text.replace(text_row, text_row[:-1] + ",x\n"), "record-columns"), "an open quote": (lambda text: '"odd/text.txt,,\n' + text, "record-csv"), "text behind a quote": (lambda text: '"odd/x"y,,\n' + text, "record-csv"),
        "a lone carriage return": (lambda text: text.replace("\n", "\r"), "record-csv"), "semicolons": (lambda text: text.replace(",", ";"), "record-columns"), "tabs": (lambda text: text.replace(",", "\t"), "record-columns"),
        "a byte order mark": (lambda text: "\ufeff" + text, "record-encoding"), "Latin-1": (lambda text: text.encode() + b"caf\xe9,,\n", "record-encoding"), "UTF-16": (lambda text: text.encode("utf-16"), "record-encoding"),
        "a NUL": (lambda text: "odd/\0,,\n" + text, "record-path"), "noise": (lambda text: bytes(range(128, 256)), "record-encoding"),
        "a line separator before a path that climbs": (lambda text: f"odd/a\u2028../../x,{digest(b'')},0\n" + text, "record-path"), "a form feed before a path that climbs": (lambda text: f"odd/a\f../../x,{digest(b'')},0\n" + text, "record-path")}
    for what, (change, id) in broken.items():
        yield refused(what, id, recorded(change))
        yield refused(what + ", and mismatches are accepted", id, recorded(change), accept="!" + ACCEPT) if what in ("a path that climbs far", "an open quote") else refused(what + ", last", id, recorded(lambda text, change=change: move_last(change(text))))
    fine = {
        "carriage returns": lambda text: text.replace("\n", "\r\n"), "quotes everywhere": lambda text: "".join('"' + '","'.join(line.split(",")) + '"\n' for line in text.splitlines()), "no line end at the end": lambda text: text[:-1],
        "blank lines": lambda text: text.replace("\n", "\n\n"), "rows in another order": lambda text: "".join(sorted(text.splitlines(True))), "no sizes": lambda text: text.replace(f",{len(TEXT)}\n", ",\n"),
        "sha512": lambda text: text.replace(digest(TEXT), digest(TEXT, "sha512")), "sha384": lambda text: text.replace(digest(TEXT), digest(TEXT, "sha384")), "sha3_256": lambda text: text.replace(digest(TEXT), digest(TEXT, "sha3_256")),
        "blake2b": lambda text: text.replace(digest(TEXT), digest(TEXT, "blake2b")), "no row for RECORD": lambda text: text.replace(f"{RECORD},,\n", "")}
    for what, change in fine.items():
        yield taken(what, recorded(change))
    yield taken("a name that needs quotes", good({'odd/a,"b".py': b"x"}))
    tampered = good()
    tampered.item("odd/text.txt").data = TEXT.replace(b"same", b"evil")
    yield refused("a member changed behind RECORD's back", "record-mismatch", tampered, accept=ACCEPT)
    tampered = good()
    tampered.item("odd/lib.so").data = tiny_library("libevil.so")
    yield refused("an ELF file changed behind RECORD's back", "record-mismatch", tampered, accept=ACCEPT)


def move_last(text: str | bytes) -> str | bytes:
    """The first row goes to the end."""
    if isinstance(text, bytes) or text[:1] in ('"', "\ufeff") or "\n" not in text:
        return text
    first, rest = text.split("\n", 1)
    return rest + first + "\n"


@row
def z47() -> Iterator[Case]:
    def text(what: str, id: str, wheel: str | bytes, **more: object) -> Case:
        return refused(what, id, wheel_of(files_of(wheel=wheel)), **more)

    yield refused("missing", "wheel-metadata-missing", wheel_of(files_of(without=[f"{INFO}/WHEEL"])))
    yield refused("in another case", "wheel-metadata-missing", wheel_of(files_of({f"{INFO}/Wheel": WHEEL.encode()}, without=[f"{INFO}/WHEEL"])))
    for version in ("2.0", "2", "0.9", "10.0", "one", "", "1.x", "-1.0", "1.0.0a", "4294967297.0", "18446744073709551617"):
        yield text(f"version '{version}'", "wheel-metadata-version", WHEEL.replace("1.0", version, 1))
    yield text("no version", "wheel-metadata-version", WHEEL.split("\n", 1)[1])
    yield text("empty", "wheel-metadata-version", "")
    yield text("a body alone", "wheel-metadata-version", "\n" + WHEEL)
    yield text("not UTF-8", "wheel-metadata-encoding", WHEEL.encode() + b"Generator: caf\xe9\n")
    yield text("UTF-16", "wheel-metadata-encoding", WHEEL.encode("utf-16"))
    yield text("two versions", "wheel-metadata-version", WHEEL + "Wheel-Version: 2.0\n")
    yield text("a header behind a carriage return", "wheel-metadata-line", WHEEL.replace("archives", "archives\rRoot-Is-Purelib: true"))
    yield text("carriage returns alone", "wheel-metadata-line", WHEEL.replace("\n", "\r"))
    yield text("a carriage return at the end", "wheel-metadata-line", WHEEL + "\r")
    for version in ("1.9", "1.1", "1.4294967295"):
        yield warned(f"version {version}", "is newer than 1.0", wheel_of(files_of(wheel=WHEEL.replace("1.0", version, 1))))
    for what, wheel, says in (
            ("Root-Is-Purelib twice", WHEEL + "Root-Is-Purelib: true\n", "Root-Is-Purelib stands more than once"),
            ("Root-Is-Purelib three times", WHEEL + "Root-Is-Purelib: false\n" * 2, "Root-Is-Purelib stands more than once"),
            ("no Root-Is-Purelib", WHEEL.replace("Root-Is-Purelib: false\n", ""), "there is no Root-Is-Purelib"),
            ("another Tag than the file name", WHEEL.replace("py3-none", "py2-none"), "which the file name has not"), ("no Tag", WHEEL.replace("Tag: py3-none-linux_x86_64\n", ""), "there is no Tag"), ("an empty Tag", WHEEL + "Tag:\n", "a Tag line is empty"),
            ("a Tag of two parts", WHEEL + "Tag: py3-none\n", "is not of the form")):
        # The gate holds WHEEL's tags against the file name by a rule of its own.
        yield warned(what, says, wheel_of(files_of(wheel=wheel)), checked=UNFIT if what in ("another Tag than the file name", "a Tag of two parts") else 0)
    for what, wheel in (("lines that end as on Windows", WHEEL.replace("\n", "\r\n")), ("a folded line", WHEEL.replace("archives", "archives\n and more")), ("names in other cases", WHEEL.replace("Wheel-Version", "wheel-version").replace("Tag:", "TAG:")),
                        ("a body", WHEEL + "\nbody\n"), ("no line end", WHEEL[:-1]), ("headers that nobody knows", WHEEL + "X-Odd: 1\n"), ("spaces around values", WHEEL.replace(": ", ":   "))):
        yield taken(what, wheel_of(files_of(wheel=wheel)), tidy=what != "names in other cases")


@row
def z48() -> Iterator[Case]:
    yield warned("an unknown key", "is under no key that installers know", good({f"{DATA}/unknown/x": b""}), judged=False, checked=UNFIT, strict=False)
    for path in ("scripts/python", "scripts/python3", "scripts/python3.11", "scripts/pythonw.exe", "data/bin/python3", "data/bin/python", "data/Scripts/python.exe"):
        yield warned(f"{path}", "replaces the Python interpreter", good({f"{DATA}/{path}": b"#!/bin/sh\n"}), judged=False, checked=UNFIT, strict=False)
    yield warned("a file named as a folder of data", "is a file where installers look for a folder", good({"odd.data": b""}), judged=False, checked=UNFIT, strict=False)
    yield warned("a file beside the keys", "is under no key that installers know", good({f"{DATA}/README": b"x"}), judged=False, checked=UNFIT, strict=False)
    for path in ("scripts/odd-tool", "data/share/odd/x", "headers/odd.h", "purelib/odd2/__init__.py", "platlib/odd3/__init__.py", "scripts/python-config"):
        yield taken(path, good({f"{DATA}/{path}": b"#!python\n"}))
    yield refused("an ELF file under purelib", "elf-under-purelib", good({f"{DATA}/purelib/odd2/lib.so": tiny_library("libb.so")}), code=UNFIT)


@row
def z49() -> Iterator[Case]:
    for name in ("../evil", "a/b", "/etc/x", "..", "a\\b"):
        yield warned(f"entry point {name}", "names a file outside the folder of scripts", good({f"{INFO}/entry_points.txt": f"[console_scripts]\n{name} = odd:main\n".encode()}), judged=False)
    yield warned("a gui entry point", "names a file outside", good({f"{INFO}/entry_points.txt": b"[gui_scripts]\n../x = odd:main\n"}), judged=False)
    for what, text in (("a plain entry point", b"[console_scripts]\nodd-tool = odd:main\n"), ("plugins with slashes", b"[odd.plugins]\na/b = odd:main\n"), ("an empty file", b""), ("bytes", bytes(range(256)))):
        yield taken(what, good({f"{INFO}/entry_points.txt": text}), judged=what != "bytes")


@row
def z54() -> Iterator[Case]:
    for name in ("RECORD.jws", "RECORD.p7s"):
        files = files_of()
        archive = wheel_of(files | {f"{INFO}/{name}": b"{}"}, record_of(files, RECORD))
        yield taken(f"{name} without a row", archive, dropped=frozenset([f"{INFO}/{name}"]))
        archive = wheel_of(files | {f"{INFO}/{name}": b"{}"}, f"{INFO}/{name},,\n" + record_of(files, RECORD))
        yield taken(f"{name} with an empty row", archive, dropped=frozenset([f"{INFO}/{name}"]))
        yield taken(f"{name} with a full row", good({f"{INFO}/{name}": b"{}"}), dropped=frozenset([f"{INFO}/{name}"]))
        yield taken(f"a row for {name}, which is not there", recorded(lambda text, name=name: f"{INFO}/{name},,\n" + text))
    files = files_of()
    both = {f"{INFO}/RECORD.jws": b"{}", f"{INFO}/RECORD.p7s": b"x"}
    yield taken("both", wheel_of(files | both, record_of(files, RECORD)), dropped=frozenset(both))


@row
def z55() -> Iterator[Case]:
    yield taken("a libs folder already there", good({"odd.libs/libx-01234567.so": tiny_library("libx-01234567.so")}))
    yield taken("a libs folder with another's file", good({"odd.libs/README": b"x"}))
    yield taken("a libs folder that is a file", good({"odd.libs": b"x"}))
    yield taken("a bill of ours already there", good({f"{INFO}/sboms/truewheel.cdx.json": b"{}"}))


@row
def z56() -> Iterator[Case]:
    for name in ("odd/native.py", "odd/native", "odd/native.txt", "odd/native.so.1.2", f"{INFO}/native", "odd/native.pyc", "odd/.hidden"):
        yield taken(f"an ELF file named {name}", good({name: tiny_library("libn.so")}))
    foreign = bytearray(tiny_library("libf.so"))
    foreign[18] = 183
    yield warned("an ELF file of another machine", "is an ELF file for aarch64", good({"odd/foreign.so": bytes(foreign)}))
    yield warned("four bytes of magic", "no whole ELF header", good({"odd/magic": b"\x7fELF"}))
    broken = bytearray(LIBRARY)
    broken[54] = 1
    yield refused("an ELF file whose headers are broken", "elf-entry-size", good({"odd/broken.so": bytes(broken)}))
