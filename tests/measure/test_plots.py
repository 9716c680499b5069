# SPDX-License-Identifier: Apache-2.0
"""Plots: what they show, at the right place, as XML that any reader takes."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from coreloom.report import plots

_SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{_SVG}text")]


def test_bars_are_as_high_as_their_values() -> None:
    svg = plots.bars("Shares & more", "times", {"cfs": 4.0, "dwrr": 2.0}, (3.0, "by weight"))
    bars = [element for element in ET.fromstring(svg).iter(f"{_SVG}rect") if element.get("fill") != "#fff"]
    high, low = (float(bar.get("height", "")) for bar in bars)
    assert abs(high - 2 * low) < 0.2
    assert {float(bar.get("y", "")) + float(bar.get("height", "")) for bar in bars} == {310.0}
    assert {"Shares & more", "cfs", "dwrr", "4", "2", "by weight"} <= set(texts(svg))


def test_groups_stand_side_by_side_and_share_colours() -> None:
    svg = plots.groups("Times", "s", {"Light": {"mp3": 1.0, "mpeg4": 4.0}, "Heavy": {"mp3": 2.0}})
    bars = [element for element in ET.fromstring(svg).iter(f"{_SVG}rect") if element.get("fill") != "#fff"]
    first, second, third = (float(bar.get("height", "")) for bar in bars)
    assert abs(second - 4 * first) < 0.3 and abs(third - 2 * first) < 0.3
    assert bars[0].get("fill") == bars[2].get("fill") != bars[1].get("fill")
    left = [float(bar.get("x", "")) for bar in bars]
    assert left == sorted(left)
    assert {"Times", "s", "Light", "Heavy", "mp3", "mpeg4"} <= set(texts(svg))


def test_lines_are_cut_off_at_the_top_and_named() -> None:
    series = {"cfs": [(0.0, 0.0), (1.0, 5.0), (2.0, 20.0)], "dwrr": [(0.0, 1.0), (2.0, 1.0)]}
    svg = plots.lines("Gap", "seconds", "B", series, level=(2.0, "2 B"), top=10)
    cfs, dwrr = (line.get("points") for line in ET.fromstring(svg).iter(f"{_SVG}polyline"))
    assert cfs == "70.0,310.0 320.0,175.0 570.0,40.0"
    assert dwrr == "70.0,283.0 570.0,283.0"
    assert {"cfs", "dwrr", "2 B", "seconds", "0.5", "10"} <= set(texts(svg))


def test_logarithmic_scale_has_a_mark_at_every_point() -> None:
    svg = plots.lines("Events", "CPUs", "a second", {"dwrr": [(4, 3e6), (64, 2e6), (1024, 1e6)]}, log_x=True)
    (line,) = (line.get("points", "") for line in ET.fromstring(svg).iter(f"{_SVG}polyline"))
    assert [point.split(",")[0] for point in line.split()] == ["70.0", "320.0", "570.0"]
    assert {"4", "64", "1.02k", "3M"} <= set(texts(svg))


def test_numbers_are_short() -> None:
    assert [plots.number(value) for value in (0, 0.25, 3.0587, 12_000, 3_100_000)] == [
        *("0", "0.25", "3.06", "12k", "3.1M"),
    ]
