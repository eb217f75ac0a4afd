#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`truewheel check --installed` beside the dynamic linker of this machine, and on the root of an image.

    installed_test.py TRUEWHEEL
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LOADER = Path("/lib64/ld-linux-x86-64.so.2")


def cc(target, *flags, source="int f(void) { return 1; }"):
    target.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,--no-as-needed", "-o", str(target), "-xc", "-", "-xnone",
                           *map(str, flags)], input=source, text=True)
    assert done.returncode == 0
    return target


def install(site, name, files):
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{file.relative_to(site)},,\n" for file in files))


def check(truewheel, *options, env=None):
    done = subprocess.run([truewheel, "check", "--json", *map(str, options)], capture_output=True, text=True,
                          env=dict(os.environ, **(env or {})))
    assert done.returncode in (0, 1), done.stderr
    (subject,) = json.loads(done.stdout)["subjects"]
    links = {(file["path"], link["name"]): link for file in subject["files"] for link in file["needed"]}
    return links, subject["findings"]


def by_loader(path, env):
    """Name -> path or None, by ld.so --list."""
    text = subprocess.run([LOADER, "--list", path], capture_output=True, text=True, env=env).stdout
    return {name: None if to == "not found" else to for name, to in re.findall(r"^\s*(\S+) => (not found|\S+)", text, re.MULTILINE)}


def environment_agrees_with_the_loader(truewheel, scratch):
    root = scratch / "env"
    site = root / "lib/python3.11/site-packages"
    site.mkdir(parents=True)
    (root / "pyvenv.cfg").write_text("home = /usr/bin\n")
    aside = cc(scratch / "aside/libaside.so.1", "-Wl,-soname,libaside.so.1")
    own = cc(site / "demo.libs/libown.so.1", "-Wl,-soname,libown.so.1")
    other = cc(site / "other/libother.so.1", "-Wl,-soname,libother.so.1")
    chain = cc(site / "demo.libs/libchain.so.1", "-Wl,-soname,libchain.so.1", own)
    gone = cc(scratch / "gone/libgone.so.1", "-Wl,-soname,libgone.so.1")
    zlib = next(Path("/lib/x86_64-linux-gnu").glob("libz.so.1"))
    module = cc(site / "demo/_x.so", chain, zlib, aside, other, gone, "-Wl,--disable-new-dtags",
                "-Wl,-rpath,$ORIGIN/../demo.libs", source="int PyInit__x(void) { return 1; }")
    gone.unlink()
    install(site, "demo", [own, chain, module])
    install(site, "other", [other])
    variable = {"LD_LIBRARY_PATH": str(aside.parent)}
    links, found = check(truewheel, "--installed", "demo", "--root", root, env=variable)

    real = by_loader(module, {})
    needed = lambda name: links["demo/_x.so", name]
    for name, path in real.items():
        if ("demo/_x.so", name) not in links:
            continue
        link = needed(name)
        if path is None:
            assert link["reach"] in ("nowhere", "luck"), (name, link)
        elif str(site) in path:
            assert link["resolved"] and path.endswith(link["resolved"]) or os.path.samefile(path, site / link["resolved"]), (name, link)
        else:
            assert os.path.samefile(link["provided_by"].split(" (")[0], path), (name, link)
    assert needed("libchain.so.1")["entry"] == "$ORIGIN/../demo.libs", needed("libchain.so.1")
    assert links["demo.libs/libchain.so.1", "libown.so.1"]["reach"] == "inherited", links
    assert "LD_LIBRARY_PATH" in needed("libaside.so.1")["provided_by"]
    assert "other/libother.so.1" in needed("libother.so.1")["provided_by"]
    told = {(finding["rule"], finding["value"]) for finding in found}
    assert {("R005", "libgone.so.1"), ("R006", "libaside.so.1"), ("R006", "libother.so.1")} <= told, told
    assert ("R005", "libz.so.1") not in told and ("R006", "libown.so.1") not in told, told
    # Without the variable nothing finds it.
    _, found = check(truewheel, "--installed", "demo", "--root", root)
    assert ("R005", "libaside.so.1") in {(finding["rule"], finding["value"]) for finding in found}


def image_counts_what_ldconfig_wrote(truewheel, scratch):
    root = scratch / "image"
    site = root / "usr/local/lib/python3.11/dist-packages"
    site.mkdir(parents=True)
    vendor = cc(root / "opt/vendor/lib/libvendor.so.1", "-Wl,-soname,libvendor.so.1")
    module = cc(site / "demo/_x.so", vendor, source="int PyInit__x(void) { return 1; }")
    install(site, "demo", [module])
    (root / "etc/ld.so.conf.d").mkdir(parents=True)
    (root / "etc/ld.so.conf").write_text("include /etc/ld.so.conf.d/*.conf\n")
    ldconfig = shutil.which("ldconfig") or "/sbin/ldconfig"
    subprocess.run([ldconfig, "-r", root], check=True, stderr=subprocess.DEVNULL)
    only = lambda found: {(f["rule"], f["value"]) for f in found if "libc.so" not in f["value"]}
    # Not named anywhere: not found.
    _, found = check(truewheel, "--installed", "demo", "--root", root)
    assert ("R005", "libvendor.so.1") in only(found), found
    # Named in ld.so.conf, but ldconfig has not run since: the loader does not look there.
    (root / "etc/ld.so.conf.d/vendor.conf").write_text("/opt/vendor/lib\n")
    _, found = check(truewheel, "--installed", "demo", "--root", root)
    assert any(f["rule"] == "R005" and "ldconfig" in f["message"] for f in found), found
    subprocess.run([ldconfig, "-r", root], check=True, stderr=subprocess.DEVNULL)
    links, found = check(truewheel, "--installed", "demo", "--root", root)
    assert only(found) == set(), found
    assert links["demo/_x.so", "libvendor.so.1"]["provided_by"].startswith(str(vendor)), links


def main(truewheel):
    with tempfile.TemporaryDirectory() as name:
        environment_agrees_with_the_loader(truewheel, Path(name).resolve())
        image_counts_what_ldconfig_wrote(truewheel, Path(name).resolve())
        done = subprocess.run([truewheel, "check", "--installed", "absent", "--root", name], capture_output=True, text=True)
        assert done.returncode == 2 and "absent is not installed" in done.stderr, done
    return 0


if __name__ == "__main__":
    if not LOADER.exists() or not shutil.which("gcc"):
        print("skipped: needs gcc and glibc's loader on x86_64")
        sys.exit(77)
    sys.exit(main(sys.argv[1]))
