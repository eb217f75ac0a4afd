#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`repair --fix-only` on published wheels with known faults: what is left is only what the build alone
can repair, and the program says so; a second run changes nothing; Mooncake's wheels work afterwards.

    fix_only_test.py WORK TRUEWHEEL

Exit 77, for "skipped", without network. The wheels that are run need CPython 3.11 on x86_64, gcc, libcurl4.
"""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import published  # noqa: E402
import stub_libraries  # noqa: E402
import wheel_facts  # noqa: E402
from mooncake_like import clean_environment, only_wheel  # noqa: E402

SKIPPED = 77
CURL, LZMA = ("R005", "libcurl.so.4"), ("R005", "liblzma.so.5")
# What only a build can repair: libraries that are not there, two builds of one library, libraries of the machine.
LEFT = {
    published.ROCM: {CURL, LZMA},
    published.NON_CUDA: {CURL},
    published.CUDA13: {CURL, ("R005", "libgssapi_krb5.so.2")},
    published.EFA: {CURL, LZMA},
    published.NIXL: {("R005", "libcrypto.so.3"), ("R005", "libssl.so.3"), ("R005", "libhwloc.so.15"), ("R005", "libgomp.so.1"),
                     ("R008", "libcore.so.1.3.0"), ("R008", "libpull.so.1.3.0"), ("G001", "libibverbs.so.1.14.48.0"),
                     ("G001", "libmlx5.so.1.24.48.0"), ("G001", "libnl-3.so.200.26.0"), ("G001", "libnl-route-3.so.200.26.0")},
    published.MORI: None,  # 54 libraries of a distribution
    published.UCCL: set(),
    published.LMCACHE: set(),
    published.JAX_ROCM: set(),
}
EXCLUDED_COPIES = ("libasio-", "libetcd_wrapper-")

work: Path
truewheel: Path


def run(*command, **environment) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], env=clean_environment(**environment), cwd="/", capture_output=True, text=True)


def errors(wheel: Path, *options: str) -> list[dict]:
    done = run(truewheel, "check", "--json", *options, wheel)
    assert done.returncode in (0, 1), done.stderr
    return [f for f in json.loads(done.stdout)["subjects"][0]["findings"] if f["severity"] == "error"]


def fix(wheel: Path, folder: Path, *options: str) -> tuple[Path, str]:
    shutil.rmtree(folder, ignore_errors=True)
    done = run(truewheel, "repair", "--fix-only", *options, "-w", folder, wheel)
    assert done.returncode == 0, f"{wheel.name}: exit {done.returncode}: {done.stderr}"
    return only_wheel(folder), done.stderr


class Tests(unittest.TestCase):
    def judge(self, pin):
        try:
            wheel = published.download(*pin)
        except published.Unreachable as reason:
            self.skipTest(str(reason))
        # Mori's RECORD was not written anew when its tag was changed.
        options = ["--accept-record-mismatch"] if pin is published.MORI else []
        fixed, said = fix(wheel, work / "out", *options)
        self.assertEqual(fixed.name, wheel.name, "its tags are true")
        self.assertEqual(wheel_facts.record_complaints(fixed), [])
        left = {(finding["rule"], finding["value"]) for finding in errors(fixed)}
        if LEFT[pin] is None:
            self.assertEqual({rule for rule, _ in left}, {"R005"})
        else:
            self.assertEqual(left, LEFT[pin])
        for rule, value in left:
            # What is missing a repair may bundle; the rest is the build's.
            words = "a repair without --fix-only bundles it" if rule == "R005" else "only the build"
            self.assertTrue(any(value in line and words in line for line in said.splitlines()), f"{value} is not named: {said}")
        again, _ = fix(fixed, work / "again")
        self.assertTrue(again.read_bytes() == fixed.read_bytes(), "a second run changed something")
        return fixed

    def test_rocm(self):
        fixed = self.judge(published.ROCM)
        names = wheel_facts.members(fixed)
        self.assertEqual([name for name in names if any(part in name for part in EXCLUDED_COPIES)], [])
        # What the users' machines have is said, and then nothing is left; --verify=strict agrees.
        declared = ["--exclude", "libcurl.so*", "--exclude", "liblzma.so*"]
        self.assertEqual(errors(fixed, *declared), [])
        done = run(truewheel, "repair", "--fix-only", "--verify=strict", *declared, "-w", work / "strict", fixed)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(truewheel, "repair", "--fix-only", "--verify=strict", "-w", work / "refused", fixed)
        self.assertEqual(done.returncode, 1)
        self.assertIn("R005", done.stderr)
        self.assertFalse((work / "refused").exists())
        site = self.install(fixed, "rocm")
        package, stubs = site / "mooncake", work / "stubs"
        users = [package / name for name in ("engine.so", "store.so", "nvlink_allocator.so", "mooncake_client")]
        stub_libraries.main(str(stubs), "libamdhip64.so.7,libhsa-runtime64.so.1", *map(str, users))
        self.use(site, "from mooncake.engine import SUPPORT_HIP, TransferEngine; assert SUPPORT_HIP", LD_LIBRARY_PATH=str(stubs))
        self.use(site, "from mooncake.store import MooncakeDistributedStore", LD_LIBRARY_PATH=str(stubs))

    def test_non_cuda(self):
        site = self.install(self.judge(published.NON_CUDA), "non_cuda")
        self.use(site, "from mooncake.engine import TransferEngine")
        self.use(site, "from mooncake.store import MooncakeDistributedStore")

    def test_cuda13(self):
        self.judge(published.CUDA13)

    def test_efa(self):
        self.judge(published.EFA)

    def test_nixl(self):
        fixed = self.judge(published.NIXL)
        for name, mode in wheel_facts.modes(fixed).items():
            if name.startswith("nixl_cu13.scripts/"):
                self.assertEqual(mode, 0o755, name)

    def test_mori(self):
        self.judge(published.MORI)

    def test_uccl(self):
        self.judge(published.UCCL)

    def test_lmcache(self):
        self.judge(published.LMCACHE)

    def test_jax_rocm(self):
        self.judge(published.JAX_ROCM)

    def install(self, wheel: Path, name: str) -> Path:
        if sys.version_info[:2] != (3, 11) or os.uname().machine != "x86_64":
            self.skipTest("the published wheels are for CPython 3.11 on x86_64")
        self.venv = work / name
        shutil.rmtree(self.venv, ignore_errors=True)
        for command in ([sys.executable, "-m", "venv", self.venv],
                        [self.venv / "bin/pip", "install", "-q", "--no-deps", "--no-index", "--disable-pip-version-check", wheel]):
            done = run(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
        (site,) = self.venv.glob("lib/python3*/site-packages")
        done = run(self.venv / "bin/mooncake_master", "--version")
        self.assertEqual(done.returncode, 0, done.stderr)
        return site

    def use(self, site: Path, code: str, **environment):
        done = run(self.venv / "bin/python", "-c", code, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    work, truewheel = (Path(word).absolute() for word in sys.argv[1:3])
    work.mkdir(parents=True, exist_ok=True)
    result = unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2, exit=False).result
    if result.wasSuccessful() and len(result.skipped) == result.testsRun:
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())
