# SPDX-License-Identifier: Apache-2.0
"""All that follows from published results: pages, pictures, the README's figures, the HTML report.

What the project set itself to reach, and where it did not, is docs/engineering/targets.md: no user's page.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from base64 import b64encode
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from coreloom import paths
from coreloom.benches import front, registry
from coreloom.benches.bench import Bench
from coreloom.conformance import functions
from coreloom.errors import UserError
from coreloom.files import write_atomically
from coreloom.report import papers, plots, results
from coreloom.report.compact import SUFFIX
from coreloom.report.figure import Figure
from coreloom.report.page import Summary, origin, page, picture
from coreloom.report.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAPERS = "items"  # the block of docs/papers/README.md
# What `coreloom report` itself writes: changes there do not make a tree dirty.
_MADE = (
    *("docs/results", "docs/engineering/targets.md", "docs/papers/*.md"),
    *("docs/reference/posix.md", "README.md"),
)
REPORT = "report.html"  # in build/


class Noted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A missed target that no bench measures (docs/engineering/noted.toml)."""

    what: str
    target: str
    measured: str
    reason: str


class _Part(NamedTuple):
    """A result in the HTML report."""

    name: str
    title: str
    answer: str
    pictures: list[tuple[str, str]]  # text, data
    tables: list[Table]
    method: str
    origin: str


def write() -> tuple[list[Path], list[str], str]:
    """Publish the whole results that are in build/results, and make all pages whose results are published.

    Returns what was written, the commands that make the results of the rest, which stays as it is, and how
    many targets are missed.
    A UserError if there are no results at all, or if files are changed that no commit has.
    """
    _check_clean()
    commit = results.commit()  # before this changes pages
    written: list[Path] = []
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
                written.append(write_atomically(target, less))
    found, missing = read()
    papers.check()
    for path, text in {**pages(found), **pictures(found)}.items():
        written.append(write_atomically(paths.ROOT / path, text.encode()))
    if items := papers.rows():
        written.append(results.write("papers", items, commit=commit, tools={}))
    written.append(write_atomically(paths.RESULTS.parent / REPORT, html(found).encode()))
    return written, missing, tally(found)


def read() -> tuple[dict[str, Any], list[str]]:
    """The published results by bench, and the commands that make those of the rest. UserError without any."""
    found: dict[str, Any] = {}
    missing = []
    for bench in registry.benches().values():
        if there := bench.read_published():
            found[bench.name] = there
        else:
            missing.append(bench.command)
    if not found:
        raise UserError("no results yet: run a benchmark first, for example `coreloom bench smp`")
    return found, missing


def published(bench: Bench[Any], content: Any) -> bytes:
    """What is published of a result. UserError if what is shown of that would be something else."""
    text = results.publish(bench.shown(content))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / bench.published.name
        path.write_bytes(text)
        less = results.read(bench.result, path, bench.command)
    if _shown(bench, less) != _shown(bench, content):
        raise UserError(f"{bench.name}: its page needs more than is published of it: a bug in Coreloom")
    return text


def _shown(bench: Bench[Any], content: Any) -> tuple[Any, ...]:
    """The parts as a reader sees them: published figures have fewer digits."""
    summary = bench.summary(content)
    charts = [chart.text for chart in (summary.chart, *bench.charts(content)) if chart]
    return summary.answer, summary.table, charts, bench.tables(content), bench.details(content)


def pages(found: dict[str, Any]) -> dict[str, str]:
    """Path in the checkout -> text, of all pages that follow from these results (bench -> result)."""
    summaries = {name: registry.get(name).summary(content) for name, content in found.items()}
    made = {
        f"docs/results/{name}.md": _page(name, found[name], summary) for name, summary in summaries.items()
    }
    if "rtos" in found:  # whose cycles it shows
        made["docs/reference/posix.md"] = functions.page()
    made["docs/results/README.md"] = index(summaries)
    made["docs/engineering/targets.md"] = targets(found)
    if blocks := front.blocks(found):
        made["README.md"] = _with("README.md", blocks)
    if of_papers := papers.pages():
        table = papers.summary()
        made |= of_papers
        made |= {"docs/papers/README.md": _with("docs/papers/README.md", {PAPERS: _titled(table)})}
    return made


def pictures(found: dict[str, Any]) -> dict[str, str]:
    """Path in the checkout -> SVG, likewise."""
    charts = {name: registry.get(name).summary(content).chart for name, content in found.items()}
    return {f"docs/results/{picture(name)}": plots.draw(chart) for name, chart in charts.items() if chart}


def _page(name: str, content: Any, summary: Summary) -> str:
    bench = registry.get(name)
    links = [
        f"All rows: [data/{name}{SUFFIX}](data/{name}{SUFFIX}), and as sortable tables in build/{REPORT}, "
        f"which `coreloom report` writes. Measure again: `coreloom {bench.command}`."
    ]
    if bench.paper:
        links.append(f"Item by item against the paper: [{bench.paper}](../papers/{_page_of(bench.paper)}).")
    return page(bench.title, content, summary, bench.method, links)


