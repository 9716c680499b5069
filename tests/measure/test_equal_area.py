# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench equal_area`: who competes with whom, its figures, and that one kernel only is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, TypeVar, cast

import pytest

from coreloom.apps import APPS
from coreloom.benches.bench import Work
from coreloom.benches.equal_area import bench, page
from coreloom.benches.equal_area.bench import Arrangement, Core, Row, Soc
from coreloom.benches.switch.bench import Row as Switch
from coreloom.jobs.job import Job
from coreloom.report.figure import Figure
from coreloom.simulation.measure import waits
from coreloom.simulation.simulate import Options
from coreloom.synthesis import synth, units

T = TypeVar("T")


def row(
    kernel: str, cpus: int, lut4: int, per_second: float, placement: str = "dynamic", size: str = "usual"
) -> Row:
    return Row(
        core="fast",
        kernel=kernel,
        cpus=cpus,
        size=size,
        lut4=lut4,
        mhz=50.0,
        application="packets",
        placement=placement,
        done=1,
        per_second=per_second,
    )


ROWS = [
    row("hw", 1, 9000, 100),
    row("hw", 2, 13_000, 150, "dynamic"),
    row("hw", 2, 13_000, 160, "static"),
    row("sw", 1, 4500, 100),
    row("sw", 2, 9000, 99),
    row("sw", 3, 13_500, 400),
]


def test_equal_area_counts_and_a_tie_is_no_win() -> None:
    first, second = bench.contests(ROWS, "packets")
    assert first == (ROWS[0], ROWS[3])  # the best that fits, not the largest
    assert second == (ROWS[2], ROWS[3])  # the better placement; three CPUs need more
    assert (bench.ratio(*first), bench.ahead(*first)) == (1.0, False)
    assert (bench.ratio(*second), bench.ahead(*second)) == (1.6, True)
    assert bench.contests(ROWS, "image") == []


def test_a_fitted_kernel_competes_by_itself() -> None:
    rows = [*ROWS, row("hw", 1, 8000, 120, size="fitted"), row("sw", 1, 4500, 110, size="fitted")]
    found = bench.contests(rows, "packets")
    assert [hard for hard, _ in found] == [ROWS[0], ROWS[2], rows[-2]]
    assert {soft.per_second for _, soft in found} == {110}  # the better size of the software kernel
    assert [(each.what.partition(":")[0], each.measured) for each in bench.figures(rows)] == [
        ("packets, fast core", 0.9),
        ("packets, fast core, fitted", 1.09),
    ]


def test_a_ratio_is_rounded_down() -> None:
    assert bench.ratio(row("hw", 1, 2, 100.99), row("sw", 1, 1, 100)) == 1.0


def test_figure_is_of_the_least_gain() -> None:
    what = "packets, fast core: hardware kernel over the best software of equal area"
    what = f"{what}, with the CPUs that gain least"
    assert bench.figures(ROWS) == [Figure(what, 1.0, at_least=1.01)]


def test_tables() -> None:
    table = page.application(ROWS, "packets")
    assert table.title == (
        "Packets a second: hardware kernel beside the best software arrangement of equal area"
    )
    assert table.rows == (
        ("fast", "1 CPU", "9 000", "50.0", "100", "1 CPU", "4 500", "50.0", "100", "1.00", "no"),
        ("fast", "2 CPUs static", "13 000", "50.0", "160", "1 CPU", "4 500", "50.0", "100", "1.60", "yes"),
    )
    soft, hard = (
        Soc(
            core="fast",
            kernel=kernel,
            cpus=3,
            size=size,
            lut4=13_500,
            mhz=61.25,
            mhz_min=60.0,
            mhz_max=63.0,
            seeds=3,
            path="a to b",
        )
        for kernel, size in (("sw", "usual"), ("hw", "fitted"))
    )
    assert page.clocks([soft, hard], [Core(core="fast", lut4=4440, mhz=83.5)]).rows == (
        ("fast", "the core alone", "-", "-", "4 440", "83.5", "-", "-", "-"),
        ("fast", "software kernel", "-", "3", "13 500", "61.2", "60.0", "63.0", "3"),
        ("fast", "hardware kernel", "fitted", "3", "13 500", "61.2", "60.0", "63.0", "3"),
    )
    assert page.paths([hard]).rows == (("fast", "hardware kernel", "fitted", "3", "`a to b`"),)


