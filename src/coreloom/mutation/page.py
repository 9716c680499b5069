# SPDX-License-Identifier: Apache-2.0
"""What became of the faults: mutants.tsv in docs/engineering, a line each, and the page made of it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from coreloom import paths
from coreloom.errors import UserError
from coreloom.files import write_atomically
from coreloom.mutation import sample
from coreloom.mutation.run import Found
from coreloom.report.table import Table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PATH = paths.ROOT / "docs" / "engineering" / "mutation.md"
NOTES = paths.ROOT / "docs" / "engineering" / "mutants.toml"
DATA = paths.ROOT / "docs" / "engineering" / "mutants.tsv"
OTHER = paths.BUILD / "mutation" / "mutants.tsv"
_HEAD = (
    "# Written by `coreloom mutate`: fault, area, place, verdict, tier, the test that noticed, digest of the "
    "tests that were asked; of those not killed the line's text and what it becomes."
)

_LOST = (
    "**The results of the first run are lost**, but for those that this page listed: {} faults that survived "
    "then. Those that were noticed at once are not in the table, so most scores are too low until the areas "
    "are tried anew."
)


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of a fault that survived when the sample was first tried: one of these says what became of it.

    killed: the test that was written then; equivalent: why no test can notice it; open: why there is none.
    """

    fault: str
    killed: str = ""
    equivalent: str = ""
    open: str = ""


class Kept:
    """What was found of the usual sample, in the tree; or of another, below build/, as it is nobody else's.

    A stopped run goes on from there.
    """

    def __init__(self, usual: bool = True) -> None:
        self._path = DATA if usual else OTHER
        self._found: dict[str, Found] = {}
        with contextlib.suppress(FileNotFoundError):
            lines = self._path.read_text("utf-8").splitlines()
            self._found = {
                found.ident: found for line in lines if line[:1] != "#" for found in [self._of(line)]
            }

    def __getitem__(self, ident: str) -> Found | None:
        return self._found.get(ident)

    def rows(self) -> list[Found]:
        """By area, in the order in which they were tried; those that cannot be built are no faults."""
        areas = list(sample.areas())
        found = [row for row in self._found.values() if row.verdict != "invalid" and row.area in areas]
        return sorted(found, key=lambda row: areas.index(row.area))

    def keep(self, found: Found) -> None:
        self._found[found.ident] = found
        self._write()

    def only(self, area: str, idents: Collection[str]) -> None:
        """Of this area: others have changed, or left the sample."""
        for ident in [row.ident for row in self._found.values() if row.area == area]:
            if ident not in idents:
                del self._found[ident]
        self._write()

    def _write(self) -> None:
        lines = [_HEAD, *map(self._line, self._found.values())]
        write_atomically(self._path, "".join(f"{line}\n" for line in lines).encode())

    @staticmethod
    def _line(found: Found) -> str:
        change = [] if found.verdict == "killed" else [found.before, found.after]
        tests = [found.verdict, found.tier, found.by, found.tests]
        words = [found.ident, found.area, f"{found.path}:{found.line}", *tests, *change]
        return "\t".join(" ".join(word.split()) for word in words)

    def _of(self, line: str) -> Found:
        words = line.split("\t")
        path, _, number = words[2].rpartition(":") if len(words) in (7, 9) else ("", "", "")
        if not number.isdecimal():
            raise UserError(f"{self._path.name}: no fault in line '{line[:40]}': take the file from git")
        names = ("verdict", "tier", "by", "tests", "before", "after")
        return Found(words[0], words[1], path, int(number), **dict(zip(names, words[3:], strict=False)))


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


def text(kept: Kept, noted: dict[str, Note]) -> str:
    """The page."""
    rows = kept.rows()
    if not rows:
        raise UserError("no results yet: run `coreloom mutate` first")
    by_ident = {row.ident: row for row in rows}
    usual = sum(area.mutants for area in sample.areas().values())
    parts = [
        "# Planted faults, and what notices them",
        "<!-- Made by `coreloom mutate --page` from mutants.tsv and mutants.toml; do not edit. -->",
        "One line of the source is changed, and the nearest tests are run ([decision 60]"
        "(../decisions/0060-mutation.md)). Those that only compare cycle counts or plant faults themselves "
        "are left out. A run that is out of time counts as neither. *Score*: noticed by `make test`, of "
        f"those that are not equivalent; none of test-all where it was not asked. {len(rows)} of {usual} "
        "faults tried.",
        *([_LOST.format(lost)] if (lost := sum(not row.tests for row in rows)) else []),
        table(rows, noted).markdown(),
        "## Faults that survived when the sample was first tried",
    ]
    lines = [_line(by_ident[ident], note) for ident, note in noted.items() if ident in by_ident]
    lines += [
        _line(row, Note("", open="not looked at"))
        for row in rows
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
