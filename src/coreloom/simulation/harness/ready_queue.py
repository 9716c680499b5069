# SPDX-License-Identifier: Apache-2.0
"""The ready queue alone: random operations against lists, with its exact cycles."""

from __future__ import annotations

import json
import subprocess
from enum import IntEnum
from typing import Any

from coreloom import uses
from coreloom.design import manifest
from coreloom.errors import UserError
from coreloom.paths import RTL
from coreloom.toolchain import verilate

DEADLINE_KEYS = 1 << 18  # that there are, cl_ready_queue_pkg's DeadlineKeyWidth
_KERNEL = RTL / "kernel"


class Build(IntEnum):
    """build_e of cl_ready_queue_pkg."""

    LINEAR = 0
    BITMAP = 1
    HYBRID = 2
    SORTED = 3


def measure(
    build: Build,
    queues: int,
    threads: int,
    priorities: int,
    operations: int,
    seed: int,
    deadlines: bool = False,
) -> dict[str, Any]:
    """Play `operations` on a queue of that structure and size.

    push_back, push_front, pop, remove, move: [least, most] cycles until it takes the next operation.
    beyond: the same for each, less the number of threads in the queues.
    read_next: the most cycles to read the best thread afterwards; most_queued: how full it was.
    deadlines: priorities are keys that may be deadlines (cl_ready_queue_pkg).
    A mismatch with the lists is a UserError.
    """
    sources = (*manifest.files("cl_ready_queue"), _KERNEL / "tb" / "cl_ready_queue_referee.sv")
    model = verilate.build(
        verilate.Design("cl_ready_queue_referee", sources),
        _KERNEL / "tb" / "ready_queue.cpp",
        {
            "Build": build,
            "Queues": queues,
            "Threads": threads,
            "Priorities": priorities,
            "Deadlines": int(deadlines),
        },
        name="ready-queue",
    )
    uses.runs()
    done = subprocess.run([model, str(operations), str(seed)], capture_output=True, text=True)
    if done.returncode != 0:
        raise UserError(f"the ready queue is wrong: {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report
