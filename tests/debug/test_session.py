# SPDX-License-Identifier: Apache-2.0
"""gdb's session with a simulator that answers from a table: what each packet asks of it, and is told.

Two CPUs and four threads: CPU 0 runs thread 1, CPU 1 none; thread 2 waits, 0 and 3 do not exist.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from coreloom.simulation.gdb.harness import Cpu, Exit, Gone, Stop
from coreloom.simulation.gdb.packets import Parser
from coreloom.simulation.gdb.server import Killed, Session, Settings
from coreloom.simulation.gdb.threads import HAS_CONTEXT

_LOCAL = 0x2000_0000
_WAITS = next(state for state, text in HAS_CONTEXT.items() if text)


@dataclass
class Simulator:
    """In place of Harness."""

    stops: list[object] = field(default_factory=list)
    asked: list[tuple[object, ...]] = field(default_factory=list)
    memory: dict[int, int] = field(default_factory=dict)
    _pipe: tuple[int, int] = field(default_factory=os.pipe)

    def ask(self, *words: object) -> str:
        self.asked.append(words)
        return "ok"

    def send(self, *words: object) -> None:
        self.asked.append(words)
        os.write(self._pipe[1], b"x" * len(self.stops))

    def fileno(self) -> int:
        return self._pipe[0]

    def stop(self) -> object:
        os.read(self._pipe[0], 1)
        stop = self.stops.pop(0)
        if isinstance(stop, Exception):
            raise stop
        return stop

    def read(self, at: int, length: int, cpu: int = 0) -> bytes | None:
        self.asked.append(("read", at, length, cpu))
        return bytes(self.memory.get(at + i, 0) for i in range(length)) if at else None

    def write(self, at: int, data: bytes, cpu: int = 0) -> bool:
        self.asked.append(("write", at, data, cpu))
        return bool(at)

    def cpus(self) -> list[Cpu]:
        return [Cpu(1, 0x4000_0100, tuple(range(100, 132))), Cpu(5, 0x4000_0200, (0,) * 32)]

    def states(self) -> dict[int, int]:
        return {1: _WAITS, 2: _WAITS}

    def trapped(self, number: int) -> Cpu | None:
        return None

    def ran(self, number: int) -> int:
        return 1

    def cycles(self) -> int:
        return 4711


class Program:
    """What the server knows of the program."""

    symbols: ClassVar = {"__text_end": (_LOCAL + 0x100, 0)}
    blocks = (0x4000_1000, 16, 4)
    assembly = ((1, 2),)
    traps = ((3, 4),)

    def states(self, found: dict[int, int]) -> dict[int, int]:
        return found

    def name(self, number: int) -> str:
        return "worker" if number == 2 else ""

    def in_switch(self, number: int, pc: int) -> bool:
        return False

    def suspended(self, number: int) -> Any:
        return SimpleNamespace(registers=lambda: {0: 0, 32: 0x4000_0300 + number}, places={8: 0x4000_2000})


@pytest.fixture
def session() -> Iterator[tuple[Session, Simulator, socket.socket]]:
    ours, theirs = socket.socketpair()
    simulator = Simulator()
    settings: Any = Settings(Program(), "standard", 2, 0x1000, None)  # type: ignore[arg-type]
    made = Session(simulator, settings, ours)  # type: ignore[arg-type]
    made._note(Stop("step", 0, 1, 0x4000_0100))
    simulator.asked.clear()
    with ours, theirs:
        yield made, simulator, theirs


def told(of: socket.socket) -> list[str]:
    of.setblocking(False)
    try:
        return [each.decode("latin-1") for each in Parser().feed(of.recv(65536)) if isinstance(each, bytes)]
    except BlockingIOError:
        return []


Made = tuple[Session, Simulator, socket.socket]


@pytest.mark.parametrize(
    ("packet", "answer"),
    [
        ("?", "T05thread:2;"),
        ("qC", "QC2"),
        ("qAttached", "0"),
        ("qfThreadInfo", "m2,3"),
        ("qsThreadInfo", "l"),
        ("qThreadExtraInfo,2", b"tid 1, CPU 0".hex()),
        ("qThreadExtraInfo,3", f"tid 2, {HAS_CONTEXT[_WAITS]}".encode().hex()),
        ("qUnknown", ""),
        ("T2", "OK"),
        ("T1", "E01"),
        ("p20", "00010040"),
        ("p1", "65000000"),
        ("P8=01020304", "E.registers can be changed of a thread that waits; of this one, change memory"),
        ("G00", "E.registers can be changed of a thread that waits; of this one, change memory"),
        ("m0,4", "E14"),
        ("M40000000,2:ab", "E14"),
        ("vCont?", "vCont;c;C;s;S;r"),
        ("vUnknown", ""),
        ("Z9,1,1", ""),
        ("Z0;1", "E01"),
        ("qXfer:unknown:read::0,10", ""),
        ("qXfer:threads:read::0,10", 'm<?xml version="1'),
    ],
)
def test_answers(session: Made, packet: str, answer: str) -> None:
    made, _, gdb = session
    assert not made._handle(packet)
    assert told(gdb) == [answer]


def test_memory_is_that_of_the_cpu_that_has_it(session: Made) -> None:
    """In local memories the program's text is alike, and is changed in all; the rest is each CPU's."""
    made, simulator, _ = session
    simulator.memory = {0x4000_0000: 0x12, 0x4000_0001: 0x34}
    assert made._reply("m40000000,2") == "1234"
    assert made._reply("M40000000,2:abcd") == "OK"
    for at, verb, cpus in ((_LOCAL + 0xFC, "write", [0, 1]), (_LOCAL + 0x100, "write", [0])):
        simulator.asked.clear()
        assert made._reply(f"M{at:x},1:00") == "OK"
        assert [asked[-1] for asked in simulator.asked if asked[0] == verb] == cpus
    simulator.asked.clear()
    assert made._reply("Hg3") == "OK"  # thread 2, which waits and has run on CPU 1
    made._reply(f"m{_LOCAL + 0x200:x},1")
    made._reply(f"m{_LOCAL:x},1")
    assert [asked[-1] for asked in simulator.asked] == [1, 0]
    assert made._reply("p20") == "02030040"
    assert made._reply("P8=01020304") == "OK"
    assert simulator.asked[-1] == ("write", 0x4000_2000, bytes([1, 2, 3, 4]), 0)
    assert made._reply("P9=01020304") == "E.this register of a thread that waits cannot be changed"


@pytest.mark.parametrize(
    ("packet", "command"),
    [
        ("vCont;c", ("go",)),
        ("c", ("go",)),
        ("s", ("step", 1, 0, 0)),
        ("vCont;s", ("step", 1, 0, 0)),
        ("vCont;s:3;c", ("step", 2, 0, 0)),
        ("vCont;c:2;s:3", ("step", 2, 0, 0)),
        ("vCont;r10,20:2;c", ("step", 1, 0x10, 0x20)),
    ],
)
def test_time_goes_on(session: Made, packet: str, command: tuple[object, ...]) -> None:
    made, simulator, gdb = session
    simulator.stops = [Stop("step", 1, 2, 0x4000_0200)]
    assert not made._handle(packet)
    assert simulator.asked[-1] == command
    assert told(gdb) == ["T05thread:3;"]


def test_a_stop_of_a_processor_that_gdb_does_not_know_is_passed_over(session: Made) -> None:
    """Then the next one counts."""
    made, simulator, gdb = session
    simulator.stops = [Stop("break", 0, made._far, 0x100), Stop("step", 1, 2, 0x4000_0200)]
    assert not made._handle("c")
    assert simulator.asked == [("go",), ("go",)]
    assert told(gdb) == ["T05thread:3;"]


def test_break_and_watch_points(session: Made) -> None:
    made, simulator, gdb = session
    assert [made._reply(each) for each in ("Z0,100,4", "Z2,200,4")] == ["OK", "OK"]
    assert simulator.asked == [("watch", 0, 0x200, 4, "2")]
    simulator.stops = [Stop("break", 0, 1, 0x100)]
    made._handle("c")
    assert simulator.asked[-2:] == [("break", 0, 0x100), ("go",)]
    simulator.stops = [Stop("watch", 0, 1, 0x200)]
    made._handle("c")
    assert told(gdb) == ["T05swbreak:;thread:2;", "T05watch:200;thread:2;"]
    assert made._reply("z0,100,4") == "OK"
    simulator.stops = [Exit(3)]
    assert made._handle("c")
    assert ("unbreak", 0, 0x100) in simulator.asked
    assert told(gdb) == ["W03"]


def test_ends(session: Made) -> None:
    made, simulator, gdb = session
    simulator.stops = [Stop("deadlock", 1, 5, 0)]
    made._handle("c")
    said, stopped = told(gdb)
    assert bytes.fromhex(said[1:]).startswith(b"deadlock: ")
    assert stopped.endswith("thread:2;")
    simulator.stops = [Gone()]
    assert made._handle("c")
    assert told(gdb)[0].startswith("X")
    with pytest.raises(Killed):
        made._handle("k")
    assert made._handle("D")
    assert simulator.asked[-1] == ("detach",)


def test_monitor(session: Made) -> None:
    made, _, gdb = session
    said = []
    for command in ("cycles", "cpus", "what"):
        assert made._reply(f"qRcmd,{command.encode().hex()}") == "OK"
        said.append("".join(bytes.fromhex(each[1:]).decode() for each in told(gdb)))
    assert said[0] == "4711\n"
    assert said[1] == "CPU 0: pc 0x40000100, tid 1\nCPU 1: pc 0x40000200, no thread\n"
    assert said[2].startswith("there is no monitor what: choose one of these\nmonitor cycles")
