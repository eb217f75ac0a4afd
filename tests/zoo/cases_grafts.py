# SPDX-License-Identifier: Apache-2.0
"""Which libraries are bundled, how often, and under which names."""

import json
import os
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

from case import Case, case
from elf_facts import DT_AUXILIARY, parse
from judge import graft_name, judge, members, modes


@case("B7 A41")
def one_library_is_bundled(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 41;}")
    e = c.ext("pkg/_e", "a()+1", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 42}, rpaths={e: ["$ORIGIN/../zoo.libs"], f"zoo.libs/{graft_name(a)}": []}, strip=True)


@case("D16")
def a_top_level_module_finds_its_library(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 5;}")
    e = c.ext("_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"_e": 5}, rpaths={e: ["$ORIGIN/zoo.libs"]})


@case("D16")
def a_deeply_nested_module_finds_its_library(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 5;}")
    e = c.ext("a/b/c/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"a.b.c._e": 5}, rpaths={e: ["$ORIGIN/../../../zoo.libs"]})


@case("A41 B2")
def a_chain_of_three_libraries(c: Case) -> None:
    three = c.lib("libthree.so.3", "int three(){return 3;}")
    two = c.lib("libtwo.so.2", "int two(){return 20+three();}", libs=(three,), rpath=("/nonexistent",))
    one = c.lib("libone.so.1", "int one(){return 100+two();}", libs=(two,))
    e = c.ext("pkg/_e", "one()", libs=(one,))
    c.repair()
    libs = {path: f"zoo.libs/{graft_name(path)}" for path in (one, two, three)}
    judge(c, [one, two, three], {"pkg._e": 123}, strip=True,
          rpaths={e: ["$ORIGIN/../zoo.libs"], libs[one]: ["$ORIGIN"], libs[two]: ["$ORIGIN"], libs[three]: []})


@case("B2")
def a_diamond_bundles_its_base_once(c: Case) -> None:
    base = c.lib("libbase.so.1", "static int n; int next(){return ++n;}")
    left = c.lib("libleft.so.1", "int left(){return next();}", libs=(base,))
    right = c.lib("libright.so.1", "int right(){return next();}", libs=(base,))
    c.ext("pkg/_e", "left()+10*right()", libs=(left, right))
    c.repair()
    judge(c, [base, left, right], {"pkg._e": 21})


@case()
def two_libraries_that_need_each_other(c: Case) -> None:
    stub = c.lib("stub/liby.so.1", "int y(){return 0;} int y_base(){return 0;}")
    x = c.lib("libx.so.1", "int x_base(){return 7;} int x(){return 10*y_base()+x_base();}", libs=(stub,))
    y = c.lib("liby.so.1", "int y_base(){return 4;} int y(){return x();}", libs=(x,))
    shutil.rmtree(stub.parent)
    c.ext("pkg/_e", "y()", libs=(y,))
    c.repair()
    judge(c, [x, y], {"pkg._e": 47}, strip=True)


@case()
def a_library_that_needs_itself(c: Case) -> None:
    stub = c.lib("stub/libself.so.1", "int me(){return 0;}")
    own = c.lib("libself.so.1", "int me(){return 6;}", libs=(stub,))
    shutil.rmtree(stub.parent)
    c.ext("pkg/_e", "me()", libs=(own,))
    c.repair()
    judge(c, [own], {"pkg._e": 6})


@case("B2 B3")
def packages_share_one_copy_of_a_chain(c: Case) -> None:
    b = c.lib("libb.so.1", "static int n; int b(){return ++n;}")
    a = c.lib("liba.so.1", "int a(){return b();}", libs=(b,))
    c.ext("one/_e", "a()", libs=(a,))
    c.ext("two/_f", "10*a()", libs=(a,))
    c.ext("three/sub/_g", "100*b()", libs=(b,))
    c.repair()
    judge(c, [a, b], {"one._e": 1, "two._f": 20, "three.sub._g": 300})


@case("B1")
def two_files_with_one_soname_by_different_run_paths(c: Case) -> None:
    grafts = []
    for i in (1, 2):
        folder = c.build / f"d{i}"
        foo = c.lib(f"d{i}/libfoo.so.1", f"int foo(){{return {i};}}")
        bar = c.lib(f"d{i}/libbar{i}.so.1", f"int bar{i}(){{return 10*foo();}}", libs=(foo,), rpath=(str(folder),))
        c.ext(f"pkg/_e{i}", f"bar{i}()+foo()", libs=(bar, foo), rpath=(str(folder),))
        grafts += [foo, bar]
    c.repair(env={})
    one = judge(c, grafts)
    c.equal(len(one.sources), 4, "count of grafts")
    for i in (1, 2):
        c.load({f"pkg._e{i}": 11 * i})


@case("B1")
def two_files_with_one_soname_in_one_process(c: Case) -> None:
    """Each module keeps its own, and with local binding each sees its own values."""
    grafts = []
    for i in (1, 2):
        foo = c.lib(f"d{i}/libfoo.so.1", f"int foo(){{return {i};}}")
        c.ext(f"pkg/_e{i}", "foo()", libs=(foo,), rpath=(str(foo.parent),))
        grafts.append(foo)
    c.repair(env={})
    judge(c, grafts, {"pkg._e1": 1, "pkg._e2": 2})


@case("B10")
def one_file_under_two_names_is_bundled_once(c: Case) -> None:
    real = c.lib("libx.so.1.2", "static int n; int next(){return ++n;}", soname=None)
    for name in ("libx.so.1", "libx.so"):
        (c.build / name).symlink_to("libx.so.1.2")
    c.ext("pkg/_e", "next()", libs=(c.build / "libx.so.1",))
    c.ext("pkg/_f", "next()", libs=(c.build / "libx.so",))
    c.repair()
    judge(c, [real], {"pkg._e": 1, "pkg._f": 2})


@case("B10 B23")
def a_library_reached_through_symlinks_takes_its_real_name(c: Case) -> None:
    real = c.lib("real/libx.so.1.2.3", "int x(){return 9;}", soname="libx.so.1")
    (c.build / "lib").mkdir()
    (c.build / "lib/libx.so.1").symlink_to("../real/libx.so.1.2.3")
    e = c.ext("pkg/_e", "x()", libs=(c.build / "lib/libx.so.1",))
    c.repair(env={"AUDITWHEEL_LD_LIBRARY_PATH": str(c.build / "lib")})
    judge(c, [real], {"pkg._e": 9}, rpaths={e: ["$ORIGIN/../zoo.libs"]})


@case("B15")
def the_order_of_needed_entries_decides_as_before(c: Case) -> None:
    a = c.lib("liba.so.1", "int who(){return 1;}")
    b = c.lib("libb.so.1", "int who(){return 2;}")
    c.ext("pkg/_ab", "who()", libs=(a, b))
    c.ext("pkg/_ba", "who()", libs=(b, a))
    c.repair()
    judge(c, [a, b])
    c.load({"pkg._ab": 1})
    c.load({"pkg._ba": 2})


@case("B21")
def a_library_name_without_a_dot(c: Case) -> None:
    a = c.lib("libnodot", "int a(){return 3;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 3})


@case("B21")
def a_library_name_with_a_version_before_its_suffix(c: Case) -> None:
    a = c.lib("libfoo-1.2.so", "int a(){return 3;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 3})
    c.check(graft_name(c.root / "hidden/libfoo-1.2.so").endswith(".2.so"), "the name is split elsewhere")


@case("B11", ours=True)
def a_library_that_already_carries_a_hash_keeps_its_name(c: Case) -> None:
    b = c.lib("libb-89abcdef.so.2", "int b(){return 2;}")
    a = c.lib("liba-01234567.so.1", "int a(){return b()+1;}", libs=(b,), rpath=("$ORIGIN",))
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a, b], {"pkg._e": 3})


@case("B11", ours=True)
def two_libraries_that_carry_the_same_hash(c: Case) -> None:
    """The name is taken by other bytes: one of the two gets a longer hash."""
    for i in (1, 2):
        foo = c.lib(f"d{i}/libq-01234567.so.1", f"int foo(){{return {i};}}")
        c.ext(f"pkg/_e{i}", "foo()", libs=(foo,), rpath=(str(foo.parent),))
    c.repair(env={})
    names = [name for name in members(c.output()) if name.startswith("zoo.libs/")]
    c.check(len(set(names)) == 2, f"grafts: {names}")
    c.hide_build()
    c.install()
    c.load({"pkg._e1": 1, "pkg._e2": 2})


@case("A42")
def a_read_only_library_can_be_bundled(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 3;}")
    a.chmod(0o444)
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 3})
    c.check(modes(c.output())[f"zoo.libs/{graft_name(c.root / 'hidden/liba.so.1')}"] & 0o644 == 0o644, "the graft is not readable")


