# SPDX-License-Identifier: Apache-2.0
"""Layouts and features of ELF files that editors have broken, judged inside of wheels."""

import struct
import subprocess
from pathlib import Path

import elf_facts
from case import Case, Skipped, case, case_family
from judge import graft_name, judge

LONG = "/build/" + "long/" * 40 + "path"


def without_section_headers(path: Path) -> None:
    data = bytearray(path.read_bytes())
    struct.pack_into("<Q", data, 0x28, 0)
    struct.pack_into("<HH", data, 0x3C, 0, 0)
    path.write_bytes(bytes(data))


def layout_case(flags: tuple[str, ...], compiler: str = "gcc", programs: tuple[str, ...] = (), after: object = None, versions: str = "",
                graft_too: bool = True):
    """One set of linker flags for a module, for what it needs and for what that needs; every file gets edited."""

    def one(c: Case) -> None:
        c.need(compiler, *programs)
        more = flags if graft_too else ()
        b = c.lib("libb.so.1", "int b(){return 2;}", flags=more, compiler=compiler, versions=versions.replace("f", "b") and "B_1 { global: b; local: *; };" if versions else "")
        a = c.lib("liba.so.1", "static int n = 30; int a(){return n++ + b();}", libs=(b,), flags=more, compiler=compiler, rpath=("/x",))
        e = c.ext("pkg/_e", "a()+100*b()", libs=(a, b), flags=flags, compiler=compiler)
        f = c.ext("pkg/_f", "b()+1", libs=(b,), flags=flags, compiler=compiler, rpath=(LONG,))
        if after:
            for path in (a, b, c.tree / e, c.tree / f):
                after(path)
        c.repair()
        judge(c, [a, b], {"pkg._e": 232, "pkg._f": 3}, strip=after is not without_section_headers)

    return one


def run(*command: str):
    def change(path: Path) -> None:
        subprocess.run([*command, str(path)], check=True, capture_output=True)

    return change


LLD, GOLD = ("-fuse-ld=lld",), ("-fuse-ld=gold",)
for name, flags, how in (
        ("no-separate-code", ("-Wl,-z,noseparate-code",), {}),
        ("pages-of-64k", ("-Wl,-z,max-page-size=0x10000",), {}),
        ("pages-of-2m", ("-Wl,-z,max-page-size=0x200000",), {}),
        ("pages-of-2m-no-separate-code", ("-Wl,-z,max-page-size=0x200000,-z,noseparate-code",), {}),
        ("lld", LLD, {"programs": ("ld.lld",)}),
        ("lld-separate-code", (*LLD, "-Wl,-z,separate-code"), {"programs": ("ld.lld",)}),
        ("lld-pages-of-64k", (*LLD, "-Wl,-z,max-page-size=65536"), {"programs": ("ld.lld",)}),
        ("lld-versions", LLD, {"programs": ("ld.lld",), "versions": "f"}),
        ("gold", GOLD, {"programs": ("ld.gold",)}),
        ("gold-versions-sysv-hash", (*GOLD, "-Wl,--hash-style=sysv"), {"programs": ("ld.gold",), "versions": "f"}),
        ("clang", (), {"compiler": "clang"}),
        ("sysv-hash", ("-Wl,--hash-style=sysv",), {}),
        ("both-hashes", ("-Wl,--hash-style=both",), {"versions": "f"}),
        ("relr", ("-Wl,-z,pack-relative-relocs",), {}),
        ("full-relro", ("-Wl,-z,relro,-z,now",), {}),
        ("no-relro", ("-Wl,-z,norelro",), {}),
        ("no-build-id", ("-Wl,--build-id=none",), {}),
        ("cet-notes", ("-fcf-protection=full", "-Wl,-z,ibt,-z,shstk"), {}),
        ("symbolic", ("-Wl,-Bsymbolic",), {}),
        ("nodelete", ("-Wl,-z,nodelete,-z,initfirst",), {}),
        ("debug-info", ("-g3",), {}),
        ("compressed-debug-info", ("-g3", "-Wl,--compress-debug-sections=zlib"), {}),
        ("stripped", ("-s",), {}),
        ("no-section-headers", (), {"after": without_section_headers}),
        ("no-section-headers-versions", ("-Wl,-z,max-page-size=0x10000",), {"after": without_section_headers, "versions": "f"}),
        ("eu-stripped", ("-g",), {"programs": ("eu-strip",), "after": run("eu-strip")}),
        ("llvm-stripped", ("-g",), {"programs": ("llvm-strip",), "after": run("llvm-strip")}),
        ("objcopy-second-shstrtab", (), {"after": run("objcopy", "--add-section", ".shstrtab=/etc/hostname")}),
        ("sections-named-alike", (), {"after": run("objcopy", "--rename-section", ".comment=.data")}),
):
    case_family(f"layout-{name}", __name__, "A8 A9 A12 A13 A17 A24 A25 A26 A29 A30 A35", layout_case(flags, **how))


