# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/results, docs/not-reached.md and the README's table, for all of the registry."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from coreloom import paths
from coreloom.benches import registry
from coreloom.benches.bench import Bench
from coreloom.errors import UserError
from coreloom.report import results
from coreloom.report.page import page
from coreloom.report.table import Table, reach

BEGIN = "<!-- results: begin (made by `coreloom report`) -->"
END = "<!-- results: end -->"
# What `coreloom report` itself writes: changes there do not make a tree dirty.
_MADE = ("docs/results", "docs/not-reached.md", "README.md")


def write() -> tuple[list[Path], list[str]]:
    """Publish the whole results that are in build/results, and make all pages whose results are published.

    Returns what was written, and the commands that make the results of the rest, which stays as it is.
    A UserError if there are no results at all, or if files are changed that no commit has.
    """
    _check_clean()
    found: dict[str, Any] = {}
    written: list[Path] = []
    missing: list[str] = []
    for bench in registry.benches().values():
        new = paths.RESULTS / f"{bench.name}.json"
        if new.exists():
            content = results.read(bench.result, new, bench.command)
            if content.commit.endswith("+changes"):
                raise UserError(
                    f"{new.name} was measured with uncommitted changes: commit them, then run "
                    f"`coreloom {bench.command}` again"
                )
            target = bench.published
            if not target.exists() or target.read_bytes() != new.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                written.append(Path(shutil.copyfile(new, target)))
        if bench.published.exists():
            found[bench.name] = results.read(bench.result, bench.published, bench.command)
        else:
            missing.append(bench.command)
    if not found:
        raise UserError("no results yet: run a benchmark first, for example `coreloom bench smp`")
    for path, text in pages(found).items():
        written.append(results.write_atomically(paths.ROOT / path, text.encode()))
    return written, missing


def pages(found: dict[str, Any]) -> dict[str, str]:
    """Path in the checkout -> text, of all that follows from these results (bench -> result)."""
    made: dict[str, str] = {}
    for name, content in found.items():
        bench = registry.get(name)
        plots = bench.plots(content)
        tables = [*bench.tables(content), *bench.details(content)]
        fresh = content.inputs == bench.digest()
        made[f"docs/results/{name}.md"] = page(bench.title, content, tables, plots, fresh)
        made |= {f"docs/results/{file}": plot.svg for file, plot in plots.items()}
    made["docs/not-reached.md"] = not_reached(found)
    made["docs/results/README.md"] = index(found)
    table = headlines(found, "docs/")
    made["README.md"] = _replace_between(
        (paths.ROOT / "README.md").read_text(), f"**{table.title}**\n\n{table.markdown()}"
    )
    return made


def index(found: dict[str, Any]) -> str:
    """The front page of docs/results."""
    table = headlines(found, "../")
    parts = [
        "# Results",
        "<!-- Made by `coreloom report` from data/*.json; do not edit. -->",
        "Each page says how it was measured, at which commit and with which tools. One that begins with "
        "*Measured at* is of an older version of its inputs. "
        "[Figures not reached](../not-reached.md) are listed with their reasons.",
        f"## {table.title}",
        table.markdown(),
    ]
    return "\n\n".join(parts) + "\n"


def headlines(found: dict[str, Any], docs: str) -> Table:
    """A line for each page: headline figure, number of figures reached. docs: path of that folder."""

    def line(bench: Bench[Any]) -> tuple[str, ...]:
        page = f"[{bench.title}]({docs}results/{bench.name}.md)"
        paper = f"[{bench.paper}]({docs}papers/README.md)" if bench.paper else "-"
        if bench.name not in found:  # a page from before results were published with their data
            return (page, paper, "see the page", "-", "-", "-", "-")
        content = found[bench.name]
        figure = bench.headline(content)
        reached = f"{sum(f.reached for f in content.reach)} of {len(content.reach)}" if content.reach else "-"
        bound = "-" if figure.bound is None else f"{figure.bound:g}"
        return (page, paper, figure.what, f"{figure.measured:g}", figure.target, bound, reached)

    folder = paths.ROOT / "docs" / "results"
    listed = [b for b in registry.benches().values() if b.name in found or (folder / f"{b.name}.md").exists()]
    return Table(
        "Headline figures",
        ("result", "paper", "headline figure", "measured", "to reach", "bound", "figures reached"),
        tuple(line(bench) for bench in listed),
        text_columns=3,
    )


def not_reached(found: dict[str, Any]) -> str:
    """Of every bench the figures that say no, and its own text why."""
    parts = [
        "# Figures not reached, and why",
        "<!-- Made by `coreloom report` from src/coreloom/benches/*/not_reached.md; do not edit. -->",
    ]
    for name, bench in registry.benches().items():
        missed = [figure for figure in found[name].reach if not figure.reached] if name in found else []
        reasons = bench.text("not_reached.md").strip()
        if missed or reasons:
            parts.append(f"## [{bench.title}](results/{name}.md)")
            parts += [reach(missed, "not reached").markdown()] if missed else []
            parts += [reasons] if reasons else []
    return "\n\n".join(parts) + "\n"


def _check_clean() -> None:
    git = ["git", "-C", str(paths.ROOT), "status", "--porcelain", "-uno", "--", "."]
    try:
        done = subprocess.run([*git, *(f":!{m}" for m in _MADE)], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return  # no checkout: nothing to compare with
    if done.stdout:
        raise UserError(
            f"{done.stdout.splitlines()[0][3:]} has uncommitted changes: commit it first, so that pages "
            "show what their commit has"
        )


def _replace_between(text: str, new: str) -> str:
    try:
        head, rest = text.split(BEGIN)
        _, tail = rest.split(END)
    except ValueError:
        raise UserError("README.md has lost its result markers: restore it with git") from None
    return f"{head}{BEGIN}\n{new}\n{END}{tail}"
