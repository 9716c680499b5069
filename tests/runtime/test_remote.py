# SPDX-License-Identifier: Apache-2.0
"""Programs on processor 1 behind the Back-Door, on the simulated SoC: both cores, both kernels."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from backdoor.door import REASON, STATE
from backdoor.images import BAD
from coreloom.design import platform
from coreloom.simulation import simulate
from coreloom.simulation.simulate import SimResult
from coreloom.toolchain import far, firmware, verilate
from coreloom.toolchain.elf import symbols

PROGRAMS = Path(__file__).with_name("programs")
CORES = ("economy", "standard")


def run(
    program: str, core: str, kernel: str, defines: dict[str, int] | None = None, **options: Any
) -> SimResult:
    chosen = platform.load(f"backdoor-{core}")
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel, defines)
    model, loader = verilate.build_model(chosen), far.build_loader(chosen)
    return simulate.run(model, elf, simulate.Options(loader=loader, **{"max_cycles": 20_000_000, **options}))


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("program", ["remote", "remote_ends"])
@pytest.mark.nightly(but=("remote-economy-hw", "remote_ends-standard-sw"))
def test_exact_output(program: str, core: str, kernel: str) -> None:
    result = run(program, core, kernel)
    assert result.uart == "ok\n", result.reason
    assert result.exit_status == 0


def test_clocks_that_do_not_match() -> None:
    """The economy core: test_storm."""
    result = run("remote", "standard", "hw", far_period=613)
    assert result.uart == "ok\n", result.reason


@pytest.mark.parametrize("kernel", firmware.KERNELS)
def test_bells_reach_their_handlers(kernel: str) -> None:
    """From the store to the first instruction of the function, standard core, one clock: at most 30 cycles to
    processor 1; to processor 0 about as many, more where other code has taken a line of its cache."""
    source, chosen = str(PROGRAMS / "remote_bells.c"), platform.load("backdoor-standard")
    near = dict(symbols(firmware.build(source, chosen, kernel)))
    other = dict(symbols(far.build(source, chosen).with_suffix(".elf")))
    places = [
        (0, near["rings_far"]),
        (1, other["far_handler"]),
        (1, other["rings_near"]),
        (0, near["near_handler"]),
    ]
    result = run("remote_bells", "standard", kernel, watch=[address for _, address in places])
    assert result.uart == "ok\n", result.reason
    there: list[int] = []
    back: list[int] = []
    rung = [0, 0]
    for event in result.events:
        place = event.kind - simulate.Kind.WATCH
        if place < 0 or event.cpu != places[place][0]:
            continue
        if place in (0, 2):
            rung[place // 2] = event.cycle
        elif rung[place // 2]:
            (there, back)[place // 2].append(event.cycle - rung[place // 2])
            rung[place // 2] = 0
    assert len(there) == len(back) == 20
    assert max(there[1:]) <= 30  # the first is with a cold cache
    assert sorted(back)[10] <= (30 if kernel == "hw" else 37)


@pytest.mark.parametrize("core", CORES)
def test_bad_images(core: str) -> None:
    """The images of the native test are refused on the machine for the same reasons."""
    inputs = b"".join(struct.pack("<I", len(data)) + data + bytes(-len(data) % 4) for data, _ in BAD.values())
    result = run("remote_images", core, "hw", inputs=inputs)
    refused = "".join(f"8 {STATE['refused']} {REASON[reason]}\n" for _, reason in BAD.values())
    assert result.uart == refused + "ok\n"


@pytest.mark.parametrize("core", CORES)
def test_clock_that_stands_still(core: str) -> None:
    result = run(
        "remote_stopped", core, "sw" if core == "economy" else "hw", {"STOP": 300_000}, far_stop=300_000
    )
    assert result.uart == "ok\n", result.reason


def test_streams_are_near_the_bus_limit() -> None:
    """Standard core, 16384 words each way: a word crosses the bus twice; cycles of processor 0 a word."""
    result = run("remote_stream", "standard", "hw")
    figures, end = result.uart.split("\n", 1)
    assert end == "ok\n"
    down, up, _, _ = (int(cycles) / 16384 for cycles in figures.split())
    assert 2 < down < 2.35 and 2 < up < 2.4


# Cycles of processor 1 for 16384 words from the window, as many to it, and one word from it.
WINDOW = {
    ("standard", "hw"): (23890, 23162, 105),
    ("standard", "sw"): (25305, 24152, 105),
    ("economy", "hw"): (41901, 41028, 256),
    ("economy", "sw"): (41901, 40963, 256),
}


@pytest.mark.parametrize("core, kernel", WINDOW)
def test_window(core: str, kernel: str) -> None:
    """What the window shows arrives, nothing outside is touched, and each bad one is refused."""
    result = run("remote_window", core, kernel)
    assert result.uart == "{} {} {}\nok\n".format(*WINDOW[core, kernel]), result.reason
