# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between processors, across all units: each has a defined answer, and nothing hangs."""

from __future__ import annotations

import random
import subprocess

import pytest

from coreloom.reference.ipc import SPEC, Access, address

from .harness import FOREVER, SEED, SENTINEL, Answer, Config, Ports, model, pack, unpack, word

CONFIG, LARGE = Config(3, 2, 3, 3), Config(8, 2, 5, 2)


def started(config: Config) -> Ports:
    return Ports(config.cpus, config.depth, config.mutexes, config.barriers)


def legal(config: Config, cpu: int, op: int, store: bool, index: int) -> bool:
    """Whether docs/reference/ipc.md has such an access with a word of 0."""
    found = [entry for entry in SPEC.ops.values() if entry.code == op]
    if not found or found[0].access not in ("both", "store" if store else "load"):
        return False
    others = [other for other in range(config.cpus) if other != cpu]
    match found[0].name:
        case "mailbox_put":
            return 0 < index < 1 << config.cpus and not index >> cpu & 1
        case "doorbell_ring":
            return 0 < index < 1 << config.cpus
        case "doorbell_take":
            return index != 0
        case "channel_wait":
            return index in [other | wire << 4 for other in others for wire in range(4)]
        case name if name.startswith("mutex"):
            return index < config.mutexes
        case name if name.startswith("barrier"):
            return index < config.barriers
    return index == 0 if found[0].index is None else index in others


@pytest.mark.parametrize("config", [Config(1, 2, 1, 1), CONFIG, LARGE], ids=str)
def test_every_address(config: Config) -> None:
    """One access a cycle from the last processor, for ever but with an interrupt: answered in the next cycle,
    and a bus error exactly if the reference has no such access."""
    cpu = config.cpus - 1
    every = [(op, store, index) for op in range(64) for store in (False, True) for index in range(256)]
    idle: list[Access | None] = [None] * cpu
    data = [pack([None] * config.cpus, reset=True, flush=False)]
    interrupts = (1 << config.cpus) - 1
    data += [
        pack([*idle, Access(store, address(op, index, FOREVER))], interrupts, flush=False)
        for op, store, index in every
    ]
    data.append(pack([None] * config.cpus, interrupts))
    result = subprocess.run([model(config)], input=b"".join(data), stdout=subprocess.PIPE, check=True)
    size = 8 * config.cpus
    cycles = [
        unpack(result.stdout[start : start + size], config.cpus)[cpu]
        for start in range(size, len(result.stdout), size)
    ]
    assert len(cycles) == len(every) + 1
    for number, access in enumerate(every):
        assert cycles[number].granted, access
        answer = cycles[number + 1]
        assert answer.valid, access
        assert answer.error == (not legal(config, cpu, *access)), access


# What waits, on a machine where it has to: operation, index, what it answers if it gives up
WAITING = {
    "mailbox_put": (0b010, 0),
    "mailbox_room": (1, None),
    "mailbox_get": (2, SENTINEL),
    "mailbox_level": (2, None),
    "mailbox_any": (0, None),
    "doorbell_take": (0xFF, None),
    "channel_wait": (1 | 1 << 5, None),
    "mutex_lock": (2, None),
    "barrier_arrive": (2, None),
}


def crowded(ports: Ports) -> None:
    """Nothing that processor 0 could wait for is there."""
    for n in range(2):
        assert ports.do(0, "mailbox_put", 0b010, n) == 0
    assert ports.do(2, "mutex_lock", 2) == word("ok", 2)
    assert ports.do(2, "barrier_members", 2, 0b111, store=True) == 0


def test_these_are_all_that_wait() -> None:
    assert set(WAITING) == {op.name for op in SPEC.ops.values() if op.waits}


@pytest.mark.parametrize("op", WAITING)
def test_try_timed_and_interrupted(op: str) -> None:
    index, gives_up = WAITING[op]
    with started(CONFIG) as ports:
        crowded(ports)
        for patience, cycles, error in ((0, 1, "timeout"), (4, 17, "timeout"), (FOREVER, 31, "interrupted")):
            start = ports.now
            ports.issue(0, op, index, 99, patience=patience)
            answers = ports.run(30)
            if error == "interrupted":
                assert answers == []
                ports.interrupts = 0b001
                answers = ports.run(3)
                ports.interrupts = 0
            assert answers == [
                Answer(0, start, start + cycles, word(error) if gives_up is None else gives_up)
            ]
            # A mailbox's end remembers it, and is refused until that is cleared.
            if op == "mailbox_put":
                assert ports.do(0, "mailbox_sent", 1) == word(error, 2)
                assert ports.do(0, "mailbox_clear_sent", 1, word(error)) == 0
            elif op == "mailbox_get":
                assert ports.do(0, "mailbox_received", 2) == word(error)
                assert ports.do(0, "mailbox_clear_received", 2, word(error)) == 0
        # Nothing of it is left: what was there is there, and nobody has arrived.
        assert [ports.do(1, "mailbox_get", 0) for _ in range(2)] == [0, 1]
        assert ports.do(1, "mailbox_level", 0) == word("timeout")
        assert ports.do(1, "mutex_word", 2, store=False) == 2 << 16 | 1
        ports.issue(1, "barrier_arrive", 2, patience=FOREVER)
        ports.issue(2, "barrier_arrive", 2, patience=FOREVER)
        assert ports.run(10) == []


