# SPDX-License-Identifier: Apache-2.0
"""Names and types of members (Z30 to Z41, Z52, Z53)."""

from collections.abc import Iterator

from cases import Case, refused, row, taken, warned
from rows_headers import LONG, STUB
from wheel_bytes import DEFLATED, INFO, STORED, UTF8_FLAG, Item, Zip, deflated, files_of, good, wheel_of


def named(name: str | bytes, flags: int | None = None) -> Zip:
    """A wheel with a member of this name, which RECORD lists."""
    raw = name if isinstance(name, bytes) else name.encode("utf-8", "surrogatepass")
    archive = wheel_of(files_of({"odd/PLACE": b"x"}))
    archive.item("odd/PLACE").name = raw
    if flags is not None:
        next(item for item in archive.items if item.name == raw).both(flags=flags)
    return archive


def listed(name: str, data: bytes = b"x") -> Zip:
    return wheel_of(files_of({name: data}))


def refusals(id: str, names: dict[str, str | bytes], flags: int | None = None) -> Iterator[Case]:
    for what, name in names.items():
        yield refused(what, id, named(name, flags))


@row
def z30() -> Iterator[Case]:
    yield from refusals("zip-absolute-name", {
        "absolute": "/etc/passwd", "root": "/", "two slashes": "//server/share/x", "three slashes": "///x", "a drive": "C:/x.py", "a small drive": "c:/x.py",
        "relative to a drive": "C:x.py", "a drive alone": "C:", "a drive before a folder that climbs": "C:../x", "an absolute folder entry": "/etc/"})
    yield from refusals("zip-backslash-name", {"a drive and a backslash": "C:\\x.py", "a server": "\\\\srv\\share\\x", "a device": "\\\\.\\COM1", "relative to the drive's root": "\\x"})
    yield taken("a colon that is no drive's", listed("odd/a:b"))


@row
def z31() -> Iterator[Case]:
    yield from refusals("zip-parent-name", {
        "in front": "../x.py", "twice": "../../x.py", "out again": "odd/../../x.py", "inside": "odd/../odd/x.py", "at the end": "odd/..", "alone": "..", "a folder": "../", "a folder at the end": "odd/../",
        "deep": "a/b/c/../../../../../../x", "into the scripts": f"{INFO[:-10]}.data/scripts/../../../x", "into .dist-info": "odd/../" + INFO + "/METADATA2"})
    yield warned("three dots", "ends in a dot or a space", listed("odd/.../x.py"))
    yield taken("dots in front", listed("odd/..x/x.py"))
    yield from refusals("zip-backslash-name", {"with backslashes": "..\\..\\x.py", "with one backslash": "odd/..\\..\\x"})


@row
def z32() -> Iterator[Case]:
    yield from refusals("zip-name-component", {
        "a dot in front": "./odd/x.py", "a dot inside": "odd/./x.py", "a dot at the end": "odd/.", "a dot alone": ".", "a dot folder": "odd/./", "an empty component": "odd//x.py",
        "an empty component at the end": "odd//", "many slashes": "odd////x", "a dot before a folder that climbs": "./../x"})
    for what, name in (("a component with a dot at its end", "odd./x.py"), ("a name with a dot at its end", "odd/x."), ("a component with a space at its end", "odd /x.py"), ("a name with a space at its end", "odd/x "),
                       ("a name of a space", "odd/ "), ("dots at the end", "odd/x..")):
        yield warned(what, "ends in a dot or a space", listed(name))
    for what, name in (("a space inside", "odd/a b"), ("a dot in front of a name", "odd/.hidden"), ("a space in front", "odd/ x"), ("a tilde", "odd/~x"), ("a dash in front", "odd/-rf"), ("a star", "odd/*?.py"), ("quotes", "odd/'\"`.py"),
                       ("a dollar", "odd/$HOME"), ("a percent sign", "odd/%2e%2e"), ("a comma", "odd/a,b.py"), ("a name of a device", "odd/con"), ("a name of a stream", "odd/x.py::$DATA")):
        yield taken(what, listed(name))


@row
def z33() -> Iterator[Case]:
    yield from refusals("zip-backslash-name", {"between": "odd\\x.py", "at the end": "odd\\", "in front": "\\odd", "two": "odd\\\\x", "with a slash": "odd/x\\y", "in a folder's name": "od\\d/"})


@row
def z34() -> Iterator[Case]:
    yield from refusals("zip-nul-name", {"inside": "odd/x.py\0.txt", "at the end": "odd/x.py\0", "in front": "\0odd", "alone": "\0", "a known name and NUL": STUB + "\0", "before a folder's slash": "odd\0/", "UTF-16": "odd".encode("utf-16-le")})


