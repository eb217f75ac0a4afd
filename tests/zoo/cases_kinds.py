# SPDX-License-Identifier: Apache-2.0
"""Kinds of wheels that are seldom built and often asked for."""

import zipfile

from case import Case, case
from judge import graft_name, judge, members

THROW = """#include <stdexcept>
struct Base { virtual ~Base() {} virtual int id() { return 1; } };
struct Derived : Base { int id() override; };
struct Wrong : std::runtime_error { using std::runtime_error::runtime_error; };
"""


@case("B15 A27")
def exceptions_and_types_cross_two_grafts_and_a_library_of_the_wheel(c: Case) -> None:
    deep = c.lib("libdeep.so.1", THROW + "int Derived::id() { return 5; } Base *make() { return new Derived; } void fail() { throw Wrong(\"x\"); }", compiler="g++")
    middle = c.lib("libmiddle.so.2", THROW + "void fail(); void pass() { try { fail(); } catch (const Wrong &) { throw; } }", libs=(deep,), compiler="g++")
    own = c.member_lib("pkg/libown.so", THROW + "void pass(); Base *make(); int both() { try { pass(); } catch (const Wrong &) { Base *b = make(); "
                       "Derived *d = dynamic_cast<Derived *>(b); return d ? 70 + d->id() : 1; } return 2; }", libs=(middle, deep), compiler="g++")
    c.ext("pkg/_e", "both()", "int both();", libs=(own,), compiler="g++", rpath=("$ORIGIN",))
    c.repair()
    judge(c, [middle, deep], {"pkg._e": 75}, strip=True)


@case("A44")
def one_instance_of_an_inline_variable(c: Case) -> None:
    """STB_GNU_UNIQUE: the loader makes one of all, whoever brings it."""
    shared = "inline int &count() { static int n = 0; return n; }\n"
    a = c.lib("liba.so.1", shared + "int add() { return ++count(); }", compiler="g++")
    c.ext("pkg/_e", "add()*10 + ++count()", shared + "int add();", libs=(a,), compiler="g++")
    c.repair()
    judge(c, [a], {"pkg._e": 12})


@case("A36")
def a_program_copies_a_variable_of_a_graft(c: Case) -> None:
    """A copy relocation: the program at a fixed address holds the library's variable itself."""
    a = c.lib("liba.so.1", "int n = 5; int get(){return n;} void put(int v){n = v;}")
    c.file("pkg/__init__.py", "")
    fixed = c.program("pkg/fixed", "(n += 2, get()*10 + n)", "extern int n; int get();", libs=(a,), flags=("-no-pie", "-fno-pie"))
    pie = c.program("pkg/pie", "(put(8), n)", "extern int n; void put(int);", libs=(a,))
    c.repair()
    judge(c, [a], programs={fixed: "77\n", pie: "8\n"}, strip=True)


@case("B13")
def a_library_that_the_package_opens_by_its_path(c: Case) -> None:
    """ctypes with a path beside the module, as packages without extension modules do."""
    deep = c.lib("libdeep.so.1", "int d(){return 4;}")
    c.member_lib("pkg/lib/libown.so", "int own(){return d()+3;}", libs=(deep,))
    c.file("pkg/__init__.py", "import ctypes, os\nown = ctypes.CDLL(os.path.join(os.path.dirname(__file__), 'lib', 'libown.so')).own\n")
    c.wheel("zoo-1.0-py3-none-linux_x86_64")
    c.repair()
    judge(c, [deep])
    c.equal(c.python("import pkg; print(pkg.own())"), "7\n", "what the library says")
    c.equal(c.python("import os, ctypes, pkg; os.chdir(pkg.__path__[0]); print(ctypes.CDLL('./lib/libown.so').own())"), "7\n", "by a relative path")


@case("B13", ours=True)
def a_graft_opens_a_library_that_is_loaded_already(c: Case) -> None:
    """By the SONAME of a library of the wheel, which keeps its name."""
    c.member_lib("pkg/libplug.so.1", "int plug(){return 6;}")
    opener = c.lib("libopener.so.1", "#include <dlfcn.h>\nint open_it(){void *h = dlopen(\"libplug.so.1\", RTLD_NOW|RTLD_NOLOAD); return h ? ((int(*)())dlsym(h, \"plug\"))() : -1;}")
    plug = c.tree / "pkg/libplug.so.1"
    c.ext("pkg/_e", "open_it()", libs=(opener, plug), rpath=("$ORIGIN",))
    c.repair()
    judge(c, [opener], {"pkg._e": 6}, unedited=("pkg/libplug.so.1",))


