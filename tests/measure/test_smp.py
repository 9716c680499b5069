# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench smp`: the window, and FreeRTOS beside the two kernels."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from coreloom.benches import registry
from coreloom.benches.bench import Work
from coreloom.benches.rivals import better, find_freertos, tools
from coreloom.benches.smp import page
from coreloom.benches.smp.bench import (
    WINDOW,
    Row,
    cases,
    freertos_cases,
    policy_cases,
    run,
    stream_cases,
    without_hand_over,
)
from coreloom.errors import UserError
from coreloom.jobs.job import Job
from coreloom.toolchain import freertos


def row(done: int, switches: int) -> Row:
    return Row(
        app="packets", kernel="sw", cpus=1, placement="dynamic", core="standard", unit="packets",
        done=done, idle_cycles=0, idle_cycles_per_cpu=[0], switches=switches, switch_cycles_mean=None,
        switch_cycles_min=None, switch_cycles_max=None, preemptions=0, preempt_cycles_mean=None,
        cycles_application=1, cycles_kernel=1, cycles_library=0, sim_cycles_per_second=1, paper_done=3,
    )  # fmt: skip


class Done:
    """Work that is done already."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[Any]]) -> list[Row]:
        return self.rows


def test_a_window_in_which_nothing_is_finished() -> None:
    with pytest.raises(UserError) as error:
        run([], 20_000, cast(Work, Done([row(0, 5)])))
    assert str(error.value) == (
        "packets, standard core, software kernel: no packets were finished within 20000 cycles: "
        "choose a larger --window"
    )


def test_threads_that_wait_in_place_never_switch() -> None:
    (found,) = run([], 20_000, cast(Work, Done([row(5, 0)])))
    assert (found.done, found.switches) == (5, 0)


@pytest.mark.parametrize("name", ["smp", "model"])
def test_only_the_papers_window_makes_a_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freertos, "kernel", lambda given=None: Path())
    bench = registry.get(name)
    assert bench.whole(Namespace(quick=False, window=WINDOW, freertos=None))
    assert not bench.whole(Namespace(quick=False, window=WINDOW // 2, freertos=None))
    assert not bench.whole(Namespace(quick=True, window=WINDOW, freertos=None))


def test_the_title_says_the_window() -> None:
    both = [row(3, 1), msgspec.structs.replace(row(4, 1), kernel="hw")]
    assert page.done(both, 200_000).title.startswith("Pixels or packets in 200 000 cycles after")


@pytest.mark.parametrize("name", ["smp", "grain"])
def test_without_freertos_there_is_no_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(given: Path | None = None) -> Path:
        raise freertos.Missing("FreeRTOS is missing: here is how")

    monkeypatch.setattr(freertos, "kernel", missing)
    options = Namespace(quick=False, window=WINDOW, freertos=None)
    assert find_freertos(options) == "FreeRTOS is missing: here is how"
    assert not registry.get(name).whole(options)
    assert tools(False) == {}
    assert tools(True) == {"FreeRTOS": "V11.2.0, sources 457969aded86"}


def test_freertos_has_both_ports_on_one_cpu() -> None:
    assert [(case.kernel, case.cpus, case.placement) for case in freertos_cases(("image",))] == [
        ("freertos", 1, "dynamic"),
        ("freertos", 2, "static"),
        ("freertos", 2, "dynamic"),
        ("freertos-tuned", 1, "dynamic"),
    ]


def of(kernel: str, done: int, switch: float | None = None) -> Row:
    return msgspec.structs.replace(row(done, 1), kernel=kernel, switch_cycles_mean=switch)


def test_a_ratio_is_against_the_better_rival() -> None:
    rows = [
        of("sw", 300, 90.0),
        of("freertos", 320, 480.0),
        of("freertos-tuned", 330, 320.0),
        of("hw", 660, 30.0),
    ]
    done, switch = page.done(rows, WINDOW), page.switch(rows)
    assert done.columns[3:12] == (
        *("paper: eCos", "FreeRTOS", "FreeRTOS, our port", "paper: HW", "hardware kernel", "software kernel"),
        *("paper: HW over eCos", "ratio to the better rival", "better rival"),
    )
    assert done.rows[0][3:12] == (
        *("3", "320", "330", "3", "660", "300"),
        *("1.0", "2.00", "FreeRTOS, our port"),
    )
    assert switch.columns[3:12] == (
        *("paper: eCos", "FreeRTOS", "FreeRTOS, our port", "paper: HW", "hardware kernel", "software kernel"),
        *("ratio to the better rival", "better rival", "bound"),
    )
    assert switch.rows[0][9:11] == ("3.0", "software kernel")


def test_full_context_switches_stand_beside_the_papers() -> None:
    times = {"preempt_cycles_min": 54, "preempt_cycles_mean": 56.0, "preempt_cycles_max": 61}
    soft = msgspec.structs.replace(of("sw", 300, 90.0), ports="buffered")
    hard = msgspec.structs.replace(of("hw", 660, 30.0), ports="buffered", preemptions=5, **times)
    table = page.preemption([soft, of("freertos", 400), hard])
    assert table.columns[3:8] == (
        "paper: eCos",
        "FreeRTOS",
        "paper: HW",
        "hardware kernel",
        "software kernel",
    )
    assert table.rows == (
        ("standard, packets", "1 CPU", "buffered", "10 000", "-", "947", "54 / 56 / 61", "-", "0", "5"),
    )


def test_columns_of_what_was_not_measured_are_left_out() -> None:
    rows = [of("sw", 300, 90.0), of("hw", 660, 30.0)]
    assert page.done(rows, WINDOW).columns[3:7] == (
        *("paper: eCos", "paper: HW", "hardware kernel", "software kernel"),
    )
    assert page.done(rows, WINDOW).rows[0][5:10] == ("660", "300", "1.0", "2.20", "software kernel")


def test_the_paper_stands_beside_buffered_ports() -> None:
    """FreeRTOS, with its queues, stands beside either kind of ports."""
    rows = [
        msgspec.structs.replace(of("sw", 200), ports="buffered", paper_done=3),
        msgspec.structs.replace(of("hw", 300), ports="buffered", paper_done=30),
        msgspec.structs.replace(of("sw", 400, 90.0), paper_done=None),
        msgspec.structs.replace(of("freertos", 500), paper_done=None),
        msgspec.structs.replace(of("hw", 750, 30.0), paper_done=None),
    ]
    done, switch = page.done(rows, WINDOW), page.switch(rows)
    assert done.rows == (
        (
            *("standard, packets", "1 CPU", "buffered", "3", "500", "30", "300", "200", "10.0"),
            *("0.60", "FreeRTOS", "0", "0", "0"),
        ),
        (
            *("standard, packets", "1 CPU", "direct", "-", "500", "-", "750", "400", "-"),
            *("1.50", "FreeRTOS", "-", "0", "0"),
        ),
    )
    assert [(*line[2:4], line[5]) for line in switch.rows] == [
        ("buffered", "10 000", "947"),
        ("direct", "-", "-"),
    ]


def test_the_image_filter_without_the_hand_over_that_we_added() -> None:
    assert {(c.kernel, c.cpus, c.placement, c.ports) for c in without_hand_over()} == {
        (kernel, cpus, placement, "buffered")
        for kernel in ("sw", "hw")
        for cpus, placement in ((1, "dynamic"), (2, "static"), (2, "dynamic"))
    }
    assert without_hand_over()[0].experiment().defines["IMAGE_BATCH"] == 0

    def image(done: int, cpus: int) -> Row:
        one = row(done, 1)
        return msgspec.structs.replace(one, app="image", kernel="hw", ports="buffered", cpus=cpus)

    table = page.hand_over([image(100, 1), image(182, 2)], [image(110, 1), image(110, 2)], WINDOW)
    assert [line[2:] for line in table.rows] == [
        ("110", "1.00", "100", "1.00"),
        ("110", "1.00", "182", "1.82"),
    ]


def test_buffered_ports_come_first() -> None:
    every = cases()
    assert len(every) == 3 * 2 * 2 * 3 * 2
    assert [case.ports for case in every] == ["buffered", "direct"] * 36
    assert {case.ports for case in freertos_cases()} == {"direct"}
    assert every[0].experiment().defines == {"IMAGE_PORTS": "PORT_BUFFERED"}
    assert every[1].experiment().defines == {"IMAGE_PORTS": "PORT_DIRECT"}


def test_scaling_has_a_line_for_each_placement() -> None:
    def at(cpus: int, placement: str, done: int, paper: int | None = None) -> Row:
        changed = {"ports": "buffered", "cpus": cpus, "placement": placement, "paper_done": paper}
        return msgspec.structs.replace(of("hw", done), **changed)

    rows = [
        at(1, "dynamic", 500, 30),
        at(2, "static", 800, 40),
        at(2, "dynamic", 900, 43),
        at(4, "static", 1000),
        at(4, "dynamic", 1300),
        at(8, "dynamic", 1310),
    ]
    found = page.scaling(rows, WINDOW)
    assert found.columns[3:] == (
        *("placement", "1 CPU", "2 CPUs", "4 CPUs", "8 CPUs"),
        *("paper: 2 over 1", "2 over 1", "4 over 1", "8 over 1"),
    )
    assert [line[3:] for line in found.rows] == [
        ("static", "500", "800", "1 000", "-", "1.33", "1.60", "2.00", "-"),
        ("dynamic", "500", "900", "1 300", "1 310", "1.43", "1.80", "2.60", "2.62"),
    ]


def test_selective_is_compared_with_dynamic_through_the_same_interface() -> None:
    found = policy_cases()
    assert {(case.kernel, case.experiment().placement) for case in found} == {("sw", "dynamic")}
    by_policy = {
        policy: [(case.app, case.cpus, case.ports) for case in found if case.experiment().policy == policy]
        for policy in ("dynamic", "selective")
    }
    assert by_policy["dynamic"] == by_policy["selective"]
    assert len(found) == 2 * len(set(by_policy["dynamic"])) == 24


def arranged(placement: str, cpus: int, done: int) -> Row:
    return msgspec.structs.replace(
        row(done, 5), placement=placement, cpus=cpus, switch_cycles_mean=done / 4, paper_done=None
    )


def test_what_the_interface_costs_is_told_apart_from_selective() -> None:
    done = {"dynamic": 800, "dynamic policy": 600, "selective policy": 660}
    rows = [arranged(placement, 2, count) for placement, count in done.items()]
    (line,) = page.policies(rows, WINDOW).rows
    assert line[1:] == ("2 CPUs", "direct", "800", "600", "660", "0.75", "1.10", "200.0", "150.0", "165.0")
    assert not page.policies(rows[:1], WINDOW).rows


def test_a_policy_scales_over_its_own_1_cpu() -> None:
    rows = [
        arranged(placement, cpus, done)
        for placement, of_1 in (("dynamic", 500), ("dynamic policy", 400))
        for cpus, done in ((1, of_1), (2, 800))
    ]
    assert [(line[3], line[-1]) for line in page.scaling(rows, WINDOW).rows] == [
        ("dynamic", "1.60"),
        ("dynamic policy", "2.00"),
    ]


def test_streams_have_a_kernel_that_is_large_enough() -> None:
    found = stream_cases()
    assert {case.streams for case in found} == {2, 4, 8}
    assert {case.cpus for case in found} == {1, 2, 4, 8}
    largest = found[-1]
    assert (largest.app, largest.kernel, largest.streams, largest.cpus) == ("packets", "hw", 8, 8)
    assert largest.text == "standard core, hardware kernel, 8 CPU, dynamic, buffered ports, 8 streams"
    experiment = largest.experiment()
    assert experiment.defines == {"PACKETS_PORTS": "PORT_BUFFERED", "APP_STREAMS": 8}
    assert (experiment.platform.kernel.threads, experiment.platform.kernel.ports) == (128, 128)


def test_streams_stand_beside_one() -> None:
    def at(kernel: str, streams: int, cpus: int, done: int, placement: str = "dynamic") -> Row:
        changed = {"ports": "buffered", "cpus": cpus, "streams": streams, "placement": placement}
        return msgspec.structs.replace(of(kernel, done), **changed)

    one = [at("hw", 1, 1, 500), at("hw", 1, 2, 900), at("hw", 1, 2, 800, "static"), at("sw", 1, 1, 300)]
    more = [at("hw", 4, 1, 480), at("hw", 4, 2, 960), at("sw", 4, 1, 280), at("sw", 4, 2, 420)]
    found = page.streams(one, more, WINDOW)
    assert found.columns[4:] == ("streams", "tasks", "1 CPU", "2 CPUs", "2 over 1")
    assert [line[2:] for line in found.rows] == [
        ("software", "dynamic", "1", "10", "300", "-", "-"),
        ("software", "dynamic", "4", "40", "280", "420", "1.50"),
        ("hardware", "dynamic", "1", "10", "500", "900", "1.80"),
        ("hardware", "dynamic", "4", "40", "480", "960", "2.00"),
    ]


def test_scaling_of_freertos_is_over_one_cpu_with_the_same_port() -> None:
    two = msgspec.structs.replace(of("freertos", 600), cpus=2, placement="static", paper_done=None)
    rows = [of("freertos", 250), of("freertos-tuned", 300), two]
    found = page.scaling(rows, WINDOW)
    assert found.rows == (("standard, packets", "direct", "FreeRTOS", "static", "300", "600", "-", "2.00"),)


def test_who_has_no_merit_is_no_rival() -> None:
    assert better([of("sw", 1)], lambda row: row.switch_cycles_mean) is None
