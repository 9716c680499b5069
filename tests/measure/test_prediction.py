# SPDX-License-Identifier: Apache-2.0
"""What the model is told of the SoC, from hand-made event logs and counts."""

from __future__ import annotations

import pytest

from coreloom.benches.model import prediction
from coreloom.benches.model.prediction import Measured
from coreloom.benches.smp import bench as smp
from coreloom.paths import APPS
from coreloom.scheduling.workload import Compute, Receive, Send
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


def test_counts_are_mixed_evenly() -> None:
    assert prediction.spread_out([1]) == [0]
    assert prediction.spread_out([2, 2]) == [0, 1, 0, 1]
    assert prediction.spread_out([4, 1, 1]) == [0, 0, 1, 0, 2, 0]
    assert prediction.spread_out([0, 2]) == [1, 1]


def test_finished_messages_follow_from_the_service() -> None:
    assert [prediction.messages([10, 20, 5], service) for service in (0, 9, 10, 29, 30, 35, 44, 45, 100)] == [
        *(0, 0, 1, 1, 2, 3, 3, 4, 8),
    ]


def told(computes: dict[str, list[int]], done: int = 0) -> Measured:
    return Measured(Figures(0, 1, done, (0,), 0, (), (), ()), computes, 30.0)


def test_a_bounded_port_takes_room_before_a_message() -> None:
    computes = {name: [7, 9, 8] for name in prediction.GRAPHS["packets"].threads}
    load = prediction.workload("packets", computes, 8, placed=True)
    main, packetizer = load.threads[0], load.threads[1]
    assert main.steps[:2] == (Send("room classifier", 8), Send("room crc 0", 8))
    assert main.steps[-2:] == (Receive("room free"), Send("free"))
    assert main.times == 1
    assert packetizer.cpu == 0
    assert packetizer.steps == (
        *(Receive("free"), Send("room free"), Compute(7.0), Receive("room decoder 0"), Send("decoder 0")),
        *(Receive("free"), Send("room free"), Compute(9.0), Receive("room decoder 1"), Send("decoder 1")),
        *(Receive("free"), Send("room free"), Compute(8.0), Receive("room decoder 0"), Send("decoder 0")),
    )


def test_an_unbounded_port_takes_none_and_nobody_is_placed() -> None:
    computes = {"control": [5], "decoder": [100, 110], "filter": [120]}
    load = prediction.workload("image", computes, 8, placed=False)
    assert [thread.cpu for thread in load.threads] == [None] * 4
    assert load.threads[0].steps == (Send("done"),) * 8
    assert load.threads[2].steps == (
        *(Receive("request"), Compute(100.0), Send("decoded")),
        *(Receive("request"), Compute(110.0), Send("decoded")),
    )


@pytest.mark.parametrize("app", prediction.GRAPHS)
def test_graphs_have_the_threads_of_the_applications(app: str) -> None:
    source = (APPS / app / "main.c").read_text()
    assert all(f'{{"{name}", ' in source for name in prediction.GRAPHS[app].threads)


def test_units_of_a_message_are_those_of_the_threads_that_end_it() -> None:
    computes = {"control": [5] * 9, "decoder": [100] * 9, "filter": [120] * 8}
    assert told(computes, done=120).units(prediction.GRAPHS["image"]) == 15


def test_every_case_of_the_standard_core_is_predicted() -> None:
    assert prediction.cases() == smp.cases(("standard",))