def index(summaries: dict[str, Summary]) -> str:
    """The front page of docs/results."""
    parts = [
        "# Results",
        f"<!-- Made by `coreloom report` from data/*{SUFFIX}; do not edit. -->",
        "Each page has the answer, a picture, the rows that matter, what limits the figures, and how they "
        "were measured. Cycles are counted in simulations of the hardware and are the same on every machine. "
        "`coreloom report --stale` lists pages that this version would no longer give.",
        *(f"- **[{registry.get(name).title}]({name}.md)** {each.answer}" for name, each in summaries.items()),
    ]
    return "\n\n".join(parts) + "\n"


def _code(text: object) -> Markup:
    """`text` of Markdown, in HTML."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def html(found: dict[str, Any]) -> str:
    """The report: every table of every result, in one file that needs no other."""
    environment = Environment(
        loader=PackageLoader("coreloom.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["code"] = _code
    parts = [_part(registry.get(name), content) for name, content in found.items()]
    return environment.get_template("report.html.j2").render(parts=parts) + "\n"


def _part(bench: Bench[Any], content: Any) -> _Part:
    summary = bench.summary(content)
    charts = [*((summary.chart,) if summary.chart else ())]
    charts += [chart for chart in bench.charts(content) if chart not in charts]
    drawn = [(chart.text, b64encode(plots.draw(chart).encode()).decode()) for chart in charts]
    tables = [table.filled() for table in (summary.table, *bench.tables(content), *bench.details(content))]
    return _Part(bench.name, bench.title, summary.answer, drawn, tables, bench.method, origin(content))


def noted() -> list[Noted]:
    """Misses that no bench measures."""
    path = paths.ROOT / "docs" / "engineering" / "noted.toml"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return msgspec.convert(tomllib.loads(text).get("targets", []), list[Noted])


def targets(found: dict[str, Any]) -> str:
    """Every target with what was measured, and why it was missed."""
    parts = [
        "# Targets, met and missed",
        "<!-- Made by `coreloom report` from docs/results/data, src/coreloom/benches/*/not_reached.md and "
        "noted.toml; do not edit. -->",
        "What the project set itself to reach. *Bound*: what nothing can beat. Where a target was missed, "
        f"the reason is linked. {tally(found)}; cycles are of the standard core unless a target says "
        "otherwise.",
    ]
    for name, content in found.items():
        bench = registry.get(name)
        reasons = bench.text("not_reached.md").strip()
        if content.reach or reasons:
            parts.append(f"## [{bench.title}](../results/{name}.md)")
            parts += [_targets(bench, content.reach).markdown()] if content.reach else []
            parts += [reasons] if reasons else []
    if others := noted():
        lines = tuple((each.what, each.target, each.measured, each.reason) for each in others)
        columns = ("target", "wanted", "measured", "why it was missed")
        parts += ["## Missed targets that no bench measures", Table("", columns, lines, 4).markdown()]
    return "\n\n".join(parts) + "\n"


def tally(found: dict[str, Any]) -> str:
    """How many targets are missed, in words."""
    every: list[Figure] = [figure for content in found.values() for figure in content.reach]
    return f"{sum(not figure.reached for figure in every)} of {len(every)} targets are missed"


def reason(bench: Bench[Any], miss: Figure) -> str:
    """The heading of not_reached.md about this figure, the beginning of its name; empty if there is none."""
    headings = re.findall(r"^### (.*)$", bench.text("not_reached.md"), re.MULTILINE)
    return next((head for head in headings if miss.what.lower().startswith(head.lower())), "")


def _targets(bench: Bench[Any], figures: list[Figure]) -> Table:
    def line(figure: Figure) -> tuple[str, ...]:
        heading = "" if figure.reached else reason(bench, figure)
        met = "met" if figure.reached else f"missed: [why](#{_anchor(heading)})" if heading else "missed"
        bound = "-" if figure.bound is None else f"{figure.bound:g}"
        return (figure.what, met, figure.target, f"{figure.measured:g}", bound)

    columns = ("target", "met or missed", "wanted", "measured", "bound")
    return Table("", columns, tuple(map(line, figures)), text_columns=2)


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


def _titled(table: Table) -> str:
    return f"**{table.title}**\n\n{table.markdown()}"


def _with(path: str, blocks: dict[str, str]) -> str:
    """The text of a page with each of these between its markers."""
    text = (paths.ROOT / path).read_text(encoding="utf-8")
    for name, block in blocks.items():
        begin, end = front.block(name)
        try:
            head, rest = text.split(begin)
            _, tail = rest.split(end)
        except ValueError:
            raise UserError(
                f"{path} has lost the markers of its block '{name}': restore it with git"
            ) from None
        text = f"{head}{begin}\n{block}\n{end}{tail}"
    return text
