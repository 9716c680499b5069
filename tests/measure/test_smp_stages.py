# SPDX-License-Identifier: Apache-2.0
"""The stages of a switch, and what operations wait for at the engine."""

from __future__ import annotations

import itertools

import msgspec
import pytest

from coreloom.apps import APPS
from coreloom.benches.smp import modules, stages
from coreloom.design import key_costs
from coreloom.report.table import number
from coreloom.simulation.measure import waits
from coreloom.simulation.simulate import Event, Kind, ModuleState
from coreloom.toolchain.firmware import FREERTOS


def test_a_switch_is_followed_from_its_first_event_to_its_last() -> None:
    order = (Kind.CALL, Kind.MODULE, "to", Kind.RUN)
    events = [
        Event(10, 0, Kind.CALL, 0),  # does not give way
        Event(12, 0, Kind.MODULE, ModuleState.EXECUTES),
        Event(20, 0, Kind.CALL, 0),
        Event(21, 0, Kind.MODULE, ModuleState.OTHER),  # no operation
        Event(23, 0, Kind.MODULE, ModuleState.WAITS),
        Event(25, 0, Kind.MODULE, ModuleState.EXECUTES),
        Event(30, 0, Kind.WATCH + 1, 0),
        Event(40, 0, Kind.RUN, 1),
        Event(50, 0, Kind.CALL, 0),
        Event(52, 0, Kind.MODULE, ModuleState.EXECUTES),
        Event(60, 0, Kind.IDLE, 1),  # waits for work
        Event(70, 0, Kind.IDLE, 0),
        Event(75, 0, Kind.WATCH + 1, 0),
        Event(80, 0, Kind.RUN, 1),
        Event(90, 0, Kind.CALL, 0),
        Event(92, 0, Kind.MODULE, ModuleState.EXECUTES),
        Event(94, 0, Kind.WATCH, 0),  # interrupted
        Event(96, 0, Kind.WATCH + 1, 0),
        Event(99, 0, Kind.RUN, 1),
    ]
    assert list(stages.follow(events, order, ["interrupt", "to"])) == [(20, 23, 30, 40)]
    # The same events on two CPUs are two switches, and what one does breaks nothing of the other's.
    both = [event._replace(cycle=event.cycle + cpu, cpu=cpu) for event in events for cpu in (0, 1)]
    assert list(stages.follow(both, order, ["interrupt", "to"])) == [(20, 23, 30, 40), (21, 24, 31, 41)]


def test_a_stage_may_come_in_parts_and_a_switch_go_either_way() -> None:
    watched = ["interrupt", "tick", "away", "choose", "back", "return"]

    def came(cycle: int, what: str) -> Event:
        return Event(cycle, 0, Kind.RUN if what == "run" else Kind.WATCH + watched.index(what), 0)

    events = [
        *(came(0, "interrupt"), came(5, "tick"), came(30, "away"), came(40, "choose")),
        *(came(50, "run"), came(60, "back"), came(70, "return")),
        *(came(100, "interrupt"), came(105, "away"), came(115, "choose")),
        *(came(125, "run"), came(135, "back"), came(145, "return")),
    ]
    assert stages.switches(events, stages.ways("freertos", 2)["full-context"], watched) == [
        {"enter": 5, "decide": 25 + 10, "save": 10, "load": 10, "leave": 10},
        {"enter": 5, "save": 10, "decide": 10, "load": 10, "leave": 10},
    ]


def test_an_operation_waits_until_it_is_executed() -> None:
    events = [
        Event(10, 0, Kind.MODULE, ModuleState.EXECUTES),
        Event(11, 1, Kind.MODULE, ModuleState.WAITS),
        Event(14, 0, Kind.MODULE, ModuleState.NOTHING),
        Event(14, 1, Kind.MODULE, ModuleState.EXECUTES),
        Event(16, 1, Kind.MODULE, ModuleState.EXECUTES),  # another one, right after it
        Event(18, 1, Kind.MODULE, ModuleState.NOTHING),
        Event(20, 1, Kind.MODULE, ModuleState.WAITS),
        Event(30, 1, Kind.MODULE, ModuleState.EXECUTES),
    ]
    assert waits(events, 0, 100) == [0, 3, 0, 10]
    assert waits(events, 12, 30) == [3, 0]


