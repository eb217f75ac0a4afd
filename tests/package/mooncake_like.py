# SPDX-License-Identifier: Apache-2.0
"""The Mooncake-like wheel before and after repair, and ways to use the installed result.

`prepare` (the ctest fixture "mooncake_like") fills a work folder:

    build.away   what fixtures/mooncake_like/build.py made; moved from `build` after the repairs, so
                 that nothing in the tests can find a library where the build had it
    repaired     the repaired wheel; `again`: that one repaired again; more repairs by name
    venv         a virtual environment that the repaired wheel is installed in

Usage: mooncake_like.py prepare --work DIR --truewheel PROGRAM
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

PACKAGE = "mooncake_like"
PLATFORM = f"manylinux_2_35_{os.uname().machine}"
EXCLUDED = ("libibverbs", "librdmacm", "libnuma", "libamdhip64", "libhsa-runtime64")
SIBLINGS = ("libasio.so", "libetcd_wrapper.so")
PROGRAMS = {"mooncake_master": "master", "mooncake_client": "client", "transfer_engine_bench": "bench"}
# Each private library's file name before the first dot, and after it.
PRIVATE = {"libmclog": ".so.0.6.0", "libmcflags": ".so.2.2.2", "libmcunwind": ".so.8.0.1", "libmcxxhash": ".so.0.8.1"}
EXCLUDES = [word for name in EXCLUDED for word in ("--exclude", f"{name}.so*")]


def only_wheel(folder: Path) -> Path:
    wheels = list(folder.glob("*.whl"))
    assert len(wheels) == 1, f"{folder} holds {len(wheels)} wheels"
    return wheels[0]


def clean_environment(**more: str) -> dict[str, str]:
    """The caller's environment without what could help or hinder the loader, symbols bound at once."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("LD_", "AUDITWHEEL_", "PYTHON")) and name != "SOURCE_DATE_EPOCH"}
    return {**kept, "LD_BIND_NOW": "1", "PYTHONDONTWRITEBYTECODE": "1", **more}


