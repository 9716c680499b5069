# SPDX-License-Identifier: Apache-2.0
"""`coreloom run --on freertos`: what it refuses, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.paths import PLATFORMS

from .command import run

MUTEXES = "FreeRTOS on several CPUs needs two mutexes of the communication port, and mine has fewer"

pytestmark = pytest.mark.usefixtures("freertos_sources")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("image", "--on", "freertos", "--platform", "smp-economy"),
            "FreeRTOS does not run on smp-economy: choose smp-standard, or a platform of your own with "
            'core = "standard" and interconnect = "smp-bus"',
        ),
        (
            ("image", "--on", "freertos", "--platform", "amp-standard"),
            "FreeRTOS does not run on amp-standard: choose smp-standard, or a platform of your own with "
            'core = "standard" and interconnect = "smp-bus"',
        ),
        (
            ("image", "--on", "freertos", "--policy", "cfs"),
            "FreeRTOS has one policy, fixed priorities: leave out --policy",
        ),
        (
            ("image", "--on", "sw", "--freertos", "."),
            "--freertos is not an option of kernel sw: only freertos, freertos-tuned use it",
        ),
        (
            ("image", "--on", "freertos", "--freertos", "nowhere"),
            "nowhere is not a FreeRTOS kernel: give the folder FreeRTOS-Kernel, with include/task.h, "
            "to --freertos",
        ),
        (
            ("hybrid", "--on", "freertos"),
            "hybrid does not compile: FreeRTOS has no pthread.h: use its FreeRTOS.h and task.h, "
            "or choose kernel hw or sw",
        ),
    ],
)
def test_refused(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    assert run(capsys, "run", *arguments) == (125, "", f"coreloom: error: {said}\n")


def test_a_platform_without_mutexes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    text = (PLATFORMS / "smp-standard.toml").read_text()
    mine.write_text(text.replace("smp-standard", "mine").replace("mutexes = 16", "mutexes = 1"))
    code, out, err = run(capsys, "run", "image", "--on", "freertos", "--platform", str(mine))
    assert (code, out) == (125, "")
    assert err == f"coreloom: error: {MUTEXES}: set mutexes in [ipc] of its file\n"
