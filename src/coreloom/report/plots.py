# SPDX-License-Identifier: Apache-2.0
"""Pictures of pages: what they show is data, and draw() makes SVG of it with matplotlib (decision 56).

The same data give the same bytes. Text stays text; ink and background follow the reader's light or dark.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from typing import Any

from coreloom.errors import UserError
from coreloom.report.table import number

Line = Sequence[tuple[float, float]]

# Okabe and Ito's colours, which people with any colour vision tell apart; what has a name keeps its colour.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c7300", "#999999")
_NAMED = {
    "hardware kernel": "#009e73",
    "software kernel": "#d55e00",
    "FreeRTOS": "#56b4e9",
    "paper": "#999999",
}
_INK = "#010203"  # as matplotlib writes it; replaced
_FONTS = "'DejaVu Sans', Verdana, sans-serif"  # of about the same widths
_STYLE = (
    "<style>.plot{color:#1c2126}.plot-back{fill:#fff}@media (prefers-color-scheme:dark){"
    ".plot{color:#e6eaee}.plot-back{fill:#14181c}}</style>"
)
_WIDTH, _BAR, _LINES = 7.2, 0.27, 3.4  # inches: of a chart, of one bar, of a chart of lines
_WIDE, _ABREAST = 10.4, 3  # inches of a chart of panels, and how many stand side by side
# Of cells, from a value of 1 to one of _DARKEST and more, and of the figures in them.
_LIGHT, _DARK, _DARKEST = (0.93, 0.95, 0.93), (0.0, 0.36, 0.26), 10.0
_ON_LIGHT, _ON_DARK = "#1c2126", "#ffffff"
_EDGE = "#d55e00"


@dataclass(frozen=True)
class Bars:
    """Horizontal bars: a group for each name, in it a bar for each series."""

    title: str
    unit: str
    values: Mapping[str, Mapping[str, float]]
    log: bool = False
    level: tuple[float, str] | None = None  # a value to compare with, and its name
    width: float = _WIDTH

    @property
    def series(self) -> list[str]:
        return list(dict.fromkeys(name for group in self.values.values() for name in group))

    @property
    def text(self) -> str:
        """What a person reads who does not see it."""
        groups = (
            f"{group}: " + ", ".join(f"{name} {short(value)}".strip() for name, value in bars.items())
            for group, bars in self.values.items()
        )
        return f"{self.title} ({self.unit}). {'; '.join(groups)}"

    @property
    def height(self) -> float:
        return 1.0 + _BAR * sum(len(group) + 0.6 * (len(group) > 1) for group in self.values.values())


@dataclass(frozen=True)
class Lines:
    """A line for each name."""

    title: str
    x: str
    y: str
    series: Mapping[str, Line]
    log_x: bool = False
    log_y: bool = False
    values: bool = False  # written at the points
    level: tuple[float, str] | None = None
    top: float | None = None  # the y scale ends there
    width: float = _WIDTH
    height: float = _LINES

    @property
    def text(self) -> str:
        ends = (f"{name}: {short(line[0][1])} to {short(line[-1][1])}" for name, line in self.series.items())
        return f"{self.title} ({self.y} by {self.x}). {'; '.join(ends)}"


@dataclass(frozen=True)
class Heat:
    """Panels of cells by (y, x), each with its value: the more, the darker, by logarithms from 1 on."""

    title: str
    x: str
    y: str
    panels: Mapping[str, Mapping[tuple[float, float], float]]
    unit: str
    level: tuple[float, str]  # a line is drawn between the cells on either side of it
    width: float = _WIDE

    @property
    def text(self) -> str:
        ranges = (
            f"{name}: {short(min(cells.values()))} to {short(max(cells.values()))}"
            for name, cells in self.panels.items()
        )
        return f"{self.title} ({self.unit}, by {self.x} and {self.y}). {'; '.join(ranges)}"

    @property
    def rows(self) -> int:
        return -(-len(self.panels) // _ABREAST)

    @property
    def height(self) -> float:
        return 0.9 + 1.9 * self.rows


Chart = Bars | Lines | Heat


def short(value: float) -> str:
    """As short as it can be read: 3, 0.25, 12 000, 3.1 million."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g} million"
    return number(value) if abs(value) >= 100 else f"{value:.3g}"


