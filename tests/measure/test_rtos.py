# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench rtos`: what it makes of a log, exact rows of cheap measurements, its tables and figures."""

from __future__ import annotations

import msgspec
import pytest

from coreloom.benches.rtos import bench as rtos
from coreloom.benches.rtos import page, reach
from coreloom.benches.rtos.bench import Case, Row
from coreloom.benches.rtos.measurements import ACROSS, FRONT_ENDS, MEASUREMENTS
from coreloom.errors import UserError
from coreloom.toolchain import freertos
from coreloom.toolchain.firmware import FREERTOS

# --- what a log says -----------------------------------------------------------------------


def test_a_span_is_from_the_last_begin_to_the_next_end() -> None:
    log = [("end", 3), ("begin", 10), ("begin", 20), ("end", 35), ("end", 40), ("begin", 50), ("end", 51)]
    assert rtos.spans(log, "begin", "end") == [15, 1]
    assert rtos.spans([("begin", 10)], "begin", "end") == []


def test_an_end_that_is_seen_again_after_an_interrupt_counts_once() -> None:
    log = [
        ("turn", 5),
        ("count", 10),
        ("turn", 12),
        ("turn", 170),
        ("count", 200),
        ("other", 201),
        ("turn", 202),
    ]
    assert rtos.ends(log, "count", "turn") == [12, 202]


def test_counts_of_threads_that_take_turns_differ_by_one_at_most() -> None:
    assert rtos.in_step((7, 7, 6, 6, 6), 32, summed=True)
    assert not rtos.in_step((8, 7, 6, 6, 6), 33, summed=True)
    assert not rtos.in_step((7, 7, 6, 6, 6), 30, summed=True)
    assert rtos.in_step((100, 101), 100, summed=False)
    assert not rtos.in_step((100, 102), 100, summed=False)


# --- exact rows ------------------------------------------------------------------------------

ROUNDS, WINDOW = 20, 50_000


def measured(
    part: str, name: str, ground: str, cpus: int = 1, cold: bool = False
) -> list[tuple[object, ...]]:
    """(case, min, mean, max) of each row."""
    try:
        rows = rtos.measure(Case(MEASUREMENTS[part, name], ground, cpus=cpus, cold=cold), ROUNDS, WINDOW)
    except freertos.Missing as missing:
        pytest.skip(str(missing))
    assert all(row.rounds == ROUNDS for row in rows if part != "metric")
    return [(row.case, row.min, row.mean, row.max) for row in rows]


EXACT: dict[tuple[str, str, str], list[tuple[object, ...]]] = {
    ("service", "yield", "hw"): [(None, 29, 29.0, 29)],
    ("service", "yield", "sw"): [(None, 77, 77.0, 77)],
    ("service", "yield", "freertos"): [(None, 142, 142.4, 144)],
    ("service", "yield", "freertos-tuned"): [(None, 100, 100.4, 102)],
    ("service", "semaphore_one", "hw"): [(None, 23, 23.0, 23)],
    ("service", "semaphore_one", "sw"): [(None, 55, 55.0, 55)],
    ("service", "queue4_one", "hw"): [(None, 165, 165.0, 165)],
    ("service", "queue4_one", "sw"): [(None, 161, 161.0, 161)],
    ("service", "block_one", "hw"): [(None, 53, 53.0, 53)],
    ("service", "block_one", "sw"): [(None, 70, 70.0, 70)],
    ("service", "mutex_free", "hw"): [(None, 22, 22.0, 22)],
    ("service", "mutex_free", "sw"): [(None, 49, 49.0, 49)],
    ("service", "memory", "hw"): [(None, 153, 153.0, 153)],
    ("service", "memory", "sw"): [(None, 147, 147.0, 147)],
    ("service", "create_less", "hw"): [(None, 273, 273.0, 273)],
    ("service", "create_less", "sw"): [(None, 507, 508.4, 510)],
    ("service", "create_more", "hw"): [(None, 310, 310.0, 310)],
    ("service", "create_more", "sw"): [(None, 509, 512.8, 514)],
    ("metric", "synchronisation", "hw"): [(None, 29, 29.0, 29)],
    ("metric", "message", "hw"): [(None, 55, 55.0, 55)],
    ("call", "sem_wait", "hw"): [
        ("at once", 13, 13.0, 13),
        ("gives way", 78, 78.0, 78),
        ("woken", 84, 84.0, 84),
    ],
    ("call", "cond_wait", "hw"): [("gives way", 123, 123.0, 123), ("woken", 113, 113.0, 113)],
}


