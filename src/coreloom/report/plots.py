# SPDX-License-Identifier: Apache-2.0
"""Pictures of pages: what they show is data, and draw() makes SVG of it with matplotlib (decision 56).

The same data give the same bytes. Text stays text; ink and background follow the reader's light or dark.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
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


@dataclass(frozen=True)
class Bars:
    """Horizontal bars: a group for each name, in it a bar for each series."""

    title: str
    unit: str
    values: Mapping[str, Mapping[str, float]]
    log: bool = False
    level: tuple[float, str] | None = None  # a value to compare with, and its name

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
    height: float = _LINES

    @property
    def text(self) -> str:
        ends = (f"{name}: {short(line[0][1])} to {short(line[-1][1])}" for name, line in self.series.items())
        return f"{self.title} ({self.y} by {self.x}). {'; '.join(ends)}"


@dataclass(frozen=True)
class Pair:
    """Two charts side by side, with a line of small print."""

    left: Bars | Lines
    right: Bars | Lines
    note: str

    @property
    def text(self) -> str:
        return f"{self.left.text}. {self.right.text}"


Chart = Bars | Lines | Pair


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
        size = (2 * _WIDTH * 0.85, _LINES + 0.3) if isinstance(chart, Pair) else (_WIDTH, chart.height)
        figure = Figure(figsize=size, layout="constrained")
        if isinstance(chart, Pair):
            for axes, part in zip(figure.subplots(1, 2), (chart.left, chart.right), strict=True):
                axes.set_title(part.title, loc="left")
                _drawn(axes, part)
            figure.supxlabel(chart.note, fontsize=9, x=0.01, ha="left")
        else:
            figure.suptitle(chart.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
            _drawn(figure.subplots(), chart)
        made = io.StringIO()
        figure.savefig(
            made, format="svg", metadata={"Date": None, "Creator": None, "Type": None, "Format": None}
        )
    return _finished(made.getvalue(), chart.text)


def _drawn(axes: Any, chart: Bars | Lines) -> None:
    if isinstance(chart, Bars):
        _bars(axes, chart)
    else:
        _lines(axes, chart)


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
    head = f"<title>{escape(text)}</title>{_STYLE}"
    back = '<rect class="plot-back" width="100%" height="100%"/>'
    return re.sub(r"<svg ([^>]*)>", rf'<svg class="plot" role="img" \1>\n{head}{back}', svg, count=1)
