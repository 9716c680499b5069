"""cl_backdoor_dma against the model: what it moves, its CRC, counters and errors, in exact cycles."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from coreloom.bench import backdoor_unit
from coreloom.bench.backdoor_unit import FILL, Result
from coreloom.model.backdoor import BASE, ERROR, OP, Descriptor, Dma, packed

SEED = int(os.environ.get("CORELOOM_SEED", "20261122"), 0)
BLOCK, MEMORY = 1024, 4096  # words
END = BASE + 4 * MEMORY
LIST = BASE + 4 * 3000  # where a list is when it does not matter


@pytest.fixture(scope="module")
def unit() -> Iterator[backdoor_unit.Dma]:
    with backdoor_unit.Dma(4 * BLOCK, 4 * MEMORY) as running:
        yield running


@dataclass
class Case:
    """Random memories with a list in them; `run` plays it on the unit and on the model and compares all."""

    descriptors: Sequence[Descriptor]
    address: int = LIST
    rng: random.Random = field(default_factory=lambda: random.Random(SEED))

    def __post_init__(self) -> None:
        self.down = [self.rng.getrandbits(32) for _ in range(BLOCK)]
        self.memory = [self.rng.getrandbits(32) for _ in range(MEMORY)]
        self.words = packed(self.descriptors) if self.descriptors else []
        place = (self.address - BASE) // 4
        if self.words:
            self.memory[place : place + len(self.words)] = self.words[: MEMORY - place]

    def run(self, unit: backdoor_unit.Dma, percent: int = 100) -> tuple[Result, Dma]:
        got = unit.run(
            self.address,
            self.down,
            self.memory,
            seed=self.rng.getrandbits(32),
            percent=percent,
            clear=True,
            reset=True,
        )
        model = Dma(list(self.memory), self.down, [word * FILL % 2**32 for word in range(BLOCK)])
        error = model.run(self.address)
        assert got.error == error
        assert got.memory == model.memory
        assert got.up == model.up
        assert (got.crc, got.down_bytes, got.up_bytes) == (model.crc, model.down_bytes, model.up_bytes)
        assert got.cycles == got.busy
        if percent == 100:
            assert got.busy == model.cycles
        return got, model


OPS = tuple(OP)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("words", [0, 1, 2, 3, 127, 128, BLOCK - 1, BLOCK])
def test_length(unit: backdoor_unit.Dma, op: str, words: int) -> None:
    """The descriptor's four cycles, a cycle for each word, and one for the last answer."""
    got, _ = Case([Descriptor(op, words)]).run(unit)
    assert got.error == ERROR["none"]
    assert got.busy == 4 + max(words, 1) + 1
    assert got.accesses == 3 + (0 if op == "check" else words)


def test_rate() -> None:
    """At least 0.95 word a cycle from 128 words on, all told."""
    assert 128 / (128 + 4 + 1) >= 0.95  # test_length says that this is what it takes


@pytest.mark.parametrize("percent", [100, 70, 30, 3])
def test_random_lists(unit: backdoor_unit.Dma, percent: int) -> None:
    rng = random.Random(SEED + percent)
    for _ in range(40 if percent == 3 else 120):
        at_most = rng.choice([3, 40, BLOCK // 2])
        descriptors = []
        for _ in range(rng.randint(1, 12)):
            words = rng.randrange(at_most + 1)
            place, offset = rng.randrange(MEMORY - words), rng.randrange(BLOCK - words)
            if rng.random() < 0.03:  # often beyond the end
                place, offset = rng.randrange(MEMORY), rng.randrange(BLOCK)
            descriptors.append(Descriptor(rng.choice(OPS), words, BASE + 4 * place, 4 * offset))
        Case(descriptors, BASE + 4 * rng.randrange(MEMORY - 36), rng).run(unit, percent)
