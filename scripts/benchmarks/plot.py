# SPDX-License-Identifier: Apache-2.0
"""The plots of docs/benchmarks. Runs in the benchmark's own environment, which has matplotlib.

    plot.py RESULTS.json FOLDER
"""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams["svg.hashsalt"] = "truewheel"  # the same figures give the same file
COLOURS = {"auditwheel": "#b07aa1", "repairwheel": "#9c755f", "truewheel": "#4e79a7", "floor": "#bab0ac"}


def bars(results: dict, target: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    for axis, job in zip(axes, ("repair", "show")):
        names = list(results[job])
        tools = [tool for tool in COLOURS if any(tool in results[job][name] for name in names)]
        for at, tool in enumerate(tools):
            places = [i + (at - len(tools) / 2 + 0.5) * 0.8 / len(tools) for i in range(len(names))]
            walls = [results[job][name].get(tool, {}).get("wall", 0) for name in names]
            axis.barh(places, walls, 0.8 / len(tools), label=tool, color=COLOURS[tool])
        axis.set_yticks(range(len(names)), names)
        axis.set_xscale("log")
        axis.set_xlabel("wall time, s")
        axis.set_title(job)
        axis.grid(axis="x", alpha=0.3)
    axes[0].invert_yaxis()
    axes[0].legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


def curves(results: dict, target: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.8))
    for axis, kind, label in ((axes[0], "size", "size of the content, MB"), (axes[1], "members", "members")):
        rows = results["scaling"][kind]
        for tool in ("truewheel", "floor"):
            axis.plot([row["value"] for row in rows], [row[tool]["wall"] for row in rows], marker="o", label=tool,
                      color=COLOURS[tool])
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel(label)
        axis.set_ylabel("wall time of repair, s")
        axis.grid(alpha=0.3)
        axis.legend()
    figure.tight_layout()
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    data = json.loads(Path(sys.argv[1]).read_text())
    bars(data, Path(sys.argv[2]) / "repair.svg")
    curves(data, Path(sys.argv[2]) / "scaling.svg")
