# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench switch`: what it makes of a log, exact rows of cheap cases, its table and figures."""

from __future__ import annotations

import dataclasses

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
    Case("voluntary", "sw", "standard", 1, "warm"): (98, 98.0, 98, (None, 3, 84, 11, None)),
    Case("voluntary", "hw", "standard", 1, "driven out"): (36, 43.0, 50, (6, 3, 14, 13, None)),
    Case("voluntary", "hw", "standard", 2, "warm"): (34, 34.6, 35, (6, 4, 12, 13, None)),
    Case("voluntary", "hw", "fast", 1, "warm"): (61, 61.0, 61, (11, 3, 23, 24, None)),
    Case("voluntary", "sw", "fast", 1, "warm"): (194, 194.0, 194, (None, 3, 169, 22, None)),
    Case("voluntary", "hw", "economy", 1, "warm"): (108, 108.0, 108, (17, 11, 30, 50, None)),
    Case("voluntary", "sw", "economy", 1, "warm"): (331, 331.0, 331, (None, 11, 278, 42, None)),
    Case("preemption", "hw", "standard", 1, "warm"): (106, 106.0, 106, (None, 41, 9, 27, 29)),
    Case("preemption", "sw", "standard", 1, "warm"): (191, 191.0, 191, (None, 44, 94, 25, 28)),
    Case("preemption", "hw", "standard", 1, "driven out"): (137, 163.5, 170, (None, 74, 9, 43, 44)),
    Case("preemption", "hw", "standard", 2, "warm"): (159, 159.0, 159, (None, 68, 9, 38, 44)),
    Case("preemption", "hw", "fast", 1, "warm"): (273, 273.0, 273, (None, 72, 32, 79, 90)),
    Case("preemption", "sw", "fast", 1, "warm"): (485, 485.0, 485, (None, 75, 242, 85, 83)),
    Case("preemption", "hw", "economy", 1, "warm"): (567, 567.0, 567, (None, 268, 51, 125, 123)),
    Case("preemption", "sw", "economy", 1, "warm"): (774, 774.0, 774, (None, 239, 315, 110, 110)),
    Case("interrupt", "hw", "standard", 1, "warm"): (86, 86.0, 86, (9, 41, 9, 13, 14)),
    Case("interrupt", "sw", "standard", 1, "warm"): (153, 153.0, 153, (6, 44, 75, 11, 17)),
    Case("interrupt", "hw", "standard", 1, "driven out"): (92, 127.2, 139, (11, 71, 9, 15, 26)),
    Case("interrupt", "hw", "standard", 2, "warm"): (123, 123.7, 124, (9, 68, 9, 13, 25)),
    Case("interrupt", "hw", "fast", 1, "warm"): (200, 201.0, 204, (21, 72, 32, 24, 51)),
    Case("interrupt", "sw", "fast", 1, "warm"): (418, 418.7, 422, (15, 104, 224, 22, 53)),
    Case("interrupt", "hw", "economy", 1, "warm"): (447, 449.1, 452, (15, 268, 51, 50, 65)),
    Case("interrupt", "sw", "economy", 1, "warm"): (618, 619.6, 623, (8, 239, 261, 42, 69)),
    Case("interrupt", "hw", "standard", 1, "warm", 8, 0): (85, 85.9, 86, (9, 41, 9, 13, 14)),
    Case("interrupt", "hw", "standard", 1, "driven out", 8, 0): (86, 95.4, 99, (9, 46, 9, 16, 16)),
    Case("preemption", "hw", "standard", 1, "driven out", 8, 0): (108, 116.3, 118, (None, 46, 9, 32, 30)),
    Case("interrupt", "sw", "standard", 1, "driven out", 8, 0): (181, 195.2, 200, (8, 55, 102, 15, 17)),
    Case("interrupt", "hw", "economy", 1, "warm", 8, 0): (447, 448.8, 452, (15, 268, 51, 50, 65)),
    Case("interrupt", "hw", "standard", 2, "warm", 0, 128): (85, 85.9, 87, (9, 41, 9, 13, 14)),
    Case("interrupt", "sw", "standard", 2, "warm", 0, 128): (206, 206.1, 207, (6, 59, 101, 12, 28)),
    Case("preemption", "hw", "standard", 2, "warm", 0, 128): (106, 106.0, 106, (None, 41, 9, 27, 29)),
    Case("voluntary", "hw", "standard", 1, "warm", 0, 0, 2): (31, 31.0, 31, (6, 3, 11, 11, None)),
    Case("preemption", "hw", "standard", 1, "warm", 0, 0, 2): (78, 78.0, 78, (None, 3, 6, 14, 55)),
    Case("preemption", "hw", "standard", 2, "warm", 0, 128, 2): (78, 78.0, 78, (None, 3, 6, 14, 55)),
    Case("interrupt", "hw", "standard", 1, "warm", 0, 0, 2): (45, 45.0, 45, (9, 3, 6, 13, 14)),
    Case("interrupt", "hw", "standard", 1, "driven out", 8, 0, 2): (45, 50.8, 53, (10, 4, 6, 15, 16)),
    Case("interrupt", "hw", "standard", 2, "warm", 8, 128, 2): (44, 44.8, 45, (9, 3, 6, 13, 14)),
    Case("interrupt", "hw", "standard", 2, "driven out", 0, 0, 2): (78, 102.6, 132, (8, 5, 6, 23, 60)),
}