@pytest.mark.parametrize(("part", "name", "ground"), EXACT)
@pytest.mark.nightly(
    but=(
        "service-yield-hw",
        "service-yield-freertos",
        "service-yield-freertos-tuned",
        "service-semaphore_one-sw",
        "service-queue4_one-sw",
        "service-block_one-sw",
        "service-mutex_free-sw",
        "service-memory-sw",
        "service-create_less-hw",
        "service-create_more-sw",
        "metric-synchronisation-hw",
        "metric-message-hw",
        "call-sem_wait-hw",
        "call-cond_wait-hw",
    )
)
@pytest.mark.runtime
def test_rows_are_exact(part: str, name: str, ground: str) -> None:
    assert measured(part, name, ground) == EXACT[part, name, ground]


def test_packets_fit_into_40_kib_with_the_software_kernel() -> None:
    """A send is one copy, a receive is little more than taking the message."""
    (job,) = rtos.packets(["sw"], "standard")
    assert job.measure(print)[0] <= reach.PACKETS_BYTES == 40 << 10


@pytest.mark.runtime
def test_an_interrupt_takes_longer_with_the_cache_driven_out() -> None:
    ((_, *warm),) = measured("service", "line", "hw")
    ((_, *cold),) = measured("service", "line", "hw", cold=True)
    assert (warm, cold) == ([74, 74.2, 75], [86, 108.0, 116])


@pytest.mark.runtime
def test_two_threads_take_turns_on_two_cpus() -> None:
    assert measured("service", "semaphore_across", "hw", cpus=2) == [(None, 31, 31.0, 31)]


@pytest.mark.runtime
def test_condition_variables_are_not_slower_across_cpus() -> None:
    """Once a quarter of the rounds was lost unseen, as a wait stored registers in a frame."""
    assert measured("metric", "condition_across", "hw", cpus=2) == [(None, 114, 124.0, 124)]
    assert measured("metric", "condition_across", "hw", cpus=8) == [(None, 140, 154.0, 175)]


@pytest.mark.runtime
def test_a_task_that_ends_on_the_other_cpu_is_created_again() -> None:
    """FreeRTOS, in the same static memory, which was once used again too early, seen only after a while."""
    case = Case(MEASUREMENTS["call", "join"], "freertos", cpus=2, across=True)
    try:
        (row,) = rtos.measure(case)
    except freertos.Missing as missing:
        pytest.skip(str(missing))
    assert (row.case, row.min, row.mean, row.max, row.rounds) == (ACROSS, 1246, 1311.4, 1636, rtos.ROUNDS)


@pytest.mark.nightly
@pytest.mark.parametrize("case", rtos.cases(), ids=lambda case: case.text() + ", across" * case.across)
def test_all_of_it(case: Case) -> None:
    try:
        rows = rtos.measure(case, 4, WINDOW)
    except freertos.Missing as missing:
        pytest.skip(str(missing))
    assert all(0 < row.min <= row.mean <= row.max and row.code_bytes > 4000 for row in rows)


# --- what fails, and what is measured ---------------------------------------------------------


@pytest.mark.runtime
def test_a_program_that_fails_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rtos, "in_step", lambda *_: False)
    with pytest.raises(UserError) as error:
        measured("metric", "synchronisation", "hw")
    assert str(error.value) == (
        "synchronisation processing: hardware kernel, 1 CPU: the program failed "
        "(counts (1723,) of 1723 turns): a bug in Coreloom"
    )


def test_what_is_measured_where() -> None:
    cases = rtos.cases()
    assert len(cases) == len(set(cases)) == 541
    assert {case.ground for case in cases if case.measurement.name == "cond_wait"} == {"hw", "sw", "fine"}
    assert [(case.cpus, case.ground) for case in cases if case.measurement.name == "condition_across"] == [
        (cpus, ground) for cpus in (2, 8) for ground in ("hw", "sw", "fine")
    ]
    assert {case.ground for case in cases if case.measurement.name == "notification_equals"} == {
        "freertos",
        "freertos-tuned",
    }
    assert all(case.cpus >= 2 for case in cases if case.measurement.across or case.across)
    assert {case.ground for case in cases if case.cpus == 2} == {"hw", "sw", "fine", "freertos"}
    assert {case.ground for case in cases if case.cpus == 1} == {"hw", "sw", *FREERTOS}
    assert not any(case.cold for case in rtos.cases(core="economy"))


def test_what_is_measured_through_front_ends() -> None:
    cases = rtos.front_end_cases()
    assert len(cases) == len(set(cases)) == (7 + 7 + 6) * 2 * 2
    assert {case.api for case in cases} == {"freertos", "cmsis_rtos2", "itron"} == set(FRONT_ENDS)
    names = {case.measurement.name for case in cases if case.api == "itron"}
    assert names == {
        "cooperative", "preemptive", "interrupt", "interrupt_preemption", "message", "synchronisation",
    }  # fmt: skip
    assert {case.measurement.name for case in cases} == names | {"memory"}
    assert cases[0].text() == "cooperative scheduling: hardware kernel, API freertos, 1 CPU"