@case("E1")
def every_missing_library_is_named(c: Case) -> None:
    gone = [c.lib(f"libgone{i}.so.1", f"int g{i}(){{return {i};}}") for i in range(3)]
    c.ext("pkg/_e", "g0()", libs=(gone[0],))
    c.ext("pkg/sub/_f", "g1()+g2()", libs=(gone[1], gone[2]))
    c.wheel()
    for path in gone:
        path.unlink()
    names = ("libgone0.so.1", "libgone1.so.1", "libgone2.so.1") if c.setting.is_truewheel else ()
    c.refused(exit=1, names=(*names, *(("pkg/sub/_f",) if names else ())))


@case("E1")
def a_library_missing_behind_a_graft_is_named(c: Case) -> None:
    b = c.lib("libb.so.1", "int b(){return 2;}")
    a = c.lib("liba.so.1", "int a(){return b()+1;}", libs=(b,))
    c.ext("pkg/_e", "a()", libs=(a,))
    b.unlink()
    c.refused(exit=1, names=("libb.so.1", "liba.so.1") if c.setting.is_truewheel else ())


@case("B7")
def a_plain_library_in_the_wheel_gets_its_dependency(c: Case) -> None:
    z = c.lib("libz9.so.1", "int z(){return 7;}")
    c.member_lib("pkg/libin.so", "int in(){return z();}", libs=(z,))
    e = c.ext("pkg/_e", "in()", libs=(c.tree / "pkg/libin.so",), rpath=("$ORIGIN",))
    c.repair()
    judge(c, [z], {"pkg._e": 7}, rpaths={"pkg/libin.so": ["$ORIGIN/../zoo.libs"]}, unedited=(e,))