@pytest.mark.parametrize("case", FIGURES, ids=lambda case: case.text)
@pytest.mark.nightly(
    but=(
        "voluntary, hardware kernel, standard core, 1 CPU, cache warm",
        "voluntary, hardware kernel, economy core, 1 CPU, cache warm",
        "preemption, software kernel, fast core, 1 CPU, cache warm",
        "interrupt, software kernel, standard core, 1 CPU, cache driven out, memory.context_kib = 8",
        "interrupt, hardware kernel, standard core, 2 CPUs, cache warm, memory.context_kib = 8, "
        "bus_first_cycles = 128, register_banks = 2",
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
    # With keys, of each kind and kernel: standard on 1 CPU 1, on 8 CPUs 3, twice; economy 4; fast 1, twice.
    usual = 3 * 2 * ((2 + 1 + 2) * 4 + 2 * 4 + 4 + 2) + 2 * 4
    # With two banks, of each kind and cache 2 on 1 CPU and on 8; of interrupts on 16.
    assert len(set(cases)) == usual + 3 * 2 * (2 + 2) + 2 * 2
    assert {(case.kernel, case.core) for case in cases if case.register_banks > 1} == {("hw", "standard")}
    assert len(cases) == len(set(cases))
    assert {(case.kind, case.kernel, case.core) for case in cases if case.cpus == 16} == {
        ("interrupt", "hw", "standard")
    }
    assert not [case for case in cases if case.core == "economy" and case.cache != "warm"]
    assert not [case for case in cases if case.core == "fast" and case.context_kib]


def test_the_table_and_the_figures() -> None:
    found = [{"entry": 9, "save": save, "decide": 9, "load": 13, "resume": 14} for save in (42, 42, 42)]
    few = Case("interrupt", "hw", "standard", 1, "warm", switch.CONTEXT_KIB)
    many = Case(
        "interrupt", "hw", "standard", 16, "warm", switch.CONTEXT_KIB, switch.FIRST_CYCLES["standard"]
    )
    warm = switch.row(few, [*found * 3, {**found[0], "save": 44}])
    busy = switch.row(many, found * 3)
    without = switch.row(Case("interrupt", "hw", "standard", 16), found * 3)
    banks = switch.row(dataclasses.replace(many, register_banks=2), found * 3)
    assert page.table([warm], "interrupt").rows == (
        (
            *("standard", "hardware kernel", "warm", "context_kib = 8", "1", "87", "87.3", "89", "2"),
            *("9", "42 / 44", "9", "13", "14", "6"),
        ),
    )
    assert page.table([warm], "voluntary").rows == ()
    assert [(figure.measured, figure.reached) for figure in switch.figures([without, warm, busy])] == [
        (89, False),
        (2, True),
        (87, True),
        (0, True),
    ]
    said = "interrupt to thread, full context, cache warm, 15 busy neighbours, two banks"
    assert [(figure.what, figure.reached) for figure in switch.figures([banks])] == [
        (f"{said}: worst (cycles)", False),
        (f"{said}: jitter (cycles)", True),
    ]
