#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold `truewheel check` against popular published wheels: errors that nobody has judged are failures.

    check_popular_wheels.py TRUEWHEEL [--table] [--limit N]

--table prints the Markdown table of docs/check-published-wheels.md. Exit 77 when no wheel can be had.
"""

import argparse
import collections
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import published  # noqa: E402

# Errors that were looked at in the wheel itself, with what they are. Everything else is unexpected.
JUDGED = {
    ("clang_format", "R003"): "true: CMake left an empty entry at the end of the RUNPATH",
    ("cmeel_boost", "R005"): "true by the tag: libquadmath.so.0 was left out",
    ("cmeel_boost", "R009"): "true: each library lies there under two names",
    ("imagecodecs", "R001"): "true: a folder of the build is in a RUNPATH",
    ("lightgbm", "R005"): "true by the tag: libgomp.so.1 was left out",
    ("numba", "R005"): "true: optional thread pools need libtbb.so.12 and libgomp.so.1.0.0, which no wheel brings",
    ("ortools", "R003"): "true: libhighs has an empty entry at the end of its RUNPATH",
    ("ortools", "R008"): "true: nine libraries of abseil lie in ortools/.libs and in ortools.libs",
    ("playwright", "T001"): "true: a node that needs glibc 2.28 is called manylinux1",
    ("playwright", "T002"): "true: WHEEL says any",
    ("scipy", "R001"): "true: a folder of the build image's Python is in the RUNPATH of cython_special",
    ("scipy", "R004"): "true: the same folder",
    ("shapely", "R001"): "true: /usr/local/lib64 of the build image is in a RUNPATH",
    ("tables", "R008"): "true: libblosc2 is bundled a second time",
    ("torchaudio", "T002"): "true: WHEEL says linux_x86_64",
}


def check(truewheel: str, wheel: Path) -> list[dict]:
    done = subprocess.run([truewheel, "check", "--json", str(wheel)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{wheel.name}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["subjects"][0]["findings"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewheel")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--limit", type=int, default=10**6, help="only the first N wheels")
    arguments = parser.parse_args()
    lines = (ROOT / "tests/check/popular_wheels.txt").read_text().splitlines()
    pins = [line.split() for line in lines if not line.startswith("#")][: arguments.limit]
    seen, unexpected = 0, []
    if arguments.table:
        print("| wheel | rule | findings | verdict |\n|---|---|---|---|")
    for requirement, platform, digest in pins:
        try:
            wheel = published.download(requirement, platform, digest, folder=published.CACHE / "popular")
        except published.Unreachable as reason:
            print(f"skipped {requirement}: {reason}", file=sys.stderr)
            continue
        seen += 1
        counts = collections.Counter((f["rule"], f["severity"]) for f in check(arguments.truewheel, wheel) if f["severity"] != "note")
        name, version = requirement.split("==")
        if arguments.table and not counts:
            print(f"| {name} {version} | | none | clean |")
        for (rule, severity), number in sorted(counts.items()):
            verdict = JUDGED.get((name, rule), "")
            if severity == "error" and not verdict:
                unexpected.append(f"{requirement}: {number} errors of {rule}")
            if arguments.table:
                print(f"| {name} {version} | {rule} | {number} {severity}{'s' if number > 1 else ''} | {verdict or severity} |")
    print("\n".join(unexpected) or f"{seen} wheels, no error that is not a true fault", file=sys.stderr)
    if not seen:
        return 77
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
