# SPDX-License-Identifier: Apache-2.0
"""apps/hybrid: with and without hardware threads the same output, which is what the host computes."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from coreloom.apps import APPS
from coreloom.design import platform
from coreloom.errors import UserError, WrongOutput
from coreloom.simulation.experiment import Experiment, Outcome
from coreloom.simulation.simulate import Options

APP = APPS["hybrid"]


def run(name: str, kernel: str, data: bytes) -> Outcome:
    outcome = Experiment("hybrid", platform.load(name, 1), kernel).run(data, Options(max_cycles=8_000_000))
    assert outcome.result.exit_status == 0, outcome.result.uart
    APP.check(outcome.result.output, data)
    return outcome


@pytest.mark.parametrize("kernel", ("hw", "sw"))
@pytest.mark.parametrize("name", ("smp-standard", "hthreads", "hthreads-fast"))
def test_every_platform_has_the_result(name: str, kernel: str, tmp_path: Path) -> None:
    outcome = run(name, kernel, APP.prepare(None))
    in_hardware = 3 if name.startswith("hthreads") and kernel == "hw" else 0
    assert f"{in_hardware} of 3 in hardware" in outcome.result.uart
    APP.save(outcome.result.output, tmp_path / "out.png")
    with Image.open(tmp_path / "out.png") as picture:
        assert picture.size == (62, 48)


def test_economy_core() -> None:
    run("smp-economy", "hw", APP.prepare(None))


@pytest.mark.parametrize("size", ((1, 1), (4, 1), (5, 3)))
def test_small_pictures(size: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "small.png"
    Image.effect_noise(size, 100).save(path)
    run("hthreads", "hw", APP.prepare(path))


def test_wrong_inputs_and_outputs(tmp_path: Path) -> None:
    path = tmp_path / "wide.png"
    Image.new("L", (1025, 1)).save(path)
    with pytest.raises(UserError, match="1025 pixels wide"):
        APP.prepare(path)
    data = APP.prepare(None)
    good = APP.expected(data)
    for at, text in ((12, "header"), (16, "pixel x=0 y=0"), (len(good) - 1, "sorted word 767")):
        wrong = bytearray(good)
        wrong[at] ^= 1
        with pytest.raises(WrongOutput, match=text):
            APP.check(bytes(wrong), data)
    with pytest.raises(WrongOutput, match="bytes"):
        APP.check(good[:-1], data)
