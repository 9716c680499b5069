# SPDX-License-Identifier: Apache-2.0
"""Blocks of words from the local memory of one processor to that of another, by [IPC]'s mechanisms and more.

One simulation is one mechanism on one platform, with all sizes; transfer.c is the program.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median_high
from typing import Any

import msgspec

from coreloom.design import platform
from coreloom.design.address_map import SDRAM_HIT
from coreloom.design.platform import Platform
from coreloom.errors import UserError
from coreloom.simulation.experiment import Experiment, Outcome
from coreloom.simulation.simulate import Event, Kind, Options
from coreloom.toolchain import elf, front_end
from coreloom.toolchain.application import Application, of_user
from coreloom.toolchain.firmware import KERNELS

# Words of a block -> rounds; the first of them, whose code is not yet in the cache, is left out.
ROUNDS = {0: 7, 8: 7, 32: 7, 128: 5, 1024: 4}
WORDS = (8, 32, 128, 1024)
SOURCE = Path(__file__).with_name("transfer.c")
# No time slice falls into a round: a processor has one thread here. The largest block is one message.
DEFINES: dict[str, str | int] = {"CL_SLICE_TICKS": 0, "CL_MESSAGE_WORDS": 1024}
# A receiver with other work: slices as usual, and the sender begins at any moment of two of them.
BUSY_ROUNDS, BUSY_STEP = 41, 499
BUSY_DEFINES: dict[str, str | int] = {"IPC_BUSY": BUSY_STEP, "CL_MESSAGE_WORDS": 1024}
TRANSFER, BUSY = "transfer", "busy"  # parts
MAX_CYCLES = 100_000_000
SDRAM = "amp-sdram"  # the kind of platform: amp whose global memory is an SDRAM
# Beats of the bus beside those of the data: a signal there and one back, a cycle each to be granted.
_BUS_HANDSHAKE = 4
_PORT_HANDSHAKE = 2


@dataclass(frozen=True)
class Mechanism:
    """`name` as in transfer.c; by_kernel: it is a service of the kernel, so each kernel has a row of it.

    port: the words go through private ports and not over the shared bus. shape: pairs, or CPU 0 with all
    others. paper: how [IPC] calls it. needs: what a program that uses it must have or keep to. why: what it
    costs and what not. api: it is the mechanism `label` by the functions of another API.
    """

    name: str
    title: str
    needs: str
    why: str
    paper: str | None = None
    by_kernel: bool = False
    port: bool = False
    shape: str = "pairs"  # pairs | many_to_one | one_to_many
    api: str | None = None  # of a front end that the program is for

    @property
    def label(self) -> str:
        """Its name in transfer.c, which is that of each API's variant."""
        return self.name.removesuffix(f"_{self.api}")

    def experiment(self, soc: Platform, kernel: str, defines: dict[str, str | int]) -> Experiment:
        program: str | Application = str(SOURCE)
        if self.api:
            program = front_end.of(of_user([SOURCE], ["-w", f"-DIPC_{self.api.upper()}"]), self.api)
        return Experiment(program, soc, kernel, defines=defines)

    @property
    def kernels(self) -> tuple[str, ...]:
        return ("hw", "sw") if self.by_kernel else ("hw",)


