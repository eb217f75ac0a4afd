#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Published wheels with known faults: each is found under its rule, nothing else is an error, and it is quick.

    published_test.py TRUEWHEEL
"""

import collections
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import published  # noqa: E402

# Wheel -> rule, member, and a part of the value, of faults that were found by hand; and the number of errors a rule.
KNOWN = {
    published.ROCM: (
        [("R008", "mooncake/libasio.so", "libasio.so"), ("R008", "mooncake/libetcd_wrapper.so", "libetcd_wrapper"),
         ("R004", "mooncake/nvlink_allocator.so", "/opt/rocm-7.2.3/lib"), ("R006", "mooncake/engine.so", "libamdhip64.so.7"),
         ("G004", "mooncake/engine.so", "libamdhip64.so.7")],
        {"R001": 1, "R004": 1, "R005": 6, "R008": 2}),
    published.NON_CUDA: (
        [("R008", "mooncake/libasio.so", "libasio.so"), ("R007", "", "RUNPATH")], {"R005": 5, "R008": 2}),
    published.CUDA13: (
        [("R004", "mooncake/libmooncake_ep_device.so", "/usr/local/cuda/lib64/stubs"),
         ("R004", "mooncake/libmooncake_pg_device.so", "/usr/lib64/boost1.78"),
         ("R004", "mooncake/libmooncake_ep_device.so", "/usr/local/cuda-13.0/targets"),
         ("R007", "mooncake/_ep", "RUNPATH"), ("G006", "", "libcrypto.so.1.1.1k")],
        {"R001": 5, "R004": 4, "R005": 8, "R008": 2}),
    published.EFA: (
        [("R004", "mooncake/_fast_copy", "/opt/hostedtoolcache/Python/3.12.14/x64/lib"),
         ("R008", "mooncake/libasio.so", "libasio.so")],
        {"R001": 1, "R004": 1, "R005": 6, "R008": 2}),
    published.NIXL: (
        [("G001", "", "libibverbs.so.1"), ("G001", "", "libmlx5.so.1"), ("R001", "", "/usr/local/lib"),
         ("R001", "", "/usr/lib64/ucx"), ("R001", "", "/opt/mellanox/doca/lib64"), ("R001", "", "/opt/ddn/red//lib"),
         ("R007", "", "RUNPATH"), ("R008", "", "liburing.so.2.14"), ("Z001", "nixl_cu13.scripts/nixl_example", "mode")],
        None),
    published.MORI: (
        [("R004", "mori/libmori_collective.so", "/src/build/src/shmem"), ("R001", "mori/libmori_collective.so", "/opt/rocm/lib"),
         ("R006", "mori/libmori_collective.so", "libmori_shmem.so"), ("R005", "mori/umbp_master", "libgrpc.so.29"),
         ("Z001", "", "WHEEL")],
        None),
    published.UCCL: (
        [("R001", "uccl/p2p.abi3.so", "/usr/local/cuda/lib64"), ("R001", "uccl/p2p.abi3.so", "/usr/lib/x86_64-linux-gnu"),
         ("R006", "uccl/ep.abi3.so", "libtorch.so"), ("R006", "uccl/ep.abi3.so", "libcudart.so.12")],
        {"R001": 2}),
    published.LMCACHE: (
        [("R006", "lmcache/cuda_ops", "libtorch.so"), ("R006", "lmcache/cuda_ops", "libcudart.so.13")], {}),
    published.JAX_ROCM: (
        [("R003", "jax_plugins/xla_rocm7/xla_rocm_plugin.so", "python3.9")], {"R001": 15, "R003": 1}),
}


def main(truewheel: str) -> int:
    failures, seen = 0, 0
    slow_build = any(name in subprocess.run(["ldd", truewheel], capture_output=True, text=True).stdout for name in ("libasan", "libtsan"))
    for pin, (faults, errors) in KNOWN.items():
        try:
            wheel = published.download(*pin)
        except published.Unreachable as reason:
            print(f"skipped {pin[0]}: {reason}")
            continue
        seen += 1
        start = time.monotonic()
        process = subprocess.Popen([truewheel, "check", "--json", str(wheel)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        wall, cpu = time.monotonic() - start, usage.ru_utime + usage.ru_stime
        found = json.loads(out)["subjects"][0]["findings"]
        counts = collections.Counter(f["rule"] for f in found if f["severity"] == "error")
        print(f"{wheel.name}: {dict(counts)}, {wall:.2f} s, {cpu:.2f} s CPU, {usage.ru_maxrss // 1024} MB")
        for rule, member, value in faults:
            if not any(f["rule"] == rule and member in f["member"] and value in f["value"] for f in found):
                failures += 1
                print(f"FAILED {rule} {member} {value} is not found")
        if errors is not None and counts != collections.Counter(errors):
            failures += 1
            print(f"FAILED the errors are {dict(counts)}, known are {errors}")
        limit = 3.0 if pin is published.JAX_ROCM else 1.5
        # CPU time, so that a busy machine fails no test; sanitizers have another budget.
        if not slow_build and (cpu > limit * 2 or usage.ru_maxrss > 300 * 1024):
            failures += 1
            print(f"FAILED {cpu:.2f} s CPU, {usage.ru_maxrss // 1024} MB")
    if not seen:
        return 77
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
