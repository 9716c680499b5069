# SPDX-License-Identifier: Apache-2.0
"""What the registers and the kernel make a hardware thread do; wrong commands change nothing."""

from __future__ import annotations

import os
import random
import struct
import zlib
from collections.abc import Sequence

import pytest

from .harness import (
    ARGUMENT,
    BASE,
    CANCELED,
    COMMAND,
    EXIT_RECORD,
    FAULT_ADDRESS,
    FAULTED,
    HAS_THREAD,
    IDLE,
    KERNEL,
    NEXT,
    REFUSED,
    RESET,
    RESULT,
    RESUME,
    RUNNING,
    START,
    STATUS,
    STOP,
    STOPPED,
    THREAD_EXIT,
    UNIT,
    Thread,
    words,
)

SEED = int(os.environ.get("CORELOOM_SEED", "20261121"), 0)
seeds = pytest.mark.parametrize("seed", [0, SEED], ids=["no waiting", "waiting"])

END, SPIN, LOAD, STORE, DELAY, JUMP = range(0x100, 0x106)
SELF, LOCK, POST, SEND, RECEIVE = (
    KERNEL.ops[name].code for name in ("self", "mutex_lock", "semaphore_post", "port_send", "port_receive")
)
RESUMED, ESRCH = 1 << 30, 3 << 16
STEPS = BASE + 0x100
RECORD, JOIN = BASE + 0x40, BASE + 0x60
NOWHERE = 0x5000_0010
Step = tuple[int, int, int]


def script(thread: Thread, steps: Sequence[Step], at: int = STEPS) -> None:
    thread.poke(at, b"".join(words(*step, 0, 0) for step in steps))
    thread.write(ARGUMENT, at)


def answers(thread: Thread, count: int) -> list[tuple[int, int]]:
    """answer and message of the first steps."""
    data = [int.from_bytes(thread.peek(STEPS + 4 * i, 4), "little") for i in range(5 * count)]
    return [(data[i + 3], data[i + 4]) for i in range(0, len(data), 5)]


def word(thread: Thread, address: int) -> int:
    return int.from_bytes(thread.peek(address, 4), "little")


def join(thread: Thread, joiner: bool) -> None:
    """An exit record, with or without somebody who waits."""
    thread.poke(RECORD, words(0x1111, JOIN if joiner else 0))
    thread.poke(JOIN, words(0x2222, 0x3333))
    thread.write(EXIT_RECORD, RECORD)


def begin(thread: Thread, tid: int = 5) -> None:
    assert thread.give(tid)
    thread.until(HAS_THREAD | 7, HAS_THREAD | RUNNING)


def gone(thread: Thread) -> None:
    thread.until(HAS_THREAD, 0)


def test_registers() -> None:
    with Thread("script") as thread:
        assert thread.read(UNIT) == 15
        assert thread.status() == IDLE
        for register in (ARGUMENT, EXIT_RECORD):
            assert thread.write(register, 0x1234_5678)
            assert thread.read(register) == 0x1234_5678
            assert not thread.write(register, 0, be=3)
            assert thread.read(register) == 0x1234_5678
        assert thread.read(COMMAND) == 0
        for register in (STATUS, RESULT, FAULT_ADDRESS, UNIT):
            assert not thread.write(register, 1)
        for offset in (0x1C, 0x20, 0x80, 0xFC):
            assert thread.read(offset) is None
            assert not thread.write(offset, 1)
        assert not thread.write(COMMAND, START, be=1)
        assert thread.status() == IDLE


@seeds
def test_bare_start(seed: int) -> None:
    """Without a thread its kernel operations answer esrch; the kernel hears of nothing but `next`."""
    with Thread("script", seed) as thread:
        script(thread, [(POST, 1, 7), (STORE, 0xABCD, BASE), (LOAD, 0, BASE), (END, 0, 77)])
        assert thread.command(START)
        thread.until(7, IDLE)
        assert thread.read(RESULT) == 77
        assert answers(thread, 3) == [(ESRCH, 0), (0, 0), (0xABCD, 0)]
        assert thread.calls == [(NEXT, 0, 0)]
        # Again: the module begins anew.
        assert thread.compute(STEPS)[0] == 77


