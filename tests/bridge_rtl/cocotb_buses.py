# SPDX-License-Identifier: Apache-2.0
"""Run by cocotb in the simulator: streams of the reference model through a bus, whose masters are models.

tests/bridge_rtl/test_buses.py starts it, and says in the environment which bus, and how many steps.
"""

from __future__ import annotations

import json
import os
from collections import deque
from typing import Any, Protocol

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from cocotbext.wishbone.driver import WBOp, WishboneMaster

from coreloom.reference.kernel import SPEC, Config
from coreloom.reference.stream import Generator, Kind

ASKED = json.loads(os.environ["CORELOOM_BUSES"])
CONFIG = Config(**ASKED["config"])
STEPS: int = ASKED["steps"]
SHARED: bool = ASKED["shared"]
PENDING = 1 << 29
RESULT, STATE = 0xFF, 0xFE
SETTLED = 60  # cycles after which nothing moves any more
MOST = 400  # cycles in which an answer must have come


class Master(Protocol):
    """Of one bus: loads and stores of words; None instead of a word: an error."""

    async def load(self, word_address: int) -> int | None: ...

    async def store(self, word_address: int, word: int) -> bool: ...


class Axil:
    def __init__(self, dut: Any, number: int) -> None:
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, f"s{number}"), dut.clk_i, dut.rst_i)

    async def load(self, word_address: int) -> int | None:
        answer = await self.master.read(word_address << 2, 4)
        return int.from_bytes(answer.data, "little") if answer.resp == 0 else None

    async def store(self, word_address: int, word: int) -> bool:
        answer = await self.master.write(word_address << 2, word.to_bytes(4, "little"))
        return bool(answer.resp == 0)


class Wishbone:
    def __init__(self, dut: Any, number: int) -> None:
        self.master = WishboneMaster(dut, f"s{number}", dut.clk_i, width=32, signals_dict={
            "cyc": "cyc", "stb": "stb", "we": "we", "adr": "adr", "datwr": "datwr", "datrd": "datrd",
            "ack": "ack", "sel": "sel", "err": "err",
        })  # fmt: skip

    async def load(self, word_address: int) -> int | None:
        (answer,) = await self.master.send_cycle([WBOp(adr=word_address)])
        return int(answer.datrd) if answer.ack == 1 else None

    async def store(self, word_address: int, word: int) -> bool:
        (answer,) = await self.master.send_cycle([WBOp(adr=word_address, dat=word)])
        return bool(answer.ack == 1)


class Bench:
    """The kernel's clients, as a stream sees them."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        masters = 1 if SHARED else CONFIG.clients
        made: type[Axil] | type[Wishbone] = Axil if ASKED["bus"] == "axil" else Wishbone
        self.masters: list[Master] = [made(dut, number) for number in range(masters)]
        self.found: deque[tuple[int, int]] = deque()
        self.open: list[Any] = []
        self.later = 0

    async def reset(self) -> None:
        for name in ("tick_i", "now_i", "intr_i", "line_i"):
            getattr(self.dut, name).value = 0
        self.dut.rst_i.value = 1
        await ClockCycles(self.dut.clk_i, 3)
        self.dut.rst_i.value = 0
        await ClockCycles(self.dut.clk_i, 3)

    def _at(self, client: int, op: int, id: int) -> tuple[Master, int]:
        if SHARED:
            return self.masters[0], client << 18 | op << 10 | id
        return self.masters[client], op << 10 | id

    async def _load(self, client: int, op: int, id: int) -> None:
        master, address = self._at(client, op, id)
        word = await master.load(address)
        assert word is not None, f"client {client}: an error"
        if not SHARED or word != PENDING:
            self.found.append((client, word))

    async def load(self, client: int, op: int, id: int) -> None:
        """Begin it; in the shared port it ends soon, elsewhere when the operation does."""
        if SHARED:
            await self._load(client, op, id)
        else:
            self.open.append(cocotb.start_soon(self._load(client, op, id)))

    async def store(self, client: int, op: int, id: int, word: int) -> None:
        master, address = self._at(client, op, id)
        assert await master.store(address, word), f"client {client}: an error"

    async def fetch(self) -> None:
        """Answers that the shared port keeps."""
        for client in range(CONFIG.clients):
            if SHARED and self.dut.done_o.value[client] == 1:
                self.later += 1
                await self._load(client, RESULT, 0)

    async def settled(self, wanted: int) -> list[tuple[int, int]]:
        """What came, when so many words have, and nothing moves any more."""
        for cycle in range(MOST):
            await RisingEdge(self.dut.clk_i)
            await self.fetch()
            if len(self.found) >= wanted and cycle >= (SETTLED if self.open else 4):
                break
        found = sorted(self.found)
        self.found.clear()
        self.open = [task for task in self.open if not task.done()]
        return found


@cocotb.test()  # type: ignore[untyped-decorator]
async def stream(dut: Any) -> None:
    """Each step's words are those of the model."""
    Clock(dut.clk_i, 2, "step").start()
    await RisingEdge(dut.clk_i)  # in time 0 a change may be lost
    bench = Bench(dut)
    generator = Generator(CONFIG, ASKED["seed"], interrupts=False)
    words = 0
    for number, step in enumerate(generator.steps(STEPS)):
        if step.kind == Kind.RESET and bench.open:
            break  # threads are lost for good: masters would wait for ever
        if step.kind == Kind.RESET:
            await bench.reset()
        elif step.kind == Kind.LOAD:
            await bench.load(step.cpu, step.op, step.id)
        elif step.kind == Kind.STORE:
            await bench.store(step.cpu, step.op, step.id, step.word)
        elif step.kind == Kind.TICK:
            dut.tick_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.tick_i.value = 0
        elif step.kind == Kind.LINE:
            dut.line_i.value = 1 << step.id
            await RisingEdge(dut.clk_i)
            dut.line_i.value = 0
        else:
            raise AssertionError(f"{step.kind} is not in this stream")
        assert await bench.settled(len(step.words)) == sorted(step.words), f"step {number}: {step}"
        words += len(step.words)
    dut._log.info("reached: %s", json.dumps({"steps": number, "words": words, "later": bench.later}))


