# SPDX-License-Identifier: Apache-2.0
"""Pages made from result files: docs/results/*.md and the table in the README. Never typed by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from coreloom.benches import exclusive_tables, linux_tables, model_tables, tables
from coreloom.benches.fairness import bench as fairness
from coreloom.benches.ipc.bench import README_FIGURE
from coreloom.errors import UserError
from coreloom.paths import ROOT
from coreloom.report import plots, results
from coreloom.report.table import Table
from coreloom.report.table import reach as reach_table
from coreloom.synthesis import synth

_BEGIN = "<!-- results: begin (made by `coreloom report`) -->"
_END = "<!-- results: end -->"


def _origin(content: dict[str, Any]) -> str:
    tools = ", ".join(f"{name} {version}" for name, version in content["tools"].items() if name != "coreloom")
    return f"Commit {content['commit']}; {tools}."


def _page(
    name: str,
    title: str,
    content: dict[str, Any],
    shown: Sequence[Table],
    plotted: Mapping[str, str] | None = None,
) -> str:
    """The page of build/results/<name>.json: how it was measured, its origin, its tables.

    plotted: the plots' files, each with a text.
    """
    parts = [f"# {title}", ""]
    parts += [
        f"<!-- Made by `coreloom report` from build/results/{name}.json; do not edit. -->",
        "",
    ]
    parts += [content["method"], _origin(content), ""]
    for file, text in (plotted or {}).items():
        parts += [f"![{text}]({file})", ""]
    for table in shown:
        parts += [f"## {table.title}", "", table.markdown(), ""]
    return "\n".join(parts)


def smp_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench smp`."""
    shown = [*tables.smp_tables(content["rows"]), reach_table(content["reach"])]
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
    shown = [*tables.scheduler_tables(content["rows"]), reach_table(content["reach"])]
    return _page("scheduler", "The scheduler of [HT]: cycles of its operations, and delays", content, shown)


def policies_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench policies`."""
    shown = tables.policies_tables(content)
    return _page("policies", "Scheduling policies on the SoC: decisions, shares, moves, area", content, shown)


def ipc_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench ipc`."""
    shown = [*tables.ipc_tables(content["rows"]), reach_table(content["reach"], "standard core, amp")]
    return _page("ipc", "Communication between processors: the mechanisms of [IPC] and more", content, shown)


def backdoor_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench backdoor`."""
    shown = [
        *tables.backdoor_tables(content["rows"]),
        reach_table(content["reach"], "largest sizes"),
    ]
    return _page(
        "backdoor", "The Back-Door of [GF]: four programs on one processor and on two", content, shown
    )


