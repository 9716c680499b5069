# SPDX-License-Identifier: Apache-2.0
"""What the model is told of the SoC, from hand-made event logs and counts."""

from __future__ import annotations

from coreloom.benches.model import prediction
from coreloom.benches.model.prediction import Measured
from coreloom.benches.smp import bench as smp
from coreloom.scheduling.applications import GRAPHS
from coreloom.simulation.measure import Figures
from coreloom.simulation.simulate import Event, Kind


def test_computing_ends_at_a_service_and_begins_after_it_or_after_a_switch() -> None:
    events = [
        Event(0, 0, Kind.CALL, 0),  # main, before the window
        Event(10, 0, Kind.RUN, 1),
        Event(12, 0, Kind.NAME, 0x1000),
        Event(60, 0, Kind.CALL, 0),  # 50 cycles, before the window
        Event(100, 0, Kind.CALL, 0),  # 40
        Event(130, 0, Kind.RUN, 2),
        Event(131, 0, Kind.NAME, 0x1010),
        Event(150, 0, Kind.TRAP, 0),  # 20 up to here: its slice is over
        Event(170, 0, Kind.RUN, 1),
        Event(200, 0, Kind.CALL, 0),  # 30
        Event(220, 0, Kind.RUN, 2),
        Event(225, 0, Kind.CALL, 0),  # 20 + 5
        Event(230, 0, Kind.IDLE, 1),
        Event(300, 0, Kind.IDLE, 0),  # it goes on in place
        Event(310, 0, Kind.CALL, 0),  # 10
        Event(311, 0, Kind.IDLE, 1),
        Event(320, 0, Kind.IDLE, 0),
        Event(330, 0, Kind.RUN, 1),  # another: the way to it counts for nobody
        Event(337, 0, Kind.CALL, 0),  # 7
    ]
    found = prediction.services(events, ["one", "two"], cpus=1, start=100)
    assert found == {"one": [40, 30, 7], "two": [25, 10]}


def test_finished_messages_follow_from_the_service() -> None:
    assert [prediction.messages([10, 20, 5], service) for service in (0, 9, 10, 29, 30, 35, 44, 45, 100)] == [
        *(0, 0, 1, 1, 2, 3, 3, 4, 8),
    ]


def told(computes: dict[str, list[int]], done: int = 0) -> Measured:
    return Measured(Figures(0, 1, done, (0,), 0, (), (), ()), computes, 30.0)


def test_units_of_a_message_are_those_of_the_threads_that_end_it() -> None:
    computes = {"control": [5] * 9, "decoder": [100] * 9, "filter": [120] * 8}
    assert told(computes, done=120).units(GRAPHS["image"]) == 15


def test_every_case_of_the_standard_core_is_predicted() -> None:
    assert prediction.cases() == [case for case in smp.cases(("standard",)) if case.ports == "direct"]


def test_times_come_from_one_cpu_and_from_the_other_placement() -> None:
    one, static, dynamic = prediction.cases()[:3]
    assert [case.placement for case in prediction.sources(one)] == ["one CPU"]
    assert [case.placement for case in prediction.sources(static)] == ["one CPU", "dynamic"]
    assert [case.placement for case in prediction.sources(dynamic)] == ["one CPU", "static"]
