# SPDX-License-Identifier: Apache-2.0
"""The stages of a switch, and what operations wait for at the engine."""

from __future__ import annotations

import msgspec
import pytest

from coreloom.apps import APPS
from coreloom.benches.smp import modules, stages
from coreloom.design import key_costs
from coreloom.report.table import number
from coreloom.simulation.measure import waits
from coreloom.simulation.simulate import Event, Kind, ModuleState


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


# Of each core, kernel and kind: switches, cycles (min, mean, max), and the stages of the one with the median.
SWITCHES = {
    ("standard", "sw", "voluntary"): (202, (97, 97.6, 144), (None, 75, 5, 17, None)),
    ("standard", "sw", "full-context"): (48, (191, 192.0, 216), (25, 94, 19, 25, 28)),
    ("standard", "hw", "voluntary"): (202, (28, 28.2, 65), (4, 8, 3, 13, None)),
    ("standard", "hw", "full-context"): (49, (106, 106.6, 133), (20, 9, 21, 27, 29)),
    ("economy", "sw", "voluntary"): (202, (244, 336.6, 348), (None, 284, 11, 42, None)),
    ("economy", "sw", "full-context"): (46, (774, 774.0, 774), (157, 315, 82, 110, 110)),
    ("economy", "hw", "voluntary"): (202, (87, 89.4, 171), (9, 19, 11, 50, None)),
    ("economy", "hw", "full-context"): (49, (567, 567.0, 567), (186, 51, 82, 125, 123)),
}


@pytest.mark.parametrize("core", ["standard", "economy"])
@pytest.mark.parametrize("kernel", ["sw", "hw"])
def test_the_stages_add_up_to_the_switch(core: str, kernel: str) -> None:
    found = stages.measure(core, kernel)
    assert [row.kind for row in found] == ["voluntary", "full-context"]
    for row in found:
        parts = tuple(getattr(row, stage) for stage in stages.STAGES)
        assert sum(part or 0 for part in parts) == row.cycles_median
        cycles = (row.cycles_min, row.cycles_mean, row.cycles_max)
        assert (row.switches, cycles, parts) == SWITCHES[core, kernel, row.kind]


@pytest.mark.usefixtures("freertos_sources")
@pytest.mark.parametrize(
    ("kernel", "switches", "cycles"),
    [("freertos", 19, (190, 196.0, 285, 192)), ("freertos-tuned", 18, (191, 193.4, 216, 193))],
)
def test_a_full_context_switch_of_freertos(
    kernel: str, switches: int, cycles: tuple[int, float, int, int]
) -> None:
    low, mean, high, middle = cycles
    assert stages.measure("standard", kernel) == [
        stages.Row(
            core="standard",
            kernel=kernel,
            kind="full-context",
            switches=switches,
            cycles_min=low,
            cycles_mean=mean,
            cycles_max=high,
            cycles_median=middle,
        )
    ]


def test_the_table_and_the_plot_of_the_stages() -> None:
    row = stages.Row(
        core="standard", kernel="hw", kind="full-context", switches=49,
        cycles_min=107, cycles_mean=107.6, cycles_max=134, cycles_median=107,
        enter=20, decide=9, save=22, load=27, leave=29,
    )  # fmt: skip
    assert stages.table([row], {"hw": 947, "sw": 10_000}).rows == (
        (
            *("standard", "hardware kernel", "full-context", "20", "9", "22", "27", "29", "107"),
            *("107 / 108 / 134", "49", "947"),
        ),
    )
    (plot,) = stages.drawn([row]).values()
    assert plot.svg.count("<rect ") == 1 + len(stages.STAGES)
    # The paper's eCos stands beside FreeRTOS, not beside our own.
    kernels = [msgspec.structs.replace(row, kernel=kernel) for kernel in ("sw", "freertos")]
    table = stages.table(kernels, {"hw": 947, "sw": 10_000})
    assert [line[-1] for line in table.rows] == ["-", "10 000"]


@pytest.mark.parametrize(
    ("app", "operations", "waited", "wait_mean", "wait_max"),
    [("image", 9_925, 54, 0.01, 3), ("packets", 12_994, 139, 0.02, 3)],
)
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
