# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/results and docs/papers, docs/not-reached.md and the README's table."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from coreloom import paths
from coreloom.benches import registry
from coreloom.benches.bench import Bench
from coreloom.conformance import functions
from coreloom.errors import UserError
from coreloom.report import papers, results
from coreloom.report.page import Plot, page
from coreloom.report.table import Table

BEGIN = "<!-- results: begin (made by `coreloom report`) -->"
END = "<!-- results: end -->"
PAPERS = ("<!-- items: begin (made by `coreloom report`) -->", "<!-- items: end -->")
# What `coreloom report` itself writes: changes there do not make a tree dirty.
_MADE = ("docs/results", "docs/not-reached.md", "docs/papers/*.md", "docs/reference/posix.md", "README.md")
_COLUMNS = ("figure", "to reach", "measured", "bound", "reached")  # of the figures to reach on a page


class Missed(NamedTuple):
    """A figure that is not reached, as the tables show it."""

    what: str
    target: str
    measured: str
    bound: str


def write() -> tuple[list[Path], list[str]]:
    """Publish the whole results that are in build/results, and make all pages whose results are published.

    Returns what was written, and the commands that make the results of the rest, which stays as it is.
    A UserError if there are no results at all, or if files are changed that no commit has.
    """
    _check_clean()
    commit = results.commit()  # before this changes pages
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
            less = published(bench, content)
            target = bench.published
            if not target.exists() or target.read_bytes() != less:
                written.append(results.write_atomically(target, less))
        if there := bench.read_published():
            found[bench.name] = there
        else:
            missing.append(bench.command)
    if not found:
        raise UserError("no results yet: run a benchmark first, for example `coreloom bench smp`")
    papers.check()
    for path, text in pages(found).items():
        written.append(results.write_atomically(paths.ROOT / path, text.encode()))
    if items := papers.rows():
        written.append(results.write("papers", items, commit=commit, tools={}))
    return written, missing


def published(bench: Bench[Any], content: Any) -> bytes:
    """What is published of a result. UserError if the page of that would be another one."""
    text = results.publish(bench.shown(content))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / bench.published.name
        path.write_bytes(text)
        less = results.read(bench.result, path, bench.command)
    if _shown(bench, less) != _shown(bench, content):
        raise UserError(f"{bench.name}: its page needs more than is published of it: a bug in Coreloom")
    return text


def _shown(bench: Bench[Any], content: Any) -> tuple[str, dict[str, Plot]]:
    plots = bench.plots(content)
    return page(bench.title, content, [*bench.tables(content), *bench.details(content)], plots), plots


def pages(found: dict[str, Any]) -> dict[str, str]:
    """Path in the checkout -> text, of all that follows from these results (bench -> result)."""
    made: dict[str, str] = {}
    for name, content in found.items():
        bench = registry.get(name)
        made[f"docs/results/{name}.md"], plots = _shown(bench, content)
        made |= {f"docs/results/{file}": plot.svg for file, plot in plots.items()}
    if "rtos" in found:  # whose cycles it shows
        made["docs/reference/posix.md"] = functions.page()
    made["docs/not-reached.md"] = not_reached(found)
    made["docs/results/README.md"] = index(found)
    made["README.md"] = _between("README.md", (BEGIN, END), headlines(found, "docs/"))
    if of_papers := papers.pages():
        made |= of_papers
        made["docs/papers/README.md"] = _between("docs/papers/README.md", PAPERS, papers.summary())
    return made


def index(found: dict[str, Any]) -> str:
    """The front page of docs/results."""
    table = headlines(found, "../")
    parts = [
        "# Results",
        "<!-- Made by `coreloom report` from data/*.tsv; do not edit. -->",
        "Each page says how it was measured, at which commit and with which tools. "
        "`coreloom report --stale` lists those that this tree would no longer give. "
        "[Figures not reached](../not-reached.md) are listed with their reasons.",
        f"## {table.title}",
        table.markdown(),
    ]
    return "\n\n".join(parts) + "\n"


