# SPDX-License-Identifier: Apache-2.0
"""Libraries that the packager put into the wheel: used where they are, under their names."""

import shutil
import struct

import elf_facts
from case import Case, case, case_family
from judge import graft_name, judge

RUN_PATHS = {"no-run-path": (), "dead-run-path": ("/build/tree/lib", "/tmp/nowhere")}
PLACES = {"same-folder": ("pkg", "$ORIGIN"), "sub-folder": ("pkg/lib", "$ORIGIN/lib"), "other-folder": ("other/deep/lib", "$ORIGIN/../other/deep/lib"),
          "root-folder": ("", "$ORIGIN/..")}


def found_sibling(place: str, run_path: str):
    folder, entry = PLACES[place]

    def one(c: Case) -> None:
        path = f"{folder}/libs.so".lstrip("/")
        library = c.member_lib(path, "int s(){return 12;}")
        # The build has it too, where the linker found it; that one must not be bundled.
        twin = c.lib("libs.so", "int s(){return 12;}")
        e = c.ext("pkg/_e", "s()", libs=(twin,), rpath=RUN_PATHS[run_path])
        c.repair()
        judge(c, [], {"pkg._e": 12}, rpaths={e: [entry]}, unedited=(path,))

    return one


for place in PLACES:
    for run_path in RUN_PATHS:
        case_family(f"a-sibling-in-{place}-with-{run_path}", __name__, "B4", found_sibling(place, run_path), ours=True)


@case("B5 D12")
def a_good_runpath_needs_no_edit(c: Case) -> None:
    c.member_lib("pkg/lib/libs.so", "int s(){return 12;}")
    c.ext("pkg/_e", "s()", libs=(c.tree / "pkg/lib/libs.so",), rpath=("$ORIGIN/lib",))
    c.repair()
    judge(c, [], {"pkg._e": 12}, unedited=True)


@case("B5")
def a_good_rpath_is_inherited_and_needs_no_edit(c: Case) -> None:
    b = c.member_lib("pkg/lib/libb.so", "int b(){return 3;}")
    a = c.member_lib("pkg/lib/liba.so", "int a(){return 10+b();}", libs=(b,))
    c.ext("pkg/_e", "a()", libs=(a,), rpath=("$ORIGIN/lib",), flags=("-Wl,--disable-new-dtags",))
    c.repair()
    judge(c, [], {"pkg._e": 13}, unedited=True)


@case("B4", ours=True)
def a_runpath_is_not_inherited_so_the_library_gets_an_entry(c: Case) -> None:
    b = c.member_lib("pkg/lib/libb.so", "int b(){return 3;}")
    a = c.member_lib("pkg/lib/liba.so", "int a(){return 10+b();}", libs=(b,))
    e = c.ext("pkg/_e", "a()", libs=(a,), rpath=("$ORIGIN/lib",))
    c.repair()
    judge(c, [], {"pkg._e": 13}, unedited=(e, "pkg/lib/libb.so"), rpaths={"pkg/lib/liba.so": ["$ORIGIN"]})


@case("B4")
def a_library_already_loaded_needs_no_entry(c: Case) -> None:
    """The extension loads both before liba's own needs are looked at."""
    b = c.member_lib("pkg/lib/libb.so", "int b(){return 3;}")
    a = c.member_lib("pkg/lib/liba.so", "int a(){return 10+b();}", libs=(b,))
    c.ext("pkg/_e", "a()+100*b()", libs=(a, b), rpath=("$ORIGIN/lib",))
    c.repair()
    judge(c, [], {"pkg._e": 313}, unedited=True)


@case("B4")
def a_dead_build_path_goes_although_the_library_loads(c: Case) -> None:
    b = c.member_lib("pkg/lib/libb.so", "int b(){return 3;}")
    a = c.member_lib("pkg/lib/liba.so", "int a(){return 10+b();}", libs=(b,), rpath=("/build/x",))
    e = c.ext("pkg/_e", "a()+b()", libs=(a, b), rpath=("$ORIGIN/lib",))
    c.repair()
    judge(c, [], {"pkg._e": 16}, unedited=(e, "pkg/lib/libb.so"), **({"rpaths": {"pkg/lib/liba.so": []}} if c.setting.full else {}))


