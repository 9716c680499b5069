# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench switch`: what it makes of a log, exact rows of cheap cases, its table and figures."""

from __future__ import annotations

import pytest

from coreloom.benches.switch import bench as switch
from coreloom.benches.switch import page
from coreloom.benches.switch.bench import STAGES, Case
from coreloom.errors import UserError
from coreloom.simulation.simulate import Event, Kind

WATCHED = ["interrupt", "store", "away", "to", "return", "served"]
LINE_TO_THREAD = [
    (10, Kind.INTERRUPT),
    (19, Kind.WATCH),
    (39, Kind.TRAP),
    (48, Kind.WATCH + 1),
    (70, Kind.WATCH + 3),
    (83, Kind.RUN),
    (97, Kind.WATCH + 5),
]


def log(*events: tuple[int, int], cpu: int = 0) -> list[Event]:
    return [Event(cycle, cpu, kind, 0) for cycle, kind in events]


def test_the_stages_of_a_switch_are_those_of_cpu_0_and_add_up_to_it() -> None:
    other = log((20, Kind.TRAP), (40, Kind.WATCH + 1), (50, Kind.INTERRUPT), cpu=1)
    events = sorted(log((2, Kind.INTERRUPT), *LINE_TO_THREAD) + other)
    (stages,) = switch.switches("interrupt", "hw", events, WATCHED)
    assert stages == {"entry": 9, "save": 42, "decide": 9, "load": 13, "resume": 14}
    assert sum(stages.values()) == 97 - 10


def test_a_row_has_the_stages_of_the_median_and_of_the_longest_switch() -> None:
    found = [{"entry": 90, "save": 90}] * switch.WARM_UP
    found += [{"entry": 9, "save": save} for save in (41, 42, 42, 55)]
    row = switch.row(Case("interrupt", "hw", "standard"), found)
    assert (row.switches, row.min, row.mean, row.max, row.jitter) == (4, 50, 54.0, 64, 14)
    assert (row.median, row.median_stages) == (51, {"entry": 9, "save": 42})
    assert row.max_stages == {"entry": 9, "save": 55}
    with pytest.raises(UserError, match="no switch was seen"):
        switch.row(Case("interrupt", "hw", "standard"), found[: switch.WARM_UP])


# Of each case: min, mean, max, and the stages of the median.
ROUNDS = 20
FIGURES: dict[Case, tuple[int, float, int, tuple[int | None, ...]]] = {
    Case("voluntary", "hw", "standard", 1, "warm"): (33, 33.0, 33, (6, 3, 11, 13, None)),
    Case("voluntary", "sw", "standard", 1, "warm"): (103, 103.0, 103, (None, 3, 89, 11, None)),
    Case("voluntary", "hw", "standard", 1, "driven out"): (36, 43.0, 50, (6, 3, 14, 13, None)),
    Case("voluntary", "hw", "standard", 2, "warm"): (34, 34.6, 35, (6, 4, 12, 13, None)),
    Case("voluntary", "hw", "fast", 1, "warm"): (61, 61.0, 61, (11, 3, 23, 24, None)),
    Case("voluntary", "sw", "fast", 1, "warm"): (196, 196.0, 196, (None, 3, 171, 22, None)),
    Case("voluntary", "hw", "economy", 1, "warm"): (108, 108.0, 108, (17, 11, 30, 50, None)),
    Case("voluntary", "sw", "economy", 1, "warm"): (340, 340.0, 340, (None, 11, 287, 42, None)),
    Case("preemption", "hw", "standard", 1, "warm"): (106, 106.0, 106, (None, 41, 9, 27, 29)),
    Case("preemption", "sw", "standard", 1, "warm"): (194, 194.1, 196, (None, 44, 97, 25, 28)),
    Case("preemption", "hw", "standard", 1, "driven out"): (137, 163.5, 170, (None, 74, 9, 43, 44)),
    Case("preemption", "hw", "standard", 2, "warm"): (159, 159.0, 159, (None, 68, 9, 38, 44)),
    Case("preemption", "hw", "fast", 1, "warm"): (273, 273.0, 273, (None, 72, 32, 79, 90)),
    Case("preemption", "sw", "fast", 1, "warm"): (592, 592.0, 592, (None, 107, 311, 91, 83)),
    Case("preemption", "hw", "economy", 1, "warm"): (567, 567.0, 567, (None, 268, 51, 125, 123)),
    Case("preemption", "sw", "economy", 1, "warm"): (780, 780.0, 780, (None, 239, 321, 110, 110)),
    Case("interrupt", "hw", "standard", 1, "warm"): (86, 86.0, 86, (9, 41, 9, 13, 14)),
    Case("interrupt", "sw", "standard", 1, "warm"): (166, 166.7, 167, (6, 44, 89, 11, 17)),
    Case("interrupt", "hw", "standard", 1, "driven out"): (92, 127.2, 139, (11, 71, 9, 15, 26)),
    Case("interrupt", "hw", "standard", 2, "warm"): (124, 124.0, 124, (9, 68, 9, 13, 25)),
    Case("interrupt", "hw", "fast", 1, "warm"): (200, 200.9, 204, (21, 72, 32, 24, 51)),
    Case("interrupt", "sw", "fast", 1, "warm"): (387, 388.3, 391, (16, 61, 225, 22, 64)),
    Case("interrupt", "hw", "economy", 1, "warm"): (447, 449.1, 452, (15, 268, 51, 50, 65)),
    Case("interrupt", "sw", "economy", 1, "warm"): (667, 668.4, 671, (8, 239, 310, 42, 69)),
    Case("interrupt", "sw", "standard", 1, "driven out", True): (188, 212.0, 226, (7, 53, 122, 15, 17)),
    Case("interrupt", "hw", "economy", 1, "warm", True): (447, 448.8, 452, (14, 268, 51, 50, 65)),
    Case("interrupt", "sw", "standard", 2, "warm", True): (198, 198.9, 199, (6, 46, 118, 12, 17)),
    Case("interrupt", "hw", "standard", 1, "driven out", True): (50, 50.8, 52, (9, 4, 6, 15, 16)),
    Case("interrupt", "hw", "standard", 2, "warm", True): (44, 44.8, 45, (9, 3, 6, 13, 14)),
}


