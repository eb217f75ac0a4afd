# SPDX-License-Identifier: Apache-2.0
"""Whether the tools that wheels meet take truewheel's results: zipfile, wheel, pip, uv, check-wheel-contents, a loader."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import tools
import wheel_facts
import wheel_readers

CHECKS = ("python -m zipfile -t", "python -m wheel unpack", "pip install", "uv pip install", "check-wheel-contents", "dlopen")


@dataclass(frozen=True)
class Result:
    """A repaired wheel and what it was made of."""

    before: Path
    after: Path


def anywhere(wheel: Path, folder: Path) -> Path:
    """The same wheel under a name that every interpreter and machine takes; installers go by the name."""
    project, version = wheel.name.split("-")[:2]
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / f"{project}-{version}-py3-none-any.whl"
    link.symlink_to(wheel)
    return link


def batches(results: list[Result]) -> list[list[Result]]:
    """Groups without a project twice, since an installer takes one version of each."""
    found: list[list[Result]] = []
    for result in results:
        project = result.after.name.split("-")[0].lower()
        for batch in found:
            if all(other.after.name.split("-")[0].lower() != project for other in batch):
                batch.append(result)
                break
        else:
            found.append([result])
    return found


def run(command: list[str]) -> str:
    """What went wrong; "" if nothing."""
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else tools.complaint(done.stderr or done.stdout) or f"exit {done.returncode}"


def is_native(wheel: Path) -> bool:
    """For this interpreter and machine."""
    python, abi, platforms = wheel.name.removesuffix(".whl").split("-")[-3:]
    version = re.fullmatch(r"cp3(\d+)", python)
    fits = abi == f"cp3{sys.version_info.minor}" or (abi == "abi3" and version and int(version[1]) <= sys.version_info.minor)
    return bool(fits) and "manylinux" in platforms and platforms.endswith("_" + os.uname().machine)


def takes_this_python(wheel: Path) -> bool:
    """By Requires-Python, which pip can be told to ignore and uv can not."""
    from pip._vendor.packaging.specifiers import SpecifierSet
    (metadata,) = [data for name, data in wheel_facts.members(wheel).items() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
    wanted = re.search(r"^Requires-Python: (.*)$", metadata.decode(), re.MULTILINE)
    return not wanted or SpecifierSet(wanted[1].strip()).contains(platform.python_version())


def load_failures(site: Path, wheel: Path) -> str:
    """Maps each extension module of the installed wheel with all symbols bound."""
    modules = [str(site / name) for name in wheel_facts.members(wheel)
               if re.search(r"\.(cpython-3\d+-x86_64-linux-gnu|abi3)\.so$", name) and ".data/" not in name]
    program = "import ctypes, os, sys\nfor path in sys.argv[1:]: ctypes.CDLL(path, mode=os.RTLD_NOW)"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LD_")}
    done = subprocess.run([sys.executable, "-c", program, *modules], env=environment, capture_output=True, text=True)
    return "" if done.returncode == 0 else tools.complaint(done.stderr)


def install_all(results: list[Result], installer: list[str], work: Path) -> tuple[dict[Path, str], dict[Path, Path]]:
    """Problems of each wheel, and where each is installed."""
    problems, sites = {}, {}
    for number, batch in enumerate(batches(results)):
        site = work / f"site-{number}"
        links = {result: anywhere(result.after, work / f"links-{number}") for result in batch}
        together = run([*installer, "--target", str(site), *map(str, links.values())])
        for result, link in links.items():
            alone = site if not together else work / f"site-{number}-{link.stem}"
            problems[result.after] = together and run([*installer, "--target", str(alone), str(link)])
            sites[result.after] = alone
    return problems, sites


def new_complaints(program: Path, result: Result) -> str:
    """check-wheel-contents finds fault with packages, too; what a repair must not do is add to that.

    It asks that everything in the root is a Python package, which <name>.libs and <name>.scripts are in auditwheel's
    results neither, nor the folder that --lib-sdir names (W004, W009, W010).
    """
    distribution = re.escape(result.after.name.split("-")[0])

    def complaints(wheel: Path) -> set[str]:
        text = subprocess.run([str(program), "--ignore", "W009", str(wheel)], capture_output=True, text=True).stdout
        found = set()
        for block in re.split(r"\n(?! )", text):
            names = re.findall(r"^ +(\S.*)$", block, re.MULTILINE)
            ours = [name for name in names if re.match(rf"([^/]+\.(libs|scripts)|{distribution}\.[^/]+)/", name)]
            if (number := re.search(r": (W\d+)", block)) and (not names or len(ours) < len(names)):
                found.add(number[1])
        return found
    return ", ".join(sorted(complaints(result.after) - complaints(result.before)))


def check(results: list[Result], cache: Path, work: Path) -> dict[str, dict[Path, str]]:
    """For each check: the wheels that it was done on, with what went wrong."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    programs = wheel_readers.programs(cache)
    found: dict[str, dict[Path, str]] = defaultdict(dict)
    for result in results:
        wheel = result.after
        found["python -m zipfile -t"][wheel] = run([sys.executable, "-m", "zipfile", "-t", str(wheel)])
        found["python -m wheel unpack"][wheel] = run([str(programs / "wheel"), "unpack", "-d", str(work / "unpacked"), str(wheel)])
        shutil.rmtree(work / "unpacked", ignore_errors=True)
        found["check-wheel-contents"][wheel] = new_complaints(programs / "check-wheel-contents", result)
    pip = [str(programs / "pip"), "install", "-q", "--no-deps", "--no-index", "--no-compile", "--ignore-requires-python",
           "--disable-pip-version-check"]
    found["pip install"], sites = install_all(results, pip, work / "pip")
    for result in results:
        if is_native(result.after) and not found["pip install"][result.after]:
            found["dlopen"][result.after] = load_failures(sites[result.after], result.after)
    uv = [str(programs / "uv"), "pip", "install", "-q", "--no-deps", "--no-index", "--no-cache", "--python", sys.executable]
    found["uv pip install"], _ = install_all([result for result in results if takes_this_python(result.after)], uv, work / "uv")
    return {check: found[check] for check in CHECKS}