@case("B5 A40")
def good_entries_are_kept_in_order_before_the_libs_folder(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}")
    s = c.member_lib("pkg/lib/libs.so", "int s(){return 20;}")
    t = c.member_lib("other/libt.so", "int t(){return 300;}")
    e = c.ext("pkg/_e", "a()+s()+t()", libs=(a, s, t), rpath=("$ORIGIN/../other", "$ORIGIN/lib", "/abs/lib"))
    c.repair()
    judge(c, [a], {"pkg._e": 321}, rpaths={e: ["$ORIGIN/../other", "$ORIGIN/lib", "$ORIGIN/../zoo.libs"]}, strip=True)


@case("B6", ours=True)
def entries_to_folders_without_a_member_go(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}")
    e = c.ext("pkg/_e", "a()", libs=(a,), rpath=("$ORIGIN/nothing", "$ORIGIN/../x", "$ORIGIN/../../above"))
    c.repair()
    judge(c, [a], {"pkg._e": 1}, rpaths={e: ["$ORIGIN/../zoo.libs"]})


@case("B6", ours=True)
def an_entry_above_the_installation_goes(c: Case) -> None:
    s = c.member_lib("pkg/libs.so", "int s(){return 20;}")
    e = c.ext("pkg/_e", "s()", libs=(s,), rpath=("$ORIGIN", "$ORIGIN/../../elsewhere"))
    c.repair()
    judge(c, [], {"pkg._e": 20}, rpaths={e: ["$ORIGIN"]}, kind="RUNPATH")


@case("B18", ours=True)
def braces_empty_elements_and_relative_entries(c: Case) -> None:
    s = c.member_lib("pkg/lib/libs.so", "int s(){return 20;}")
    e = c.ext("pkg/_e", "s()", libs=(s,), rpath=("${ORIGIN}/lib", "", "lib", "/tmp"))
    c.repair()
    judge(c, [], {"pkg._e": 20}, rpaths={e: ["$ORIGIN/lib"]})


@case("B18", ours=True)
def a_name_that_only_starts_like_origin_is_no_token(c: Case) -> None:
    s = c.member_lib("pkg/libs.so", "int s(){return 20;}")
    e = c.ext("pkg/_e", "s()", libs=(s,), rpath=("$ORIGINAL/lib",))
    c.repair()
    judge(c, [], {"pkg._e": 20}, rpaths={e: ["$ORIGIN"]})


@case("B22", ours=True)
def the_nearest_of_two_siblings_is_taken(c: Case) -> None:
    c.member_lib("pkg/near/libs.so", "int s(){return 1;}")
    c.member_lib("far/libs.so", "int s(){return 2;}")
    twin = c.lib("libs.so", "int s(){return 3;}")
    e = c.ext("pkg/_e", "s()", libs=(twin,))
    f = c.ext("far/_f", "s()", libs=(twin,))
    c.repair()
    judge(c, [], rpaths={e: ["$ORIGIN/near"], f: ["$ORIGIN"]})
    c.load({"pkg._e": 1})
    c.load({"far._f": 2})


@case("B4", ours=True)
def a_sibling_wins_over_another_build_copy_with_a_warning(c: Case) -> None:
    c.member_lib("pkg/libs.so", "int s(){return 1;}", flags=("-Wl,--build-id=0x" + "01" * 16,))
    twin = c.lib("libs.so", "int s(){return 2;}", flags=("-Wl,--build-id=0x" + "02" * 16,))
    c.ext("pkg/_e", "s()", libs=(twin,), rpath=(str(c.build),))
    outcome = c.repair()
    c.check("libs.so" in outcome.stderr, f"no warning about another build-id: {outcome.stderr}")
    judge(c, [], {"pkg._e": 1})


