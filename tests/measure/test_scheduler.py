# SPDX-License-Identifier: Apache-2.0
"""Delays from an event log, their spread, and the tables of `coreloom bench scheduler`."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from coreloom import paths
from coreloom.benches.scheduler import bench as scheduler
from coreloom.benches.scheduler import delays, page, published
from coreloom.benches.scheduler.bench import KernelRow, Row, UnitRow
from coreloom.benches.synth import BENCH as SYNTH
from coreloom.errors import UserError
from coreloom.report import results
from coreloom.report.table import number
from coreloom.simulation.simulate import Event, Kind
from coreloom.synthesis import pnr, synth

KINDS = {"unit": int(Kind.REQUEST), "raw": int(Kind.WATCH), "end_to_end": Kind.WATCH + 1}


def log(*events: tuple[int, int]) -> list[Event]:
    return [Event(cycle, 0, kind, 0) for cycle, kind in events]


def test_moments_count_from_their_interrupt_and_in_their_order() -> None:
    events = log(
        (5, Kind.WATCH),  # another trap, before any interrupt
        (10, Kind.INTERRUPT),
        (12, Kind.WATCH + 1),  # a switch that had begun before
        (13, Kind.REQUEST),
        (20, Kind.WATCH),
        (33, Kind.WATCH + 1),
        (40, Kind.WATCH),
        (100, Kind.INTERRUPT),
        (103, Kind.REQUEST),
        (111, Kind.WATCH),
        (122, Kind.WATCH + 1),
    )
    assert delays.delays(events, KINDS) == {"unit": [3, 3], "raw": [10, 11], "end_to_end": [23, 22]}


def test_an_interrupt_that_was_not_served_in_time_is_an_error() -> None:
    with pytest.raises(UserError, match="the interrupt of cycle 10 was not served by cycle 100"):
        delays.delays(log((10, Kind.INTERRUPT), (13, Kind.REQUEST), (100, Kind.INTERRUPT)), KINDS)


def test_spread_is_the_papers() -> None:
    found = delays.row("hybrid", "hw", "cache", "unit", [4, 4, 7])
    assert (found.interrupts, found.least, found.mean, found.most, found.jitter) == (3, 4, 5.0, 7, 2.0)
    assert found.histogram == {4: 2, 7: 1}


def test_histogram_covers_every_value() -> None:
    counts = {10: 1, 11: 2, 25: 3}
    assert delays.histogram(counts, buckets=4) == [(10, 13, 3), (14, 17, 0), (18, 21, 0), (22, 25, 3)]
    assert delays.histogram({7: 5}) == [(7, 7, 5)]


def test_paper_figures() -> None:
    assert scheduler.paper_cycles("linear", "dequeue", 250) == 1006
    assert scheduler.paper_cycles("bitmap", "dequeue", 2) == 24
    assert scheduler.paper_cycles("hybrid", "set_sched_param_queued", 250) == 50
    assert scheduler.paper_cycles("linear", "enqueue_software", 250) is None
    assert scheduler.paper_cycles("hybrid", "dequeue", 1000) is None


def unit(build: str, threads: int, operation: str, cycles: int) -> UnitRow:
    paper = scheduler.paper_cycles(build, operation, threads)
    return UnitRow(
        build=build, threads=threads, operation=operation, cycles=cycles, paper_cycles=paper, size=(256, 128)
    )


def delay(moment: str, values: list[int]) -> delays.DelayRow:
    return delays.row("hybrid", "hw", "cache", moment, values)


ROWS: list[Row] = [
    unit("linear", 2, "dequeue", 9),
    unit("linear", 250, "dequeue", 400),
    unit("hybrid", 2, "dequeue", 3),
    unit("hybrid", 250, "dequeue", 3),
    *(unit("hybrid", n, operation, 3) for operation in ("get_entry", "is_queued") for n in (2, 250)),
    unit("hybrid", 2, "enqueue_hardware", 4),
    delay("unit", [5, 5]),
    delay("end_to_end", [80, 90]),
]


def test_tables() -> None:
    operations = page.operations(ROWS)
    assert operations.rows == (
        ("1: one FIFO", "dequeue", f"13 to {number(1006)}", "9", "400", "2.5"),
        ("3: and hardware threads", "dequeue", "24", "3", "3", "8.0"),
        ("3: and hardware threads", "get_entry; is_queued", "10", "3", "3", "3.3"),
        ("3: and hardware threads", "enqueue_hardware", "20 and 1 bus transaction", "4", "-", "5.0"),
    )
    assert page.delays(ROWS).rows[1][3:] == ("-", "-", "80", "85.0", "90", "5.0", "2")
    assert len(page.drawn(ROWS)) == 1


def test_from_which_length_on_build_1_outlasts_a_switch() -> None:
    def decision(build: str, threads: int, busy: int) -> KernelRow:
        return KernelRow(
            build=build, threads=threads, operation="yield, switch", cycles=3, size=(256, 128), busy=busy
        )

    rows: list[Row] = [decision("linear", 2, 6), decision("linear", 250, 254), decision("bitmap", 250, 5)]
    assert page.outlasts(rows, {"full-context": 106}).rows == (
        ("[HT]: 2 us, 40 ns a thread", "-", "-", "-", "50"),
        ("full-context", "106", "6 to 254", "5", "103"),  # 103 + 4 cycles
    )
    assert page.outlasts(ROWS, {"full-context": 106}).rows == ()


PLACED = synth.Row(
    unit="cl_soc", build="hthreads-bitmap", threads=256, priorities=128,
    lut4=10_515, ff=2_467, bram=45, dram=146, dsp=0,
    fmax_mhz=25.0, fmax_min=24.0, fmax_max=26.0, seeds=3, device="LFE5U-45F-6",
    critical=pnr.TimingPath("a", "b", 40.0, 10.0, 9, ()),
)  # fmt: skip


def test_delays_in_microseconds_at_the_clock_of_the_platform_and_where_the_paper_is_better() -> None:
    found: list[Row] = [
        delays.row("bitmap", "hw", "cache", "raw", [10, 12]),
        delays.row("bitmap", "hw", "cache", "end_to_end", [45, 47, 100]),
        delays.row("linear", "sw", "loop", "end_to_end", [45, 47]),
        delays.row("hybrid", "hw", "loop", "end_to_end", [45, 47]),
        delays.row("hybrid", "hw", "loop", "thread", [45, 47]),  # of which the paper has nothing
    ]
    end, build = "new context about to load (end to end)", "2: FIFO per priority"
    assert page.microseconds(found, {"bitmap": PLACED}).rows == (
        (build, "fill the cache", "CPU traps (raw)", "LFE5U-45F-6", "25.0",
         "0.40", "0.44", "0.79", "0.48", "1.52", "yes", "yes"),
        (build, "fill the cache", end, "LFE5U-45F-6", "25.0",
         "1.80", "2.56", "1.90", "4.00", "3.30", "no", "no"),
        ("software kernel", "stay in the cache", end, "no published figure", "-",
         "-", "-", "-", "-", "-", "-", "-"),
        ("3: and hardware threads", "stay in the cache", end, "no published figure", "-",
         "-", "-", "1.90 (build 2)", "-", "3.30 (build 2)", "-", "-"),
    )  # fmt: skip


def test_clocks_are_those_of_the_published_synth(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    assert published.clocks() == {}
    path = SYNTH.published
    path.parent.mkdir(parents=True)
    other = msgspec.structs.replace(PLACED, build="smp-standard")
    unit = msgspec.structs.replace(PLACED, unit="cl_scheduler")
    content = SYNTH.result(name="synth", rows=[other, PLACED, unit])
    path.write_bytes(results.publish(content))
    assert published.clocks() == {"bitmap": PLACED}


def test_figures_are_from_the_rows() -> None:
    measured = [figure.measured for figure in scheduler.figures(ROWS)]
    assert measured == [3, 4, 0, 85.0, 5.0]
