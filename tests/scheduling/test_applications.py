# SPDX-License-Identifier: Apache-2.0
"""The applications of [SMP] as workloads."""

from __future__ import annotations

import pytest

from coreloom.paths import APPS
from coreloom.scheduling.applications import GRAPHS, spread_out, workload
from coreloom.scheduling.workload import Compute, Receive, Send


def test_counts_are_mixed_evenly() -> None:
    assert spread_out([1]) == [0]
    assert spread_out([2, 2]) == [0, 1, 0, 1]
    assert spread_out([4, 1, 1]) == [0, 0, 1, 0, 2, 0]
    assert spread_out([0, 2]) == [1, 1]


def test_a_bounded_port_takes_room_before_a_message() -> None:
    computes = {name: [7, 9, 8] for name in GRAPHS["packets"].threads}
    load = workload("packets", computes, 8, placed=True)
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
    load = workload("image", computes, 8, placed=False)
    assert [thread.cpu for thread in load.threads] == [None] * 4
    assert load.threads[0].steps == (Send("done"),) * 8
    assert load.threads[2].steps == (
        *(Receive("request"), Compute(100.0), Send("decoded")),
        *(Receive("request"), Compute(110.0), Send("decoded")),
    )


@pytest.mark.parametrize("app", GRAPHS)
def test_graphs_have_the_threads_of_the_applications(app: str) -> None:
    source = (APPS / app / "main.c").read_text()
    assert all(f'{{"{name}", ' in source for name in GRAPHS[app].threads)
