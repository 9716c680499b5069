# SPDX-License-Identifier: Apache-2.0
"""Serves one gdb: its packets on one side, the harness on the other.

All CPUs stop together, as the time does. A thread of the kernel is a thread of gdb, wherever it runs; a CPU
without a thread is one of its own only while it is what has stopped. Processor 1 behind a Back-Door, with a
program of its own, is a second process of one thread.
"""

from __future__ import annotations

import re
import select
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from coreloom.design.address_map import LOCAL_BASE, ROM_BASE
from coreloom.simulation.gdb import target
from coreloom.simulation.gdb.harness import Cpu, Exit, Gone, Harness, Stop
from coreloom.simulation.gdb.packets import Parser, Sign, packet
from coreloom.simulation.gdb.threads import HAS_CONTEXT, PC, Far, Program, Registers, running

_PACKET_BYTES = 0x4000
_LONGEST_READ = _PACKET_BYTES // 2
_TRAP, _ABORT = 5, 6  # signals, as gdb counts them
_SIGNALS = {
    "pause": 2,
    "deadlock": _ABORT,
    "bus-error": 11,
    "halt": 11,
    "stack": 11,
    "max-cycles": 24,
    "window": 24,
}
_OF_A_THREAD = ("break", "step", "watch")  # stops where a thread is about to execute something
_FAULTS = ("cl_fault", "cl_fault_of_thread")  # of cause, pc and address
_CAUSES: dict[str, Callable[[int], int]] = {
    "economy": lambda cause: 4 if cause & 2 else 10,
    "standard": lambda cause: {2: 4, 3: 5}.get(cause, 11),
    "fast": lambda cause: 4 if cause == 2 else 10 if cause <= 6 else 11,
}
_KILLED = 9
_FEATURES = (
    f"PacketSize={_PACKET_BYTES:x};qXfer:features:read+;qXfer:threads:read+;"
    "swbreak+;hwbreak+;vContSupported+;QStartNoAckMode+"
)
_BUSY = "E.registers can be changed of a thread that waits; of this one, change memory"
_FIXED = "E.this register of a thread that waits cannot be changed"
_BREAKS, _WATCHES = ("0", "1"), {"2": "watch", "3": "rwatch", "4": "awatch"}
_MONITOR = {
    "cycles": "simulated cycles since reset",
    "cpus": "the instruction and the thread of each CPU",
    "help": "this list",
}
_BREAK = re.compile(r"([Zz])(\d),([0-9a-f]+),([0-9a-f]+)(?:;.*)?")


@dataclass(frozen=True)
class Settings:
    """The data of a session."""

    program: Program
    core: str
    cpus: int
    local_bytes: int  # of the local memory of each CPU
    far: Far | None  # processor 1 behind a Back-Door


Place = tuple[int, int]  # a CPU that runs the program, and an address in it


class Killed(Exception):
    """gdb has ended the run."""