@row
def z35() -> Iterator[Case]:
    for byte in (*range(1, 0x20), 0x7F):
        yield from refusals("zip-control-name", {f"byte {byte:#04x}": f"odd/a{chr(byte)}b"})
    for point, what in ((0x80, "the first C1 control"), (0x85, "next line"), (0x9B, "the C1 escape"), (0xAD, "a soft hyphen"), (0x200B, "a space of no width"), (0x200E, "a left-to-right mark"), (0x202A, "an embedding"),
                        (0x202E, "a right-to-left override"), (0x2066, "an isolate"), (0x2060, "a word joiner"), (0xFEFF, "a byte order mark"), (0xE0041, "a tag character"), (0x61C, "an Arabic mark"),
                        (0x2028, "a line separator"), (0x2029, "a paragraph separator"), (0x1D173, "a musical format character"), (0xFFF9, "an annotation")):
        yield from refusals("zip-control-name", {what: f"odd/a{chr(point)}b"})
    yield refused("a line separator before a path that climbs", "zip-control-name", listed("odd/a\u2028../../x"))


@row
def z36() -> Iterator[Case]:
    yield from refusals("zip-empty-name", {"no name": ""})
    archive = named("")
    archive.item("").both(method=STORED)
    archive.item("").mode = 0o040755
    yield refused("no name of a folder", "zip-empty-name", archive)


@row
def z37() -> Iterator[Case]:
    yield from refusals("zip-name-encoding", {"Latin-1": b"odd/caf\xe9", "UTF-8 without its mark": "odd/café", "code page 437": b"odd/caf\x82", "Shift-JIS": "odd/日本".encode("shift-jis"), "a lone byte": b"odd/\xff"}, flags=0)
    yield from refusals("zip-name-encoding", {"Latin-1, marked": b"odd/caf\xe9", "an overlong slash": b"odd\xc0\xafx", "an overlong dot": b"odd/\xc0\xae\xc0\xae/x", "a surrogate": "odd/\ud800", "past the last code point": b"odd/\xf4\x90\x80\x80",
                                              "cut short": b"odd/\xe2\x82", "a byte that continues nothing": b"odd/\x80", "an overlong NUL": b"odd/\xc0\x80"}, flags=UTF8_FLAG)
    for what, name in (("UTF-8 with its mark", "odd/café"), ("Japanese", "odd/日本語.txt"), ("an emoji", "odd/🎡.txt"), ("combining marks", "odd/cafe\u0301")):
        yield taken(what, listed(name))
    archive = listed("odd/plain")
    archive.item("odd/plain").both(flags=UTF8_FLAG)
    yield taken("ASCII with the mark", archive)


@row
def z38() -> Iterator[Case]:
    pairs = {"case": ("odd/a.py", "odd/A.py"), "case of a folder": ("odd/sub/x.py", "odd/Sub/y.py"), "case of the package": ("odd/x.py", "Odd/y.py"), "composed and not": ("odd/é", "odd/e\u0301"),
             "a ligature": ("odd/ﬁ", "odd/fi"), "wide letters": ("odd/ａ", "odd/a"), "sharp s": ("odd/ß", "odd/ss"), "a Kelvin sign": ("odd/K", "odd/k"), "final sigma": ("odd/ς", "odd/σ"), "the lib itself": ("odd/Lib.so", "odd/x")}
    for what, names in pairs.items():
        archive = wheel_of(files_of({name: b"x" for name in names}))
        if what in ("case of a folder", "case of the package"):
            yield taken(f"two folders that differ: {what}", archive)
        else:
            yield warned(f"two names that differ: {what}", "has the name of another member up to case or normalisation", archive, strict=False)
    yield warned("a file and a folder that differ in case", "up to case or normalisation", wheel_of(files_of({"odd/sub": b"", "odd/SUB/x": b""})), strict=False)
    yield taken("names that only look alike", wheel_of(files_of({"odd/a.py": b"", "odd/а.py": b""})))


