#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of more than 4 GiB, sparse, edited by `truewheel patchelf` in place and with --output.

Judged by running the result, by the bytes of the payload, by memory, time and disk blocks. Skipped (77) where the
file system makes no sparse file of that size.
"""
import argparse
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from elf_headers import Elf, PT_LOAD, PT_PHDR

GIB = 1 << 30
PAYLOAD = 5 * GIB
MARKS = [0, 2 * GIB - 3, 4 * GIB - 3, PAYLOAD - 7]  # across the limits of 32-bit numbers
MEMORY_KB = 256 << 10  # sanitizers included; a copy of the file would be twenty times that
SECONDS = 60
SOURCE = """
int zeros[5000]; static int word = 5; int *pointer = &word; __thread int tls = 7;
int dep_value(void);
int run(void) { return *pointer + zeros[77] + tls + dep_value(); }
#ifdef PROGRAM
int main(void) { return run() == 31 ? 0 : 1; }
#endif
"""


def must(words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def write_marks(file, start):
    for mark in MARKS:
        file.seek(start + mark)
        file.write(b"PAYLOAD")


def add_section(path, size):
    """An unloaded section of that size before the names and the section headers; the way that objcopy would."""
    elf = Elf(path.read_bytes())
    start, entry, count, names = elf.section_table()
    headers = bytes(elf.data[start:start + entry * count])
    names_header = list(struct.unpack_from("<IIQQQQIIQQ", headers, names * entry))
    text = bytes(elf.data[names_header[4]:names_header[4] + names_header[5]]) + b".payload\0"
    payload = (len(elf.data) + 63) & -64
    names_at = payload + size
    names_header[4], names_header[5] = names_at, len(text)
    added = struct.pack("<IIQQQQIIQQ", len(text) - 9, 1, 0, 0, payload, size, 0, 0, 1, 0)
    headers = headers[:names * entry] + struct.pack("<IIQQQQIIQQ", *names_header) + headers[(names + 1) * entry:] + added
    table = (names_at + len(text) + 7) & -8
    elf.put("Q", 40, table)
    elf.put("H", 60, count + 1)
    with path.open("r+b") as file:
        file.write(elf.data)
        write_marks(file, payload)
        file.seek(names_at)
        file.write(text)
        file.seek(table)
        file.write(headers)
    return payload


def add_trailing_data(path, size):
    start = (path.stat().st_size + 63) & -64
    with path.open("r+b") as file:
        write_marks(file, start)
        file.truncate(start + size)
    return start


def add_load(path, size):
    """A last, read-only LOAD of that size at the end of the file, in the place of PT_PHDR."""
    elf = Elf(path.read_bytes())
    segments = elf.segments()
    raw = [bytes(elf.data[segment.at:segment.at + 56]) for segment in segments]
    last = max(i for i, segment in enumerate(segments) if segment.type == PT_LOAD)
    align = max(segment.align for segment in segments if segment.type == PT_LOAD)
    start = (len(elf.data) + align - 1) & -align
    vaddr = (segments[last].vaddr + segments[last].memsz + align - 1) & -align
    raw.insert(last + 1, struct.pack("<IIQQQQQQ", PT_LOAD, 4, start, vaddr, vaddr, size, size, align))
    phdr = next((i for i, segment in enumerate(segments) if segment.type == PT_PHDR), None)
    if phdr is None:
        return None
    del raw[phdr]
    elf.data[segments[0].at:segments[0].at + 56 * len(raw)] = b"".join(raw)
    with path.open("r+b") as file:
        file.write(elf.data)
        write_marks(file, start)
        file.truncate(start + size)
    return start


def run(path, is_program, folder):
    if is_program:
        must([path], env={"LD_LIBRARY_PATH": str(folder), "LD_BIND_NOW": "1"})
        return
    code = f"import ctypes; library = ctypes.CDLL({str(path)!r}); assert library.run() == 31"
    must([sys.executable, "-c", code], env={"LD_LIBRARY_PATH": str(folder), "LD_BIND_NOW": "1"})


def edit(truewheel, words):
    """Exit status, standard error, memory in kB, seconds."""
    start = time.monotonic()
    # In a process of its own, whose only child it is: ru_maxrss is that of the largest child ever.
    code = ("import resource, subprocess, sys\n"
            "status = subprocess.call(sys.argv[1:])\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
            "sys.exit(status)")
    done = subprocess.run([sys.executable, "-c", code, str(truewheel), "patchelf", *map(str, words)],
                          capture_output=True, text=True)
    return done.returncode, done.stderr, int(done.stdout.split()[-1]), time.monotonic() - start


def judge(path, original, payload, is_program, folder):
    with path.open("rb") as file:
        for mark in MARKS:
            file.seek(payload + mark)
            assert file.read(7) == b"PAYLOAD", f"the payload's bytes at {mark:#x} are not there"
    blocks, limit = path.stat().st_blocks, original.st_blocks + 4096
    assert blocks <= limit, f"{blocks} blocks on the disk, the input has {original.st_blocks}"
    run(path, is_program, folder)
    complaints = subprocess.run(["readelf", "-lSdW", path], capture_output=True, text=True, check=True).stderr
    assert not complaints, complaints


def one_case(truewheel, name, options, grow, is_program, folder):
    path = folder / name
    must(["gcc", *options, "-o", path, folder / "case.c", folder / "libdep.so.1"])
    payload = grow(path, PAYLOAD)
    if payload is None:
        return f"{name}: no such layout here"
    original = path.stat()
    run(path, is_program, folder)
    shutil.copy(folder / "libdep.so.1", folder / "libdependency-0123abcd.so.1")
    worst_memory, worst_time = 0, 0.0
    copy = folder / "copy"
    for source, words in [(path, ["--output", copy]), (copy, [])]:
        wishes = [*words, "--force-rpath", "--set-rpath", "$ORIGIN/" + "p" * (600 if words else 1500), "--replace-needed",
                  "libdep.so.1" if words else "libdependency-0123abcd.so.1",
                  "libdependency-0123abcd.so.1" if words else "libdep.so.1"]
        if not is_program:
            wishes += ["--set-soname", "libnew.so." + "9" * (200 if words else 400)]
        status, errors, memory, seconds = edit(truewheel, [*wishes, source])
        assert status == 0, errors
        judge(copy, original, payload, is_program, folder)
        worst_memory, worst_time = max(worst_memory, memory), max(worst_time, seconds)
    assert path.stat().st_mtime_ns == original.st_mtime_ns and path.stat().st_ino == original.st_ino, "input touched"
    before = copy.stat()
    assert edit(truewheel, [*wishes, copy])[0] == 0
    assert copy.stat().st_ino == before.st_ino, "the same edit again wrote the file"
    assert worst_memory <= MEMORY_KB, f"{worst_memory} kB of memory"
    assert worst_time <= SECONDS, f"{worst_time:.1f} s"
    return f"{name}: {worst_memory} kB, {worst_time:.1f} s, grew by {copy.stat().st_size - original.st_size} bytes"


def narrow_case(truewheel, folder):
    """32-bit files name no offset past 4 GiB: what fits without growth is edited, the rest is refused."""
    (folder / "narrow.c").write_text("int run(void) { return 31; }\n")
    path = folder / "narrow.so"
    built = subprocess.run(["clang", "--target=i386-linux-gnu", "-ffreestanding", "-nostdlib", "-shared", "-fPIC",
                            "-fuse-ld=lld", "-o", path, folder / "narrow.c"], capture_output=True)
    if built.returncode != 0:
        return "32 bits: clang and lld are needed"
    add_trailing_data(path, PAYLOAD)
    before = path.stat()
    status, errors, memory, _ = edit(truewheel, ["--set-rpath", "/" + "p" * 5000, path])
    assert status == 3, f"exit {status}: {errors}"
    assert "no room" in errors, errors
    assert path.stat().st_ino == before.st_ino and memory <= MEMORY_KB
    return "32 bits: refused"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--truewheel", required=True, type=Path)
    arguments = parser.parse_args()
    truewheel = arguments.truewheel.resolve()
    if ctypes.sizeof(ctypes.c_void_p) != 8:
        return 77
    with tempfile.TemporaryDirectory(prefix="elf-large-") as base:
        folder = Path(base)
        probe = folder / "probe"
        try:
            with probe.open("wb") as file:
                file.truncate(PAYLOAD)
                file.seek(PAYLOAD)
                file.write(b"end")
        except OSError as error:
            print(f"SKIPPED: no file of {PAYLOAD} bytes: {error}")
            return 77
        if probe.stat().st_blocks * 512 > 64 << 20:
            print("SKIPPED: the file system knows no holes")
            return 77
        probe.unlink()
        (folder / "case.c").write_text(SOURCE)
        (folder / "dep.c").write_text("int dep_value(void) { return 19; }\n")
        must(["gcc", "-shared", "-fPIC", "-Wl,-soname,libdep.so.1", "-o", folder / "libdep.so.1", folder / "dep.c"])
        library, program = ["-shared", "-fPIC"], ["-DPROGRAM", "-fPIE", "-pie"]
        lld = ["-fuse-ld=lld"] if shutil.which("ld.lld") else None
        cases = [("section.so", library, add_section, False), ("section-pie", program, add_section, True),
                 ("section-nopie", ["-DPROGRAM", "-no-pie"], add_section, True),
                 ("trailing.so", library, add_trailing_data, False)]
        if lld:
            cases += [("section-lld.so", library + lld, add_section, False),
                      ("section-lld-pie", program + lld, add_section, True),
                      ("trailing-lld.so", library + lld, add_trailing_data, False),
                      ("load-lld.so", library + lld, add_load, False)]
        failed = False
        for case in cases:
            try:
                print(one_case(truewheel, *case, folder), flush=True)
            except AssertionError as error:
                print(f"{case[0]} FAILED: {error}", flush=True)
                failed = True
        print(narrow_case(truewheel, folder))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