def headlines(found: dict[str, Any], docs: str) -> Table:
    """A line for each page: headline figure, figures reached and not reached. docs: path of that folder."""

    def line(bench: Bench[Any]) -> tuple[str, ...]:
        page = f"[{bench.title}]({docs}results/{bench.name}.md)"
        paper = f"[{bench.paper}]({docs}papers/{_page_of(bench.paper)})" if bench.paper else "-"
        misses = missed(bench, found)
        link = f" ([why]({docs}not-reached.md#{_anchor(bench.title)}))" if misses else ""
        no = "; ".join(f"{miss.what}: {miss.measured} (to reach: {miss.target})" for miss in misses) + link
        if bench.name not in found:  # a page from before results were published with their data
            return (page, paper, "see the page", "-", "-", "-", "-", no or "-")
        content = found[bench.name]
        figure = bench.headline(content)
        reached = f"{sum(f.reached for f in content.reach)} of {len(content.reach)}" if content.reach else "-"
        bound = "-" if figure.bound is None else f"{figure.bound:g}"
        return (page, paper, figure.what, f"{figure.measured:g}", figure.target, bound, reached, no or "-")

    return Table(
        "Headline figures",
        (
            *("result", "paper", "headline figure", "measured", "to reach", "bound", "figures reached"),
            "not reached",
        ),
        tuple(line(bench) for bench in registry.benches().values() if bench.name in found or _old(bench)),
        text_columns=3,
    )


def missed(bench: Bench[Any], found: dict[str, Any]) -> list[Missed]:
    """The figures of a bench that say no; of a page without published data those that the page shows."""
    if bench.name in found:
        return [
            Missed(f.what, f.target, f"{f.measured:g}", "-" if f.bound is None else f"{f.bound:g}")
            for f in found[bench.name].reach
            if not f.reached
        ]
    lines = [line[2:-2].split(" | ") for line in _old(bench).splitlines() if line.startswith("| ")]
    begin = lines.index(list(_COLUMNS)) if list(_COLUMNS) in lines else len(lines)
    return [Missed(*line[:4]) for line in lines[begin:] if len(line) == len(_COLUMNS) and line[4] == "no"]


def reason(bench: Bench[Any], miss: Missed) -> str:
    """The heading of not_reached.md about this figure, the beginning of its name; empty if there is none."""
    headings = re.findall(r"^### (.*)$", bench.text("not_reached.md"), re.MULTILINE)
    return next((head for head in headings if miss.what.lower().startswith(head.lower())), "")


def not_reached(found: dict[str, Any]) -> str:
    """Of every bench the figures that say no, and its own text why."""
    parts = [
        "# Figures not reached, and why",
        "<!-- Made by `coreloom report` from src/coreloom/benches/*/not_reached.md; do not edit. -->",
    ]
    for name, bench in registry.benches().items():
        misses = missed(bench, found)
        reasons = bench.text("not_reached.md").strip()
        if misses or reasons:
            measured = name in found or _old(bench)  # else there is no page yet
            parts.append(f"## [{bench.title}](results/{name}.md)" if measured else f"## {bench.title}")
            parts += [_misses(bench, misses).markdown()] if misses else []
            parts += [reasons] if reasons else []
    return "\n\n".join(parts) + "\n"


def _misses(bench: Bench[Any], misses: list[Missed]) -> Table:
    def why(miss: Missed) -> str:
        heading = reason(bench, miss)
        return f"[below](#{_anchor(heading)})" if heading else "-"

    lines = tuple((*miss, why(miss)) for miss in misses)
    return Table("Figures not reached", (*_COLUMNS[:4], "reason"), lines)


def _old(bench: Bench[Any]) -> str:
    """The bench's page as it is; empty without one."""
    path = paths.ROOT / "docs" / "results" / f"{bench.name}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _page_of(tag: str) -> str:
    """The page of a paper's items, by its tag."""
    return next((f"{name}.md" for name, paper in papers.load().items() if paper.tag == tag), "README.md")


def _anchor(heading: str) -> str:
    """The fragment by which a heading of a page is linked."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


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


def _between(path: str, marks: tuple[str, str], table: Table) -> str:
    """The text of a page with this table between the marks."""
    text = (paths.ROOT / path).read_text(encoding="utf-8")
    try:
        head, rest = text.split(marks[0])
        _, tail = rest.split(marks[1])
    except ValueError:
        raise UserError(f"{path} has lost its result markers: restore it with git") from None
    return f"{head}{marks[0]}\n**{table.title}**\n\n{table.markdown()}\n{marks[1]}{tail}"
