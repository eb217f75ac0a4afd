# SPDX-License-Identifier: Apache-2.0
"""ELF programs in .data/scripts, which are installed far from their libraries (auditwheel#340)."""

import os
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import published
import wheel_readers

from case import Case, Failed, Skipped, case, run_clean
from judge import judge, members
from elf_facts import is_elf

SCRIPT = "zoo-1.0.data/scripts/tool"
MOVED = {SCRIPT: "zoo.scripts/tool"}
PRELUDE = """#include <stdlib.h>
#include <string.h>
static int rest(int argc, char **argv){ int i; for (i = 1; i < argc; i++) printf("[%s]", argv[i]); if (argc > 2) exit(argc); return 0; }"""


def program_with_graft(c: Case, flags: tuple[str, ...] = ("-pie", "-fPIE")) -> Path:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.program(SCRIPT, "a()+rest(argc, argv)", PRELUDE, libs=(a,), flags=flags)
    c.file("pkg/__init__.py", "")
    return a


def use(c: Case, tool: Path, env: dict[str, str] | None = None) -> None:
    c.equal(run_clean([str(tool)], env), "6\n", "output of the program")
    c.equal(run_clean([str(tool), "one", "two words", "$x"], env, code=4), "[one][two words][$x]", "arguments and exit code")


@case("D10")
def a_script_that_needs_nothing_stays(c: Case) -> None:
    c.program(SCRIPT, "6")
    c.file("pkg/__init__.py", "")
    c.file("zoo-1.0.data/scripts/hello", "#!python\nprint('hello')\n", 0o100755)
    c.repair()
    judge(c, [], unedited=True)
    c.equal(run_clean([str(c.site / "bin/tool")]), "6\n", "output of the program")
    c.equal(run_clean([str(c.site / "bin/hello")]), "hello\n", "output of the script")


@case("D10")
def a_script_with_a_graft_runs_from_a_target_folder(c: Case) -> None:
    a = program_with_graft(c)
    c.repair()
    judge(c, [a], moved=MOVED, rpaths={"zoo.scripts/tool": ["$ORIGIN/../zoo.libs"]})
    if c.setting.is_truewheel:
        use(c, c.site / "bin/tool")


@case("D10", ours=True)
def a_script_with_a_graft_runs_from_a_prefix(c: Case) -> None:
    a = program_with_graft(c)
    c.repair()
    judge(c, [a], moved=MOVED, install=False)
    install(c, ["--prefix", str(c.root / "prefix")])
    use(c, c.root / "prefix/bin/tool")


def install(c: Case, words: list[str], python: Path | None = None, env: dict[str, str] | None = None) -> None:
    command = [sys.executable, "-m", "pip", *(["--python", str(python)] if python else []), "install", "--no-deps", "--no-index",
               "--no-compile", "--disable-pip-version-check", "-q", "--no-warn-script-location", *words, str(c.output())]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})}, cwd="/")
    if done.returncode:
        raise Failed(f"pip refuses the wheel: {done.stderr[-500:]}")


@case("D10")
def a_script_with_a_graft_runs_from_a_virtual_environment(c: Case) -> None:
    a = program_with_graft(c, ("-no-pie", "-fno-pie"))
    c.repair()
    judge(c, [a], moved=MOVED, install=False)
    venv.create(c.root / "env", with_pip=False, symlinks=True)
    install(c, [], c.root / "env/bin/python")
    use(c, c.root / "env/bin/tool")
    (c.root / "bin").mkdir()
    (c.root / "bin/link").symlink_to(c.root / "env/bin/tool")
    use(c, c.root / "bin/link")


@case("D10", ours=True)
def a_script_with_a_graft_runs_from_the_user_site(c: Case) -> None:
    a = program_with_graft(c)
    c.repair()
    judge(c, [a], moved=MOVED, install=False)
    env = {"PYTHONUSERBASE": str(c.root / "user"), "PIP_BREAK_SYSTEM_PACKAGES": "1"}
    install(c, ["--user"], Path(sys._base_executable).resolve(), env)
    use(c, c.root / "user/bin/tool", env)


def uv(c: Case, *words: str, env: dict[str, str]) -> None:
    try:
        program = str(wheel_readers.programs() / "uv")
    except published.Unreachable as reason:
        raise Skipped(str(reason)) from reason
    surroundings = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(c.root), "UV_NO_CONFIG": "1", "UV_OFFLINE": "1", "UV_PYTHON_DOWNLOADS": "never",
                    "UV_CACHE_DIR": str(c.root / "uv-cache"), **env}
    done = subprocess.run([program, *words], capture_output=True, text=True, env=surroundings, cwd="/")
    if done.returncode:
        raise Failed(f"uv {' '.join(words)}: {done.stderr[-500:]}")