@case("A19 A12")
def libraries_that_an_old_patchelf_edited(c: Case) -> None:
    """Debian's patchelf moves tables to the end of the file; the next editor must not assume the linker's layout."""
    c.need("patchelf")
    b = c.lib("libb.so.1", "int b(){return 2;}", versions="B_1 { global: b; local: *; };")
    a = c.lib("liba.so.1", "int a(){return 30+b();}", libs=(b,))
    e = c.ext("pkg/_e", "a()+b()", libs=(a, b))
    for path in (a, b, c.tree / e):
        run("patchelf", "--set-rpath", LONG)(path)
    run("patchelf", "--force-rpath", "--set-rpath", LONG + LONG)(a)
    c.repair()
    judge(c, [a, b], {"pkg._e": 34})


@case("A1 A39")
def a_symbol_is_the_tail_of_the_run_path(c: Case) -> None:
    a = c.lib("liba.so.1", "int zzz(){return 7;} int zz(){return 70;}")
    c.ext("pkg/_e", "zzz()+zz()", libs=(a,), rpath=("/opt/zzz",))
    c.repair()
    judge(c, [a], {"pkg._e": 77}, strip=True)


@case("A1")
def a_symbol_is_the_tail_of_a_soname(c: Case) -> None:
    a = c.lib("libtail", "int tail(){return 7;} int ail(){return 1;} int libtail(){return 10;}")
    c.ext("pkg/_e", "tail()+ail()+libtail()", libs=(a,))
    if not c.setting.is_truewheel:
        raise Skipped("a name without a dot")
    c.repair()
    judge(c, [a], {"pkg._e": 18}, strip=True)


@case("A1 A2", ours=True)
def soname_symbol_version_and_run_path_share_one_string(c: Case) -> None:
    a = c.lib("libshare", "int hare(){return 7;}", versions="share { global: hare; local: *; };", rpath=("/opt/libshare",))
    c.ext("pkg/_e", "hare()", libs=(a,), rpath=("/usr/libshare",))
    c.repair()
    judge(c, [a], {"pkg._e": 7}, strip=True)


