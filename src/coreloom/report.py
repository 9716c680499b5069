"""Pages made from result files: docs/results/*.md and the table in the README. Never typed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coreloom import results, synth, tables
from coreloom.bench.ipc import README_FIGURE
from coreloom.errors import UserError
from coreloom.paths import ROOT

_BEGIN = "<!-- results: begin (made by `coreloom report`) -->"
_END = "<!-- results: end -->"


def _origin(content: dict[str, Any]) -> str:
    tools = ", ".join(f"{name} {version}" for name, version in content["tools"].items() if name != "coreloom")
    return f"Commit {content['commit']}; {tools}."


def _page(name: str, title: str, content: dict[str, Any], shown: Sequence[tables.Table]) -> str:
    """The page of build/results/<name>.json: how it was measured, its origin, its tables."""
    parts = [f"# {title}", ""]
    parts += [
        f"<!-- Made by `coreloom report` from build/results/{name}.json; do not edit. -->",
        "",
    ]
    parts += [content["method"], _origin(content), ""]
    for table in shown:
        parts += [f"## {table.title}", "", table.markdown(), ""]
    return "\n".join(parts)


def smp_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench smp`."""
    shown = [*tables.smp_tables(content["rows"]), tables.reach(content["reach"])]
    return _page("smp", "Applications of [SMP] on the software and the hardware kernel", content, shown)


def grain_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench grain`."""
    shown = [tables.grain(content["rows"])]
    return _page("grain", "What a message costs: the image filter by pixels a message", content, shown)


def synth_page(content: dict[str, Any]) -> str:
    """The page of `coreloom synth`."""
    rows = content["rows"]
    shown = [*tables.synth_tables(rows), tables.critical(rows)]
    return _page("synth", "Area and clock of the units on an FPGA", content, shown)


def scheduler_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench scheduler`."""
    shown = [*tables.scheduler_tables(content["rows"]), tables.reach(content["reach"])]
    return _page("scheduler", "The scheduler of [HT]: cycles of its operations, and delays", content, shown)


def ipc_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench ipc`."""
    shown = [*tables.ipc_tables(content["rows"]), tables.reach(content["reach"], "standard core, amp")]
    return _page("ipc", "Communication between processors: the mechanisms of [IPC] and more", content, shown)


def backdoor_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench backdoor`."""
    shown = [
        *tables.backdoor_tables(content["rows"]),
        tables.reach(content["reach"], "largest sizes"),
    ]
    return _page(
        "backdoor", "The Back-Door of [GF]: four programs on one processor and on two", content, shown
    )


def readme_tables(
    smp: dict[str, Any],
    scheduler: dict[str, Any],
    area: dict[str, Any],
    ipc: dict[str, Any],
    backdoor: dict[str, Any],
) -> str:
    """The part of the results that the README shows: the standard core, [HT]'s scheduler, one of [IPC], the
    programs of [GF]."""
    rows = [row for row in smp["rows"] if row["core"] == "standard"]
    semaphore = [row for row in ipc["reach"] if row["what"] == README_FIGURE]
    areas = (figure.row() for figure in synth.figures(area["rows"]))
    reached = tables.reach([*scheduler["reach"], *areas, *semaphore])
    pair = tables.backdoor_readme(backdoor["rows"])
    shown = (tables.smp_done(rows), tables.smp_switch(rows), reached, pair)
    return "\n\n".join(table.markdown() for table in shown)


def _replace_between(text: str, new: str) -> str:
    try:
        head, rest = text.split(_BEGIN)
        _, tail = rest.split(_END)
    except ValueError:
        raise UserError("README.md has lost its result markers: restore it with git") from None
    return f"{head}{_BEGIN}\n{new}\n{_END}{tail}"


def write() -> list[Path]:
    """Write all pages; returns them. A UserError if there are no results."""
    smp, scheduler, area = results.read("smp"), results.read("scheduler"), results.read("synth", "synth")
    ipc, backdoor = results.read("ipc"), results.read("backdoor")
    folder = ROOT / "docs" / "results"
    pages = {
        folder / "smp.md": smp_page(smp),
        folder / "grain.md": grain_page(results.read("grain")),
        folder / "scheduler.md": scheduler_page(scheduler),
        folder / "ipc.md": ipc_page(ipc),
        folder / "backdoor.md": backdoor_page(backdoor),
        folder / "synth.md": synth_page(area),
    }
    for page, text in pages.items():
        results.write_atomically(page, text.encode())
    readme = ROOT / "README.md"
    text = _replace_between(readme.read_text(), readme_tables(smp, scheduler, area, ipc, backdoor))
    results.write_atomically(readme, text.encode())
    return [*pages, readme]