_CPU_THREAD = "a thread pinned to its processor"
MECHANISMS = {
    m.name: m
    for m in (
        Mechanism(
            "polling_wires",
            "polling, wires",
            f"{_CPU_THREAD} that polls the wire; a memory window of their own",
            "only one wire each way besides the copy",
            paper="(a) polling",
        ),
        Mechanism(
            "polling_variables",
            "polling, variables under the memory lock",
            f"{_CPU_THREAD} that polls the variable; a memory window of their own",
            "as with wires, but each read of a variable takes the memory lock and the bus",
            paper="(a) polling",
        ),
        Mechanism(
            "polling2_wires",
            "polling 2, wires",
            f"{_CPU_THREAD} that polls the wire; a memory window of their own",
            "four changes of a wire for each word",
            paper="(a') polling 2",
        ),
        Mechanism(
            "polling2_variables",
            "polling 2, variables under the memory lock",
            f"{_CPU_THREAD} that polls the variable; a memory window of their own",
            "four changes of a variable under the memory lock for each word",
            paper="(a') polling 2",
        ),
        Mechanism(
            "interrupt",
            "interrupt, copied in the service routine",
            "an interrupt service routine at either end; the receiver may do other work meanwhile",
            "entering and leaving the service routine, once per block",
            paper="(b) interrupt",
        ),
        Mechanism(
            "semaphore",
            "semaphore",
            "threads of the kernel, on any processor; a semaphore and a window in memory",
            "two or more operations of the kernel at either end, once per block",
            paper="(c) semaphore",
            by_kernel=True,
        ),
        Mechanism(
            "semaphore_itron",
            "semaphore of uITRON",
            "tasks of uITRON, on any processor; a semaphore and a window in memory",
            "the same protocol, written for uITRON as in the paper; its waiters stand in a list in memory",
            by_kernel=True,
            api="itron",
        ),
        Mechanism(
            "channel_wait",
            "polling, but the core waits in one load",
            f"{_CPU_THREAD}; its processor does nothing else while it waits",
            "a wire each way; the waiting core continues in the cycle of the change",
        ),
        Mechanism(
            "doorbell",
            "doorbell and copy",
            f"{_CPU_THREAD}, two bells; its processor does nothing else while it waits",
            "one store wakes the receiver in the same cycle, and one store says that the window is free",
        ),
        Mechanism(
            "mutex",
            "copy under a mutex of the communication port",
            f"{_CPU_THREAD}, a mutex number; the receiver polls",
            "the lock is handed over in a cycle, but the receiver retakes it until it finds the block",
        ),
        Mechanism(
            "mailbox",
            "mailbox stream",
            f"{_CPU_THREAD}; its processor does nothing else while it waits",
            "the words go through private ports, so the bus is free, and both ends copy at the same time",
            port=True,
        ),
        Mechanism(
            "port_words",
            "kernel port, word by word",
            "threads of the kernel, on any processor; others run while they wait",
            "an operation of the kernel for each word at either end",
            by_kernel=True,
            port=True,
        ),
        Mechanism(
            "port_block",
            "kernel port with payload",
            "threads of the kernel, on any processor; others run while they wait",
            "copied into a message and out of it; one operation of the kernel at either end",
            by_kernel=True,
        ),
        Mechanism(
            "message",
            "message handed over by its address",
            "threads of the kernel, on any processor; a message belongs to one thread at a time",
            "only the address goes through the kernel; here the block is copied in and out as for the others",
            by_kernel=True,
        ),
        Mechanism(
            "many_to_one",
            "mailboxes, all others to one",
            f"{_CPU_THREAD}; its processor does nothing else while it waits",
            "the words go through private ports; the receiver's port is the bound",
            port=True,
            shape="many_to_one",
        ),
        Mechanism(
            "one_to_many",
            "mailboxes, one to all others",
            f"{_CPU_THREAD}; the slowest reader holds up all",
            "one store gives a word to all",
            port=True,
            shape="one_to_many",
        ),
    )
}


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One mechanism or operation on one platform: median, least and most cycles of its rounds.

    With a busy receiver the mean, since a round takes as long as the other thread happens to run.
    The first round, whose code is not yet in the cache, is not among them.
    """

    part: str  # transfer | busy | signal | trip | move | stream | lock | handover | barrier
    mechanism: str  # a name of MECHANISMS, or of latency.TESTS
    operation: str | None = None  # of a test
    kernel: str | None  # None: it is no service of the kernel
    platform: str  # amp | smp | amp-sdram
    core: str
    cpus: int
    words: int
    cycles: int
    bound_cycles: int
    ratio: float  # cycles over the bound
    least: int
    most: int
    rounds: int
    # of a transfer
    first: int = 0  # cycles of the first round
    bus_transfers: int = 0
    # of a stream
    own_cycles: int = 0  # of the core alone
    words_per_cycle: float = 0
    own_rate: float = 0


def titled(title: str, kernel: str | None) -> str:
    """What a row is called: with its kernel where that matters."""
    return title if kernel is None else f"{title}, {KERNELS[kernel]} kernel"


def load(kind: str, core: str, cpus: int) -> Platform:
    """The platform of a kind. The blocks of more than 4 CPUs need more than amp's local memory."""
    changes: dict[str, Any] = {}
    if kind != "smp" and cpus > 4:
        changes["memory.local_kib"] = 256
    if kind == SDRAM:
        return platform.load(f"amp-{core}", cpus, changes={**changes, "memory.model": "sdram"})
    return platform.load(f"{kind}-{core}", cpus, changes=changes)


