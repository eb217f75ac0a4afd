# SPDX-License-Identifier: Apache-2.0
"""Why the tools differ: the classes of docs/auditwheel-differences.md by what shows them in the answers."""

import re

from compare import Difference

OTHER_POLICIES = "policies that auditwheel does not look at"
BUNDLED_BEFORE = "auditwheel does not find what a wheel has bundled already"
ARMV6 = "auditwheel takes ARMv6 for ARMv7"
SIBLINGS = "a library that the wheel has is not outside"
FALSE_TAGS = "a tag of the file name that is not true goes"
FORBIDDEN = "forbidden symbols of bundled libraries count"
HASHED_TWICE = "a library that was bundled before keeps its name"


def once(name: str) -> str:
    """libx-0123abcd-4567cdef.so.1 -> libx-0123abcd.so.1"""
    return re.sub(r"(-[0-9a-f]{8})-[0-9a-f]{8}(?=\.|$)", r"\1", name)


def bundled_from(graft: str) -> str:
    """x.libs/libfoo-0123abcd.so -> libfoo.so"""
    return re.sub(r"-[0-9a-f]{8}(?=\.|$)", "", graft.rpartition("/")[2])


def without(upgrades: dict[str, dict], libraries: set[str]) -> dict[str, dict]:
    """What policies lack, some libraries apart."""
    kept = {policy: {**lack, "libs_to_eliminate": [name for name in lack.get("libs_to_eliminate", []) if name not in libraries]}
            for policy, lack in upgrades.items()}
    return {policy: lack for policy, lack in kept.items() if any(lack.values())}


def kind(entry: Difference, theirs: dict, ours: dict, members: set[str]) -> str | None:
    """members: the file names in the wheel, without their folders."""
    if entry.what in ("external libraries", "what better policies lack"):
        siblings = set(theirs["show"]["external_libs"]) - set(ours["show"]["external_libs"])
        left, right = (without(answer["show"]["policy_upgrades"], siblings) for answer in (theirs, ours))
        if siblings and siblings <= members and left == right:
            return SIBLINGS
    if entry.what == "file name":
        left, right = (set(answer["repair"]["name"].removesuffix(".whl").split("-")[-1].split(".")) for answer in (theirs, ours))
        if right < left and left - right <= set(entry.wheel.removesuffix(".whl").split("-")[-1].split(".")):
            return FALSE_TAGS
    if entry.what == "what better policies lack":
        left, right = ({policy: {**lack, "blacklisted_symbols": {}} for policy, lack in answer["show"]["policy_upgrades"].items()}
                       for answer in (theirs, ours))
        if left == right:
            return FORBIDDEN
        left, right = theirs["show"]["policy_upgrades"], ours["show"]["policy_upgrades"]
        more = {name for name in right if right[name] != left.get(name)}
        if set(left) <= set(right) and all(name.startswith(("musllinux_", "android_")) and name not in left for name in more):
            return OTHER_POLICIES
    if entry.what == "repair" and "name" in ours["repair"] and "could not be located" in theirs["repair"].get("error", ""):
        missing = theirs["repair"]["error"].split('"')[1]
        if any(graft.endswith("/" + missing) for graft in ours["repair"]["grafts"]):
            return BUNDLED_BEFORE
    extra = set(theirs["repair"].get("grafts", [])) - set(ours["repair"].get("grafts", []))
    if entry.what in ("grafts", "needed") and extra and set(ours["repair"]["grafts"]) < set(theirs["repair"]["grafts"]) \
            and {bundled_from(graft) for graft in extra} <= members:
        return SIBLINGS
    if entry.what == "grafts" and sorted(map(once, theirs["repair"]["grafts"])) == sorted(ours["repair"]["grafts"]):
        return HASHED_TWICE
    if entry.what == "needed" and {once(file): list(map(once, names)) for file, names in theirs["repair"]["needed"].items()} \
            == ours["repair"]["needed"]:
        return HASHED_TWICE
    if "linux_armv6l" in entry.wheel and "armv7l" in entry.auditwheel:
        return ARMV6
    return None
