# SPDX-License-Identifier: Apache-2.0
"""Why the tools differ: the classes of docs/auditwheel-differences.md by what shows them in the answers."""

import re

from compare import Difference

OTHER_POLICIES = "policies that auditwheel does not look at"
BUNDLED_BEFORE = "auditwheel does not find what a wheel has bundled already"
ARMV6 = "auditwheel takes ARMv6 for ARMv7"
HASHED_TWICE = "a library that was bundled before keeps its name"


def once(name: str) -> str:
    """libx-0123abcd-4567cdef.so.1 -> libx-0123abcd.so.1"""
    return re.sub(r"(-[0-9a-f]{8})-[0-9a-f]{8}(?=\.|$)", r"\1", name)


def kind(entry: Difference, theirs: dict, ours: dict) -> str | None:
    if entry.what == "what better policies lack":
        left, right = theirs["show"]["policy_upgrades"], ours["show"]["policy_upgrades"]
        more = {name for name in right if right[name] != left.get(name)}
        if set(left) <= set(right) and all(name.startswith(("musllinux_", "android_")) and name not in left for name in more):
            return OTHER_POLICIES
    if entry.what == "repair" and "name" in ours["repair"] and "could not be located" in theirs["repair"].get("error", ""):
        missing = theirs["repair"]["error"].split('"')[1]
        if any(graft.endswith("/" + missing) for graft in ours["repair"]["grafts"]):
            return BUNDLED_BEFORE
    if entry.what == "grafts" and sorted(map(once, theirs["repair"]["grafts"])) == sorted(ours["repair"]["grafts"]):
        return HASHED_TWICE
    if entry.what == "needed" and {once(file): list(map(once, names)) for file, names in theirs["repair"]["needed"].items()} \
            == ours["repair"]["needed"]:
        return HASHED_TWICE
    if "linux_armv6l" in entry.wheel and "armv7l" in entry.auditwheel:
        return ARMV6
    return None