@case("A17 A3 A6")
def forty_dependencies_grow_a_file_a_little(c: Case) -> None:
    libs = tuple(c.lib(f"libdep{i}{'x' * (i % 7)}.so.{i}", f"int f{i}(){{return {i};}}", versions=f"V_{i} {{ global: f{i}; local: *; }};") for i in range(40))
    e = c.ext("pkg/_e", "+".join(f"f{i}()" for i in range(40)), libs=libs)
    c.repair()
    one = judge(c, list(libs), {"pkg._e": sum(range(40))}, strip=True)
    c.check(len(one.after[e]) - len(one.before[e]) < 65536 + 4096, f"{e} grew by {len(one.after[e]) - len(one.before[e])}")


@case("B4")
def a_graft_finds_its_dependency_in_the_wheel(c: Case) -> None:
    c.member_lib("pkg/libb.so", "static int n = 5; int b(){return n++;}")
    a = c.lib("liba.so.1", "int a(){return b();}", libs=(c.tree / "pkg/libb.so",))
    c.ext("pkg/_e", "a()*10+b()", libs=(a, c.tree / "pkg/libb.so"))
    c.repair()
    judge(c, [a], unedited=("pkg/libb.so",))
    c.check(c.python("from pkg import _e; print(_e.value())").strip() in ("56", "65"), "not one instance of libb")


@case("B4")
def a_graft_alone_leads_to_a_library_of_the_wheel(c: Case) -> None:
    c.member_lib("pkg/lib/libb.so", "int b(){return 5;}")
    a = c.lib("liba.so.1", "int a(){return b();}", libs=(c.tree / "pkg/lib/libb.so",))
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 5}, rpaths={f"zoo.libs/{graft_name(a)}": ["$ORIGIN/../pkg/lib"]})


@case("B24 B26")
def system_libraries_of_the_policy_stay_outside(c: Case) -> None:
    a = c.lib("liba.so.1", "#include <math.h>\n#include <stdlib.h>\nint a(){return (int)sqrt(atoi(\"16\"));}", flags=("-lm", "-Wl,--no-as-needed", "-lpthread", "-ldl"))
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 4})


@case("B16", ours=True)
def search_comes_before_run_paths_and_environment(c: Case) -> None:
    libs = {name: c.lib(f"{name}/libfoo.so.1", f"int foo(){{return {i};}}") for i, name in enumerate(("search", "runpath", "env", "llp"), 1)}
    c.ext("pkg/_e", "foo()", libs=(libs["runpath"],), rpath=(str(c.build / "runpath"),))
    c.repair("--search", str(c.build / "search"), env={"AUDITWHEEL_LD_LIBRARY_PATH": str(c.build / "env"), "LD_LIBRARY_PATH": str(c.build / "llp")})
    judge(c, [libs["search"]], {"pkg._e": 1})


@case("B16")
def a_run_path_comes_before_the_environment(c: Case) -> None:
    libs = {name: c.lib(f"{name}/libfoo.so.1", f"int foo(){{return {i};}}") for i, name in enumerate(("runpath", "env", "llp"), 1)}
    c.ext("pkg/_e", "foo()", libs=(libs["env"],), rpath=(str(c.build / "runpath"),))
    c.repair(env={"AUDITWHEEL_LD_LIBRARY_PATH": str(c.build / "env"), "LD_LIBRARY_PATH": str(c.build / "llp")})
    judge(c, [libs["runpath"]], {"pkg._e": 1})


@case("B16", ours=True)
def our_own_variable_comes_before_ld_library_path(c: Case) -> None:
    libs = {name: c.lib(f"{name}/libfoo.so.1", f"int foo(){{return {i};}}") for i, name in enumerate(("env", "llp"), 1)}
    c.ext("pkg/_e", "foo()", libs=(libs["env"],))
    c.repair(env={"AUDITWHEEL_LD_LIBRARY_PATH": str(c.build / "env"), "LD_LIBRARY_PATH": str(c.build / "llp")})
    judge(c, [libs["env"]], {"pkg._e": 1})


@case("B16", ours=True)
def the_folders_of_search_are_asked_in_order(c: Case) -> None:
    libs = [c.lib(f"d{i}/libfoo.so.1", f"int foo(){{return {i};}}") for i in range(2)]
    c.ext("pkg/_e", "foo()", libs=(libs[0],))
    c.repair("--search", str(c.build / "none"), "--search", str(c.build / "d1"), "--search", str(c.build / "d0"), env={})
    judge(c, [libs[1]], {"pkg._e": 1})


