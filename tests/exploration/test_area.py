# SPDX-License-Identifier: Apache-2.0
"""Area and clock of a configuration: what was placed as it is, anything else by the rule and its error."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from coreloom.design.key_costs import Cost
from coreloom.errors import UserError
from coreloom.exploration import area, published
from coreloom.exploration.area import Area, Model


@dataclass
class Soc:
    core: str
    kernel: str
    cpus: int
    lut4: int
    mhz: float
    size: str = "usual"


@dataclass
class Unit:
    unit: str
    build: str | None
    lut4: int
    bram: int
    fmax_mhz: float
    threads: int | None = 64
    priorities: int | None = 32


SOCS = (
    Soc("standard", "sw", 1, 1000, 40.0),
    Soc("standard", "sw", 2, 2000, 36.0),
    Soc("standard", "hw", 1, 1500, 30.0),
    Soc("standard", "hw", 2, 2600, 27.0),
    Soc("standard", "hw", 1, 1200, 39.0, "fitted"),
)
UNITS = (
    Unit("cl_core", "standard", 900, 3, 41.0),
    Unit("cl_kernel", None, 600, 2, 35.0),
    Unit("cl_kernel", "8-cpus", 1200, 2, 20.0),
    Unit("cl_kernel", "fast", 700, 2, 80.0),
    Unit("cl_kernel", "events", 640, 2, 30.0),
    Unit("cl_kernel", None, 5000, 2, 10.0, 256, 128),  # of another size
    Unit("cl_dcache", None, 50, 4, 60.0, None, None),
)
COSTS = tuple(Cost(key="cpus", unit="cl_kernel", value=str(n), lut4=lut4) for n, lut4 in ((2, 600), (1, 500)))


def made(added: dict[str, int] | None = None) -> Model:
    return area.model(SOCS, UNITS, COSTS, added or {}, {"standard": "small"}, (64, 32))


@pytest.mark.parametrize(
    ("x", "at", "held"), [(0, 5, 5), (1, 5, 5), (1.5, 6, 6), (2, 7, 7), (4, 3, 3), (6, -1, 3)]
)
def test_a_line_goes_on_and_a_clock_does_not(x: float, at: float, held: float) -> None:
    line = [(4, 3), (1, 5), (2, 7)]
    assert (area.at(line, x), area.held(line, x)) == (at, held)


def test_a_line_without_points() -> None:
    with pytest.raises(ValueError, match="a line without points"):
        area.at([], 1)


def test_what_was_placed_has_its_own_figures() -> None:
    assert made().of("standard", 1, "") == Area(1000, 40.0, 3, True)
    assert made().of("standard", 2, "small") == Area(2600, 27.0, 8, True)


def test_what_was_not_placed_is_estimated() -> None:
    model = made()
    # 3 000 and 4 000 LUT4 go on; beyond 2 CPUs the clock is held; the kernel's is 35 with 2 and 20 with 8.
    assert model.of("standard", 4, "") == Area(4000, 36.0, 12)
    assert model.of("standard", 4, "small") == Area(4000 + 800, 27.0, 14)
    assert model.of("standard", 8, "small") == Area(8000 + 1200, 20.0, 26)
    assert model.of("standard", 2, "fast") == Area(2700, 27.0, 8)
    assert model.of("standard", 2, "small", ["events"]) == Area(2640, 27.0, 8)
    assert model.of("standard", 2, "", cache=True) == Area(2100, 36.0, 14)


def test_full_is_all_services_where_it_was_not_measured() -> None:
    added = {"reserve": 10, "timeouts": 20, "inheritance": 30, "events": 1000}
    full = made(added).of("standard", 1, "full")
    assert full.lut4 == 1000 + 500 + (10 + 20 + 30 + 40)  # the unit's own row counts for events
    with pytest.raises(UserError, match=r"^no area of the kernel's full is published: run `coreloom synth`$"):
        made().of("standard", 1, "full")
    with pytest.raises(UserError, match="no area of the kernel's reserve is published"):
        made().of("standard", 1, "small", ["reserve"])


def test_the_error_is_the_largest_over_what_was_placed() -> None:
    model = made()
    # 1 CPU: 36 * 27 / 36 ... the other SoC keeps 27 / 36 of its clock: 40 * 0.75 = 30, as placed; and 2 CPUs
    # by 30 / 40 of 36 = 27, as placed. LUT4: 1 500 and 2 600 as placed.
    assert model.error == area.Error(0.0, 0.0)
    other = area.model(
        (*SOCS[:3], Soc("standard", "hw", 2, 2500, 18.0)), UNITS, COSTS, {}, {"standard": "small"}, (64, 32)
    )
    assert other.error == pytest.approx(area.Error(2600 / 2500 - 1, 27 / 18 - 1))


@pytest.mark.parametrize(
    ("socs", "units", "message"),
    [
        ((), UNITS, "no area of core standard is published: run `coreloom bench equal_area`"),
        (SOCS, UNITS[:1], "no area of cl_kernel is published: run `coreloom synth`"),
        (SOCS, UNITS[1:], "no area of cl_core:standard is published: run `coreloom synth`"),
        (SOCS, UNITS[:-1], "no area of cl_dcache is published: run `coreloom synth`"),
    ],
    ids=("socs", "kernel", "core", "cache"),
)
def test_what_is_missing(socs: tuple[Soc, ...], units: tuple[Unit, ...], message: str) -> None:
    with pytest.raises(UserError) as error:
        area.model(socs, units, COSTS, {}, {"standard": "small"}, (64, 32))
    assert str(error.value) == message


def test_the_published_results_make_a_model_of_every_core_and_kernel() -> None:
    model = published.areas()
    for core in ("economy", "standard", "fast"):
        for cpus in (1, 2, 4, 8, 16):
            found = [model.of(core, cpus, build) for build in ("", "small", "fast")]
            assert found[0].lut4 < found[1].lut4 and found[0].lut4 < found[2].lut4
            assert all(each.mhz > 0 and each.blocks > 0 for each in found)
    assert 0 < model.error.lut4 < 0.1 and 0 < model.error.mhz < 0.3