@seeds
@pytest.mark.parametrize("joiner", [False, True])
def test_thread(seed: int, joiner: bool) -> None:
    """START by the kernel, operations, and an end that leaves the value where pthread_exit would."""
    with Thread("script", seed) as thread:
        script(thread, [(SELF, 0, 7), (LOCK, 3, 8), (RECEIVE, 4, 9), (END, 0, 77)])
        join(thread, joiner)
        thread.answer(5)
        thread.answer(RESUMED, 0x55)
        thread.answer(2, 0x66, 20)
        begin(thread, 5)
        assert thread.status() >> 16 == 5
        gone(thread)
        thread.run(20)
        assert thread.calls == [
            (NEXT, 0, 0),
            "saved",
            (SELF, 0, 7),
            (LOCK, 3, 8),
            (RECEIVE, 4, 9),
            (THREAD_EXIT, 0, 0x66),
        ]
        assert answers(thread, 3) == [(5, 0), (RESUMED, 0x55), (2, 0x66)]
        assert thread.read(RESULT) == 77
        assert word(thread, RECORD) == 77
        assert (word(thread, JOIN), word(thread, JOIN + 4)) == ((77, 1) if joiner else (0x2222, 0x3333))
        # The pending thread_exit is where the next thread comes.
        script(thread, [(END, 0, 78)])
        thread.write(EXIT_RECORD, 0)
        begin(thread, 6)
        gone(thread)
        thread.run(20)
        assert thread.read(RESULT) == 78
        assert thread.calls[-2:] == ["saved", (THREAD_EXIT, 0, 0x66)]
        assert word(thread, RECORD) == 77


@seeds
def test_woken_sends_and_receives_again(seed: int) -> None:
    with Thread("script", seed) as thread:
        script(thread, [(SEND, 3, 8), (RECEIVE, 4, 9), (LOCK, 2, 1), (END, 0, 0)])
        for word_, message in ((RESUMED, 8), (RESUMED, 8), (0, 8), (RESUMED, 0), (1, 44), (RESUMED, 5)):
            thread.answer(word_, message)
        begin(thread)
        gone(thread)
        thread.run(9)
        assert thread.calls[2:] == [(SEND, 3, 8)] * 3 + [(RECEIVE, 4, 9)] * 2 + [
            (LOCK, 2, 1),
            (THREAD_EXIT, 0, 5),
        ]
        assert answers(thread, 3) == [(0, 8), (1, 44), (RESUMED, 5)]


def test_thread_exit_as_an_operation_ends_it() -> None:
    with Thread("script") as thread:
        script(thread, [(THREAD_EXIT, 0, 99)])
        join(thread, True)
        begin(thread)
        gone(thread)
        assert thread.read(RESULT) == word(thread, JOIN) == 99
        assert thread.calls[2:] == [(THREAD_EXIT, 0, 0)]
        assert thread.compute(STEPS)[0] == 99


