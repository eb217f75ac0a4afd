#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/base/unicode_folding.inc from Python's Unicode database: what each code point becomes under default case
folding and NFKD, repeated until nothing changes, and which code points are combining marks. Hangul syllables are left
out: they decompose by arithmetic."""
import pathlib
import unicodedata

CODE_POINTS = [c for c in range(0x80, 0x110000) if not 0xD800 <= c <= 0xDFFF]


def folded(character):
    before = None
    after = character
    while after != before:
        before = after
        after = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", before).casefold())
    return after


def ranges(numbers):
    found = []
    for number in numbers:
        if found and found[-1][1] + 1 == number:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def wrapped(items):
    lines, line = [], " "
    for item in items:
        if len(line) + len(item) + 1 > 100:
            lines.append(line)
            line = " "
        line += " " + item
    return "\n".join([*lines, line])


def main():
    pairs, text = [], []
    for code_point in CODE_POINTS:
        if 0xAC00 <= code_point <= 0xD7A3:
            continue
        result = folded(chr(code_point))
        if result != chr(code_point):
            pairs.append(f"{{0x{code_point:X}, {len(text)}, {len(result)}}},")
            text += [f"0x{ord(character):X}," for character in result]
    marks = ranges(c for c in CODE_POINTS if unicodedata.combining(chr(c)))
    target = pathlib.Path(__file__).parent.parent / "src/base/unicode_folding.inc"
    target.write_text(
        "// SPDX-License-Identifier: Apache-2.0\n"
        f"// Made by scripts/update_unicode.py from Unicode {unicodedata.unidata_version}; not edited by hand.\n"
        "// {code point, start of its folded form in kFoldedText, length}\n"
        f"constexpr Folding kFoldings[] = {{\n{wrapped(pairs)}\n}};\n"
        f"constexpr char32_t kFoldedText[] = {{\n{wrapped(text)}\n}};\n"
        "// Combining marks, first and last of each run.\n"
        f"constexpr Marks kMarks[] = {{\n{wrapped(f'{{0x{a:X}, 0x{b:X}}},' for a, b in marks)}\n}};\n",
        encoding="ascii")


if __name__ == "__main__":
    main()
