# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a simulated platform and hands back what it did."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coreloom import uses
from coreloom.design.address_map import INPUT_ROOM
from coreloom.errors import SIGNALLED, Ended, UserError
from coreloom.report import results
from coreloom.simulation import fst, stuck
from coreloom.simulation.surroundings import NOTHING, Surroundings
from coreloom.simulation.waves import Plan, Waves
from coreloom.toolchain import elf as elf_file

if TYPE_CHECKING:
    from coreloom.simulation.gdb.debugger import Debugger

_HALTED = 3  # exit status of the model

FAR_PERIOD = 1000  # thousandths of a cycle: both clocks are one

_RECORD = struct.Struct("<QIBBH")
_SAMPLE = struct.Struct("<3I")


class Kind(IntEnum):
    """Kinds of events: up to 15 the trace ports of the local device, above them what the harness sees."""

    READY = 0  # initialisation done: the measured window starts
    CALL = 1  # entering a service that may give way
    RUN = 2  # value = tid: first instruction after a switch, in the new thread
    DONE = 3  # value = units of work finished
    IDLE = 4  # 1 enter, 0 leave
    MARK = 5  # free for the application
    NAME = 6  # value = address of the current thread's name
    TRAP = 7  # trap entry
    # Of FreeRTOS, whose RUN has a task's address, and is when the kernel has chosen:
    RESUMED = 8  # first instruction of a thread that gave way within a service
    NEW = 9  # value = address of a task; the next NAME is its
    # Seen by the harness:
    REQUEST = 16  # the kernel begins to ask this processor for a preempt
    INTERRUPT = 17  # an interrupt line rises; value = the line
    UNIT = 18  # a hardware thread, instead of cpu, begins to do something; value: see Event.unit_state
    # If asked for:
    MODULE = 19  # what the kernel does for a client, instead of cpu; value: a ModuleState
    LOCK_WAITS = 20  # the processor asks the Lock Unit for an address; value = the address
    LOCK_HOLDS = 21  # it is granted
    LOCK_FREE = 22  # it is released
    WATCH = 32  # + n: the processor comes to watch[n]; value = the address


class UnitState(IntEnum):
    """The state of a hardware thread, as in cl_soc_pkg."""

    ENDED = 0  # its thread has ended
    RUNS = 1
    WAITS = 2  # in the kernel
    STOPPED = 3  # by a command


class ModuleState(IntEnum):
    """The kernel's work for a client: a processor or, after those, a hardware thread."""

    NOTHING = 0
    WAITS = 1  # an operation waits for those of other clients
    EXECUTES = 2  # the engine executes it; one event an operation
    OTHER = 3  # the engine executes something other than an operation: a store to SAVED, the end of a wait


class Event(NamedTuple):
    """An event from the trace port of a CPU or a unit, or from the harness; cycles count from reset."""

    cycle: int
    cpu: int
    kind: int
    value: int

    def unit_state(self) -> tuple[UnitState, int]:
        """Of an event UNIT: what the hardware thread does, and its thread."""
        return UnitState(self.value >> 16), self.value & 0xFFFF


class Pulses(NamedTuple):
    """Interrupt `line` rises `times` times, first in cycle `first`, then `least` to `most` cycles later."""

    line: int
    first: int
    least: int
    most: int
    times: int
    seed: int


class Sample(NamedTuple):
    """`cycles` that `cpu` spent at the instruction at `address` without idling."""

    cpu: int
    address: int
    cycles: int


class Halted(Ended):
    """The machine stopped at a bus error or a halted core; `uart` is what the program had printed."""

    def __init__(self, text: str, uart: str) -> None:
        super().__init__(text, SIGNALLED + signal.SIGSEGV)
        self.uart = uart


