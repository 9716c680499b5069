# SPDX-License-Identifier: Apache-2.0
"""The page of comparisons: one HTML file with bars, where the cycles went, timelines and the programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader

from coreloom import __version__
from coreloom.comparison import compare
from coreloom.comparison.compare import Program, Run
from coreloom.report import results
from coreloom.report.table import number
from coreloom.simulation.profile import OWNERS
from coreloom.toolchain.application import Application

_SLICES = 6000  # of all timelines; a page stays below 2 MB
_COLOURS = 8  # of threads, in the page's style
_SOURCE = 200_000  # characters of the program's files
ROW, GAP = 18, 4  # of a CPU, in pixels


class Bar(NamedTuple):
    name: str
    cycles: str
    width: float  # per cent
    parts: list[tuple[str, float]]  # (owner, per cent)
    bus: str
    best: bool


class Box(NamedTuple):
    """A slice as drawn; x and width in cycles from the start of the window."""

    x: int
    width: int
    y: int
    cpu: int
    thread: str  # "": idle
    title: str


class Timeline(NamedTuple):
    name: str
    cpus: int
    height: int
    boxes: list[Box]
    cut: str  # "" or what is left out


class Comparison(NamedTuple):
    """A program and its runs; said: what they show, in a sentence."""

    program: Program
    runs: Sequence[Run]
    said: str


def html(title: str, comparisons: Sequence[Comparison]) -> str:
    """The whole page."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(f"coreloom.{name}", ".") for name in ("comparison", "report")]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    most = _SLICES // len(comparisons)
    shown: dict[str, Any] = {
        "title": title,
        "parts": [_part(each, most) for each in comparisons],
        "owners": (*OWNERS, "waiting"),
        "tools": {"coreloom": __version__, **results.tools(results.TOOLS)},
        "ROW": ROW,
    }
    return environment.get_template("page.html.j2").render(shown) + "\n"


def _part(comparison: Comparison, most: int) -> dict[str, Any]:
    program, runs, said = comparison
    counted = [run for run in runs if run.cycles]
    longest = max((run.cycles or 0 for run in counted), default=1)
    least = compare.best(runs)
    return {
        "name": program.name,
        "sentence": said,
        "difference": compare.difference(runs),
        "status": runs[0].answer.status,
        "bars": [
            Bar(
                run.name,
                number(run.cycles),
                (run.cycles or 0) / longest * 100,
                [(owner, share * 100) for owner, share in run.shares().items()],
                f"{run.bus * 100:.0f} %",
                run is least,
            )
            for run in counted
        ],
        "linux": [run for run in runs if run.cycles is None],
        "timelines": [_timeline(run, most // len(counted)) for run in counted],
        "longest": longest,
        "threads": _threads(counted),
        "printed": runs[0].answer.printed,
        "sources": _sources(program),
        "platform": program.soc(runs[0].cpus),
        "arguments": program.around.arguments[1:],
    }


def _threads(runs: Sequence[Run]) -> dict[str, int]:
    """The colour of each thread's name, the same in all timelines."""
    names = dict.fromkeys(slice.name for run in runs for slice in run.slices if slice.name)
    return {name: n % _COLOURS for n, name in enumerate(names)}


def _timeline(run: Run, most: int) -> Timeline:
    start = max((slice.end for slice in run.slices), default=0) - (run.cycles or 0)
    kept = sorted(run.slices, key=lambda slice: slice.begin)
    end = kept[most].begin if len(kept) > most else None
    boxes = []
    for slice in kept[:most]:
        begin = max(slice.begin, start) - start
        width = slice.end - start - begin
        what = slice.name or "idle"
        title = f"{what}: {number(width)} cycles from {number(begin)}"
        boxes.append(Box(begin, width, slice.cpu * (ROW + GAP), slice.cpu, slice.name, title))
    cut = "" if end is None else f"the first {number(end - start)} of {number(run.cycles)} cycles"
    return Timeline(run.name, run.cpus, run.cpus * (ROW + GAP), boxes, cut)


def _sources(program: Program) -> Iterator[tuple[str, str]]:
    if not isinstance(program.app, Application):
        return
    left = _SOURCE
    for file in program.app.files:
        text = file.read_text("utf-8", "replace")
        if len(text) > left:
            yield file.name, "(left out: this page would be too large)"
            continue
        left -= len(text)
        yield file.name, text
