# SPDX-License-Identifier: Apache-2.0
"""Libraries that are left out on purpose, and how they are found after installation (docs/profiles.md)."""

import shutil
from pathlib import Path

from case import Case, case, case_family
from elf_facts import parse
from judge import graft_name, judge


def chain(c: Case, second: bool = True) -> tuple[Path, Path]:
    """ext -> libx.so.5 -> liby.so.1, and if asked ext2 -> liby.so.1."""
    y = c.lib("yy/liby.so.1", "int y(){return 3;}")
    x = c.lib("xx/libx.so.5", "int x(){return 10+y();}", libs=(y,), rpath=(str(c.build / "yy"),))
    c.ext("pkg/_e", "x()", libs=(x,))
    if second:
        c.ext("pkg/_f", "y()", libs=(y,))
    return x, y


def provide(c: Case, *libraries: Path) -> dict[str, str]:
    """The environment's own copy of what was left out: a folder of LD_LIBRARY_PATH."""
    folder = c.root / "provided"
    folder.mkdir()
    for path in libraries:
        shutil.copy2(c.root / "hidden" / path.relative_to(c.build), folder / path.name)
    return {"LD_LIBRARY_PATH": str(folder)}


def excluded(patterns: list[str], second: bool, kept: str):
    """`kept`: which of x and y are bundled all the same."""

    def one(c: Case) -> None:
        x, y = chain(c, second)
        words = [word for pattern in patterns for word in ("--exclude", pattern.replace("BUILD", str(c.build)))]
        c.repair(*words)
        grafts = [path for path, name in ((x, "x"), (y, "y")) if name in kept]
        judge(c, grafts, again_with_build=any("/" in pattern for pattern in patterns))
        c.load({"pkg._e": 13, **({"pkg._f": 3} if second else {})}, env=provide(c, x, y))

    return one


for label, patterns, ours in (("with-so", ["libx.so"], True), ("with-a-star", ["libx.so*"], False), ("with-a-version-set", ["libx.so.[45]"], False),
                              ("without-so", ["libx"], True), ("by-its-whole-name", ["libx.so.5"], False), ("by-a-path", ["BUILD/xx/*"], False)):
    for second in (True, False):
        case_family(f"exclude-{label}-{'prunes-but-keeps-what-others-need' if second else 'prunes-its-dependencies'}", __name__, "B8",
                    excluded(patterns, second, "y" if second else ""), ours=ours)
case_family("exclude-everything", __name__, "B8 D14", excluded(["*"], True, ""))
case_family("exclude-everything-by-path", __name__, "B8", excluded(["BUILD/*/*"], True, ""), ours=True)
case_family("exclude-only-the-inner-library", __name__, "B8", excluded(["liby.so*"], True, "x"))
case_family("exclude-two-patterns", __name__, "B8", excluded(["libx.so*", "liby.so.1"], True, ""))
case_family("exclude-another-version", __name__, "B8", excluded(["libx.so.4"], True, "xy"))
case_family("exclude-is-case-sensitive", __name__, "B8", excluded(["LIBX.so*"], True, "xy"))


