# SPDX-License-Identifier: Apache-2.0
"""Where the output goes, what happens when something is in the way, and exit codes."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import build
from case import Case, Skipped, case
from judge import graft_name, judge

NAME = "zoo-1.0-cp311-cp311-manylinux1_x86_64.manylinux_2_5_x86_64.whl"


def small(c: Case) -> Path:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.wheel()
    c.watch()
    return a


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() or path.is_symlink())


def snapshot(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): build.digest(path.read_bytes()) if path.is_file() else "folder" for path in sorted(folder.rglob("*"))}


@case("E9")
def an_output_folder_that_does_not_exist_with_spaces_and_umlauts(c: Case) -> None:
    small(c)
    c.out = c.root / "out dir/ü/deep {x}"
    c.repair()
    judge(c, [c.build / "liba.so.1"], {"pkg._e": 6})


@case("E9")
def relative_paths(c: Case) -> None:
    a = small(c)
    (c.root / "work dir").mkdir()
    shutil.copy(c.input, c.root / "work dir" / c.input.name)
    outcome = c.run("repair", "-w", "../out", c.input.name, cwd=c.root / "work dir")
    c.check(outcome.code == 0, outcome.stderr)
    judge(c, [a], {"pkg._e": 6})


@case("E6")
def the_default_folder_is_wheelhouse(c: Case) -> None:
    small(c)
    (c.root / "cwd").mkdir()
    outcome = c.run("repair", str(c.input), cwd=c.root / "cwd")
    c.check(outcome.code == 0, outcome.stderr)
    c.equal(files_below(c.root / "cwd"), [f"wheelhouse/{NAME}"], "files below the folder")


@case("E3")
def the_printed_path_exists(c: Case) -> None:
    small(c)
    c.repair()
    c.check(str(c.output()) in c.outcome.text, f"the path is not printed: {c.outcome.text}")


@case("E2", ours=True)
def an_empty_path_is_enough(c: Case) -> None:
    a = small(c)
    c.repair(env={**c.search_environment(), "PATH": ""})
    judge(c, [a], {"pkg._e": 6})


@case("G25", ours=True)
def a_read_only_current_folder_and_home_are_enough(c: Case) -> None:
    a = small(c)
    outcome = c.run("repair", "-w", str(c.out), str(c.input), env={**c.search_environment(), "HOME": "/nonexistent"}, cwd=Path("/proc"))
    c.check(outcome.code == 0, outcome.stderr)
    judge(c, [a], {"pkg._e": 6})


@case("E4", ours=True)
def an_existing_output_is_replaced(c: Case) -> None:
    a = small(c)
    c.out.mkdir()
    old = c.out / NAME
    old.write_bytes(b"old")
    (c.root / "link").hardlink_to(old)
    c.repair()
    c.equal((c.root / "link").read_bytes(), b"old", "the old file's other name, which must not be written through")
    judge(c, [a], {"pkg._e": 6})


@case("E4", ours=True)
def a_symlink_in_the_way_is_replaced_and_not_followed(c: Case) -> None:
    a = small(c)
    c.out.mkdir()
    victim = c.root / "victim"
    victim.write_bytes(b"precious")
    (c.out / NAME).symlink_to(victim)
    c.repair()
    c.equal(victim.read_bytes(), b"precious", "the file behind the symlink")
    c.check(not (c.out / NAME).is_symlink(), "the output is a symlink")
    judge(c, [a], {"pkg._e": 6})


@case("E4", ours=True)
def a_folder_in_the_way_is_an_output_error(c: Case) -> None:
    small(c)
    (c.out / NAME / "inner").mkdir(parents=True)
    outcome = c.run("repair", "-w", str(c.out), str(c.input))
    c.equal(outcome.code, 4, "exit code")
    c.equal([path.name for path in c.out.iterdir()], [NAME], "files in the output folder")
    c.check((c.out / NAME / "inner").is_dir(), "the folder was emptied")


@case("E4", ours=True)
def no_clobber_refuses(c: Case) -> None:
    small(c)
    c.out.mkdir()
    (c.out / NAME).write_bytes(b"old")
    outcome = c.run("repair", "--no-clobber", "-w", str(c.out), str(c.input))
    c.check(outcome.code in (2, 4) and NAME in outcome.stderr, f"exit {outcome.code}: {outcome.stderr}")
    c.equal({path.name: path.read_bytes() for path in c.out.iterdir()}, {NAME: b"old"}, "the output folder")


@case("E4", ours=True)
def an_output_folder_that_is_a_file(c: Case) -> None:
    small(c)
    c.out.write_bytes(b"file")
    outcome = c.run("repair", "-w", str(c.out), str(c.input))
    c.check(outcome.code in (2, 4) and outcome.stderr.strip(), f"exit {outcome.code}: {outcome.stderr}")
    c.equal(c.out.read_bytes(), b"file", "the file")


@case("E4", ours=True)
def the_input_is_never_its_own_output(c: Case) -> None:
    """Same name, other bytes: refused. Same name, same bytes: nothing to do."""
    small(c)
    c.repair()
    done = c.output()
    before = (build.digest(done.read_bytes()), done.stat().st_ino, done.stat().st_mtime_ns)
    outcome = c.run("repair", "-w", str(c.out), str(done), env={})
    c.check(outcome.code == 0, f"repaired again in place: exit {outcome.code}: {outcome.stderr}")
    c.equal((build.digest(done.read_bytes()), done.stat().st_ino, done.stat().st_mtime_ns), before, "digest, inode and time of the wheel")
    named = c.dist / NAME
    shutil.copy(c.input, named)
    before = build.digest(named.read_bytes())
    outcome = c.run("repair", "-w", str(c.dist), str(named))
    c.equal(outcome.code, 2, f"exit code when the input would be overwritten ({outcome.stderr.strip()})")
    c.check("-w" in outcome.stderr, f"no hint for -w: {outcome.stderr}")
    c.equal(build.digest(named.read_bytes()), before, "the input's digest")


@case("D13 E4")
def a_pure_wheel_copied_onto_itself_stays(c: Case) -> None:
    c.file("pkg/__init__.py", "")
    path = c.wheel("zoo-1.0-py3-none-any", purelib=True)
    before = (build.digest(path.read_bytes()), path.stat().st_ino)
    outcome = c.run("repair", "--allow-pure-python-wheel", "-w", str(path.parent), str(path))
    c.check(outcome.code == 0, outcome.stderr)
    c.equal((build.digest(path.read_bytes()), path.stat().st_ino), before, "digest and inode")


@case("E10", ours=True)
def a_dry_run_writes_nothing(c: Case) -> None:
    a = small(c)
    (c.root / "tmp").mkdir()
    before = snapshot(c.root)
    outcome = c.run("repair", "--dry-run", "-w", str(c.out), str(c.input), env={**c.search_environment(), "TMPDIR": str(c.root / "tmp")})
    c.check(outcome.code == 0, outcome.stderr)
    c.equal(snapshot(c.root), before, "files")
    c.check(graft_name(a) in outcome.stdout and NAME in outcome.stdout, f"the plan does not name the graft and the output: {outcome.stdout}")


@case("E10", ours=True)
def a_dry_run_of_a_wheel_that_cannot_be_repaired_fails(c: Case) -> None:
    a = small(c)
    a.unlink()
    outcome = c.run("repair", "--dry-run", "-w", str(c.out), str(c.input), env={})
    c.equal(outcome.code, 1, "exit code")
    c.check("liba.so.1" in outcome.stderr, outcome.stderr)


@case("E4", ours=True)
def several_wheels_are_written_together(c: Case) -> None:
    small(c)
    first = c.input
    second = c.wheel("zoo_two-1.0-cp311-cp311-linux_x86_64")
    outcome = c.run("repair", "-w", str(c.out), str(first), str(second))
    c.check(outcome.code == 0, outcome.stderr)
    c.equal(sorted(path.name.split("-")[0] for path in c.out.iterdir()), ["zoo", "zoo_two"], "outputs")


def one_bad(c: Case, order: int) -> None:
    small(c)
    good = c.input
    bad = c.root / "bad-1.0-cp311-cp311-linux_x86_64.whl"
    bad.write_bytes(good.read_bytes()[:-30])
    wheels = [str(good), str(bad)][::order]
    outcome = c.run("repair", "-w", str(c.out), *wheels)
    c.check(outcome.code == 3 and bad.name in outcome.stderr, f"exit {outcome.code}: {outcome.stderr}")
    c.check(not c.out.exists() or not list(c.out.iterdir()), "one was written all the same")


@case("E4", ours=True)
def one_bad_wheel_behind_a_good_one_writes_none(c: Case) -> None:
    one_bad(c, 1)


@case("E4", ours=True)
def one_bad_wheel_before_a_good_one_writes_none(c: Case) -> None:
    one_bad(c, -1)


@case("E4", ours=True)
def a_folder_in_the_way_of_the_second_wheel_writes_none(c: Case) -> None:
    small(c)
    first = c.input
    second = c.wheel("zoo_two-1.0-cp311-cp311-linux_x86_64")
    (c.out / NAME.replace("zoo", "zoo_two", 1) / "inner").mkdir(parents=True)
    outcome = c.run("repair", "-w", str(c.out), str(first), str(second))
    c.equal(outcome.code, 4, "exit code")
    c.equal([path.name for path in c.out.iterdir()], [NAME.replace("zoo", "zoo_two", 1)], "the output folder")


@case("E4", ours=True)
def the_same_wheel_twice_is_a_usage_error(c: Case) -> None:
    small(c)
    outcome = c.run("repair", "-w", str(c.out), str(c.input), str(c.input))
    c.equal(outcome.code, 2, "exit code")
    c.check(not c.out.exists() or not list(c.out.iterdir()), "something was written")


def refusal(c: Case, path: Path, code: int) -> None:
    outcome = c.run("repair", "-w", str(c.out), str(path))
    c.check(outcome.code == code and outcome.stderr.startswith("truewheel: error: "), f"{path.name}: exit {outcome.code}, right is {code}: {outcome.stderr}")
    c.check(path.name in outcome.stderr, f"the message does not name the file: {outcome.stderr}")
    c.check(not c.out.exists(), f"{path.name}: the output folder was made")


@case("E1", ours=True)
def inputs_that_cannot_be_wheels(c: Case) -> None:
    refusal(c, c.root / "absent-1.0-py3-none-any.whl", 2)
    names = {"empty-1.0-py3-none-any.whl": b"", "text-1.0-py3-none-any.whl": b"hello\n" * 30, "end-1.0-py3-none-any.whl": b"PK\5\6" + bytes(18)}
    for name, data in names.items():
        (c.root / name).write_bytes(data)
        refusal(c, c.root / name, 3)
    folder = c.root / "folder-1.0-py3-none-any.whl"
    folder.mkdir()
    outcome = c.run("repair", "-w", str(c.out), str(folder))
    c.check(outcome.code == 2 and "a folder, not a wheel" in outcome.stderr, f"a folder: exit {outcome.code}: {outcome.stderr}")
    c.equal(c.run("show", str(folder)).code, 2, "show of a folder")


@case("E1", ours=True)
def an_unreadable_input(c: Case) -> None:
    if os.geteuid() != 0:
        small(c)
        c.input.chmod(0)
        refusal(c, c.input, 4)
        return
    c.need("setpriv")
    small(c)
    probe = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", "cat", str(c.input)], capture_output=True)
    if probe.returncode:
        raise Skipped("another user cannot reach this folder")
    c.input.chmod(0)
    done = subprocess.run(["setpriv", "--reuid=65534", "--clear-groups", *c.setting.tool, "repair", "-w", str(c.out), str(c.input)], capture_output=True, text=True, cwd="/")
    c.input.chmod(0o644)
    c.check(done.returncode == 4 and c.input.name in done.stderr, f"exit {done.returncode}: {done.stderr}")


@case("E9", ours=True)
def usage_errors(c: Case) -> None:
    small(c)
    for words in ([], ["repair"], ["repair", "--no-such-option", str(c.input)], ["nonsense"], ["repair", "-z", "x", str(c.input)], ["repair", "-z", "10", str(c.input)],
                  ["repair", "--rpath-kind", "both", str(c.input)], ["repair", "--verify", "maybe", str(c.input)], ["repair", "-j", "-1", str(c.input)],
                  ["repair", "-L", ".", str(c.input)], ["repair", "-L", "/../x", str(c.input)], ["repair", "-L", "../x", str(c.input)]):
        outcome = c.run(*words)
        c.check(outcome.code == 2 and outcome.stderr.strip(), f"{words}: exit {outcome.code}: {outcome.stderr}")
    c.check(not c.out.exists(), "something was written")


@case("G8", ours=True)
def a_full_file_system_leaves_nothing(c: Case) -> None:
    if os.geteuid() != 0:
        raise Skipped("mounting needs root")
    small(c)
    c.file("pkg/noise.bin", os.urandom(200000))
    c.wheel()
    c.watch()
    for size in (4, 64, 160):
        target = c.root / f"full{size}"
        target.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(target)], capture_output=True).returncode:
            raise Skipped("mounting is not allowed")
        try:
            outcome = c.run("repair", "-w", str(target), str(c.input))
            left = [path.name for path in target.iterdir()]
        finally:
            subprocess.run(["umount", str(target)], check=True)
        c.check(outcome.code == 4 and outcome.stderr.strip(), f"{size} KiB: exit {outcome.code}: {outcome.stderr}")
        c.equal(left, [], f"files left on a full file system of {size} KiB")


@case("E4", ours=True)
def no_temporary_file_is_left(c: Case) -> None:
    a = small(c)
    (c.root / "tmp").mkdir()
    c.repair(env={**c.search_environment(), "TMPDIR": str(c.root / "tmp")})
    c.equal(files_below(c.out), [NAME], "files in the output folder")
    c.equal(files_below(c.root / "tmp"), [], "files in TMPDIR")
    judge(c, [a], {"pkg._e": 6})


@case("E4", ours=True)
def the_output_has_the_mode_of_a_new_file(c: Case) -> None:
    small(c)
    outcome = c.run("repair", "-w", str(c.out), str(c.input), umask=0o027)
    c.check(outcome.code == 0, outcome.stderr)
    c.equal(f"{c.output().stat().st_mode & 0o777:o}", "640", "mode")


@case("E1", ours=True)
def data_on_stdout_and_messages_on_stderr(c: Case) -> None:
    small(c)
    quiet = c.run("repair", "-q", "-w", str(c.out), str(c.input))
    c.equal((quiet.code, quiet.stdout), (0, ""), "exit code and stdout under -q")
    loud = c.run("repair", "-v", "-w", str(c.out), str(c.input))
    c.check("liba.so.1" in loud.stdout, f"-v does not say what was bundled: {loud.stdout}")
    c.check("\x1b" not in loud.text, "terminal control bytes in a pipe")


@case("G25", ours=True)
def names_with_control_bytes_do_not_reach_the_terminal(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.member_lib("pkg/x\x1b[31m.so", "int s(){return a();}", libs=(a,))
    c.ext("pkg/_e", "a()", libs=(a,))
    c.wheel()
    a.unlink()
    outcome = c.run("repair", "-v", "-w", str(c.out), str(c.input))
    c.check(outcome.code in (1, 3), f"exit {outcome.code}: {outcome.stderr}")
    c.check("\x1b" not in outcome.text, "an escape sequence from a member's name")


@case("E5 E10 B26", ours=True)
def show_says_what_is_missing_and_what_the_wheel_is(c: Case) -> None:
    a = c.lib("libcudart.so.12", "int a(){return 6;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.wheel()
    a.unlink()
    outcome = c.run("show", "--json", str(c.input), env={})
    c.check(outcome.code == 0, outcome.stderr)
    report = json.loads(outcome.stdout)
    for key in ("version", "wheel", "pure", "overall_tag", "sym_tag", "versioned_symbols", "external_libs"):
        c.check(key in report, f"no {key} in {sorted(report)}")
    c.check("libcudart.so.12" in json.dumps(report["external_libs"]), f"external_libs: {report['external_libs']}")
    c.equal((report["pure"], report["sym_tag"]), (False, "manylinux_2_5_x86_64"), "pure and sym_tag")
    text = c.run("show", str(c.input), env={})
    c.check(text.code == 0 and "libcudart.so.12" in text.stdout, text.text)


@case("E7 B26", ours=True)
def show_of_a_finished_wheel(c: Case) -> None:
    small(c)
    c.repair()
    outcome = c.run("show", "--json", str(c.output()), env={})
    c.check(outcome.code == 0, outcome.stderr)
    c.equal(json.loads(outcome.stdout)["overall_tag"], "manylinux_2_5_x86_64", "overall_tag")


@case("E1", ours=True)
def under_the_name_auditwheel_the_exit_codes_are_its_own(c: Case) -> None:
    a = small(c)
    tool = c.root / "auditwheel"
    tool.symlink_to(c.setting.tool[0])

    def run(*words: str) -> int:
        return subprocess.run([str(tool), *words], capture_output=True, cwd=c.root, env={"PATH": "/usr/bin:/bin"}).returncode

    c.equal(run("repair", "-w", str(c.out), "absent-1.0-py3-none-any.whl"), 2, "exit code for an absent file")
    c.equal(run("repair", "--no-such-option"), 2, "exit code for usage")
    c.equal(run("repair", "-w", str(c.out), str(c.input)), 1, "exit code for a missing library")
    c.equal(run("-v", "repair", "-w", str(c.out), "--ldpaths", str(a.parent), str(c.input)), 0, "exit code of a repair")
    (c.root / "bad-1.0-cp311-cp311-linux_x86_64.whl").write_bytes(b"x")
    c.equal(run("repair", "-w", str(c.out), "bad-1.0-cp311-cp311-linux_x86_64.whl"), 1, "exit code for a broken wheel")
    c.equal(run("show", str(c.output())), 0, "exit code of show")
