# SPDX-License-Identifier: Apache-2.0
"""Programs for FreeRTOS's API: how they are recognised, built by makefiles, and what is wrong with some."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from coreloom.paths import ROOT

from .command import run

EXAMPLES = ROOT / "examples" / "freertos"
PRINTED = {
    "blinky": "".join(
        f"{ms:3} ms: {value}, LED {'off' if n % 2 else 'on'}\n"
        for n, (ms, value) in enumerate([*((20 * n, 100) for n in range(1, 6)), (150, 200)])
    ),
    "notify": "a thousand rounds, and sixteen bytes at a time\n",
    "queue": "400 blocks sent, 200 and 200 came, 0 wrong\n",
}
PROGRAM = """\
#include "FreeRTOS.h"
#include "task.h"
int main(void) {
  BODY
  return 0;
}
"""
REFUSED = {
    "configUSE_PREEMPTION 0": " 0 is not supported: Coreloom's kernels are preemptive",
    "configMAX_PRIORITIES 31": " must be from 1 to the platform's kernel.priorities - 2: choose fewer, or a "
    "platform with more",
    "configNUMBER_OF_CORES 3": " is more than the platform's CPUs: choose as many by --cpus",
}


@pytest.mark.runtime
@pytest.mark.parametrize("on", ["hw", "sw"])
@pytest.mark.parametrize("name", sorted(PRINTED))
def test_an_example_prints(capfd: pytest.CaptureFixture[str], name: str, on: str) -> None:
    assert run(capfd, "run", "-q", f"{EXAMPLES}/{name}.c", "--on", on) == (0, PRINTED[name], "")


@pytest.mark.runtime
@pytest.mark.usefixtures("freertos_sources")
def test_it_is_compared_with_freertos(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "compare", f"{EXAMPLES}/notify.c", "--on", "hw,freertos", "--cpus", "1")
    assert code == 0
    assert "hardware kernel is" in out and "times as fast as the FreeRTOS" in out


@pytest.mark.runtime
@pytest.mark.usefixtures("freertos_sources")
@pytest.mark.parametrize("on", ["hw", "freertos"])
def test_a_configuration_of_an_old_project(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, on: str
) -> None:
    """It is in a folder that -I names, and has the names of FreeRTOS before V11."""
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "FreeRTOSConfig.h").write_text(
        "#define configTICK_RATE_HZ 250\n#define configUSE_16_BIT_TICKS 0\n"
        "#define configUSE_PREEMPTION 1\n#define configMAX_PRIORITIES 5\n"
        "#define configMINIMAL_STACK_SIZE 128\n#define INCLUDE_vTaskDelayUntil 1\n"
    )
    body = 'printf("%d %u\\n", (int)configTICK_RATE_HZ, (unsigned)sizeof(TickType_t));'
    (tmp_path / "own.c").write_text("#include <stdio.h>\n" + PROGRAM.replace("BODY", body))
    given = [str(tmp_path / "own.c"), f"-I{tmp_path}/include", "--on", on, "--cpus", "1"]
    assert run(capfd, "run", "-q", *given) == (0, "250 4\n", "")


def test_linux_has_no_such_api(capfd: pytest.CaptureFixture[str]) -> None:
    said = "blinky is for FreeRTOS's API, which Linux does not have: choose hw, sw or freertos by --on"
    done = run(capfd, "run", f"{EXAMPLES}/blinky.c", "--on", "linux")
    assert done == (125, "", f"coreloom: error: {said}\n")


def test_an_unknown_api(capfd: pytest.CaptureFixture[str]) -> None:
    done = run(capfd, "run", f"{EXAMPLES}/blinky.c", "--api", "freertoss")
    assert done == (125, "", "coreloom: error: unknown API 'freertoss': did you mean freertos?\n")


@pytest.mark.parametrize("option", REFUSED)
def test_a_configuration_that_cannot_be_met(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, option: str
) -> None:
    (tmp_path / "own.c").write_text(PROGRAM)
    name = option.partition(" ")[0]
    usual = (EXAMPLES / "FreeRTOSConfig.h").read_text().splitlines()
    kept = [line for line in usual if not line.startswith(f"#define {name} ")]
    kept.insert(kept.index("#define FREERTOS_CONFIG_H") + 1, f"#define {option}")
    (tmp_path / "FreeRTOSConfig.h").write_text("\n".join(kept) + "\n")
    done = run(capfd, "run", "-q", str(tmp_path / "own.c"))
    assert done == (125, "", f"coreloom: error: own.c does not compile: {name}{REFUSED[option]}\n")


ENDS = """\
#include <stdio.h>
#include "FreeRTOS.h"
#include "task.h"
static volatile int turns;
static void other(void *unused) {
  (void)unused;
  for (;;) turns++;
}
static void ends(void *unused) {
  (void)unused;
  vTaskDelay(3);
  vTaskEndScheduler();
  puts("the task goes on");
}
int main(void) {
  vTaskEndScheduler(); /* nothing is started */
  xTaskCreate(other, "other", 256, NULL, 1, NULL);
  xTaskCreate(ends, "ends", 256, NULL, 2, NULL);
  vTaskStartScheduler();
  int before = turns;
  for (volatile int n = 0; n < 5000; n++) {}
  unsigned ticks = xTaskGetTickCount();
  printf("ended after %u ticks, %s\\n", ticks, turns == before ? "alone" : "not alone");
  return xTaskGetSchedulerState() == taskSCHEDULER_NOT_STARTED ? 7 : 1;
}
"""


@pytest.mark.runtime
@pytest.mark.parametrize("cpus", ["1", "2"])
@pytest.mark.parametrize("on", ["hw", "sw"])
def test_a_scheduler_that_ends(capfd: pytest.CaptureFixture[str], tmp_path: Path, on: str, cpus: str) -> None:
    (tmp_path / "own.c").write_text(ENDS)
    done = run(capfd, "run", "-q", str(tmp_path / "own.c"), "--on", on, "--cpus", cpus)
    assert done == (7, "ended after 3 ticks, alone\n", "")


@pytest.mark.runtime
def test_functions_that_are_not_there(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "own.c").write_text(PROGRAM.replace("BODY", "vTaskStepTick(1); xTaskNotifyGivee(0);"))
    code, out, said = run(capfd, "run", "-q", "-w", str(tmp_path / "own.c"))
    assert (code, out) == (125, "")
    assert said == (
        "coreloom: error: own uses vTaskStepTick (own.c:4), which Coreloom does not provide (ticks are the "
        "machine's time): leave it out (see docs/freertos.md); and uses xTaskNotifyGivee (own.c:4), which is "
        "not defined: define it in the program, or add the source or library that does; did you mean "
        "xTaskNotifyGive?\n"
    )


@pytest.mark.runtime
def test_a_project_with_its_kernel(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Files of FreeRTOS's kernel give way to ours."""
    kernel = tmp_path / "kernel"
    kernel.mkdir()
    for name in ("tasks.c", "queue.c", "timers.c", "heap_4.c", "port.c"):
        (kernel / name).write_text("/*\n * FreeRTOS Kernel V11.2.0\n */\n#error none of ours\n")
    (tmp_path / "main.c").write_text((EXAMPLES / "queue.c").read_text())
    (tmp_path / "Makefile").write_text(
        f"CFLAGS = -I{EXAMPLES} -Ikernel\nprog.elf: main.o kernel/tasks.o kernel/queue.o "
        "kernel/timers.o kernel/heap_4.o kernel/port.o\n"
        "\t$(CC) $(CFLAGS) -o $@ $^\n"
    )
    made = subprocess.run(
        ["make", f"CC={sys.executable} -m coreloom.entry cc --api freertos"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, "")
    assert run(capfd, "run", "-q", str(tmp_path / "prog.elf")) == (0, PRINTED["queue"], "")
