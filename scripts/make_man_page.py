#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make docs/truewheel.1 from docs/truewheel.1.md, so that packagers need no converter.

    make_man_page.py [--check]      --check: exit 1 if the committed page is not up to date

The Markdown it reads: one `#` title "name(1): what it is", `##` sections, paragraphs, definition lists
(a term line, then a line that starts with ": "), indented examples, **bold**, *italic*, `literal`.
"""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def plain(text: str) -> str:
    """The text as it stands, as examples have it: a star there is a star."""
    return re.sub(r"^(['.])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"\*\*(.+?)\*\*", r"\\fB\1\\fR", text)
    text = re.sub(r"\*(.+?)\*", r"\\fI\1\\fR", text)
    text = re.sub(r"`(.+?)`", r"\\fB\1\\fR", text)
    return re.sub(r"^(['.])", r"\\&\1", text)


def page(markdown: str) -> str:
    title, *blocks = re.split(r"\n{2,}", markdown.strip())
    name, section, what = re.fullmatch(r"# (\w+)\((\d)\): (.+)", title).groups()
    out = ['.\\" Made from truewheel.1.md by scripts/make_man_page.py; do not edit.',
           f".TH {name.upper()} {section}", ".SH NAME", f"{name} \\- {roff(what)}"]
    for block in blocks:
        if block.startswith("## "):
            out.append(f'.SH "{block[3:]}"')
        elif block.startswith("    "):
            out += [".PP", ".nf", ".RS 4", *(plain(line[4:]) for line in block.splitlines()), ".RE", ".fi"]
        elif "\n: " in block:
            term, _, definition = block.partition("\n: ")
            out += [".TP", roff(term), roff(definition)]
        else:
            out += [".PP", roff(block)]
    return "\n".join(out) + "\n"


def main() -> int:
    wanted, target = page((DOCS / "truewheel.1.md").read_text()), DOCS / "truewheel.1"
    if sys.argv[1:] == ["--check"]:
        if target.read_text() == wanted:
            return 0
        print("docs/truewheel.1 is not what docs/truewheel.1.md gives; run scripts/make_man_page.py")
        return 1
    target.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
