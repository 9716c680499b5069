# SPDX-License-Identifier: Apache-2.0
"""cl_kernel against the reference model: random streams of operations, word for word."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design.platform import READY_QUEUES
from coreloom.reference.kernel import Config
from coreloom.reference.stream import Generator
from coreloom.simulation.harness.kernel_port import play, referee
from reached import Reached, watched

from .harness import DEFAULT, FULL, LARGE, SEED, small

TINY = Config(
    cpus=3,
    threads=5,
    priorities=2,
    ports=1,
    port_depth=1,
    mutexes=1,
    semaphores=1,
    conditions=1,
    lines=1,
    hw_threads=1,
)
CONFIGS = {
    "small-1": (small(1), 15_000),
    "small-2": (small(2), 25_000),
    "small-4": (small(4), 25_000),
    "small-1+3": (small(1, hw_threads=3), 20_000),
    "small-2+1": (small(2, hw_threads=1), 20_000),
    "default-1": (Config(cpus=1), 10_000),
    "default-2": (DEFAULT, 25_000),
    "default-4": (Config(cpus=4), 10_000),
    "large-2+3": (replace(LARGE, hw_threads=3), 10_000),
    "tiny-3+1": (TINY, 10_000),
    "reserve-1": (replace(small(1), reserve=True), 10_000),
    "reserve-2": (replace(small(2), reserve=True), 15_000),
    "reserve-3": (replace(small(3), reserve=True), 25_000),
    "reserve-4": (replace(small(4), reserve=True), 15_000),
    "reserve-3+1": (replace(TINY, threads=9, reserve=True), 15_000),
    "timeouts-1": (replace(small(1), timeouts=True), 15_000),
    "timeouts-2": (replace(small(2), timeouts=True), 25_000),
    "timeouts-2+1": (replace(small(2, hw_threads=1), timeouts=True), 20_000),
    "timeouts-tiny": (replace(TINY, timeouts=True), 15_000),
    "timeouts-default": (replace(DEFAULT, timeouts=True), 10_000),
    "timeouts-reserve": (replace(small(3), timeouts=True, reserve=True), 15_000),
    "timeouts-dwrr": (replace(small(2, policy="dwrr"), timeouts=True), 15_000),
    "timeouts-edf": (replace(small(2), timeouts=True, policy="edf"), 15_000),
    "inheritance-1": (replace(small(1), inheritance=True), 15_000),
    "inheritance-2": (replace(small(2), inheritance=True), 25_000),
    "inheritance-2+1": (replace(small(2, hw_threads=1), inheritance=True), 20_000),
    "inheritance-4": (replace(small(4), inheritance=True), 25_000),
    "inheritance-default": (replace(DEFAULT, inheritance=True), 10_000),
    "inheritance-reserve-timeouts": (
        replace(small(3), inheritance=True, reserve=True, timeouts=True),
        25_000,
    ),
    "words-1": (replace(small(1), port_words=4), 15_000),
    "words-2": (replace(small(2), port_words=8), 15_000),
    "words-2+1": (replace(small(2, hw_threads=1), port_words=1, timeouts=True), 20_000),
    "words-4": (replace(TINY, cpus=4, threads=9, port_words=2), 30_000),
    "no-mutex-2": (replace(small(2), mutexes=0, semaphores=0, conditions=1), 15_000),
    "events-1": (replace(small(1), event_flags=True), 20_000),
    "events-2+1": (replace(small(2, hw_threads=1), event_flags=True, timeouts=True, port_words=1), 30_000),
    "events-3": (
        replace(small(3), event_flags=True, inheritance=True, reserve=True),
        20_000,
    ),
    "events-dwrr": (replace(small(2, policy="dwrr"), event_flags=True), 15_000),
    "events-edf": (replace(small(2, policy="edf"), event_flags=True, timeouts=True), 15_000),
    "full-3": (FULL, 20_000),
    "monitors-1": (replace(small(1), monitors=True), 15_000),
    "monitors-2+1": (
        replace(small(2, hw_threads=1), monitors=True, timeouts=True, event_flags=True, port_words=1),
        30_000,
    ),
    "monitors-3": (replace(small(3), monitors=True, reserve=True), 20_000),
    "monitors-tiny": (replace(TINY, monitors=True), 30_000),
    "monitors-default": (replace(DEFAULT, monitors=True), 20_000),
    "monitors-dwrr": (replace(small(2, policy="dwrr"), monitors=True), 20_000),
    "monitors-edf": (replace(small(2, policy="edf"), monitors=True, timeouts=True), 15_000),
    "pipeline-1": (replace(small(1), pipeline=True), 15_000),
    "pipeline-2": (replace(small(2), pipeline=True), 25_000),
    "pipeline-4": (replace(small(4), pipeline=True), 25_000),
    "pipeline-1+3": (replace(small(1, hw_threads=3), pipeline=True), 20_000),
    "pipeline-tiny": (replace(TINY, pipeline=True), 10_000),
    "pipeline-default": (replace(DEFAULT, pipeline=True), 10_000),
    "pipeline-all": (
        replace(
            *(small(3, hw_threads=1),),
            **dict.fromkeys(("pipeline", "reserve", "inheritance", "timeouts"), True),
            port_words=2,
        ),
        25_000,
    ),
    "dwrr-1": (small(1, policy="dwrr"), 15_000),
    "dwrr-2": (small(2, policy="dwrr"), 25_000),
    "dwrr-4": (small(4, policy="dwrr"), 25_000),
    "dwrr-2+1": (small(2, hw_threads=1, policy="dwrr"), 15_000),
    "dwrr-large-3": (replace(LARGE, cpus=3, policy="dwrr"), 20_000),
    "dwrr-tiny-3+1": (replace(TINY, policy="dwrr"), 30_000),
    "edf-1": (replace(small(1), policy="edf"), 15_000),
    "edf-2+1": (replace(small(2, hw_threads=1), policy="edf"), 20_000),
    "edf-4": (Config(cpus=4, threads=64, policy="edf"), 20_000),
    "most-10+6": (Config(cpus=10, threads=64, priorities=128, lines=64, hw_threads=6), 10_000),
}
# Each policy and option.
KEPT = (
    *("small-1", "large-2+3", "timeouts-tiny", "words-4", "no-mutex-2", "full-3"),
    *("events-2+1", "monitors-2+1", "pipeline-all", "dwrr-large-3", "edf-4", "default-2"),
)


def test_the_streams_are_long_enough() -> None:
    """The cases that are not left to the tier nightly."""
    assert sum(CONFIGS[name][1] for name in KEPT) >= 100_000


@pytest.mark.parametrize(("config", "count"), CONFIGS.values(), ids=CONFIGS)
@pytest.mark.test("default-2", "full-3")
@pytest.mark.nightly(but=KEPT)
def test_random_stream(config: Config, count: int, tmp_path: Path) -> None:
    reached = Reached()
    report, _ = play(config, watched(Generator(config, SEED), count, reached), SEED, tmp_path)
    assert report["steps"] == reached.steps == count
    reached.check(config)
    assert len(report["ops"]) > 45, "the stream does not visit the operations"


@pytest.mark.parametrize("policy", ["priority", "dwrr"])
def test_random_stream_on_a_quiet_unit(policy: str, tmp_path: Path) -> None:
    """Seed 0: nothing overlaps, so irq_o and idle_o are compared after every step."""
    config = small(2, policy=policy)
    play(config, Generator(config, SEED + 1).steps(20_000), 0, tmp_path)


@pytest.mark.parametrize("cpus", nightly_but([2, 3, 4], [4]))
def test_random_stream_with_reservations_on_a_quiet_unit(cpus: int, tmp_path: Path) -> None:
    config = replace(small(cpus), reserve=True)
    play(config, Generator(config, SEED + 1).steps(10_000), 0, tmp_path)


@pytest.mark.parametrize("cpus", nightly_but([1, 3], [3]))
def test_random_stream_with_protocols_on_a_quiet_unit(cpus: int, tmp_path: Path) -> None:
    config = replace(small(cpus), inheritance=True)
    play(config, Generator(config, SEED + 1).steps(10_000), 0, tmp_path)


@pytest.mark.parametrize("cpus", nightly_but([1, 2, 4], [2]))
def test_random_stream_by_deadline_on_a_quiet_unit(cpus: int, tmp_path: Path) -> None:
    config = replace(small(cpus), policy="edf")
    play(config, Generator(config, SEED + 1).steps(10_000), 0, tmp_path)


@pytest.mark.parametrize("name", ["tiny-3+1", "small-2", "small-1+3", "dwrr-2", "pipeline-2"])
def test_random_stream_on_the_linear_queue(name: str, tmp_path: Path) -> None:
    """Another structure of the ready queue, other cycles, the same words."""
    config, count = CONFIGS[name]
    stream = Generator(config, SEED + 3).steps(count)
    play(config, stream, SEED + 3, tmp_path, referee(config, "linear"))


@pytest.mark.nightly
@pytest.mark.parametrize("name", CONFIGS)
def test_long_random_stream(name: str, tmp_path: Path) -> None:
    """1 000 000 operations over all configurations."""
    config, _ = CONFIGS[name]
    count = 1_000_000 // len(CONFIGS)
    play(config, Generator(config, SEED + 2).steps(count), SEED + 2, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("ready_queue", READY_QUEUES)
def test_million_random_operations(ready_queue: str, tmp_path: Path) -> None:
    """On the size of [HT], 256 threads and 128 priorities, for each build of the ready queue."""
    config = replace(LARGE, hw_threads=3 if ready_queue == "hybrid" else 0)
    chunk = 40_000
    for seed in range(SEED, SEED + 25):
        stream = Generator(config, seed).steps(chunk)
        report, _ = play(config, stream, seed, tmp_path, referee(config, ready_queue))
        assert report["steps"] == chunk
