#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare the options of `truewheel --help` and of each command's `--help` with the manual page, the
completions and README: each option of the program is in all of them, and none of them has others.

    check_options_documented.py TRUEWHEEL
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ("repair", "show", "check", "explain", "lddtree", "patchelf")
LONG = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]\b")


def helped(*command: str) -> set[str]:
    """Long options at the start of a line of --help, and the short ones beside them."""
    text = subprocess.run([*command, "--help"], check=True, capture_output=True, text=True).stdout
    found = set()
    for line in text.splitlines():
        if match := re.match(r"\s+((?:-\w(?:,\s*)?)?(?:--[a-z][a-z-]*)?)(?:\s|$)", line):
            found |= set(re.findall(r"--[a-z-]+|-\w", match[1]))
    return found


def man_sections() -> dict[str, set[str]]:
    """Heading of the manual page -> options defined below it."""
    sections, heading = {}, ""
    for line in (ROOT / "docs/truewheel.1.md").read_text().splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("**-"):
            sections.setdefault(heading, set()).update(re.findall(r"\*\*(-[^*]+)\*\*", line))
    return sections


def compare(where: str, wanted: set[str], found: set[str]) -> list[str]:
    return [f"{where} lacks {option}" for option in sorted(wanted - found)] + [
        f"{where} has {option}, which the program has not" for option in sorted(found - wanted)]


def main(truewheel: str) -> int:
    help_of = {command: helped(truewheel, command) - {"-h", "--help"} for command in COMMANDS}
    top = helped(truewheel)
    common = help_of["repair"] & help_of["show"]
    every = top.union(*help_of.values())

    man = man_sections()
    complaints = compare("the manual page, of common options,", common, man["COMMON OPTIONS"])
    for command in COMMANDS:
        # A command may say what a common option means to it.
        own = man.get(f"OPTIONS OF {command}", set())
        complaints += compare(f"the manual page, of {command},", help_of[command] - common - {"--version"}, own - (common & help_of[command]))

    bash = (ROOT / "docs/completions/truewheel.bash").read_text()
    zsh = (ROOT / "docs/completions/_truewheel").read_text()
    fish = (ROOT / "docs/completions/truewheel.fish").read_text()
    long_options = {option for option in every if option.startswith("--")}
    complaints += compare("completions for bash", long_options, set(LONG.findall(bash)))
    complaints += compare("completions for zsh", long_options, set(LONG.findall(zsh)))
    complaints += compare("completions for fish", long_options, {f"--{name}" for name in re.findall(r"^complete .* -l ([a-z-]+)", fish, re.MULTILINE)})

    readme = (ROOT / "README.md").read_text()
    for block in re.findall(r"```\w*\n(.*?)```", readme, re.DOTALL):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            if match := re.match(r"\s*(?:RUN )?truewheel (repair|show|check|explain|lddtree|patchelf)\b(.*)", line):
                unknown = set(LONG.findall(match[2])) - help_of[match[1]]
                complaints += [f"README uses {option}, which truewheel {match[1]} has not" for option in sorted(unknown)]
    print("\n".join(complaints) or f"{len(every)} options agree")
    return 1 if complaints or len(every) < 20 else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