@case("B16")
def ldpaths_replaces_ld_library_path(c: Case) -> None:
    libs = [c.lib(f"d{i}/libfoo.so.1", f"int foo(){{return {i};}}") for i in range(2)]
    c.ext("pkg/_e", "foo()", libs=(libs[0],))
    c.repair("--ldpaths", f"{c.build / 'none'}:{c.build / 'd1'}", env={"LD_LIBRARY_PATH": str(c.build / "d0")})
    judge(c, [libs[1]], {"pkg._e": 1})


@case("B16", ours=True)
def ldpaths_hides_a_library_of_ld_library_path(c: Case) -> None:
    a = c.lib("libfoo.so.1", "int foo(){return 1;}")
    c.ext("pkg/_e", "foo()", libs=(a,))
    (c.root / "empty").mkdir()
    c.refused("--ldpaths", str(c.root / "empty"), exit=1, names=("libfoo.so.1",), env={"LD_LIBRARY_PATH": str(c.build)})


@case("B16")
def a_dependency_is_found_by_the_run_path_of_its_requester(c: Case) -> None:
    b = c.lib("two/libb.so.1", "int b(){return 2;}")
    a = c.lib("one/liba.so.1", "int a(){return b();}", libs=(b,), rpath=(str(b.parent),))
    c.ext("pkg/_e", "a()", libs=(a,), rpath=(str(a.parent),))
    c.repair(env={})
    judge(c, [a, b], {"pkg._e": 2})


@case("B16")
def a_dependency_is_found_by_the_rpath_of_the_file_above(c: Case) -> None:
    b = c.lib("two/libb.so.1", "int b(){return 2;}")
    a = c.lib("one/liba.so.1", "int a(){return b();}", libs=(b,))
    c.ext("pkg/_e", "a()", libs=(a,), rpath=(str(a.parent), str(b.parent)), flags=("-Wl,--disable-new-dtags",))
    c.repair(env={})
    judge(c, [a, b], {"pkg._e": 2})


@case("B17 B19")
def unfit_candidates_on_the_search_path_are_passed_over(c: Case) -> None:
    real = c.lib("z/libfoo.so.1", "int foo(){return 8;}")
    c.ext("pkg/_e", "foo()", libs=(real,))
    data = bytearray(real.read_bytes())
    unfit = {"text": b"INPUT(libc.so.6)\n", "empty": b"", "short": b"\x7fELF", "arm": bytes(data[:18] + b"\x28\0" + data[20:]),
             "small": bytes(data[:4] + b"\1" + data[5:])}
    paths = []
    for name, content in unfit.items():
        path = c.build / name / "libfoo.so.1"
        path.parent.mkdir()
        path.write_bytes(content)
        paths.append(str(path.parent))
    (c.build / "folder/libfoo.so.1").mkdir(parents=True)
    c.repair(env={"AUDITWHEEL_LD_LIBRARY_PATH": ":".join([str(c.build / "folder"), *paths, str(real.parent)])})
    judge(c, [real], {"pkg._e": 8})


