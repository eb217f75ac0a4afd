#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shipped program has what a program needs that reads strangers' files.

    hardening_test.py TRUEWHEEL SOURCE_FOLDER BUILD_FOLDER [--no-fortify]
"""

import re
import subprocess
import sys
from pathlib import Path


def text_of(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}).stdout


def features(path: str) -> set[str]:
    found = re.search(r"x86 feature: ([^\n]*)", text_of("readelf", "-nW", path))
    return set(re.findall(r"IBT|SHSTK", found.group(1))) if found else set()


def start_files_features() -> set[str]:
    """What every start file has: the linker gives a program no more."""
    names = [text_of("gcc", f"-print-file-name={name}").strip() for name in ("Scrt1.o", "crti.o", "crtbeginS.o", "crtendS.o", "crtn.o")]
    return set.intersection(*(features(name) for name in names))


def main() -> int:
    program, source, build = sys.argv[1:4]
    header, segments, dynamic = (text_of("readelf", option, program) for option in ("-hW", "-lW", "-dW"))
    imports = set(re.findall(r"UND (\w+)", text_of("readelf", "--dyn-syms", "-W", program)))
    data = Path(program).read_bytes()
    x86 = "X86-64" in header
    facts = {
        "position-independent executable": "DYN" in header and "PIE" in dynamic, "read-only relocations": "GNU_RELRO" in segments, "bound at start": "BIND_NOW" in dynamic and "NOW" in dynamic,
        "no executable stack": re.search(r"GNU_STACK\s+\S+ \S+ \S+ \S+ \S+ RW\s", segments) is not None, "no segment that is written and executed": re.search(r"LOAD\s.*\sRWE\s", segments) is None,
        "no text relocations": "TEXTREL" not in dynamic, "no run path": "RPATH" not in dynamic and "RUNPATH" not in dynamic, "stack protection": "__stack_chk_fail" in imports,
        "control-flow protection, where the start files have it": not x86 or start_files_features() <= features(program), "jump targets are marked": not x86 or data.count(b"\xf3\x0f\x1e\xfa") > 1000,
        "no path of the source": str(Path(source).resolve()).encode() not in data, "no path of the build": str(Path(build).resolve()).encode() not in data,
        "no path of a home": re.search(rb"/home/\w+/", data) is None}
    if "--no-fortify" not in sys.argv:
        facts["checked string functions"] = any(name.endswith("_chk") and name != "__stack_chk_fail" for name in imports)
    for fact, holds in facts.items():
        print(f"{'yes' if holds else 'NO '} {fact}")
    if x86:
        print(f"start files: {sorted(start_files_features()) or 'no control-flow protection'}; program: {sorted(features(program)) or 'none'}")
    return 0 if all(facts.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
