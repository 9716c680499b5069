# SPDX-License-Identifier: Apache-2.0
"""What keys of platform files cost: each is measured or says why not, and the page has it."""

from __future__ import annotations

import pytest

from coreloom.design import generate, key_costs, keys, platform
from coreloom.design.key_costs import Cost
from coreloom.synthesis import key_costs as measured
from coreloom.synthesis import synth
from coreloom.synthesis.units import Job


def test_each_key_is_measured_at_two_values_or_says_why_not() -> None:
    points: dict[str, list[object]] = {}
    for point in measured.points():
        points.setdefault(point.entry.place, []).append(point.value)
    assert {entry.place for entry in keys.table() if not entry.key.area} == points.keys()
    assert [place for place, values in points.items() if len(set(values)) < 2] == []


def test_each_value_is_allowed() -> None:
    for point in measured.points():
        value = list(point.value) if isinstance(point.value, tuple) else point.value
        assert point.entry.wrong(value) == ""


def test_the_first_value_is_the_usual_one_and_one_key_alone_differs() -> None:
    usual: dict[str, Job] = {}
    for point in measured.points():
        params = point.job.params()
        first = usual.setdefault(point.entry.place, point.job).params()
        differs = {name for name in params if params[name] != first[name]}
        if differs == {"HwThreads", "ReadyQueue"}:
            continue  # one needs the other
        assert len(differs) <= 1, point.entry.place


def test_what_is_committed_is_of_these_points() -> None:
    wanted = [(point.entry.place, point.job.unit.top) for point in measured.points()]
    assert [(cost.key, cost.unit) for cost in key_costs.read().costs] == wanted


def test_the_page_has_every_figure() -> None:
    page = generate.FILES[generate._REFERENCE / "platforms.md"]()
    for entry in keys.table():
        (line,) = [
            line
            for line in page.splitlines()
            if line.startswith(f"| {entry.name} |") and f"| {entry.key.text}" in line
        ]
        costs = key_costs.read().of(entry.place)
        assert f"| {entry.key.area or key_costs.text(costs)} |" in line


def test_text_of_a_key() -> None:
    costs = [
        Cost(key="kernel.threads", unit="cl_kernel", value="64", lut4=4074),
        Cost(key="kernel.threads", unit="cl_kernel", value="256", lut4=12345),
    ]
    assert key_costs.text(costs) == "cl_kernel: 4 074 (64), 12 345 (256)"


def test_a_build_that_serves_several_keys_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def lut4(job: Job) -> int:
        made.append(job.label)
        return len(job.label)

    monkeypatch.setattr(synth, "lut4", lut4)
    points = [point for point in measured.points() if point.entry.section == "ipc"]
    steps: list[None] = []
    costs = measured.measure(points, on_done=lambda: steps.append(None))
    assert len(made) == len(set(made)) == len(steps) == measured.builds(points) == 4
    assert [(cost.key, cost.value) for cost in costs] == [
        *(("ipc.mailbox_depth", "16"), ("ipc.mailbox_depth", "64")),
        *(("ipc.mutexes", "16"), ("ipc.mutexes", "64")),
        *(("ipc.barriers", "4"), ("ipc.barriers", "16")),
    ]


def test_a_platform_of_the_usual_values_can_be_loaded() -> None:
    usual = platform.load("smp-standard", 2)
    assert measured.BASE.kernel == usual.kernel