@case("B16", ours=True)
def a_sysroot_has_its_own_ld_so_conf(c: Case) -> None:
    root = c.build / "sysroot"
    (root / "etc/ld.so.conf.d").mkdir(parents=True)
    (root / "etc/ld.so.conf").write_text("# comment\ninclude ld.so.conf.d/*.conf\n")
    (root / "etc/ld.so.conf.d/x.conf").write_text("/opt/x/lib # here\n")
    a = c.lib("sysroot/opt/x/lib/liba.so.1", "int a(){return 1;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair("--sysroot", str(root), env={})
    judge(c, [a], {"pkg._e": 1}, again=False)


@case("D15")
def the_libs_folder_has_the_name_of_the_file_name(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.wheel("Zoo_Pkg.Sub-1.0-cp311-cp311-linux_x86_64")
    c.repair()
    judge(c, [a], {"pkg._e": 1}, libs_folder="Zoo_Pkg.Sub.libs")


@case()
def the_libs_folder_can_be_named(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}")
    e = c.ext("pkg/_e", "a()", libs=(a,))
    c.repair("-L", ".deps")
    judge(c, [a], {"pkg._e": 1}, libs_folder="zoo.deps", rpaths={e: ["$ORIGIN/../zoo.deps"]})


@case("D14")
def nothing_is_added_when_nothing_is_bundled(c: Case) -> None:
    c.ext("pkg/_e", "strlen(\"four\")", "#include <string.h>")
    c.repair()
    one = judge(c, [], {"pkg._e": 4}, unedited=True)
    c.check(not any(name.startswith("zoo.libs") for name in one.after), "a libs folder without grafts")


@case("B9")
def identical_files_under_three_names_stay_three(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}")
    p = c.member_lib("pkg/libp.so.0.0.0", "int p(){return 4;}", soname="libp.so.0")
    for name in ("libp.so.0", "libp.so"):
        shutil.copy2(p, p.parent / name)
    c.ext("pkg/_e", "p()+a()", libs=(a, p.parent / "libp.so.0"), rpath=("$ORIGIN",))
    c.repair()
    judge(c, [a], {"pkg._e": 5}, unedited=("pkg/libp.so", "pkg/libp.so.0", "pkg/libp.so.0.0.0"))


@case("B13")
def a_plugin_shares_the_bundled_library(c: Case) -> None:
    core = c.lib("libcore.so.1", "static int n; int next(){return ++n;}")
    c.member_lib("pkg/plugins/libplug.so", "int plug(){return next();}", libs=(core,))
    c.ext("pkg/_e", "next()", libs=(core,))
    c.repair()
    judge(c, [core], {"pkg._e": 1})
    found = c.python("import ctypes, pkg._e, pkg; print(pkg._e.value()); p = ctypes.CDLL(pkg.__path__[0] + '/plugins/libplug.so');"
                     "print(p.plug(), pkg._e.value())")
    c.equal(found.split(), ["1", "2", "3"], "counts of the one instance")


@case("B28")
def an_absolute_needed_outside_of_the_wheel(c: Case) -> None:
    a = c.lib("liba.so", "int a(){return 3;}", soname=None)
    c.ext("pkg/_e", "a()", libs=(a,), by_path=True)
    c.repair(env={})
    judge(c, [a], {"pkg._e": 3})


@case("B28", ours=True)
def an_absolute_needed_whose_file_is_in_the_wheel(c: Case) -> None:
    a = c.lib("liba.so", "int a(){return 3;}", soname=None)
    c.copy(a, "pkg/lib/liba.so")
    e = c.ext("pkg/_e", "a()", libs=(a,), by_path=True)
    c.repair(env={})
    one = judge(c, [], {"pkg._e": 3}, unedited=("pkg/lib/liba.so",), rpaths={e: ["$ORIGIN/lib"]})
    c.check(one.after[e].count(b"liba.so\0") >= 1, "the bare name is not there")


@case("B28", ours=True)
def an_absolute_needed_between_libraries_of_the_build(c: Case) -> None:
    b = c.lib("two/libb.so", "int b(){return 4;}", soname=None)
    a = c.lib("one/liba.so.1", "int a(){return b();}", libs=(b,), by_path=True)
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair(env={"AUDITWHEEL_LD_LIBRARY_PATH": str(a.parent)})
    judge(c, [a, b], {"pkg._e": 4})


@case("B27", ours=True)
def a_library_that_hashes_itself_is_named_as_host_bound(c: Case) -> None:
    """A .hmac file beside the source says that the library will notice its edit."""
    a = c.lib("libfips.so.1", "int a(){return 4;}")
    (c.build / ".libfips.so.1.hmac").write_text("00")
    c.ext("pkg/_e", "a()", libs=(a,))
    outcome = c.repair()
    c.check("libfips" in outcome.stderr and "integrity" in outcome.stderr, f"no warning about the .hmac file: {outcome.stderr}")
    judge(c, [a], {"pkg._e": 4})


@case("B12", ours=True)
def a_host_bound_library_is_bundled_with_a_warning(c: Case) -> None:
    a = c.lib("libdrm.so.2", "int a(){return 4;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    outcome = c.repair()
    c.check("libdrm.so.2" in outcome.stderr, f"no warning: {outcome.stderr}")
    judge(c, [a], {"pkg._e": 4})


@case("B25", ours=True)
def a_cxx_library_throws_into_an_extension(c: Case) -> None:
    a = c.lib("libthrow.so.1", "#include <stdexcept>\nextern \"C\" int f(int i){ if (i) throw std::runtime_error(\"x\"); return 1; }", compiler="g++")
    c.ext("pkg/_e", "caught()", "#include <stdexcept>\nextern \"C\" int f(int);\nstatic int caught(){ try { return f(1); } catch (const std::runtime_error &) { return 77; } }",
          libs=(a,), compiler="g++")
    c.repair()
    judge(c, [a], {"pkg._e": 77}, strip=True)


@case("B10")
def one_module_that_needs_two_names_of_one_file(c: Case) -> None:
    real = c.lib("libx.so.1.2", "static int n; int next(){return ++n;} int other(){return 10*next();}", soname=None)
    for name in ("libx.so.1", "libx.so"):
        (c.build / name).symlink_to("libx.so.1.2")
    c.ext("pkg/_e", "next()+other()", libs=(c.build / "libx.so.1", c.build / "libx.so"))
    c.repair()
    judge(c, [real], {"pkg._e": 21})


@case("B4", ours=True)
def a_library_of_the_wheel_and_a_graft_need_each_other(c: Case) -> None:
    stub = c.lib("stub/libin.so", "int in(){return 0;} int in_base(){return 0;}")
    out = c.lib("libout.so.1", "int out(){return 10*in_base();}", libs=(stub,))
    shutil.rmtree(stub.parent)
    c.member_lib("pkg/lib/libin.so", "int in_base(){return 4;} int in(){return out()+2;}", libs=(out,))
    c.ext("pkg/_e", "in()", libs=(c.tree / "pkg/lib/libin.so",))
    c.repair()
    # libin is loaded already when libout asks for it.
    judge(c, [out], {"pkg._e": 42}, rpaths={"pkg/lib/libin.so": ["$ORIGIN/../../zoo.libs"]})


@case("B16")
def a_dependency_is_found_relative_to_its_requester(c: Case) -> None:
    b = c.lib("two/libb.so.1", "int b(){return 2;}")
    a = c.lib("one/liba.so.1", "int a(){return b();}", libs=(b,), rpath=("$ORIGIN/../two",))
    c.ext("pkg/_e", "a()", libs=(a,), rpath=(str(a.parent),))
    c.repair(env={})
    judge(c, [a, b], {"pkg._e": 2}, rpaths={f"zoo.libs/{graft_name(a)}": ["$ORIGIN"]})


@case("B17", ours=True)
def a_copy_for_newer_processors_is_not_bundled(c: Case) -> None:
    """From glibc-hwcaps the loader takes what fits its own processor; a wheel is for all."""
    plain = c.lib("lib/libfoo.so.1", "int foo(){return 1;}")
    for level in ("x86-64-v2", "x86-64-v3", "x86-64-v4"):
        c.lib(f"lib/glibc-hwcaps/{level}/libfoo.so.1", "int foo(){return 9;}")
    c.ext("pkg/_e", "foo()", libs=(plain,))
    c.repair("--search", str(plain.parent), env={})
    judge(c, [plain], {"pkg._e": 1})


@case("B17 B19", ours=True)
def pipes_and_broken_symlinks_on_the_search_path_are_passed_over(c: Case) -> None:
    real = c.lib("z/libfoo.so.1", "int foo(){return 8;}")
    c.ext("pkg/_e", "foo()", libs=(real,))
    c.wheel()
    c.watch()
    for name in ("pipe", "dangling", "loop"):
        (c.build / name).mkdir()
    os.mkfifo(c.build / "pipe/libfoo.so.1")
    (c.build / "dangling/libfoo.so.1").symlink_to("nowhere")
    (c.build / "loop/libfoo.so.1").symlink_to("libfoo.so.1")
    c.repair(*(word for name in ("pipe", "dangling", "loop", "absent", "z") for word in ("--search", str(c.build / name))), env={})
    judge(c, [real], {"pkg._e": 8})


@case("B28", ours=True)
def a_relative_path_in_needed_whose_file_is_in_the_wheel(c: Case) -> None:
    a = c.lib("liba.so", "int a(){return 3;}", soname="build/lib/liba.so")
    c.copy(a, "pkg/lib/liba.so")
    e = c.ext("pkg/_e", "a()", libs=(a,))
    c.repair(env={})
    judge(c, [], {"pkg._e": 3}, unedited=("pkg/lib/liba.so",), rpaths={e: ["$ORIGIN/lib"]})


@case("B28", ours=True)
def a_needed_entry_with_origin_is_found(c: Case) -> None:
    s = c.member_lib("pkg/lib/libs.so", "int s(){return 3;}", soname="$ORIGIN/lib/libs.so")
    c.ext("pkg/_e", "s()", libs=(s,))
    c.repair()
    judge(c, [], {"pkg._e": 3})


@case("A36 E42", ours=True)
def auxiliary_names_are_kept(c: Case) -> None:
    aux = c.lib("libaux.so", "int f(){return 9;}")
    a = c.lib("liba.so.1", "int f(){return 1;} int a(){return f();}", flags=("-Wl,-f,libaux.so",), rpath=("/x/libaux.so",))
    c.ext("pkg/_e", "a()", libs=(a,))
    aux.unlink()
    c.repair()
    one = judge(c, [a], {"pkg._e": 1})
    c.equal(parse(one.after[f"zoo.libs/{graft_name(c.root / 'hidden/liba.so.1')}"]).strings(DT_AUXILIARY), ["libaux.so"], "auxiliary names")


@case("D12 B11", ours=True)
def a_repaired_wheel_with_a_new_module_is_repaired_again(c: Case) -> None:
    """The first graft stays as it is; the new module's library comes beside it."""
    a = c.lib("liba.so.1", "static int n; int a(){return ++n;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    with zipfile.ZipFile(c.output()) as archive:
        archive.extractall(c.tree)
    for path in list(c.tree.glob("*.dist-info/*")):
        if path.is_file():
            path.unlink()
    b = c.lib("libb.so.1", "int b(){return 20;}")
    c.ext("pkg/_f", "b()", libs=(b,))
    c.out = c.root / "out-two"
    first, second = (f"zoo.libs/{graft_name(library)}" for library in (a, b))
    c.wheel()
    c.watched = {}
    c.repair()
    one = judge(c, [b], {"pkg._e": 1, "pkg._f": 20}, unedited=(first, "pkg/_e.cpython-311-x86_64-linux-gnu.so"))
    bill = json.loads(one.after["zoo-1.0.dist-info/sboms/truewheel.cdx.json"])
    c.equal(sorted(part["bom-ref"] for part in bill["components"]), sorted([first, second]), "components")


def with_module_added_by_hand(c: Case, change: object) -> None:
    """What was repaired, changed, with a new module that needs liba.so.1 under its old name, and repaired again."""
    a = c.lib("liba.so.1", "static int n; int a(){return ++n;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    with zipfile.ZipFile(c.output()) as archive:
        archive.extractall(c.tree)
    for path in list(c.tree.glob("*.dist-info/*")):
        if path.is_file():
            path.unlink()
    change(c.tree / "zoo.libs" / graft_name(a))
    c.ext("pkg/_f", "a()", libs=(a,))
    c.out = c.root / "out-two"
    c.wheel()
    c.watched = {}
    c.repair()


@case("Z55 B11", ours=True)
def a_graft_of_another_tool_is_used_again(c: Case) -> None:
    """Its name has the digits of the library's digest and its code is the same: only what an editor writes differs."""
    c.need("strip")
    with_module_added_by_hand(c, lambda path: subprocess.run(["strip", str(path)], check=True))
    names = [name for name in members(c.output()) if name.startswith("zoo.libs/")]
    c.equal(names, [f"zoo.libs/{graft_name(c.build / 'liba.so.1')}"], "grafts")
    c.hide_build()
    c.install()
    c.load({"pkg._e": 1, "pkg._f": 2})


@case("Z55 B11", ours=True)
def other_code_under_a_grafts_name_is_another_library(c: Case) -> None:
    def change(path: Path) -> None:
        c._shared(path, "static int n = 40; int more; int a(){return more + ++n;}")

    with_module_added_by_hand(c, change)
    names = [name for name in members(c.output()) if name.startswith("zoo.libs/")]
    c.equal(len(names), 2, "grafts")
    c.hide_build()
    c.install()
    c.load({"pkg._e": 41, "pkg._f": 1})


@case("Z55 B11", ours=True)
def a_graft_of_an_earlier_repair_is_used_again(c: Case) -> None:
    """A new module needs the library under its old name; the bundled file would be the same bytes, so it is one."""
    with_module_added_by_hand(c, lambda path: None)
    names = [name for name in members(c.output()) if name.startswith("zoo.libs/")]
    c.equal(names, [f"zoo.libs/{graft_name(c.build / 'liba.so.1')}"], "grafts")
    c.hide_build()
    c.install()
    c.load({"pkg._e": 1, "pkg._f": 2})


@case("B5")
def an_entry_to_the_libs_folder_is_not_doubled(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 3;}")
    e = c.ext("pkg/_e", "a()", libs=(a,), rpath=("$ORIGIN/../zoo.libs/",))
    c.repair()
    judge(c, [a], {"pkg._e": 3}, **({"rpaths": {e: ["$ORIGIN/../zoo.libs"]}} if c.setting.full else {}))


@case("E6", ours=True)
def every_compression_level_gives_a_good_wheel(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 3;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    for level in ("0", "1", "9"):
        c.out = c.root / f"out{level}"
        c.repair("-z", level)
        c.equal(members(c.output()).keys() >= {f"zoo.libs/{graft_name(a)}"}, True, f"graft at level {level}")
    judge(c, [a], {"pkg._e": 3})


@case("B21 E9", ours=True)
def libraries_with_names_that_few_expect(c: Case) -> None:
    """No "lib", no dot or only dots, hashes that are none, case, and every sign that a shell or a format minds."""
    names = (".libhidden.so.1", "lib.so.1", "foo", "libfoo.so.so.1", "so.so", "LIBA.so.1", "liba.so.1", "lib-.so", "libx-0123456.so", "lib+x++.so.1", "lib%41.so",
             'lib"quote.so', "lib[1].so", "lib*.so", "lib~.so~", "libx@1.so", "lib=.so", "lib#.so", "lib;.so", "lib&amp.so")
    libs = tuple(c.lib(name, f"int f{i}(){{return 1;}}") for i, name in enumerate(names))
    c.ext("pkg/_e", "+".join(f"f{i}()" for i in range(len(names))), libs=libs)
    c.repair()
    judge(c, list(libs), {"pkg._e": len(names)})


@case("B2 B10", ours=True)
def a_hundred_and_fifty_libraries_that_need_each_other(c: Case) -> None:
    libs: list[Path] = []
    for i in range(150):
        libs.append(c.lib(f"d{i % 7}/libn{i}.so.{i}", f"int n{i}(){{return 1;}}", libs=tuple(libs[-2:])))
    for k in range(5):
        c.ext(f"pkg{k}/_e", "+".join(f"n{i}()" for i in range(k, 150, 5)), libs=tuple(libs[k::5]))
    c.repair()
    judge(c, libs, {f"pkg{k}._e": 30 for k in range(5)})


@case("B28", ours=True)
def needed_entries_with_a_slash_whose_file_is_elsewhere(c: Case) -> None:
    """SONAMEs with a folder, and those of other systems' linkers. auditwheel finds the first and the third."""
    libs = [c.lib(f"x/lib{i}.so.1", f"int f{i}(){{return {i};}}", soname=f"{folder}/lib{i}.so.1") for i, folder in enumerate(("x", "@rpath", ".", "/nowhere/build"), 1)]
    c.ext("pkg/_e", "f1()+f2()+f3()+f4()", libs=tuple(libs))
    c.repair()
    for library in libs[1:]:
        c.check(f"{library} has its file name and is taken" in c.outcome.stderr, f"no warning of {library.name}")
    judge(c, libs, {"pkg._e": 10})


@case("B2", ours=True)
def a_module_that_needs_another_module(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    e = c.ext("pkg/_e", "a()", "int pub(){return 9;}", libs=(a,))
    c.ext("pkg/sub/_f", "pub()", libs=(c.tree / e,))
    c.repair()
    judge(c, [a], {"pkg._e": 6, "pkg.sub._f": 9})


@case("A5 B20", ours=True)
def a_graft_that_needs_libpython(c: Case) -> None:
    """As Boost.Python does."""
    python = c.lib("libpython3.11.so.1.0", "int Py_IsInitialized(){return 5;}")
    a = c.lib("libboostpy.so.1", "int Py_IsInitialized(); int a(){return Py_IsInitialized() ? 6 : 0;}", libs=(python,))
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 6}, dropped=(python.name,))


def drop_needed(path: Path, name: str) -> None:
    """Takes a NEEDED entry away and leaves the version needs of that name, as `patchelf --remove-needed` does."""
    data = bytearray(path.read_bytes())
    elf = parse(bytes(data))
    dynamic = elf.segment(2)
    for at in range(dynamic.offset, dynamic.offset + dynamic.filesz, 16):
        tag, value = struct.unpack_from("<QQ", data, at)
        if tag == 1 and elf.string(value) == name:
            struct.pack_into("<Q", data, at, 0x6FFFFEF0)  # a tag that no loader knows
    path.write_bytes(data)


def names_of_version_needs(data: bytes) -> list[str]:
    return [name for name, _ in parse(data).version_needs()]


@case("A41", ours=True)
def version_needs_of_a_library_that_another_one_brings(c: Case) -> None:
    b = c.lib("libb.so.1", "int b(){return 7;}", versions="B_1 { global: *; };")
    a = c.lib("liba.so.1", "int a(){return b();}", libs=(b,))
    e = c.ext("pkg/_e", "a()+b()", libs=(a, b))
    drop_needed(c.tree / e, b.name)
    c.repair("--verify=strict")
    new_name = graft_name(b)
    one = judge(c, [a, b], {"pkg._e": 14}, needed={e: [graft_name(a), "libc.so.6"]}, again_with_build=True)
    c.equal(names_of_version_needs(one.after[e]).count(new_name), 1, "version needs of the new name")


def two_libraries_of_one_name(c: Case) -> tuple[Path, Path, Path, Path]:
    """Two libraries libb.so.1, and a library that brings each of them in by its run path."""
    one = c.lib("one/libb.so.1", "int b(){return 1;}", versions="B_1 { global: *; };")
    two = c.lib("two/libb.so.1", "int b(){return 2;}", versions="B_1 { global: *; };")
    first = c.lib("libfirst.so.1", "int first(){return b();}", libs=(one,), rpath=(str(one.parent),))
    second = c.lib("libsecond.so.1", "int second(){return b();}", libs=(two,), rpath=(str(two.parent),))
    return one, two, first, second


@case("A41", ours=True)
def version_needs_follow_the_library_that_is_loaded_under_their_name(c: Case) -> None:
    """Two libraries of one name come in; the loader binds the first that it meets."""
    one, two, first, second = two_libraries_of_one_name(c)
    modules = {name: c.ext(f"pkg/{name}", f"{function}()+b()", libs=(library, one))
               for name, function, library in (("_e", "first", first), ("_f", "second", second))}
    for module in modules.values():
        drop_needed(c.tree / module, "libb.so.1")
    c.repair(env={"LD_LIBRARY_PATH": str(c.build)})
    judge(c, [one, two, first, second])
    c.load({"pkg._e": 2})
    c.load({"pkg._f": 4})


@case("A41", ours=True)
def version_needs_that_could_mean_two_libraries(c: Case) -> None:
    one, two, first, second = two_libraries_of_one_name(c)
    own = c.member_lib("pkg/libown.so", "int own(){return b();}", libs=(one,))
    drop_needed(own, "libb.so.1")
    c.ext("pkg/_e", "first()+own()", libs=(first, own), rpath=("$ORIGIN",))
    c.ext("pkg/_f", "second()+own()", libs=(second, own), rpath=("$ORIGIN",))
    c.refused(exit=1, env={"LD_LIBRARY_PATH": str(c.build)},
              names=("pkg/libown.so: needs versions of libb.so.1, which it does not name in NEEDED", graft_name(one), graft_name(two)))