def draw(chart: Chart) -> str:
    """The chart as SVG."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError("pictures need matplotlib: run `make setup-report`") from None
    style: Any = {  # its keys are literals to matplotlib
        **{"svg.fonttype": "none", "svg.hashsalt": "coreloom", "figure.facecolor": "none"},
        **{"font.family": ["DejaVu Sans"], "font.size": 10},
        **{"axes.facecolor": "none", "axes.spines.top": False, "axes.spines.right": False},
        **{"axes.axisbelow": True, "axes.titlesize": 12, "axes.titleweight": "bold", "legend.frameon": False},
        **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor"), _INK),
        **dict.fromkeys(("xtick.color", "ytick.color"), _INK),
    }
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(chart.width, chart.height), layout="constrained")
        title = f"{chart.title}: {chart.unit}" if isinstance(chart, Heat) else chart.title
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
        if isinstance(chart, Heat):
            _heat(figure, chart)
        elif isinstance(chart, Bars):
            _bars(figure.subplots(), chart)
        else:
            _lines(figure.subplots(), chart)
        made = io.StringIO()
        figure.savefig(
            made, format="svg", metadata={"Date": None, "Creator": None, "Type": None, "Format": None}
        )
    return _finished(made.getvalue(), chart.text)


def _heat(figure: Any, chart: Heat) -> None:
    xs = sorted({x for cells in chart.panels.values() for _, x in cells})
    ys = sorted({y for cells in chart.panels.values() for y, _ in cells})
    grid = figure.subplots(chart.rows, _ABREAST, squeeze=False).flatten()
    for axes, (name, cells) in zip(grid, chart.panels.items(), strict=False):
        axes.set_title(name, loc="left", fontsize=10)
        _cells(axes, cells, xs, ys, chart.level[0])
    for axes in grid[len(chart.panels) :]:
        axes.set_axis_off()
    figure.supxlabel(f"{chart.x}; upwards: {chart.y}; the line: {chart.level[1]}", fontsize=10)


def _cells(
    axes: Any,
    cells: Mapping[tuple[float, float], float],
    xs: Sequence[float],
    ys: Sequence[float],
    level: float,
) -> None:
    from matplotlib.patches import Rectangle

    for (j, y), (i, x) in product(enumerate(ys), enumerate(xs)):
        if (value := cells.get((y, x))) is None:
            continue
        part = min(max(math.log(value) / math.log(_DARKEST), 0), 1)
        colour = [low + (high - low) * part for low, high in zip(_LIGHT, _DARK, strict=True)]
        axes.add_patch(Rectangle((i - 0.5, j - 0.5), 1, 1, facecolor=colour, edgecolor="none"))
        ink = _ON_DARK if part > 0.5 else _ON_LIGHT
        axes.text(i, j, f"{value:.3g}", ha="center", va="center", fontsize=8, color=ink)
        beside = cells.get((y, xs[i + 1])) if i + 1 < len(xs) else None
        above = cells.get((ys[j + 1], x)) if j + 1 < len(ys) else None
        for other, edge in (
            (beside, ((i + 0.5, i + 0.5), (j - 0.5, j + 0.5))),
            (above, ((i - 0.5, i + 0.5), (j + 0.5, j + 0.5))),
        ):
            if other is not None and (value < level) != (other < level):
                axes.plot(*edge, color=_EDGE, linewidth=2.5, solid_capstyle="round")
    axes.set_xlim(-0.5, len(xs) - 0.5)
    axes.set_ylim(-0.5, len(ys) - 0.5)
    axes.set_xticks(range(len(xs)), [short(x) for x in xs], fontsize=8)
    axes.set_yticks(range(len(ys)), [short(y) for y in ys], fontsize=8)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _colours(names: Sequence[str]) -> dict[str, str]:
    left = iter(
        [colour for colour in _COLOURS if not {*names} & {*_NAMED} or colour not in _NAMED.values()] * 3
    )
    return {name: _NAMED.get(name) or next(left) for name in names}


def _bars(axes: Any, chart: Bars) -> None:
    alone = all({*group} == {name} for name, group in chart.values.items())  # a bar of its own each
    colours = {} if alone else _colours(chart.series)
    at, ticks = 0.0, []
    for group in chart.values.values():
        ticks.append(at + (len(group) - 1) / 2)
        for name, value in group.items():
            drawn = axes.barh(
                at, value, height=0.85, color=colours.get(name, _NAMED.get(name, _COLOURS[0])), label=name
            )
            axes.bar_label(drawn, [short(value)], padding=4)
            at += 1
        at += 0.6 if len(group) > 1 else 0
    axes.set_yticks(ticks, list(chart.values))
    axes.set_ylim(at - (0.9 if any(len(group) > 1 for group in chart.values.values()) else 0.4), -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["bottom"].set_visible(False)
    if chart.log:
        axes.set_xscale("log")
    axes.set_xticks([])
    axes.set_xticks([], minor=True)
    axes.margins(x=0.12)
    axes.set_xlabel(chart.unit, loc="left")
    if chart.level is not None:
        value, name = chart.level
        axes.axvline(value, color=_INK, linestyle="--", linewidth=1)
        axes.annotate(
            name, (value, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontsize=9
        )
    if not alone:
        _legend(axes)


def _legend(axes: Any) -> None:
    """Each name once, below the picture."""
    handles, names = axes.get_legend_handles_labels()
    each = dict(zip(reversed(names), reversed(handles), strict=True))
    order = list(dict.fromkeys(names))
    axes.figure.legend([each[name] for name in order], order, loc="outside lower left", ncols=4, fontsize=9)


def _lines(axes: Any, chart: Lines) -> None:
    colours = _colours(list(chart.series))
    for (name, line), marker in zip(chart.series.items(), "osD^vP*X" * 3, strict=False):
        few = len(line) <= 12
        xs, ys = zip(*line, strict=True)
        axes.plot(xs, ys, color=colours[name], label=name, linewidth=2, marker=marker if few else None)
        side, edge = (7, "bottom") if name == next(iter(chart.series)) else (-7, "top")
        for x, y in line if chart.values else ():
            axes.annotate(
                short(y), (x, y), (0, side), textcoords="offset points", ha="center", va=edge, fontsize=9
            )
    if chart.log_x:
        axes.set_xscale("log")
        marks = sorted({x for line in chart.series.values() for x, _ in line})
        axes.set_xticks(marks, [short(mark) for mark in marks])
        axes.set_xticks([], minor=True)
    if chart.log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, chart.top)
        axes.yaxis.set_major_formatter(lambda value, _: short(value))
    axes.grid(axis="y", color=_INK, alpha=0.15)
    axes.set_xlabel(chart.x)
    axes.set_ylabel(chart.y)
    if chart.level is not None:
        value, name = chart.level
        axes.axhline(value, color=_INK, linestyle="--", linewidth=1)
        axes.annotate(name, (1, value), xycoords=("axes fraction", "data"), ha="right", va="top", fontsize=9)
    if len(chart.series) > 1:
        axes.legend(fontsize=9)


def _finished(svg: str, text: str) -> str:
    """Without what says how it was made; ink and background by the reader's choice."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = svg.replace(_INK, "currentColor").replace("'DejaVu Sans'", _FONTS)
    svg = re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)
    # Ids are hashes of numbers whose last bit depends on the machine.
    mark, ids = hashlib.sha256(text.encode()).hexdigest()[:6], r"\b[mp][0-9a-f]{10}\b"
    order = list(dict.fromkeys(re.findall(ids, svg)))
    svg = re.sub(ids, lambda found: f"{found[0][0]}{mark}-{order.index(found[0])}", svg)
    head = f"<title>{escape(text)}</title>{_STYLE}"
    back = '<rect class="plot-back" width="100%" height="100%"/>'
    return re.sub(r"<svg ([^>]*)>", rf'<svg class="plot" role="img" \1>\n{head}{back}', svg, count=1)