@seeds
@pytest.mark.parametrize("unit", ["crc32", "convolution", "sort", "template"])
def test_stop_and_resume(unit: str, seed: int) -> None:
    """A stopped module does nothing, wherever it is stopped; resumed, it goes on as if nothing had been."""
    data = random.Random(SEED).randbytes(803)
    blocks = {
        "crc32": (words(BASE + 0x1001, 802, 0), zlib.crc32(data[1:])),
        "convolution": (words(BASE + 0x1000, BASE + 0x2000, 18, 20, 20, 0, 0, 0x100, 1, 0), 0),
        "sort": (words(BASE + 0x1000, 200), 0),
        "template": (words(BASE + 0x1000, 200, 0), sum(struct.unpack("<200I", data[:800])) & 0xFFFF_FFFF),
    }
    memory = []
    for stopped in (False, True):
        with Thread(unit, seed) as thread:
            thread.poke(BASE + 0x1000, data)
            thread.poke(BASE, blocks[unit][0])
            thread.write(ARGUMENT, BASE)
            begin(thread)
            stops = 0
            while stopped and thread.command(STOP):
                stops += 1
                thread.run(2)
                before = thread.peek(BASE + 0x1000, 0x1200)
                thread.run(stops % 5)
                assert thread.state() == STOPPED
                assert thread.peek(BASE + 0x1000, 0x1200) == before
                assert thread.command(RESUME)
                thread.run(stops % 7)
            assert not stopped or stops > 30
            gone(thread)
            assert thread.read(RESULT) == blocks[unit][1]
            memory.append(thread.peek(BASE + 0x1000, 0x1200))
    assert memory[0] == memory[1]
    assert unit != "sort" or memory[0][:800] == words(*sorted(struct.unpack("<200I", data[:800])))


@seeds
def test_stopped_while_its_operation_waits(seed: int) -> None:
    """The answer waits for RESUME, and so does the repetition of an operation."""
    with Thread("script", seed) as thread:
        script(thread, [(LOCK, 3, 8), (SEND, 4, 9), (END, 0, 77)])
        thread.answer(RESUMED, 1, 60)
        thread.answer(RESUMED, 2, 60)
        thread.answer(0, 3)
        begin(thread)
        thread.run(40)
        assert thread.command(STOP)
        thread.run(100)
        assert answers(thread, 1) == [(0, 0)]
        assert thread.command(RESUME)
        thread.run(60)
        assert answers(thread, 1) == [(RESUMED, 1)]
        assert thread.command(STOP)
        thread.run(100)
        assert thread.calls[2:] == [(LOCK, 3, 8), (SEND, 4, 9)]
        assert thread.command(RESUME)
        gone(thread)
        assert thread.calls[2:5] == [(LOCK, 3, 8), (SEND, 4, 9), (SEND, 4, 9)]
        assert thread.read(RESULT) == 77


@seeds
def test_a_hanging_one_is_reset(seed: int) -> None:
    with Thread("script", seed) as thread:
        for stopped in (False, True):
            script(thread, [(SPIN, 0, 0)])
            join(thread, True)
            begin(thread)
            thread.run(50)
            if stopped:
                assert thread.command(STOP)
            assert thread.command(RESET)
            assert thread.state() == IDLE
            gone(thread)
            assert thread.read(RESULT) == CANCELED
            assert (word(thread, RECORD), word(thread, JOIN), word(thread, JOIN + 4)) == (
                CANCELED,
                CANCELED,
                1,
            )
            # Bare, there is no thread to end.
            assert thread.command(START)
            thread.run(20)
            assert thread.command(RESET)
            assert (thread.status() & 0xFF, thread.read(RESULT)) == (IDLE, CANCELED)
            thread.run(5)
            assert thread.calls[-1][0] == THREAD_EXIT


@seeds
@pytest.mark.parametrize("operation", [LOCK, SEND])
def test_reset_while_its_operation_waits(seed: int, operation: int) -> None:
    """The thread ends when the kernel answers, whatever that is; until then it is there."""
    with Thread("script", seed) as thread:
        script(thread, [(operation, 3, 8), (END, 0, 77)])
        join(thread, True)
        thread.answer(RESUMED, 8, 100)
        begin(thread)
        thread.run(40)
        assert thread.command(RESET)
        thread.run(30)
        assert thread.status() & ~REFUSED == 5 << 16 | HAS_THREAD | IDLE
        assert not thread.command(START)
        assert not thread.command(RESET)
        assert word(thread, JOIN + 4) == 0x3333
        gone(thread)
        thread.run(9)
        assert (word(thread, JOIN), word(thread, JOIN + 4)) == (CANCELED, 1)
        assert thread.calls[2:] == [(operation, 3, 8), (THREAD_EXIT, 0, 8)]