@case("D10", ours=True)
def a_script_with_a_graft_runs_from_uv_tool_install(c: Case) -> None:
    """The command that the user calls is a link into the tool's own environment."""
    a = program_with_graft(c)
    c.repair()
    judge(c, [a], moved=MOVED, install=False)
    env = {"UV_TOOL_DIR": str(c.root / "tools"), "UV_TOOL_BIN_DIR": str(c.root / "commands")}
    uv(c, "tool", "install", "--python", sys.executable, str(c.output()), env=env)
    c.check((c.root / "commands/tool").is_symlink(), "uv does not link its commands")
    use(c, c.root / "commands/tool")


@case("D10 E9", ours=True)
def a_script_with_a_graft_runs_from_an_environment_whose_path_holds_a_space(c: Case) -> None:
    """pip writes a first line there that no kernel understands (pypa/pip issue 13389)."""
    a = program_with_graft(c)
    c.repair()
    judge(c, [a], moved=MOVED, install=False)
    by_pip = c.root / "my virtual environment" / ("long" * 40) / "env"
    venv.create(by_pip, with_pip=False, symlinks=True)
    install(c, [], by_pip / "bin/python")
    use(c, by_pip / "bin/tool")
    by_uv = c.root / "uv's environment"
    uv(c, "venv", "-q", "--python", sys.executable, str(by_uv), env={})
    uv(c, "pip", "install", "-q", "--python", str(by_uv / "bin/python"), str(c.output()), env={})
    use(c, by_uv / "bin/tool")


@case("D10", ours=True)
def a_script_with_a_graft_runs_when_uv_links_packages_from_its_cache(c: Case) -> None:
    a = program_with_graft(c)
    c.repair()
    judge(c, [a], moved=MOVED, install=False)
    uv(c, "venv", "-q", "--python", sys.executable, str(c.root / "env"), env={})
    uv(c, "pip", "install", "-q", "--link-mode", "symlink", "--python", str(c.root / "env/bin/python"), str(c.output()), env={})
    use(c, c.root / "env/bin/tool")


@case("D10", ours=True)
def a_script_with_a_graft_that_was_copied_away_asks_python(c: Case) -> None:
    a = program_with_graft(c)
    c.repair()
    judge(c, [a], moved=MOVED, install=False)
    venv.create(c.root / "env", with_pip=False, symlinks=True)
    install(c, [], c.root / "env/bin/python")
    (c.root / "elsewhere").mkdir()
    shutil.copy2(c.root / "env/bin/tool", c.root / "elsewhere/tool")
    use(c, c.root / "elsewhere/tool", {"PATH": f"{c.root}/env/bin:/usr/bin:/bin"})
    done = subprocess.run([c.root / "elsewhere/tool"], capture_output=True, text=True, cwd="/", env={"PATH": "/usr/bin:/bin"})
    c.check(done.returncode == 1 and "zoo-1.0.dist-info were not found" in done.stderr, f"without its files: {done}")


