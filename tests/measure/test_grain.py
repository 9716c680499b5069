# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench grain`: its cases, the gains over the best rival, and what is drawn of them."""

from __future__ import annotations

import pytest

from coreloom.benches.grain import page
from coreloom.benches.grain.bench import (
    BETWEEN,
    CACHED,
    CPUS,
    MANY,
    SDRAM,
    SOME_OBJECTS,
    SRAM,
    Case,
    Place,
    Row,
    cases,
    gains,
    measure,
)
from coreloom.report import plots
from coreloom.report.page import prose


def row(
    kernel: str, between: int, done: int, cpus: int = 1, window: int = 1_000_000, **others: object
) -> Row:
    given = {"object": "semaphore", "memory": "sram", "threads": 2 * cpus, "longest": None, **others}
    return Row(cpus=cpus, between=between, kernel=kernel, done=done, window=window, **given)  # type: ignore[arg-type]


ROWS = [
    row("hw", 10, 300),
    row("sw", 10, 100),
    row("freertos", 10, 150),
    row("hw", 1000, 50, window=500_000),
    row("sw", 1000, 95),
    row("hw", 10, 900, 2),
    row("sw", 10, 100, 2),
    row("hw", 1000, 220, 2),
    row("sw", 1000, 100, 2),
]


def test_every_place_has_the_hardware_kernel_and_a_rival() -> None:
    wanted = cases()
    assert len(set(wanted)) == len(wanted)
    by_place: dict[object, list[str]] = {}
    for case in wanted:
        by_place.setdefault((case.object, case.memory, case.cpus, case.threads, case.between), []).append(
            case.kernel
        )
    assert all("hw" in kernels and len(kernels) > 1 for kernels in by_place.values())
    assert {case.memory for case in wanted if case.object in SOME_OBJECTS} == {SRAM, SDRAM, CACHED}
    semaphores = [
        case for case in wanted if case.object == "semaphore" and not case.alone and case.memory == SRAM
    ]
    assert {(case.cpus, case.between) for case in semaphores} == {
        (n, b) for n in (*CPUS, MANY) for b in BETWEEN
    }
    assert {case.kernel for case in wanted if case.alone and case.object == "mutex"} == {
        "hw",
        "sw",
        "fine",
        "lock_unit",
    }
    assert {case.kernel for case in wanted if case.object == "barrier"} == {"hw", "sw", "fine"}
    assert {case.kernel for case in semaphores if case.cpus == 2} == {"hw", "sw", "fine", "freertos"}
    assert {case.kernel for case in semaphores if case.cpus == 1} == {
        "hw",
        "sw",
        "freertos",
        "freertos-tuned",
    }


def test_the_gain_is_over_the_best_rival_of_the_same_place() -> None:
    found = gains(ROWS)
    one, two = Place("semaphore", "sram", 1, 2), Place("semaphore", "sram", 2, 4)
    assert [(each.gain, each.best) for each in found[one].values()] == [
        (2.0, "freertos"),
        (pytest.approx(100 / 95), "sw"),
    ]
    assert [each.gain for each in found[two].values()] == [9.0, 2.2]
    assert page.limit(dict(found[one])) == 10
    assert page.limit(dict(found[two])) == 1000
    assert page.limit({10: found[one][1000]}) is None
    assert page.reach(ROWS) == (
        "A gain of 1.1 ends at 10 cycles of work between two calls with 1 CPU, and lasts beyond "
        f"{prose(1000)} with 2 CPUs"
    )


def test_what_is_drawn_has_a_line_where_the_gain_ends() -> None:
    pytest.importorskip("matplotlib")
    chart = page.chart(ROWS)
    assert chart.panels == {
        "semaphores": {(1, 10): 2.0, (1, 1000): pytest.approx(100 / 95), (2, 10): 9.0, (2, 1000): 2.2}
    }
    assert chart.text == (
        "What the hardware kernel gains (times as much done as with the best rival, by cycles of work "
        "between two calls and CPUs). semaphores: 1.05 to 9"
    )
    drawn = plots.draw(chart)
    assert drawn.count(plots._EDGE) == 2  # beside the one cell below it, and above it
    assert "NaN" not in drawn


def test_the_share_that_interrupts_leave() -> None:
    rows = [
        row("hw", 0, 1000, object="interrupt"),
        row("hw", 300, 400, object="interrupt", served=3330),
        row("sw", 0, 500, object="interrupt"),
        row("sw", 300, 100, object="interrupt", served=2500),
        row("freertos", 0, 500, object="interrupt"),
        row("freertos", 300, 500, object="interrupt", served=0),
    ]
    table = page._left(rows)
    assert (table.columns, table.rows) == (
        ("kernel", "300"),
        (("hardware kernel", "40%"), ("software kernel", "20% (75% served)"), ("FreeRTOS", "0%")),
    )


def test_the_longest_wait_is_told_for_each_kernel() -> None:
    rows = [row("hw", 10, 5, object="mutex", longest=90), row("sw", 10, 5, object="mutex", longest=4000)]
    assert page._longest(rows).rows == (("1", "2", "10", "90", "4 000"),)


@pytest.mark.runtime
def test_each_interrupt_is_served_from_the_beginning_of_the_window_to_its_end() -> None:
    rows = [measure(Case("interrupt", kernel, 1, 1000)) for kernel in ("hw", "sw")]
    assert [(row.served, row.window) for row in rows] == [(160, 160_000)] * 2


@pytest.mark.runtime
@pytest.mark.golden
def test_a_place_of_the_map() -> None:
    done = {kernel: measure(Case("semaphore", kernel, 1, 10)).done for kernel in ("hw", "sw")}
    assert done == {"hw": 953, "sw": 344}
