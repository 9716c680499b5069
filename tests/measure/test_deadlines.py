# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench deadlines`: the sets that are drawn, what is made of marks, exact rows of short runs."""

from __future__ import annotations

import pytest

from coreloom.benches.deadlines import bench as deadlines
from coreloom.benches.deadlines import page
from coreloom.benches.deadlines.bench import Area, Case, Result, Row, Thread
from coreloom.simulation.simulate import Event, Kind


@pytest.mark.parametrize("cpus", deadlines.CPUS)
def test_a_set_has_its_load(cpus: int) -> None:
    for seed in range(20):
        for load in deadlines.LOADS:
            drawn = deadlines.threads(load, cpus, seed)
            assert len(drawn) == 6 * cpus
            assert sum(each.work / each.period for each in drawn) / 10 == pytest.approx(load * cpus, abs=0.05)
            assert all(20 <= each.period <= 100 and each.work <= each.period * 1000 for each in drawn)
        half, most = (deadlines.threads(load, cpus, seed) for load in (50, 95))
        assert [each.period for each in half] == [each.period for each in most]
    assert deadlines.threads(50, cpus, 0) != deadlines.threads(50, cpus, 1)


def test_input_and_marks() -> None:
    data = deadlines.encode([Thread(20, 300), Thread(30, 400)], 5000)
    assert [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)] == [
        *(5000, 20, 300, 3, 30, 400, 2),
    ]
    marks = [Event(9, 0, Kind.MARK, 1 << 24 | 7), Event(9, 0, Kind.RUN, 3), Event(9, 0, Kind.MARK, 0xFFFFFE)]
    assert deadlines.lateness(marks) == [7, -2]


FIGURES = {  # jobs, misses, sets with one, cycles of the latest
    Case("hw", "edf", 1, 90): (39, 0, 0, -11617),
    Case("hw", "priority", 1, 90): (39, 3, 1, 66806),
    Case("hw", "edf", 2, 90): (95, 0, 0, -2072),
}


@pytest.mark.parametrize("case", FIGURES, ids=lambda case: case.text)
@pytest.mark.runtime
def test_figures_of_one_set(case: Case) -> None:
    row = deadlines.measure(case, sets=1, horizon=300_000)
    assert (row.jobs, row.misses, row.sets_missed, row.latest) == FIGURES[case]


def test_the_highest_load_without_a_miss() -> None:
    def row(policy: str, cpus: int, load: int, misses: int) -> Row:
        late = 9 if misses else -9
        return Row(
            kernel="hw",
            policy=policy,
            cpus=cpus,
            load=load,
            jobs=100,
            misses=misses,
            sets_missed=0,
            latest=late,
        )

    rows = [
        row(policy, cpus, load, 2 * (load > most))
        for policy, most in (("edf", 90), ("priority", 70))
        for cpus in deadlines.CPUS
        for load in deadlines.LOADS
    ]
    rows[1] = row("edf", 1, 60, 1)
    assert [figure.measured for figure in deadlines.figures(rows)] == [50, 70, 90, 70]
    rows[1] = row("edf", 1, 60, 0)
    rows += [
        Row(**{**{name: getattr(each, name) for name in each.__struct_fields__}, "kernel": "sw"})
        for each in rows
        if each.policy == "priority"
    ]
    content = Result(
        name="deadlines", rows=rows, area=[Area(policy="edf", lut4=12000), Area(policy="priority", lut4=4000)]
    )
    made = page.summary(content)
    assert " ".join(made.answer.split()) == (
        "Earliest deadline first misses no deadline of 8 sets of periodic threads up to 90 % load on one CPU "
        "and 90 % on two, where fixed priorities bear 70 and 70 %, and the hardware kernel takes 12 000 "
        "LUT4 with it, 4 000 without. At 95 % on one CPU it misses 2 of 100, by up to 9 cycles, they 2, by "
        "up to 9."
    )
    assert made.table.rows[1] == ("fixed priorities, hardware kernel, 1 CPU", *["none"] * 3, *["2.0"] * 4)
    assert [len(table.rows) for table in page.tables(content)] == [42, 2]
