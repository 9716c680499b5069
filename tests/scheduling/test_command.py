# SPDX-License-Identifier: Apache-2.0
"""`coreloom model`: what it prints, writes, and says of mistakes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.command import run as command
from coreloom.commands import console
from coreloom.scheduling import build, workload
from coreloom.scheduling.builtin import CASES

DATA = Path(__file__).parent / "data"
NAMES = ", ".join("exclusive:BASE" if name == "exclusive" else name for name in build.policies())


def lines(text: str) -> list[list[str]]:
    """The cells of the rows of printed tables, whose headers begin with policy or thread."""
    rows: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        inside = "  " in line and (inside or line.startswith(("policy ", "thread ")))
        if inside and not line.startswith(("policy ", "thread ")):
            rows.append(re.split(r" {2,}", line.strip()))
    return rows


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table is in parts."""
    monkeypatch.setattr(console, "_PIPED", 400)


@pytest.fixture(autouse=True)
def ideal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is measured, whatever lies in the checkout."""
    monkeypatch.setattr(workload, "COSTS", tmp_path / "costs.json")


def test_list_names_policies_and_workloads(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = command(capsys, "model", "--list")
    assert code == 0
    words = [line.split()[:2] for line in out.splitlines()]
    policies = ["exclusive:BASE" if name == "exclusive" else name for name in build.policies()]
    assert words == [["policy", name] for name in policies] + [["workload", name] for name in CASES]


def test_built_in_workload_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = command(
        capsys, *("model", "five-on-four", "--policy", "ring", "--cpus", "5", "--seconds", "1")
    )
    assert code == 0
    assert "five-on-four: 5 threads on 5 CPUs, 1 s, slice 25 ms, slices end on time, seed 1" in out
    assert "switching costs nothing (not measured yet: `coreloom bench policies` does)" in out
    first, second = lines(out)
    assert first[:7] == ["ring", "100.00 %", "0.00 %", "1.0000", "0.000", "5", "0"]
    assert second == ["hog", "ring", "5", "1024", "100.00", "5", "0", "0", "0"]


def test_policies_are_compared_in_one_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text('[machine]\ncpus = 1\n[[thread]]\nname = "a"\n[[thread]]\nname = "b"\nnice = 5\n')
    target = tmp_path / "made" / "w.json"
    asked = list(build.policies())[:2]
    options = [word for name in asked for word in ("--policy", f"{name}")]
    code, out, _ = command(capsys, *("model", str(path), *options, "--seconds", "1", "--json", str(target)))
    assert code == 0
    rows = lines(out)
    assert [row[0] for row in rows[: len(asked)]] == asked
    assert [row[:2] for row in rows[len(asked) :]] == [[name, policy] for name in "ab" for policy in asked]
    written = json.loads(target.read_text())
    assert (written["name"], written["seed"], written["seconds"]) == ("model", 1, 1.0)
    assert written["machine"]["cpus"] == 1
    assert [row["policy"] for row in written["rows"]] == asked
    assert [thread["name"] for thread in written["rows"][0]["threads"]] == ["a", "b"]


def test_options_go_before_the_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text('seconds = 3\n[machine]\ncpus = 1\n[costs]\nswitch_us = 2\n[[thread]]\nname = "a"\n')
    given = ("--policy", "ring", "--tick", "1000", "--slice", "2.5", "--seed", "7")
    code, out, _ = command(capsys, "model", str(path), *given)
    assert code == 0
    assert "w: 1 threads on 1 CPUs, 3 s, slice 2.5 ms, tick 1000 us, seed 7" in out
    assert "costs: switch 2 us, migration 0 us, cold cache 0 us" in out
    code, out, _ = command(capsys, "model", str(path), "--ideal", *given)
    assert "switching costs nothing" in out


def test_measured_costs_are_used(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "costs.json").write_text('{"switch_us": 4, "migrate_us": 1, "warm_us": 20}')
    code, out, _ = command(capsys, "model", "five-on-four", "--policy", "ring", "--seconds", "1")
    assert code == 0
    said = "costs: switch 4 us, migration 1 us, cold cache 20 us (as on the SoC; --ideal leaves them out)"
    assert out.splitlines()[0] == said


def test_trace_is_run(capsys: pytest.CaptureFixture[str]) -> None:
    trace = ("model", "--trace", str(DATA / "ftrace.txt"))
    code, out, _ = command(capsys, *trace, "--policy", "ring", "--cpus", "1")
    assert code == 0
    assert "trace: 10 events of 3 threads on 2 CPUs in 0.009 s\n" in out
    assert "trace: lines of other events are skipped: irq_handler_entry 1\n" in out
    assert [row[0] for row in lines(out)] == ["ring", "work er-7", "rt-9", "bash-12"]


def test_costs_of_the_soc_are_said_first_of_a_trace_of_linux(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "costs.json").write_text('{"switch_us": 4, "migrate_us": 1, "warm_us": 20}')
    trace = ("model", "--trace", str(DATA / "ftrace.txt"), "--policy", "ring")
    _, out, _ = command(capsys, *trace)
    assert out.splitlines()[0] == (
        "costs: switch 4 us, migration 1 us, cold cache 20 us "
        "(of the SoC, not of the machine traced; --ideal leaves them out)"
    )
    _, out, _ = command(capsys, *trace, "--ideal")
    assert out.splitlines()[0] == "switching costs nothing"


def test_deadlock_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "w.toml"
    path.write_text(
        "".join(
            f'[[thread]]\nname = "{name}"\nsteps = [{{ lock = "{first}" }}, {{ compute = 5 }}, '
            f'{{ lock = "{second}" }}, {{ unlock = "{second}" }}, {{ unlock = "{first}" }}]\n'
            for name, first, second in (("x", "a", "b"), ("y", "b", "a"))
        )
    )
    code, out, _ = command(capsys, "model", str(path), "--policy", "ring")
    assert code == 0
    assert "ring: from 5e-06 s on all remaining threads wait for a lock or a port\n" in out


def test_timeline_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    code, out, _ = command(
        capsys,
        *("model", "five-on-four", "--policy", "ring", "--seconds", "0.1", "--timeline", str(path)),
    )
    assert code == 0
    assert out.endswith("t.json (open it at ui.perfetto.dev)\n")
    assert json.loads(path.read_text())["traceEvents"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "no workload given: name one from --list, a TOML file, or --trace FILE"),
        (
            ["five"],
            f"unknown workload 'five': choose one of {', '.join(CASES)}, or give a TOML file",
        ),
        (["no.toml"], "workload file no.toml does not exist"),
        (["mutex", "--trace", "x"], "a workload and --trace are given: leave one out"),
        (["--trace", "x"], "trace x cannot be read: No such file or directory"),
        (
            ["mutex", "--policy", "fifo"],
            f"unknown policy 'fifo': choose one of {NAMES}, or give a path that ends in .c",
        ),
        (
            ["mutex", "--cpus", "5000"],
            "machine: cpus must be a whole number from 1 to 4096, not 5000",
        ),
        (
            ["reserve", "--cpus", "3", "--policy", "ring"],
            "workload 'reserve': reserve: there is no CPU 3 for 'player', the machine has CPUs 0 to 2",
        ),
        (
            ["reserve", "--policy", "ring"],
            "workload 'reserve' reserves CPUs: choose policy exclusive:ring, not ring",
        ),
        (
            ["mutex", "--timeline", "x.json", "--policy", "ring", "--policy", "cfs"],
            "--timeline shows one policy: give one --policy",
        ),
        (["mutex", "--json", "."], ". is a folder: give the name of a file"),
    ],
)
def test_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], line: str) -> None:
    code, out, err = command(capsys, "model", *arguments)
    assert (code, out, err.splitlines()[-1]) == (1, "", f"coreloom: error: {line}")


@pytest.mark.parametrize(
    ("option", "text", "must"),
    [
        ("--cpus", "0", "a whole number from 1"),
        ("--seconds", "0", "a number from above 0"),
        ("--seconds", "nan", "a number from above 0"),
        ("--seconds", "inf", "a number from above 0"),
        ("--tick", "-1", "a number from 0"),
        ("--slice", "long", "a number from above 0"),
        ("--seed", "-1", "a whole number from 0 to 2^64 - 1"),
    ],
)
def test_wrong_option_is_one_line(
    capsys: pytest.CaptureFixture[str], option: str, text: str, must: str
) -> None:
    line = f"coreloom model: error: argument {option}: must be {must}, not '{text}'"
    more = " (see coreloom model --help)\n"
    assert command(capsys, "model", "mutex", f"{option}={text}") == (2, "", line + more)