@pytest.mark.runtime
def test_a_row_through_each_front_end_is_exact() -> None:
    found = {
        api: rtos.measure(Case(MEASUREMENTS["metric", "synchronisation"], "hw", api=api), 0, WINDOW)[0]
        for api in FRONT_ENDS
    }
    assert {row.api: row.mean for row in found.values()} == {"freertos": 44, "cmsis_rtos2": 56, "itron": 66}


@pytest.mark.nightly
@pytest.mark.parametrize("case", rtos.front_end_cases(), ids=lambda case: case.text())
def test_all_of_it_through_front_ends(case: Case) -> None:
    (row,) = rtos.measure(case, 0, WINDOW)
    assert 0 < row.min <= row.mean <= row.max and row.api == case.api


# --- tables and figures ------------------------------------------------------------------------


def row(ground: str, mean: float, name: str = "yield", part: str = "service", case: str | None = None) -> Row:
    iterations = 100 if part == "metric" else None
    return Row(
        part=part, measurement=name, case=case, ground=ground, core="standard", cpus=1, cache="warm",
        min=1, mean=mean, max=2000, rounds=20, iterations=iterations, code_bytes=9000,
    )  # fmt: skip


ROWS = [
    row("hw", 50),
    row("sw", 100.5),
    row("freertos", 140),
    row("freertos-tuned", 99),
    row("hw", 10, "cooperative", "metric"),
    row("sw", 25, "cooperative", "metric"),
    row("freertos", 26, "cooperative", "metric"),
    row("sw", 40, "sem_wait", "call", ACROSS),
]


def test_a_ratio_is_against_the_better_rival_and_names_it() -> None:
    result = rtos.Result(name="rtos", rows=ROWS, packets_bytes={"sw": 50_000}, reach=reach.figures(ROWS, {}))
    iterations, metrics, services, calls, slower = page.tables(result)
    assert iterations.rows == (("cooperative scheduling", "1", "100", "100", "100"),)
    assert metrics.rows[0][2:] == (
        "1 / 10.0 / 2 000", "1 / 25.0 / 2 000", "1 / 26.0 / 2 000", "2.50", "software kernel",
    )  # fmt: skip
    assert services.rows[0][-2:] == ("1.98", "FreeRTOS, our port")
    assert calls.rows == (("sem_wait: woken by the other CPU", "1 / 40.0 / 2 000", "-", "software kernel"),)
    assert slower.rows == (
        (
            "yield, ring of five: to the next thread",
            "1",
            "warm",
            "100.5",
            "99.0",
            "FreeRTOS, our port",
            "1.02",
        ),
    )
    assert [figure.what for figure in result.reach] == [
        "cooperative scheduling: software kernel over hardware kernel",
        "software kernel, yield, ring of five: to the next thread: mean (cycles)",
        "rows of 1 CPU, software kernel not slower than FreeRTOS",
    ]
    (code,) = page.details(result)
    assert code.rows[-1] == ("application packets", "-", "-", "50 000", "-", "-", "-", "-", "-")


def test_figures_are_from_the_rows() -> None:
    found = reach.figures(ROWS, {"sw": 40 << 10})
    assert [(figure.measured, figure.reached) for figure in found] == [
        (2.5, True),
        (100.5, False),
        (1, False),
        (40960, True),
    ]


def test_front_ends_are_compared_with_the_native_api_and_with_freertos() -> None:
    by_api = [
        msgspec.structs.replace(row(ground, mean, "cooperative", "metric"), api=api)
        for api, ground, mean in (("freertos", "hw", 20), ("freertos", "sw", 30), ("itron", "hw", 11))
    ]
    result = rtos.Result(name="rtos", rows=ROWS, front_ends=by_api, packets_bytes={})
    table = page.front_ends(result)
    assert table.rows == (
        ("FreeRTOS's API", "cooperative scheduling", "1", "20.0", "2.00", "1.30", "30.0", "1.20", "0.87"),
        ("uITRON", "cooperative scheduling", "1", "11.0", "1.10", "2.36", "-", "-", "-"),
    )
    assert table in page.details(result) and table.title not in [t.title for t in page.tables(result)]
    assert [(f.what, f.measured, f.reached) for f in reach.figures(ROWS, {}, by_api)[-3:]] == [
        ("FreeRTOS's API on the hardware kernel: cycles over the native API's, at most", 2.0, False),
        ("FreeRTOS's API on the hardware kernel: FreeRTOS over it, at least", 1.3, False),
        ("uITRON on the hardware kernel: cycles over the native API's, at most", 1.1, True),
    ]
