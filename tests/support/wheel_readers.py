# SPDX-License-Identifier: Apache-2.0
"""The programs that read wheels, each of one version, in an environment that is made once."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from published import CACHE, Unreachable

PROGRAMS = ("pip==25.3", "wheel==0.45.1", "uv==0.9.9", "check-wheel-contents==0.6.3")


def programs(cache: Path = CACHE / "comparison") -> Path:
    """The folder with pip, wheel, uv and check-wheel-contents; Unreachable without network."""
    folder = cache / "checkers"
    if not (folder / "bin/check-wheel-contents").exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as log:
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
            done = subprocess.run([str(folder / "bin/pip"), "install", "-q", "--disable-pip-version-check", "--retries", "1", *PROGRAMS],
                                  capture_output=True, text=True, cwd=log)
        if done.returncode:
            raise Unreachable(f"cannot install {', '.join(PROGRAMS)}: {done.stderr.strip()[-300:]}")
    return folder / "bin"
