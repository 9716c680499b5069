# SPDX-License-Identifier: Apache-2.0
"""One application on one platform and kernel: the way every command runs a program."""

from __future__ import annotations

import dataclasses
import signal
from dataclasses import dataclass, field
from pathlib import Path

from coreloom import uses
from coreloom.apps import APPS
from coreloom.design.platform import Platform, with_policy
from coreloom.errors import SIGNALLED, UNFINISHED, Ended, UserError, suggest
from coreloom.simulation import simulate, stuck
from coreloom.simulation.measure import Figures, figures
from coreloom.simulation.simulate import TO_THE_END, Kind, Options, SimResult, UnitState
from coreloom.toolchain import far, firmware, front_end, verilate
from coreloom.toolchain.application import Application

PLACEMENTS = {"dynamic": 0, "static": 1}  # value of CL_PLACEMENT in the application
# Of the ports of an application: the double buffering of [SMP], and messages that are visible at once.
BUFFERED, DIRECT = "buffered", "direct"
PORTS = {BUFFERED: "PORT_BUFFERED", DIRECT: "PORT_DIRECT"}
WITH_PORTS = ("image", "packets")


def ports(app: str, kernel: str, kind: str) -> dict[str, str | int]:
    """The macro that gives an application such ports."""
    if app not in WITH_PORTS:
        raise UserError(f"--ports is not an option of {app}: only {' and '.join(WITH_PORTS)} have a choice")
    if kind not in PORTS:
        raise UserError(f"unknown ports '{kind}': {suggest(kind, PORTS)}")
    if kind == BUFFERED and kernel in firmware.FREERTOS:
        raise UserError("FreeRTOS's queues are not double-buffered: leave out --ports, or choose direct")
    return {f"{app.upper()}_PORTS": PORTS[kind]}


def check(app: str | Application, placement: str) -> None:
    """UserError if there is no such application, or no such placement."""
    if isinstance(app, str) and app not in APPS and not app.endswith(".c"):
        raise UserError(f"unknown application '{app}': {suggest(app, APPS, ', or give a C file')}")
    if placement not in PLACEMENTS:
        raise UserError(f"unknown placement '{placement}': {suggest(placement, PLACEMENTS)}")


@dataclass(frozen=True)
class Built:
    """The files that an experiment is run with; loader: of processor 1 behind a Back-Door."""

    model: Path
    program: Path
    loader: Path | None = None


@dataclass(frozen=True)
class Experiment:
    """A run: everything that decides its figures, apart from the input."""

    app: str | Application  # a name in APPS, the path of a C file, or a user's program
    platform: Platform
    kernel: str = "hw"
    placement: str = "dynamic"
    defines: dict[str, str | int] = field(default_factory=dict)
    policy: str | None = None  # of the kernel; None: the platform's, or fixed priorities in software
    debug: bool = False  # with a model that a debugger can hold
    jtag: bool = False  # with one that has a debug module and its JTAG port

    def __post_init__(self) -> None:
        check(self.app, self.placement)
        if self.kernel not in firmware.GROUNDS:
            raise UserError(f"unknown kernel '{self.kernel}': {suggest(self.kernel, firmware.GROUNDS)}")
        if self.policy is not None:
            if self.kernel in firmware.FREERTOS:
                raise UserError("FreeRTOS has one policy, fixed priorities: leave out --policy")
            if self.kernel == "sw":
                firmware.policy_files(self.policy, self.platform.home)
            else:
                self.soc()

    @property
    def name(self) -> str:
        """The application's name."""
        return self.app if isinstance(self.app, str) else self.app.name

    def soc(self) -> Platform:
        """The platform, with the policy where its kernel has that."""
        if self.policy is None or self.kernel != "hw":
            return self.platform
        return with_policy(self.platform, self.policy)

    def program(self, warnings: list[str] | None = None) -> Path:
        """The firmware (ELF), built if need be; the compiler's warnings about a user's program are added."""
        if uses.plan():  # where a program that is read ends the job, before its model is asked for
            verilate.build_model(self.soc())
        return firmware.build(
            front_end.on(self.app, self.kernel),
            self.platform,
            self.kernel,
            {**self.defines, "CL_PLACEMENT": PLACEMENTS[self.placement]},
            self.policy or firmware.PRIORITY,
            warnings=warnings,
        )

    def build(self, waves: bool = False, program: Path | None = None) -> Built:
        """All that it is run with, built if need be. UserError if something cannot be built."""
        return Built(
            verilate.build_model(self.soc(), trace=waves, debug=self.debug, jtag=self.jtag),
            program or self.program(),
            far.build_loader(self.platform) if self.platform.backdoor else None,
        )

    def run(self, data: bytes, options: Options = TO_THE_END, built: Built | None = None) -> Outcome:
        """Simulate with the input `data`, and the figures of the window from READY on.

        built: what build() gave, perhaps on another machine.
        """
        built = built or self.build(options.waves is not None)
        given = dataclasses.replace(options, inputs=data, loader=built.loader)
        result = simulate.run(built.model, built.program, given)
        units = len(self.platform.kernel.hardware_threads)
        counted = figures(result.events, self.platform.cpus, result.cycles, options.window, units)
        return Outcome(self, built.program, result, counted)