@seeds
def test_bus_error(seed: int) -> None:
    """The thread ends, the address is kept; a RESET or the next thread clears the state."""
    with Thread("script", seed) as thread:
        for restart in (False, True):
            script(thread, [(LOAD, 0, NOWHERE), (END, 0, 77)])
            join(thread, True)
            begin(thread)
            gone(thread)
            assert thread.state() == FAULTED
            assert (thread.read(FAULT_ADDRESS), thread.read(RESULT)) == (NOWHERE, CANCELED)
            assert (word(thread, RECORD), word(thread, JOIN), word(thread, JOIN + 4)) == (
                CANCELED,
                CANCELED,
                1,
            )
            for refused in (START, STOP, RESUME):
                assert not thread.command(refused)
            if restart:
                script(thread, [(END, 0, 78)])
                assert thread.give(6)
                thread.until(7, IDLE)
                assert thread.read(RESULT) == 78
            else:
                assert thread.command(RESET)
                assert thread.state() == IDLE
        gone(thread)
        # Bare
        script(thread, [(STORE, 0, NOWHERE)])
        assert thread.command(START)
        thread.until(7, FAULTED)
        assert thread.command(RESET)


@pytest.mark.parametrize("where", ["record", "join"])
def test_bus_error_of_the_exit_record(where: str) -> None:
    """A wrong record does not keep the thread from ending."""
    with Thread("script") as thread:
        script(thread, [(END, 0, 77)])
        thread.poke(RECORD, words(0, NOWHERE))
        thread.write(EXIT_RECORD, RECORD if where == "join" else NOWHERE)
        begin(thread)
        gone(thread)
        assert thread.state() == FAULTED
        assert thread.read(FAULT_ADDRESS) in (NOWHERE, NOWHERE + 4)
        assert thread.calls[-1] == (THREAD_EXIT, 0, 0)


@pytest.mark.parametrize("thread_runs", [False, True], ids=["bare", "thread"])
def test_refused_commands_change_nothing(thread_runs: bool) -> None:
    """In each state each command that does not belong there; and numbers that are no command."""
    with Thread("script") as thread:
        wrong = {IDLE: (STOP, RESUME, RESET), RUNNING: (START, RESUME), STOPPED: (START, STOP)}

        def refuses(state: int) -> None:
            before = (thread.state(), thread.read(ARGUMENT), thread.read(RESULT), thread.peek(STEPS, 60))
            for command in (*wrong[state], 0, 5, 0x101, 0xFFFF_FFFF):
                assert not thread.command(command)
                assert before == (
                    thread.state(),
                    thread.read(ARGUMENT),
                    thread.read(RESULT),
                    thread.peek(STEPS, 60),
                )
            assert thread.status() & REFUSED

        refuses(IDLE)
        script(thread, [(DELAY, 0, 1000), (END, 0, 77)])
        if thread_runs:
            begin(thread)
        else:
            assert thread.command(START)
        refuses(RUNNING)
        assert thread.command(STOP)
        refuses(STOPPED)
        assert thread.command(RESUME)
        thread.until(7, IDLE)
        assert thread.read(RESULT) == 77
        gone(thread)
        refuses(IDLE)


def test_a_thread_waits_for_the_end_of_a_bare_run() -> None:
    with Thread("script") as thread:
        script(thread, [(DELAY, 0, 100), (END, 0, 1)])
        assert thread.command(START)
        assert thread.give(5)
        thread.run(20)
        assert thread.status() & ~REFUSED == 5 << 16 | HAS_THREAD | RUNNING
        script(thread, [(SELF, 0, 0), (END, 0, 2)], BASE + 0x400)
        assert thread.command(RESET)
        gone(thread)
        thread.run(5)
        assert thread.read(RESULT) == 2
        assert thread.calls == [(NEXT, 0, 0), "saved", (SELF, 0, 0), (THREAD_EXIT, 0, 0)]