@row
def z39() -> Iterator[Case]:
    for what, names in (("a file and a folder", ("odd/x", "odd/x/y")), ("a file and a deep folder", ("odd/x", "odd/x/y/z/w")), ("a file between", ("odd/x", "odd/x-1", "odd/x.py", "odd/x/y")), ("the package is a file", ("odd",))):
        yield refused(what, "zip-file-and-folder", wheel_of(files_of({name: b"" for name in names})))
    for order in (False, True):
        archive = good({"odd/x": b"file"})
        archive.items.insert(0 if order else 3, Item(b"odd/x/", b"", STORED, 0o040755))
        yield refused(f"a file and a folder entry{', the folder first' if order else ''}", "zip-file-and-folder", archive)

    def folder(**values: object) -> Zip:
        archive = good()
        item = Item(b"odd/sub/", b"", STORED, 0o040755)
        item.both(**{key: value for key, value in values.items() if key not in ("data", "method", "mode", "packed")})
        for key in ("data", "method", "mode", "packed"):
            if key in values:
                setattr(item, key, values[key])
        archive.items.insert(3, item)
        return archive

    for what, archive in (("a folder entry", folder()), ("of no type", folder(mode=0o755)), ("without attributes", folder(mode=0)), ("with the DOS attribute", folder(external=0o040755 << 16 | 0x10)),
                          ("of an empty stream", folder(method=DEFLATED))):
        yield taken(f"a folder entry: {what}", archive)
    for what, archive, id in (("with content", folder(data=b"payload"), "zip-folder-data"), ("with deflated content", folder(data=b"payload" * 9, method=DEFLATED), "zip-folder-data"),
                              ("with hidden content", folder(method=DEFLATED, packed=deflated(b"payload")), "zip-folder-data"), ("with bytes behind its stream", folder(method=DEFLATED, packed=b"\3\0payload"), "zip-folder-data"),
                              ("with a CRC", folder(crc=1), "zip-folder-data"), ("with a size", folder(size=5), "zip-stored-size"), ("of file type", folder(mode=0o100644), "zip-folder-mismatch"),
                              ("of symlink type", folder(mode=0o120777), "zip-file-type")):
        yield refused(f"a folder entry: {what}", id, archive)
    for what, external in (("of folder type", 0o040755 << 16), ("with the DOS attribute of folders", 0x10), ("with both", 0o100644 << 16 | 0x10)):
        archive = good()
        archive.item(LONG).central["external"] = external
        yield refused(f"a file: {what}", "zip-folder-mismatch", archive)


@row
def z40() -> Iterator[Case]:
    types = {0o120777: "a symlink", 0o010644: "a FIFO", 0o020644: "a character device", 0o060644: "a block device", 0o140644: "a socket", 0o160000: "a whiteout", 0o170644: "a type that is none", 0o030644: "type 3",
             0o110644: "type 9", 0o120000: "a symlink without permissions"}
    for mode, what in types.items():
        for target in (b"../../etc/passwd", b"lib.so"):
            archive = wheel_of(files_of({"odd/link": target}))
            archive.item("odd/link").mode = mode
            yield refused(f"{what} to {target.decode()}", "zip-file-type", archive)
    for system in (0, 10, 19):
        archive = wheel_of(files_of({"odd/link": b"lib.so"}))
        archive.item("odd/link").mode = 0o120777
        archive.item("odd/link").central["made_by"] = system << 8 | 20
        yield refused(f"a symlink that system {system} is said to have made", "zip-file-type", archive)
    archive = good()
    archive.item("odd/lib.so").mode = 0o120777
    yield refused("a symlink whose content is a library", "zip-file-type", archive)


@row
def z41() -> Iterator[Case]:
    for mode in (0o104755, 0o102755, 0o101777, 0o107777, 0o100000, 0o100600, 0o100777, 0o100111, 0o000644, 0o000755, 0):
        archive = good()
        archive.item(LONG).mode = mode
        yield taken(f"mode {mode:o}", archive)
    archive = good()
    for item in archive.items:
        item.central["made_by"] = 20
        item.mode = 0
    yield taken("an archive of DOS without modes", archive)
    archive = good()
    archive.item(LONG).central.update(external=0o100644 << 16 | 0x21, internal=1)
    yield taken("a read-only text file of DOS", archive)


@row
def z52() -> Iterator[Case]:
    for what, time, date in (("zero", 0, 0), ("1980", 0, 0x21), ("month 0", 0, 0x5801), ("month 15", 0, 15 << 5 | 1), ("day 0", 0, 0x5820), ("2107", 0xBF7D, 0xFF9F), ("hour 31", 31 << 11, 0x21), ("second 62", 31, 0x21), ("all bits", 0xFFFF, 0xFFFF),
                             ("30 February", 0, 44 << 9 | 2 << 5 | 30)):
        archive = good()
        for item in archive.items:
            item.both(time=time, date=date)
        yield taken(f"time: {what}", archive)
    archive = good()
    archive.item(LONG).local.update(time=1, date=0x22)
    yield taken("other times in the two headers", archive)
    for version in (0, 10, 45, 63, 255, 0xFFFF):
        archive = good()
        archive.item(LONG).both(version=version)
        yield taken(f"version {version} needed", archive)


@row
def z53() -> Iterator[Case]:
    for what, name in (("a component of 256 bytes", "odd/" + "n" * 256), ("a component of 256 bytes in 128 letters", "odd/" + "é" * 128), ("4097 bytes", "d/" * 2048 + "x"), ("65535 bytes", "n" * 65535), ("30,000 folders", "d/" * 30000 + "x"),
                       ("a long folder", "odd/" + "n" * 300 + "/x"), ("4100 bytes in long components", ("n" * 200 + "/") * 20 + "n" * 80)):
        yield refused(what, "zip-name-length", named(name))
    for what, name in (("a component of 255 bytes", "odd/" + "n" * 251), ("40 folders", "d/" * 40 + "x")):
        yield taken(what, listed(name))