@case("B18 A25", ours=True)
def flags_of_the_loader_stay(c: Case) -> None:
    """Each -z word on a module and on its graft."""
    for word in ("nodefaultlib", "origin", "initfirst", "interpose", "global", "nodelete", "lazy", "combreloc", "nodump"):
        a = c.lib(f"lib{word}.so.1", f"int of_{word}(){{return 3;}}", flags=(f"-Wl,-z,{word}",))
        c.ext(f"pkg/_{word}", f"of_{word}()", libs=(a,), flags=(f"-Wl,-z,{word}",))
    c.repair()
    words = ("nodefaultlib", "origin", "initfirst", "interpose", "global", "nodelete", "lazy", "combreloc", "nodump")
    # Loaded in one process: initfirst is for one library alone, the others come first and go last.
    judge(c, [c.build / f"lib{word}.so.1" for word in words], {f"pkg._{word}": 3 for word in words})


@case("C10 E9")
def a_version_with_an_epoch(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    c.wheel("zoo-1!2.0rc1-cp311-cp311-linux_x86_64")
    c.repair()
    judge(c, [a], {"pkg._e": 6})


@case("D1 E9")
def libraries_with_names_of_other_alphabets_and_blanks(c: Case) -> None:
    names = ("libü.so.1", "lib名前.so", "lib two words.so.3", "lib'q.so")
    libs = tuple(c.lib(name, f"int f{i}(){{return {i + 1};}}") for i, name in enumerate(names))
    c.ext("pkg/_e", "f0()+10*f1()+100*f2()+1000*f3()", libs=libs)
    c.repair()
    judge(c, list(libs), {"pkg._e": 4321})


@case("D5", ours=True)
def members_with_64_bit_sizes(c: Case) -> None:
    """zip64 fields that nobody needs: some builders always write them."""
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    path = c.wheel()
    copy = path.with_suffix(".new")
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            info = zipfile.ZipInfo(entry.filename, entry.date_time)
            info.external_attr, info.create_system, info.compress_type = entry.external_attr, 3, zipfile.ZIP_DEFLATED
            with target.open(info, "w", force_zip64=True) as member:
                member.write(source.read(entry))
    copy.rename(path)
    c.repair()
    judge(c, [a], {"pkg._e": 6})


@case("C10", ours=True)
def a_variant_label_is_kept(c: Case) -> None:
    """PEP 825: a sixth part without a leading digit. Installers do not take such names yet."""
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    plain = c.wheel()
    labelled = plain.with_name("zoo-1.0-cp311-cp311-linux_x86_64-x86_64_v3.whl")
    plain.rename(labelled)
    c.input = labelled
    c.repair()
    name = c.output().name
    c.check(name.startswith("zoo-1.0-cp311-cp311-manylinux") and name.endswith("-x86_64_v3.whl"), f"the label is lost: {name}")
    c.check(f"zoo.libs/{graft_name(a)}" in members(c.output()), "nothing is bundled")


@case("C10 B3")
def modules_for_several_interpreters_in_one_wheel(c: Case) -> None:
    a = c.lib("liba.so.1", "int a(){return 6;}")
    for suffix in (".cpython-310-x86_64-linux-gnu.so", ".cpython-311-x86_64-linux-gnu.so", ".cpython-313t-x86_64-linux-gnu.so", ".abi3.so"):
        c.ext("pkg/_e" if suffix != ".abi3.so" else "pkg/_f", "a()", libs=(a,), suffix=suffix)
    c.wheel("zoo-1.0-cp310.cp311.cp313-none-linux_x86_64")
    c.repair()
    judge(c, [a], {"pkg._e": 6, "pkg._f": 6})


@case("B5", ours=True)
def an_entry_with_origin_in_its_middle_is_no_way_to_anywhere(c: Case) -> None:
    """/$ORIGIN/x is what some build systems make of two paths that they join."""
    a = c.lib("liba.so.1", "int a(){return 6;}")
    s = c.member_lib("pkg/lib/libs.so", "int s(){return 1;}")
    e = c.ext("pkg/_e", "a()+s()", libs=(a, s), rpath=("$ORIGIN/lib", "/usr/lib/$ORIGIN/lib", "$ORIGIN/lib"))
    c.repair()
    judge(c, [a], {"pkg._e": 7}, rpaths={e: ["$ORIGIN/lib", "$ORIGIN/../zoo.libs"]})


@case("E8", ours=True)
def broken_python_packages_do_not_matter(c: Case) -> None:
    """auditwheel does not start where a package that it imports is broken (manylinux#229, pillow-wheels#102)."""
    a = c.lib("liba.so.1", "int a(){return 6;}")
    c.ext("pkg/_e", "a()", libs=(a,))
    broken = c.root / "broken"
    for name in ("wheel", "packaging", "elftools", "zipfile", "json"):
        (broken / name).mkdir(parents=True)
        (broken / name / "__init__.py").write_text("raise SystemExit('broken')\n")
    c.repair(env={**c.search_environment(), "PYTHONPATH": str(broken), "PYTHONHOME": str(broken)})
    c.environment = {}
    judge(c, [a], {"pkg._e": 6}, again=False)
