# SPDX-License-Identifier: Apache-2.0
"""Blocks through ports with room for their words (kernel.port_words), and through ports without."""

from __future__ import annotations

import itertools

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.toolchain import elf, firmware

from .test_programs import CORES, PROGRAMS, run

WORDS = (0, 1, 4, 8)
# What runs on a model that other tests have, too: without the key, and the standard core with 4 words.
QUICK = [("standard", 2, 0), ("economy", 2, 0), ("standard", 1, 4), ("standard", 2, 4)]


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(
    ("core", "cpus", "words"), nightly_but(itertools.product(CORES, (1, 2), WORDS), QUICK)
)
@pytest.mark.parametrize("program", ("blocks", "cancel", "messages"))
@pytest.mark.nightly(but=("blocks-economy-2-0-hw", "cancel-standard-1-4-sw", "messages-economy-2-0-hw"))
def test_blocks_of_every_length_arrive(program: str, core: str, cpus: int, words: int, kernel: str) -> None:
    result = run(program, core, cpus, kernel, changes={"kernel.port_words": words})
    assert result.uart == "ok\n", f"{result.reason}: {result.uart}"
    assert result.exit_status == 0


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize(
    ("program", "words", "pool"), [("blocks", 4, False), ("messages", 4, True), ("messages", 0, False)]
)
def test_a_program_that_receives_messages_has_no_short_blocks(
    program: str, words: int, pool: bool, kernel: str
) -> None:
    """A symbol tells the runtime so; without the key there are no short blocks anyway."""
    chosen = platform.load("smp-standard", 1, changes={"kernel.port_words": words})
    built = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel)
    names = {name for name, _ in elf.symbols(built)}
    assert ("cl_receives_messages" in names) == pool
    assert ("take_apart" in names) == (words > 0 and not pool)
