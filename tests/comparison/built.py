# SPDX-License-Identifier: Apache-2.0
"""Wheels built from source against Debian's libraries, repaired, installed and used where those libraries are hidden."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import published
import tools
import wheel_facts


class Failure(Exception):
    """A step that must work did not."""


@dataclass(frozen=True)
class Source:
    project: str
    version: str
    packages: str  # of Debian: what it is built against
    use: str  # a program that calls into the libraries
    settings: dict[str, str] = field(default_factory=dict)
    constraint: str = ""  # of what pip builds it with
    quick: bool = False  # built in seconds

    @property
    def requirement(self) -> str:
        return f"{self.project}=={self.version}"


SOURCES = [
    Source("psycopg2", "2.9.10", "libpq-dev", quick=True,
           use="import psycopg2.extensions as e; assert e.libpq_version() >= 150000; assert e.parse_dsn('dbname=x') == {'dbname': 'x'}"),
    Source("python-snappy", "0.6.1", "libsnappy-dev", quick=True,  # C++
           use="import snappy; assert snappy.uncompress(snappy.compress(b'a' * 99)) == b'a' * 99"),
    Source("python-ldap", "3.4.4", "libldap-dev libsasl2-dev", quick=True,
           use="import ldap, ldap.dn; ldap.initialize('ldap://localhost'); assert ldap.dn.str2dn('cn=x')"),
    Source("pycurl", "7.45.3", "libcurl4-openssl-dev libssl-dev", settings={"PYCURL_SSL_LIBRARY": "openssl"},
           use="import pycurl; assert 'OpenSSL' in pycurl.version; pycurl.Curl().setopt(pycurl.URL, 'http://localhost')"),
    Source("gmpy2", "2.2.1", "libgmp-dev libmpfr-dev libmpc-dev",
           use="import gmpy2; assert gmpy2.is_prime(97) and gmpy2.mpc(0, 2) ** 2 == -4 and gmpy2.sqrt(gmpy2.mpfr(4)) == 2"),
    Source("mysqlclient", "2.2.7", "libmariadb-dev pkg-config",
           use="from MySQLdb import _mysql; assert _mysql.get_client_info() and len(_mysql.escape_string(b'\\0')) == 2"),
    Source("pyodbc", "5.2.0", "unixodbc-dev", use="import pyodbc; assert pyodbc.drivers() is not None"),
    Source("pycairo", "1.27.0", "libcairo2-dev pkg-config",  # built by meson; X11 and fonts behind it
           use="import cairo; s = cairo.ImageSurface(cairo.FORMAT_ARGB32, 8, 8); c = cairo.Context(s); c.paint(); assert bytes(s.get_data())[3] == 255"),
    Source("pillow", "11.3.0", "libjpeg-dev zlib1g-dev libfreetype-dev",
           use="import io; from PIL import Image, features; b = io.BytesIO(); Image.new('RGB', (8, 8)).save(b, 'JPEG'); "
               "assert Image.open(io.BytesIO(b.getvalue())).size == (8, 8) and features.check('freetype2')"),
    Source("pyzmq", "27.1.0", "libzmq3-dev pkg-config", settings={"PYZMQ_NO_BUNDLE": "1"},
           use="import zmq; c = zmq.Context(); a, b = c.socket(zmq.PAIR), c.socket(zmq.PAIR); a.bind('inproc://x'); "
               "b.connect('inproc://x'); a.send(b'hi'); assert b.recv() == b'hi'; c.destroy(0)"),
    Source("shapely", "2.0.6", "libgeos-dev",
           use="import shapely; assert shapely.Point(0, 0).buffer(1, quad_segs=1).area == 2"),
    Source("lxml", "5.3.0", "libxml2-dev libxslt1-dev",
           use="from lxml import etree; assert etree.XSLT(etree.XML('<t:stylesheet version=\"1.0\" "
               "xmlns:t=\"http://www.w3.org/1999/XSL/Transform\"/>'))(etree.XML('<a>b</a>')) is not None"),
    Source("h5py", "3.16.0", "libhdf5-dev pkg-config", settings={"HDF5_PKGCONFIG_NAME": "hdf5-serial"},
           use="import h5py; f = h5py.File('x', 'w', driver='core', backing_store=False); f['a'] = [1, 2]; assert f['a'][1] == 2"),
    Source("av", "11.0.0", "libavformat-dev libavcodec-dev libavdevice-dev libavutil-dev libavfilter-dev libswscale-dev "
           "libswresample-dev pkg-config", constraint="Cython<3.1",  # a hundred libraries
           use="import av; assert 'aac' in av.codecs_available; av.CodecContext.create('mpeg4', 'w')"),
]


def reason(text: str) -> str:
    """The first error in pip's account of a build."""
    errors = [line.strip() for line in text.splitlines() if re.search("[Ee]rror:|Error at", line) and "subprocess" not in line]
    return errors[0][:200] if errors else tools.complaint(text)