@dataclass
class Session:
    """One gdb, from its connection until it leaves or the program ends."""

    harness: Harness
    settings: Settings
    connection: socket.socket
    _parser: Parser = field(default_factory=Parser)
    _acknowledges: bool = True
    _sent: bytes = b""
    _stop: Stop = field(default_factory=lambda: Stop("start", 0, 0, 0))
    _signal: int = _TRAP
    _threads: dict[int, int | None] | None = None  # number to CPU
    _states: dict[int, int] = field(default_factory=dict)
    _cpus: list[Cpu] = field(default_factory=list)
    _faulted: dict[int, Registers] = field(default_factory=dict)  # of threads at a fault
    _selected: int = 0  # for registers and memory
    _breaks: set[tuple[str, Place]] = field(default_factory=set)
    _watches: set[tuple[str, int]] = field(default_factory=set)
    _held: set[Place] = field(default_factory=set)  # breakpoints that the harness has
    _internal: set[Place] = field(default_factory=set)
    _two: bool = False  # gdb knows that there are two processes
    _left: bool = False  # it has left the second one

    def __post_init__(self) -> None:
        self.program = self.settings.program
        symbols = self.program.symbols
        threads, stride, self._count = self.program.blocks
        boot, boot_bytes = symbols.get("cl_boot_stacks", (0, 0))
        self.harness.ask("layout", threads, stride, self._count, boot, boot_bytes, ROM_BASE)
        for low, high in self.program.assembly:
            self.harness.ask("hide", 0, low, high)
        for low, high in self.program.traps:
            self.harness.ask("trap", 0, low, high)
        self._internal = {(0, symbols[name][0]) for name in _FAULTS if name in symbols}
        self._far = self._count + self.settings.cpus  # the thread of processor 1
        for verb, *places in self.settings.far.commands() if self.settings.far else ():
            self.harness.ask(verb, self.settings.cpus, *places)

    # --- the connection -----------------------------------------------------------------------------------

    def run(self) -> None:
        """Until gdb detaches or the program ends; Killed, Gone."""
        while True:
            for each in self._receive():
                match each:
                    case Sign.BROKEN:
                        self.connection.sendall(b"-")
                    case Sign.NACK:
                        self.connection.sendall(self._sent)
                    case bytes():
                        if self._acknowledges:
                            self.connection.sendall(b"+")
                        if self._handle(each.decode("latin-1")):
                            return

    def _receive(self) -> list[bytes | Sign]:
        try:
            data = self.connection.recv(65536)
        except OSError:
            data = b""
        if not data:
            raise Killed
        return list(self._parser.feed(data))

    def _answer(self, text: str) -> None:
        self._sent = packet(text.encode("latin-1"))
        try:
            self.connection.sendall(self._sent)
        except OSError:
            raise Killed from None

    def _say(self, text: bytes) -> None:
        for at in range(0, len(text), _LONGEST_READ // 2):
            self._answer("O" + text[at : at + _LONGEST_READ // 2].hex())

    # --- packets ------------------------------------------------------------------------------------------

    def _handle(self, text: str) -> bool:
        """Answers a packet; whether the session is over."""
        if text == "QStartNoAckMode":
            self._answer("OK")
            self._acknowledges = False
            return False
        if text.startswith(("vCont;", "c", "s")):
            return self._resume(text)
        if self._two and text == "D;2":  # gdb goes on with the first process
            self._left = True
            self._answer("OK")
            return False
        if text == "D" or text.startswith("D;"):
            self.harness.send("detach")
            self._answer("OK")
            return True
        if text == "k" or text.startswith("vKill"):
            if text != "k":
                self._answer("OK")
            raise Killed
        self._answer(self._reply(text))
        return False

    def _reply(self, text: str) -> str:
        """The answer to what does not let the time go on; empty for what is not known."""
        match text[:1]:
            case "?":
                return self._stopped()
            case "g":
                return target.registers(self._registers(self._selected))
            case "p":
                return target.register(self._registers(self._selected), int(text[1:], 16))
            case "P":
                number, _, digits = text[1:].partition("=")
                return self._change(int(number, 16), bytes.fromhex(digits))
            case "G":
                return _BUSY
            case "m":
                at, length = (int(word, 16) for word in text[1:].split(","))
                data = self.harness.read(at, min(length, _LONGEST_READ), self._cpus_of(at)[0])
                return "E14" if data is None else data.hex()
            case "M" | "X":
                where, _, content = text[1:].partition(":")
                at, length = (int(word, 16) for word in where.split(","))
                data = bytes.fromhex(content) if text[0] == "M" else content.encode("latin-1")
                if len(data) != length:
                    return "E14"
                done = [self.harness.write(at, data, cpu) for cpu in self._cpus_of(at, writes=True)]
                return "OK" if all(done) else "E14"
            case "Z" | "z":
                return self._point(text)
            case "H":
                chosen = self._number(text[2:])
                if text[1] == "g" and chosen is not None:
                    self._selected = chosen
                return "OK"
            case "T":
                return "OK" if self._number(text[1:]) in self._list() else "E01"
        if text.startswith("q"):
            return self._query(text)
        return "vCont;c;C;s;S;r" if text == "vCont?" else ""

    def _query(self, text: str) -> str:
        name, _, rest = text.partition(":")
        match name:
            case "qSupported":
                self._two = self.settings.far is not None and "multiprocess+" in rest.split(";")
                return _FEATURES + (";multiprocess+" if self._two else "")
            case "qAttached":
                return "0"
            case "qC":
                return f"QC{self._id(self._stop.thread)}"
            case "qfThreadInfo":
                return "m" + ",".join(map(self._id, self._list()))
            case "qsThreadInfo":
                return "l"
            case "qXfer":
                kind, _, rest = rest.partition(":read:")
                if kind not in ("features", "threads"):
                    return ""
                whole = target.description() if kind == "features" else target.threads(self._all())
                at, length = (int(word, 16) for word in rest.rpartition(":")[2].split(","))
                return ("m" if at + length < len(whole) else "l") + whole[at : at + length]
        if text.startswith("qThreadExtraInfo,"):
            number = self._number(text.partition(",")[2])
            return "" if number is None else self._thread(number).extra.encode().hex()
        if text.startswith("qRcmd,"):
            self._say(self._monitor(bytes.fromhex(text.partition(",")[2]).decode("latin-1").strip()).encode())
            return "OK"
        return ""

    def _monitor(self, command: str) -> str:
        """What gdb's command `monitor` prints."""
        if command == "cycles":
            return f"{self.harness.cycles()}\n"
        if command == "cpus":
            return "".join(
                f"CPU {number}: pc 0x{cpu.pc:08x}, {self._runs(cpu.thread)}\n"
                for number, cpu in enumerate(self.harness.cpus())
            )
        wrong = "" if command in ("", "help") else f"there is no monitor {command}: choose one of these\n"
        return wrong + "".join(f"monitor {name:8}{text}\n" for name, text in _MONITOR.items())

    def _point(self, text: str) -> str:
        found = _BREAK.fullmatch(text)
        if not found:
            return "E01"
        sets, kind, at, length = found[1] == "Z", found[2], int(found[3], 16), int(found[4], 16)
        if kind in _WATCHES:
            verb = "watch" if sets else "unwatch"
            cpus = self._cpus_of(at, every=True)
            done = all([self.harness.ask(verb, cpu, at, length, kind) == "ok" for cpu in cpus])
            (self._watches.add if sets and done else self._watches.discard)((kind, at))
            return "OK" if done else "E14"
        if kind not in _BREAKS:
            return ""
        (self._breaks.add if sets else self._breaks.discard)((kind, (self._side, at)))
        return "OK"

    # --- processes and CPUs -------------------------------------------------------------------------------

    @property
    def _side(self) -> int:
        """A CPU that runs the program of the selected thread."""
        return self.settings.cpus if self._two and self._selected == self._far else 0

    @property
    def _of_first(self) -> str:
        return ";process:1" if self._two else ""

    def _id(self, number: int) -> str:
        """The thread's name in the protocol."""
        if not self._two:
            return f"{number + 1:x}"
        return "p2.1" if number == self._far else f"p1.{number + 1:x}"

    def _number(self, text: str) -> int | None:
        """The thread of this name, or one of this process; None: any."""
        process, _, thread = text.rpartition(".")
        if process == "p2":
            return self._far
        chosen = int(thread, 16)
        if chosen > 0:
            return chosen - 1
        return min(self._list()) if process and self._side else None

    def _cpus_of(self, address: int, *, writes: bool = False, every: bool = False) -> list[int]:
        """The CPUs in whose memory it is, in view of the selected thread; only local memories differ.

        writes: what they have alike is changed in each; every: also what each has of its own.
        """
        near = not self._side
        if not near or not 0 <= address - LOCAL_BASE < self.settings.local_bytes:
            return [self._side]
        alike = address < self.program.symbols.get("__text_end", (0, 0))[0]
        if every or (writes and alike):
            return list(range(self.settings.cpus))
        if alike:
            return [0]
        cpu = self._list().get(self._selected)
        return [self.harness.ran(self._selected) if cpu is None else cpu]

    # --- threads ------------------------------------------------------------------------------------------

    def _list(self) -> dict[int, int | None]:
        """The numbers of the threads, and the CPUs that run them."""
        if self._threads is None:
            self._cpus = self.harness.cpus()
            on = {cpu.thread: number for number, cpu in enumerate(self._cpus)}
            on |= dict.fromkeys(self._faulted, self._stop.cpu)
            self._states = self.program.states(self.harness.states())
            if not self._two or self._left:
                on.pop(self._far, None)
            known = {number for number, state in self._states.items() if state in HAS_CONTEXT}
            known |= set(self._faulted)
            known |= {number for number in on if number < self._count or number == self._stop.thread}
            known = (known or on.keys()) | ({self._far} & on.keys())
            self._threads = {number: on.get(number) for number in sorted(known)}
        return self._threads

    def _thread(self, number: int) -> target.Thread:
        cpu = self._list().get(number)
        if number == self._far:
            loads = Far.loads(self._cpus[-1].pc)
            return target.Thread(self._id(number), "processor 1", "in its loader" if loads else "CPU 1")
        if number >= self._count:
            return target.Thread(self._id(number), f"CPU {number - self._count}", "no thread")
        where = f"CPU {cpu}" if cpu is not None else HAS_CONTEXT.get(self._states.get(number, 0), "")
        return target.Thread(self._id(number), self.program.name(number), f"tid {number}, {where}")

    def _runs(self, number: int) -> str:
        """The thread in a few words."""
        if number == self._far:
            return "processor 1"
        name = self.program.name(number) if number < self._count else "no thread"
        return name or f"tid {number}"

    def _all(self) -> list[target.Thread]:
        return [self._thread(number) for number in self._list()]

    def _registers(self, number: int) -> Registers:
        if number in self._faulted:
            return self._faulted[number]
        cpu = self._list().get(number)
        if cpu is not None and number == self._stop.thread and self._stop.reason in _OF_A_THREAD:
            return running(self._cpus[cpu])
        # A trap does not show, and nor does a switch.
        if (number < self._count or number == self._far) and (interrupted := self.harness.trapped(number)):
            return running(interrupted)
        if cpu is not None and not self._in_switch(number, cpu):
            return running(self._cpus[cpu])
        return self.program.suspended(number).registers()

    def _in_switch(self, number: int, cpu: int) -> bool:
        return number < self._count and self.program.in_switch(number, self._cpus[cpu].pc)

    def _change(self, register: int, data: bytes) -> str:
        if self._list().get(self._selected) is not None or self.harness.trapped(self._selected):
            return _BUSY
        place = self.program.suspended(self._selected).places.get(register)
        if place is None or register == PC:
            return _FIXED
        return "OK" if self.harness.write(place, data) else "E14"

    # --- time goes on -------------------------------------------------------------------------------------

    def _resume(self, text: str) -> bool:
        """Lets the time go on until the next stop; whether the session is over."""
        command: tuple[object, ...] = ("go",)
        others = True
        if text.startswith("vCont;"):
            actions = [action.partition(":")[::2] for action in text.split(";")[1:]]
            others = any(not thread or thread.endswith("-1") for _, thread in actions)
            for action, thread in actions:
                if action[0] not in "sSr":
                    continue
                chosen = self._number(thread) if thread else None
                number = self._stop.thread if chosen is None else chosen
                low, high = (int(word, 16) for word in action[1:].split(",")) if action[0] == "r" else (0, 0)
                command = ("step", number, low, high)
                break
        elif text[0] == "s":
            command, others = ("step", self._selected, 0, 0), False
        self._arm(lone=not others)
        self.harness.send(*command)
        return self._wait()

    def _arm(self, *, lone: bool) -> None:
        """The harness's breakpoints are gdb's.

        To step a thread over one, gdb removes it; for the other threads it still holds then.
        """
        wanted = {place for _, place in self._breaks} | self._internal
        if lone:
            wanted |= self._held
        for place in self._held - wanted:
            self.harness.ask("unbreak", *place)
        for place in wanted - self._held:
            self.harness.ask("break", *place)
        self._held = wanted

    def _wait(self) -> bool:
        self._threads, self._faulted = None, {}
        while True:
            ready, _, _ = select.select([self.harness.fileno(), self.connection.fileno()], [], [])
            if self.connection.fileno() in ready:
                for each in self._receive():
                    if each == Sign.INTERRUPT:
                        self.harness.send("pause")
            if self.harness.fileno() not in ready:
                continue
            try:
                stop = self.harness.stop()
            except Gone:
                self._answer(f"X{_SIGNALS.get(self._stop.reason, _KILLED):02x}{self._of_first}")
                return True
            if isinstance(stop, Exit):
                self._answer(f"W{stop.status & 0xFF:02x}{self._of_first}")
                return True
            if stop.thread == self._far and (self._left or not self._two):
                self.harness.send("go")
                continue
            self._note(stop)
            self._answer(self._stopped())
            return False

    def _note(self, stop: Stop) -> None:
        """The thread that has stopped, and its signal."""
        self._stop, self._signal = stop, _SIGNALS.get(stop.reason, _TRAP)
        if stop.reason == "break" and (found := self._fault(stop)):
            number, signal, pc = found
            if before := self.harness.trapped(number):
                self._stop, self._signal = stop._replace(reason="fault", thread=number), signal
                self._faulted = {number: {**running(before), PC: pc}}
        elif stop.reason in ("pause", "deadlock", "max-cycles", "window"):
            # Whatever has a thread.
            number = next((number for number in self._list() if number < self._count), stop.thread)
            self._stop = stop._replace(thread=number)
        if stop.reason == "deadlock":
            self._say(b"deadlock: every thread is blocked and no event is pending\n")
        self._selected = self._stop.thread

    def _fault(self, stop: Stop) -> tuple[int, int, int] | None:
        """The thread, the signal and the place of a fault that a processor has come to tell of."""
        registers = self.harness.cpus()[stop.cpu].registers
        far, (base, stride, count) = self.settings.far, self.program.blocks
        if far and stop.cpu == self.settings.cpus and stop.address == far.end:
            return self._far, Far.signal(registers[11]), registers[12]
        if (0, stop.address) in self._internal and stop.cpu < self.settings.cpus:
            number = (registers[4] - base) // stride
            if 0 <= number < count:
                return number, _CAUSES[self.settings.core](registers[10]), registers[11]
        return None

    def _stopped(self) -> str:
        more, side = "", self._side
        if self._stop.reason == "watch":
            kind = next((kind for kind, at in sorted(self._watches) if at == self._stop.address), "2")
            more = f"{_WATCHES[kind]}:{self._stop.address:x};"
        elif self._stop.reason == "break":
            more = "swbreak:;" if ("0", (side, self._stop.address)) in self._breaks else "hwbreak:;"
        return f"T{self._signal:02x}{more}thread:{self._id(self._stop.thread)};"
