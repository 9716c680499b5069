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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coreloom import uses
from coreloom.design.address_map import INPUT_ROOM
from coreloom.errors import SIGNALLED, Ended, UserError
from coreloom.files import whole
from coreloom.simulation import fst, kept, stuck
from coreloom.simulation.surroundings import NOTHING, Surroundings
from coreloom.simulation.waves import Plan, Waves
from coreloom.toolchain import elf as elf_file

if TYPE_CHECKING:
    from coreloom.simulation.gdb.debugger import Debugger
    from coreloom.simulation.jtag import Port

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
    reason: str  # exit | window | max-cycles | deadlock | endless | stack | killed, left: by a debugger
    names: list[str]  # the text of each NAME event, in their order
    profile: list[Sample]  # from the first READY on, or from reset; empty unless asked for
    transfers: int = 0  # on the shared bus, from there on, if a profile is asked for;
    stores: int = 0  # of them stores to the memory
    skipped: int = 0  # of the cycles: not simulated, as every CPU waited and only the time passed
    # The user's message about an end that is neither window nor exit with a status below 128; of the end
    # by max_cycles where each thread is.
    why: str = ""
    waves: dict[str, Any] | None = None  # what the harness says of a waveform


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a program runs on a model, and what is kept of the run.

    It ends at the program's exit, after max_cycles (None: never), after max_simulated cycles, of which none
    was skipped, or `window` cycles after the first READY event.
    """

    inputs: bytes = b""  # fill the INPUT region
    around: Surroundings = NOTHING
    max_cycles: int | None = None
    max_simulated: int | None = None
    window: int | None = None
    # A waveform: needs a model built with trace; no cycle is skipped while it is written, and it is whole
    # also of a run that fails or is stopped.
    waves: Waves | None = None
    profile: bool = False
    # Addresses of instructions; each time a processor comes to one is an event. Processor 1 behind a
    # Back-Door is cpu 1.
    watch: Sequence[int] = ()
    pulses: Sequence[Pulses] = ()  # drive the interrupt lines
    # Of processor 1 behind a Back-Door: the content of its ROM (far.build_loader), the period of its clock in
    # thousandths of the other's (1 to 1 000 000), the cycle from which on that clock stands still.
    loader: Path | None = None
    far_period: int = FAR_PERIOD
    far_stop: int | None = None
    modules: bool = False  # events of the kernel's scheduling modules and of the Lock Unit, too
    # Simulate also the cycles in which every CPU waits and only the time passes. They are skipped otherwise,
    # but not with a Back-Door: all that a run leaves behind is the same.
    every_cycle: bool = False
    # The run ends when it is proven that the program repeats the same cycles for ever, in silence; not with a
    # Back-Door, and not if it has time limits or reads the time.
    endless: bool = False
    progress: Callable[[int], None] | None = None  # called some four times a second with the cycles so far
    # Called with what the program prints, as it comes: with whole lines, or with the beginning of one that
    # does not tell of a fault.
    uart: Callable[[bytes], None] | None = None
    debugger: Debugger | None = None  # a gdb holds the run; needs a model built for that
    jtag: Port | None = None  # a debugger is at its JTAG port; needs a model that has one

    def words(self) -> list[str]:
        """For the model's command line, but for files that are made for it."""
        values: dict[str, object] = {
            "--max-cycles": self.max_cycles,
            "--max-simulated": self.max_simulated,
            "--window": self.window,
            "--loader": self.loader,
            "--far-period": None if self.far_period == FAR_PERIOD else self.far_period,
            "--far-stop": self.far_stop,
            "--modules": int(self.modules) or None,
            "--every-cycle": int(self.every_cycle) or None,
            "--endless": int(self.endless and self.debugger is None and self.jtag is None) or None,
            "--files": self.around.files,
            "--current": None if self.around.files is None else self.around.current,
        }
        words = [(option, value) for option, value in values.items() if value is not None]
        words += [("--watch", address) for address in self.watch]
        words += [("--line", ",".join(map(str, train))) for train in self.pulses]
        return [str(word) for pair in words for word in pair]

    def repeats(self) -> bool:
        """Whether a run depends on its model, its image and these options only, and leaves nothing else."""
        others = (self.waves, self.uart, self.debugger, self.jtag, self.around.files, self.around.stdin)
        return all(other is None for other in others)


TO_THE_END = Options()


