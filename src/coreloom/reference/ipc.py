# SPDX-License-Identifier: Apache-2.0
"""Reference model of the communication port, cycle by cycle: what every access answers, and when.

`Ipc.cycle` is one clock cycle of cl_ipc. Operations of one cycle take effect one after the
other, in the order that each unit states.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from coreloom.design import spec

SPEC = spec.ipc()
SENTINEL = SPEC.limits["sentinel"]
BELLS = SPEC.limits["bells"]
ERROR = {name: code for name, (code, _) in SPEC.enums["error"].items()}
_ADDRESS = SPEC.layouts["address"]
_NAMES = {op.code: op.name for op in SPEC.ops.values()}
_COUNT = SPEC.layouts["state_word"]["count"].mask
_VALUE = SPEC.layouts["mutex_register"]["value"].mask
FOREVER = _ADDRESS["patience"].mask


def address(op: str | int, index: int = 0, patience: int = 0) -> int:
    """Bits 20:2 of the address of an operation."""
    code = SPEC.ops[op].code if isinstance(op, str) else op
    fields = {"patience": patience, "op": code, "index": index}
    return sum(value << _ADDRESS[name].lsb for name, value in fields.items()) >> 2


def word(error: str, value: int = 0) -> int:
    """The word that a load returns."""
    return ERROR[error] << SPEC.layouts["word"]["error"].lsb | value


class Access(NamedTuple):
    """A request at a port. address: bits 20:2."""

    store: bool
    address: int
    word: int = 0


class Outputs(NamedTuple):
    """The outputs of a port in a cycle; error: a bus error; irq: it interrupts its processor."""

    granted: bool
    valid: bool
    error: bool
    irq: bool
    word: int


@dataclass(frozen=True)
class Config:
    cpus: int = 2
    depth: int = 16
    mutexes: int = 16
    barriers: int = 4
    pipeline: bool = False  # an access is answered a cycle after it executed, and the next one granted then


@dataclass
class _Run:
    """An access that executes."""

    cpu: int
    store: bool
    op: str  # "" is none
    index: int
    patience: int
    word: int
    cycles: int = 0  # before this one
    interrupted: bool = False
    # Set by the unit whose operation it is; None: by none so far
    ready: bool | None = None
    answer: int = 0

    def gives_up(self) -> str | None:
        """The error if it is not done in this cycle."""
        if self.patience != FOREVER and self.cycles >= (1 << self.patience if self.patience else 0):
            return "timeout"
        return "interrupted" if self.interrupted else None

    def done(self, answer: int = 0) -> None:
        self.ready, self.answer = True, answer

    def waits(self) -> None:
        """The operation is not done in this cycle; word: its answer should it give up."""
        self.ready, self.answer = False, word(self.gives_up() or "interrupted")


@dataclass
class _Box:
    words: deque[int] = field(default_factory=deque)
    sent: int = 0
    received: int = 0
    sent_error: str = "ok"
    received_error: str = "ok"


class _Mailboxes:
    """In a cycle: the senders, the receivers, resets of sending ends, resets of receiving ends."""

    def __init__(self, config: Config) -> None:
        self._cpus, self._depth = config.cpus, config.depth
        cpus = range(config.cpus)
        self._boxes = {(s, r): _Box() for s in cpus for r in cpus if s != r}
        self._last = [config.cpus - 1] * config.cpus  # the sender that mailbox_any named last

    def cycle(self, runs: Sequence[_Run]) -> None:
        for run in runs:
            self._sender(run)
        for run in runs:
            self._receiver(run)
        for run in runs:
            whole = _begins_anew(run)
            if whole:
                run.done()
            if whole or (run.op == "mailbox_reset_sent" and run.ready):
                for r in range(self._cpus) if whole else (run.index,):
                    if r != run.cpu:
                        box = self._boxes[run.cpu, r]
                        box.words.clear()
                        box.sent, box.sent_error, box.received_error = 0, "ok", "reset"
        for run in runs:
            whole = _begins_anew(run)
            if whole or (run.op == "mailbox_reset_received" and run.ready):
                for s in range(self._cpus) if whole else (run.index,):
                    if s != run.cpu:
                        box = self._boxes[s, run.cpu]
                        box.words.clear()
                        box.received, box.received_error, box.sent_error = 0, "ok", "reset"

    def _sender(self, run: _Run) -> None:
        if run.op == "mailbox_put":
            receivers = run.index
            if run.store and 0 < receivers < 1 << self._cpus and not receivers >> run.cpu & 1:
                self._put(run, [self._boxes[run.cpu, r] for r in range(self._cpus) if receivers >> r & 1])
            return
        box = self._boxes.get((run.cpu, run.index))
        if box is None:
            return
        match run.op, run.store:
            case "mailbox_room", False:
                room = self._depth - len(box.words)
                if box.sent_error == "reset":
                    run.done(word("reset"))
                elif room:
                    run.done(word("ok", room))
                else:
                    run.waits()
            case "mailbox_sent", False:
                run.done(word(box.sent_error, box.sent))
            case "mailbox_clear_sent", True:
                if ERROR[box.sent_error] == _error(run.word):
                    box.sent_error = "ok"
                run.done()
            case "mailbox_reset_sent", True:
                run.done()

    def _put(self, run: _Run, boxes: list[_Box]) -> None:
        full = [box for box in boxes if len(box.words) == self._depth]
        if any(box.sent_error != "ok" for box in boxes):
            run.done()
        elif full:
            run.waits()
            run.answer = 0
            for box in full:
                box.sent_error = run.gives_up() or "ok"
        else:
            run.done()
            for box in boxes:
                box.words.append(run.word)
                box.sent = (box.sent + 1) & _COUNT

    def _receiver(self, run: _Run) -> None:
        if run.op == "mailbox_any" and not run.store and run.index == 0:
            turns = (self._last[run.cpu] + 1 + n for n in range(self._cpus))
            for s in (turn % self._cpus for turn in turns):
                if s != run.cpu and self._boxes[s, run.cpu].words:
                    self._last[run.cpu] = s
                    run.done(word("ok", s))
                    return
            run.waits()
            return
        box = self._boxes.get((run.index, run.cpu))
        if box is None:
            return
        match run.op, run.store:
            case "mailbox_get", False:
                if box.received_error != "ok":
                    run.done(SENTINEL)
                elif box.words:
                    run.done(box.words.popleft())
                    box.received = (box.received + 1) & _COUNT
                else:
                    run.waits()
                    run.answer = SENTINEL
                    box.received_error = run.gives_up() or "ok"
            case "mailbox_level", False:
                if box.received_error == "reset":
                    run.done(word("reset"))
                elif box.words:
                    run.done(word("ok", len(box.words)))
                else:
                    run.waits()
            case "mailbox_received", False:
                run.done(word(box.received_error, box.received))
            case "mailbox_clear_received", True:
                if ERROR[box.received_error] == _error(run.word):
                    box.received_error = "ok"
                run.done()
            case "mailbox_reset_received", True:
                run.done()


class _Doorbells:
    """In a cycle: reset_end, loads, takes of what rings, rings by processor, takes that found nothing."""

    def __init__(self, config: Config) -> None:
        self._cpus = config.cpus
        self._bells, self._overrun, self._enable = ([0] * config.cpus for _ in range(3))

    def irq(self, cpu: int) -> bool:
        return bool(self._bells[cpu] & self._enable[cpu])

    def _take(self, run: _Run) -> None:
        if which := self._bells[run.cpu] & run.index:
            self._bells[run.cpu] &= ~which
            run.done(word("ok", which))
        else:
            run.waits()

    def cycle(self, runs: Sequence[_Run]) -> None:
        takes = [run for run in runs if run.op == "doorbell_take" and not run.store and run.index]
        for run in runs:
            p = run.cpu
            if _begins_anew(run):
                self._bells[p] = self._overrun[p] = self._enable[p] = 0
            match run.op, run.store, run.index:
                case "doorbell_pending", False, 0:
                    run.done(self._bells[p])
                case "doorbell_overrun", False, 0:
                    run.done(self._overrun[p])
                    self._overrun[p] = 0
                case "doorbell_enable", False, 0:
                    run.done(self._enable[p])
                case "doorbell_enable", True, 0:
                    run.done()
                    self._enable[p] = run.word & ((1 << BELLS) - 1)
        for run in takes:
            self._take(run)
        for run in runs:
            if run.op == "doorbell_ring" and run.store and 0 < run.index < 1 << self._cpus:
                run.done()
                for p in range(self._cpus):
                    if run.index >> p & 1:
                        bells = run.word & ((1 << BELLS) - 1)
                        self._overrun[p] |= bells & self._bells[p]
                        self._bells[p] |= bells
        for run in takes:
            if not run.ready:
                self._take(run)


class _Channels:
    """In a cycle: loads, stores and reset_end, waits."""

    def __init__(self, config: Config) -> None:
        self._cpus = cpus = config.cpus
        # [driver][listener]; [listener]: the drivers that interrupt it
        self._req, self._ack = ([[0] * cpus for _ in range(cpus)] for _ in range(2))
        self._req_enable, self._ack_enable = ([0] * cpus for _ in range(2))

    def irq(self, cpu: int) -> bool:
        return any(
            self._req[s][cpu] & self._req_enable[cpu] >> s | self._ack[s][cpu] & self._ack_enable[cpu] >> s
            for s in range(self._cpus)
        )

    def cycle(self, runs: Sequence[_Run]) -> None:
        for run in runs:
            if not run.store:
                self._load(run)
        for run in runs:
            if run.store:
                self._store(run)
        index = SPEC.layouts["wire_index"]
        for run in runs:
            if run.op != "channel_wait" or run.store or run.index >> index["level"].lsb + 1:
                continue
            driver = run.index & index["cpu"].mask
            level = run.index >> index["level"].lsb & 1
            if self._is_other(run, driver):
                wires = self._ack if run.index >> index["wire"].lsb & 1 else self._req
                if wires[driver][run.cpu] == level:
                    run.done(word("ok", level))
                else:
                    run.waits()

    def _is_other(self, run: _Run, cpu: int) -> bool:
        return cpu < self._cpus and cpu != run.cpu

    def _load(self, run: _Run) -> None:
        p, other = run.cpu, run.index
        if run.op == "channel_read" and self._is_other(run, other):
            wires = (self._req[other][p], self._ack[other][p], self._req[p][other], self._ack[p][other])
            fields = (SPEC.layouts["wires_word"][name] for name in ("req_in", "ack_in", "req_out", "ack_out"))
            run.done(sum(wire << field.lsb for wire, field in zip(wires, fields, strict=True)))
        elif run.op == "channel_enable" and run.index == 0:
            fields = (SPEC.layouts["enable_word"][name] for name in ("req", "ack"))
            enables = (self._req_enable[p], self._ack_enable[p])
            run.done(sum(enable << field.lsb for enable, field in zip(enables, fields, strict=True)))

    def _store(self, run: _Run) -> None:
        p = run.cpu
        if run.op in ("channel_req", "channel_ack") and self._is_other(run, run.index):
            wires = self._req if run.op == "channel_req" else self._ack
            wires[p][run.index] = run.word & 1
            run.done()
        elif run.op == "channel_enable" and run.index == 0:
            others = ((1 << self._cpus) - 1) & ~(1 << p)
            layout = SPEC.layouts["enable_word"]
            self._req_enable[p] = run.word >> layout["req"].lsb & others
            self._ack_enable[p] = run.word >> layout["ack"].lsb & others
            run.done()
        elif _begins_anew(run):
            self._req_enable[p] = self._ack_enable[p] = 0
            self._req[p] = [0] * self._cpus
            self._ack[p] = [0] * self._cpus


@dataclass
class _Mutex:
    value: int = 0
    owner: int = 0
    orphan: bool = False


class _Mutexes:
    """In a cycle: loads of the word, then releases, then requests, in turns from the last owner on."""

    def __init__(self, config: Config) -> None:
        self._cpus = config.cpus
        self._mutexes = [_Mutex() for _ in range(config.mutexes)]

    def cycle(self, runs: Sequence[_Run]) -> None:
        named: dict[int, list[_Run]] = {}
        for run in runs:
            if run.op in ("mutex_lock", "mutex_unlock", "mutex_word") and run.index < len(self._mutexes):
                named.setdefault(run.index, []).append(run)
        resets = [run.cpu for run in runs if _begins_anew(run)]
        for number, mutex in enumerate(self._mutexes):
            if number in named or resets:
                self._one(mutex, named.get(number, []), resets)

    def _one(self, mutex: _Mutex, runs: Iterable[_Run], resets: Sequence[int]) -> None:
        value, owner = mutex.value, mutex.owner
        layout, register = SPEC.layouts["mutex_value"], SPEC.layouts["mutex_register"]
        wanting = []
        for run in runs:
            own = value != 0 and owner == run.cpu
            new = run.word >> register["value"].lsb & _VALUE
            match run.op, run.store:
                case "mutex_word", False:
                    run.done(value << register["value"].lsb | owner << register["owner"].lsb)
                case "mutex_word", True:
                    run.done()
                    if own:
                        mutex.value = new
                    elif new:
                        wanting.append((run, new))
                    elif not value:
                        mutex.owner = run.cpu
                case "mutex_unlock", False:
                    run.done(word("ok" if own else "owner"))
                    if own:
                        mutex.value = 0
                case "mutex_lock", False if own:
                    run.done(word("deadlock"))
                case "mutex_lock", False:
                    run.waits()
                    wanting.append((run, 1))
        if value and owner in resets:
            mutex.value, mutex.orphan = 0, True
        if wanting and not mutex.value:
            winner, new = min(wanting, key=lambda want: (want[0].cpu - owner - 1) % self._cpus)
            mutex.value, mutex.owner = new, winner.cpu
            if winner.op == "mutex_lock":
                winner.done(
                    word("ok", winner.cpu << layout["owner"].lsb | mutex.orphan << layout["orphan"].lsb)
                )
                mutex.orphan = False


class _Barriers:
    """In a cycle: loads, reset_end, arrivals, stores by processor."""

    def __init__(self, config: Config) -> None:
        self._all = (1 << config.cpus) - 1
        self._members = [0] * config.barriers
        self._broken = [False] * config.barriers

    def cycle(self, runs: Sequence[_Run]) -> None:
        layout = SPEC.layouts["members_word"]
        count = len(self._members)
        for run in runs:
            if run.op == "barrier_members" and not run.store and run.index < count:
                broken = self._broken[run.index]
                run.done(self._members[run.index] << layout["members"].lsb | broken << layout["broken"].lsb)
        for run in runs:
            if _begins_anew(run):
                for barrier, members in enumerate(self._members):
                    self._broken[barrier] |= bool(members >> run.cpu & 1)
        arriving = [run for run in runs if run.op == "barrier_arrive" and not run.store and run.index < count]
        for run in arriving:
            members = self._members[run.index]
            here = sum(1 << other.cpu for other in arriving if other.index == run.index)
            if not members >> run.cpu & 1:
                run.done(word("owner"))
            elif self._broken[run.index]:
                run.done(word("reset"))
            elif members & ~here:
                run.waits()
            else:
                run.done(word("ok"))
        for run in runs:
            if run.op == "barrier_members" and run.store and run.index < count:
                members = run.word >> layout["members"].lsb & layout["members"].mask
                if not members & ~self._all:
                    run.done()
                    self._members[run.index], self._broken[run.index] = members, False


_NO_ANSWER = (False, False, 0)  # valid, error, word


class Ipc:
    """cl_ipc after reset."""

    def __init__(self, config: Config) -> None:
        self._cpus = config.cpus
        self._doorbells, self._channels = _Doorbells(config), _Channels(config)
        self._units = (
            _Mailboxes(config), self._doorbells, self._channels, _Mutexes(config), _Barriers(config)
        )  # fmt: skip
        self._runs: list[_Run | None] = [None] * config.cpus
        self._interrupts = 0  # in the cycle before
        # With a pipeline: what the cycle before has for each port
        self._pipeline = config.pipeline
        self._answers = [_NO_ANSWER] * config.cpus

    def cycle(self, requests: Sequence[Access | None], interrupts: int = 0) -> list[Outputs]:
        """One clock cycle; interrupts: the set of processors that have one to take."""
        irq = [self._doorbells.irq(p) or self._channels.irq(p) for p in range(self._cpus)]
        runs = [run for run in self._runs if run]
        for run in runs:
            run.ready, run.answer = None, 0
            run.interrupted = bool(self._interrupts >> run.cpu & 1)
        for unit in self._units:
            unit.cycle(runs)
        outputs = []
        for p, request in enumerate(requests):
            current = self._runs[p]
            answer, free = _NO_ANSWER, current is None
            if current is not None:
                if current.ready is not False or current.gives_up():
                    answer = (True, current.ready is None, current.answer)
                    self._runs[p] = None
                current.cycles += 1
            if self._pipeline:
                answer, self._answers[p] = self._answers[p], answer
            else:
                free = self._runs[p] is None
            valid, error, loaded = answer
            outputs.append(Outputs(request is not None and free, valid, error, irq[p], loaded))
            if request is not None and free:
                self._runs[p] = _decode(p, request)
        self._interrupts = interrupts
        return outputs


def _error(word: int) -> int:
    field = SPEC.layouts["word"]["error"]
    return word >> field.lsb & field.mask


def _begins_anew(run: _Run) -> bool:
    return run.op == "reset_end" and run.store and run.index == 0


def _decode(cpu: int, request: Access) -> _Run:
    fields = {name: request.address << 2 >> field.lsb & field.mask for name, field in _ADDRESS.items()}
    op = _NAMES.get(fields["op"], "")
    return _Run(cpu, request.store, op, fields["index"], fields["patience"], request.word)