@case("A2")
def a_version_is_named_like_the_soname(c: Case) -> None:
    a = c.lib("libv.so.1", "int f(){return 7;}", versions="libv.so.1 { global: f; local: *; };")
    c.ext("pkg/_e", "f()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 7}, strip=True)


@case("A2")
def versions_that_inherit_and_default_symbols(c: Case) -> None:
    a = c.lib("libv.so.1", "__asm__(\".symver f_old,f@V_1\"); __asm__(\".symver f_new,f@@V_2\"); int f_old(){return 1;} int f_new(){return 2;} int g(){return 30;}",
              versions="V_1 { global: g; }; V_2 { global: f; } V_1; libv.so.1 { } V_2;")
    b = c.lib("libold.so.1", "__asm__(\".symver f_one,f@V_1\"); int f_one(); int old(){return 100*f_one();}", libs=(a,))
    c.ext("pkg/_e", "f()+g()+old()", libs=(a, b))
    c.repair()
    judge(c, [a, b], {"pkg._e": 132}, strip=True)


@case("A2 A9")
def a_member_of_the_wheel_defines_versions(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}", versions="A_1 { global: a; local: *; };")
    s = c.member_lib("pkg/libs.so", "int s(){return 10+a();}", libs=(a,), versions="S_1 { global: s; local: *; };")
    c.ext("pkg/_e", "s()+100*a()", libs=(s, a), rpath=("$ORIGIN",))
    c.repair()
    judge(c, [a], {"pkg._e": 111}, strip=True)


@case("A3")
def several_versioned_dependencies(c: Case) -> None:
    libs = tuple(c.lib(f"lib{name}.so.{i}", f"int {name}(){{return {10 ** i};}}", versions=f"{name.upper()}_1.0 {{ global: {name}; local: *; }};")
                 for i, name in enumerate(("alpha", "beta", "third", "delta", "eps")))
    c.ext("pkg/_e", "alpha()+beta()+third()+delta()+eps()", libs=libs)
    c.repair()
    judge(c, list(libs), {"pkg._e": 11111}, strip=True)


def program_case(flags: tuple[str, ...], programs: tuple[str, ...] = (), rpath: tuple[str, ...] = ("/build/lib",), compiler: str = "gcc"):
    def one(c: Case) -> None:
        c.need(*programs)
        a = c.lib("liba.so.1", "static int n = 40; int a(){return ++n;} int data = 5;", versions="A_1 { global: a; data; local: *; };")
        p = c.program("pkg/bin/tool", "a()+data", "extern int data; static int set; __attribute__((constructor)) static void up(){ set = 1; }\nint exported(){return set;}",
                      libs=(a,), rpath=rpath, flags=flags, compiler=compiler)
        c.ext("pkg/_e")
        c.repair()
        judge(c, [a], {"pkg._e": 1}, {p: "46\n"}, rpaths={p: ["$ORIGIN/../../zoo.libs"]}, strip=True)

    return one


NOPIE = ("-no-pie", "-fno-pie")
for name, flags, programs in (
        ("pie", ("-pie", "-fPIE"), ()), ("pie-stripped", ("-pie", "-fPIE", "-s"), ()), ("pie-lld", ("-pie", "-fPIE", *LLD), ("ld.lld",)),
        ("pie-pages-of-64k", ("-pie", "-fPIE", "-Wl,-z,max-page-size=0x10000"), ()), ("pie-gold", ("-pie", "-fPIE", *GOLD), ("ld.gold",)),
        ("nopie", NOPIE, ()), ("nopie-stripped", (*NOPIE, "-s"), ()), ("nopie-no-separate-code", (*NOPIE, "-Wl,-z,noseparate-code"), ()),
        ("nopie-pages-of-64k", (*NOPIE, "-Wl,-z,max-page-size=0x10000"), ()), ("nopie-pages-of-2m", (*NOPIE, "-Wl,-z,max-page-size=0x200000"), ()),
        ("nopie-pages-of-2m-no-separate-code", (*NOPIE, "-Wl,-z,max-page-size=0x200000,-z,noseparate-code"), ()),
        ("nopie-lld", (*NOPIE, *LLD), ("ld.lld",)), ("nopie-gold", (*NOPIE, *GOLD), ("ld.gold",)), ("nopie-rdynamic-now", (*NOPIE, "-rdynamic", "-Wl,-z,now"), ()),
        ("nopie-norelro", (*NOPIE, "-Wl,-z,norelro"), ()),
):
    case_family(f"program-{name}", __name__, "A21 A22 A23", program_case(flags, programs))
case_family("program-without-run-path", __name__, "A22", program_case(("-pie", "-fPIE"), (), ()))
case_family("program-nopie-without-run-path", __name__, "A22", program_case(NOPIE, (), ()))
case_family("program-nopie-with-a-long-run-path", __name__, "A22", program_case(NOPIE, (), (LONG,)))


@case("A22", ours=True)
def a_program_that_reads_its_own_program_headers(c: Case) -> None:
    """AT_PHDR must lead to the table that holds PT_DYNAMIC, before and behind an edit."""
    a = c.lib("liba.so.1", "int a(){return 4;}")
    prelude = """#include <elf.h>
#include <sys/auxv.h>
static int count(){ Elf64_Phdr *h = (void*)getauxval(AT_PHDR); int n = 0; unsigned long i;
 for (i = 0; i < getauxval(AT_PHNUM); i++) n += h[i].p_type == PT_DYNAMIC; return n; }"""
    names = [c.program(f"pkg/tool{i}", "a()+10*count()", prelude, libs=(a,), flags=flags) for i, flags in enumerate((("-pie", "-fPIE"), NOPIE))]
    c.ext("pkg/_e")
    c.repair()
    judge(c, [a], {}, {name: "14\n" for name in names}, strip=True)


@case("A23 A32 D14")
def static_programs_objects_and_archives_pass_through(c: Case) -> None:
    c.program("pkg/static", "3", flags=("-static",))
    c.program("pkg/static-pie", "4", flags=("-static-pie", "-fPIE"))
    subprocess.run(["gcc", "-c", "-x", "c", "-", "-o", str(c.tree / "pkg/x.o")], input=b"int x;", check=True)
    subprocess.run(["ar", "rcs", str(c.tree / "pkg/libx.a"), str(c.tree / "pkg/x.o")], check=True)
    e = c.ext("pkg/_e", flags=("-g",))
    subprocess.run(["objcopy", "--only-keep-debug", str(c.tree / e), str(c.tree / "pkg/_e.debug")], check=True)
    c.file("pkg/text.so", "not an ELF file")
    c.file("pkg/short.so", b"\x7fELF")
    c.repair()
    judge(c, [], {"pkg._e": 1}, {"pkg/static": "3\n", "pkg/static-pie": "4\n"}, unedited=True)


@case("A31", ours=True)
def a_debug_file_of_an_edited_module_stays_as_it_is(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 4;}")
    e = c.ext("pkg/_e", "a()", libs=(a,), flags=("-g",))
    subprocess.run(["objcopy", "--only-keep-debug", str(c.tree / e), str(c.tree / "pkg/_e.so.debug")], check=True)
    c.repair()
    judge(c, [a], {"pkg._e": 4}, unedited=("pkg/_e.so.debug",))


PAYLOAD = """const char fat[2512] __attribute__((section(".nv_fatbin"), aligned(16))) = { 1, 2, 3, [2511] = 4 };
const char *volatile where = fat;
static int sum(){ int i, n = 0; for (i = 0; i < 2512; i++) n += where[i] * (i + 1); return n; }"""


def payload_case(*flags: str):
    """As CUDA's .nv_fatbin: moved payload is an invalid kernel image."""

    def one(c: Case) -> None:
        script = c.root / "fat.ld"
        script.write_text("SECTIONS { .nv_fatbin : { KEEP(*(.nv_fatbin)) } } INSERT BEFORE .gnu.hash;")
        more = (f"-Wl,-T,{script}", *flags)
        a = c.lib("liba.so.1", PAYLOAD + "int a(){return sum();}", flags=more, rpath=("/x",))
        c.ext("pkg/_e", "a()+sum()", PAYLOAD, libs=(a,), rpath=(LONG,), flags=(*more, "-Wl,-Bsymbolic"))
        c.repair()
        judge(c, [a], {"pkg._e": 2 * (1 + 4 + 9 + 4 * 2512)}, strip=True)

    return one


case_family("payload-right-behind-the-program-headers", __name__, "A10 A11", payload_case("-Wl,--build-id=none"))
case_family("payload-behind-the-build-id", __name__, "A10 A11", payload_case())
case_family("payload-behind-the-program-headers-no-separate-code", __name__, "A10 A11", payload_case("-Wl,--build-id=none", "-Wl,-z,noseparate-code"))
case_family("payload-behind-the-program-headers-pages-of-2m", __name__, "A10 A11", payload_case("-Wl,--build-id=none", "-Wl,-z,max-page-size=0x200000"))


@case("A8")
def init_and_fini_functions_run(c: Case) -> None:
    c.need("clang", "ld.lld")
    a = c.lib("liba.so.1", "static int n; void my_init(){n += 1;} __attribute__((constructor)) static void up(){n += 10;} int a(){return n;} void my_fini(){}",
              flags=(*LLD, "-Wl,-init,my_init,-fini,my_fini"), compiler="clang", rpath=("/x",))
    c.ext("pkg/_e", "a()+n", "static int n; __attribute__((constructor)) static void up(){n = 100;}", libs=(a,), flags=LLD, compiler="clang", rpath=(LONG,))
    c.repair()
    judge(c, [a], {"pkg._e": 111}, strip=True)


@case("A35 A44")
def thread_local_variables_and_packed_relocations(c: Case) -> None:
    a = c.lib("liba.so.1", "__thread int t = 7; static int x; int *volatile p = &x; int a(){ *p = 3; return ++t + x; }", flags=("-Wl,-z,pack-relative-relocs",))
    c.ext("pkg/_e", "a()+mine", "static __thread int mine __attribute__((tls_model(\"initial-exec\"))) = 100; extern __thread int t;", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 111}, strip=True)