def run(model: Path, program: Path, options: Options = TO_THE_END) -> SimResult:
    """Runs `program` on `model`, which coreloom.verilate.build_model made.

    program is a flat image (.bin, first byte at RAM_BASE) or an ELF file with such an image next to it.
    Raises Halted on a bus error or a halted core, Ended if a signal has ended the simulator, UserError on
    anything that keeps the run from being made. The text of a KeyboardInterrupt tells where the threads were.
    """
    uses.runs()
    if not model.is_file():
        raise UserError(f"the simulator {model} is missing: build it again")
    program = program.with_suffix(".bin")
    if not program.is_file():
        raise UserError(f"the program {program} is missing: build it again")
    if (size := len(options.inputs)) > INPUT_ROOM:
        raise UserError(f"the input has {size} bytes, at most {INPUT_ROOM} fit: choose a smaller one")
    elf = program.with_suffix(".elf")
    with tempfile.TemporaryDirectory(prefix="coreloom-") as folder, contextlib.ExitStack() as stack:
        work, waveform = Path(folder), _Waveform(options.waves, model, stack)
        files = _files(work, elf, options)
        if elf.is_file():
            program = _with_words(program, elf, options.around, work)
        # A debugger may move a stack pointer, and what waits for ever it can wake.
        watches = stuck.options(elf) if elf.is_file() and options.jtag is None else []
        if watches:
            files["memory"] = work / "memory"
        command = [str(model), "--program", str(program), *options.words(), *waveform.words(elf), *watches]
        for name, path in files.items():
            command += [f"--{name}", str(path)]
        if uses.noting() and options.repeats() and kept.known(model):
            ran = _kept(command, options, [*watches, *files], files)
        else:
            ran = _execute(command, options)
        if ran.status not in (0, _HALTED):
            if ran.interrupt:
                raise ran.interrupt
            waveform.keep_if_whole()
            raise UserError(f"the simulation of {elf.stem} failed: {ran.last()}")
        result = json.loads(files["result"].read_bytes())
        waveform.keep(result)
        why = ""
        if watches and "cores" in result:
            why = stuck.explain(result, elf, files["memory"].read_bytes(), ran.text())
        _check_ended(ran, result, elf.stem, why)
        return SimResult(
            exit_status=result["exit_status"],
            cycles=result["cycles"],
            uart=ran.text(),
            events=read_events(files["events"].read_bytes()),
            output=files["output"].read_bytes() if "output" in files else b"",
            seconds=result["seconds"],
            reason=result["reason"],
            names=files["names"].read_bytes().decode("utf-8", "replace").split("\0")[:-1],
            profile=read_profile(files["profile"].read_bytes()) if options.profile else [],
            transfers=result.get("transfers", 0),
            stores=result.get("stores", 0),
            skipped=result["skipped"],
            why=why,
            waves=result.get("waves"),
        )


def _kept(command: list[str], options: Options, more: Sequence[str], files: Mapping[str, Path]) -> _Ran:
    """The run of this command, executed only the first time. more: of its words, without places."""
    ran: _Ran | None = None

    def execute() -> kept.Outcome:
        nonlocal ran
        ran = _execute(command, options)
        if ran.interrupt or ran.status not in (0, _HALTED):
            raise kept.NotKept
        return kept.Outcome(ran.status, ran.uart, ran.said)

    model, program = Path(command[0]), Path(command[2])
    loader = options.loader
    reads = [program.read_bytes(), options.inputs, loader.read_bytes() if loader else b""]
    words = replace(options, loader=None).words()
    try:
        outcome = kept.run(kept.key(model, reads, [*words, *more]), files, execute)
    except kept.NotKept:
        assert ran is not None
        return ran
    return _Ran(options, outcome.status, outcome.uart, outcome.said)


