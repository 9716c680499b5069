# SPDX-License-Identifier: Apache-2.0
"""The applications with the double-buffered ports of [SMP], on the SoC."""

from __future__ import annotations

from itertools import product

import pytest

from cases import nightly_but
from coreloom.apps import APPS
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation.experiment import Experiment, Outcome, ports
from coreloom.simulation.simulate import Options

WINDOW = 200_000
NEVER = 1_000_000  # messages after which the image filter hands over


def run(app: str, kernel: str, cpus: int, window: int | None = None, **more: int) -> Outcome:
    """With buffered ports."""
    defines = {**ports(app, kernel, "buffered"), **more}
    soc = platform.load("smp-standard", cpus)
    return Experiment(app, soc, kernel, defines=defines).run(APPS[app].prepare(None), Options(window=window))


def done_and_idle(kernel: str, cpus: int, **more: int) -> tuple[int, tuple[int, ...]]:
    found = run("image", kernel, cpus, WINDOW, **more).figures
    return found.done, found.idle


@pytest.mark.parametrize(
    ("kernel", "alone", "both"),
    [("hw", (2143, (0,)), (2143, (99737, 99910))), ("sw", (2015, (0,)), (1695, (99446, 100572)))],
)
def test_who_never_hands_over_gains_nothing_from_a_second_cpu(
    kernel: str, alone: tuple[int, tuple[int, ...]], both: tuple[int, tuple[int, ...]]
) -> None:
    """One thread has all messages of the window, so each CPU idles while the other works."""
    assert done_and_idle(kernel, 1, IMAGE_BATCH=NEVER) == alone
    assert done_and_idle(kernel, 2, IMAGE_BATCH=NEVER) == both


@pytest.mark.parametrize(
    ("kernel", "alone", "both"),
    [("hw", (2143, (0,)), (3911, (17434, 8056))), ("sw", (1895, (0,)), (2847, (8044, 9565)))],
)
def test_stages_that_hand_over_run_at_the_same_time(
    kernel: str, alone: tuple[int, tuple[int, ...]], both: tuple[int, tuple[int, ...]]
) -> None:
    assert done_and_idle(kernel, 1) == alone
    assert done_and_idle(kernel, 2) == both


@pytest.mark.parametrize(
    ("app", "kernel"),
    nightly_but(product(["image", "packets"], ["hw", "sw"]), [("image", "sw"), ("packets", "hw")]),
)
def test_the_output_is_right_to_the_last_bit(app: str, kernel: str) -> None:
    result = run(app, kernel, 2).result
    assert result.exit_status == 0
    APPS[app].check(result.output, APPS[app].prepare(None))


@pytest.mark.parametrize(
    ("app", "kernel", "kind", "text"),
    [
        ("fft", "hw", "direct", "--ports is not an option of fft: only image and packets have a choice"),
        ("image", "hw", "double", "unknown ports 'double': choose one of buffered, direct"),
        (
            *("image", "freertos", "buffered"),
            "FreeRTOS's queues are not double-buffered: leave out --ports, or choose direct",
        ),
    ],
)
def test_ports_that_cannot_be(app: str, kernel: str, kind: str, text: str) -> None:
    with pytest.raises(UserError) as error:
        ports(app, kernel, kind)
    assert str(error.value) == text