@case("A44")
def static_thread_storage_is_taken_once(c: Case) -> None:
    tls = c.lib("libtls.so.1", "__thread char block[900] __attribute__((tls_model(\"initial-exec\"))) = {1}; int t(){return ++block[0];}")
    for name in ("_e", "_f"):
        c.ext(f"pkg/{name}", "t()", libs=(tls,))
    c.repair()
    judge(c, [tls], {"pkg._e": 2, "pkg._f": 3})


@case("A27")
def indirect_functions_are_resolved(c: Case) -> None:
    a = c.lib("liba.so.1", "static int one(){return 11;} static void *pick(){return one;} int a() __attribute__((ifunc(\"pick\")));")
    c.ext("pkg/_e", "a()+mine()", "static int two(){return 22;} static void *pick(){return two;} int mine() __attribute__((ifunc(\"pick\")));", libs=(a,), rpath=("/x",))
    c.repair()
    judge(c, [a], {"pkg._e": 33}, strip=True)


@case("A28")
def a_shared_library_that_can_be_run(c: Case) -> None:
    q = c.lib("libq.so.5", "const char interp[] __attribute__((section(\".interp\"))) = \"/lib64/ld-linux-x86-64.so.2\"; void _exit(int); void entry(){_exit(7);} int q(){return 5;}",
              flags=("-Wl,-e,entry",))
    c.ext("pkg/_e", "q()", libs=(q,))
    c.repair()
    member = f"zoo.libs/{graft_name(q)}"
    judge(c, [q], {"pkg._e": 5})
    c.equal(subprocess.run([str(c.site / member)], cwd="/").returncode, 7, "exit code of the library run as a program")