class _Waveform:
    """The file of a waveform, which is kept when it is whole; without `waves` there is none."""

    def __init__(self, waves: Waves | None, model: Path, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._plan = None if waves is None else Plan(waves, model)
        self._dump = None if waves is None else stack.enter_context(whole(waves.path))

    def words(self, elf: Path) -> list[str]:
        return self._plan.options(self._dump, elf) if self._plan and self._dump else []

    def keep_if_whole(self) -> None:
        if self._dump and fst.is_whole(self._dump):
            self._stack.close()  # unlike the exception would, this keeps it

    def keep(self, result: Mapping[str, Any]) -> None:
        """Of a run with this result; nothing is kept of one that ends before the waveform begins."""
        if self._plan and result["waves"]["from"] is not None:
            self._stack.close()
            self._plan.save_views(result["waves"]["threads"])
        elif self._dump:
            self._dump.unlink()
            self._stack.pop_all()


def _files(work: Path, elf: Path, options: Options) -> dict[str, Path]:
    """The files through which the model is told and tells, by the name of its option."""
    rooms = not elf.is_file() or elf_file.extents(elf).get("__rooms", (1, 0))[0] != 0
    names = [*(["input", "output"] if rooms else []), "events", "names", "result"]
    files = {name: work / name for name in (*names, *(["profile"] if options.profile else []))}
    if rooms:
        files["input"].write_bytes(options.inputs)
    files["temporary"] = work / "tmp"
    files["temporary"].mkdir()
    return files


def _check_ended(ran: _Ran, result: Mapping[str, Any], name: str, why: str) -> None:
    """Raises what a run that was stopped, or halted, ends with."""
    if result["reason"] == "stopped" or ran.interrupt:
        where = f"{name} was stopped in cycle {result['cycles']}" + (f":\n{why}" if why else "")
        if ran.interrupt is None:
            raise Ended(where, SIGNALLED + signal.SIGTERM)
        ran.interrupt.args = (where,)
        raise ran.interrupt
    if ran.status == _HALTED:
        raise Halted(f"{name}: {why or ran.last()}", ran.text())


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
    """An execution of the model: what it says is handed on as it comes."""

    options: Options
    status: int = 0
    uart: bytes = b""
    said: list[str] = field(default_factory=list)  # the lines of stderr without progress
    interrupt: KeyboardInterrupt | None = None  # it came in between; the model has ended in order
    unshown: bytes = b""  # of a line of stdout
    begun: bytes = b""  # of a line of stderr

    def text(self) -> str:
        return self.uart.decode("utf-8", "replace")

    def last(self) -> str:
        """The last that it has said of itself."""
        return self.said[-1] if self.said else f"status {self.status}"

    def printed(self, data: bytes) -> None:
        """Shows whole lines, and of one that may tell of a fault nothing before its end."""
        self.uart += data
        if not (show := self.options.uart):
            return
        *lines, last = (self.unshown + data).splitlines(keepends=True)
        if last.endswith(b"\n") or not stuck.may_tell_of_fault(last):
            lines.append(last)
            last = b""
        self.unshown = last
        for line in lines:
            show(line)

    def told(self, data: bytes) -> None:
        *lines, self.begun = (self.begun + data).split(b"\n")
        for line in lines:
            said = line.decode("utf-8", "replace")
            if not said.startswith("progress "):
                self.said.append(said.strip().removeprefix("error: "))
            elif self.options.progress:
                self.options.progress(int(said.split()[1]))

    def take(self, pipes: selectors.BaseSelector) -> None:
        while pipes.get_map():
            for key, _ in pipes.select():
                if data := os.read(key.fd, 65536):
                    key.data(data)
                else:
                    pipes.unregister(key.fileobj)


def _execute(command: list[str], options: Options) -> _Ran:
    """Runs the model."""
    ran, debugger, stdin = _Ran(options), options.debugger, options.around.stdin
    holds = debugger or options.jtag
    try:
        process = subprocess.Popen(
            [*command, *(holds.options if holds else ())],
            stdin=subprocess.DEVNULL if stdin is None else stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=holds.descriptors if holds else (),
            start_new_session=debugger is not None,  # the terminal's Ctrl-C is gdb's
        )
    except OSError as error:
        raise UserError(f"the simulator does not run: {error}: build it again") from error
    if debugger:
        debugger.started()
    with process, selectors.DefaultSelector() as pipes:
        assert process.stdout is not None and process.stderr is not None
        pipes.register(process.stdout, selectors.EVENT_READ, ran.printed)
        pipes.register(process.stderr, selectors.EVENT_READ, ran.told)
        try:
            try:
                ran.take(pipes)
            except KeyboardInterrupt as interrupt:
                # A terminal has sent it to the model, too; a second one ends it at once.
                ran.interrupt = interrupt
                process.send_signal(signal.SIGINT)
                ran.take(pipes)
            ran.status = process.wait()
            if debugger:
                debugger.finish()
            if ran.unshown and options.uart:
                options.uart(ran.unshown)
        finally:
            # No simulation is left running, even when the user interrupts.
            if process.poll() is None:
                process.kill()
    return ran
