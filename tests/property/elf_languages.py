#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs and libraries of Go's own linker and of Rust: edited, run, stripped, run and edited again.

Uses the compilers that are installed; exit 77 without any.
"""
import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from elf_headers import page_faults
from elf_layouts import call, must
from elf_oracle import lint

GO_PROGRAM = """package main

// #cgo LDFLAGS: -L${SRCDIR} -ldep
// int dep_value(void);
import "C"
import ("fmt"; "os/user"; "strings")

type shape interface{ area() int }
type square struct{ side int }
func (s square) area() int { return s.side * s.side }

func main() {
	results := make(chan int)
	for i := 0; i < 4; i++ { go func(n int) { var s shape = square{n}; results <- s.area() }(i) }
	sum := int(C.dep_value())
	for i := 0; i < 4; i++ { sum += <-results }
	_, err := user.Lookup("root")
	func() { defer func() { fmt.Println("recovered", recover() != nil) }(); var m map[string]int; m["x"] = 1 }()
	fmt.Println(sum, err == nil, strings.Repeat("x", 3))
}
"""
GO_LIBRARY = """package main

// #cgo LDFLAGS: -L${SRCDIR} -ldep
// int dep_value(void);
import "C"
import "strings"

//export run
func run() C.int { return C.dep_value() + C.int(len(strings.Repeat("x", 12))) }
func main() {}
"""
RUST = """
use std::cell::Cell;
extern "C" { fn dep_value() -> i32; }
thread_local! { static COUNT: Cell<i32> = Cell::new(5); }
#[no_mangle]
pub extern "C" fn run() -> i32 {
    let caught = std::panic::catch_unwind(|| { let v: Vec<i32> = Vec::new(); v[std::env::args().count() + 7] }).is_err();
    let other = std::thread::spawn(|| COUNT.with(|c| { c.set(c.get() + 1); c.get() })).join().unwrap();
    unsafe { dep_value() + other + caught as i32 }
}
"""
RUST_MAIN = RUST + "fn main() { std::panic::set_hook(Box::new(|_| {})); println!(\"{}\", run()); }\n"
RUST_LIBRARY = RUST.replace("let caught", "std::panic::set_hook(Box::new(|_| {}));\n    let caught")


class Failure(Exception):
    pass


def go_builds(folder):
    if not shutil.which("go"):
        return
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "off", "GOCACHE": str(folder / "go-cache"), "CGO_ENABLED": "1",
                   "CGO_LDFLAGS_ALLOW": ".*", "GOTOOLCHAIN": "local"}
    for name, text in [("program", GO_PROGRAM), ("library", GO_LIBRARY)]:
        source = folder / f"go-{name}"
        source.mkdir()
        (source / "main.go").write_text(text)
        shutil.copy(folder / "libdep.so.1", source / "libdep.so")
    for name, source, options in [
            ("go-external", "program", ["-ldflags=-linkmode=external"]),
            ("go-internal", "program", ["-ldflags=-linkmode=internal"]),
            ("go-pie", "program", ["-buildmode=pie"]),
            ("go-stripped", "program", ["-ldflags=-s -w -linkmode=internal"]),
            ("go-library.so", "library", ["-buildmode=c-shared"])]:
        yield name, ["go", "build", *options, "-o", folder / name, "main.go"], folder / f"go-{source}", environment


def rust_builds(folder):
    if not shutil.which("rustc"):
        return
    (folder / "program.rs").write_text(RUST_MAIN)
    (folder / "library.rs").write_text(RUST_LIBRARY)
    shutil.copy(folder / "libdep.so.1", folder / "libdep.so")
    common = ["rustc", "-L", folder, "-l", "dylib=dep"]
    for name, words in [("rust-program", ["-O", "program.rs"]), ("rust-debug", ["-g", "program.rs"]),
                        ("rust-static-relocations", ["-O", "-C", "relocation-model=static", "program.rs"]),
                        ("rust-library.so", ["-O", "--crate-type", "cdylib", "library.rs"]),
                        ("rust-dynamic-std", ["-O", "-C", "prefer-dynamic", "program.rs"])]:
        yield name, [*common, *words, "-o", folder / name], folder, None


def run(path, folder, rust_libraries):
    path.chmod(0o755)
    words = [folder / "loader", path] if path.name.endswith(".so") else [path]
    done = call(words, env={"LD_BIND_NOW": "1", "LD_WARN": "1", "HOME": "/",
                            "LD_LIBRARY_PATH": f"{folder}:{rust_libraries}"})
    return done.returncode, done.stdout, done.stderr


def strips_of(path, folder):
    """The file after each strip tool that takes it."""
    for number, words in enumerate([["strip"], ["strip", "-g"], ["eu-strip"], ["llvm-strip"], ["objcopy"]]):
        target = folder / f"stripped{number}-{path.name}"
        if words[0] == "objcopy":
            done = call([*words, path, target])
        else:
            shutil.copy(path, target)
            done = call([*words, target])
        yield " ".join(words), target if done.returncode == 0 else None


def one_case(driver, path, folder, rust_libraries):
    expected = run(path, folder, rust_libraries)
    if expected[0] != 0:
        return f"unusable, does not run before the edit: {expected}"
    clean = lint(path)
    sound = {name for name, target in strips_of(path, folder)
             if target and run(target, folder, rust_libraries) == expected}
    needed, current, growth, moved = "libdep.so.1", path, 0, False
    for number, length in enumerate([700, 40, 2500]):
        new_needed = f"libdep-{number}{'n' * (length // 20)}.so.1"
        shutil.copy(folder / "libdep.so.1", folder / new_needed)
        words = ["--set-rpath", "$ORIGIN/" + "p" * length, "--replace-needed", needed, new_needed]
        if path.name.endswith(".so"):
            words += ["--set-soname", "libnew" + "s" * (length // 10) + ".so"]
        needed = new_needed
        edited = folder / f"edited{number}-{path.name}"
        done = call([driver, current, edited, *words])
        if done.returncode == 3:
            return f"refused: {done.stderr.strip()}"
        if done.returncode != 0:
            raise Failure(f"{path.name}: exit {done.returncode}: {done.stderr}")
        growth += int(done.stdout.split()[1])
        moved = moved or "do not strip" in done.stdout
        if run(edited, folder, rust_libraries) != expected:
            raise Failure(f"{path.name}: {run(edited, folder, rust_libraries)} after the edit, {expected} before\n{done.stdout}")
        if new := lint(edited) - clean:
            raise Failure(f"{path.name}: new complaints {sorted(new)}")
        if faults := page_faults(path.read_bytes(), edited.read_bytes()):
            raise Failure(f"{path.name}: {faults}")
        if "patches 0\n" not in must([driver, edited, folder / "again", *words]):
            raise Failure(f"{path.name}: a second identical edit changes something")
        for name, target in strips_of(edited, folder):
            if name in sound and not moved and (not target or run(target, folder, rust_libraries) != expected):
                raise Failure(f"{path.name}: broken by {name} after the edit, not before\n{done.stdout}")
        current = edited
    return f"ok, grew by {growth} bytes{', headers moved' if moved else ''}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", required=True, type=Path)
    arguments = parser.parse_args()
    driver, judged, failed = arguments.driver.resolve(), 0, False
    with tempfile.TemporaryDirectory(prefix="elf-languages-") as base:
        folder = Path(base)
        (folder / "dep.c").write_text("int dep_value(void) { return 19; }\n")
        must(["gcc", "-shared", "-fPIC", "-Wl,-soname,libdep.so.1", "-o", "libdep.so.1", "dep.c"], cwd=folder)
        (folder / "loader.c").write_text(
            '#include <dlfcn.h>\n#include <stdio.h>\nint main(int c, char **v) { (void)c; void *l = dlopen(v[1], RTLD_NOW);\n'
            'if (!l) { puts(dlerror()); return 1; } int (*run)(void) = (int (*)(void))dlsym(l, "run");\n'
            'printf("%d\\n", run()); return 0; }\n')
        must(["gcc", "-o", "loader", "loader.c"], cwd=folder)
        rust_libraries = call(["rustc", "--print", "target-libdir"]).stdout.strip() if shutil.which("rustc") else ""
        for name, words, where, environment in [*go_builds(folder), *rust_builds(folder)]:
            built = call(words, cwd=where, env=environment)
            if built.returncode != 0:
                print(f"{name}: cannot be built here: {built.stderr[-300:]}", flush=True)
                continue
            try:
                result = one_case(driver, folder / name, folder, rust_libraries)
                judged += result.startswith("ok")
                print(f"{name}: {result}", flush=True)
            except Failure as failure:
                print(f"FAILED {failure}", flush=True)
                failed = True
    if failed:
        return 1
    if not judged:
        print("SKIPPED: neither go nor rustc is here")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