@case("A33 A34 A26")
def every_export_of_a_graft_can_be_looked_up(c: Case) -> None:
    count = 300
    a = c.lib("libmany.so.1", "".join(f"int sym_{i * 7919}(){{return {i};}}\n" for i in range(count)), flags=("-Wl,--hash-style=both",),
              versions="M_1 { global: sym_*; local: *; };")
    c.ext("pkg/_e", "sym_0()", libs=(a,))
    c.repair()
    member = graft_name(a)
    judge(c, [a], {"pkg._e": 0}, strip=True)
    found = c.python(f"import ctypes; lib = ctypes.CDLL({str(c.site / 'zoo.libs' / member)!r})\n"
                     f"print(sum(getattr(lib, 'sym_%d' % (i * 7919))() == i for i in range({count})))")
    c.equal(found.strip(), str(count), "exports found by dlsym")


@case("A27")
def a_distribution_library_is_bundled(c: Case) -> None:
    """Debian's own builds: libz is allowed by policy, so one that is not: the first of these that exists."""
    for name in ("libzstd.so.1", "liblzma.so.5", "libbz2.so.1.0", "libexpat.so.1"):
        path = Path("/lib/x86_64-linux-gnu") / name
        if not path.exists():
            path = Path("/usr/lib/x86_64-linux-gnu") / name
        if path.exists():
            break
    else:
        raise Skipped("none of them is here")
    c.ext("pkg/_e", libs=(path,))
    c.repair()
    judge(c, [path], {"pkg._e": 1}, again=False, strip=True)


@case("A25 A43")
def an_executable_stack_is_told(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 1;}", flags=("-Wl,-z,execstack",))
    c.ext("pkg/_e", "a()", libs=(a,))
    outcome = c.repair()
    c.check(not c.setting.is_truewheel or "stack" in outcome.text, f"nothing said about the executable stack: {outcome.text}")
    judge(c, [a], {"pkg._e": 1})


@case("A12 D10")
def strip_before_the_edit(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 41;}", flags=("-g",))
    c.ext("pkg/_e", "a()+1", libs=(a,), flags=("-g",))
    f = c.ext("pkg/_f", "2", flags=("-g",))
    c.repair("--strip")
    name = f"zoo.libs/{graft_name(a)}"
    one = judge(c, [a], {"pkg._e": 42, "pkg._f": 2}, again=False)
    for member in (name, f):
        c.check(b".debug_info" not in one.after[member], f"{member} is not stripped")


