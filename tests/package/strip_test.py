#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other tools work on what a repair wrote: stripped or copied, every file still loads and runs.

patchelf's output does not survive this (patchelf issue 244, auditwheel issue 716).

    strip_test.py WORK [Tests.test_name]      (WORK: filled by mooncake_like.py prepare)
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from mooncake_like import Work

work: Work


def complaints(path: Path) -> set[str]:
    """What eu-elflint says, without the numbers that differ when a section or segment is added."""
    done = subprocess.run(["eu-elflint", "--gnu-ld", str(path)], capture_output=True, text=True)
    lines = (done.stdout + done.stderr).replace(str(path), "").splitlines()
    return {re.sub(r"0x[0-9a-f]+|\d+", "N", line).strip() for line in lines if line.strip() != "No errors"}


class Tests(unittest.TestCase):
    def survives(self, *command: str) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            site = Path(scratch, "site")
            shutil.copytree(work.site, site, ignore=shutil.ignore_patterns("pip*", "setuptools*", "pkg_resources"))
            edited = work.edited_files(site)
            self.assertGreater(len(edited), 8)
            for path in edited:
                size = path.stat().st_size
                done = subprocess.run([*command, str(path)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{command[0]} {path.name}: {done.stderr}")
                self.assertEqual(done.stdout + done.stderr, "", path.name)
                if command[0] != "objcopy":
                    self.assertLess(path.stat().st_size, size, f"{path.name} was not stripped")
            work.use_everything(site)

    def test_edited_files_survive_strip(self):
        self.survives("strip")

    def test_edited_files_survive_strip_of_debug_information(self):
        self.survives("strip", "-g")

    def test_edited_files_survive_eu_strip(self):
        self.survives("eu-strip")

    def test_edited_files_survive_llvm_strip(self):
        self.survives("llvm-strip")

    def test_edited_files_survive_a_copy_by_objcopy(self):
        self.survives("objcopy")

    def test_eu_elflint_has_no_complaint_that_the_input_did_not_have(self):
        for after, before in work.edited_files().items():
            with self.subTest(after.name):
                self.assertEqual(complaints(after) - complaints(before), set())


if __name__ == "__main__":
    work = Work(Path(sys.argv.pop(1)).absolute())
    unittest.main()
