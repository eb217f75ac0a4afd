# SPDX-License-Identifier: Apache-2.0
"""Starts programs for run.py: one JSON request a line on stdin, one JSON answer a line on stdout.

An answer's seconds are the processor's: other processes must not make a program slow."""

import json
import os
import signal
import sys
import tempfile


def run(command: list, seconds: float) -> dict:
    outputs = [tempfile.TemporaryFile() for _ in range(2)]
    child = os.posix_spawn(command[0], command, {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"},
                           file_actions=[(os.POSIX_SPAWN_DUP2, output.fileno(), number) for number, output in enumerate(outputs, 1)])
    is_late = False

    def stop(*_: object) -> None:
        nonlocal is_late
        is_late = True
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _, status, usage = os.wait4(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    texts = []
    for output in outputs:
        output.seek(0)
        texts.append(output.read().decode("utf-8", "replace"))
        output.close()
    return {"code": os.waitstatus_to_exitcode(status), "late": is_late, "stdout": texts[0], "stderr": texts[1], "memory": usage.ru_maxrss * 1024,
            "seconds": usage.ru_utime + usage.ru_stime}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(run(request["command"], request["seconds"])), flush=True)