@case("A37 A30", ours=True)
def a_file_that_ends_in_the_middle_is_refused(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 41;}")
    e = c.ext("pkg/_e", "a()+1", libs=(a,))
    data = (c.tree / e).read_bytes()
    dynamic = elf_facts.parse(data).segment(elf_facts.PT_DYNAMIC)
    (c.tree / e).write_bytes(data[:dynamic.offset + 24])
    c.refused(exit=3, names=(e,))


@case("E36", ours=True)
def a_payload_behind_the_end_of_a_program_stays_where_it_is(c: Case) -> None:
    """A self-extractor that reads at the offset where its ELF part ended."""
    a = c.lib("liba.so.1", "int a(){return 4;}")
    names = []
    for name, flags in (("pie", ("-pie", "-fPIE")), ("nopie", NOPIE), ("stripped", ("-pie", "-fPIE", "-s"))):
        member = c.program(f"pkg/{name}", "a()", libs=(a,), flags=flags, rpath=(LONG,) if name == "nopie" else ())
        path = c.tree / member
        path.write_bytes(path.read_bytes() + b"PAYLOAD!" * 8192)
        names.append(member)
    c.ext("pkg/_e")
    c.repair()
    one = judge(c, [a], {}, {name: "4\n" for name in names})
    for name in names:
        c.equal(one.after[name].find(b"PAYLOAD!" * 8192), one.before[name].find(b"PAYLOAD!" * 8192), f"offset of the payload of {name}")


def libpython_among(flags: tuple[str, ...], programs: tuple[str, ...] = (), after: object = None, alone: bool = False):
    """The record of libpython's versions goes from between two others, or is the only one."""

    def one(c: Case) -> None:
        c.need(*programs)
        libs = [c.lib(f"lib{name}.so.1", f"int {name}(){{return {value};}}", versions=f"{name.upper()}_1 {{ global: {name}; local: *; }};", flags=("-nostdlib",))
                for name, value in (("one", 1), ("two", 2))]
        python = c.lib("libpython3.11.so.1.0", "int PyModule_Create2(){return 0;} int PyLong_FromLong(){return 0;}", flags=("-nostdlib",),
                       versions="PY_1 { global: PyModule_Create2; local: *; }; PY_2 { global: PyLong_FromLong; } PY_1;")
        needed = (python,) if alone else (libs[0], python, libs[1])
        e = c.ext("pkg/_e", "7" if alone else "one()+two()", libs=needed, flags=(*flags, "-nostdlib"))
        if after:
            after(c.tree / e)
        c.repair()
        judge(c, [] if alone else libs, {"pkg._e": 7 if alone else 3}, dropped=("libpython3.11.so.1.0",), strip=after is None)

    return one


for name, flags, how in (("from-between-others", (), {}), ("alone", (), {"alone": True}), ("alone-without-build-id", ("-Wl,--build-id=none",), {"alone": True}),
                         ("lld", LLD, {"programs": ("ld.lld",)}), ("lld-alone", LLD, {"programs": ("ld.lld",), "alone": True}), ("gold", GOLD, {"programs": ("ld.gold",)}),
                         ("no-section-headers", (), {"after": without_section_headers}), ("both-hashes", ("-Wl,--hash-style=both",), {})):
    case_family(f"versions-of-libpython-go-{name}", __name__, "A5 B20", libpython_among(flags, **how), ours=True)


@case("A1 A17")
def a_run_path_of_many_kilobytes(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 4;}")
    many = tuple(f"$ORIGIN/../vendor_{i}/{'deep/' * (i % 9)}lib" for i in range(400))
    c.ext("pkg/_e", "a()", libs=(a,), rpath=many)
    c.repair()
    judge(c, [a], {"pkg._e": 4}, strip=True)


@case("A17")
def a_library_with_a_very_long_name(c: Case) -> None:
    a = c.lib("lib" + "n" * 200 + ".so.1", "int a(){return 4;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.repair()
    judge(c, [a], {"pkg._e": 4}, strip=True)
