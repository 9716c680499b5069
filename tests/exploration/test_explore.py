# SPDX-License-Identifier: Apache-2.0
"""`coreloom explore` on the SoC: its points are what `coreloom run` gives, and nothing is run twice."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.command import run
from coreloom import paths
from coreloom.jobs.workers import workers
from coreloom.paths import ROOT

PROGRAMS = Path(__file__).with_name("programs")
RARE = str(PROGRAMS / "rare.c")
SERVICE = (str(PROGRAMS / "service.c"), "--line", "0,20000,2000,3000,20,1")
PAGE = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
HERE = ("--core", "standard", "--cpus", "2")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    return tmp_path / "explore"


@pytest.mark.runtime
def test_a_program_that_seldom_calls(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    code, out, _ = run(capsys, "explore", RARE, *HERE, "--json")
    found = json.loads(out)
    assert (code, found["runs"], found["before"], found["failed"]) == (0, 5, 0, {})
    row = next(line for line in PAGE.splitlines() if line.startswith("| `explore` |"))
    told = set(re.findall(r"`(\w+)`", row.split("|", 2)[2]))
    assert {*found, *found["profile"], *found["map"][0], *found["points"][0], *found["error"]} <= told
    calls = found["profile"]["calls"]
    # 4 threads lock the mutex 6 times each and unlock it; the first lock makes it, and then locks it again.
    assert calls["mutex"]["calls"] == 2 * 4 * 6 + 2
    assert calls["thread"]["calls"] >= 16
    assert sorted(found["profile"]["threads"]) == ["main", "thread 1", "thread 2", "thread 3", "thread 4"]
    points = {each["name"]: each for each in found["points"]}
    assert list(points) == ["standard-1-sw", "standard-1-small", "standard-2-sw", "standard-2-small"]
    assert set(found["not_run"]) == {"standard-1-fast", "standard-2-fast"}
    assert [each["front"] for each in points.values()] == [True, False, True, False]
    assert found["choice"] == "standard-1-sw"
    assert found["why"].startswith("standard-1-sw (the least LUT4 times time): gates do not pay here: ")

    for name, on in (("standard-2-sw", "sw"), ("standard-2-small", "hw")):
        file = place / "rare" / "standard-2-small.toml"
        assert f"--on {on}: {points[name]['cycles']} cycles" in file.read_text()
        code, _, err = run(capsys, "run", RARE, "--json", "--on", on, "--platform", str(file))
        assert (code, json.loads(err)["cycles"]) == (0, points[name]["cycles"])

    code, out, err = run(capsys, "explore", RARE, *HERE, "--luts", "15000")
    assert "4 of 4 runs were made before (--restart makes them again)" in err
    assert "\nstandard-2-sw (the fastest within 15 000 LUT4): gates do not pay here: " in out


@pytest.mark.runtime
def test_deadlines(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    here = ("--core", "standard", "--cpus", "1")
    code, out, _ = run(capsys, "explore", *SERVICE, *here, "--deadline", "service<=50us", "--json")
    found = json.loads(out)
    assert (code, found["profile"]["interrupts"], found["not_run"]) == (0, 20, {})
    assert all(each["responses"].keys() == {"service"} for each in found["points"])
    for text, message in (
        ("nobody<=50us", "no thread is named 'nobody': choose one of main, service"),
        ("service<=1us", "no configuration meets service<=1 us: the nearest, standard-1-small, takes "),
    ):
        code, _, err = run(capsys, "explore", *SERVICE, *here, "--deadline", text)
        assert code == 1 and message in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((RARE, "--deadline", "a<2us"), 2, "must be THREAD<=TIME with ns, us, ms or s, as service<=200us"),
        ((RARE, "--core", "fst"), 2, "unknown core 'fst': did you mean fast?"),
        (
            (RARE, "--deadline", "main<=2us"),
            1,
            "no interrupt comes, to which main would respond: drive a line by --line",
        ),
        (
            (RARE, "--platform", "amp-standard"),
            1,
            "amp-standard is an amp platform: explore varies those with",
        ),
        ((f"{ROOT}/nothing.c",), 1, f"there is no file {ROOT}/nothing.c: check the path"),
    ],
    ids=("deadline", "core", "line", "platform", "file"),
)
def test_wrong_words(
    capsys: pytest.CaptureFixture[str], place: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    found, _, err = run(capsys, "explore", *arguments)
    assert found == code
    assert message in err


@pytest.mark.nightly
@pytest.mark.parametrize(
    "words",
    [
        *((str(PROGRAMS / f"{name}.c"),) for name in ("sequential", "contended", "rare")),
        (f"{ROOT}/examples/pipeline.c",),
        ("packets", "--window", "300000"),
    ],
    ids=lambda words: Path(words[0]).stem,
)
def test_the_choice_is_that_of_all_points(
    capsys: pytest.CaptureFixture[str], place: Path, words: tuple[str, ...]
) -> None:
    """Without a budget and with three: what bounds leave out would not have been chosen."""
    here = (*words, "--cpus", "4", "--json")
    run(capsys, "explore", *here, "--all")
    for budget in ((), ("--luts", "5000"), ("--luts", "10000"), ("--luts", "20000")):
        chosen = []
        for every in ((), ("--all",)):
            code, out, _ = run(capsys, "explore", *here, *budget, *every)
            assert code == 0
            chosen.append(json.loads(out)["choice"])
        assert chosen[0] == chosen[1]


@pytest.mark.runtime
def test_a_cluster_gives_the_same_points(
    capsys: pytest.CaptureFixture[str], place: Path, tmp_path: Path
) -> None:
    words = ("explore", str(PROGRAMS / "sequential.c"), "--core", "standard", "--json")
    here = json.loads(run(capsys, *words)[1])
    with workers(tmp_path, 1) as made:
        there = json.loads(run(capsys, *words, "--restart", "--dask", made.address)[1])
    assert (there["points"], there["before"]) == (here["points"], 0)
    code, _, err = run(capsys, *words, "--dask", "tcp://127.0.0.1:1", "--files", str(tmp_path))
    assert code == 1
    assert "--files are on this machine, not on Dask's workers: leave out one of the two" in err
