# SPDX-License-Identifier: Apache-2.0
"""CMSIS-RTOS2 and uITRON: their requirements, one a test of a program in api/, and bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.paths import EXAMPLES
from coreloom.simulation import simulate
from coreloom.simulation.simulate import SimResult
from coreloom.toolchain import driver, firmware, front_end, verilate
from coreloom.toolchain.application import of_user

PROGRAMS = Path(__file__).with_name("api")
REQUIREMENTS = {"rtos2_threads": 61, "rtos2_objects": 44, "itron": 57}


def run(path: Path, kernel: str, cpus: int) -> SimResult:
    soc = platform.load("smp-standard", cpus)
    app = front_end.of(of_user([path], ["-Wall", "-Wextra", "-Werror"]), None)
    elf = firmware.build(front_end.on(app, kernel), soc, kernel)
    return simulate.run(verilate.build_model(soc), elf, simulate.Options(max_cycles=10_000_000))


@pytest.mark.parametrize("cpus", (2, 1))
@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("program", REQUIREMENTS)
@pytest.mark.test("rtos2_threads-hw-2", "itron-hw-2")
def test_every_requirement(program: str, kernel: str, cpus: int) -> None:
    ran = run(PROGRAMS / f"{program}.c", kernel, cpus)
    lines = ran.uart.splitlines()
    assert [line for line in lines[:-1] if not line.endswith(": pass")] == [], ran.why
    assert lines[-1] == f"{REQUIREMENTS[program]} passed, 0 failed"
    assert ran.exit_status == 0


@pytest.mark.parametrize("program", REQUIREMENTS)
def test_names_of_requirements_are_unique(program: str) -> None:
    text = (PROGRAMS / f"{program}.c").read_text()
    tests = [line.split(",")[:2] for line in text.splitlines() if line.startswith("TEST(")]
    assert len(tests) == len({tuple(test) for test in tests}) == REQUIREMENTS[program]


SAYS = {
    "cmsis_rtos2/sensor": "reading 1: 10\nreading 2: 20\nreading 3: 30\nno reading in 20 ms\n",
    "itron/blink": "on\noff\non\noff\n",
    "itron/transfer": "8 words: right\n32 words: right\n128 words: right\n",
}


@pytest.mark.parametrize("kernel", firmware.KERNELS)
@pytest.mark.parametrize("example", SAYS)
def test_examples(example: str, kernel: str) -> None:
    ran = run(EXAMPLES / f"{example}.c", kernel, 2)
    assert (ran.uart, ran.exit_status) == (SAYS[example], 0), ran.why


def error(
    text: str, folder: Path, ground: str = "hw", api: str | None = None, flags: tuple[str, ...] = ()
) -> str:
    (folder / "mine.c").write_text(text)
    with pytest.raises(UserError) as refused:
        app = front_end.of(of_user([folder / "mine.c"], ["-w", *flags]), api)
        firmware.build(front_end.on(app, ground), platform.load("smp-standard", 2), ground)
    return str(refused.value)


RTOS2 = "#include <cmsis_os2.h>\nint main(void) { %s; return 0; }\n"
ITRON = """\
#include <itron.h>
static void task(VP_INT n) { %s; }
CRE_TSK(1, {TA_ACT, 0, task, 5, 1024, NULL});
"""
NOT_DEFINED = "which is not defined: define it in the program, or add the source or library that does"


def test_a_function_that_there_is_not(tmp_path: Path) -> None:
    assert error(RTOS2 % "osMutexAquire(0, 1)", tmp_path) == (
        f"mine uses osMutexAquire (mine.c:2), {NOT_DEFINED}; did you mean osMutexAcquire?"
    )
    assert error(ITRON % "sig_smm(1)", tmp_path) == (
        f"mine uses sig_smm (mine.c:2), {NOT_DEFINED}; did you mean sig_sem?"
    )
    assert error(RTOS2 % "osThreadFeedWatchdog(5)", tmp_path) == (
        "mine uses osThreadFeedWatchdog (mine.c:2), which Coreloom does not provide (there is version "
        "2.1.3 of its API, without safety classes and watchdogs): leave it out (see docs/cmsis-rtos2.md)"
    )
    assert error(ITRON % "loc_mtx(1)", tmp_path) == (
        "mine uses loc_mtx (mine.c:2), which Coreloom does not provide (there is a part of uITRON): "
        "leave it out (see runtime/api/itron/README.md)"
    )


def test_a_ground_without_the_api(tmp_path: Path) -> None:
    assert error(RTOS2 % "osKernelStart()", tmp_path, "linux") == (
        "mine is for CMSIS-RTOS2's API: choose hw or sw by --on"
    )
    assert error(ITRON % "ext_ker()", tmp_path, "freertos") == (
        "mine is for uITRON's API: choose hw or sw by --on"
    )
    assert error(RTOS2 % "osKernelStart()", tmp_path, api="itrn") == (
        "unknown API 'itrn': did you mean itron?"
    )


@pytest.mark.parametrize("api", front_end.LAYERS)
def test_grounds_are_the_same_for_run_and_the_compiler(api: str, tmp_path: Path) -> None:
    """Also the software kernel that is only there to measure by, which the errors do not offer."""
    (tmp_path / "mine.c").write_text(f"#include <{front_end.LAYERS[api].header}>\n")
    app = front_end.of(of_user([tmp_path / "mine.c"], []), None)
    for ground in driver.grounds():
        if ground in firmware.OURS or (api == "freertos" and ground in firmware.FREERTOS):
            front_end.on(app, ground)
            front_end.chosen(api, ground)
            continue
        with pytest.raises(UserError, match=r"^mine is ") as on_run:
            front_end.on(app, ground)
        with pytest.raises(UserError, match=r"^the program is ") as on_cc:
            front_end.chosen(api, ground)
        assert str(on_cc.value).removeprefix("the program") == str(on_run.value).removeprefix("mine")


def test_a_tick_that_is_not_of_whole_cycles(tmp_path: Path) -> None:
    assert error(RTOS2 % "osKernelStart()", tmp_path, flags=("-DOS_TICK_FREQ=3",)) == (
        "os_irq.c does not compile: "
        "OS_TICK_FREQ must divide the platform's clock, in Hz: ticks are whole cycles"
    )
