# SPDX-License-Identifier: Apache-2.0
"""Drawings for data sheets as SVG text: words by their bits, waveforms, blocks, address maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

_INK, _SOFT, _FAINT, _FILL, _NONE = "#1d2733", "#5f6b7a", "#c9ced6", "#dbe9f6", "#f1f2f4"
_FONT = 'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="12"'
_DARK = "<style>@media (prefers-color-scheme: dark) {svg {filter: invert(.91) hue-rotate(180deg)}}</style>"
_LETTER = 7.3  # widths of a letter of that font


def _svg(title: str, width: float, height: float, parts: Iterable[str]) -> str:
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" {_FONT} fill="{_INK}">',
            f"<title>{escape(title)}</title>",
            _DARK,
            f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
            *parts,
            "</svg>\n",
        )
    )


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float, fill: str = _FILL, more: str = "") -> str:
    size = f'width="{width:g}" height="{height:g}"'
    return f'<rect x="{x:g}" y="{y:g}" {size} fill="{fill}" stroke="{_INK}"{more}/>'


def _line(path: str, colour: str = _INK) -> str:
    return f'<path d="{path}" fill="none" stroke="{colour}"/>'


_SMALL = f' font-size="10" fill="{_SOFT}"'


# --- words ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bits:
    """A field of a word."""

    name: str
    lsb: int
    width: int


def words(title: str, layouts: Mapping[str, Sequence[Bits]]) -> str:
    """Each word as a row of 32 bits, bit 31 at the left; a field without room for its name has it below."""
    bit, left, parts, top = 21, 10, [], 8.0
    for name, fields in layouts.items():
        parts.append(_text(left, top + 12, name, "start", ' font-weight="bold"'))
        top += 34
        parts.append(_box(left, top, 32 * bit, 26, _NONE))
        to_left: list[tuple[float, str]] = []
        to_right: list[tuple[float, str]] = []
        for field in sorted(fields, key=lambda field: field.lsb):
            x, room = left + (32 - field.lsb - field.width) * bit, field.width * bit
            parts.append(_box(x, top, room, 26))
            ends = {field.lsb: x + room - bit / 2, field.lsb + field.width - 1: x + bit / 2}
            parts += [_text(at, top - 5, str(number), more=_SMALL) for number, at in ends.items()]
            if len(field.name) * _LETTER < room - 4:
                parts.append(_text(x + room / 2, top + 17, field.name))
            elif len(field.name) * _LETTER < x:
                to_left.insert(0, (x + room / 2, field.name))
            else:
                to_right.append((x + room / 2, field.name))
        # In this order no line crosses another one's name.
        for names, way, anchor in ((to_left, -1, "end"), (to_right, 1, "start")):
            for below, (at, text) in enumerate(names):
                y = top + 41 + 15 * below
                parts.append(_line(f"M{at:g} {top + 20:g}V{y - 4:g}h{6 * way}", _SOFT))
                parts.append(_text(at + 9 * way, y, text, anchor))
        top += 44 + 15 * max(len(to_left), len(to_right))
    return _svg(title, 2 * left + 32 * bit, top, parts)


# --- waveforms -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Wave:
    """A signal by cycle: levels "0" and "1"; other letters are words of `labels`, "." is no word."""

    name: str
    cycles: str
    labels: Mapping[str, str] | None = None


def waves(title: str, signals: Sequence[Wave]) -> str:
    """Rows of signals below a clock; each cycle is as wide."""
    cycle, left, row = 62, 90, 34
    count = max(len(signal.cycles) for signal in signals)
    parts = []
    for n in range(count + 1):
        x = left + n * cycle
        parts.append(_line(f"M{x:g} 22V{40 + row * (len(signals) + 1):g}", _FAINT))
        if n < count:
            parts.append(_text(x + cycle / 2, 16, str(n), more=_SMALL))
    clock = "".join(f"V{30}h{cycle / 2:g}V{50}h{cycle / 2:g}" for _ in range(count))
    parts += [_text(left - 10, 45, "clk_i", "end"), _line(f"M{left} 50{clock}")]
    for n, signal in enumerate(signals):
        top = 64 + row * n
        parts.append(_text(left - 10, top + 15, signal.name, "end"))
        parts += _words(signal, left, top, cycle) if signal.labels else [_levels(signal, left, top, cycle)]
    return _svg(title, left + cycle * count + 12, 50 + row * (len(signals) + 1), parts)


def _levels(signal: Wave, left: float, top: float, cycle: float) -> str:
    height = {"0": top + 20, "1": top}
    path = f"M{left:g} {height[signal.cycles[0]]:g}"
    return _line(path + "".join(f"V{height[level]:g}h{cycle:g}" for level in signal.cycles))


def _words(signal: Wave, left: float, top: float, cycle: float) -> list[str]:
    parts, start = [], 0
    for end in range(1, len(signal.cycles) + 1):
        letter = signal.cycles[start]
        if end < len(signal.cycles) and signal.cycles[end] == letter:
            continue
        x, room = left + start * cycle, (end - start) * cycle
        if letter == ".":
            parts.append(_line(f"M{x:g} {top + 10:g}h{room:g}", _FAINT))
        else:
            parts.append(
                f'<path d="M{x:g} {top + 10:g}l5 -10h{room - 10:g}l5 10l-5 10h-{room - 10:g}z" '
                f'fill="{_FILL}" stroke="{_INK}"/>'
            )
            text = (signal.labels or {})[letter]
            squeeze = f' textLength="{room - 14:g}" lengthAdjust="spacingAndGlyphs"'
            parts.append(
                _text(x + room / 2, top + 14, text, more=squeeze if len(text) * _LETTER > room - 14 else "")
            )
        start = end
    return parts


# --- blocks --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """An instance: its module, and when or how often it is there ("": always, once)."""

    name: str
    when: str = ""


def blocks(title: str, rows: Sequence[Sequence[Block]], links: Mapping[tuple[str, str], str]) -> str:
    """Rows of boxes; a line joins two of them, with its text; a box that is not always there is dashed.

    Boxes of one row are joined below it, each two at a height of their own.
    """
    wide, high, gap, between, step = 176, 50, 30, 84, 17
    width = max(len(row) for row in rows) * (wide + gap) + gap
    row_of = {block.name: r for r, row in enumerate(rows) for block in row}
    left: dict[str, float] = {}
    for row in rows:
        start = (width - len(row) * (wide + gap) + gap) / 2
        left |= {block.name: start + n * (wide + gap) for n, block in enumerate(row)}
    beside = [[link for link in links if {row_of[name] for name in link} == {r}] for r in range(len(rows))]
    tops = [16.0]
    for found in beside:
        tops.append(tops[-1] + high + between + step * len(found))

    def end(name: str, link: tuple[str, str]) -> tuple[float, int]:
        """Where along its side of a box a link ends, so that none meets another."""

        def side(pair: tuple[str, str]) -> int:
            return min(row_of[other] for other in pair) < row_of[name]

        def other(pair: tuple[str, str]) -> float:
            return left[pair[1] if pair[0] == name else pair[0]]

        mates = sorted((p for p in links if name in p and side(p) == side(link)), key=other)
        return left[name] + wide * (mates.index(link) + 1) / (len(mates) + 1), mates.index(link)

    lines, texts, boxes = [], [], []
    for link, text in links.items():
        upper, lower = sorted(link, key=row_of.__getitem__)
        (x, _), (z, turn) = end(upper, link), end(lower, link)
        y, w = tops[row_of[upper]] + high, tops[row_of[lower]]
        if w < y:
            level = y + 16 + step * beside[row_of[upper]].index(link)
            lines.append(_line(f"M{x:g} {y:g}V{level:g}H{z:g}V{y:g}", _SOFT))
            texts.append(_label((x + z) / 2, level + 3, text))
        else:
            lines.append(_line(f"M{x:g} {y:g}C{x:g} {w - 20:g} {z:g} {w - 60:g} {z:g} {w:g}"))
            texts.append(_label(z, w - 10 - 14 * turn, text))
    for r, row in enumerate(rows):
        for block in row:
            x, y = left[block.name], tops[r]
            boxes.append(_box(x, y, wide, high, more=' stroke-dasharray="5 3"' if block.when else ""))
            boxes.append(_text(x + wide / 2, y + (21 if block.when else 30), block.name))
            boxes.append(_text(x + wide / 2, y + 39, block.when, more=_SMALL))
    return _svg(title, width, tops[-1] - between + 24, [*lines, *boxes, *texts])


def _label(x: float, y: float, text: str) -> str:
    """A text on a line that it interrupts."""
    width = len(text) * 6.1 + 6
    return f'<rect x="{x - width / 2:g}" y="{y - 9:g}" width="{width:g}" height="12" fill="#fff"/>' + _text(
        x, y, text, more=_SMALL
    )


# --- address maps --------------------------------------------------------------------------


@dataclass(frozen=True)
class Window:
    """A part of an address space; depth: how many others it is within."""

    name: str
    base: int
    bytes: int
    depth: int = 0


def address_map(title: str, windows: Sequence[Window]) -> str:
    """Windows by address, all of one height: their sizes differ too much to be drawn to scale."""
    row, left, wide = 26, 110, 330
    parts = []
    for n, window in enumerate(windows):
        y, indent = 10 + row * n, 24 * window.depth
        parts.append(_text(left - 10, y + 17, f"{window.base >> 16:04X}_{window.base & 0xFFFF:04X}", "end"))
        parts.append(_box(left + indent, y, wide - indent, row, "#fff" if window.depth else _FILL))
        parts.append(_text(left + indent + 10, y + 17, window.name, "start"))
        parts.append(_text(left + wide + 10, y + 17, size(window.bytes), "start", f' fill="{_SOFT}"'))
    return _svg(title, left + wide + 190, 20 + row * len(windows), parts)


def size(count: int) -> str:
    """Bytes in their largest unit; 0: as many as the platform has."""
    for shift, unit in ((20, "MiB"), (10, "KiB")):
        if count and count % (1 << shift) == 0:
            return f"{count >> shift} {unit}"
    return f"{count} bytes" if count else "set by the platform"
