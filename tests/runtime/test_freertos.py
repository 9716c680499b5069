# SPDX-License-Identifier: Apache-2.0
"""FreeRTOS on the simulated SoC: with the port of its kernel on one CPU, with ours on one to four."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation import simulate
from coreloom.simulation.simulate import Kind, Pulses, SimResult
from coreloom.toolchain import firmware, verilate

PROGRAMS = Path(__file__).with_name("programs") / "freertos"
ONE = (("freertos", 1), ("freertos-tuned", 1))
BUILDS = (*ONE, ("freertos", 2), ("freertos", 4))


pytestmark = pytest.mark.usefixtures("freertos_sources")


def run(
    program: str, kernel: str, cpus: int, pulses: Pulses | None = None, **defines: int | str
) -> SimResult:
    chosen = platform.load("smp-standard", cpus)
    elf = firmware.build(str(PROGRAMS / f"{program}.c"), chosen, kernel, defines)
    model = verilate.build_model(chosen)
    return simulate.run(
        model, elf, simulate.Options(max_cycles=10_000_000, pulses=[pulses] if pulses else [])
    )


@pytest.mark.parametrize("asserts", [False, True])
@pytest.mark.parametrize(("kernel", "cpus"), nightly_but(BUILDS, [BUILDS[0], BUILDS[2]]))
@pytest.mark.nightly(but=("freertos-1-False", "freertos-2-True"))
def test_stress(kernel: str, cpus: int, asserts: bool) -> None:
    """A tick every 2500 cycles; asserts: FreeRTOS checks itself and our port."""
    defines = {"configCPU_CLOCK_HZ": 2_500_000} | ({"CL_FREERTOS_ASSERT": 1} if asserts else {})
    result = run("stress", kernel, cpus, Pulses(0, 20_000, 300, 9_000, 300, seed=1), **defines)
    assert result.uart == f"600 600 600 600, torn 0, masked 0, CPUs {cpus}\n"
    assert result.exit_status == 0


@pytest.mark.parametrize(("kernel", "cpus"), BUILDS)
def test_the_tick_preempts_and_slices(kernel: str, cpus: int) -> None:
    result = run("tick", kernel, cpus)
    assert result.uart == "1" * 10 + "+" * (cpus + 1) + "\n"


@pytest.mark.parametrize(("kernel", "cpus"), BUILDS)
def test_an_exception_ends_the_program(kernel: str, cpus: int) -> None:
    result = run("fault", kernel, cpus)
    assert result.exit_status == 132
    line = f"fault: cpu {cpus > 1:d}, task broken, illegal instruction at pc "
    assert result.uart.startswith(line)
    assert result.uart.endswith(", address 0xc0001073\n")  # the instruction


# Cycles on one CPU: a yield in a ring of five, a word through a queue in one task, a notification
# there and back.
COSTS = {"freertos": [147, 101, 673], "freertos-tuned": [105, 85, 548]}


@pytest.mark.parametrize("kernel", COSTS)
def test_costs(kernel: str) -> None:
    result = run("costs", kernel, 1)
    assert [event.value for event in result.events if event.kind == Kind.MARK] == COSTS[kernel]


# Cycles from a line's edge to the first instruction of the task it wakes, while another one computes.
WOKEN = {"freertos": (244, 342), "freertos-tuned": (231, 312)}


@pytest.mark.parametrize("kernel", WOKEN)
def test_from_an_interrupt_to_a_task(kernel: str) -> None:
    result = run("line", kernel, 1, Pulses(0, 20_000, 20_000, 20_001, 10, seed=1))
    edges = [event.cycle for event in result.events if event.kind == Kind.INTERRUPT]
    marks = [event.cycle for event in result.events if event.kind == Kind.MARK]
    taken = [mark - edge for edge, mark in zip(edges, marks, strict=True)]
    assert (min(taken), max(taken)) == WOKEN[kernel]
    assert result.uart == "ok\n"


def test_on_several_cpus_there_is_one_port() -> None:
    chosen = platform.load("smp-standard", 2)
    images = [
        firmware.build(str(PROGRAMS / "tick.c"), chosen, kernel).with_suffix(".bin").read_bytes()
        for kernel in firmware.FREERTOS
    ]
    assert images[0] == images[1]


def test_a_configuration_of_the_programs_own(tmp_path: Path) -> None:
    program = tmp_path / "own.c"
    program.write_text(
        "#include <FreeRTOS.h>\n#include <stdio.h>\n"
        'int main(void) { printf("%d %d\\n", configTICK_RATE_HZ, configUSE_TIMERS); return 0; }\n'
    )
    (tmp_path / "FreeRTOSConfig.h").write_text(
        "#define configTICK_RATE_HZ 250\n#include_next <FreeRTOSConfig.h>\n"
    )
    chosen = platform.load("smp-standard", 1)
    elf = firmware.build(str(program), chosen, "freertos")
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=1_000_000))
    assert (result.uart, result.exit_status) == ("250 0\n", 0)


def test_a_configuration_that_does_not_fit() -> None:
    with pytest.raises(UserError) as error:
        run("tick", "freertos", 1, CL_PRIORITIES=0)
    assert str(error.value) == (
        "tick.c does not compile: configMAX_PRIORITIES must be defined to be greater than or equal to 1."
    )


def test_a_heap_that_does_not_fit() -> None:
    with pytest.raises(UserError) as error:
        run("tick", "freertos", 1, configTOTAL_HEAP_SIZE=40 << 20)
    assert str(error.value).startswith(
        "tick does not fit into the memory of smp-standard: its code and data are"
    )