def build(source: Source, cache: Path) -> Path:
    """The wheel as pip builds it; Unreachable without network."""
    folder = cache / "built" / source.requirement
    if not list(folder.glob("*.whl")):
        partial = folder.with_name(folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        # Unoptimized, since compilers take most of the time and dependencies are what is looked at.
        environment = {**os.environ, "CFLAGS": "-O0 -g0", "CXXFLAGS": "-O0 -g0", **source.settings}
        partial.mkdir(parents=True)
        constraints = partial / "constraints.txt"
        constraints.write_text(source.constraint + "\n")
        environment["PIP_CONSTRAINT"] = str(constraints)
        done = subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--disable-pip-version-check",
                               "--retries", "1", "--no-binary", source.project, "-w", str(partial), source.requirement],
                              env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            if re.search("NewConnectionError|timed out|name resolution|ProxyError", done.stderr):
                raise published.Unreachable(f"cannot download {source.requirement}")
            raise Failure(f"{source.requirement} is not built (needs {source.packages}): {reason(done.stderr)}")
        constraints.unlink()
        partial.rename(folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def sources_of_grafts(shown: dict[str, object], repaired: Path) -> list[Path]:
    """The files of this machine that went into the wheel and that nothing else here needs."""
    names = [name.rpartition("/")[2] for name in wheel_facts.members(repaired)]
    grafts = [name.rpartition("/")[2] for name in wheel_facts.members(repaired) if re.match(r"[^/]+\.libs/.", name)]
    originals = {re.sub(r"-[0-9a-f]{8}(?=\.|$)", "", name) for name in grafts}
    needed = {name for needs in tools.contents(repaired)["needed"].values() for name in needs}
    system = [path for name in needed - set(names) for path in Path("/lib").glob(f"*-linux-gnu/{name}")]
    found = {Path(path).resolve() for path in shown["external_libs"].values() if path}
    return sorted(path for path in found - system_needs(system) if path.name in originals)


def system_needs(allowed: list[Path]) -> set[Path]:
    """What libraries load that stay with the system (libglib has its libpcre2), and packages by importing ctypes."""
    import _ctypes
    found = set()
    for path in [Path(_ctypes.__file__), *allowed]:
        listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True).stdout
        found |= {Path(word).resolve() for word in re.findall(r"=> (/\S+)", listed)}
    return found


# mount(8) would lose its own libraries on the way; this process has its own already.
HIDE = """
import ctypes, os, sys
count = int(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
for path in sys.argv[2:2 + count]:
    if libc.mount(b"/dev/null", path.encode(), None, 0x1000, None) != 0:  # MS_BIND
        sys.exit(f"cannot hide {path}: {os.strerror(ctypes.get_errno())}")
os.execv(sys.argv[2 + count], sys.argv[2 + count:])
"""


def run_hidden(hidden: list[Path], command: list[str]) -> subprocess.CompletedProcess[str]:
    """Runs the command where each hidden file is empty, which no loader takes."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("LD_", "PYTHON"))}
    return subprocess.run(["unshare", "--map-root-user", "--mount", sys.executable, "-c", HIDE, str(len(hidden)),
                           *map(str, hidden), *command], env=environment, cwd="/", capture_output=True, text=True)


def can_hide() -> bool:
    return subprocess.run(["unshare", "--map-root-user", "--mount", "true"], capture_output=True).returncode == 0


def install(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel and what it depends on; its Python."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin/python"
    done = subprocess.run([sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--disable-pip-version-check",
                           "--only-binary", ":all:", str(wheel)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"pip does not install {wheel.name}: {done.stderr.strip()[-600:]}")
    return python


def works(source: Source, wheel: Path, hidden: list[Path], folder: Path) -> str:
    """What goes wrong when the wheel is installed and used without the hidden libraries; "" if nothing."""
    done = run_hidden(hidden, [str(install(wheel, folder)), "-c", source.use])
    return "" if done.returncode == 0 else tools.complaint(done.stderr)


@dataclass(frozen=True)
class Outcome:
    wheel: Path
    repaired: Path
    hidden: int
    answers: dict


def check(source: Source, truewheel: tools.Tool, cache: Path, work: Path) -> Outcome:
    """Failure if truewheel's wheel does not work, or if the test could not tell."""
    wheel = build(source, cache)
    key = source.requirement
    answers = tools.answers(truewheel, cache, key, wheel, None)
    if answers["repair"]["exit"]:
        raise Failure(f"not repaired: {answers['repair']['error']}")
    repaired = tools.result_folder(truewheel, cache, key) / str(answers["repair"]["name"])
    hidden = sources_of_grafts(tools.show_all(truewheel, wheel), repaired)
    if not hidden:
        raise Failure("nothing was bundled, so nothing is tested")
    if not works(source, wheel, hidden, work / "control"):
        raise Failure(f"works unrepaired where {len(hidden)} libraries are hidden")
    if problem := works(source, repaired, hidden, work / "repaired"):
        raise Failure(f"does not work where its libraries are hidden: {problem}")
    return Outcome(wheel, repaired, len(hidden), answers)
