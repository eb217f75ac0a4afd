#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packaging/rocm-package-stage.Dockerfile does what it says, on the Mooncake-like wheel.

    stage_test.py WORK TRUEWHEEL
"""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from mooncake_like import HERE, PACKAGE, PLATFORM, PROGRAMS, SIBLINGS, clean_environment, only_wheel
from run_dockerfile_stage import Runner
import wheel_facts

ROOT = HERE.parents[1]
work: Path
truewheel: Path


class Tests(unittest.TestCase):
    def test_the_stages_commands_package_an_installable_wheel(self):
        fixture, mooncake, tools, image = (work / name for name in ("fixture", "Mooncake", "tools", "image"))
        for folder in (mooncake, tools, image, work / "wheels", work / "check", work / "away", work / "fixture.away"):
            shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, ROOT / "fixtures/mooncake_like/build.py", fixture, "--hip", "yes"], check=True)
        (mooncake / "scripts").mkdir(parents=True)
        (mooncake / "mooncake-wheel").mkdir()
        shutil.copy(HERE / "stage/build_wheel.sh", mooncake / "scripts")
        shutil.copytree(fixture / "build/common", mooncake / "build/mooncake-common")
        tools.mkdir()
        image.mkdir()
        (tools / "truewheel").symlink_to(truewheel)

        environment = clean_environment(FIXTURE_WHEEL=str(only_wheel(fixture / "dist")))
        environment["PATH"] = f"{tools}:{environment['PATH']}"
        # Where the build puts its libraries, mapped away from /usr/local/lib; a link that can be cut later.
        (work / "libraries").unlink(missing_ok=True)
        (work / "libraries").symlink_to(fixture / "lib")
        runner = Runner(ROOT / "packaging/rocm-package-stage.Dockerfile", {
            "MOONCAKE_DIR": str(mooncake), "LIBRARY_DIR": str(work / "libraries"), "BUILD_ROOT": "",
            "WHEEL_DIR": str(work / "wheels"), "CHECK_DIR": str(work / "check"), "PACKAGE": PACKAGE,
            "PLATFORM_TAG": PLATFORM}, environment, image)
        for stage in ("plain_mooncake", "package_mooncake", "check_mooncake", "export_mooncake"):
            runner.run_stage(stage)
        self.assertGreaterEqual(len(runner.commands_run), 7)

        wheel = only_wheel(image)
        self.assertEqual(wheel_facts.record_complaints(wheel), [])
        self.assertIn(PLATFORM, wheel.name)
        names = [Path(name).name for name in wheel_facts.members(wheel)]
        for sibling in SIBLINGS:
            self.assertEqual([name for name in names if name.startswith(sibling.removesuffix(".so"))], [sibling])

        # What was checked inside the stage had the build around it; without it, all runs too.
        (work / "libraries").unlink()
        os.rename(mooncake, work / "away")
        os.rename(fixture, work / "fixture.away")
        try:
            (site,) = (work / "check").glob("lib/python3*/site-packages")
            for name in PROGRAMS:
                done = subprocess.run([site / PACKAGE / name], env=clean_environment(), capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{name} works\n", ""))
            code = f"from {PACKAGE} import engine, store; print(engine.check(), store.check())"
            subprocess.run([work / "check/bin/python", "-c", code], env=clean_environment(), check=True, capture_output=True)
        finally:
            os.rename(work / "fixture.away", fixture)


if __name__ == "__main__":
    work, truewheel = (Path(word).absolute() for word in sys.argv[1:3])
    work.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
