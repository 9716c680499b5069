# SPDX-License-Identifier: Apache-2.0
"""cl_scheduler, [HT]'s scheduler as a unit: against its model, with exact cycles of every operation."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coreloom import uses
from coreloom.design import manifest
from coreloom.errors import UserError
from coreloom.paths import BUILD, RTL
from coreloom.reference.scheduler import HARDWARE, Answer, Build, Op, Scheduler, Status
from coreloom.toolchain import verilate

_KERNEL = RTL / "kernel"
HW_THREADS = 4

# The cases that cycles are measured for; the names are the paper's, cases without one come last.
LABELS = (
    "enqueue_software",
    "enqueue_hardware",
    "dequeue",
    "get_entry",
    "is_queued",
    "is_empty",
    "set_idle_thread",
    "get_sched_param",
    "check_sched_param",
    "set_sched_param_not_queued",
    "set_sched_param_queued",
    "remove",
    "create_entry",
    "free_entry",
    "dequeue_empty",
    "failed",
)
_NUMBER = {name: number for number, name in enumerate(LABELS)}


@dataclass(frozen=True)
class Cycles:
    """[least, most] of an operation: from its grant to its answer, and until the next one is granted."""

    answer: tuple[int, int]
    next: tuple[int, int] | None  # None: nobody waited for it

    @property
    def most(self) -> int:
        return max(self.answer[1], self.next[1] if self.next else 0)


class Stream:
    """Operations for the unit with what the model answers."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.steps: list[tuple[int, ...]] = []

    def do(self, op: int, tid: int = 0, argument: int = 0, hw_running: int = 0) -> Answer:
        model = self.scheduler
        entry = model.entries.get(tid)
        was_queued = entry is not None and entry.queued
        was_empty = model.best is None
        answer = model.do(op, tid, argument, hw_running)
        label = _label(op, answer, was_queued, was_empty)
        best = model.best
        shown = model.preempt << 30
        if best is not None:
            shown |= 1 << 31 | model.entries[best].param << 16 | best
        step = (op, tid, argument, hw_running, answer.word, answer.address, shown, _NUMBER[label])
        self.steps.append(step)
        return answer


def _label(op: int, answer: Answer, was_queued: bool, was_empty: bool) -> str:
    if answer.status is not Status.OK:
        return "failed"
    name = Op(op).name.lower()
    match Op(op):
        case Op.ENQUEUE:
            return f"{name}_software" if answer.start is None else f"{name}_hardware"
        case Op.DEQUEUE:
            return "dequeue_empty" if was_empty else name
        case Op.SET_SCHED_PARAM:
            return f"{name}_queued" if was_queued else f"{name}_not_queued"
    return name


@uses.kept
def _model(build: Build, threads: int, priorities: int, hw_threads: int) -> Path:
    design = verilate.Design("cl_scheduler", manifest.files("cl_scheduler"))
    params = {"Build": build, "Threads": threads, "Priorities": priorities, "HwThreads": hw_threads}
    return verilate.build(design, _KERNEL / "tb" / "scheduler.cpp", params, name="scheduler")


def play(stream: Stream, seed: int) -> dict[str, Cycles]:
    """Play the steps on the unit; a mismatch with the model is a UserError.

    seed 0: a request in every cycle; others: pauses, in which what the unit shows is compared too.
    """
    like = stream.scheduler
    model = _model(like.build, like.threads, like.priorities, like.hw_threads)
    uses.runs()
    # Cycles until the outputs are exact again
    settle = like.threads + 16 if like.build is Build.LINEAR else 8
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(prefix="scheduler-", suffix=".bin", dir=BUILD) as file:
        pack = struct.Struct("<8I").pack
        file.write(b"".join(pack(*step) for step in stream.steps))
        file.flush()
        done = subprocess.run([model, file.name, str(seed), str(settle)], capture_output=True, text=True)
    if done.returncode != 0:
        raise UserError(f"the scheduler is wrong ({like.build.name.lower()}): {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return {
        LABELS[row["label"]]: Cycles(tuple(row["answer"]), tuple(row["next"]) if "next" in row else None)
        for row in report["labels"]
        if "answer" in row
    }


