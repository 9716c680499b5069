# SPDX-License-Identifier: Apache-2.0
"""The owner of a value (linux/exclusive/whose.c), on every machine of three CPUs, against the model's table.

CPUs are alike, so a machine is a number of CPUs for each combination of what can be true of one: whether it
is in the value, in its base, held, and so on. The driver asks in every order of the CPUs.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, product
from pathlib import Path

import pytest

from coreloom.paths import LINUX, ROOT
from coreloom.toolchain import native, zig
from linux.baseline_model import READINGS, RECORDS, SORTS, TABLE, Value, World, reading, whose

_C = LINUX / "exclusive" / "whose.c"
_SOURCES = (_C, _C.with_name("cpus.c"), Path(__file__).with_name("whose_driver.c"))
_SETS = ("now", "base", "may", "written", "before", "held", "away", "online", "via", "program")
_CELLS = [(sort, record, read) for sort in SORTS for record in RECORDS for read in READINGS]
_FILES = [(sort, record) for sort in ("file", "irq") for record in ("was", "written")]
_TASKS = [(sort, record) for sort in ("task", "thread") for record in ("was", "written")]
_ALL = (*_FILES, *_TASKS, ("task", "program"))
# CPUs, written sets, what else is varied, and of which values. Only tasks are sent somewhere, only programs
# have CPUs of a reservation.
Domain = tuple[int, int, str, list[tuple[str, str]]]
_PAIRS: list[Domain] = [
    (2, 0, "via program", [("task", "program")]),
    (2, 1, "written via program", [("task", "program")]),
    (2, 2, "written before via", _TASKS),
    (2, 2, "written before", _FILES),
]
_PROGRAMS: list[Domain] = [(2, 2, "written before via program", [("task", "program")])]
_TRIPLES: list[Domain] = [(3, 0, "", [*_FILES, *_TASKS]), (3, 1, "written", [*_FILES, *_TASKS])]


def _columns(varied: str) -> list[tuple[int, ...]]:
    """What can be true of a CPU. One that is offline is away."""
    names = ["now", "base", "may", "held", "away", "online", *varied.split()]
    rows = (dict(zip(names, bits, strict=True)) for bits in product((0, 1), repeat=len(names)))
    return [tuple(row.get(name, 0) for name in _SETS) for row in rows if row["away"] or row["online"]]


def _cases(domain: Domain) -> Iterator[tuple[str, World, Value]]:
    cpus, writes, varied, kinds = domain
    for columns in combinations_with_replacement(_columns(varied), cpus):
        sets = [sum(bit << at for at, bit in enumerate(bits)) for bits in zip(*columns, strict=True)]
        now, base, may, written, before, held, away, online, via, program = sets
        digits = "".join(map(str, sets))
        for sort, record in kinds:
            value = Value(sort, record, now, base, may, (written, before)[:writes], via, program)
            kind = f"{SORTS.index(sort)}{RECORDS.index(record)}"
            for forgets in (False, True):
                yield f"{kind}{forgets:d}{writes}{digits}", World(online, held, away, forgets), value


@cache
def _expected(domains: tuple[int, ...]) -> tuple[str, list[str], frozenset[tuple[str, str, str]]]:
    """Input of the driver, what it should print, and the cells of the table that were reached."""
    lines, answers, reached = [], [], set()
    table = {cell: f"{READINGS.index(cell[2])}{whose(*cell)}" for cell in _CELLS}
    for domain in (_DOMAINS[at] for at in domains):
        for line, world, value in _cases(domain):
            cell = (value.sort, value.record, reading(world, value))
            lines.append(line)
            answers.append(table[cell])
            reached.add(cell)
    return "\n".join([*lines, ""]), answers, frozenset(reached)


_DOMAINS = [*_PAIRS, *_PROGRAMS, *_TRIPLES]
_QUICK = tuple(range(len(_PAIRS)))


def _answers(program: Path, text: str) -> list[str]:
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def program() -> Path:
    return native.static("whose_driver", _SOURCES)


@pytest.mark.test("0")
@pytest.mark.parametrize(
    "domain",
    [pytest.param(at, marks=() if at in _QUICK else pytest.mark.nightly) for at in range(len(_DOMAINS))],
)
def test_every_value_reads_and_belongs_as_in_the_model(program: Path, domain: int) -> None:
    text, answers, _ = _expected((domain,))
    found = _answers(program, text)
    assert len(found) == len(answers) > 1000
    wrong = [
        (line, is_, to) for line, is_, to in zip(text.splitlines(), found, answers, strict=True) if is_ != to
    ]
    assert wrong[:5] == []


def test_every_cell_but_those_that_cannot_be_is_reached() -> None:
    reached = _expected(_QUICK)[2]
    assert [cell for cell in _CELLS if (whose(*cell) == ".") == (cell in reached)] == []


def test_the_table_is_the_models() -> None:
    rows = re.findall(r'\[CL_SORT_(\w+)\] = \{"(.{8})", "(.{8})", "(.{8})"\}', _C.read_text())
    assert {sort.lower(): (was, written, program) for sort, was, written, program in rows} == TABLE
    names = re.findall(r"^  CL_READS_(\w+),", _C.with_suffix(".h").read_text(), re.MULTILINE)
    assert [name.lower() for name in names] == list(READINGS)


_WORDS = {"o": "ours", "t": "theirs", "-": "left alone", ".": ""}
_ROWS = {"file": "a file", "irq": "an interrupt", "task": "a task", "thread": "a kernel thread"}


def test_the_table_is_that_of_the_decision() -> None:
    page = (ROOT / "docs" / "decisions" / "0018-baseline-and-layers.md").read_text().splitlines()
    for sort, record in _ALL:
        cells = [_WORDS[whose(sort, record, read)] for read in READINGS]
        assert f"| {_ROWS[sort]}, {record} | {' | '.join(cells)} |" in page


# What is changed in a copy: each cell of the table, and what a reading asks for.
_EDITS = [
    ("cl_cpus_equal(&v->now, &shown)", "cl_alike(&(struct cl_ground){{{0}}}, &v->now, &v->written[i])"),
    ("|| cl_alike(g, &v->now, &shown)", ""),
    ("cl_alike(g, &v->base, &none) &&", ""),
    ("(cl_alike(g, &v->now, &most) || ", "(false || "),
    ("|| (empty(&left) && empty(&gone))", ""),
    ("if (empty(&v->now)) return true;", ""),
    ("return empty(&left) && empty(&missing);", "return empty(&missing);"),
    ("v->writes ? &v->written[0] : &v->base", "v->writes > 9 ? &v->written[0] : &v->base"),
    ("if (g->forgets && cl_alike(g, &v->now, &v->may)) return true;", ""),
    ("(g->forgets || v->sort == CL_SORT_THREAD) && cl_alike", "g->forgets && cl_alike"),
    ("|| within(&v->base, &g->held)", ""),
    ("!of_base && i < v->writes && (g->forgets || ", "!of_base && i < v->writes && (true || "),
    ("cl_cpus_or(&g->held, &g->away)", "cl_cpus_or(&g->held, &g->held)"),
    ("v->record == CL_RECORD_PROGRAM && within(&v->now, &v->program)", "v->record == CL_RECORD_PROGRAM"),
]


def _changed_cells() -> list[tuple[str, str]]:
    edits = []
    for sort, record, read in _CELLS:
        row, at = TABLE[sort][RECORDS.index(record)], READINGS.index(read)
        if row[at] != ".":
            head = f'[CL_SORT_{sort.upper()}] = {{"' + '", "'.join(
                (*TABLE[sort][: RECORDS.index(record)], "")
            )
            edits.append((f"{head}{row}", f"{head}{row[:at]}{'t' if row[at] != 't' else 'o'}{row[at + 1 :]}"))
    return edits


@pytest.mark.parametrize("edit", [*_EDITS[:1], *_changed_cells(), *_EDITS[1:]], ids=lambda edit: edit[1])
@pytest.mark.nightly(
    but=("cl_alike(&(struct cl_ground){{{0}}}, &v->now, &v->written[i])", '[CL_SORT_FILE] = {"t--....-')
)
def test_a_changed_table_or_reading_notices(tmp_path: Path, edit: tuple[str, str]) -> None:
    text = _C.read_text()
    assert text.count(edit[0]) == 1
    copy, program = tmp_path / "whose.c", tmp_path / "whose_driver"
    copy.write_text(text.replace(*edit))
    flags = ("-target", "x86_64-linux-musl", "-std=c11", "-O1", f"-I{_C.parent}", "-o", str(program))
    zig.run([*zig.command(), "cc", *flags, str(copy), *map(str, _SOURCES[1:])], "whose_driver")
    given, answers, _ = _expected(_QUICK)
    same = _answers(program, given) == answers  # by itself, as pytest would show all of both
    assert not same
