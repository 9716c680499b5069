# SPDX-License-Identifier: Apache-2.0
"""Random streams at all ports: every output in every cycle as the reference model says."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from dataclasses import dataclass, field

import pytest

from cases import nightly_but
from coreloom.reference.ipc import ERROR, FOREVER, SPEC, Access, Config, Ipc, Outputs, address, word

from .harness import SEED, model, pack, unpack

SIZES = {
    "one": Config(1, 2),
    "two": Config(2, 2),
    "two-deep": Config(2, 16, 2, 1),
    "three": Config(3, 2, 3, 3),
    "eight": Config(8),
    "eight-small": Config(8, 2, 5, 2),
    "pipeline-two": Config(2, 2, pipeline=True),
    "pipeline-three": Config(3, 2, 3, 3, pipeline=True),
    "pipeline-eight": Config(8, pipeline=True),
}
# How often the operations are drawn; what is not here: 2.
WEIGHTS = {
    "mailbox_put": 12, "mailbox_get": 10, "mailbox_any": 6, "mailbox_level": 3, "mailbox_room": 3,
    "mailbox_clear_sent": 5, "mailbox_clear_received": 5, "mailbox_reset_sent": 1,
    "mailbox_reset_received": 1, "doorbell_ring": 6, "doorbell_take": 5, "channel_req": 4, "channel_ack": 4,
    "channel_wait": 5, "mutex_lock": 6, "mutex_unlock": 6, "mutex_word": 6, "barrier_arrive": 12,
    "barrier_members": 3, "reset_end": 1,
}  # fmt: skip


class Client:
    """Draws what one processor does. A theme of some operations lasts a while."""

    def __init__(self, cpu: int, config: Config, rng: random.Random) -> None:
        self._cpu, self._config, self._rng = cpu, config, rng
        self.wanted: Access | None = None
        self.pause = 0

    def draw(self, ops: list[str], patience: int, busy: float) -> None:
        rng = self._rng
        if rng.random() < 0.03:
            self.wanted = Access(rng.random() < 0.5, rng.getrandbits(19), rng.getrandbits(32))
        else:
            op = rng.choices(ops, [WEIGHTS.get(op, 2) for op in ops])[0]
            kind = SPEC.ops[op].access
            store = kind == "store" or (kind == "both" and rng.random() < 0.7)
            if rng.random() < 0.02:
                store = not store
            length = patience if rng.random() < 0.7 else rng.choice((0, 0, 1, 2, 3, 5, FOREVER))
            self.wanted = Access(store, address(op, self._index(op), length), self._word(op))
        self.pause = 0 if rng.random() < busy else rng.randrange(1, 12)

    def _other(self) -> int:
        other = self._rng.randrange(self._config.cpus)
        itself = other == self._cpu and self._rng.random() < 0.9
        return (other + 1) % self._config.cpus if itself else other

    def _index(self, op: str) -> int:
        rng, cpus, other = self._rng, self._config.cpus, self._other()
        match op:
            case "mailbox_put":
                several = rng.getrandbits(cpus) & ~(1 << self._cpu)
                return several if rng.random() < 0.3 else 1 << other
            case "doorbell_ring":
                return rng.getrandbits(cpus) if rng.random() < 0.5 else 1 << other
            case "doorbell_take":
                return rng.choice((255, 15, 1, 2, 128, rng.getrandbits(8)))
            case "channel_wait":
                return other | rng.getrandbits(2) << 4 | (rng.random() < 0.02) << 6
            case "mutex_lock" | "mutex_unlock" | "mutex_word":
                few = min(self._config.mutexes, 2)
                return rng.randrange(few) if rng.random() < 0.9 else rng.randrange(self._config.mutexes + 1)
            case "barrier_members" | "barrier_arrive":
                return 0 if rng.random() < 0.8 else rng.randrange(self._config.barriers + 1)
        if SPEC.ops[op].index is None:
            return rng.random() < 0.02
        return other

    def _word(self, op: str) -> int:
        rng, cpus = self._rng, self._config.cpus
        match op:
            case "barrier_members":
                two = 1 << self._cpu | 1 << self._other()
                return two if rng.random() < 0.8 else rng.getrandbits(cpus + (rng.random() < 0.2))
            case "mutex_word":
                return rng.getrandbits(16) << 16 | (rng.getrandbits(16) if rng.random() < 0.5 else 0)
            case "mailbox_clear_sent" | "mailbox_clear_received":
                return word(rng.choice(("timeout", "interrupted", "reset")), rng.getrandbits(28))
            case "doorbell_ring" | "doorbell_enable":
                return rng.getrandbits(32) & (rng.getrandbits(32) if rng.random() < 0.7 else 3)
        return rng.getrandbits(32)


@dataclass
class Reached:
    """Accesses by operation and by the error in their answer, waits by unit, accesses cut by a reset."""

    ops: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    waits: Counter[str] = field(default_factory=Counter)
    cut: int = 0

    def answered(self, op: str, cycles: int, out: Outputs) -> None:
        self.ops[op] += 1
        if not out.error:
            self.errors[_ERRORS.get(out.word >> 28, "")] += 1
        if cycles > 1:
            self.waits[op.partition("_")[0]] += 1


_ERRORS = {code: name for name, code in ERROR.items()}
_OPS = {op.code: name for name, op in SPEC.ops.items()}


def stream(config: Config, cycles: int, seed: int) -> tuple[bytes, list[list[Outputs] | None], Reached]:
    """What goes in, and what must come out; None: a cycle of reset."""
    rng = random.Random(seed)
    reached = Reached()
    under_way: list[tuple[str, int] | None] = [None] * config.cpus
    groups = ("mailbox", "doorbell", "channel", "mutex", "barrier")
    data: list[bytes] = []
    expected: list[list[Outputs] | None] = []
    left = themes = 0
    while len(expected) < cycles:
        if left == 0:
            left = rng.randrange(50, 300)
            ops = list(SPEC.ops)
            themes += 1
            if themes % 6:
                group = groups[themes % 6 - 1]
                ops = [op for op in ops if op.startswith(group) or op == "reset_end"]
            if rng.random() < 0.7:
                ops = [op for op in ops if "reset" not in op]
            patience, busy = rng.choice((0, 3, 5, FOREVER)), rng.choice((0.1, 0.5, 0.9, 1.0))
            alarm = rng.choice((0.0, 0.01, 0.01, 0.2))
        if not expected or rng.random() < 0.002:
            unit = Ipc(config)
            reached.cut += sum(access is not None for access in under_way)
            under_way = [None] * config.cpus
            clients = [Client(cpu, config, rng) for cpu in range(config.cpus)]
            data.append(pack([None] * config.cpus, reset=True, flush=False))
            expected.append(None)
        left -= 1
        for client in clients:
            if client.wanted is None:
                client.draw(ops, patience, busy)
        requests = [client.wanted if client.pause == 0 else None for client in clients]
        # Without an alarm who waits for ever may wait until the theme changes.
        interrupts = sum((rng.random() < alarm) << cpu for cpu in range(config.cpus))
        if left < 3:
            interrupts = (1 << config.cpus) - 1
        outputs = unit.cycle(requests, interrupts)
        data.append(pack(requests, interrupts, flush=False))
        expected.append(outputs)
        for cpu, (client, out) in enumerate(zip(clients, outputs, strict=True)):
            if out.valid and (access := under_way[cpu]):
                reached.answered(access[0], len(expected) - access[1], out)
                under_way[cpu] = None
            if out.granted and client.wanted:
                under_way[cpu] = _OPS.get(client.wanted.address >> 8 & 63, "none"), len(expected)
            if client.pause:
                client.pause -= 1
            elif out.granted:
                client.wanted = None
    return b"".join(data), expected, reached


def check(config: Config, cycles: int, seed: int, garbage: bool = False) -> int:
    """The number of answers, all of them right."""
    data, expected, reached = stream(config, cycles, seed)
    command = [str(model(config, garbage)), str(seed % 1_000_003 + 1)]
    result = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True)
    size = 8 * config.cpus
    assert len(result.stdout) == size * len(expected)
    answers = 0
    for cycle, wanted in enumerate(expected):
        if wanted is None:
            continue
        got = unpack(result.stdout[cycle * size : (cycle + 1) * size], config.cpus)
        for cpu, (out, want) in enumerate(zip(got, wanted, strict=True)):
            if not want.valid or want.error:
                out = out._replace(word=want.word)
            assert out == want, f"seed {seed}, cycle {cycle}, cpu {cpu}"
            answers += want.valid
    assert set(SPEC.ops) <= set(reached.ops), "an operation is never tried"
    units = {"mailbox", "doorbell", "channel", "mutex", "barrier"} if config.cpus > 1 else {"doorbell"}
    assert units <= set(reached.waits), reached.waits
    assert {"ok", "timeout", "interrupted"} <= set(reached.errors), reached.errors
    assert reached.cut >= config.cpus, "no reset comes in the midst of an access"
    return answers


@pytest.mark.parametrize("name", ["one", "two", "three", "eight", "pipeline-two", "pipeline-eight"])
def test_stream(name: str) -> None:
    assert check(SIZES[name], 16000 // SIZES[name].cpus + 1000, SEED) > 3000


@pytest.mark.parametrize("name", nightly_but(SIZES, ["two", "pipeline-three"]))
def test_stream_from_garbage(name: str) -> None:
    for seed in (SEED, SEED + 5):
        assert check(SIZES[name], 16000 // SIZES[name].cpus + 1000, seed, garbage=True) > 3000


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("name", SIZES)
def test_long_stream(name: str, part: int) -> None:
    assert check(SIZES[name], 400_000 // SIZES[name].cpus, SEED + 1 + part) > 60_000
