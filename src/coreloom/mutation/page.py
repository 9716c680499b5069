# SPDX-License-Identifier: Apache-2.0
"""What faults were noticed: build/results/mutation.json, and the page in docs/engineering made from it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from coreloom import paths
from coreloom.errors import UserError
from coreloom.mutation import sample
from coreloom.mutation.run import Found
from coreloom.report import results
from coreloom.report.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PATH = paths.ROOT / "docs" / "engineering" / "mutation.md"
NOTES = paths.ROOT / "docs" / "engineering" / "mutants.toml"
_NAME = "mutation"


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of a fault that survived when the sample was first tried: one of these says what became of it.

    killed: the test that was written then; equivalent: why no test can notice it; open: why there is none.
    """

    fault: str
    killed: str = ""
    equivalent: str = ""
    open: str = ""


class Mutation(results.Result, kw_only=True):
    sample: int  # faults that there are to try
    rows: list[Found]


def save(rows: Sequence[Found], whole: bool, sample: int) -> Path:
    """Of the usual sample mutation.json, of another mutation-some.json."""
    return results.save(
        Mutation(
            name=_NAME if whole else f"{_NAME}-some",
            tools=results.tools(("coreloom",)),
            sample=sample,
            rows=list(rows),
        )
    )


def read() -> Mutation:
    return results.read(Mutation, paths.RESULTS / f"{_NAME}.json", "mutate")


def notes() -> dict[str, Note]:
    """By the fault's ident. UserError unless each says exactly one thing."""
    try:
        found = msgspec.convert(tomllib.loads(NOTES.read_text("utf-8")), dict[str, Note])
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UserError(f"{NOTES.name}: {error}") from None
    for ident, note in found.items():
        if sum(map(bool, (note.killed, note.equivalent, note.open))) != 1:
            raise UserError(f"{NOTES.name}: {ident} needs one of killed, equivalent and open")
    return found


def table(rows: Sequence[Found], noted: dict[str, Note]) -> Table:
    """By area; score: noticed, of those that are not equivalent and were not too slow to tell."""
    every = sample.areas()
    lines = []
    for name in [*dict.fromkeys(row.area for row in rows), "all"]:
        of_area = [row for row in rows if name in (row.area, "all")]
        equal = {ident for ident, note in noted.items() if note.equivalent}
        counts = [
            sum(row.verdict == "killed" and row.tier == "test" for row in of_area),
            sum(row.verdict == "killed" for row in of_area),
            sum(row.verdict == "survived" and row.ident in equal for row in of_area),
            sum(row.verdict == "late" for row in of_area),
        ]
        judged = len(of_area) - counts[2] - counts[3]
        scores = [f"{100 * count / judged:.0f} %" if judged else "-" for count in counts[:2]]
        if any(
            row.verdict == "survived" and row.tier == "test" and row.ident not in equal for row in of_area
        ):
            scores[1] = "-"  # it was not asked
        what = every[name].what if name in every else name
        lines.append((what, str(len(of_area)), *map(str, counts), *scores))
    columns = (
        "area",
        "faults",
        "by make test",
        "by test-all",
        "equivalent",
        "out of time",
        "score",
        "of test-all",
    )
    return Table("Faults noticed", columns, tuple(lines))


def text(content: Mutation, noted: dict[str, Note]) -> str:
    """The page."""
    by_ident = {row.ident: row for row in content.rows}
    parts = [
        "# Planted faults, and what notices them",
        "<!-- Made by `coreloom mutate --page` from its results and mutants.toml; do not edit. -->",
        "One line of the source is changed, and the nearest tests are run ([decision 60]"
        "(../decisions/0060-mutation.md)). Those that only compare cycle counts or plant faults themselves "
        "are left out. A run that is out of time counts as neither. *Score*: noticed by `make test`, of "
        f"those that are not equivalent; none of test-all where it was not asked. {len(content.rows)} of "
        f"{content.sample} faults tried, at {content.commit}.",
        table(content.rows, noted).markdown(),
        "## Faults that survived when the sample was first tried",
    ]
    lines = [_line(by_ident[ident], note) for ident, note in noted.items() if ident in by_ident]
    lines += [
        _line(row, Note("", open="not looked at"))
        for row in content.rows
        if row.verdict in ("survived", "late") and row.ident not in noted
    ]
    parts.append(Table("", ("fault", "what became of it"), tuple(lines), 2).markdown() if lines else "None.")
    return "\n\n".join(parts) + "\n"


def _line(row: Found, note: Note) -> tuple[str, str]:
    def code(text: str) -> str:
        return f"`{text.replace('|', chr(92) + '|')}`"

    said = (
        f"now killed by {code(note.killed)}" if note.killed
        else f"equivalent: {note.equivalent}" if note.equivalent
        else f"out of time: {note.open}" if row.verdict == "late" else f"survives: {note.open}"
    )  # fmt: skip
    place = f"[{Path(row.path).name}:{row.line}](../../{row.path})"
    return f"{place} {row.ident}: {code(row.before)} becomes {code(row.after)}", said
