# SPDX-License-Identifier: Apache-2.0
"""Pictures: bars as long as their values, every name and figure as text, the same bytes each time."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from coreloom.report import plots
from coreloom.report.plots import Bars, Chart, Heat, Lines

_SVG = "{http://www.w3.org/2000/svg}"
BARS = Bars("Shares & more", "times", {"cfs": {"mp3": 4.0, "mpeg4": 1.0}, "dwrr": {"mp3": 2.0}})
LINES = Lines("Gap", "CPUs", "gap in B", {"hardware kernel": [(1, 5), (8, 20)], "dwrr": [(1, 1)]}, log_x=True)
HEAT = Heat(
    *("Gain", "x", "y"),
    {"ports": {(1, 10): 9.0, (1, 300): 1.05, (2, 10): 2.0, (2, 300): 1.2}, "locks": {(1, 10): 1.0}},
    "times",
    (1.1, "ends"),
)


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{_SVG}text")]


@pytest.mark.parametrize(
    ("chart", "shown"),
    [
        (BARS, {"Shares & more", "times", "cfs", "dwrr", "mp3", "mpeg4", "4", "2", "1"}),
        (Bars("One", "s", {"cfs": {"cfs": 12_000.0}}, level=(2, "fair")), {"One", "cfs", "12 000", "fair"}),
        (LINES, {"Gap", "CPUs", "gap in B", "hardware kernel", "dwrr", "1", "8"}),
        (
            HEAT,
            {
                "Gain: times",
                "ports",
                "locks",
                "10",
                "300",
                "1",
                "2",
                "9",
                "1.05",
                "x; upwards: y; the line: ends",
            },
        ),
    ],
)
def test_everything_is_text_and_the_bytes_are_the_same(chart: Chart, shown: set[str]) -> None:
    svg = plots.draw(chart)
    assert shown <= set(texts(svg))
    assert svg == plots.draw(chart)
    assert (ET.fromstring(svg).findtext(f"{_SVG}title") or "") == chart.text
    assert "currentColor" in svg and "prefers-color-scheme" in svg
    assert "matplotlib.org" not in svg


def test_bars_are_as_long_as_their_values_and_share_colours() -> None:
    svg = plots.draw(BARS)
    found = re.findall(
        r'<path d="M ([\d.]+) [\d.]+\s+L ([\d.]+) [^"]*" clip-path[^>]*style="fill: (#\w+)"', svg
    )
    lengths = [float(end) - float(begin) for begin, end, _ in found]
    assert [round(length / lengths[1], 3) for length in lengths] == [4, 1, 2]
    assert found[0][2] == found[2][2] != found[1][2]


def test_a_line_is_between_the_cells_on_either_side_of_the_level() -> None:
    edges = re.findall(
        rf'<path d="M ([\d.]+) ([\d.]+)\s+L ([\d.]+) ([\d.]+)[^>]*{plots._EDGE}', plots.draw(HEAT)
    )
    upright = [x == other for x, _, other, _ in edges]
    assert sorted(upright) == [False, True]  # to the left of the cell with 1.05, and above it


def test_what_has_a_name_keeps_its_colour() -> None:
    assert "#009e73" in plots.draw(LINES)


def test_numbers_are_short() -> None:
    assert [plots.short(value) for value in (0, 0.25, 3.0587, 12_000, 3_100_000)] == [
        *("0", "0.25", "3.06", "12 000", "3.1 million"),
    ]
