# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench backdoor` and `coreloom run --far-clock`: what they print and pass on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coreloom import paths
from coreloom.benches.backdoor import bench as backdoor
from coreloom.errors import UserError
from coreloom.jobs.local import Local
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Options

from .command import run


@pytest.mark.parametrize("ratio", ["0", "0.09", "10.1", "-1", "fast", "nan", "inf", ""])
def test_wrong_clock_is_one_line(capsys: pytest.CaptureFixture[str], ratio: str) -> None:
    line = (
        f"coreloom run: error: argument --far-clock: must be a number from 0.1 to 10, not '{ratio}' "
        "(see coreloom run --help)\n"
    )
    assert run(capsys, "run", "sort", f"--far-clock={ratio}") == (125, "", line)


def test_clock_of_a_processor_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = "coreloom: error: --far-clock needs a processor behind a Back-Door: smp-standard has none\n"
    assert run(capsys, "run", "image", "--far-clock", "2") == (125, "", line)


@pytest.mark.parametrize(
    ("arguments", "period"),
    [([], 1000), (["--far-clock", "10"], 100), (["--far-clock", "0.1"], 10_000), (["--far-clock=.3"], 3333)],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_clock_becomes_a_period(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    period: int,
) -> None:
    asked: list[int] = []

    def simulated(self: Experiment, data: bytes, options: Options, *_: Any) -> None:
        asked.append(options.far_period)
        raise UserError("enough")

    monkeypatch.chdir(tmp_path)
    Path("mine.c").write_text("int main(void) {}\n")
    monkeypatch.setattr(Experiment, "program", lambda self, warnings: Path("mine.elf"))
    monkeypatch.setattr(Experiment, "build", lambda self, waves, program: None)
    monkeypatch.setattr(Experiment, "run", simulated)
    assert run(capsys, "run", "mine.c", "--platform", "backdoor-standard", *arguments)[0] == 125
    assert asked == [period]


def test_quick_measurement_makes_no_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[list[str], list[str]]] = []

    def measured(self: Local, first: Any, wanted: Any, *said: Any, **more: Any) -> list[Any]:
        asked.append(([job.text for job in first], [job.text for job in wanted]))
        return []

    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    monkeypatch.setattr(Local, "run", measured)
    code, out, _ = run(capsys, "bench", "backdoor", "--quick")
    assert code == 0
    assert out.splitlines()[-1].endswith("backdoor-some.json")
    assert [path.name for path in tmp_path.iterdir()] == ["backdoor-some.json"]
    assert run(capsys, "bench", "backdoor")[0] == 0
    assert (tmp_path / "backdoor.json").exists()
    (quick_where, quick), *plans, (where, wanted) = asked
    assert {len(planned) for _, planned in plans} == {len(where) + len(wanted)}
    assert quick_where == [
        "build the model of backdoor-standard", "build the model of smp-standard",
    ]  # fmt: skip
    assert (len(quick), quick[0]) == (3 * 4 + 3, "backdoor, standard core: selection sort, 50 elements")
    assert (len(where), len(wanted)) == (4, len(backdoor.jobs(backdoor.places())))


def test_a_program_that_fails_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(*_: object, **__: object) -> None:
        raise UserError("FFT, 256 points, on backdoor-standard: fft ended with status 1")

    monkeypatch.setattr(Local, "run", wrong)
    code, out, err = run(capsys, "bench", "backdoor", "--quick")
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == (
        "coreloom: error: FFT, 256 points, on backdoor-standard: fft ended with status 1"
    )


def test_help_says_what_it_measures(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "bench", "--help")
    assert code == 0
    assert "the four programs of [GF] on one and two processors" in " ".join(out.split())