@dataclass(frozen=True)
class SimResult:
    """The results of a run.

    exit_status is None when it was cut short: by max_cycles, the window, a deadlock, a stack overflow, or
    as it is proven to be endless.
    """

    exit_status: int | None
    cycles: int  # since reset
    uart: str
    events: list[Event]
    output: bytes  # content of the OUTPUT region
    seconds: float  # wall time of the simulation itself
    reason: str  # exit | window | max-cycles | deadlock | endless | stack
    names: list[str]  # the text of each NAME event, in their order
    profile: list[Sample]  # from the first READY on, or from reset; empty unless asked for
    transfers: int = 0  # on the shared bus, from there on, if a profile is asked for;
    stores: int = 0  # of them stores to the memory
    skipped: int = 0  # of the cycles: not simulated, as every CPU waited and only the time passed
    # The user's message about an end that is neither window nor exit with a status below 128; of the end
    # by max_cycles where each thread is.
    why: str = ""
    waves: dict[str, Any] | None = None  # what the harness says of a waveform


def run(
    model: Path,
    program: Path,
    *,
    inputs: bytes = b"",
    around: Surroundings = NOTHING,
    max_cycles: int | None,
    max_simulated: int | None = None,
    window: int | None = None,
    waves: Waves | None = None,
    profile: bool = False,
    watch: Sequence[int] = (),
    pulses: Sequence[Pulses] = (),
    loader: Path | None = None,
    far_period: int = FAR_PERIOD,
    far_stop: int | None = None,
    modules: bool = False,
    every_cycle: bool = False,
    endless: bool = False,
    progress: Callable[[int], None] | None = None,
    uart: Callable[[bytes], None] | None = None,
    debugger: Debugger | None = None,
) -> SimResult:
    """Runs `program` on `model`, which coreloom.verilate.build_model made.

    program is a flat image (.bin, first byte at RAM_BASE) or an ELF file with such an image next to it.

    inputs fill the INPUT region.
    debugger: a gdb holds the run; needs a model built for that.
    uart is called with what the program prints, as it comes: with whole lines, or with the beginning of one
    that is not that of a fault. The run ends at the
    program's exit, after max_cycles (None: never), after max_simulated cycles, of which none was skipped, or
    `window` cycles after the first READY event.
    waves: a waveform, needs a model built with trace; no cycle is skipped while it is written, and it is
    whole also of a run that fails or is stopped.
    watch: addresses of instructions; each time a processor comes to one of them is an event; processor 1
    behind a Back-Door is cpu 1.
    pulses: what drives the interrupt lines.
    Behind a Back-Door: loader is what is in the ROM of processor 1 (far.build_loader), far_period the
    period of its clock in thousandths of the other's (1 to 1 000 000; FAR_PERIOD: one clock), far_stop the
    cycle from which on that clock stands still.
    modules: events also of the kernel's scheduling modules and of the Lock Unit.
    every_cycle: simulate also the cycles in which every CPU waits and only the time passes. They are skipped
    otherwise, but not with a Back-Door: all that a run leaves behind is the same.
    endless: the run ends when it is proven that the program repeats the same cycles for ever, in silence; not
    with a Back-Door, and not if it has time limits or reads the time.
    progress is called about four times a second with the cycles simulated so far.
    Raises Halted on a bus error or a halted core, Ended if a signal has ended the simulator, UserError on
    anything that keeps the run from being made. The text of a KeyboardInterrupt tells where the threads were.
    """
    uses.runs()
    if not model.is_file():
        raise UserError(f"the simulator {model} is missing: build it again")
    program = program.with_suffix(".bin")
    if not program.is_file():
        raise UserError(f"the program {program} is missing: build it again")
    if len(inputs) > INPUT_ROOM:
        raise UserError(f"the input has {len(inputs)} bytes, at most {INPUT_ROOM} fit: choose a smaller one")
    with contextlib.ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="coreloom-")))
        plan = None if waves is None else Plan(waves, model)
        waveform = stack.enter_context(contextlib.ExitStack())
        dump = None if waves is None else waveform.enter_context(results.whole(waves.path))
        elf = program.with_suffix(".elf")
        rooms = not elf.is_file() or elf_file.extents(elf).get("__rooms", (1, 0))[0] != 0
        names = [*(["input", "output"] if rooms else []), "events", "names", "result"]
        files = {name: work / name for name in (*names, *(["profile"] if profile else []))}
        if rooms:
            files["input"].write_bytes(inputs)
        if elf.is_file():
            program = _with_words(program, elf, around, work)
        command = [str(model), "--program", str(program)]
        if around.files is not None:
            command += ["--files", str(around.files), "--current", around.current]
        for name, path in files.items():
            command += [f"--{name}", str(path)]
        limits = (("--max-cycles", max_cycles), ("--max-simulated", max_simulated), ("--window", window))
        for option, value in limits:
            if value is not None:
                command += [option, str(value)]
        for address in watch:
            command += ["--watch", str(address)]
        for train in pulses:
            command += ["--line", ",".join(map(str, train))]
        if loader is not None:
            command += ["--loader", str(loader)]
        if far_period != FAR_PERIOD:
            command += ["--far-period", str(far_period)]
        if far_stop is not None:
            command += ["--far-stop", str(far_stop)]
        if modules:
            command += ["--modules", "1"]
        if every_cycle:
            command += ["--every-cycle", "1"]
        if plan and dump:
            command += plan.options(dump, elf)
        if endless and debugger is None:
            command += ["--endless", "1"]
        watches = stuck.options(elf) if elf.is_file() else []
        if watches:
            files["memory"] = work / "memory"
            command += [*watches, "--memory", str(files["memory"])]
        ran = _execute(command, around.stdin, progress, uart, debugger)
        text = ran.uart.decode("utf-8", "replace")
        said = ran.said[-1] if ran.said else f"status {ran.status}"
        if ran.interrupt and ran.status not in (0, _HALTED):
            raise ran.interrupt
        if ran.status not in (0, _HALTED):
            if dump is not None and fst.is_whole(dump):
                waveform.close()  # unlike the exception would, this keeps it
            raise UserError(f"the simulation of {elf.stem} failed: {said}")
        result = json.loads(files["result"].read_bytes())
        if plan and result["waves"]["from"] is not None:
            waveform.close()
            plan.save_views(result["waves"]["threads"])
        elif dump:
            dump.unlink()
            waveform.pop_all()
        why = ""
        if watches and "cores" in result:
            why = stuck.explain(result, elf, files["memory"].read_bytes(), text)
        if result["reason"] == "stopped" or ran.interrupt:
            where = f"{elf.stem} was stopped in cycle {result['cycles']}" + (f":\n{why}" if why else "")
            if ran.interrupt is None:
                raise Ended(where, SIGNALLED + signal.SIGTERM)
            ran.interrupt.args = (where,)
            raise ran.interrupt
        if ran.status == _HALTED:
            raise Halted(f"{elf.stem}: {why or said}", text)
        return SimResult(
            exit_status=result["exit_status"],
            cycles=result["cycles"],
            uart=text,
            events=read_events(files["events"].read_bytes()),
            output=files["output"].read_bytes() if rooms else b"",
            seconds=result["seconds"],
            reason=result["reason"],
            names=files["names"].read_bytes().decode("utf-8", "replace").split("\0")[:-1],
            profile=read_profile(files["profile"].read_bytes()) if profile else [],
            transfers=result.get("transfers", 0),
            stores=result.get("stores", 0),
            skipped=result["skipped"],
            why=why,
            waves=result.get("waves"),
        )


