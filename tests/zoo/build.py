# SPDX-License-Identifier: Apache-2.0
"""Makes wheels and their build's libraries from tiny C sources."""

import base64
import csv
import functools
import hashlib
import io
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

# What an extension module needs of Python, so that no Python headers are asked for. The layout of these two structs
# has been the same since Python 3.5.
MODULE_HEADER = """
typedef struct _object PyObject;
typedef struct { const char *name; PyObject *(*call)(PyObject *, PyObject *); int flags; const char *doc; } PyMethodDef;
typedef struct {
  long refcount; void *type; void *init; long index; void *copy;
  const char *name, *doc; long size; PyMethodDef *methods; void *slots, *traverse, *clear, *free;
} PyModuleDef;
#ifdef __cplusplus
extern "C" {
#endif
PyObject *PyModule_Create2(PyModuleDef *, int);
PyObject *PyLong_FromLong(long);
#ifdef __cplusplus
}
#define PUBLIC extern "C" __attribute__((visibility("default")))
#else
#define PUBLIC __attribute__((visibility("default")))
#endif
"""


def module_source(name: str, functions: dict[str, str], prelude: str) -> str:
    """A module with one function without arguments for each `name: C expression`."""
    text = MODULE_HEADER + prelude + "\n"
    table = ""
    for function, expression in functions.items():
        text += f"static PyObject *py_{function}(PyObject *self, PyObject *none) {{ return PyLong_FromLong({expression}); }}\n"
        table += f'{{"{function}", py_{function}, 4, 0}}, '
    return text + f"""
static PyMethodDef methods[] = {{ {table}{{0, 0, 0, 0}} }};
static PyModuleDef module = {{ 1, 0, 0, 0, 0, "{name}", 0, -1, methods, 0, 0, 0, 0 }};
PUBLIC PyObject *PyInit_{name}(void) {{ return PyModule_Create2(&module, 1013); }}
"""


def program_source(expression: str, prelude: str) -> str:
    return f"#include <stdio.h>\n{prelude}\nint main(int argc, char **argv) {{ printf(\"%d\\n\", (int)({expression})); return 0; }}\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@functools.cache
def has_program(name: str) -> bool:
    return shutil.which(name) is not None


class Compiler:
    """Runs compilers, and remembers what they made."""

    def __init__(self, cache: Path) -> None:
        self.cache = cache
        cache.mkdir(parents=True, exist_ok=True)

    def link(self, output: Path, source: str, flags: list[str], libraries: list[Path], compiler: str = "gcc") -> None:
        """One source text becomes one linked file. `libraries`: files whose content counts for the cache."""
        language = "c++" if "++" in compiler else "c"
        dialect = [] if language == "c++" else ["-std=gnu89"]
        command = [compiler, "-O0", "-w", *dialect, "-x", language, "-", "-x", "none", "-o", str(output), *flags]
        key = digest("\0".join([source, *command, *(digest(path.read_bytes()) for path in libraries)]).encode())
        kept = self.cache / key
        output.parent.mkdir(parents=True, exist_ok=True)
        if not kept.exists():
            done = subprocess.run(command, input=source, text=True, capture_output=True)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}\n{done.stderr}\n{source}")
            scratch = kept.with_name(f"{key}.{os.getpid()}")
            shutil.copy2(output, scratch)
            scratch.rename(kept)
        else:
            output.unlink(missing_ok=True)
            shutil.copy2(kept, output)


def record_row(name: str, data: bytes) -> list[str]:
    value = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
    return [name, f"sha256={value}", str(len(data))]


def record_text(rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


class Entry:
    """One member to be written: its bytes and its mode, None for the mode being absent (external attributes 0)."""

    def __init__(self, name: str, data: bytes, mode: int | None = 0o100644, stored: bool = False) -> None:
        self.name, self.data, self.mode, self.stored = name, data, mode, stored


def write_zip(path: Path, entries: list[Entry]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name, (2024, 5, 6, 7, 8, 10))
            info.compress_type = zipfile.ZIP_STORED if entry.stored else zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (entry.mode or 0) << 16
            if entry.name.endswith("/"):
                info.compress_type = zipfile.ZIP_STORED
                info.external_attr |= 0x10
            archive.writestr(info, entry.data)