@pytest.mark.parametrize("case", FIGURES, ids=lambda case: case.text)
@pytest.mark.nightly(
    but=(
        "voluntary, hardware kernel, standard core, 1 CPU, cache warm",
        "voluntary, hardware kernel, economy core, 1 CPU, cache warm",
        "preemption, software kernel, fast core, 1 CPU, cache warm",
        "interrupt, software kernel, standard core, 1 CPU, cache driven out, low jitter",
        "interrupt, hardware kernel, standard core, 2 CPUs, cache warm, low jitter",
    )
)
@pytest.mark.runtime
def test_figures_of_switches(case: Case) -> None:
    row = switch.measure(case, ROUNDS)
    stages = tuple(row.median_stages.get(stage) for stage in STAGES)
    assert (row.min, row.mean, row.max, stages) == FIGURES[case]
    assert sum(row.median_stages.values()) == row.median
    assert sum(row.max_stages.values()) == row.max
    assert row.jitter == row.max - row.min


def test_each_kind_has_every_core_kernel_and_number_of_cpus() -> None:
    cases = switch.cases()
    # Of each kind and kernel on 1 and 8 CPUs: standard and fast twice, economy; of interrupts on 16.
    usual = 3 * 2 * (2 + 2 + 1) * 2 + 2
    # With low jitter: standard twice, economy; of interrupts on 16.
    assert len(set(cases)) == usual + 3 * 2 * (2 + 1) * 2 + 2
    assert len(cases) == len(set(cases))
    assert {(case.kind, case.kernel, case.core) for case in cases if case.cpus == 16} == {
        ("interrupt", "hw", "standard")
    }
    assert not [case for case in cases if case.core == "economy" and case.cache != "warm"]
    assert not [case for case in cases if case.core == "fast" and case.low_jitter]


def test_the_table_and_the_figures() -> None:
    found = [{"entry": 9, "save": save, "decide": 9, "load": 13, "resume": 14} for save in (42, 42, 42)]
    few = Case("interrupt", "hw", "standard", 1, "warm", low_jitter=True)
    many = Case("interrupt", "hw", "standard", 16, "warm", low_jitter=True)
    warm = switch.row(few, [*found * 3, {**found[0], "save": 44}])
    busy = switch.row(many, found * 3)
    without = switch.row(Case("interrupt", "hw", "standard", 16), found * 3)
    assert page.table([warm], "interrupt").rows == (
        (
            *("standard", "hardware kernel", "warm", "yes", "1", "87", "87.3", "89", "2"),
            *("9", "42 / 44", "9", "13", "14", "6"),
        ),
    )
    assert page.table([warm], "voluntary").rows == ()
    assert [(figure.measured, figure.reached) for figure in switch.figures([without, warm, busy])] == [
        (89, False),
        (2, True),
        (87, False),
        (0, True),
    ]