def read_events(data: bytes) -> list[Event]:
    """Decodes a binary event log; in the order of time."""
    return [Event(cycle, cpu, kind, value) for cycle, value, cpu, kind, _ in _RECORD.iter_unpack(data)]


def read_profile(data: bytes) -> list[Sample]:
    """Decodes a profile of the harness."""
    return [Sample(*record) for record in _SAMPLE.iter_unpack(data)]


def _with_words(program: Path, elf: Path, around: Surroundings, work: Path) -> Path:
    """The image `program` with what is around it, in `work`; the same if it uses nothing of it."""
    given = {
        "cl_command_line": ("arguments", around.arguments),
        "cl_environment": ("environment variables", around.environment),
        "cl_program": ("name", around.arguments[:1]),
    }
    symbols = elf_file.extents(elf) if any(words for _, words in given.values()) else {}
    image: bytearray | None = None
    for symbol, (what, words) in given.items():
        if not words or symbol not in symbols:
            continue
        # A count, pointers up to NULL, and the words.
        at, room = symbols[symbol]
        texts = [os.fsencode(word) + b"\0" for word in words]
        pointers, end = [], at + 4 * (len(words) + 2)
        for text in texts:
            pointers.append(end)
            end += len(text)
        if end > at + room:
            raise UserError(f"the {what} of {elf.stem} take {end - at} bytes, at most {room} fit: give fewer")
        image = bytearray(program.read_bytes()) if image is None else image
        start = elf_file.offset(elf, at)
        block = struct.pack(f"<{len(words) + 2}I", len(words), *pointers, 0) + b"".join(texts)
        image[start : start + len(block)] = block
    if image is None:
        return program
    made = work / program.name
    made.write_bytes(image)
    return made


