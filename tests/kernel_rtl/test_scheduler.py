# SPDX-License-Identifier: Apache-2.0
"""[HT]'s scheduler as a unit of its own: against its model, with the exact cycles of every operation."""

from __future__ import annotations

import re

import pytest

from coreloom.design import manifest
from coreloom.errors import UserError
from coreloom.reference.scheduler import HARDWARE, Build, Op, Scheduler, Status
from coreloom.simulation.harness import scheduler as scheduler_unit
from coreloom.toolchain import verilate, yosys

from .harness import KERNEL, SEED

SIZES = [(256, 128, 4), (13, 11, 3), (2, 2, 1)]
DESIGN = verilate.Design("cl_scheduler", manifest.files("cl_scheduler"))


def play(build: Build, size: tuple[int, int, int], operations: int) -> None:
    for seed in (0, SEED):
        stream = scheduler_unit.random_stream(Scheduler(build, *size), operations // 2, SEED + seed)
        cycles = scheduler_unit.play(stream, seed)
        for name, found in cycles.items():
            assert found.answer == (3, 3), name
            if build is not Build.LINEAR and found.next is not None:
                assert found.next == ((4, 4) if name == "set_sched_param_queued" else (3, 3)), name


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("build", Build)
def test_random_operations(build: Build, size: tuple[int, int, int]) -> None:
    play(build, size, 20_000)


@pytest.mark.nightly
@pytest.mark.parametrize("build", Build)
def test_long(build: Build) -> None:
    play(build, (256, 128, 4), 1_000_000)


@pytest.mark.nightly
@pytest.mark.parametrize("build", [Build.LINEAR, Build.BITMAP])
def test_long_largest(build: Build) -> None:
    play(build, (1024, 256, 1), 1_000_000)


def test_the_streams_reach_everything() -> None:
    """Every error, an empty and a nearly full queue, preemption and none."""
    scheduler = Scheduler(Build.HYBRID, 64, 16, 4)
    stream = scheduler_unit.random_stream(scheduler, 50_000, SEED)
    words = [step[4] for step in stream.steps]
    assert {word >> 16 for word in words} == set(Status)
    assert {step[0] for step in stream.steps} >= set(Op)
    assert {step[7] for step in stream.steps} == set(range(len(scheduler_unit.LABELS)))
    assert {step[6] >> 30 for step in stream.steps} == {0, 2, 3}
    full = Scheduler(Build.HYBRID, 64, 16, 4)
    most = 0
    for op, tid, argument, running, word, *_ in stream.steps:
        assert full.do(op, tid, argument, running).word == word
        most = max(most, full.queued)
    assert most > 55


def test_numbers_of_the_model_are_those_of_the_package() -> None:
    package = (KERNEL / "rtl" / "cl_scheduler_pkg.sv").read_text()
    numbers = {name.lower(): int(code) for name, code in re.findall(r"Sched(\w+) += \d'd(\d+)", package)}
    model = {one.name.lower().replace("_", ""): one.value for one in (*Op, *Status)}
    assert numbers == model


def test_page_shows_what_is_measured() -> None:
    """The table of SCHEDULER.md, at 2 and at 250 threads queued."""
    page = (KERNEL / "SCHEDULER.md").read_text()
    for queued in (2, 250):
        hybrid = scheduler_unit.measure(Build.HYBRID, 256, 128, queued)
        bitmap = scheduler_unit.measure(Build.BITMAP, 256, 128, queued)
        linear = scheduler_unit.measure(Build.LINEAR, 256, 128, queued)
        assert bitmap == {name: cycles for name, cycles in hybrid.items() if name != "enqueue_hardware"}
        for name, cycles in hybrid.items():
            slow = linear.get(name)
            text = "" if slow is None else f"n + {slow - queued}" if slow > 4 else str(slow)
            assert re.search(rf"^\| {name} \| {cycles} \| {re.escape(text)} \|", page, re.MULTILINE), (
                name,
                text,
            )


def test_measures_what_fits_only() -> None:
    for queued in (0, 255):
        with pytest.raises(UserError, match="254"):
            scheduler_unit.measure(Build.BITMAP, 256, 128, queued)


def test_wrong_unit_is_noticed() -> None:
    stream = scheduler_unit.Stream(Scheduler(Build.BITMAP, 16, 8, 2))
    stream.do(Op.CREATE_ENTRY, 3, 5)
    stream.steps[0] = (*stream.steps[0][:4], Status.EEXIST << 16, *stream.steps[0][5:])
    with pytest.raises(UserError, match="the answer is 0x00000000, expected 0x00110000"):
        scheduler_unit.play(stream, 0)


@pytest.mark.parametrize("build", Build)
def test_scenario(build: Build) -> None:
    """By hand, what the model must say: round-robin within a priority, highest first, preemption, START."""
    s = Scheduler(build, 16, 8, 2)
    for tid, priority in enumerate((3, 3, 5)):
        assert s.do(Op.CREATE_ENTRY, tid, priority).status is Status.OK
        assert s.do(Op.ENQUEUE, tid).status is Status.OK
    assert s.do(Op.DEQUEUE).value == 2
    assert not s.preempt
    assert s.do(Op.SET_SCHED_PARAM, 1, 6).status is Status.OK
    assert s.preempt
    assert s.do(Op.DEQUEUE).value == 1
    assert s.do(Op.DEQUEUE).value == 0
    assert s.do(Op.DEQUEUE).status is Status.EAGAIN
    assert s.do(Op.SET_IDLE_THREAD, 2).status is Status.OK
    assert s.do(Op.DEQUEUE).value == 2
    hardware = s.do(Op.SET_SCHED_PARAM, 0, HARDWARE + 1).status
    assert hardware is (Status.OK if build is Build.HYBRID else Status.EINVAL)
    if build is Build.HYBRID:
        assert s.do(Op.ENQUEUE, 0).address == 0xE1000100
        assert s.do(Op.ENQUEUE, 0, hw_running=2).status is Status.EBUSY
        assert s.do(Op.CHECK_SCHED_PARAM, 1, HARDWARE + 2).status is Status.ENODEV


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("size", [(2, 2, 1), (13, 11, 3), (1024, 128, 16)])
@pytest.mark.nightly(but=("size0-0", "size1-1", "size2-2"))
def test_lint(build: Build, size: tuple[int, int, int]) -> None:
    params = dict(zip(("Threads", "Priorities", "HwThreads"), size, strict=True))
    unused = [w for w in verilate.lint(DESIGN, {"Build": build, **params}) if "UNUSEDPARAM" not in w]
    assert unused == []
    values = " ".join(f"-G {name}={value}" for name, value in {"Build": build.value, **params}.items())
    result = yosys.run(
        f"read_slang --threads 1 -D SYNTHESIS --top cl_scheduler {values} {yosys.relative(DESIGN.sources)}; "
        "proc; check -assert"
    )
    assert result.status == 0, result.log[-2000:]