@case("D10", ours=True)
def signals_and_exit_codes_of_a_script_are_the_programs(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.program(SCRIPT, "a()+rest(argc)", "#include <unistd.h>\n#include <stdlib.h>\n#include <signal.h>\n"
              "static void caught(int n){ _exit(77); }\n"
              "static int rest(int argc){ if (argc == 1) exit(42); if (argc == 2) signal(SIGTERM, caught); puts(\"up\"); fflush(stdout); for (;;) pause(); }",
              libs=(a,))
    c.file("pkg/__init__.py", "")
    c.repair()
    judge(c, [a], moved=MOVED)
    tool = str(c.site / "bin/tool")
    run_clean([tool], code=42)
    for words, right in (((), -signal.SIGTERM), (("catch",), 77)):
        words = words or ("a", "b")
        child = subprocess.Popen([tool, *words], stdout=subprocess.PIPE, cwd="/", env={"PATH": "/usr/bin:/bin"})
        child.stdout.readline()
        child.terminate()
        c.equal(child.wait(timeout=20), right, f"how {words} ends by SIGTERM")
        child.stdout.close()


@case("D10", ours=True)
def a_file_where_the_scripts_folder_has_to_be(c: Case) -> None:
    program_with_graft(c)
    c.file("zoo.scripts", "a file")
    c.refused(exit=1, names=("zoo.scripts",))


@case("D10", ours=True)
def a_file_of_nearly_the_moved_programs_name(c: Case) -> None:
    program_with_graft(c)
    c.file("zoo-1.0.data/purelib/Zoo.Scripts/Tool", "a file")
    c.refused(exit=1, names=("Zoo.Scripts/Tool",))


@case("D10 A12")
def strip_leaves_the_shim_alone(c: Case) -> None:
    a = program_with_graft(c, ("-pie", "-fPIE", "-g"))
    c.repair("--strip")
    one = judge(c, [a], moved=MOVED, again=False)
    c.check(one.after[SCRIPT].startswith(b"#!/bin/sh\n"), "the shim is no script")
    c.check(b".debug_info" not in one.after["zoo.scripts/tool"], "the program is not stripped")


@case("D10", ours=True)
def only_the_script_that_needs_a_graft_gets_a_shim(c: Case) -> None:
    a = program_with_graft(c)
    plain = c.program("zoo-1.0.data/scripts/plain", "7")
    static = c.program("zoo-1.0.data/scripts/static", "8", flags=("-static",))
    c.repair()
    one = judge(c, [a], moved=MOVED, unedited=(plain, static))
    c.check(is_elf(one.after[plain]) and not is_elf(one.after[SCRIPT]), "the wrong one has a shim")
    use(c, c.site / "bin/tool")
    c.equal(run_clean([str(c.site / "bin/static")]), "8\n", "output of the static program")


@case("D10", ours=True)
def a_script_that_needs_a_sibling_gets_a_shim(c: Case) -> None:
    s = c.member_lib("pkg/libs.so", "int s(){return 6;}")
    c.program(SCRIPT, "s()+rest(argc, argv)", PRELUDE, libs=(s,))
    c.file("pkg/__init__.py", "")
    c.repair()
    judge(c, [], moved=MOVED, unedited=("pkg/libs.so",), rpaths={"zoo.scripts/tool": ["$ORIGIN/../pkg"]})
    use(c, c.site / "bin/tool")


@case("D10", ours=True)
def a_script_with_only_excluded_libraries_stays(c: Case) -> None:
    a = program_with_graft(c)
    c.repair("--exclude", a.name)
    judge(c, [], unedited=True)


@case("D10", ours=True)
def a_script_in_a_wheel_with_a_local_version(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    script = "Zoo_x-1.0+cu130.data/scripts/to-ol.bin"
    c.program(script, "a()+rest(argc, argv)", PRELUDE, libs=(a,))
    c.file("pkg/__init__.py", "")
    c.wheel("Zoo_x-1.0+cu130-py3-none-linux_x86_64")
    c.repair()
    judge(c, [a], moved={script: "Zoo_x.scripts/to-ol.bin"})
    use(c, c.site / "bin/to-ol.bin")


@case("D10 D9", ours=True)
def a_shared_library_among_the_scripts_that_needs_a_graft(c: Case) -> None:
    """No shim can help a library there; it is refused, as under .data/data."""
    a = program_with_graft(c)
    c.member_lib("zoo-1.0.data/scripts/libhere.so", "int d(){return a();}", libs=(a,))
    outcome = c.repair(exit={0, 1})
    if outcome.code == 1:
        c.check("libhere.so" in outcome.stderr, f"not named: {outcome.stderr}")


@case("D10 B8", ours=True)
def a_script_that_needs_a_library_of_a_profile(c: Case) -> None:
    """From a bin folder no entry leads to the profile's packages: it gets a shim, or stays without a false entry."""
    hip = c.lib("libamdhip64.so.7", "int gpu(){return 6;}")
    c.program(SCRIPT, "gpu()+rest(argc, argv)", PRELUDE, libs=(hip,))
    c.file("pkg/__init__.py", "")
    c.repair("--profile", "rocm")
    after = members(c.output())
    if not is_elf(after[SCRIPT]):
        judge(c, [], moved=MOVED)
        (c.site / "_rocm_sdk_core/lib").mkdir(parents=True)
        shutil.copy2(c.root / "hidden/libamdhip64.so.7", c.site / "_rocm_sdk_core/lib")
        use(c, c.site / "bin/tool")
    else:
        judge(c, [], unedited=True)
