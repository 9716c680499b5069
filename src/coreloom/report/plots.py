# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG text: bars and lines, without anything from outside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

Line = Sequence[tuple[float, float]]

_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")
_WIDTH, _HEIGHT = 720, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 150, 40, 50  # margins: scale, legend, title, scale
_UPWARDS = (_HEIGHT - _BOTTOM, -(_HEIGHT - _TOP - _BOTTOM))  # where the y scale begins, and its length


def number(value: float) -> str:
    """As short as it can be read: 3, 0.25, 12k, 3.1M."""
    for unit, text in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{text}"
    return f"{value:.3g}"


@dataclass(frozen=True)
class _Scale:
    """Values from low to high along `length` points from `start`; logarithmic if asked for."""

    low: float
    high: float
    start: float
    length: float  # negative: upwards
    log: bool = False

    def at(self, value: float) -> float:
        low, high, here = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        return self.start + self.length * (here - low) / (high - low)

    def marks(self) -> list[float]:
        """Round values within the scale."""
        if self.log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            found = [10.0**power for power in powers]
            return found if len(found) > 1 else [self.low, self.high]
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / 4))
        step *= next(times for times in (1, 2, 5, 10) if (self.high - self.low) / (step * times) <= 6)
        first = math.ceil(self.low / step)
        return [step * n for n in range(first, math.floor(self.high / step + 1e-9) + 1)]


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _frame(title: str, y_title: str, x_title: str, parts: Sequence[str]) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    middle = (_TOP + bottom) / 2
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
            'font-family="sans-serif" font-size="12" fill="#222">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
            _text((_LEFT + right) / 2, 22, title, more=' font-size="14"'),
            f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="#222"/>',
            _text((_LEFT + right) / 2, _HEIGHT - 10, x_title),
            _text(16, middle, y_title, more=f' transform="rotate(-90 16 {middle:.1f})"'),
            *parts,
            "</svg>\n",
        )
    )


def _y_marks(scale: _Scale) -> list[str]:
    right = _WIDTH - _RIGHT
    parts = []
    for value in scale.marks():
        y = scale.at(value)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="#ddd"/>')
        parts.append(_text(_LEFT - 6, y + 4, number(value), "end"))
    return parts


def _level(scale: _Scale, value: float, text: str) -> list[str]:
    """A dashed line across: what should be."""
    y = scale.at(value)
    return [
        f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#222" stroke-dasharray="5 4"/>',
        _text(_WIDTH - _RIGHT + 6, y + 4, text, "start"),
    ]


def bars(
    title: str, y_title: str, values: Mapping[str, float], level: tuple[float, str] | None = None
) -> str:
    """One bar for each name; level: a value to compare with, and its name."""
    most = max([*values.values(), *([] if level is None else [level[0]])])
    y = _Scale(0, most * 1.1, *_UPWARDS)
    parts = _y_marks(y)
    room = (_WIDTH - _LEFT - _RIGHT) / len(values)
    for n, (name, value) in enumerate(values.items()):
        x, top = _LEFT + room * n, y.at(value)
        parts.append(
            f'<rect x="{x + room * 0.15:.1f}" y="{top:.1f}" width="{room * 0.7:.1f}" '
            f'height="{y.at(0) - top:.1f}" fill="{_COLORS[0]}"/>'
        )
        parts.append(_text(x + room / 2, top - 5, number(value)))
        parts.append(_text(x + room / 2, _HEIGHT - _BOTTOM + 18, name))
    if level is not None:
        parts += _level(y, *level)
    return _frame(title, y_title, "", parts)


def groups(title: str, y_title: str, values: Mapping[str, Mapping[str, float]]) -> str:
    """Bars side by side, a group of them for each name; bars of one name have one colour."""
    names = list(dict.fromkeys(name for group in values.values() for name in group))
    y = _Scale(0, max(v for group in values.values() for v in group.values()) * 1.1, *_UPWARDS)
    parts = _y_marks(y)
    room = (_WIDTH - _LEFT - _RIGHT) / len(values)
    width = room * 0.9 / len(names)
    for n, (text, group) in enumerate(values.items()):
        x = _LEFT + room * n
        for name, value in group.items():
            left, top = x + room * 0.05 + width * names.index(name), y.at(value)
            parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width * 0.9:.1f}" '
                f'height="{y.at(0) - top:.1f}" fill="{_COLORS[names.index(name) % len(_COLORS)]}"/>'
            )
        parts.append(_text(x + room / 2, _HEIGHT - _BOTTOM + 18, text))
    for n, name in enumerate(names):
        parts += _legend(n, name)
    return _frame(title, y_title, "", parts)


def _legend(n: int, name: str) -> list[str]:
    """A line of the legend."""
    left, height = _WIDTH - _RIGHT + 8, _TOP + 16 * (n + 1)
    color = _COLORS[n % len(_COLORS)]
    return [
        f'<path d="M{left} {height - 4}h18" stroke="{color}" stroke-width="3"/>',
        _text(left + 24, height, name, "start"),
    ]


def lines(
    title: str,
    x_title: str,
    y_title: str,
    series: Mapping[str, Line],
    *,
    log_x: bool = False,
    level: tuple[float, str] | None = None,
    top: float | None = None,
) -> str:
    """A line for each name. top: the y scale ends there, and what is above is cut off."""
    points = [point for line in series.values() for point in line]
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    most = max([*(y for _, y in points), *([] if level is None else [level[0]])]) * 1.1 or 1.0
    y = _Scale(0, most if top is None else top, bottom, -(bottom - _TOP))
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    x = _Scale(low, high, _LEFT, right - _LEFT, log_x)
    parts = _y_marks(y)
    marks = sorted({px for px, _ in points}) if log_x else x.marks()
    parts += [_text(x.at(value), bottom + 18, number(value)) for value in marks]
    if level is not None:
        parts += _level(y, *level)
    for n, (name, line) in enumerate(series.items()):
        color = _COLORS[n % len(_COLORS)]
        path = " ".join(f"{x.at(px):.1f},{y.at(min(py, y.high)):.1f}" for px, py in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        parts += _legend(n, name)
    return _frame(title, y_title, x_title, parts)
