# SPDX-License-Identifier: Apache-2.0
"""Modules and libraries of other languages and linkers, whose runtimes are bundled with them."""

import os
import subprocess
from pathlib import Path

from case import Case, Failed, case, case_family
from judge import judge


def compile_text(c: Case, output: Path, source: str, suffix: str, command: list[str]) -> Path:
    """A library of the build from one source file; `command` ends before the source."""
    text = c.root / f"{output.name.partition('.')[0]}{suffix}"
    text.write_text(source)
    output.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([*command, "-o", str(output), str(text)], capture_output=True, text=True, cwd=c.root,
                          env={**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "off", "GOCACHE": str(c.setting.work / "gocache")})
    if done.returncode:
        raise Failed(f"{command[0]}: {done.stderr[-600:]}")
    return output


def runtime(name: str) -> Path:
    """A library of the compiler, where it tells."""
    return Path(subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()).resolve()


@case("C2 B15", ours=True)
def a_fortran_library_brings_its_runtime(c: Case) -> None:
    c.need("gfortran")
    f = compile_text(c, c.build / "libfort.so.1", """
      function total(n) bind(c) result(s)
        use iso_c_binding
        integer(c_int), value :: n
        integer(c_int) :: s, i
        real(16) :: quad
        character(len=20) :: text
        quad = 0
        do i = 1, n
          quad = quad + real(i, 16)
        end do
        write(text, '(F12.4)') quad
        read(text, '(F12.4)') quad
        s = int(quad)
      end function
""", ".f90", ["gfortran", "-shared", "-fPIC", "-Wl,-soname,libfort.so.1"])
    c.ext("pkg/_e", "total(10)", "int total(int);", libs=(f,))
    c.repair()
    judge(c, [f, runtime("libgfortran.so.5"), runtime("libquadmath.so.0")], {"pkg._e": 55}, strip=True)


@case("A44", ours=True)
def threads_of_openmp_work_in_a_bundled_runtime(c: Case) -> None:
    a = c.lib("libpar.so.1", "int par(int n){int s=0,i;\n#pragma omp parallel for reduction(+:s) num_threads(4)\nfor(i=1;i<=n;i++)s+=i;return s;}", flags=("-fopenmp",))
    c.ext("pkg/_e", "par(100)", "int par(int);", libs=(a,))
    c.ext("pkg/_f", "t()", "#include <omp.h>\nint t(){int s=0;\n#pragma omp parallel num_threads(3)\n{\n#pragma omp atomic\ns+=omp_get_num_threads();\n}\nreturn s;}", flags=("-fopenmp",))
    c.repair()
    judge(c, [a, runtime("libgomp.so.1")], {"pkg._e": 5050, "pkg._f": 9}, strip=True)


@case("A24 A44", ours=True)
def a_go_library_is_bundled(c: Case) -> None:
    """Its sections are laid out by Go's own linker over ld; it starts threads when it is loaded."""
    c.need("go")
    g = compile_text(c, c.build / "libgolib.so", 'package main\n\nimport "C"\nimport ("fmt"; "strings")\n\n//export Count\nfunc Count(n C.int) C.int { c := make(chan int); go func() { c <- len(strings.Repeat(fmt.Sprint(7), int(n))) }(); return C.int(<-c) }\n\nfunc main() {}\n',
                     ".go", ["go", "build", "-buildmode=c-shared", "-ldflags=-extldflags=-Wl,-soname,libgolib.so"])
    c.ext("pkg/_e", "Count(21)", "int Count(int);", libs=(g,))
    c.repair()
    judge(c, [g], {"pkg._e": 21})


RUST = """#[no_mangle]
pub extern "C" fn rusty(n: i32) -> i32 {
    use std::collections::HashMap;
    thread_local! { static KEPT: std::cell::RefCell<HashMap<i32, String>> = Default::default(); }
    let handle = std::thread::spawn(move || { KEPT.with(|k| { k.borrow_mut().insert(n, n.to_string()); k.borrow().len() as i32 }) });
    let caught = std::panic::catch_unwind(|| { if n > 0 { panic!("x") } });
    std::env::set_var("X", "1");
    handle.join().unwrap() + if caught.is_err() { 40 } else { 0 }
}
"""


