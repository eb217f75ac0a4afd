# SPDX-License-Identifier: Apache-2.0
"""Wheels for musl, judged by musl's own loader."""

import subprocess
import zipfile
from pathlib import Path

from case import Case, case
from judge import judge

# Loads a library by its path and prints value(); there is no Python for musl here.
DRIVER = """#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv) {
  void *handle = dlopen(argv[1], RTLD_NOW);
  if (!handle) { puts(dlerror()); return 1; }
  printf("%d\\n", ((int (*)(void))dlsym(handle, "value"))());
  return 0;
}
"""
NAME = "zoo-1.0-py3-none-musllinux_1_2_x86_64"


class Alpine:
    """Links as Alpine does, where libc is called libc.musl-x86_64.so.1; Debian's musl-gcc says libc.so."""

    def __init__(self, c: Case) -> None:
        c.need("musl-gcc")
        self.c = c
        self.libc = c._shared(c.root / "stub/libc.musl-x86_64.so.1", "int printf(){return 0;} int __libc_start_main(){return 0;} int strlen(){return 0;}", flags=("-nostdlib",))

    def how(self, libs: tuple[Path, ...]) -> dict:
        return {"libs": (*libs, self.libc), "compiler": "musl-gcc", "flags": ("-nodefaultlibs",)}

    def lib(self, path: str, source: str, libs: tuple[Path, ...] = (), **more: object) -> Path:
        return self.c.lib(path, source, **self.how(libs), **more)

    def member(self, path: str, source: str, libs: tuple[Path, ...] = (), **more: object) -> Path:
        return self.c.member_lib(path, source, **self.how(libs), **more)

    def program(self, path: str, value: str, libs: tuple[Path, ...] = ()) -> str:
        return self.c.program(path, value, **{**self.how(libs), "flags": ("-pie", "-fPIE", "-nodefaultlibs")})

    def use(self, values: dict[str, int]) -> None:
        c = self.c
        driver = c.root / "driver"
        c.compiler.link(driver, DRIVER, ["-pie", "-fPIE"], [], "musl-gcc")
        with zipfile.ZipFile(c.output()) as archive:
            archive.extractall(c.site)
        for member, value in values.items():
            path = c.site / member
            path.chmod(0o755)
            command = [str(path)] if path.suffix != ".so" else [str(driver), str(path)]
            done = subprocess.run(command, capture_output=True, text=True, env={}, cwd="/")
            c.equal((done.returncode, done.stdout.strip()), (0, str(value)), f"value of {member} under musl ({done.stderr.strip()})")


@case("C12")
def a_musl_wheel_is_repaired_on_a_glibc_host(c: Case) -> None:
    musl = Alpine(c)
    b = musl.lib("libb.so.1", "int b(){return strlen(\"ab\");}")
    a = musl.lib("liba.so.1", "int a(){return 10+b();}", (b,), rpath=("/x",))
    musl.member("pkg/libe.so", "int value(){return 100+a();}", (a,))
    c.wheel(NAME)
    c.repair()
    judge(c, [a, b], install=False)
    musl.use({"pkg/libe.so": 112})
    c.check("musllinux_1_2_x86_64" in c.output().name and "manylinux" not in c.output().name, f"name {c.output().name}")


@case("C12")
def a_linux_tag_with_musl_files_is_musl(c: Case) -> None:
    musl = Alpine(c)
    a = musl.lib("liba.so.1", "int a(){return 5;}")
    musl.member("pkg/libe.so", "int value(){return a();}", (a,))
    c.wheel("zoo-1.0-py3-none-linux_x86_64")
    c.repair()
    judge(c, [a], install=False)
    c.check("musllinux" in c.output().name and "manylinux" not in c.output().name, f"name {c.output().name}")


@case("C12 B4", ours=True)
def a_run_path_is_inherited_under_musl(c: Case) -> None:
    """musl follows the importers' chain whatever the kind of run path, so no entry needs to be added."""
    musl = Alpine(c)
    b = musl.member("pkg/lib/libb.so", "int b(){return 3;}")
    a = musl.member("pkg/lib/liba.so", "int a(){return 10+b();}", (b,))
    musl.member("pkg/libe.so", "int value(){return a();}", (a,), rpath=("$ORIGIN/lib",))
    c.wheel(NAME)
    c.repair()
    judge(c, [], install=False, unedited=True)
    musl.use({"pkg/libe.so": 13})


@case("C12", ours=True)
def a_sibling_is_found_under_musl(c: Case) -> None:
    """A dollar that is not $ORIGIN would switch the whole run path off."""
    musl = Alpine(c)
    s = musl.member("pkg/lib/libs.so", "int s(){return 3;}")
    musl.member("pkg/libe.so", "int value(){return s();}", (s,), rpath=("$ORIGIN/$LIB", "/build/$PLATFORM"))
    c.wheel(NAME)
    c.repair()
    judge(c, [], install=False, rpaths={"pkg/libe.so": ["$ORIGIN/lib"]})
    musl.use({"pkg/libe.so": 3})


@case("C12 A22")
def a_musl_program_in_the_package(c: Case) -> None:
    musl = Alpine(c)
    a = musl.lib("liba.so.1", "int a(){return 5;}")
    musl.program("pkg/tool", "a()", (a,))
    c.wheel(NAME)
    c.repair()
    judge(c, [a], install=False)
    musl.use({"pkg/tool": 5})


@case("C12", ours=True)
def a_musl_library_whose_libc_is_called_libc_so(c: Case) -> None:
    """musl's loader takes every name that starts with "libc." for itself; nothing is missing and nothing is bundled."""
    c.need("musl-gcc")
    a = c.lib("liba.so.1", "int a(){return 5;}", compiler="musl-gcc")
    c.member_lib("pkg/libe.so", "int value(){return a();}", libs=(a,), compiler="musl-gcc")
    c.wheel(NAME)
    c.repair()
    judge(c, [a], install=False)
    Alpine(c).use({"pkg/libe.so": 5})


@case("C6", ours=True)
def functions_that_only_glibc_has_are_told(c: Case) -> None:
    """A strong reference ends musl's loader; a weak one is how libraries ask whether there is such a function."""
    musl = Alpine(c)
    c.file("pkg/__init__.py", "")
    musl.member("pkg/libstrong.so", "extern int __cxa_thread_atexit_impl(); extern int __memcpy_chk(); int value(){return __cxa_thread_atexit_impl() + __memcpy_chk();}")
    musl.member("pkg/libweak.so", "extern int __cxa_thread_atexit_impl() __attribute__((weak)); int value(){return __cxa_thread_atexit_impl ? 1 : 7;}")
    c.wheel(NAME)
    outcome = c.repair()
    c.check("pkg/libstrong.so: needs __cxa_thread_atexit_impl, __memcpy_chk" in outcome.stderr, f"not told: {outcome.stderr}")
    c.check("libweak.so" not in outcome.stderr, f"a weak reference is told: {outcome.stderr}")
    musl.use({"pkg/libweak.so": 7})
