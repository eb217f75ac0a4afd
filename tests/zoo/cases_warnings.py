# SPDX-License-Identifier: Apache-2.0
"""What a repair says about libraries that load, and may misbehave all the same; and that inputs stay as they are."""

import shutil
from pathlib import Path

from case import Case, case
from elf_facts import parse
from judge import judge


def says(c: Case, *texts: str) -> None:
    for text in texts:
        c.check(text in c.outcome.stderr, f"the messages do not say {text!r}: {c.outcome.stderr.strip()[-700:]}")


@case("B9", ours=True)
def copies_that_were_links_are_told(c: Case) -> None:
    """auditwheel says nothing; the loader maps each copy as a library of its own."""
    p = c.member_lib("pkg/libp.so.0.0.0", "int p(){return 4;}", soname="libp.so.0")
    for name in ("libp.so.0", "libp.so"):
        shutil.copy2(p, p.parent / name)
    other = c.member_lib("pkg/other.so", "int q(){return 4;}")
    shutil.copy2(other, c.tree / "pkg/another.so")
    c.ext("pkg/_e", "p()", libs=(p.parent / "libp.so.0",), rpath=("$ORIGIN",))
    c.repair()
    says(c, "3 times under several names", "libp.so.0.0.0")
    c.check("another.so" not in c.outcome.stderr, "files of other names are no links")
    judge(c, [], {"pkg._e": 4}, unedited=True)


@case("B14 B8", ours=True)
def a_library_of_the_user_and_a_bundled_one_of_that_name_do_not_meet(c: Case) -> None:
    """A stateful library left to the user's machine keeps its name; a bundled one has a name of its own, so that two
    copies in one process never answer for each other."""
    state = "static int n; int next(){return ++n;}"
    left = c.lib("left/libstate.so.1", state)
    taken = c.lib("taken/libstate.so.1", state + "\nint extra(){return 1;}")
    b = c.lib("libb.so.1", "int b(){return 10*next();}", libs=(taken,), rpath=(str(taken.parent),))
    e = c.ext("pkg/_e", "next()", libs=(left,))
    c.ext("pkg/_f", "b()", libs=(b,))
    c.repair("--exclude", f"{left.parent}/*", env={"AUDITWHEEL_LD_LIBRARY_PATH": f"{left.parent}:{c.build}"})
    one = judge(c, [b, taken], install=True, again=False)
    c.equal(parse(one.after[e]).needed, parse(one.before[e]).needed, f"NEEDED of {e}")
    run = {"LD_LIBRARY_PATH": str(c.root / "hidden/left")}
    found = c.python("from pkg import _e, _f; print(_e.value(), _f.value(), _e.value())", env=run)
    c.equal(found.split()[:1], ["1"], "the user's copy counts for itself")


@case("B29")
def nothing_is_written_outside_of_the_output_folder(c: Case) -> None:
    """Every file of the build and the input keeps bytes, mode and times; no file is added beside them."""

    def state() -> dict[str, tuple]:
        seen = {}
        for place in (c.build, c.dist):
            for path in sorted([place, *place.rglob("*")]):
                status = path.lstat()
                seen[str(path)] = (status.st_mode, status.st_mtime_ns, status.st_size)
        return seen

    a = c.lib("liba.so.1", "int a(){return 1;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.wheel()
    for path in c.build.rglob("*"):
        path.chmod(0o444)
    c.build.chmod(0o555)
    c.dist.chmod(0o555)
    before = state()
    c.repair()
    c.equal(state(), before, "the build and the input's folder")
    c.build.chmod(0o755)
    c.dist.chmod(0o755)
    judge(c, [a], {"pkg._e": 1})


@case("C17", ours=True)
def an_extension_that_holds_an_interpreter_is_told(c: Case) -> None:
    """auditwheel calls it compliant without a word."""
    c.ext("pkg/_e", prelude="PUBLIC void Py_Initialize(void){}")
    c.repair()
    says(c, "interpreter of its own")
    judge(c, [], {"pkg._e": 1}, unedited=True)


@case("A43", ours=True)
def an_executable_stack_of_the_wheels_own_library_is_told(c: Case) -> None:
    c.ext("pkg/_e", flags=("-Wl,-z,execstack",))
    c.repair()
    says(c, "pkg/_e", "executable stack")
    judge(c, [], unedited=True, install=False)


@case("A44", ours=True)
def only_much_static_thread_storage_is_a_warning(c: Case) -> None:
    def tls(name: str, size: int) -> Path:
        return c.lib(f"lib{name}.so.1", f"__thread char block[{size}] __attribute__((tls_model(\"initial-exec\"))) = {{1}}; int {name}(){{return block[0];}}")

    much, little = tls("much", 1000), tls("little", 16)
    c.ext("pkg/_e", "much()+little()", libs=(much, little))
    c.repair()
    says(c, "libmuch.so.1: uses 1000 bytes of static TLS")
    c.check("liblittle" not in c.outcome.stderr, f"a warning of little: {c.outcome.stderr}")
    judge(c, [much, little], {"pkg._e": 2})


@case("D16", ours=True)
def a_program_whose_interpreter_only_the_build_has_is_told(c: Case) -> None:
    c.program("pkg/bin/odd", flags=("-pie", "-fPIE", "-Wl,--dynamic-linker=/nix/store/abc/ld-linux-x86-64.so.2"))
    c.program("pkg/bin/even")
    c.ext("pkg/_e")
    c.repair()
    says(c, "pkg/bin/odd: is started by /nix/store/abc/ld-linux-x86-64.so.2", "they have /lib64/ld-linux-x86-64.so.2")
    c.check("pkg/bin/even" not in c.outcome.stderr, f"a warning of even: {c.outcome.stderr}")
    judge(c, [], {"pkg._e": 1}, programs={"pkg/bin/even": "1\n"}, unedited=True)
    shown = c.run("show", str(c.output()))
    c.check("/nix/store/abc" in shown.text, f"show does not say so: {shown.text}")