class Work:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.build, self.away = folder / "build", folder / "build.away"
        self.venv = folder / "venv"
        self.python = self.venv / "bin/python"

    @property
    def input_wheel(self) -> Path:
        return only_wheel(self.away / "dist")

    @property
    def repaired_wheel(self) -> Path:
        return only_wheel(self.folder / "repaired")

    @property
    def site(self) -> Path:
        (site,) = self.venv.glob("lib/python3*/site-packages")
        return site

    def outcome(self, name: str) -> dict:
        return json.loads((self.folder / f"{name}.json").read_text())

    def edited_files(self, site: Path | None = None) -> dict[Path, Path]:
        """Each installed ELF file that the repair had to edit -> the file it was made from."""
        site = site or self.site
        pairs = {site / PACKAGE / name: self.away / "build" / PACKAGE / name
                 for name in ("engine.so", "store.so", "nvlink_allocator.so", *PROGRAMS)}
        for stem, suffix in PRIVATE.items():
            (graft,) = (site / f"{PACKAGE}.libs").glob(f"{stem}-*{suffix}")
            pairs[graft] = self.away / "lib" / (stem + suffix)
        return pairs

    def run_python(self, code: str, site: Path | None = None) -> str:
        """Runs code that sees the installed package (or a copy in `site`); its stdout."""
        more = {"PYTHONPATH": str(site)} if site else {}
        python = sys.executable if site else str(self.python)
        done = subprocess.run([python, "-c", code], env=clean_environment(**more), cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, f"exit {done.returncode}: {done.stderr}"
        assert not done.stderr, done.stderr
        return done.stdout

    def run_program(self, program: Path, *arguments: str) -> str:
        done = subprocess.run([str(program), *arguments], env=clean_environment(), cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, f"{program}: exit {done.returncode}: {done.stdout}{done.stderr}"
        assert not done.stderr, done.stderr
        return done.stdout

    def use_everything(self, site: Path) -> None:
        """Imports every module and runs every program of the package installed in `site`."""
        self.run_python(CHECK_MODULES, site=site)
        for name in PROGRAMS:
            output = self.run_program(site / PACKAGE / name)
            assert output == f"{name} works\n", output


CHECK_MODULES = f"""
from {PACKAGE} import engine, store, _fast_copy, allocator
chain = "mclog: level 7: no flag missing, traced by mcunwind"
found = engine.check()
assert found.pop("hardware").startswith("verbs "), found
assert found == dict(sibling="asio: refused", chain=chain, threads=True, hip=True), found
found = store.check()
assert found == dict(sibling="asio: refused", chain=chain, round_trip=True, hip=True), found
assert engine.SUPPORT_HIP
assert store.digest(b"a") == 12638187200555641996
assert _fast_copy.copy(b"abc") == b"abc"
library = allocator.load()
assert library.allocator_log_level() == 7
assert library.allocator_fill() in (0, 1)
"""


def prepare(work: Work, truewheel: Path) -> None:
    if work.away.exists():
        shutil.rmtree(work.build, ignore_errors=True)
        work.away.rename(work.build)
    builder = HERE.parents[1] / "fixtures/mooncake_like/build.py"
    subprocess.run([sys.executable, str(builder), str(work.build), "--hip", "yes"], check=True)
    wheel = only_wheel(work.build / "dist")
    search = (work.build / "library-path").read_text().strip()

    def repair(name: str, *arguments: str, prefix: tuple[str, ...] = (), source: Path = wheel, cwd: Path = work.folder,
               umask: int = 0o022, **environment: str) -> None:
        """Repairs into the folder `name` and keeps what was said and the exit code in `name`.json."""
        out = work.folder / name
        shutil.rmtree(out, ignore_errors=True)
        command = [*prefix, str(truewheel), "repair", *arguments, "-w", str(out), str(source)]
        done = subprocess.run(command, cwd=cwd, umask=umask, capture_output=True, text=True,
                              env={**clean_environment(), "AUDITWHEEL_LD_LIBRARY_PATH": search, **environment})
        outcome = {"exit": done.returncode, "stdout": done.stdout, "stderr": done.stderr}
        (work.folder / f"{name}.json").write_text(json.dumps(outcome))
        if name == "repaired" and done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    plain = [*EXCLUDES, "--plat", PLATFORM]
    before = hashlib.sha256(wheel.read_bytes()).hexdigest()
    repair("repaired", *plain)
    repair("elsewhere", *plain, prefix=("taskset", "-c", "0"), cwd=Path("/"), umask=0o077,
           TZ="Pacific/Kiritimati", LC_ALL="C.UTF-8")
    repair("stripped", *plain, "--strip")
    repair("dry_run", *plain, "--dry-run")
    repair("profiled", "--profile", "rocm,rdma,numa", "--plat", PLATFORM)
    search_options = [word for folder in search.split(":") for word in ("--search", folder)]
    repair("searched", *plain, *search_options, AUDITWHEEL_LD_LIBRARY_PATH="")
    repair("again", *plain, source=only_wheel(work.folder / "repaired"))
    for name, profiles in (("checked", "rocm,rocm-driver,rdma,numa"), ("checked_driverless", "rocm,rdma,numa")):
        done = subprocess.run([str(truewheel), "check", str(only_wheel(work.folder / "profiled")), "--profile", profiles, "--json"],
                              capture_output=True, text=True, env=clean_environment())
        (work.folder / f"{name}.json").write_text(json.dumps(
            {"exit": done.returncode, "stdout": done.stdout, "stderr": done.stderr}))
    unchanged = hashlib.sha256(wheel.read_bytes()).hexdigest() == before
    (work.folder / "input.json").write_text(json.dumps({"unchanged": unchanged}))
    work.build.rename(work.away)

    shutil.rmtree(work.venv, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(work.venv)], check=True)
    subprocess.run([str(work.python), "-m", "pip", "install", "-q", "--no-deps", "--no-index",
                    "--disable-pip-version-check", str(work.repaired_wheel)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["prepare"])
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--truewheel", type=Path, required=True)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    prepare(Work(options.work.absolute()), options.truewheel.absolute())


if __name__ == "__main__":
    main()
