#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checking scripts find what they are there to find."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


class Tests(unittest.TestCase):
    def layers(self, name: str, text: str) -> str:
        with tempfile.TemporaryDirectory() as root:
            path = Path(root, name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPTS / "check_layers.py", root], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0 if "keep the layers" in done.stdout else 1)
            return done.stdout

    def test_a_module_may_include_those_to_its_left(self):
        self.assertIn("keep", self.layers("src/elf/a.cpp", '#include "base/text.hpp"\n#include <truewheel/bytes.hpp>\n'))

    def test_a_module_may_not_include_those_to_its_right(self):
        self.assertIn("src/elf/a.cpp:1: elf may not include wheel/scan.hpp", self.layers("src/elf/a.cpp", '#include "wheel/scan.hpp"\n'))
        self.assertIn("may not include truewheel/repair.hpp", self.layers("src/deps/a.cpp", "#include <truewheel/repair.hpp>\n"))

    def test_a_third_party_header_stands_in_one_place(self):
        self.assertIn("keep", self.layers("src/elf/lief_reader.cpp", "#include <LIEF/ELF.hpp>\n"))
        self.assertIn("may be included in", self.layers("src/elf/facts.cpp", "#include <LIEF/ELF.hpp>\n"))
        self.assertIn("may not include", self.layers("include/truewheel/elf.hpp", "#include <fmt/format.h>\n"))

    def test_only_commands_and_above_talk(self):
        self.assertIn("may not use std::cerr", self.layers("src/repair/a.cpp", 'void f() { std::cerr << "x"; }\n'))
        self.assertIn("may not use getenv", self.layers("src/deps/a.cpp", 'auto f() { return getenv("HOME"); }\n'))
        self.assertIn("keep", self.layers("src/cli/a.cpp", 'auto f() { return getenv("HOME"); }\n'))

    def test_a_folder_that_is_no_layer_is_refused(self):
        self.assertIn("belongs to no layer", self.layers("src/util/a.cpp", ""))


if __name__ == "__main__":
    unittest.main()
