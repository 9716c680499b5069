# SPDX-License-Identifier: Apache-2.0
"""`coreloom bench rtos`: what it prints and keeps, and what it refuses."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from coreloom import paths
from coreloom.benches.rtos import BENCH
from coreloom.benches.rtos.bench import Result
from coreloom.report import results
from coreloom.toolchain import freertos

from .command import run


def missing(given: Path | None = None) -> Path:
    raise freertos.Missing("FreeRTOS is missing: install it")


@pytest.mark.runtime
def test_a_quick_one_of_some_measurements(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    monkeypatch.setattr(freertos, "kernel", missing)
    code, out, err = run(capsys, "bench", "rtos", "--quick", "--wide", "--only", "cooperative,semaphore_one")
    assert code == 0
    assert (
        err.splitlines()[0]
        == "FreeRTOS is missing: install it; its columns are left out, and no page is made"
    )
    content = results.read(Result, tmp_path / "rtos-some.json", "bench rtos")
    assert [(row.of, row.ground, row.min, row.iterations) for row in content.rows] == [
        (("metric", "cooperative", None, 1, "warm"), "hw", 39, 2563),
        (("metric", "cooperative", None, 1, "warm"), "sw", 91, 1098),
        (("service", "semaphore_one", None, 1, "warm"), "hw", 23, None),
        (("service", "semaphore_one", None, 1, "warm"), "sw", 55, None),
    ]
    assert "FreeRTOS" not in content.tools
    assert "semaphore: post and wait, one thread" in " ".join(out.split())


def test_without_freertos_there_is_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    options = Namespace(core="standard", only=[], quick=False, freertos=None)
    monkeypatch.setattr(freertos, "kernel", lambda given: given)
    assert BENCH.whole(options)
    monkeypatch.setattr(freertos, "kernel", missing)
    assert not BENCH.whole(options)


def test_an_unknown_measurement_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "bench", "rtos", "--only", "yield,yeld")
    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert line.startswith("coreloom: error: unknown measurement 'yeld': did you mean yield?")


def test_a_wrong_folder_of_freertos_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = run(capsys, "bench", "rtos", "--freertos", str(tmp_path))
    assert (code, out) == (1, "")
    assert err == (
        f"coreloom: error: {tmp_path} is not a FreeRTOS kernel: give the folder FreeRTOS-Kernel, "
        "with include/task.h, to --freertos\n"
    )