@case("B8")
def an_excluded_library_may_be_absent(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 3;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.wheel()
    shutil.move(a, c.root / "liba.so.1")
    c.watch()
    c.repair("--exclude", "liba.so.*")
    judge(c, [], unedited=True)
    c.load({"pkg._e": 3}, env={"LD_LIBRARY_PATH": str(c.root)})


@case("B8", ours=True)
def a_pattern_that_matches_nothing_is_told(c: Case) -> None:
    c.ext("pkg/_e")
    outcome = c.repair("--exclude", "librocblas.so.4")
    c.check("librocblas.so.4" in outcome.stderr, f"no warning: {outcome.stderr}")
    judge(c, [], {"pkg._e": 1}, unedited=True)


@case("B8", ours=True)
def a_pattern_that_matches_nothing_fails_a_strict_repair(c: Case) -> None:
    c.ext("pkg/_e")
    c.refused("--exclude", "librocblas.so.4", "--verify", "strict", exit=1, names=("librocblas.so.4",))


@case("B8", ours=True)
def a_match_only_by_a_cut_name_is_told(c: Case) -> None:
    chain(c)
    outcome = c.repair("--exclude", "libx.so", "-v")
    c.check("libx.so.5" in outcome.text, f"nothing said about libx.so.5: {outcome.text}")


@case("A4", ours=True)
def a_versioned_library_excluded_here_and_reached_through_a_graft(c: Case) -> None:
    v = c.lib("libv.so.1", "int v(){return 3;}", versions="V_1 { global: v; local: *; };")
    w = c.lib("libw.so.1", "int w(){return 10+v();}", libs=(v,), versions="W_1 { global: w; local: *; };")
    c.ext("pkg/_e", "v()", libs=(v,))
    c.ext("pkg/_f", "w()", libs=(w,))
    c.repair("--exclude", "libv.so.1")
    judge(c, [w])
    c.load({"pkg._e": 3, "pkg._f": 13}, env=provide(c, v))


@case("B6", ours=True)
def an_entry_to_a_sister_package_is_kept_for_an_excluded_library(c: Case) -> None:
    dep = c.lib("libdep.so", "int dep(){return 8;}")
    a = c.lib("liba.so.1", "int a(){return 1;}")
    e = c.ext("pkg/_e", "dep()+a()", libs=(dep, a), rpath=("$ORIGIN/../dep/lib", "$ORIGIN/../../too/high"))
    c.repair("--exclude", "libdep.so")

    def sister() -> None:
        (c.site / "dep/lib").mkdir(parents=True)
        shutil.copy2(c.root / "hidden/libdep.so", c.site / "dep/lib/libdep.so")

    judge(c, [a], {"pkg._e": 9}, rpaths={e: ["$ORIGIN/../dep/lib", "$ORIGIN/../zoo.libs"]}, before_load=sister)


def profile_case(profile: str, soname: str, folder: str, module: str, others: tuple[str, ...] = ()):
    """The library is left out, and found where the profile's packages install it."""

    def one(c: Case) -> None:
        stub = c.lib(soname, "int gpu(){return 31;}")
        a = c.lib("liba.so.1", "int a(){return 100+gpu();}", libs=(stub,))
        e = c.ext(module, "gpu()", libs=(stub,))
        f = c.ext("pkg/_through", "a()", libs=(a,))
        plain = c.ext("pkg/_plain")
        c.repair("--profile", profile, *others)

        def runtime() -> None:
            (c.site / folder).mkdir(parents=True)
            shutil.copy2(c.root / "hidden" / soname, c.site / folder / soname)

        one = judge(c, [a], {module.replace("/", "."): 31, "pkg._through": 131, "pkg._plain": 1}, unedited=(plain,), before_load=runtime, strip=True)
        up = "../" * module.count("/")
        c.check(f"$ORIGIN/{up}{folder}" in parse(one.after[e]).run_path, f"run path of {e}: {parse(one.after[e]).run_path}")
        c.check(f"$ORIGIN/../{folder}" in parse(one.after[f"zoo.libs/{graft_name(c.root / 'hidden/liba.so.1')}"]).run_path, "the graft has no entry for the profile")
        c.equal(parse(one.after[f]).run_path, ["$ORIGIN/../zoo.libs"], f"run path of {f}, which needs nothing of the profile itself")

    return one


for profile, soname, folder in (("rocm", "libamdhip64.so.7", "_rocm_sdk_core/lib"), ("hip", "librocblas.so.5", "_rocm_sdk_libraries/lib"),
                                ("torch", "libtorch_cpu.so", "torch/lib"), ("cuda", "libcudart.so.13", "nvidia/cu13/lib")):
    case_family(f"profile-{profile}-for-a-module-in-a-package", __name__, "B8", profile_case(profile, soname, folder, "pkg/_e"), ours=True)
case_family("profile-rocm-for-a-top-level-module", __name__, "D16", profile_case("rocm", "libamdhip64.so.7", "_rocm_sdk_core/lib", "_e"), ours=True)
case_family("profile-torch-for-a-deep-namespace-module", __name__, "D16", profile_case("torch", "libc10.so", "torch/lib", "ns/sub/pkg/_e"), ours=True)
case_family("profiles-in-one-list", __name__, "B8", profile_case("torch,rocm,rdma", "libtorch.so", "torch/lib", "pkg/_e"), ours=True)


@case("B8", ours=True)
def the_rdma_profile_adds_no_run_path(c: Case) -> None:
    verbs = c.lib("libibverbs.so.1", "int verbs(){return 3;}")
    c.ext("pkg/_e", "verbs()", libs=(verbs,))
    c.repair("--profile", "rdma")
    judge(c, [], unedited=True)
    c.load({"pkg._e": 3}, env=provide(c, verbs))


@case("B8", ours=True)
def system_rpath_comes_last(c: Case) -> None:
    hip = c.lib("libamdhip64.so.7", "int gpu(){return 31;}")
    a = c.lib("liba.so.1", "int a(){return 1;}")
    e = c.ext("pkg/_e", "gpu()+a()", libs=(hip, a), rpath=("/opt/rocm-7.2.3/lib",))
    c.repair("--profile", "rocm", "--system-rpath")
    one = judge(c, [a], absolute=("/opt/rocm/lib", "/opt/rocm/lib/rocm_sysdeps/lib"))
    path = parse(one.after[e]).run_path
    c.check("/opt/rocm/lib" in path, f"run path of {e}: {path}")
    places = [i for i, entry in enumerate(path) if entry.startswith("/")]
    c.check(places == list(range(len(path) - len(places), len(path))), f"absolute entries are not last: {path}")
    c.check("/opt/rocm-7.2.3/lib" not in path, "the build's own entry stays")
    c.load({"pkg._e": 32}, env=provide(c, hip))


@case("B8", ours=True)
def a_driver_library_is_left_out_with_a_warning(c: Case) -> None:
    cuda = c.lib("libcuda.so.1", "int cu(){return 5;}")
    hsa = c.lib("libhsa-runtime64.so.1", "int hsa(){return 6;}")
    c.ext("pkg/_e", "cu()+hsa()", libs=(cuda, hsa))
    outcome = c.repair()
    c.check("libcuda.so.1" in outcome.stderr and "libhsa-runtime64.so.1" in outcome.stderr, f"no warning: {outcome.stderr}")
    judge(c, [], unedited=True)
    c.load({"pkg._e": 11}, env=provide(c, cuda, hsa))


@case("B8", ours=True)
def a_driver_library_is_bundled_when_asked_for(c: Case) -> None:
    cuda = c.lib("libcuda.so.1", "int cu(){return 5;}")
    c.ext("pkg/_e", "cu()", libs=(cuda,))
    c.repair("--include", "libcuda.so*")
    judge(c, [cuda], {"pkg._e": 5})


@case("E6", ours=True)
def an_unknown_profile_is_a_usage_error(c: Case) -> None:
    c.ext("pkg/_e")
    c.refused("--profile", "rocmm", exit=2, names=("rocmm", "rocm"))


def libpython_case(name: str, versions: str):
    def one(c: Case) -> None:
        python = c.lib(name, "int from_libpython(){return 1;} int PyLong_FromLong(){return 0;} int PyModule_Create2(){return 0;}", versions=versions)
        a = c.lib("liba.so.1", "int a(){return 4;}", versions="A_1 { global: a; local: *; };")
        e = c.ext("pkg/_e", "a()", libs=(python, a))
        outcome = c.repair()
        c.check("libpython" in outcome.stderr or not c.setting.is_truewheel, f"no warning: {outcome.stderr}")
        one = judge(c, [a], {"pkg._e": 4}, dropped=(name,), strip=True)
        c.check("libpython" not in one.describe(e), f"{e}: {one.describe(e)}")

    return one


for name, versions in (("libpython3.11.so.1.0", ""), ("libpython3.13t.so.1.0", ""), ("libpython3.so", ""),
                       ("libpython3.12d.so.1.0", "PYSTUB_1 { global: PyLong_FromLong; PyModule_Create2; from_libpython; local: *; };")):
    case_family(f"the-link-to-{name}{'-with-versions' if versions else ''}-goes", __name__, "B20 A5", libpython_case(name, versions), ours=True)


@case("B20 D14", ours=True)
def only_the_link_to_libpython_goes_and_nothing_is_bundled(c: Case) -> None:
    python = c.lib("libpython3.11.so.1.0", "int from_libpython(){return 1;}")
    c.ext("pkg/_e", libs=(python,))
    python.unlink()
    c.repair()
    judge(c, [], {"pkg._e": 1}, dropped=("libpython3.11.so.1.0",))


@case("B20", ours=True)
def a_program_that_needs_libpython_is_refused(c: Case) -> None:
    python = c.lib("libpython3.11.so.1.0", "int from_libpython(){return 1;}")
    c.program("pkg/tool", "from_libpython()", libs=(python,))
    c.ext("pkg/_e")
    c.refused(exit=1, names=("libpython3.11.so.1.0", "pkg/tool"))


@case("B8 B4", ours=True)
def a_pattern_does_not_reach_a_library_of_the_wheel(c: Case) -> None:
    """Nothing outside provides it, so leaving it out would break the wheel: it stays a sibling."""
    s = c.member_lib("pkg/lib/libs.so", "int s(){return 4;}")
    e = c.ext("pkg/_e", "s()", libs=(s,))
    c.repair("--exclude", "*")
    judge(c, [], {"pkg._e": 4}, rpaths={e: ["$ORIGIN/lib"]}, unedited=("pkg/lib/libs.so",))