@dataclass(frozen=True)
class Outcome:
    """A finished simulation and its figures."""

    experiment: Experiment
    program: Path
    result: SimResult
    figures: Figures

    def _idle_since(self) -> tuple[int | None, list[int]]:
        """Since which cycle no CPU has anything to do, None if one has; and the hardware threads that run."""
        cpus: dict[int, int | None] = dict.fromkeys(range(self.experiment.platform.cpus))
        units: dict[int, bool] = {}
        for event in self.result.events:
            if event.kind == Kind.IDLE:
                cpus[event.cpu] = event.cycle if event.value else None
            elif event.kind == Kind.UNIT:
                units[event.cpu] = event.unit_state()[0] == UnitState.RUNS
        cycles = [cycle for cycle in cpus.values() if cycle is not None]
        running = [unit for unit, runs in sorted(units.items()) if runs]
        return max(cycles) if len(cycles) == len(cpus) else None, running

    @property
    def status(self) -> int | None:
        """The status with which the program ended by itself, as wait() tells it; None if it did not."""
        return None if self.result.exit_status is None else self.result.exit_status & 0xFF

    def check_finished(self) -> None:
        """Raise Ended unless the program ended by itself with status 0."""
        status = self.result.exit_status
        why = self.result.why
        if self.result.reason in ("deadlock", "endless", "stack"):
            overflow = self.result.reason == "stack"
            raise Ended(
                f"{self.program.stem}: {why}",
                SIGNALLED + signal.SIGSEGV if overflow else UNFINISHED,
            )
        if status is None:
            places = f"\n{why}" if why else ""
            since, units = self._idle_since()
            if since is not None:
                names = self.experiment.platform.kernel.hardware_threads
                run = " and ".join(f"hardware thread {unit} ({names[unit]})" for unit in units)
                raise Ended(
                    f"{self.program.stem} did not finish in {self.result.cycles} cycles: every CPU has been "
                    f"idle since cycle {since}, "
                    + (
                        f"they wait for {run}, still running; --waves shows it"
                        if run
                        else "its threads wait for a time limit"
                    )
                    + places,
                    UNFINISHED,
                )
            raise Ended(
                f"{self.program.stem} did not finish in {self.result.cycles} cycles: raise --max-cycles"
                + places,
                UNFINISHED,
            )
        seen = self.status
        if seen:
            last = self.result.uart.strip().splitlines()
            said = f": {stuck.with_places(last[-1], self.program)}" if last else ""
            signed = status - 2**32 if status >= 2**31 else status  # what main returned is an int
            number = f"{seen} (the low 8 bits of {signed})" if signed != seen else str(seen)
            raise Ended(
                f"{self.program.stem} ended with status {number}{said}" + (f"\n{why}" if why else ""), seen
            )
