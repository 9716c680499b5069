# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench placement`: exact rows of cheap cases, what a placement changes, tables and figures."""

from __future__ import annotations

import pytest

from coreloom.benches.placement import bench as placement
from coreloom.benches.placement import page
from coreloom.benches.placement.bench import HARDWARE, MEMORY, SERVICES, SOFTWARE, Area, Case, Result, Row
from coreloom.design import keys

BY_NAME = {service.name: service for service in SERVICES}
CYCLES = {
    ("mutex", HARDWARE): {"take": 12, "give": 11, "blocks": 107, "woken": 105},
    ("mutex", MEMORY): {"take": 114, "give": 102, "blocks": 347, "woken": 346},
    ("semaphore", HARDWARE): {"take": 14, "give": 13, "blocks": 85, "woken": 87},
    ("semaphore", MEMORY): {"take": 104, "give": 120, "blocks": 433, "woken": 319},
    ("semaphore", SOFTWARE): {"take": 25, "give": 41, "blocks": 162, "woken": 160},
}


@pytest.mark.parametrize(("name", "where"), CYCLES)
@pytest.mark.runtime
def test_cycles_of_a_service(name: str, where: str) -> None:
    rows = placement.measure(Case(BY_NAME[name], where, 1))
    assert {row.case: row.cycles for row in rows} == CYCLES[name, where]


def test_a_placement_changes_the_key_of_its_service_alone() -> None:
    for service in SERVICES:
        if not service.key:
            assert service.placements == (MEMORY, SOFTWARE)
            continue
        entry = keys.entry(service.key)
        assert entry.default in (service.hardware, service.memory)
        changed = [service.changes(where) for where in (HARDWARE, MEMORY)]
        assert sorted(map(len, changed)) == [0, 1]
        for changes in changed:
            for key, value in changes.items():
                assert key == service.key and entry.wrong(value) == "", value


def test_tables_and_figures() -> None:
    rows = [
        Row(service="mutex", placement=where, cpus=1, case="take", cycles=cycles)
        for where, cycles in ((HARDWARE, 12), (MEMORY, 90), (SOFTWARE, 40))
    ]
    area = [Area(service="mutex", key="kernel.mutexes", with_it=450, without=440)]
    cycles, cost = page.tables(Result(name="placement", rows=rows, area=area))
    assert cycles.rows == (("mutex", "the call finds what it wants", "12", "90", "40", "-", "-", "-"),)
    assert cost.rows == (("mutex", "kernel.mutexes", "450", "440", "10"),)
    (figure,) = placement.figures(rows)
    assert (figure.what, figure.measured) == ("mutex, take, 1 CPU: memory over hardware", 7.5)
