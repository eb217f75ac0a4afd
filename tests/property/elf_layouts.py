# SPDX-License-Identifier: Apache-2.0
"""Random ELF files for elf_property.py: sources, compiled objects, and what a linker makes of them."""
import dataclasses
import random
import re
import shutil
import subprocess
from pathlib import Path

from elf_headers import blank_program_header, drop_section_headers, unname_sections
from elf_machines import NATIVE

LIBRARY_C = r"""
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
extern int dep_value(void), dep_other(void), extra_value(void);
int data_word = 5;
int zeros[5000];
const char *strings[] = {"alpha", "beta", 0};
#ifdef WITH_STATIC_TLS
__attribute__((tls_model("initial-exec")))
#endif
__thread int tls_word = 7;
static __thread char tls_zeros[64];
static int constructed, initialised;
__attribute__((constructor)) static void set_up(void) { constructed = 11; }
__attribute__((destructor)) static void tear_down(void) { if (write(1, "torn down\n", 10) < 0) _exit(9); }
void first(void) { initialised = 31; }
void last(void) { if (write(1, "last\n", 5) < 0) _exit(9); }
#ifdef WITH_IFUNC
static int fast(void) { return 13; }
static void *pick(void) { return fast; }
int chosen(void) __attribute__((ifunc("pick")));
#else
int chosen(void) { return 13; }
#endif
#ifdef WITH_ENTRY
const char interpreter[] __attribute__((section(".interp"))) = WITH_ENTRY;
void entry(void) { if (write(1, "entered\n", 8) < 0) _exit(9); _exit(0); }
#endif
int lib(void) { return 17; }
static int add_one(int x) { return x + 1; }
static int (*const functions[])(int) = {add_one, add_one};
#ifdef WITH_PAYLOAD
/* Device code: the wrapper holds its address, and the linker script puts it in front of the tables. */
__attribute__((section(".nv_fatbin"), used)) const char device_code[2512] = "payload";
const char *volatile wrapper = device_code;
#define DEVICE_CODE (wrapper[0] + wrapper[6] + wrapper[2511])
#else
#define DEVICE_CODE 0
#endif
int run(void) {
  zeros[4999] += 1;
  tls_word += 1;
  tls_zeros[63] += 1;
  char *heap = malloc(100000);
  if (!heap) return -1;
  memset(heap, 1, 100000);
  int sum = data_word + zeros[4999] + tls_word + tls_zeros[63] + constructed + initialised + chosen() + lib() +
            heap[99999] + (int)strlen(strings[1]) + dep_value() + dep_other() + extra_value() + functions[1](1) + DEVICE_CODE;
  free(heap);
  for (int i = 0; i < 4999; ++i) sum += zeros[i];
  return sum;
}
"""
LIBRARY_CXX = r"""
#include <stdexcept>
#include <string>
#include <vector>
extern "C" int dep_value(void);
extern "C" int dep_other(void);
extern "C" int extra_value(void);
namespace {
struct Counter { int n = 3; Counter() { n += 4; } ~Counter() {} };
Counter counter;
thread_local std::vector<int> numbers{1, 2, 3};
int initialised;
__attribute__((noinline)) int thrower(int x) { if (x > 1) throw std::runtime_error("thrown " + std::to_string(x)); return x; }
}
extern "C" void first() { initialised = 31; }
extern "C" void last() {}
extern "C" int chosen() { return 13; }
int zeros[3000];
extern "C" int run(void) {
  int sum = counter.n + static_cast<int>(numbers.size()) + zeros[17] + dep_value() + dep_other() + extra_value() + initialised;
  numbers.push_back(1);
  try { sum += thrower(5); } catch (const std::exception &e) { sum += static_cast<int>(std::string(e.what()).size()); }
  return sum;
}
"""
PROGRAM_C = r"""
#include <stdio.h>
extern int run(void);
int main(void) { for (int i = 0; i < 3; ++i) printf("%d\n", run()); fflush(stdout); return 0; }
"""
# Without a second argument: load and call. With one: threads that run before the library is loaded call it in turn,
# each with thread-local storage of its own, and another copy of the handle is opened and closed meanwhile.
LOADER_C = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int (*run)(void);
static int turn, running;
static const char *path;
enum { kThreads = 24 };
static void *work(void *number) {
  pthread_mutex_lock(&mutex);
  ++running;
  pthread_cond_broadcast(&changed);
  while (!run || turn != (int)(long)number) pthread_cond_wait(&changed, &mutex);
  void *again = dlopen(path, RTLD_NOW);
  printf("%d\n", run());
  if (again) dlclose(again);
  ++turn;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return 0;
}
int main(int count, char **words) {
  pthread_t threads[kThreads];
  path = words[1];
  for (long i = 0; count > 2 && i < kThreads; ++i) if (pthread_create(&threads[i], 0, work, (void *)i)) return 3;
  pthread_mutex_lock(&mutex);
  while (count > 2 && running != kThreads) pthread_cond_wait(&changed, &mutex);
  void *library = dlopen(path, RTLD_NOW);
  if (!library) { fprintf(stderr, "%s\n", dlerror()); return 1; }
  run = (int (*)(void))dlsym(library, "run");
  if (!run) { fprintf(stderr, "no run\n"); return 1; }
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; count > 2 && i < kThreads; ++i) pthread_join(threads[i], 0);
  for (int i = 0; i < 3; ++i) printf("%d\n", run());
  fflush(stdout);
  return 0;
}
"""
DEPENDENCY_C = "int dep_value(void) { return 19; }\nint dep_other(void) { return 23; }\n"
EXTRA_C = "int extra_value(void) { return 29; }\n"
PAYLOAD = b"\x5apayload\xa5" * 4096


def call(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace", **options)


def must(words, **options):
    done = call(words, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Workshop:
    """Folder with the loader, the libraries that cases need and compiled objects."""

    def __init__(self, folder, machine=NATIVE):
        self.folder, self.machine = folder, machine
        self.gcc, self.gxx = machine.tool("gcc"), machine.tool("g++")
        texts = {"dep.map": "DEP_1 { global: dep_value; };\nDEP_2 { global: dep_other; } DEP_1;\n",
                 "extra.map": "EXTRA_1 { global: extra_value; };\n", "dep.c": DEPENDENCY_C, "extra.c": EXTRA_C,
                 "added.c": "int added_value(void) { return 1; }\n", "loader.c": LOADER_C, "program.c": PROGRAM_C,
                 "library.c": LIBRARY_C, "library.cpp": LIBRARY_CXX,
                 "case.map": "libcase.so { global: run; lib; interpreter; };\nCASE_2 { global: chosen; } libcase.so;\n",
                 # In a program only .interp stands before that note, and is smaller than a program header. (In front of
                 # .interp GNU ld 2.40 crashes.)
                 "payload.ld": "SECTIONS { .nv_fatbin : { KEEP(*(.nv_fatbin)) } } INSERT BEFORE .note.gnu.build-id;\n",
                 "more": "more"}
        for name, text in texts.items():
            (folder / name).write_text(text)
        for name in ("dep", "extra"):
            must([self.gcc, "-shared", "-fPIC", f"-Wl,-soname,lib{name}.so.1", f"-Wl,--version-script={name}.map",
                  "-o", f"lib{name}.so.1", f"{name}.c"], cwd=folder)
        must([self.gcc, "-shared", "-fPIC", "-Wl,-soname,libadded.so.1", "-o", "libadded.so.1", "added.c"], cwd=folder)
        must([self.gcc, "-o", "loader", "loader.c", "-ldl", "-lpthread"], cwd=folder)
        # Under --no-default-lib the loader looks in LD_LIBRARY_PATH only.
        self.system = {Path(must([self.gcc, f"-print-file-name={name}"]).strip()).resolve().parent
                       for name in ("libc.so.6", "libstdc++.so.6", "libgcc_s.so.1")}
        self.interpreter = re.search(r"interpreter: (.*)\]", must(["readelf", "-lW", folder / "loader"]))[1]
        self.interpreter_file = machine.root() + self.interpreter
        self.interpreters = [folder / ("ld" + "i" * length) for length in (1, 20, 200)]
        for path in self.interpreters:
            shutil.copy(self.interpreter_file, path)
        self.linkers = [name for name in ("bfd", "gold", "lld", "mold") if machine.has_linker(name)]
        # A cross compiler looks for linkers of its own prefix only.
        (folder / "tools").mkdir()
        for name in ("lld", "mold"):
            if linker := shutil.which(f"ld.{name}") or shutil.which(name):
                (folder / "tools" / f"ld.{name}").symlink_to(linker)

    def object_of(self, source, flags):
        return self.folder / ("object-" + re.sub(r"[^A-Za-z0-9]+", "_", source + "".join(flags)) + ".o")

    def compile(self, source, flags):
        extra = [f'-DWITH_ENTRY="{self.interpreter}"' if flag == "-DWITH_ENTRY" else flag for flag in flags]
        must([self.gxx if source.endswith("pp") else self.gcc, "-O1", "-g", "-c", *extra, "-o", self.object_of(source, flags),
              source], cwd=self.folder)


@dataclasses.dataclass
class Specification:
    """How to link one file: drawn from dice alone, so that the same seed gives the same file."""
    kind: str
    objects: list
    command: list  # without -o and inputs
    trailing: bool = False
    drops_sections: bool = False
    second_names: bool = False   # two sections .shstrtab
    unnamed: int = 0             # seed of the sections that lose their names
    spare_header: int = 0        # seed of the program header that becomes PT_NULL
    foreign_edits: list = dataclasses.field(default_factory=list)

    @property
    def is_program(self):
        return self.kind in ("pie", "nopie", "static-pie")


def draw(dice, workshop):
    """A random specification."""
    machine, linkers = workshop.machine, workshop.linkers
    kind = dice.choice(["library"] * 9 + ["pie"] * 4 + ["nopie"] * 3 + ["runnable", "static-pie"])
    linker = dice.choice(linkers)
    cxx = kind != "runnable" and dice.random() < 0.25
    flags = ["-fno-pie"] if kind == "nopie" else ["-fPIC"]
    if not cxx and dice.random() < 0.4 and machine.ifunc:
        flags.append("-DWITH_IFUNC")
    if not cxx and dice.random() < 0.3:
        flags.append("-DWITH_STATIC_TLS")
    if dice.random() < 0.3:
        flags += machine.flags
    with_payload = not cxx and linker == "bfd" and dice.random() < 0.2
    if with_payload:
        flags.append("-DWITH_PAYLOAD")
    if kind == "runnable":
        flags.append("-DWITH_ENTRY")
    objects = [("library.cpp" if cxx else "library.c", tuple(flags))]
    if kind not in ("library", "runnable"):
        objects.append(("program.c", tuple(flags[:1])))
    words = [workshop.gxx if cxx else workshop.gcc, f"-fuse-ld={linker}", "-Btools"]
    if with_payload:
        words.append("-Wl,-T,payload.ld")
    words += {"library": ["-shared"], "runnable": ["-shared", "-Wl,-e,entry"], "pie": ["-pie"], "nopie": ["-no-pie"],
              "static-pie": ["-static-pie"]}[kind]

    def sometimes(probability, *choices, when=True):
        roll, choice = dice.random(), dice.choice(choices)
        if when and roll < probability:
            words.extend([choice] if isinstance(choice, str) else choice)

    is_library = kind in ("library", "runnable")
    sometimes(0.5, *(f"-Wl,-z,max-page-size={size}" for size in (4096, 16384, 65536, 2097152)))
    sometimes(0.1, "-Wl,-z,common-page-size=65536", when=linker in ("bfd", "gold"))
    hash_style = dice.choice(["gnu", "sysv", "both"])
    words.append(f"-Wl,--hash-style={hash_style if machine.takes_gnu_hash else 'sysv'}")
    words.append(dice.choice(["-Wl,-z,now", "-Wl,-z,lazy"]))
    sometimes(0.3, "-Wl,-z,norelro")
    sometimes(0.4, "-Wl,-z,noseparate-code", "-Wl,-z,separate-code", when=linker != "gold")
    sometimes(0.4, "-Wl,--pack-dyn-relocs=relr", "-Wl,--no-rosegment", "-Wl,-z,separate-loadable-segments",
              when=linker == "lld")
    sometimes(0.2, "-Wl,-z,nognustack", when=linker == "lld")
    sometimes(0.25, "-Wl,-z,pack-relative-relocs", when=linker == "bfd" and machine.packs_relocations)
    sometimes(0.4, "-Wl,--pack-dyn-relocs=relr", "-Wl,--spare-program-headers=2", "-Wl,--spare-dynamic-tags=0",
              when=linker == "mold")
    sometimes(0.2, "-Wl,--rosegment", when=linker == "gold")
    sometimes(0.2, "-Wl,-z,nodynamic-undefined-weak", "-Wl,--emit-relocs", when=linker == "bfd")
    # Without a spare tag GNU ld leaves no DT_NULL, which readers refuse.
    sometimes(0.15, "-Wl,--spare-dynamic-tags=1", when=linker == "bfd")
    sometimes(0.15, "-Wl,--spare-dynamic-tags=0", when=linker == "gold")
    sometimes(0.2, "-Wl,-Ttext-segment=0x800000", "-Wl,-Ttext-segment=0x10000", when=kind == "nopie" and linker == "bfd")
    build_id = dice.choice(["-Wl,--build-id", "-Wl,--build-id=none"])
    words.append("-Wl,--build-id" if with_payload else build_id)
    sometimes(0.8, *(f"-Wl,-soname,{name}" for name in ("libcase.so", "libcase.so.1", "a")), when=is_library)
    if dice.random() < 0.5:
        words += ["-Wl," + dice.choice(["--enable-new-dtags", "--disable-new-dtags"]),
                  "-Wl,-rpath," + dice.choice(["/opt/zzz/lib", "$ORIGIN", "/a/run"])]
    sometimes(0.3, ["-Wl,-init,first", "-Wl,-fini,last"], "-Wl,-init,first")
    sometimes(0.3, "-Wl,-z,nodelete", "-Wl,-z,initfirst", "-Wl,-z,origin", "-Wl,-z,interpose", when=is_library)
    sometimes(0.15, "-Wl,-z,execstack")
    sometimes(0.15, "-Wl,-Bsymbolic", when=is_library)
    sometimes(0.2, "-Wl,-s")
    sometimes(0.3, "-Wl,--version-script=case.map", when=is_library)
    specification = Specification(kind, objects, words)
    specification.trailing = dice.random() < 0.1
    # Files that another editor has been at; what it breaks is no usable case.
    if dice.random() < 0.15 and shutil.which("patchelf"):
        specification.foreign_edits = ["/" + "k" * dice.randrange(1, 2500) for _ in range(dice.choice([1, 2, 3]))]
    specification.drops_sections = dice.random() < 0.1
    specification.second_names = dice.random() < 0.08
    specification.unnamed = dice.choice([0] * 12 + [1, 2, 3])
    specification.spare_header = dice.choice([0] * 8 + [1, 2, 3])
    return specification


def link(workshop, specification, output, libraries):
    """Links the file; raises RuntimeError when the linker cannot."""
    objects = [workshop.object_of(source, flags) for source, flags in specification.objects]
    if specification.kind == "static-pie":
        # A static program has no needed libraries.
        libraries = [workshop.folder / "dep.c", workshop.folder / "extra.c"]
    # A name without the temporary folder: gold writes it into .gnu.version_d.
    must([*specification.command, "-o", output.relative_to(workshop.folder), *objects, *libraries], cwd=workshop.folder)
    for path in specification.foreign_edits:
        call(["patchelf", "--set-rpath", path, output])
    if specification.second_names:
        must([workshop.machine.tool("objcopy"), "--add-section", ".shstrtab=more", output.relative_to(workshop.folder)],
             cwd=workshop.folder)
    if specification.unnamed:
        unname_sections(output, random.Random(specification.unnamed))
    if specification.spare_header:
        blank_program_header(output, random.Random(specification.spare_header), specification.kind == "library")
    if specification.drops_sections:
        drop_section_headers(output)
    if specification.trailing:
        with output.open("ab") as stream:
            stream.write(PAYLOAD)


def draw_all(seed, count, workshop):
    return [draw(random.Random(f"{seed}/layout/{number}"), workshop) for number in range(count)]
