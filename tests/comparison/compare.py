# SPDX-License-Identifier: Apache-2.0
"""Differences between two tools' answers about one wheel."""

import json
from dataclasses import dataclass

# What a difference in it changes for the user: these must be equal or explained.
VERDICT = ("tag", "symbols' tag", "external libraries", "symbol versions")


@dataclass(frozen=True)
class Difference:
    wheel: str
    what: str
    auditwheel: str
    truewheel: str


def short(value: object, other: object) -> str:
    """Only what the other answer does not have, where both are collections."""
    if isinstance(value, dict) and isinstance(other, dict):
        value = {key: short(entry, other.get(key)) for key, entry in value.items() if other.get(key) != entry}
    elif isinstance(value, list) and isinstance(other, list):
        value = [entry for entry in value if entry not in other] or f"{len(value)} entries"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def compare(wheel: str, theirs: dict, ours: dict) -> list[Difference]:
    found: list[Difference] = []

    def note(what: str, left: object, right: object) -> None:
        if left != right:
            found.append(Difference(wheel, what, short(left, right), short(right, left)))

    shown = {"auditwheel": theirs["show"], "truewheel": ours["show"]}
    if any(answer["exit"] for answer in shown.values()):
        outcome = [f"exit {answer['exit']}: {answer['error']}" if answer["exit"] else str(answer["overall_tag"])
                   for answer in shown.values()]
        if not all(answer["exit"] for answer in shown.values()):
            note("tag", *outcome)
    else:
        for what, key in (("tag", "overall_tag"), ("symbols' tag", "sym_tag"), ("external libraries", "external_libs"),
                          ("symbol versions", "versioned_symbols"), ("what better policies lack", "policy_upgrades"),
                          ("PyFPE", "pyfpe"), ("processor level", "unsupported_isa")):
            note(what, theirs["show"][key], ours["show"][key])
    left, right = theirs["repair"], ours["repair"]
    if left["exit"] or right["exit"] or "name" not in left or "name" not in right:
        outcome = [answer.get("name") or f"exit {answer['exit']}: {answer['error']}" for answer in (left, right)]
        if ("name" in left) != ("name" in right):
            note("repair", *outcome)
        return found
    note("file name", left["name"], right["name"])
    note("grafts", left["grafts"], right["grafts"])
    note("needed", left["needed"], right["needed"])
    return found