def test_switches_in_time_are_at_the_clock_of_each_kernel() -> None:
    def switch(kernel: str, mean: float, most: int, low_jitter: bool = False) -> Switch:
        return Switch(
            kind="voluntary",
            kernel=kernel,
            core="fast",
            cpus=2,
            cache="warm",
            low_jitter=low_jitter,
            switches=9,
            min=1,
            mean=mean,
            max=most,
            jitter=1,
            median=1,
            median_stages={},
            max_stages={},
        )

    rows = [switch("sw", 240.0, 300), switch("hw", 50.0, 55), switch("hw", 5.0, 5, low_jitter=True)]
    hard, soft = (
        Soc(
            core="fast",
            kernel=kernel,
            cpus=2,
            size="usual",
            lut4=1,
            mhz=mhz,
            mhz_min=mhz,
            mhz_max=mhz,
            seeds=1,
            path="",
        )
        for kernel, mhz in (("hw", 50.0), ("sw", 60.0))
    )
    assert page.switches([hard, soft], rows).rows == (
        ("voluntary", "fast", "warm", "2", "1.00", "1.10", "4.00", "5.00", "4.00"),
    )
    assert page.switches([hard], rows).rows == ()


def test_soc_without_the_kernel() -> None:
    soft, hard = (Arrangement("fast", kernel, 2).job() for kernel in ("sw", "hw"))
    assert dict(soft.params()) == {**hard.params(), "HasKernel": 0}
    assert "Ipc" not in hard.params()
    assert (soft.label, hard.label) == ("cl_soc-fast-sw-2-64x32", "cl_soc-fast-hw-2-64x32")
    fitted = Arrangement("fast", "hw", 2, "fitted").job()
    assert (fitted.label, fitted.params()["Mutexes"]) == ("cl_soc-fast-hw-2-fitted-16x32", 0)


@pytest.mark.parametrize(("kernel", "operations"), [("hw", True), ("sw", False)])
@pytest.mark.runtime
def test_only_one_kernel_is_asked(kernel: str, operations: bool) -> None:
    arranged = Arrangement("standard", kernel, 2)
    outcome = bench.experiment(arranged, "pairs", "dynamic").run(b"", Options(window=20_000, modules=True))
    found = outcome.figures
    assert found.done > 0
    assert bool(waits(outcome.result.events, 0, found.end)) == operations


PAIRS = {
    ("hw", 1, "dynamic"): 1009,
    ("hw", 2, "static"): 1952,
    ("hw", 2, "dynamic"): 1936,
    ("sw", 1, "dynamic"): 324,
    ("sw", 2, "static"): 350,
    ("sw", 2, "dynamic"): 358,
}


@pytest.mark.parametrize(("kernel", "cpus", "placement"), PAIRS)
@pytest.mark.runtime
def test_pairs_by_kernel(kernel: str, cpus: int, placement: str) -> None:
    soc = Soc(
        core="standard",
        kernel=kernel,
        cpus=cpus,
        size="usual",
        lut4=1,
        mhz=50,
        mhz_min=50,
        mhz_max=50,
        seeds=1,
        path="",
    )
    measured = bench.measure(soc, "pairs", placement, b"", window=100_000)
    assert measured.done == PAIRS[kernel, cpus, placement]
    assert measured.per_second == measured.done * 500


def test_every_soc_of_a_core_differs_by_cpus_alone() -> None:
    one, two = (Arrangement("economy", "hw", n).soc() for n in (1, 2))
    assert dataclasses.replace(one, cpus=2) == two


class Inline:
    """Work that runs its jobs one after the other."""

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[T]]) -> list[T]:
        return [row for job in wanted for row in job.measure(lambda cycles: None)]


def test_software_gets_as_many_cpus_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    def lut4(job: units.Job) -> int:
        _, kernel, cpus, *fitted = job.unit.build.split("-")
        return 4000 * int(cpus) + (3000 if fitted else 5000) * (kernel == "hw")

    monkeypatch.setattr(synth, "lut4", lut4)
    found = bench.areas(("fast",), (1, 2), cast(Work, Inline()))
    assert [(each.kernel, each.cpus, each.size, lut4) for each, lut4 in found] == [
        *(("hw", 1, "usual", 9000), ("hw", 1, "fitted", 7000)),
        *(("hw", 2, "usual", 13_000), ("hw", 2, "fitted", 11_000)),
        *(("sw", 1, "usual", 4000), ("sw", 2, "usual", 8000), ("sw", 3, "usual", 12_000)),
    ]


@pytest.mark.parametrize("application", ["packets", "image"])
@pytest.mark.runtime
def test_applications_run_on_a_fitted_kernel(application: str) -> None:
    arranged = Arrangement("standard", "hw", 2, "fitted")
    data = APPS[application].prepare(None)
    outcome = bench.experiment(arranged, application, "dynamic").run(data, Options(window=100_000))
    assert (outcome.result.exit_status, outcome.figures.done > 0) == (None, True)
