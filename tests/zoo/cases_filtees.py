# SPDX-License-Identifier: Apache-2.0
"""DT_FILTER and DT_AUXILIARY: libraries that glibc loads in front of the one that names them (elf/dl-deps.c)."""

from case import Case, case
from elf_facts import DT_AUXILIARY, DT_FILTER, parse
from judge import graft_name, judge, members


def filtered(c: Case, option: str, here: str = "f()") -> tuple:
    """A library whose f() is another's, if the loader finds that one."""
    filtee = c.lib("libreal.so.3", "int f(){return 9;}")
    front = c.lib("libfront.so.1", f"int f(){{return 1;}} int a(){{return {here};}}", flags=(f"-Wl,{option},libreal.so.3",))
    return front, filtee


def names_in_front(c: Case, tag: int) -> list[str]:
    front = next(name for name in members(c.output()) if "libfront" in name)
    return parse(members(c.output())[front]).strings(tag)


@case("B7 A36", ours=True)
def the_library_of_a_filter_is_bundled_and_renamed(c: Case) -> None:
    front, filtee = filtered(c, "-F")
    c.ext("pkg/_e", "a()", libs=(front,))
    c.repair()
    name = graft_name(filtee)
    judge(c, [front, filtee], {"pkg._e": 9}, strip=True)
    c.equal(names_in_front(c, DT_FILTER), [name], "DT_FILTER")


@case("B7 A36", ours=True)
def the_library_of_an_auxiliary_filter_is_bundled_and_renamed(c: Case) -> None:
    front, filtee = filtered(c, "-f")
    c.ext("pkg/_e", "a()", libs=(front,))
    c.repair()
    name = graft_name(filtee)
    judge(c, [front, filtee], {"pkg._e": 9}, strip=True)
    c.equal(names_in_front(c, DT_AUXILIARY), [name], "DT_AUXILIARY")


@case("E1 A36", ours=True)
def a_filter_without_its_library_is_refused(c: Case) -> None:
    front, filtee = filtered(c, "-F")
    c.ext("pkg/_e", "a()", libs=(front,))
    filtee.unlink()
    c.refused(exit=1, names=("libreal.so.3", "libfront.so.1"))


@case("A36", ours=True)
def an_auxiliary_filter_without_its_library_works_as_before(c: Case) -> None:
    front, filtee = filtered(c, "-f")
    c.ext("pkg/_e", "a()", libs=(front,))
    filtee.unlink()
    c.repair()
    judge(c, [front], {"pkg._e": 1})
    c.equal(names_in_front(c, DT_AUXILIARY), ["libreal.so.3"], "DT_AUXILIARY")


@case("B4 A36", ours=True)
def a_filter_of_the_wheel_finds_its_library_in_the_wheel(c: Case) -> None:
    c.member_lib("pkg/deep/libreal.so.3", "int f(){return 9;}")
    front = c.member_lib("pkg/libfront.so.1", "int f(){return 1;} int a(){return f();}", flags=("-Wl,-F,libreal.so.3",), rpath=("/build/dead",))
    c.ext("pkg/_e", "a()", libs=(front,), rpath=("$ORIGIN",))
    c.repair(env={})
    judge(c, [], {"pkg._e": 9}, rpaths={"pkg/libfront.so.1": ["$ORIGIN/deep"]})


@case("B8 A36", ours=True)
def an_excluded_library_of_a_filter_stays_outside(c: Case) -> None:
    front, filtee = filtered(c, "-F")
    c.ext("pkg/_e", "a()", libs=(front,))
    c.repair("--exclude", "libreal.so.*")
    judge(c, [front])
    c.equal(names_in_front(c, DT_FILTER), ["libreal.so.3"], "DT_FILTER")


@case("B2 A36", ours=True)
def what_the_library_of_a_filter_needs_is_bundled_too(c: Case) -> None:
    deep = c.lib("libdeep.so.1", "int d(){return 20;}")
    filtee = c.lib("libreal.so.3", "int f(){return 9+d();}", libs=(deep,))
    front = c.lib("libfront.so.1", "int f(){return 1;} int a(){return f();}", flags=("-Wl,-F,libreal.so.3",), libs=(deep,))
    c.ext("pkg/_e", "a()", libs=(front,))
    c.ext("pkg/_f", "f()", libs=(filtee,))
    c.repair()
    judge(c, [front, filtee, deep], {"pkg._e": 29, "pkg._f": 29})


@case("E5 A36", ours=True)
def check_and_lddtree_follow_filters(c: Case) -> None:
    front, filtee = filtered(c, "-F")
    e = c.ext("pkg/_e", "a()", libs=(front,), rpath=(str(front.parent),))
    c.wheel()
    tree = c.run("lddtree", str(c.tree / e), env={"LD_LIBRARY_PATH": str(filtee.parent)})
    c.check('"libreal.so.3"' in tree.stdout and str(filtee) in tree.stdout, f"the filtee is not in the tree: {tree.stdout}")
    c.repair()
    judged = c.run("check", str(c.output()), env={})
    c.equal(judged.code, 0, f"check of the repaired wheel ({judged.stdout})")
    # The front library alone in a wheel: its filtee is missing.
    c.copy(front, "pkg/libfront.so.1")
    c.wheel(folder="second")
    missing = c.run("check", str(c.input), env={})
    c.check(missing.code == 1 and "libreal.so.3" in missing.stdout, f"check does not miss the filtee: {missing.text}")