@case("B22", ours=True)
def a_member_with_only_the_soname_is_no_sibling(c: Case) -> None:
    c.member_lib("pkg/libreal.so", "int s(){return 1;}", soname="libs.so.1")
    a = c.lib("libs.so.1", "int s(){return 2;}")
    c.ext("pkg/_e", "s()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 2})


@case("B4", ours=True)
def a_sibling_chain_gets_an_entry_in_each_file_that_needs_one(c: Case) -> None:
    three = c.member_lib("c/lib3.so", "int f3(){return 3;}")
    two = c.member_lib("b/lib2.so", "int f2(){return 20+f3();}", libs=(three,))
    one = c.member_lib("a/lib1.so", "int f1(){return 100+f2();}", libs=(two,))
    e = c.ext("pkg/_e", "f1()", libs=(one,))
    c.repair()
    judge(c, [], {"pkg._e": 123}, unedited=("c/lib3.so",))
    c.check(e in c.modes, "the module is gone")


@case("B4", ours=True)
def a_plugin_is_a_root_of_its_own(c: Case) -> None:
    """Nobody needs the plugin, so it must find its sibling without the extension's run path."""
    b = c.member_lib("pkg/lib/libb.so", "int b(){return 3;}")
    c.member_lib("pkg/plugins/libplug.so", "int plug(){return b();}", libs=(b,))
    e = c.ext("pkg/_e", "b()", libs=(b,), rpath=("$ORIGIN/lib",), flags=("-Wl,--disable-new-dtags",))
    c.repair()
    judge(c, [], unedited=(e, "pkg/lib/libb.so"), rpaths={"pkg/plugins/libplug.so": ["$ORIGIN/../lib"]})
    path = c.site / "pkg/plugins/libplug.so"
    c.equal(c.python(f"import ctypes; print(ctypes.CDLL({str(path)!r}).plug())").strip(), "3", "value of the plugin")


@case("B4", ours=True)
def siblings_that_need_each_other(c: Case) -> None:
    stub = c.lib("stub/liby.so", "int y(){return 0;} int y_base(){return 0;}")
    x = c.member_lib("pkg/libx.so", "int x_base(){return 7;} int x(){return 10*y_base()+x_base();}", libs=(stub,))
    y = c.member_lib("pkg/liby.so", "int y_base(){return 4;} int y(){return x();}", libs=(x,))
    shutil.rmtree(stub.parent)
    c.ext("pkg/_e", "y()", libs=(y,))
    c.repair()
    judge(c, [], {"pkg._e": 47})


@case("B4 A22", ours=True)
def a_program_finds_its_sibling(c: Case) -> None:
    s = c.member_lib("pkg/lib/libs.so", "int s(){return 9;}")
    p = c.program("pkg/bin/tool", "s()", libs=(s,), rpath=("/build/lib",))
    c.ext("pkg/_e")
    c.repair()
    judge(c, [], {"pkg._e": 1}, {p: "9\n"}, rpaths={p: ["$ORIGIN/../lib"]})


@case("B4", ours=True)
def a_program_and_a_module_share_one_sibling_although_the_build_has_it(c: Case) -> None:
    """Published wheels carry such a library twice, once hashed, because the programs had no $ORIGIN."""
    c.member_lib("pkg/libs.so", "int s(){return 9;}")
    twin = c.lib("libs.so", "int s(){return 9;}")
    e = c.ext("pkg/_e", "s()", libs=(twin,), rpath=("$ORIGIN",))
    p = c.program("pkg/tool", "s()+1", libs=(twin,))
    c.repair()
    judge(c, [], {"pkg._e": 9}, {p: "10\n"}, unedited=(e, "pkg/libs.so"), rpaths={p: ["$ORIGIN"]})


@case("B4", ours=True)
def a_sibling_of_another_machine_is_none(c: Case) -> None:
    a = c.lib("libs.so", "int s(){return 5;}")
    data = bytearray(a.read_bytes())
    struct.pack_into("<H", data, 18, 183)
    c.file("pkg/libs.so", bytes(data))
    c.ext("pkg/_e", "s()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 5})


@case("A40", ours=True)
def a_file_with_both_kinds_of_run_path(c: Case) -> None:
    """The loader ignores DT_RPATH there; the sibling's folder stands only in it, so an entry must be added."""
    s = c.member_lib("pkg/lib/libs.so", "int s(){return 9;}")
    e = c.ext("pkg/_e", "s()", libs=(s,), rpath=("$ORIGIN/lib",), flags=("-Wl,--disable-new-dtags",))
    path = c.tree / e
    data = bytearray(path.read_bytes())
    elf = elf_facts.parse(bytes(data))
    dynamic = elf.segment(elf_facts.PT_DYNAMIC)
    # The spare slot behind DT_NULL takes a DT_RUNPATH that names another part of the same string: "lib".
    slot = dynamic.offset + 16 * len(elf.dynamic)
    assert not any(data[slot:slot + 32])
    struct.pack_into("<qQ", data, slot, elf_facts.DT_RUNPATH, elf.value(elf_facts.DT_RPATH) + len("$ORIGIN"))
    path.write_bytes(bytes(data))
    c.repair()
    judge(c, [], {"pkg._e": 9}, rpaths={e: ["$ORIGIN/lib"]})


@case("A40")
def an_rpath_only_file_with_a_graft(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}")
    e = c.ext("pkg/_e", "a()", libs=(a,), rpath=(str(c.build),), flags=("-Wl,--disable-new-dtags",))
    c.repair(env={})
    judge(c, [a], {"pkg._e": 1}, rpaths={e: ["$ORIGIN/../zoo.libs"]})


@case("A40")
def a_decoy_on_ld_library_path_does_not_win(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}")
    c.ext("pkg/_e", "a()", libs=(a,), rpath=("/nonexistent",), flags=("-Wl,--enable-new-dtags",))
    c.repair()
    name = graft_name(a)
    judge(c, [a], {"pkg._e": 1})
    decoy = c._shared(c.root / "decoy" / name, "int a(){return 666;}")
    c.load({"pkg._e": 1}, env={"LD_LIBRARY_PATH": str(decoy.parent)})


@case("A40", ours=True)
def the_kind_of_run_path_can_be_chosen(c: Case) -> None:
    b = c.lib("libb.so.1", "int b(){return 2;}")
    a = c.lib("liba.so.1", "int a(){return b();}", libs=(b,))
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair("--rpath-kind", "runpath")
    judge(c, [a, b], {"pkg._e": 2}, kind="RUNPATH")


@case("D12", ours=True)
def order_duplicates_and_unused_entries_are_no_reason_to_edit(c: Case) -> None:
    s = c.member_lib("pkg/lib/libs.so", "int s(){return 9;}")
    c.member_lib("pkg/zlib/libt.so", "int t(){return 9;}")
    c.ext("pkg/_e", "s()", libs=(s,), rpath=("$ORIGIN/zlib", "$ORIGIN/lib", "$ORIGIN/lib", "$ORIGIN/./lib/"))
    c.repair()
    judge(c, [], {"pkg._e": 9}, unedited=True)


@case("B18 E9", ours=True)
def siblings_in_folders_whose_names_few_expect(c: Case) -> None:
    folders = ("a b", "ü", "$x", "$LIBx", "{ORIGIN}", "..x", "a,b", "#", "%")
    libs = tuple(c.member_lib(f"pkg/{folder}/libm{i}.so", f"int m{i}(){{return 1;}}") for i, folder in enumerate(folders))
    c.ext("pkg/_e", "+".join(f"m{i}()" for i in range(len(libs))), libs=libs)
    c.repair()
    judge(c, [], {"pkg._e": len(libs)})


@case("B18", ours=True)
def a_sibling_in_a_folder_that_no_run_path_can_name(c: Case) -> None:
    """A colon parts entries, and $LIB is the loader's."""
    for i, folder in enumerate(("a:b", "$LIB", "x${PLATFORM}")):
        own = c.member_lib(f"pkg/{folder}/libm{i}.so", f"int m{i}(){{return 1;}}")
        c.ext("pkg/_e", f"m{i}()", libs=(own,))
        c.input = None
        c.wheel(f"zoo{i}-1.0-cp311-cp311-linux_x86_64")
        c.refused(exit=1, names=(f"needs a library in pkg/{folder}, a folder that no run path can name",))
        (c.tree / f"pkg/{folder}/libm{i}.so").unlink()


FOO_1 = "FOO_1 { global: foo; };"
FOO_2 = FOO_1 + " FOO_2 { global: foo2; } FOO_1;"


@case("B4", ours=True)
def a_fixture_with_the_name_of_a_system_library_takes_nothing(c: Case) -> None:
    """The finished wheel is good as it is: not one byte of it changes, whatever is asked."""
    c.member_lib("pkg/tests/data/libz.so.1", "int nothing(){return 1;}")
    c.ext("pkg/_e", "zlibVersion() != 0", prelude="char *zlibVersion(void);", flags=("-l:libz.so.1",))
    c.repair()
    judge(c, [], {"pkg._e": 1}, unedited=True)
    finished = c.output()
    for options in ((), ("--fix-only",), ("--verify=strict",), ("--exclude", "libz.so.1")):
        c.out = c.root / ("again" + "".join(options))
        outcome = c.run("repair", "-w", str(c.out), *options, str(finished))
        c.equal(outcome.code, 0, f"exit of {options}: {outcome.text}")
        c.equal(c.output().read_bytes() == finished.read_bytes(), True, f"same bytes under {options}")


@case("B4", ours=True)
def a_system_library_of_the_wheels_own_stays_where_a_run_path_leads_to_it(c: Case) -> None:
    own = c.member_lib("pkg/lib/libz.so.1", "const char *zlibVersion(void){return 0;} int own(void){return 5;}")
    c.ext("pkg/_e", "own() + (zlibVersion() == 0)", prelude="char *zlibVersion(void); int own(void);", libs=(own,), rpath=("$ORIGIN/lib",))
    c.repair("--verify=strict")
    judge(c, [], {"pkg._e": 6}, unedited=True)


@case("B4", ours=True)
def a_sibling_that_lacks_a_version_is_passed_over_for_the_builds(c: Case) -> None:
    c.member_lib("pkg/compat/libfoo.so.1", "int foo(){return 1;}", versions=FOO_1)
    new = c.lib("libfoo.so.1", "int foo(){return 2;} int foo2(){return 42;}", versions=FOO_2)
    c.ext("pkg/_e", "foo2()", prelude="int foo2(void);", libs=(new,))
    c.repair()
    judge(c, [new], {"pkg._e": 42})


@case("B4", ours=True)
def a_library_of_a_search_folder_that_lacks_a_version_is_passed_over(c: Case) -> None:
    old = c._shared(c.root / "old/libfoo.so.1", "int foo(){return 1;}", versions=FOO_1)
    new = c.lib("libfoo.so.1", "int foo(){return 2;} int foo2(){return 42;}", versions=FOO_2)
    c.ext("pkg/_e", "foo2()", prelude="int foo2(void);", libs=(new,))
    c.refused("--search", str(old.parent), exit=1, env={},
              names=("passed over", "libfoo.so.1: it does not define FOO_2, which pkg/_e.cpython-311-x86_64-linux-gnu.so needs"))
    c.repair("--search", str(old.parent), "--verify=strict")
    judge(c, [new], {"pkg._e": 42})


@case("B4", ours=True)
def a_run_path_that_leads_to_a_library_without_the_version_is_refused(c: Case) -> None:
    """The wheel has the right one, too, but the loader stops at the first of that name."""
    c.member_lib("pkg/new/libfoo.so.1", "int foo(){return 2;} int foo2(){return 42;}", versions=FOO_2)
    c.member_lib("pkg/old/libfoo.so.1", "int foo(){return 1;}", versions=FOO_1)
    c.ext("pkg/_e", "foo2()", prelude="int foo2(void);", libs=(c.tree / "pkg/new/libfoo.so.1",), rpath=("$ORIGIN/old",))
    c.refused(exit=1, names=("needs FOO_2 of libfoo.so.1, and the loader takes pkg/old/libfoo.so.1, which does not define it",))
    c.repair("--verify=off")


@case("B4", ours=True)
def a_system_library_that_lacks_a_version_where_a_run_path_leads_is_told(c: Case) -> None:
    c.member_lib("pkg/lib/libz.so.1", "const char *zlibVersion(void){return 0;} const char *zlibCompileFlags(void){return 0;}",
                 versions="ZLIB_1.1 { global: *; };")
    c.ext("pkg/_e", "gzbuffer(0, 1)", prelude="int gzbuffer(void *, unsigned);", flags=("-l:libz.so.1",), rpath=("$ORIGIN/lib",))
    outcome = c.repair()
    c.check("and the loader takes pkg/lib/libz.so.1, which does not define it" in outcome.text, f"a warning: {outcome.text}")
    c.refused("--verify=strict", exit=1, names=("R013",), out="strict")


@case("E1", ours=True)
def a_library_that_is_there_under_another_file_name_is_told(c: Case) -> None:
    """meson-python installs libm.so.2.1.0 without its links."""
    core = c.member_lib(".zoo.mesonpy.libs/libcore.so.2.1.0", "int core(){return 9;}", soname="libcore.so.2")
    c.ext("pkg/_e", "core()", libs=(core,), rpath=("$ORIGIN/../.zoo.mesonpy.libs",))
    path = ".zoo.mesonpy.libs/libcore.so.2.1.0"
    c.refused(exit=1, names=(f"in the wheel as its SONAME only: {path}", f"have the build install {path} as libcore.so.2"))
    shutil.copy(core, core.with_name("libcore.so.2"))  # what the hint says
    c.input, c.watched = None, {}
    c.repair()
    judge(c, [], {"pkg._e": 9})