def fairness_plots(content: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """By file: what a plot of `coreloom bench fairness` shows, and its SVG."""
    rows = [row for row in content["rows"] if row["kind"] == fairness.COUNTEREXAMPLE and not row["tick_us"]]
    ideal = rows[0]["ideal_ratio"]
    text = "Service of T1 over that of each other thread in [DWRR]'s counter-example"
    share = plots.bars(
        text,
        "times as much",
        {row["policy"]: row["share_ratio"] for row in rows},
        (ideal, f"by weight: {ideal:.2f}"),
    )
    lines = {
        row["policy"]: [
            ((n + 1) * row["seconds"] / len(row["gaps_in_B"]), gap) for n, gap in enumerate(row["gaps_in_B"])
        ]
        for row in rows
        if row["policy"] in ("cfs", "ring", "dwrr")
    }
    over_time = "Largest gap of weighted service in [DWRR]'s counter-example over time"
    gap = plots.lines(over_time, "seconds", "gap in B", lines, level=(2, "dwrr's bound: 2 B"), top=10)
    return {"fairness-share.svg": (text, share), "fairness-gap.svg": (f"{over_time}; cut off at 10 B", gap)}


def fairness_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench fairness`."""
    plotted = {file: text for file, (text, _) in fairness_plots(content).items()}
    shown = model_tables.fairness_tables(content)
    return _page(
        "fairness", "Fairness of the scheduling policies: [DWRR]'s cases and more", content, shown, plotted
    )


def model_plots(content: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Likewise of `coreloom bench model`."""
    text = "Events a second of the model by CPUs, on one core"
    rows = content["rows"]
    lines = {
        policy: [(row["cpus"], row["events_per_s"]) for row in rows if row["policy"] == policy]
        for policy in dict.fromkeys(row["policy"] for row in rows)
    }
    level = (3e6, "3 million")
    return {
        "model-scale.svg": (
            text,
            plots.lines(text, "CPUs", "events a second", lines, log_x=True, level=level),
        )
    }


def model_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench model`."""
    plotted = {file: text for file, (text, _) in model_plots(content).items()}
    shown = model_tables.model_tables(content)
    return _page(
        "model_scale", "The scheduling model: its speed, and what it says of the SoC", content, shown, plotted
    )


def exclusive_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench exclusive`."""
    shown = exclusive_tables.exclusive_tables(content)
    return _page(
        "exclusive", "A CPU of its own: the Golden-Finger of [GF] on a kernel of today", content, shown
    )


def linux_page(content: dict[str, Any]) -> str:
    """The page of `coreloom bench linux`."""
    shown = linux_tables.linux_tables(content)
    return _page(
        "linux", "[DWRR]'s tests on a kernel of today: scx_dwrr beside other schedulers", content, shown
    )


def readme_tables(
    smp: dict[str, Any],
    scheduler: dict[str, Any],
    area: dict[str, Any],
    ipc: dict[str, Any],
    backdoor: dict[str, Any],
    fair: dict[str, Any],
    scaled: dict[str, Any],
    alone: dict[str, Any],
) -> str:
    """The part of the results that the README shows: the standard core, [HT]'s scheduler, one of [IPC], the
    programs of [GF], [DWRR]'s cases, a CPU of its own."""
    rows = [row for row in smp["rows"] if row["core"] == "standard"]
    semaphore = [row for row in ipc["reach"] if row["what"] == README_FIGURE]
    areas = (figure.row() for figure in synth.figures(area["rows"]))
    reached = reach_table(
        [*scheduler["reach"], *areas, *semaphore, *fair["reach"], *scaled["reach"], *alone["reach"]]
    )
    pair = tables.backdoor_readme(backdoor["rows"])
    policies = model_tables.fairness_readme(fair["rows"])
    held = exclusive_tables.exclusive_readme(alone["rows"])
    shown = (tables.smp_done(rows), tables.smp_switch(rows), reached, pair, policies, held)
    return "\n\n".join(table.markdown() for table in shown)


def _replace_between(text: str, new: str) -> str:
    try:
        head, rest = text.split(_BEGIN)
        _, tail = rest.split(_END)
    except ValueError:
        raise UserError("README.md has lost its result markers: restore it with git") from None
    return f"{head}{_BEGIN}\n{new}\n{_END}{tail}"


# Of each result the command that makes it, and its page.
_PAGES: dict[str, tuple[str, str, Callable[[dict[str, Any]], str]]] = {
    "smp": ("bench smp", "smp.md", smp_page),
    "grain": ("bench grain", "grain.md", grain_page),
    "scheduler": ("bench scheduler", "scheduler.md", scheduler_page),
    "policies": ("bench policies", "policies.md", policies_page),
    "ipc": ("bench ipc", "ipc.md", ipc_page),
    "backdoor": ("bench backdoor", "backdoor.md", backdoor_page),
    "synth": ("synth", "synth.md", synth_page),
    "fairness": ("bench fairness", "fairness.md", fairness_page),
    "model_scale": ("bench model", "model.md", model_page),
    "exclusive": ("bench exclusive", "exclusive.md", exclusive_page),
    "linux": ("bench linux", "linux.md", linux_page),
}
_PLOTS = {"fairness": fairness_plots, "model_scale": model_plots}
# What readme_tables takes, in its order.
_README = ("smp", "scheduler", "synth", "ipc", "backdoor", "fairness", "model_scale", "exclusive")


def write() -> tuple[list[Path], list[str]]:
    """Write the pages whose results are here, and the README's table if all of its are.

    Returns what was written, and the commands that make the results of the rest, which stays as it is.
    A UserError if there are no results at all.
    """
    there = {name: results.read(name, of[0]) for name, of in _PAGES.items() if results.exists(name)}
    if not there:
        raise UserError("no results yet: run a benchmark first, as `coreloom bench smp`")
    pages = {file: page(there[name]) for name, (_, file, page) in _PAGES.items() if name in there}
    for name, plotted in _PLOTS.items():
        if name in there:
            pages |= {file: svg for file, (_, svg) in plotted(there[name]).items()}
    folder = ROOT / "docs" / "results"
    for file, text in pages.items():
        results.write_atomically(folder / file, text.encode())
    written = [folder / file for file in pages]
    if all(name in there for name in _README):
        readme = ROOT / "README.md"
        text = _replace_between(readme.read_text(), readme_tables(*(there[name] for name in _README)))
        written.append(results.write_atomically(readme, text.encode()))
    return written, [command for name, (command, *_) in _PAGES.items() if name not in there]
