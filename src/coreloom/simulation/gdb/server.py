# SPDX-License-Identifier: Apache-2.0
"""Serves one gdb: its packets on one side, the harness on the other.

All CPUs stop together, as the time does. A thread of the kernel is a thread of gdb, wherever it runs; a CPU
without a thread is one of its own only while it is what has stopped.
"""

from __future__ import annotations

import re
import select
import socket
from collections.abc import Callable
from dataclasses import dataclass, field

from coreloom.simulation.gdb import target
from coreloom.simulation.gdb.harness import Cpu, Exit, Gone, Harness, Stop
from coreloom.simulation.gdb.packets import Parser, Sign, packet
from coreloom.simulation.gdb.threads import HAS_CONTEXT, PC, Program, Registers, running

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
_BREAK = re.compile(r"([Zz])(\d),([0-9a-f]+),([0-9a-f]+)(?:;.*)?")


@dataclass(frozen=True)
class Settings:
    """The data of a session."""

    program: Program
    core: str


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
    _breaks: set[tuple[str, int]] = field(default_factory=set)
    _watches: set[tuple[str, int]] = field(default_factory=set)
    _held: set[int] = field(default_factory=set)  # breakpoints that the harness has
    _internal: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.program = self.settings.program
        symbols = self.program.symbols
        threads, stride, self._count = self.program.blocks
        boot, boot_bytes = symbols.get("cl_boot_stacks", (0, 0))
        self.harness.ask("layout", threads, stride, self._count, boot, boot_bytes)
        for low, high in self.program.assembly:
            self.harness.ask("hide", low, high)
        for low, high in self.program.traps:
            self.harness.ask("trap", low, high)
        self._internal = {symbols[name][0] for name in _FAULTS if name in symbols}

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
                data = self.harness.read(at, min(length, _LONGEST_READ))
                return "E14" if data is None else data.hex()
            case "M" | "X":
                where, _, content = text[1:].partition(":")
                at, length = (int(word, 16) for word in where.split(","))
                data = bytes.fromhex(content) if text[0] == "M" else content.encode("latin-1")
                return "OK" if len(data) == length and self.harness.write(at, data) else "E14"
            case "Z" | "z":
                return self._point(text)
            case "H":
                chosen = int(text[2:], 16)
                if text[1] == "g" and chosen > 0:
                    self._selected = chosen - 1
                return "OK"
            case "T":
                return "OK" if int(text[1:], 16) - 1 in self._list() else "E01"
        if text.startswith("q"):
            return self._query(text)
        return "vCont;c;C;s;S;r" if text == "vCont?" else ""

    def _query(self, text: str) -> str:
        name, _, rest = text.partition(":")
        match name:
            case "qSupported":
                return _FEATURES
            case "qAttached":
                return "0"
            case "qC":
                return f"QC{self._stop.thread + 1:x}"
            case "qfThreadInfo":
                return "m" + ",".join(f"{number + 1:x}" for number in self._list())
            case "qsThreadInfo":
                return "l"
            case "qXfer":
                kind, _, rest = rest.partition(":read:")
                if kind not in ("features", "threads"):
                    return ""
                whole = target.description() if kind == "features" else target.threads(self._all())
                at, length = (int(word, 16) for word in rest.rpartition(":")[2].split(","))
                return ("m" if at + length < len(whole) else "l") + whole[at : at + length]
        if found := re.fullmatch(r"qThreadExtraInfo,([0-9a-f]+)", text):
            number = int(found[1], 16) - 1
            return self._thread(number).extra.encode().hex()
        return ""

    def _point(self, text: str) -> str:
        found = _BREAK.fullmatch(text)
        if not found:
            return "E01"
        sets, kind, at, length = found[1] == "Z", found[2], int(found[3], 16), int(found[4], 16)
        if kind in _WATCHES:
            done = self.harness.ask("watch" if sets else "unwatch", at, length, kind) == "ok"
            (self._watches.add if sets and done else self._watches.discard)((kind, at))
            return "OK" if done else "E14"
        if kind not in _BREAKS:
            return ""
        (self._breaks.add if sets else self._breaks.discard)((kind, at))
        return "OK"

    # --- threads ------------------------------------------------------------------------------------------

    def _list(self) -> dict[int, int | None]:
        """The numbers of the threads, and the CPUs that run them."""
        if self._threads is None:
            self._cpus = self.harness.cpus()
            on = {cpu.thread: number for number, cpu in enumerate(self._cpus)}
            on |= dict.fromkeys(self._faulted, self._stop.cpu)
            self._states = self.program.states(self.harness.states())
            known = {number for number, state in self._states.items() if state in HAS_CONTEXT}
            known |= set(self._faulted)
            known |= {number for number in on if number < self._count or number == self._stop.thread}
            self._threads = {number: on.get(number) for number in sorted(known or on)}
        return self._threads

    def _thread(self, number: int) -> target.Thread:
        cpu = self._list().get(number)
        if number >= self._count:
            return target.Thread(number + 1, f"CPU {cpu}", "no thread")
        where = f"CPU {cpu}" if cpu is not None else HAS_CONTEXT.get(self._states.get(number, 0), "")
        return target.Thread(number + 1, self.program.name(number), f"tid {number}, {where}")

    def _all(self) -> list[target.Thread]:
        return [self._thread(number) for number in self._list()]

    def _registers(self, number: int) -> Registers:
        if number in self._faulted:
            return self._faulted[number]
        cpu = self._list().get(number)
        if cpu is not None and number == self._stop.thread and self._stop.reason in _OF_A_THREAD:
            return running(self._cpus[cpu])
        # A trap does not show, and nor does a switch.
        if number < self._count and (interrupted := self.harness.trapped(number)):
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
            others = any(not thread for _, thread in actions)
            for action, thread in actions:
                if action[0] not in "sSr":
                    continue
                number = int(thread, 16) - 1 if thread else self._stop.thread
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
        wanted = {at for _, at in self._breaks} | self._internal
        if lone:
            wanted |= self._held
        for at in self._held - wanted:
            self.harness.ask("unbreak", at)
        for at in wanted - self._held:
            self.harness.ask("break", at)
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
                self._answer(f"X{_SIGNALS.get(self._stop.reason, _KILLED):02x}")
                return True
            if isinstance(stop, Exit):
                self._answer(f"W{stop.status & 0xFF:02x}")
                return True
            self._note(stop)
            self._answer(self._stopped())
            return False

    def _note(self, stop: Stop) -> None:
        """The thread that has stopped, and its signal."""
        self._stop, self._signal = stop, _SIGNALS.get(stop.reason, _TRAP)
        if stop.reason == "break" and stop.address in self._internal:
            cause, pc = self.harness.cpus()[stop.cpu].registers[10:12]
            base, stride, count = self.program.blocks
            number = (self.harness.cpus()[stop.cpu].registers[4] - base) // stride
            if 0 <= number < count and (before := self.harness.trapped(number)):
                self._stop = stop._replace(reason="fault", thread=number)
                self._signal = _CAUSES[self.settings.core](cause)
                self._faulted = {number: {**running(before), PC: pc}}
        elif stop.reason in ("pause", "deadlock", "max-cycles", "window"):
            # Whatever has a thread.
            number = next((number for number in self._list() if number < self._count), stop.thread)
            self._stop = stop._replace(thread=number)
        if stop.reason == "deadlock":
            self._say(b"deadlock: every thread is blocked and no event is pending\n")
        self._selected = self._stop.thread

    def _stopped(self) -> str:
        more = ""
        if self._stop.reason == "watch":
            kind = next((kind for kind, at in sorted(self._watches) if at == self._stop.address), "2")
            more = f"{_WATCHES[kind]}:{self._stop.address:x};"
        elif self._stop.reason == "break":
            more = "swbreak:;" if ("0", self._stop.address) in self._breaks else "hwbreak:;"
        return f"T{self._signal:02x}{more}thread:{self._stop.thread + 1:x};"