@case("A27 A35", ours=True)
def a_rust_library_that_unwinds_is_bundled(c: Case) -> None:
    c.need("rustc")
    source = RUST.replace('panic!("x")', 'std::panic::resume_unwind(Box::new(1))')
    for edition, words in (("plain", []), ("lto", ["-C", "lto=fat", "-C", "strip=symbols"]), ("lld", ["-C", "link-arg=-fuse-ld=lld"]), ("mold", ["-C", "link-arg=-fuse-ld=mold"])):
        compile_text(c, c.build / f"librusty{edition}.so", source.replace("rusty", f"rusty{edition}"), ".rs", ["rustc", "--crate-type=cdylib", "-O", "-A", "warnings", "-C", f"link-arg=-Wl,-soname,librusty{edition}.so", *words])
    names = ("plain", "lto", "lld", "mold")
    libs = tuple(c.build / f"librusty{name}.so" for name in names)
    c.ext("pkg/_e", "+".join(f"rusty{name}(1)" for name in names), libs=libs)
    c.repair()
    judge(c, list(libs), {"pkg._e": 4 * 41}, strip=True)


def linked_by(linker: str, *flags: str):
    def function(c: Case) -> None:
        c.need("mold" if linker == "mold" else f"ld.{linker}")
        words = (f"-fuse-ld={linker}", *flags)
        b = c.lib("libb.so.1", "__thread int t = 3; int b(){return t;} __attribute__((constructor)) static void up(){t = 4;}", flags=words,
                  versions="V_1 { global: b; local: *; };")
        a = c.lib("liba.so.1", "int b(); int a(){return b()*10;}", libs=(b,), flags=words)
        own = c.member_lib("pkg/libown.so", "int a(); int own(){return a()+1;}", libs=(a,), flags=words)
        c.ext("pkg/_e", "own()+b()", libs=(own, b), flags=words)
        c.program("pkg/prog", "own()", libs=(own,), flags=("-pie", "-fPIE", *words))
        c.program("pkg/fixed", "own()", libs=(own,), flags=("-no-pie", *words))
        c.repair()
        judge(c, [a, b], {"pkg._e": 45}, programs={"pkg/prog": "41\n", "pkg/fixed": "41\n"}, strip=True)
    return function


for name, linker, flags in (("mold", "mold", ()), ("mold-no-sections-between", "mold", ("-Wl,-z,noseparate-code",)),
                            ("mold-both-hashes", "mold", ("-Wl,--hash-style=both",)), ("mold-stripped", "mold", ("-s",)),                             ("lld-one-segment", "lld", ("-Wl,--no-rosegment", "-Wl,-z,noseparate-code")), ("lld-omagic", "lld", ("-Wl,-z,nognustack",)), ("bfd-lto", "bfd", ("-flto", "-O2")),
                            ("bfd-gc", "bfd", ("-Wl,--gc-sections", "-ffunction-sections")), ("bfd-separate", "bfd", ("-Wl,-z,separate-code", "-Wl,-z,max-page-size=0x4000")),
                            ("bfd-nodynamic-copy", "bfd", ("-Wl,--dynamic-list-data",)), ("gold-icf", "gold", ("-Wl,--icf=all", "-Wl,-z,relro,-z,now"))):
    case_family(f"linked-by-{name}", __name__, "A8 A24", linked_by(linker, *flags))


@case("A27", ours=True)
def an_ada_library_brings_its_runtime(c: Case) -> None:
    c.need("gnat")
    folder = c.root / "ada"
    folder.mkdir()
    (folder / "adalib.ads").write_text('package Adalib is\n  function Twice (N : Integer) return Integer with Export, Convention => C, External_Name => "twice";\nend Adalib;\n')
    (folder / "adalib.adb").write_text('with Ada.Strings.Unbounded; use Ada.Strings.Unbounded;\npackage body Adalib is\n  Oops : exception;\n  function Twice (N : Integer) return Integer is\n    S : Unbounded_String := To_Unbounded_String (Integer\'Image (N));\n  begin\n    if N > 0 then raise Oops; end if;\n    return Length (S);\n  exception when Oops => return 2 * N;\n  end Twice;\nend Adalib;\n')
    for command in (["gcc", "-c", "-fPIC", "adalib.adb"], ["gnatbind", "-n", "-shared", "-Lada", "adalib.ali"], ["gcc", "-c", "-fPIC", "b~adalib.adb"]):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"{command}: {done.stderr[-500:]}")
    library = c.build / "libada.so.1"
    gnat = next(Path("/usr/lib/x86_64-linux-gnu").glob("libgnat-*.so.1"), None) or next(Path("/usr/lib/x86_64-linux-gnu").glob("libgnat-*.so"))
    done = subprocess.run(["gcc", "-shared", "-o", str(library), "-Wl,-soname,libada.so.1", "adalib.o", "b~adalib.o", str(gnat)], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr[-500:])
    c.ext("pkg/_e", "(adainit(), twice(21))", "void adainit(void); int twice(int);", libs=(library,))
    c.repair()
    judge(c, [library, gnat.resolve()], {"pkg._e": 42})