@cocotb.test()  # type: ignore[untyped-decorator]
async def refused(dut: Any) -> None:
    """Of the shared port: errors, and what it says of its clients."""
    Clock(dut.clk_i, 2, "step").start()
    await RisingEdge(dut.clk_i)  # in time 0 a change may be lost
    bench = Bench(dut)
    await bench.reset()
    (master,) = bench.masters[:1]
    if not SHARED:
        return
    ops = {name: op.code for name, op in SPEC.ops.items()}
    assert await master.load(STATE << 10) == 0
    assert await master.load(RESULT << 10) is None  # nothing to fetch
    assert await master.load(1 << 18 | ops["next"] << 10) == PENDING  # CPU 1 has no thread
    assert await master.load(STATE << 10) == 1 << 17
    assert await master.load(1 << 18 | ops["self"] << 10) is None
    assert not await master.store(1 << 18 | ops["word0"] << 10, 5)
    assert await master.load(1 << 18 | RESULT << 10) == PENDING
    assert not await master.store(STATE << 10, 0)
    dut.intr_i.value = 2
    await ClockCycles(dut.clk_i, 10)
    dut.intr_i.value = 0
    assert dut.done_o.value[1] == 1
    assert await master.load(STATE << 10) == 1 << 1
    word = await master.load(1 << 18 | RESULT << 10)
    assert word == SPEC.enums["status"]["eintr"].code << 16
    assert await master.load(STATE << 10) == 0 and dut.done_o.value[1] == 0


@cocotb.test()  # type: ignore[untyped-decorator]
async def cycles(dut: Any) -> None:
    """Of operations that need not wait, from the cycle of the request to that of its answer."""
    Clock(dut.clk_i, 2, "step").start()
    await RisingEdge(dut.clk_i)
    bench = Bench(dut)
    await bench.reset()
    ops = {name: op.code for name, op in SPEC.ops.items()}
    await bench.store(0, ops["word0"], 0, 1)
    await bench.load(0, ops["semaphore_create"], 0)
    await bench.settled(1)
    asks, answers = (dut.s0_stb, dut.s0_ack) if ASKED["bus"] == "wb" else (dut.s0_arvalid, dut.s0_rvalid)
    found = {}
    for name in ("semaphore_wait", "semaphore_post"):
        begun = cocotb.start_soon(bench.load(0, ops[name], 0))
        count = 0
        while asks.value != 1:
            await RisingEdge(dut.clk_i)
        while answers.value != 1:
            await RisingEdge(dut.clk_i)
            count += 1
        await begun
        assert [word for _, word in await bench.settled(1)] == [0]
        found[name] = count
    dut._log.info("cycles: %s", json.dumps(found))
