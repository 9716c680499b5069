# SPDX-License-Identifier: Apache-2.0
"""What has moved between two results of a bench, and `coreloom bench NAME --against REV`."""

from __future__ import annotations

from typing import Any

import pytest

from coreloom import cli
from coreloom.benches import registry
from coreloom.benches.switch.bench import Result
from coreloom.commands import against
from coreloom.errors import UserError
from coreloom.report.moved import Moved, difference


def result(*rows: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"name": "smp", "seconds": 12, "rows": list(rows), **others}


def row(kernel: str, cpus: int, done: float, **others: Any) -> dict[str, Any]:
    return {"kernel": kernel, "cpus": cpus, "done": done, **others}


def test_rows_are_told_apart_by_as_few_fields_as_are_needed() -> None:
    before = result(row("hw", 1, 100), row("hw", 2, 200), row("sw", 1, 50))
    now = result(row("sw", 1, 50.5), row("hw", 1, 102), row("hw", 2, 196))
    found = difference(before, now)
    assert found.moved == [
        Moved("rows: hw, 1", "done", 100, 102),
        Moved("rows: hw, 2", "done", 200, 196),
    ]
    assert [one.change for one in found.moved] == pytest.approx([0.02, -0.02])
    assert (found.alike, found.gone, found.new) == (1, [], [])


def test_rows_that_only_one_has() -> None:
    found = difference(result(row("hw", 1, 1)), result(row("hw", 2, 1), row("hw", 1, 1)))
    assert (found.moved, found.alike, found.gone, found.new) == ([], 1, [], ["rows: hw, 2"])


def test_numbers_within_a_figure_and_from_nothing() -> None:
    before = result(row("hw", 1, 0, stages={"save": 10, "load": 20}, idle=[1, 2], why="a"))
    now = result(row("hw", 1, 3, stages={"save": 10, "load": 30}, idle=[1, 3], why="b"))
    moved = difference(before, now).moved
    # The one row is told apart by its first field, so the number of CPUs counts as a figure.
    assert [(one.figure, one.before, one.now, one.change) for one in moved] == [
        ("done", 0, 3, None),
        ("idle 1", 2, 3, 0.5),
        ("stages load", 20, 30, 0.5),
    ]


def test_no_times_of_the_machine_and_no_targets() -> None:
    before = result(row("hw", 1, 1, sim_cycles_per_second=5), reach=[{"what": "a", "measured": 1}])
    now = result(row("hw", 1, 1, sim_cycles_per_second=9), reach=[{"what": "a", "measured": 2}])
    assert difference(before, now).moved == []


@pytest.mark.parametrize("words", [["--against", "v1"], ["--against=v1"]])
def test_the_other_revision_is_asked_for_the_same(words: list[str]) -> None:
    assert against.words(["bench", *words[:1], *words[1:], "smp", "--quick"]) == ["bench", "smp", "--quick"]


def test_an_unknown_revision(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "fairness", "--quick", "--against", "no-such"]) == 1
    assert capfd.readouterr().err == (
        "coreloom: error: there is no revision 'no-such' here: give a commit, branch or tag\n"
    )


def test_a_revision_that_cannot_be_measured() -> None:
    head = against.resolved("HEAD")
    with pytest.raises(UserError, match=rf"^{head[:12]} cannot be measured: .*unknown .*'none'"):
        against.measured(head, ["bench", "none"], "none")


def test_what_is_printed(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a bench that measures nothing here."""
    bench = registry.get("switch")
    rows = [{"policy": "dwrr", "gap": 2.0}, {"policy": "cfs", "gap": 4.0}]
    monkeypatch.setattr(type(bench), "measure", lambda *_: Result(name="", rows=[]))
    monkeypatch.setattr(against, "measured", lambda *_: {"rows": rows})
    assert cli.main(["bench", "switch", "--quick", "--against", "HEAD"]) == 0
    assert capfd.readouterr().out == (
        "since HEAD moved: 0 figures, not moved: 0\nonly at HEAD: rows: dwrr and 1 more\n"
    )
    against.tell("v1", {"rows": rows}, {"rows": [rows[0], {"policy": "cfs", "gap": 4.25}]}, wide=False)
    assert [" ".join(line.split()) for line in capfd.readouterr().out.splitlines()] == [
        "",
        "Moved since v1 by more than 1%",
        "row figure v1 now change",
        "rows: cfs gap 4 4.25 +6.2%",
        "since v1 moved: 1 figures, not moved: 1",
    ]
