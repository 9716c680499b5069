# SPDX-License-Identifier: Apache-2.0
"""Clocks from reset until the kernel starts the user task: what [IPC] has one number of.

One simulation is one kernel on one platform; start.c is the program.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from coreloom.benches.ipc.transfer import DEFINES, moments, run
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Kind

PAPER = 20_000  # clocks, more than: [IPC] section 4, with the semaphore, so with TOPPERS/FMP
_SOURCE = str(Path(__file__).with_name("start.c"))
_MAIN, _TASK = "start_main", "start_task"
_KERNEL, _COPIED = "cl_boot_main", "copied"  # of the runtime


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Cycles from reset until each of these, one after the other.

    copied: the program is in the local memory of CPU 0, 0 if it has none; kernel_begins: data is cleared, the
    kernel's own start begins; main; first_task: the first thread that main has made; all_tasks: the last of
    them, one on every CPU.
    """

    kernel: str
    platform: str  # amp | smp
    core: str
    cpus: int
    copied: int
    kernel_begins: int
    main: int
    first_task: int
    all_tasks: int

    @property
    def in_place(self) -> int:
        """Cycles to the first task without the copying: in [IPC] the images lie in the local memories."""
        return self.first_task - self.copied


def measure(kind: str, core: str, cpus: int, kernel: str) -> list[Start]:
    """The one row of a kernel on a platform. kind: amp or smp."""
    soc = platform.load(f"{kind}-{core}", cpus)
    experiment = Experiment(_SOURCE, soc, kernel, defines=DEFINES)
    where = f"start of the user task on {soc.name} with {cpus} CPUs"
    copies = soc.interconnect == "amp"
    try:
        functions = (_KERNEL, _COPIED) if copies else (_KERNEL,)
        events = run(experiment, b"", (_MAIN, _TASK), functions).result.events
        (main,) = moments(events, Kind.WATCH, 0, 1, _MAIN)
        tasks = [moments(events, Kind.WATCH + 1, cpu, 1, _TASK)[0] for cpu in range(cpus)]
    except UserError as error:
        raise UserError(f"{where}: {error}") from None

    def before_main(kind: int) -> int:
        """The last time of CPU 0: the economy core also fetches what is behind a jump elsewhere."""
        return max(
            event.cycle for event in events if (event.kind, event.cpu) == (kind, 0) and event.cycle < main
        )

    return [
        Start(
            kernel=kernel,
            platform=kind,
            core=core,
            cpus=cpus,
            copied=before_main(Kind.WATCH + 3) if copies else 0,
            kernel_begins=before_main(Kind.WATCH + 2),
            main=main,
            first_task=min(tasks),
            all_tasks=max(tasks),
        )
    ]