@dataclass
class _Ran:
    """The results of an execution of the model."""

    status: int = 0
    uart: bytes = b""
    said: list[str] = field(default_factory=list)  # the lines of stderr without progress
    interrupt: KeyboardInterrupt | None = None  # it came in between; the model has ended in order


def _show(text: bytes, show: Callable[[bytes], None]) -> bytes:
    """Shows whole lines, and of one that may tell of a fault nothing before its end; returns what is left."""
    *lines, last = text.splitlines(keepends=True) if text else [b""]
    if not last.endswith(b"\n") and stuck.may_tell_of_fault(last):
        left = last
    else:
        lines, left = [*lines, last], b""
    for line in lines:
        if line:
            show(line)
    return left


def _execute(
    command: list[str],
    stdin: int | None,
    progress: Callable[[int], None] | None,
    show: Callable[[bytes], None] | None,
    debugger: Debugger | None,
) -> _Ran:
    """Runs the model."""
    ran = _Ran()
    try:
        process = subprocess.Popen(
            [*command, *(debugger.options if debugger else ())],
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=debugger.descriptors if debugger else (),
            start_new_session=debugger is not None,  # the terminal's Ctrl-C is gdb's
        )
    except OSError as error:
        raise UserError(f"the simulator does not run: {error}: build it again") from error
    if debugger:
        debugger.started()
    with process, selectors.DefaultSelector() as pipes:
        assert process.stdout is not None and process.stderr is not None
        pipes.register(process.stdout, selectors.EVENT_READ)
        pipes.register(process.stderr, selectors.EVENT_READ)
        begun = unshown = b""  # of a line of stderr, and of stdout

        def take() -> None:
            nonlocal begun, unshown
            while pipes.get_map():
                for key, _ in pipes.select():
                    data = os.read(key.fd, 65536)
                    if not data:
                        pipes.unregister(key.fileobj)
                    elif key.fileobj is process.stdout:
                        ran.uart += data
                        if show:
                            unshown = _show(unshown + data, show)
                    else:
                        *lines, begun = (begun + data).split(b"\n")
                        for line in lines:
                            said = line.decode("utf-8", "replace")
                            if not said.startswith("progress "):
                                ran.said.append(said.strip().removeprefix("error: "))
                            elif progress:
                                progress(int(said.split()[1]))

        try:
            try:
                take()
            except KeyboardInterrupt as interrupt:
                # A terminal has sent it to the model, too; a second one ends it at once.
                ran.interrupt = interrupt
                process.send_signal(signal.SIGINT)
                take()
            ran.status = process.wait()
            if debugger:
                debugger.finish()
            if unshown and show:
                show(unshown)
        finally:
            # No simulation is left running, even when the user interrupts.
            if process.poll() is None:
                process.kill()
    return ran
