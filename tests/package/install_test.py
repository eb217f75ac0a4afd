#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An installation works from where it lies: program, CMake package, .pc file, manual page, completions.

    install_test.py BUILD_DIR WORK
"""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = re.search(r'kVersion = "(.+)"', (HERE.parents[1] / "include/truewheel/version.hpp").read_text())[1]
build: Path
work: Path


def run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Tests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(work, ignore_errors=True)
        run("cmake", "--install", build, "--prefix", work / "first")
        # Used from another place than the one it was installed to.
        cls.prefix = work / "moved"
        (work / "first").rename(cls.prefix)
        (cls.libdir,) = {path.parent for path in cls.prefix.rglob("libtruewheel_core.a")}

    def test_the_program_tells_its_version(self):
        self.assertEqual(run(self.prefix / "bin/truewheel", "--version"), f"truewheel {VERSION}\n")

    def test_manual_page_completions_and_licences_are_there(self):
        for name in ("share/man/man1/truewheel.1", "share/bash-completion/completions/truewheel",
                     "share/zsh/site-functions/_truewheel", "share/fish/vendor_completions.d/truewheel.fish",
                     "share/doc/truewheel/LICENSE", "share/doc/truewheel/THIRD-PARTY-NOTICES"):
            self.assertGreater((self.prefix / name).stat().st_size, 200, name)

    def test_the_readme_leads_nowhere_but_to_what_is_installed(self):
        readme = self.prefix / "share/doc/truewheel/README.md"
        for link in re.findall(r"\]\(([^)]+)\)", readme.read_text()):
            if "://" not in link:
                self.assertTrue((readme.parent / link).is_file(), link)

    def test_the_manual_page_renders_without_a_warning(self):
        done = subprocess.run(["man", "--warnings", "--local-file", self.prefix / "share/man/man1/truewheel.1"],
                              capture_output=True, text=True, env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.stderr, "")
        self.assertIn("--accept-record-mismatch", done.stdout)

    def test_another_cmake_project_finds_links_and_runs_it(self):
        out = work / "find_package"
        run("cmake", "-S", HERE / "find_package", "-B", out, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", out)
        self.assertEqual(run(out / "uses_truewheel"),
                         f"truewheel {VERSION} reads a-1-py3-none-manylinux_2_17_x86_64.whl\n")
        absent = subprocess.run([out / "uses_truewheel", work / "absent.whl", work], capture_output=True, text=True)
        self.assertEqual(absent.returncode, 2, absent.stdout)
        self.assertIn("does not exist", absent.stdout)
        module, wheel = work / "tree/demo/_x.so", work / "demo-1.0-py3-none-linux_x86_64.whl"
        module.parent.mkdir(parents=True)
        (work / "x.c").write_text("int x(void) { return 1; }\n")
        run("gcc", "-shared", "-fPIC", "-Wl,-rpath,/build/lib", "-o", module, work / "x.c")
        run(sys.executable, HERE.parent / "support/pack_wheel.py", work / "tree", wheel)
        said = run(out / "uses_truewheel", wheel, work / "repaired").splitlines()[1:]
        (repaired,) = (work / "repaired").glob("*.whl")
        self.assertEqual(said, ["edited demo/_x.so", f"wrote {repaired}"])
        self.assertIn("manylinux", repaired.name)

    def test_the_page_on_the_library_shows_the_program_that_is_built(self):
        source = (HERE / "find_package/main.cpp").read_text().split("\n", 2)[2]
        self.assertIn(f"```cpp\n{source}```\n", (HERE.parents[1] / "docs/library.md").read_text())

    def test_pkg_config_gives_what_a_compiler_needs(self):
        flags = run("pkg-config", "--cflags", "--libs", "truewheel", PKG_CONFIG_PATH=str(self.libdir / "pkgconfig")).split()
        self.assertEqual(run("pkg-config", "--modversion", "truewheel", PKG_CONFIG_PATH=str(self.libdir / "pkgconfig")), f"{VERSION}\n")
        compiled = work / "by_pkg_config"
        sanitizer = re.search(r"^TRUEWHEEL_SANITIZE:STRING=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
        more = [f"-fsanitize={sanitizer[1]}"] if sanitizer and sanitizer[1] else []
        run("g++", "-std=c++20", *more, HERE / "find_package/main.cpp", "-o", compiled, *flags)
        self.assertTrue(run(compiled).startswith(f"truewheel {VERSION} reads"))


if __name__ == "__main__":
    build, work = (Path(word).absolute() for word in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