def random_stream(scheduler: Scheduler, operations: int, seed: int) -> Stream:
    """Plausible clients: mostly right operations, some wrong ones; full and empty queues are both visited."""
    stream = Stream(scheduler)
    rng = random.Random(seed)
    names = list(Op)
    weights: list[float] = []
    levels = scheduler.priorities
    for number in range(operations):
        if number % 3000 == 0:
            fill, drain = rng.choice([(16, 0.2), (1, 8), (4, 4)])
            favour = {Op.ENQUEUE: fill, Op.CREATE_ENTRY: fill / 2, Op.DEQUEUE: drain, Op.REMOVE: drain}
            favour |= {Op.FREE_ENTRY: drain / 4, Op.SET_IDLE_THREAD: 0.02, Op.SET_SCHED_PARAM: 2}
            weights = [favour.get(op, 1) for op in names]
            levels = rng.choice([scheduler.priorities, scheduler.priorities, 2])
        op = rng.choices(names, weights)[0]
        tid = rng.randrange(scheduler.threads) if rng.random() < 0.98 else rng.randrange(1024)
        if rng.random() < 0.01:
            stream.do(rng.choice([0, 13, 14, 15]), tid)
            continue
        argument = rng.randrange(levels)
        kind = rng.random()
        if kind < 0.1:
            argument = HARDWARE + rng.randrange(scheduler.hw_threads + 1)
        elif kind < 0.13:
            argument = rng.choice([scheduler.priorities, 255, 256, 1 << 16 | argument, 1 << 31 | 128])
        stream.do(op, tid, argument, rng.randrange(1 << scheduler.hw_threads))
    return stream


def measure(build: Build | int, threads: int, priorities: int, queued: int) -> dict[str, int]:
    """Cycles of every operation with `queued` threads in the queue, until it takes the next one.

    The most over several states of the queue: its threads spread over all levels, at one, at two. Of
    enqueue_hardware, which only the hybrid build has: without the bus transaction.
    UserError: no two threads are left over, or an operation of a build of fixed times takes different times.
    """
    build = Build(build)
    if not 1 <= queued <= threads - 2:
        raise UserError(f"1 to {threads - 2} of {threads} threads can be queued, not {queued}")
    found: dict[str, set[int]] = {}
    for spread in (priorities, 1, 2):
        stream = Stream(Scheduler(build, threads, priorities, HW_THREADS))
        _fill(stream, queued, spread)
        for _ in range(3):
            _one_of_each(stream, queued, spread)
        stream.do(Op.IS_EMPTY)  # somebody waits for the last one too
        for name, cycles in play(stream, 0).items():
            next_cycles = cycles.next or cycles.answer
            found.setdefault(name, set()).update(map(max, cycles.answer, next_cycles))
    found.pop("failed", None)
    if build is not Build.LINEAR and (moving := [name for name, all in found.items() if len(all) > 1]):
        raise UserError(f"these operations do not take a fixed time: {', '.join(moving)}")
    return {name: max(found[name]) for name in LABELS if name in found}


def _fill(stream: Stream, queued: int, spread: int) -> None:
    """`queued` threads, at `spread` levels in turn."""
    for tid in range(queued):
        stream.do(Op.CREATE_ENTRY, tid, tid % spread)
        stream.do(Op.ENQUEUE, tid)


def _one_of_each(stream: Stream, queued: int, spread: int) -> None:
    """Every operation, each with `queued` threads in the queue, enqueue with the last of them."""
    model = stream.scheduler
    spare, idle = model.threads - 2, model.threads - 1
    stream.do(Op.CREATE_ENTRY, spare, spread - 1)
    stream.do(Op.CREATE_ENTRY, idle, 0)
    stream.do(Op.SET_IDLE_THREAD, idle)
    stream.do(Op.SET_SCHED_PARAM, spare, 0)
    if model.build is Build.HYBRID:
        stream.do(Op.SET_SCHED_PARAM, spare, HARDWARE)
        stream.do(Op.ENQUEUE, spare)
    stream.do(Op.FREE_ENTRY, spare)
    for tid in {0, queued // 2, queued - 1}:
        for op in (Op.GET_ENTRY, Op.IS_QUEUED, Op.GET_SCHED_PARAM):
            stream.do(op, tid)
        stream.do(Op.IS_EMPTY)
        stream.do(Op.CHECK_SCHED_PARAM, tid, spread - 1)
        stream.do(Op.SET_SCHED_PARAM, tid, spread - 1)
        stream.do(Op.SET_SCHED_PARAM, tid, tid % spread)
        stream.do(Op.REMOVE, tid)
        stream.do(Op.ENQUEUE, tid)
        taken = stream.do(Op.DEQUEUE).value
        stream.do(Op.ENQUEUE, taken)
