#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the layers: which module may include which, where third-party headers may stand, and that
nothing below `commands` talks to the user or reads the environment.

    check_layers.py [ROOT]      exit 1 and one line a violation
"""

import re
import sys
from pathlib import Path

# Module -> the modules whose headers it may include besides its own.
LAYERS = {
    "base": set(),
    "elf": {"base"},
    "deps": {"base", "elf"},
    "policy": {"base", "elf", "deps"},
    "wheel": {"base"},
    "check": {"base", "elf", "deps", "policy", "wheel"},
    "repair": {"base", "elf", "deps", "policy", "wheel", "check"},
    "report": {"base", "elf", "deps", "policy", "wheel", "check", "repair"},
    "commands": {"base", "elf", "deps", "policy", "wheel", "check", "repair", "report"},
    "cli": {"base", "elf", "deps", "policy", "wheel", "check", "repair", "report", "commands"},
    "main": {"base", "report", "commands", "cli"},
}
# Public header -> the module that implements it.
PUBLIC = {"bytes": "base", "error": "base", "file_stamp": "base", "finding": "base", "version": "base", "elf": "elf", "deps": "deps",
          "policy": "policy", "wheel": "wheel", "check": "check", "repair": "repair"}
# Third-party header -> files under src/ that may include it. Everything else in <> is the standard library's,
# the system's, or fmt, which any .cpp or private header may use.
THIRD_PARTY = {
    r"LIEF/.*": r"elf/lief_reader\.cpp",
    r"zip\.h": r"wheel/.*",
    r"openssl/.*": r"base/.*",
    r"libdeflate\.h|zlib\.h": r"base/deflate.*",
    r"CLI/.*": r"cli/.*",
    r"spdlog/.*": r"report/log.*",
    # .note.dlopen and .note.package hold JSON, and so does the bill of materials that a repair writes.
    r"nlohmann/.*": r"report/.*|elf/notes\.cpp|repair/sbom\.cpp",
    # Package databases of rpm.
    r"sqlite3\.h": r"repair/rpm_sqlite\.cpp",
    r"toml\+\+/.*": r"cli/config.*",
}
SILENT = set(LAYERS) - {"report", "commands", "cli", "main"}
TALK = re.compile(r"\b(getenv|secure_getenv|std::cout|std::cerr|std::clog|fmt::print|puts|printf|fprintf)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')


def module_of(path: Path, root: Path) -> str:
    parts = path.relative_to(root).parts
    if parts[0] == "include":
        return PUBLIC.get(path.stem, "")
    return parts[1] if len(parts) > 2 else Path(parts[1]).stem


def target_module(quote: str, target: str) -> str | None:
    """The module a header of ours belongs to; None for a header of somebody else."""
    if match := re.fullmatch(r"truewheel/(\w+)\.hpp", target):
        return PUBLIC.get(match[1], "")
    return target.split("/")[0] if quote == '"' and "/" in target else None


def violations(path: Path, root: Path) -> list[str]:
    module = module_of(path, root)
    name = path.relative_to(root).as_posix()
    if module not in LAYERS:
        return [f"{name}: belongs to no layer; add it to scripts/check_layers.py"]
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{name}:{number}"
        if match := INCLUDE.match(line):
            quote, target = match.groups()
            included = target_module(quote, target)
            if included is not None and included != module and included not in LAYERS[module]:
                found.append(f"{where}: {module} may not include {target}")
            if quote == '"' and "/" not in target:
                found.append(f"{where}: {target} is not named from src/")
            for header, allowed in THIRD_PARTY.items():
                if re.fullmatch(header, target) and not re.fullmatch(f"src/({allowed})", name):
                    found.append(f"{where}: {target} may be included in src/{allowed} only")
            if name.startswith("include/") and "/" in target and not re.match("truewheel/|sys/", target):
                found.append(f"{where}: a public header may not include {target}")
        elif module in SILENT and (talk := TALK.search(re.sub(r'//.*|"(\\.|[^"\\])*"', "", line))):
            found.append(f"{where}: {module} may not use {talk[0]}: only commands and above talk or read the environment")
    return found


def main(root: Path) -> int:
    files = [path for folder in ("src", "include") for path in sorted((root / folder).rglob("*")) if path.suffix in (".cpp", ".hpp")]
    found = [line for path in files for line in violations(path, root)]
    print("\n".join(found) or f"{len(files)} files keep the layers")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)))