# Of each core, kernel, CPUs and kind: switches, cycles (min, mean, max), stages of the one with the median.
SWITCHES = {
    ("standard", "hw", 1, "voluntary"): (202, (28, 28.3, 69), (4, 8, 3, 13, None)),
    ("standard", "hw", 1, "full-context"): (49, (106, 106.6, 133), (20, 9, 21, 27, 29)),
    ("standard", "sw", 1, "voluntary"): (202, (100, 100.5, 145), (None, 86, 3, 11, None)),
    ("standard", "sw", 1, "full-context"): (48, (193, 193.5, 218), (25, 96, 19, 25, 28)),
    ("standard", "freertos", 1, "voluntary"): (192, (407, 416.2, 448), (None, 312, 49, 56, None)),
    ("standard", "freertos", 1, "full-context"): (23, (190, 198.7, 276), (2, 95, 44, 51, None)),
    ("standard", "freertos-tuned", 1, "voluntary"): (192, (315, 317.3, 346), (None, 257, 27, 35, None)),
    ("standard", "freertos-tuned", 1, "full-context"): (19, (191, 193.4, 215), (25, 92, 24, 27, 25)),
    ("standard", "hw", 2, "voluntary"): (402, (28, 29.0, 128), (4, 8, 4, 13, None)),
    ("standard", "hw", 2, "full-context"): (98, (151, 155.7, 242), (35, 12, 32, 36, 41)),
    ("standard", "sw", 2, "voluntary"): (402, (152, 187.7, 332), (None, 178, 3, 16, None)),
    ("standard", "sw", 2, "full-context"): (96, (239, 245.1, 332), (30, 131, 22, 28, 32)),
    ("standard", "freertos", 2, "voluntary"): (389, (1306, 2082.9, 2489), (None, 1960, 49, 99, None)),
    ("standard", "freertos", 2, "full-context"): (69, (311, 527.5, 972), (41, 336, 45, 52, 54)),
    ("economy", "hw", 1, "voluntary"): (202, (89, 89.8, 168), (9, 19, 11, 50, None)),
    ("economy", "hw", 1, "full-context"): (48, (567, 567.0, 567), (186, 51, 82, 125, 123)),
    ("economy", "sw", 1, "voluntary"): (202, (343, 343.1, 354), (None, 290, 11, 42, None)),
    ("economy", "sw", 1, "full-context"): (46, (780, 780.0, 780), (157, 321, 82, 110, 110)),
    ("economy", "hw", 2, "voluntary"): (401, (89, 90.7, 174), (9, 19, 11, 51, None)),
    ("economy", "hw", 2, "full-context"): (96, (580, 583.7, 587), (193, 53, 84, 129, 126)),
    ("economy", "sw", 2, "voluntary"): (401, (430, 621.9, 647), (None, 542, 11, 49, None)),
    ("economy", "sw", 2, "full-context"): (92, (914, 918.5, 924), (167, 428, 87, 120, 113)),
}


@pytest.mark.runtime
@pytest.mark.parametrize(
    ("core", "kernel", "cpus"),
    [
        *itertools.product(("standard",), ("sw", "hw"), stages.CPUS),
        *(("economy", kernel, 1) for kernel in ("sw", "hw")),
        *(pytest.param("economy", kernel, 2, marks=pytest.mark.nightly) for kernel in ("sw", "hw")),
        *(
            ("standard", kernel, cpus)
            for kernel, cpus in (("freertos", 1), ("freertos-tuned", 1), ("freertos", 2))
        ),
    ],
)
def test_the_stages_add_up_to_the_switch(
    core: str, kernel: str, cpus: int, request: pytest.FixtureRequest
) -> None:
    if kernel in FREERTOS:
        request.getfixturevalue("freertos_sources")
    found = stages.measure(core, kernel, cpus)
    assert [row.kind for row in found] == ["voluntary", "full-context"]
    for row in found:
        parts = tuple(getattr(row, stage) for stage in stages.STAGES)
        assert sum(part or 0 for part in parts) == row.cycles_median
        cycles = (row.cycles_min, row.cycles_mean, row.cycles_max)
        assert (row.cpus, row.switches, cycles, parts) == (cpus, *SWITCHES[core, kernel, cpus, row.kind])


def test_the_table_of_the_stages() -> None:
    row = stages.Row(
        core="standard", kernel="hw", kind="full-context", switches=49,
        cycles_min=107, cycles_mean=107.6, cycles_max=134, cycles_median=107,
        enter=20, decide=9, save=22, load=27, leave=29,
    )  # fmt: skip
    assert stages.table([row], {"hw": 947, "sw": 10_000}).rows == (
        (
            *("standard", "1", "hardware kernel", "full-context", "20", "9", "22", "27", "29", "107"),
            *("107 / 108 / 134", "49", "947"),
        ),
    )
    drawn = stages.drawn([row, msgspec.structs.replace(row, cpus=2)])
    assert [chart.title for chart in drawn] == [
        f"Stages of a switch on {cpus}, standard core ([SMP] Fig. 3(a))" for cpus in ("1 CPU", "2 CPUs")
    ]
    # The paper's eCos stands beside FreeRTOS, not beside our own.
    kernels = [msgspec.structs.replace(row, kernel=kernel) for kernel in ("sw", "freertos")]
    table = stages.table(kernels, {"hw": 947, "sw": 10_000})
    assert [line[-1] for line in table.rows] == ["-", "10 000"]


@pytest.mark.parametrize(
    ("app", "operations", "waited", "wait_mean", "wait_max"),
    [("image", 9_898, 65, 0.01, 3), ("packets", 13_018, 146, 0.02, 3)],
)
@pytest.mark.runtime
def test_operations_seldom_wait_for_those_of_another_cpu(
    app: str, operations: int, waited: int, wait_mean: float, wait_max: int
) -> None:
    assert modules.measure(app, 2, APPS[app].prepare(None), 1_000_000) == modules.Row(
        app=app,
        cpus=2,
        cycles=1_000_000,
        operations=operations,
        waited=waited,
        wait_mean=wait_mean,
        wait_max=wait_max,
    )


def test_the_table_of_the_engine() -> None:
    rows = [
        modules.Row(app="image", cpus=cpus, cycles=1000, operations=40, waited=10, wait_mean=0.5, wait_max=7)
        for cpus in (2, 8)
    ]
    area = {cost.value: cost.lut4 for cost in key_costs.read().of("cpus")}
    assert modules.table(rows).rows == (
        ("image", "2", "1 000", "40", "25.0", "0.50", "7", number(area["2"]), number(2 * area["1"])),
        ("image", "8", "1 000", "40", "25.0", "0.50", "7", "-", "-"),
    )