def bound(
    mechanism: Mechanism,
    interconnect: str,
    cpus: int,
    words: int,
    kernel: str | None = None,
    beat: int = 1,
) -> int:
    """Cycles below which nothing can be: beats of the one bus, or of the busiest private port.

    A block goes over the bus when it is written to global memory and when it is read from there; on smp-bus,
    where local memory is a part of it, also when it is read at one end and written at the other.
    A port of the software kernel is memory. beat: cycles of a word of data on the bus, at least.
    """
    local = interconnect == "smp-bus"
    others = cpus - 1
    if not mechanism.port or kernel == "sw":
        return (4 if local else 2) * words * (cpus // 2) * beat + _BUS_HANDSHAKE
    busiest = words * others if mechanism.shape == "many_to_one" else words
    beats = {
        "pairs": 2 * words * (cpus // 2),
        "many_to_one": 2 * words * others,
        "one_to_many": words * (1 + others),
    }[mechanism.shape]
    return max(busiest, beats * beat if local else 0) + _PORT_HANDSHAKE


def lanes(mechanism: Mechanism, cpus: int) -> list[tuple[list[int], list[int]]]:
    """(senders, receivers) that are measured together."""
    others = list(range(1, cpus))
    if mechanism.shape == "many_to_one":
        return [(others, [0])]
    if mechanism.shape == "one_to_many":
        return [([0], others)]
    return [([cpu], [cpu + 1]) for cpu in range(0, cpus, 2)]


def run(experiment: Experiment, data: bytes, labels: Sequence[str], functions: Sequence[str] = ()) -> Outcome:
    """Run it to its end; the log has an event WATCH + n for label n, whichever copy of it was come to.

    The functions count on behind the labels.
    """
    program = experiment.program()
    watch, number = [], []
    for n, addresses in enumerate(elf.copies(program, labels).values()):
        watch += addresses
        number += [n] * len(addresses)
    watch += [elf.address(program, function) for function in functions]
    number += range(len(labels), len(labels) + len(functions))
    outcome = experiment.run(data, Options(watch=watch, max_cycles=MAX_CYCLES))
    outcome.check_finished()
    events = [
        event._replace(kind=Kind.WATCH + number[event.kind - Kind.WATCH])
        if event.kind >= Kind.WATCH
        else event
        for event in outcome.result.events
    ]
    return replace(outcome, result=replace(outcome.result, events=events))


def moments(events: Iterable[Event], kind: int, cpu: int, times: int, what: str) -> list[int]:
    """The cycles at which `cpu` came to the watched address; a UserError unless `times` times."""
    cycles = [event.cycle for event in events if (event.kind, event.cpu) == (kind, cpu)]
    if len(cycles) != times:
        raise UserError(f"{what} was seen {len(cycles)} times on CPU {cpu}, not {times}: a bug in Coreloom")
    return cycles


def once(events: Sequence[Event]) -> list[Event]:
    """Without ends that a pair's receiver came to but did not execute, as it was preempted there."""
    kept: list[Event | None] = []
    ended: dict[int, int] = {}  # receiver -> place of its end in this round
    for event in events:
        if event.kind == Kind.WATCH:
            ended.pop(event.cpu + 1, None)
        elif event.kind == Kind.WATCH + 1:
            if event.cpu in ended:
                kept[ended[event.cpu]] = None
            ended[event.cpu] = len(kept)
        kept.append(event)
    return [event for event in kept if event is not None]


def spans(events: Sequence[Event], mechanism: Mechanism, cpus: int, rounds: int) -> list[list[int]]:
    """For each round the cycles of each lane: from the first sender's begin to the last receiver's end."""
    found = []
    for senders, receivers in lanes(mechanism, cpus):
        begins = [moments(events, Kind.WATCH, cpu, rounds, f"{mechanism.name}_begin") for cpu in senders]
        ends = [moments(events, Kind.WATCH + 1, cpu, rounds, f"{mechanism.name}_end") for cpu in receivers]
        found.append(
            [max(e) - min(b) for b, e in zip(zip(*begins, strict=True), zip(*ends, strict=True), strict=True)]
        )
    return [list(of_round) for of_round in zip(*found, strict=True)]


def bus_transfers(output: bytes, pairs: int, rounds: int) -> tuple[int, list[int]]:
    """(words that arrived wrong, transfers on the bus in each round) of what transfer.c wrote."""
    words = struct.unpack(f"<{1 + 2 * pairs * rounds}I", output)
    counts = []
    for first in range(1, len(words), 2 * pairs):
        of_round = words[first : first + 2 * pairs]
        before, after = of_round[0::2], of_round[1::2]
        # Of the lanes in use; modulo 2^32, from the earliest to the latest.
        base = before[0]
        signed = [((x - base + (1 << 31)) % (1 << 32)) - (1 << 31) for x in (*before, *after) if x]
        counts.append(max(signed) - min(signed))
    return words[0], counts


def measure(
    kind: str,
    core: str,
    cpus: int,
    kernel: str,
    mechanism: Mechanism,
    sizes: Sequence[int] = WORDS,
    part: str = TRANSFER,
) -> list[Row]:
    """The rows of one mechanism, one for each size. kind: as in Row. Wrong data is a UserError.

    part BUSY: each receiver shares its CPU with a thread that always computes.
    """
    soc = load(kind, core, cpus)
    beat = SDRAM_HIT if soc.model == "sdram" else 1
    experiment = mechanism.experiment(soc, kernel, BUSY_DEFINES if part == BUSY else DEFINES)
    rounds = [BUSY_ROUNDS if part == BUSY else ROUNDS[words] for words in sizes]
    data = struct.pack("<32sI", mechanism.label.encode(), len(sizes))
    data += b"".join(struct.pack("<2I", *size) for size in zip(sizes, rounds, strict=True))
    where = f"{mechanism.title} on {soc.name} with {cpus} CPUs"
    try:
        outcome = run(experiment, data, [f"{mechanism.label}_{moment}" for moment in ("begin", "end")])
        events = once(outcome.result.events) if part == BUSY else outcome.result.events
        cycles = spans(events, mechanism, cpus, sum(rounds))
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    wrong, transfers = bus_transfers(outcome.result.output, cpus // 2, sum(rounds))
    if wrong:
        raise UserError(f"{where}: {wrong} words arrived wrong: a bug in Coreloom")
    rows, first = [], 0
    for words, count in zip(sizes, rounds, strict=True):
        warm = slice(first + 1, first + count)
        slowest = [max(of_round) for of_round in cycles[warm]]
        typical = round(fmean(slowest)) if part == BUSY else median_high(slowest)
        least = bound(mechanism, soc.interconnect, cpus, words, kernel, beat)
        rows.append(
            Row(
                part=part,
                mechanism=mechanism.name,
                kernel=kernel if mechanism.by_kernel else None,
                platform=kind,
                core=core,
                cpus=cpus,
                words=words,
                cycles=typical,
                bound_cycles=least,
                ratio=round(typical / least, 2),
                least=min(slowest),
                most=max(slowest),
                rounds=count - 1,
                first=max(cycles[first]),
                bus_transfers=median_high(transfers[warm]),
            )
        )
        first += count
    return rows
