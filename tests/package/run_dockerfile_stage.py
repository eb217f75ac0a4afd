# SPDX-License-Identifier: Apache-2.0
"""Runs stages of a Dockerfile without Docker: their commands, in order, on this machine.

Every path a stage uses must hang on an ARG, so that the caller can map it into a scratch folder. COPY
copies between such folders; --mount options are dropped, since what they mount is already in place.
Understands what packaging/*.Dockerfile use: ARG, ENV, WORKDIR, COPY --from, RUN; refuses the rest.
"""

import glob
import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Stage:
    name: str
    base: str
    instructions: list[tuple[str, str]] = field(default_factory=list)


def parse(text: str) -> tuple[dict[str, str], list[Stage]]:
    """(ARGs before the first FROM, the stages)."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    arguments, stages = {}, []
    for line in filter(None, map(str.strip, joined.splitlines())):
        keyword, _, rest = line.partition(" ")
        if keyword == "FROM":
            base, name = re.fullmatch(r"(\S+) AS (\S+)", rest).groups()
            stages.append(Stage(name, base))
        elif stages:
            stages[-1].instructions.append((keyword, rest.strip()))
        else:
            name, _, value = rest.partition("=")
            arguments[name] = value
    return arguments, stages


def expand(text: str, variables: dict[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda match: variables[match[1]], text)


def copy(source: str, target: str) -> None:
    found = glob.glob(source)
    if not found:
        raise AssertionError(f"COPY: nothing matches {source}")
    for path in map(Path, found):
        if path.is_dir() and path.resolve() != Path(target).resolve():
            shutil.copytree(path, target, dirs_exist_ok=True)
        elif path.is_file():
            shutil.copy(path, target)


class Runner:
    """`arguments` overrides ARGs, as --build-arg does; `image_root` is where the image's `/` may be written."""

    def __init__(self, dockerfile: Path, arguments: dict[str, str], environment: dict[str, str], image_root: Path) -> None:
        self.defaults, self.stages = parse(dockerfile.read_text())
        self.arguments, self.environment, self.image_root = arguments, environment, image_root
        self.commands_run: list[str] = []

    def run_stage(self, name: str) -> None:
        (stage,) = [stage for stage in self.stages if stage.name == name]
        variables: dict[str, str] = {}
        folder = "/"
        for keyword, rest in stage.instructions:
            if keyword == "ARG":
                argument, _, default = rest.partition("=")
                value = self.arguments.get(argument, expand(default, variables) or self.defaults.get(argument))
                assert value is not None, f"ARG {argument} has no value"
                variables[argument] = value
            elif keyword == "ENV":
                argument, _, value = rest.partition("=")
                variables[argument] = expand(value, variables)
            elif keyword == "WORKDIR":
                folder = expand(rest, variables)
                Path(folder).mkdir(parents=True, exist_ok=True)
            elif keyword == "COPY":
                source, target = expand(re.sub(r"^--from=\S+ ", "", rest), variables).split()
                copy(source, str(self.image_root) if target == "/" else target)
            elif keyword == "RUN":
                command = re.sub(r"^(--mount=\S+ +)+", "", rest)
                self.run(command, folder, variables)
            else:
                raise AssertionError(f"cannot run {keyword} {rest}")

    def run(self, command: str, folder: str, variables: dict[str, str]) -> None:
        done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, env={**self.environment, **variables},
                              capture_output=True, text=True)
        report = json.dumps({"command": command, "exit": done.returncode, "output": done.stdout + done.stderr}, indent=1)
        assert done.returncode == 0, report
        self.commands_run.append(command)