def test_a_processor_that_everybody_waits_for_vanishes() -> None:
    """A reset processor starts again; those that wait for it are answered in that cycle or the next."""
    with started(LARGE) as ports:
        for n in range(2):
            ports.do(1, "mailbox_put", 0b1, n)
        ports.do(0, "channel_req", 4, 1)
        ports.do(0, "mutex_lock", 4)
        ports.do(0, "barrier_members", 1, 0b1000_0001, store=True)
        ports.issue(1, "mailbox_put", 0b1, 2, patience=FOREVER)
        ports.issue(2, "mailbox_get", 0, patience=FOREVER)
        ports.issue(3, "mailbox_level", 0, patience=FOREVER)
        ports.issue(4, "channel_wait", 0, patience=FOREVER)
        ports.issue(5, "mutex_lock", 4, patience=FOREVER)
        ports.issue(6, "mutex_lock", 4, patience=FOREVER)
        ports.issue(7, "barrier_arrive", 1, patience=FOREVER)
        assert ports.run(10) == []
        asked, start = ports.now - 10, ports.now
        ports.issue(0, "reset_end")
        assert ports.run(10) == [
            Answer(0, start, start + 1, 0),
            Answer(4, asked, start + 1, word("ok", 0)),
            Answer(5, asked, start + 1, word("ok", 5 | 1 << 8)),  # an orphan; 6 waits for 5 now
            Answer(7, asked, start + 1, word("reset")),
            Answer(1, asked, start + 2, 0),
            Answer(2, asked, start + 2, SENTINEL),
            Answer(3, asked, start + 2, word("reset")),
        ]
        assert ports.do(1, "mailbox_sent", 0) == word("reset", 2)
        assert ports.do(2, "mailbox_received", 0) == word("reset")
        start = ports.now
        ports.issue(5, "mutex_unlock", 4)
        assert ports.run(2) == [
            Answer(5, start, start + 1, word("ok")),
            Answer(6, asked, start + 1, word("ok", 6)),
        ]


@pytest.mark.parametrize("end", ["mailbox_reset_received", "reset_end"])
def test_a_reader_that_begins_anew_in_mid_transfer(end: str) -> None:
    """The sender's words are refused from then on until it acknowledges; no old word is read afterwards."""
    with Ports(2, 16) as ports:
        for n in range(10):
            ports.issue(0, "mailbox_put", 0b10, 100 + n)
        for _ in range(3):
            ports.issue(1, "mailbox_get", 0, patience=FOREVER)
        ports.issue(1, end, 0)
        answers = [answer for answer in ports.run(20) if answer.cpu == 1]
        assert [answer.word for answer in answers] == [100, 101, 102, 0]
        # The fourth put executes in the cycle of the reset and goes with it.
        assert ports.do(0, "mailbox_sent", 1) == word("reset", 4)
        assert ports.do(1, "mailbox_level", 0) == word("timeout")
        assert ports.do(1, "mailbox_received", 0) == 0
        assert ports.do(0, "mailbox_clear_sent", 1, word("reset")) == 0
        assert ports.do(0, "mailbox_put", 0b10, 7) == 0
        assert ports.do(1, "mailbox_get", 0) == 7


def test_two_readers_have_a_mailbox_each() -> None:
    with Ports(3) as ports:
        for cpu in (1, 2):
            ports.issue(cpu, "mailbox_get", 0, patience=FOREVER)
        assert ports.run(3) == []
        ports.issue(0, "mailbox_put", 0b100, 5)
        assert ports.run(3) == [Answer(0, 3, 4, 0), Answer(2, 0, 4, 5)]
        ports.issue(0, "mailbox_put", 0b110, 6)
        assert ports.run(3) == [Answer(0, 6, 7, 0), Answer(1, 0, 7, 6)]
        assert ports.do(2, "mailbox_get", 0) == 6


def work(ports: Ports) -> None:
    """Processors 0 and 1 send words, shake hands, exclude each other and meet."""
    for cpu in (0, 1):
        other = 1 - cpu
        for n in range(3):
            ports.issue(cpu, "mailbox_put", 1 << other, 10 * cpu + n, patience=FOREVER)
            ports.issue(cpu, "mailbox_get", other, patience=FOREVER)
            ports.issue(cpu, "mutex_lock", 0, patience=FOREVER)
            ports.issue(cpu, "channel_req", other, n + 1)
            ports.issue(cpu, "mutex_unlock", 0)
            ports.issue(cpu, "channel_wait", other | (n + 1 & 1) << 5, patience=FOREVER)
            ports.issue(cpu, "barrier_arrive", 0, patience=FOREVER)


def mischief(ports: Ports, rng: random.Random) -> None:
    """Any access of processor 2 that may not hinder the others by design, as their mutex and barrier may."""
    op, index, store = rng.randrange(64), rng.getrandbits(8) >> rng.randrange(8), rng.random() < 0.5
    name = next((entry.name for entry in SPEC.ops.values() if entry.code == op), "")
    if name.startswith(("mutex", "barrier_members")):
        index |= 1
    ports.issue(2, op, index, rng.getrandbits(32), patience=rng.choice((0, 1, 3)), store=store)


def test_a_hostile_neighbour_changes_nothing() -> None:
    """The same answers in the same cycles, whatever a third processor does."""
    with started(CONFIG) as quiet, started(CONFIG) as loud:
        rng = random.Random(SEED)
        for ports in (quiet, loud):
            ports.do(0, "barrier_members", 0, 0b011, store=True)
        for _ in range(60):
            for ports in (quiet, loud):
                work(ports)
            for _ in range(60):
                mischief(loud, rng)
            wanted = quiet.run(400)
            got = [answer for answer in loud.run(400) if answer.cpu != 2]
            assert len(wanted) == 42
            assert got == wanted
