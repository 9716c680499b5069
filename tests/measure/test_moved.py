# SPDX-License-Identifier: Apache-2.0
"""What has moved between two results of a bench, and `coreloom bench NAME --against REV`."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path
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


def test_a_field_that_tells_rows_apart_behind_the_figures() -> None:
    """As the API of bench rtos."""

    def rows(*mean: float) -> dict[str, Any]:
        apis = ("freertos", "itron", "itron")
        return result(
            *(row("hw", n // 2, of, api=api) for n, (of, api) in enumerate(zip(mean, apis, strict=True)))
        )

    found = difference(rows(10, 10, 30), rows(20, 10, 30))
    assert found.moved == [Moved("rows: hw, freertos, 0", "done", 10, 20)]
    assert (found.alike, found.gone, found.new) == (2, [], [])


def test_usual_values_are_left_out_of_rows() -> None:
    """Those of a case and those without one are of different fields, and all of them are compared."""

    def rows(done: float) -> dict[str, Any]:
        return result({"name": "lock", "done": 1}, {"name": "lock", "case": "woken", "done": done})

    found = difference(rows(2), rows(3))
    assert found.moved == [Moved("rows: lock, woken", "done", 2, 3)]
    assert (found.alike, found.gone, found.new) == (1, [], [])


def test_a_figure_that_only_one_has() -> None:
    found = difference(result(row("hw", 1, 10), row("hw", 2, 10)), result(
        row("hw", 1, 10, new=5), row("hw", 2, 12, new=5)
    ))  # fmt: skip
    assert found.moved == [Moved("rows: hw, 2", "done", 10, 12)]
    assert (found.alike, found.gone, found.new) == (1, [], [])


def test_figures_without_rows() -> None:
    found = difference(result(bytes={"hw": 100, "sw": 90}), result(bytes={"hw": 150, "sw": 90}))
    assert found.moved == [Moved("bytes", "hw", 100, 150)]
    assert (found.alike, found.gone, found.new) == (1, [], [])


def test_no_times_of_the_machine_and_no_targets() -> None:
    before = result(row("hw", 1, 1, sim_cycles_per_second=5), reach=[{"what": "a", "measured": 1}])
    now = result(row("hw", 1, 1, sim_cycles_per_second=9), reach=[{"what": "a", "measured": 2}])
    assert difference(before, now).moved == []


@pytest.mark.parametrize("words", [["--against", "v1"], ["--against=v1"]])
def test_the_other_revision_is_asked_for_the_same(words: list[str]) -> None:
    assert against.words(["bench", *words[:1], *words[1:], "smp", "--quick"]) == ["bench", "smp", "--quick"]


@pytest.mark.parametrize("revision", ["no-such", "", "HEAD:README.md"])
def test_an_unknown_revision(revision: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "fairness", "--quick", "--against", revision]) == 1
    assert capfd.readouterr().err == (
        f"coreloom: error: there is no revision '{revision}' here: give a commit, branch or tag\n"
    )


def test_no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserError, match=r"^--against needs git: install it$"):
        against.resolved("HEAD")


def test_files_that_git_does_not_have() -> None:
    with pytest.raises(UserError, match=r"^git cannot give the files of 000000000000: fetch it whole$"):
        against.measured("0" * 40, ["bench", "none"], "none")


def test_the_other_revision_ends_with_this_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of SIGTERM only the one process is told."""
    started = tmp_path / "started"
    other = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
    monkeypatch.setattr(against, "_START", other)
    monkeypatch.setattr(against, "_sources", lambda commit: contextlib.nullcontext(tmp_path))

    def stop() -> None:
        while not started.is_file() or not started.read_text():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    class Terminated(KeyboardInterrupt):
        """As that of cli.py."""

    def end(number: int, frame: object) -> None:
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        threading.Thread(target=stop).start()
        with pytest.raises(Terminated):
            against.measured("0" * 40, [str(started)], "none")
    finally:
        signal.signal(signal.SIGTERM, before)
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


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
