#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""truewheel starts no program, opens no connection, and writes nowhere but into the output folder.

    side_effects_test.py TRUEWHEEL

Each command runs under strace, on a wheel that is repaired, one that is refused, and a library. `--strip` is the one exception, which starts strip.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "faults"))
from scenarios import WHEEL, environment, example, state  # noqa: E402

CALLS = "execve,execveat,fork,vfork,clone,clone3,socket,connect,bind,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,truncate,ftruncate,chmod,fchmodat,chown,lchown,fchownat,mknod,mknodat,utimensat,ptrace,mount"
CHANGES = {"creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "rmdir", "truncate", "chmod", "fchmodat", "chown", "lchown", "fchownat", "mknod", "mknodat", "utimensat"}


def faults_of(trace: str, folder: Path, allowed: str) -> list[str]:
    """Lines of the trace that start something, connect, or change a path that is not below `allowed`."""
    faults = []
    started = 0
    for line in trace.splitlines():
        call = re.match(r"(?:\d+ +)?(\w+)\((.*)", line)
        if not call:
            continue
        name, rest = call.groups()
        failed = re.search(r"\) += -1 ", rest) is not None
        if name in ("execve", "execveat"):
            started += not failed
        elif name in ("socket", "connect", "bind", "ptrace", "mount", "fork", "vfork"):
            faults.append(line)
        elif name in ("clone", "clone3"):
            if "CLONE_THREAD" not in rest:
                faults.append(line)
        elif not failed:
            # strace -y tells the folder of a descriptor: 4</tmp/out>, "name".
            paths = [Path(at or folder) / path for at, path in re.findall(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"', rest)
                     if not path.startswith("/proc/self/fd/")]
            writes = name in CHANGES or re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", rest)
            if writes:
                # The thread sanitizer of g++ keeps a file of its own.
                paths = [path for path in paths if path != Path("/dev/null") and not path.name.startswith("tsan.rodata.")]
                faults += [line for path in paths if not path.resolve().is_relative_to((folder / allowed).resolve())]
    if started != 1:
        faults.append(f"{started} programs were started")
    return faults


def main() -> int:
    truewheel = str(Path(sys.argv[1]).resolve())
    if not shutil.which("strace"):
        print("SKIPPED: no strace")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="side-effects-") as name:
        folder = Path(name)
        example(folder)
        bad = folder / "bad" / WHEEL
        bad.parent.mkdir()
        data = bytearray((folder / "in" / WHEEL).read_bytes())
        data[len(data) // 2] ^= 1
        bad.write_bytes(data)
        wheel = f"in/{WHEEL}"
        commands = {
            "repair": (["repair", "--search", "lib", "-w", "out", wheel], "out"), "repair of a broken wheel": (["repair", "-w", "out2", f"bad/{WHEEL}"], "out2"), "repair without the library": (["repair", "-w", "out3", wheel], "out3"),
            "dry run": (["repair", "--dry-run", "--search", "lib", "-w", "out4", wheel], "nothing"), "auditwheel": (["auditwheel", "repair", "--ldpaths", "lib", "-w", "out5", wheel], "out5"), "show": (["show", "--json", wheel], "nothing"),
            "check": (["check", wheel], "nothing"), "explain": (["explain", "libfoo.so.1", wheel], "nothing"), "lddtree": (["lddtree", "lib/libfoo.so.1"], "nothing"), "patchelf, asked": (["patchelf", "--print-rpath", "lib/libfoo.so.1"], "nothing"),
            "patchelf": (["patchelf", "--set-rpath", "/x", "--output", "out6/libfoo.so", "lib/libfoo.so.1"], "out6"), "version": (["--version"], "nothing")}
        (folder / "out6").mkdir()
        for label, (words, allowed) in commands.items():
            before = state(folder, "trace")
            trace = folder / "trace"
            done = subprocess.run(["strace", "-f", "-qq", "-y", "-s", "4096", "-o", str(trace), "-e", f"trace={CALLS}", truewheel, *words], cwd=folder, env=environment(), capture_output=True, text=True)
            text = trace.read_text(errors="replace")
            trace.unlink()
            if not text.strip():
                print("SKIPPED: strace may not trace here")
                return 77
            faults = faults_of(text, folder, allowed)
            after = state(folder)
            faults += [f"{path} changed" for path, was in before.items() if after.get(path) != was and not path.startswith(allowed)]
            faults += [f"{path} is new" for path in after if path not in before and not path.startswith(allowed)]
            if done.returncode not in (0, 1, 3):
                faults.append(f"exit {done.returncode}: {done.stderr[-200:]}")
            for fault in faults[:5]:
                print(f"WRONG: {label}: {fault[:300]}")
            wrong += bool(faults)
        print(f"{len(commands)} commands, {wrong} with side effects")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
