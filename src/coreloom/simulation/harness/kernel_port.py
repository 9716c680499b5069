# SPDX-License-Identifier: Apache-2.0
"""The kernel at its client ports: streams of operations against the reference model, with exact cycles."""

from __future__ import annotations

import json
import struct
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from coreloom import uses
from coreloom.design import manifest
from coreloom.design.platform import POLICIES, READY_QUEUES
from coreloom.errors import UserError
from coreloom.paths import RTL
from coreloom.reference.kernel import HARDWARE_PARAM, Config
from coreloom.reference.scenario import Scenario
from coreloom.reference.stream import Step, pack
from coreloom.toolchain import verilate

_KERNEL = RTL / "kernel"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def params(config: Config, ready_queue: str | None = None) -> dict[str, int]:
    """Parameters of cl_kernel; the usual ready queue for one with or without hardware threads."""
    build = ready_queue or ("hybrid" if config.hw_threads else "bitmap")
    sizes = {_camel(name): value for name, value in asdict(config).items()}
    sizes |= {"Policy": POLICIES.index(config.policy)}
    switches = ("Reserve", "Timeouts", "Inheritance", "EventFlags", "Monitors", "Pipeline")
    sizes |= {name: int(sizes[name]) for name in switches}
    return sizes | {"ReadyQueue": READY_QUEUES.index(build)}


def rtl() -> tuple[Path, ...]:
    """The kernel's sources, in the order in which tools want them."""
    return manifest.files("cl_kernel")


@uses.kept
def referee(config: Config, ready_queue: str | None = None) -> Path:
    design = verilate.Design("cl_kernel_referee", (*rtl(), _KERNEL / "tb" / "cl_kernel_referee.sv"))
    sizes = params(config, ready_queue)
    return verilate.build(design, _KERNEL / "tb" / "referee.cpp", sizes, name="kernel-referee")


class Cycles(NamedTuple):
    """Of one step, from its request: to its answer, another CPU's answer, a quiet unit, irq_o. 0: none."""

    answer: int
    other: int
    quiet: int
    irq: int


def play(
    config: Config, steps: Iterable[Step], seed: int, folder: Path, model: Path | None = None
) -> tuple[dict[str, Any], list[Cycles]]:
    """The referee's report, and the cycles of each step. A mismatch is a UserError.

    seed 0: each step waits for a quiet unit; others: delays and overlaps. model: another build of the unit.
    """
    stream, cycles = folder / "stream.bin", folder / "cycles.bin"
    stream.write_bytes(pack(steps))
    model = model or referee(config)
    uses.runs()
    done = subprocess.run([model, stream, str(seed), cycles], capture_output=True, text=True, timeout=1200)
    if done.returncode != 0:
        raise UserError(f"the kernel is wrong: {config}, seed {seed}: {done.stderr or done.stdout}")
    raw = cycles.read_bytes()
    stream.unlink()
    return json.loads(done.stdout), [Cycles(*words) for words in struct.iter_unpack("<4I", raw)]


def measure(ready_queue: str, threads: int, priorities: int, queued: int) -> dict[str, Cycles]:
    """Cycles of [HT]'s operations at a processor's port with `queued` threads in the ready queue.

    The queue has that many threads, of all priorities below the caller's; an operation that needs one more or
    one less leaves it so.
    """
    hybrid = ready_queue == "hybrid"
    config = Config(cpus=1, threads=threads, priorities=priorities, hw_threads=int(hybrid))
    scenario = Scenario(config)
    marks: dict[str, int] = {}

    def mark(label: str, name: str, id: int = 0, word0: int | None = None) -> int | None:
        answer = scenario.do(0, name, id, word0)
        marks[label] = len(scenario.steps) - 1
        return answer

    top = priorities - 1
    scenario.do(0, "set_sched_param", 0, top)
    if hybrid:
        scenario.do(1, "next")
        unit = scenario.thread(0, HARDWARE_PARAM, start=False)
        mark("thread_start, hardware", "thread_start", unit)
    spare = scenario.thread(0, top - 1, start=False)
    others = [scenario.thread(0, tid * 37 % (top - 1)) for tid in range(queued)]
    mark("set_sched_param, not queued", "set_sched_param", spare, top - 2)
    mark("thread_start", "thread_start", spare)
    for name in ("get_entry", "is_queued", "get_sched_param"):
        mark(name, name, others[-1])
    mark("check_sched_param", "check_sched_param", others[-1], 1)
    mark("is_empty", "is_empty")
    mark("set_sched_param, queued", "set_sched_param", others[0], 0)
    mark("remove", "remove", others[-1])
    scenario.do(0, "thread_start", others[-1])
    mark("dequeue", "dequeue")
    mark("set_idle_thread", "set_idle_thread", spare)
    mark("yield, no better thread", "yield")
    scenario.do(0, "set_sched_param", 0, 0)
    mark("yield, switch", "yield")
    with tempfile.TemporaryDirectory(prefix="coreloom-") as folder:
        _, cycles = play(config, scenario.steps, 0, Path(folder), referee(config, ready_queue))
    return {label: cycles[step] for label, step in marks.items()}
