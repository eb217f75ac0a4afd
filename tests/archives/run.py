#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows, checks and repairs every archive of the table, and holds the answers against their verdicts.

    run.py TRUEWHEEL [--only ROW_OR_TEXT] [--install N] [-j N] [--list] [--no-memory-limit]

A refusal is exit 3 (or what the row says), its id, one line of error, no output, no folder, in time and memory. A wheel that is taken is
repaired, and read by a reader of its own: framing, RECORD, tags, contents, compressed bytes. --install N: every Nth of them goes through pip and,
where it is there, uv.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import queue
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "zoo"))
import rows_headers  # noqa: E402,F401
import rows_names  # noqa: E402,F401
import rows_records  # noqa: E402,F401
import rows_wheels  # noqa: E402,F401
import zip_reader  # noqa: E402
from case import Failed, pip_install  # noqa: E402
from cases import REFUSED, ROWS, UNFIT, Case, all_cases  # noqa: E402
from judge_zip import record_complaints, tag_complaints, zip_complaints  # noqa: E402

MEMORY = 64 << 20  # bytes resident, for what is refused
LAUNCHER = Path(__file__).resolve().parent / "launcher.py"


class Launchers:
    """Small processes that start truewheel: what this one holds does not count for its children's memory."""

    def __init__(self, count: int) -> None:
        self.free: queue.Queue = queue.Queue()
        for _ in range(count):
            self.free.put(subprocess.Popen([sys.executable, "-S", "-E", str(LAUNCHER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def run(self, command: list[str], seconds: float) -> dict:
        process = self.free.get()
        try:
            process.stdin.write(json.dumps({"command": command, "seconds": seconds}) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())
        finally:
            self.free.put(process)


class Wrong(Exception):
    pass


def expect(truth: object, what: str) -> None:
    if not truth:
        raise Wrong(what)


def judge_output(case: Case, output: Path) -> None:
    """The repaired wheel, read without truewheel."""
    data = output.read_bytes()
    before, after = zip_reader.read(case.archive), zip_reader.read(data)
    contents = {name: member.content for name, member in after.items()}
    complaints = zip_complaints(data) + record_complaints(contents)
    if case.tidy:
        complaints += tag_complaints(output.name, contents)
    expect(not complaints, f"the output is not in order: {complaints[:3]}")
    made_anew = {name for name in before if name.rsplit("/", 1)[-1] in ("WHEEL", "RECORD") and name.split("/", 1)[0].endswith(".dist-info")}
    expect(set(after) == set(before) - case.dropped, f"members lost or added: {sorted(set(after) ^ (set(before) - case.dropped))[:4]}")
    for name, was in before.items():
        if name in case.dropped or name in made_anew:
            continue
        now = after[name]
        expect((now.content, now.method, now.packed) == (was.content, was.method, was.packed), f"{name} was not copied as it is")
        expect(now.mode & 0o777 == (0o755 if was.mode & 0o111 else 0o644), f"{name} has mode {now.mode:o}")


def install(output: Path, folder: Path) -> list[str]:
    """Installs a wheel by pip and, if it is here, by uv, and compares what lies there with the members."""
    members = zip_reader.read(output.read_bytes())
    tools = ["pip"] + (["uv"] if shutil.which("uv") else [])
    for tool in tools:
        site = folder / f"site-{tool}"
        if tool == "pip":
            try:
                pip_install(["--target", str(site), str(output)], folder)
            except Failed as failure:
                raise Wrong(str(failure)) from None
        else:
            done = subprocess.run(["uv", "pip", "install", "-q", "--no-deps", "--no-index", "--no-cache", "--python", sys.executable, "--target", str(site), str(output)],
                                  capture_output=True, text=True)
            expect(done.returncode == 0, f"uv refuses the wheel: {done.stderr[-300:]}")
        for name, member in members.items():
            if ".data/" in name or name.endswith("/RECORD"):
                continue
            expect((site / name).is_file() and (site / name).read_bytes() == member.content, f"{tool} did not install {name} as it is")
        shutil.rmtree(site)
    return tools


class Judge:
    def __init__(self, truewheel: str, launchers: Launchers, work: Path, limit_memory: bool) -> None:
        self.truewheel = truewheel
        self.launchers = launchers
        self.work = work
        self.limit_memory = limit_memory
        self.installed: collections.Counter = collections.Counter()

    def run(self, case: Case, *words: str) -> dict:
        answer = self.launchers.run([self.truewheel, *words], case.seconds)
        expect(not answer["late"], f"{words[0]} was not done after {case.seconds} s")
        expect(answer["code"] >= 0, f"{words[0]} was killed by signal {-answer['code']}: {answer['stderr'][-300:]}")
        expect(answer["code"] != 70, f"{words[0]} says that it has a bug: {answer['stderr'][-300:]}")
        odd = [character for character in answer["stdout"] + answer["stderr"] if ord(character) < 32 and character != "\n" or 0x7F <= ord(character) < 0xA0]
        expect(not odd, f"{words[0]} prints control characters: {odd[:3]!r}")
        return answer

    def refuses(self, case: Case, answer: dict, code: int) -> None:
        expect(answer["code"] == code, f"exit {answer['code']}, right is {code}: {answer['stderr'][-400:]}")
        errors = [line for line in answer["stderr"].splitlines() if line.startswith("truewheel: error: ")]
        expect(len(errors) == 1, f"{len(errors)} lines of error: {answer['stderr'][-400:]}")
        expect(case.file_name in errors[0], f"the error does not name the file: {errors[0]}")
        expect(not self.limit_memory or answer["memory"] <= MEMORY, f"a refusal took {answer['memory'] >> 20} MiB")

    def judge(self, case: Case, folder: Path, installs: bool) -> None:
        wheel, out = folder / "in" / case.file_name, folder / "out"
        wheel.parent.mkdir(parents=True)
        wheel.write_bytes(case.archive)
        status = wheel.stat()
        digest = hashlib.sha256(case.archive).digest()
        shown = self.run(case, "show", "--json", str(wheel))
        checked = self.run(case, "check", str(wheel))
        repaired = self.run(case, "repair", "-v", "-w", str(out), str(wheel))
        now = wheel.stat()
        expect((now.st_mtime_ns, now.st_ino, now.st_size) == (status.st_mtime_ns, status.st_ino, status.st_size)
               and hashlib.sha256(wheel.read_bytes()).digest() == digest, "the input was changed")
        expect([path.name for path in wheel.parent.iterdir()] == [wheel.name], "something was left beside the input")
        if case.id:
            self.refuses(case, repaired, case.code)
            expect(json.loads(shown["stdout"]).get("id") == case.id, f"id {json.loads(shown['stdout']).get('id')}, right is {case.id}: {shown['stderr'][-300:]}")
            self.refuses(case, shown, case.code)
            # The gate tells what is wrong with RECORD, WHEEL and places as findings, all at once.
            expect(checked["code"] == REFUSED or checked["code"] == UNFIT and not case.id.startswith("zip-"), f"check: exit {checked['code']}: {checked['stderr'][-300:]}")
            expect(not out.exists(), "a refusal left an output folder")
            if case.accept:
                self.judge_accepted(case, folder)
            return
        expect(shown["code"] == 0, f"show: exit {shown['code']}: {shown['stderr'][-400:]}")
        expect(repaired["code"] == 0, f"repair: exit {repaired['code']}: {repaired['stderr'][-400:]}")
        expect(checked["code"] == case.checked, f"check: exit {checked['code']}: {checked['stderr'][-300:]}{checked['stdout'][-300:]}")
        if case.says:
            for command, answer in (("repair", repaired), ("show", shown)):
                warnings = [line for line in answer["stderr"].splitlines() if line.startswith("truewheel: warning: ")]
                expect(any(case.says in line for line in warnings), f"{command} does not warn of {case.says!r}: {answer['stderr'][-400:]}")
        if case.says:
            severe = self.run(case, "repair", "--verify=strict", "-w", str(folder / "strict"), str(wheel))
            expect(severe["code"] == (0 if case.strict else UNFIT), f"--verify=strict: exit {severe['code']}: {severe['stderr'][-300:]}")
            expect((folder / "strict").exists() == case.strict, "--verify=strict and its output folder do not agree")
        outputs = sorted(out.iterdir())
        expect(len(outputs) == 1, f"{len(outputs)} files in the output folder")
        judge_output(case, outputs[0])
        if installs and case.judged:
            self.installed.update(install(outputs[0], folder))

    def judge_accepted(self, case: Case, folder: Path) -> None:
        """What an option lets pass, passes with it; what starts with `!` is refused all the same."""
        out = folder / "accepted"
        wheel = folder / "in" / case.file_name
        answer = self.run(case, "repair", case.accept.removeprefix("!"), "-w", str(out), str(wheel))
        if case.accept.startswith("!"):
            self.refuses(case, answer, case.code)
            expect(not out.exists(), "a refusal left an output folder")
            return
        expect(answer["code"] == 0, f"{case.accept}: exit {answer['code']}: {answer['stderr'][-300:]}")
        if case.id == "record-mismatch":
            expect("truewheel: warning: " in answer["stderr"], f"{case.accept}: no word of it")
        judge_output(case, next(out.iterdir()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truewheel")
    parser.add_argument("--only", default="", help="a row, or a piece of a case's name")
    parser.add_argument("--install", type=int, default=16)
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-memory-limit", action="store_true")
    options = parser.parse_args()
    missing = [f"Z{number:02}" for number in range(1, 57) if f"Z{number:02}" not in ROWS]
    if missing:
        print(f"no cases for {', '.join(missing)}")
        return 1
    if options.list:
        for case in all_cases(options.only):
            print(f"{case.id or 'taken':24} {case.name}")
        return 0
    failures: list[str] = []
    verdicts: collections.Counter = collections.Counter()
    ids: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="archives-") as name:
        judge = Judge(str(Path(options.truewheel).resolve()), Launchers(options.jobs), Path(name), not options.no_memory_limit)

        def one(case: Case, number: int, installs: bool) -> None:
            folder = Path(name) / str(number)
            try:
                judge.judge(case, folder, installs)
            except Wrong as wrong:
                failures.append(f"{case.name}: {wrong}")
            shutil.rmtree(folder, ignore_errors=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            running: collections.deque = collections.deque()
            for number, case in enumerate(all_cases(options.only)):
                verdicts["refused" if case.id else "taken"] += 1
                ids |= {case.id} - {""}
                running.append(pool.submit(one, case, number, bool(options.install) and verdicts["taken"] % options.install == 0 and not case.id))
                while len(running) > 2 * options.jobs:
                    running.popleft().result()
            for future in running:
                future.result()
        print(f"{sum(verdicts.values())} archives of {len(ROWS)} rows: {verdicts['refused']} refused by {len(ids)} ids, {verdicts['taken']} taken; installed by {dict(judge.installed)}")
    for failure in failures:
        print(f"WRONG: {failure}")
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
