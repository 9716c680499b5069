# SPDX-License-Identifier: Apache-2.0
"""FreeRTOS's API: each requirement on both kernels, and on FreeRTOS itself, which judges the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import nightly_but
from coreloom.design import platform
from coreloom.simulation import simulate
from coreloom.simulation.simulate import SimResult
from coreloom.toolchain import firmware, front_end, verilate, zig
from coreloom.toolchain.application import of_user

PROGRAMS = Path(__file__).with_name("programs") / "freertos_api"
HOLD = {("tasks", 1): 52, ("tasks", 2): 56, ("objects", 1): 55, ("objects", 2): 54}
CASES = [
    (ground, cpus, program)
    for ground in ("hw", "sw", "freertos")
    for cpus in (1, 2)
    for program in ("tasks", "objects")
]
KEPT = [case for case in CASES if case[:2] in (("hw", 1), ("hw", 2), ("sw", 2), ("freertos", 1))]


def run(program: Path, ground: str, cpus: int) -> SimResult:
    chosen = platform.load("smp-standard", cpus)
    app = front_end.on(front_end.of(of_user([program], ["-w"]), None), ground)
    elf = firmware.build(app, chosen, ground)
    return simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=8_000_000))


@pytest.mark.usefixtures("freertos_sources")
@pytest.mark.parametrize(("ground", "cpus", "program"), nightly_but(CASES, KEPT))
@pytest.mark.test("hw-2-objects")
def test_requirements(ground: str, cpus: int, program: str) -> None:
    result = run(PROGRAMS / f"{program}.c", ground, cpus)
    assert result.uart == f"{HOLD[program, cpus]} hold, 0 fail\n"
    assert result.exit_status == 0


NO_TIMERS = """
#include <FreeRTOS.h>
#include <task.h>
#include <stdio.h>
enum { MANY = 80, WORDS = 256 };
static StaticTask_t memory[MANY];
static StackType_t stacks[MANY][WORDS];
static void ends(void *unused) {
  (void)unused;
  vTaskDelete(NULL);
}
int main(void) {
  TaskHandle_t task, last = NULL;
  int made = 0;
  while ((task = xTaskCreateStatic(ends, "", WORDS, NULL, 1, stacks[made], &memory[made]))) {
    last = task;
    made++;
  }
  UBaseType_t before = uxTaskGetNumberOfTasks();
  vTaskStartScheduler();
  int is_off = xTaskGetSchedulerState() == taskSCHEDULER_NOT_STARTED;
  printf("%d %d\\n", is_off, uxTaskGetNumberOfTasks() == before);
  vTaskDelete(last);
  vTaskStartScheduler();
  return 1;
}
"""


@pytest.mark.parametrize("ground", firmware.KERNELS)
def test_without_a_thread_for_the_timers_the_scheduler_does_not_start(ground: str, tmp_path: Path) -> None:
    """Timers would never expire. With one thread more it starts; its tasks end, and nothing is left to do."""
    (tmp_path / "full.c").write_text(NO_TIMERS)
    chosen = platform.load("smp-standard", 1)
    app = front_end.on(front_end.of(of_user([tmp_path / "full.c"], ["-DconfigUSE_TIMERS=1"]), None), ground)
    elf = firmware.build(app, chosen, ground)
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=3_000_000))
    assert (result.uart, result.reason) == ("1 1\n", "deadlock")


OWN_HEAP = """
#include <FreeRTOS.h>
#include <task.h>
#include <stdio.h>
#include <stdlib.h>
static int given;
void *pvPortMalloc(size_t bytes) { return given++, malloc(bytes); }
void vPortFree(void *block) { given--, free(block); }
static void ends(void *unused) {
  (void)unused;
  vTaskDelete(NULL);
}
static void creates(void *unused) {
  (void)unused;
  int made = 0;
  for (int i = 0; i < 200; i++) made += xTaskCreate(ends, "", 256, NULL, 2, NULL) == pdPASS;
  printf("%d %d\\n", made, given);
  exit(0);
}
int main(void) {
  xTaskCreate(creates, "", 1024, NULL, 1, NULL);
  vTaskStartScheduler();
  return 1;
}
"""


def test_a_program_s_own_heap_gets_back_what_ended_tasks_had(tmp_path: Path) -> None:
    """And the kernel their threads: there are 64. The last one's memory is given back with the next task."""
    (tmp_path / "own.c").write_text(OWN_HEAP)
    chosen = platform.load("smp-standard", 1)
    app = front_end.on(front_end.of(of_user([tmp_path / "own.c"], []), None), "sw")
    elf = firmware.build(app, chosen, "sw")
    result = simulate.run(verilate.build_model(chosen), elf, simulate.Options(max_cycles=3_000_000))
    assert (result.uart, result.exit_status) == ("200 4\n", 0)


def test_the_layer_has_no_warnings(tmp_path: Path) -> None:
    """A user's flags silence them."""
    chosen = platform.load("smp-standard", 2)
    layer = front_end.LAYERS[front_end.FREERTOS]
    flags = layer.flags(["-Wall", "-Wextra", "-Werror", "-DCL_FREERTOS_STRICT"], [PROGRAMS])
    for ground in firmware.KERNELS:
        for file in layer.files:
            used = firmware.compile_flags(chosen, ground, firmware.PRIORITY, flags)
            zig.run([*zig.cc(), *used, "-c", str(file), "-o", str(tmp_path / "made.o")], file.name)
