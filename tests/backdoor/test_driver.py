# SPDX-License-Identifier: Apache-2.0
"""The near driver against the loader and programs, on the model of device.c: what works, and every error.

CORELOOM_SEED changes the seed, CORELOOM_STEPS the number of steps of the random test.
"""

from __future__ import annotations

import ctypes
import errno
import os
import random
import struct
import zlib

import pytest

from . import door as d
from .door import BLOCK, CAUSE, GOOD, REASON, RING_WORDS, STATE, Door, Status

SEED = int(os.environ.get("CORELOOM_SEED", "1"))
STEPS = int(os.environ.get("CORELOOM_STEPS", "200"))


@pytest.fixture
def loaded(door: Door) -> Door:
    assert door.boot(GOOD) == 0
    return door


def ended(door: Door, state: str, detail: int = 0) -> Status:
    """What a program that has been waited for left."""
    assert door.wait() == 0
    error, status = door.status()
    assert (error, status.state, status.detail) == (0, STATE[state], detail)
    return status


def test_held_from_the_begin(door: Door) -> None:
    assert door.status()[1].state == STATE["held"]
    assert door.hold() == 0
    assert door.load(GOOD) == errno.EINVAL
    assert door.start() == door.wait() == errno.EINVAL
    assert door.send(bytes(4)) == (errno.EPIPE, 0)
    assert door.receive(4) == (errno.EPIPE, b"")
    assert door.post(1) == door.ring(2) == errno.EPIPE
    assert door.take()[0] == errno.EPIPE
    assert door.result()[0] == door.log()[0] == errno.EINVAL
    assert door.release() == 0
    assert door.release() == errno.EINVAL
    assert door.status()[1].state == STATE["ready"]
    assert door.start() == door.wait() == errno.EINVAL
    assert door.result()[0] == errno.EINVAL


def test_done(loaded: Door) -> None:
    assert loaded.start(d.RETURN, 42) == 0
    status = ended(loaded, "done", 42)
    assert status == Status(STATE["done"], 42, 0, 0, status.cycles, 0, 0, 0, status.bells_merged, 0)
    assert loaded.wait() == 0
    assert loaded.start(d.RETURN, 42) == errno.EINVAL  # a program runs once
    assert loaded.load(GOOD) == 0 and loaded.start() == 0
    ended(loaded, "done")


@pytest.mark.parametrize("cause", CAUSE)
def test_fault(loaded: Door, cause: str) -> None:
    assert loaded.start(d.FAULT, CAUSE[cause]) == 0
    status = ended(loaded, "fault", CAUSE[cause])
    assert (status.pc, status.address) == (0x4000_0124, 0x9000_0000)
    assert loaded.load(GOOD) == 0


def test_limit(loaded: Door) -> None:
    assert loaded.start(d.FOREVER, limit=1000) == 0
    status = ended(loaded, "limit")
    assert status.pc == 0x4000_0ABC and 1000 <= status.cycles < 1200
    assert loaded.load(GOOD) == 0 and loaded.start(d.RETURN, 1, limit=1_000_000) == 0
    ended(loaded, "done", 1)


def test_argument(loaded: Door) -> None:
    assert loaded.start(*range(256)) == errno.EMSGSIZE
    assert loaded.start(d.RETURN, *range(7, 261)) == 0  # 1020 bytes
    ended(loaded, "done", 7)


def test_commands_that_cannot_be(made: ctypes.CDLL, loaded: Door) -> None:
    """What the driver does not send, as it looks before: the loader refuses it, and goes on."""
    made.model_command(9, 0)
    assert loaded.status()[1][:2] == (STATE["refused"], REASON["command"])
    made.model_command(2, 0)  # start of what has been refused
    assert loaded.status()[1][:2] == (STATE["refused"], REASON["command"])
    assert loaded.load(GOOD) == 0
    ctypes.memmove(made.model_down(), struct.pack("<I", 1021), 4)
    made.model_command(2, 0)
    assert loaded.status()[1][:2] == (STATE["refused"], REASON["argument"])
    assert loaded.load(GOOD) == 0


@pytest.mark.parametrize("words", [1, 2, 255, 256, 257, RING_WORDS - 1, RING_WORDS, RING_WORDS + 1, 20000])
def test_streams(made: ctypes.CDLL, words: int) -> None:
    for seed in range(3):
        door = Door(made, seed)
        assert door.boot(GOOD) == 0 and door.start(d.ECHO, words) == 0
        data = random.Random(seed).randbytes(4 * words)
        assert door.send(data) == (0, len(data))
        size = 4 * min(words, 100)
        error, first = door.receive(size)
        assert (error, door.receive(len(data) - size)) == (0, (0, bytes(byte ^ 255 for byte in data[size:])))
        assert first == bytes(byte ^ 255 for byte in data[:size])
        ended(door, "done")
        assert door.receive(4) == (errno.EPIPE, b"")
        assert door.send(bytes(4)) == (errno.EPIPE, 0)


NEAR, NEAR_WORDS = 0x4000_0000, 2048  # the memory of processor 0 in the model


def near_memory(made: ctypes.CDLL) -> list[int]:
    return list(struct.unpack(f"<{NEAR_WORDS}I", ctypes.string_at(made.model_near(), 4 * NEAR_WORDS)))


def fill(made: ctypes.CDLL, words: list[int]) -> list[int]:
    ctypes.memmove(made.model_near(), struct.pack(f"<{NEAR_WORDS}I", *words), 4 * NEAR_WORDS)
    return words


@pytest.mark.parametrize("words", [0, 1, 127, 128, 129, 256, 257, 1000])
def test_window(made: ctypes.CDLL, words: int) -> None:
    """The words that are read are written back inverted, and no others."""
    for seed in range(3):
        door = Door(made, seed)
        assert door.boot(GOOD) == 0
        data = fill(made, [random.Random(seed + n).getrandbits(32) for n in range(NEAR_WORDS)])
        assert door.window_open(NEAR + 400, 4004, writable=True) == 0
        assert door.start(d.WINDOW, 0, 4, 4 * words, 1) == 0
        ended(door, "done")
        first = 101
        data[first : first + words] = [word ^ 0xFFFF_FFFF for word in data[first : first + words]]
        assert near_memory(made) == data


def test_window_of_no_words_and_of_another(loaded: Door) -> None:
    assert loaded.window_open(NEAR, 0) == loaded.window_open(NEAR, 6) == errno.EINVAL
    assert loaded.window_open(NEAR + 2, 8) == errno.EINVAL
    assert loaded.window_open(NEAR, 8) == 0
    assert loaded.window_open(NEAR, 8) == errno.EBUSY
    loaded.window_close()
    assert loaded.window_open(NEAR, 16, writable=True) == 0
    assert loaded.start(d.WINDOW) == 0
    ended(loaded, "done", 17)
    assert loaded.hold() == 0
    assert loaded.window_open(NEAR, 8) == errno.EPIPE
    assert loaded.boot(GOOD) == 0 and loaded.start(d.WINDOW) == 0
    ended(loaded, "done", 0)  # a hold has closed it


@pytest.mark.parametrize(
    "size, write, offset, count, error",
    [
        (0, 0, 0, 4, errno.EFAULT),
        (0, 0, 0, 0, errno.EFAULT),
        (16, 0, 0, 20, errno.EFAULT),
        (16, 0, 16, 4, errno.EFAULT),
        (16, 0, 2**32 - 4, 8, errno.EFAULT),
        (17, 1, 12, 8, errno.EFAULT),
        (16, 0, 2, 4, errno.EINVAL),
        (17, 1, 0, 6, errno.EINVAL),
        (16, 1, 0, 4, errno.EACCES),
        (16, 1, 0, 20, errno.EFAULT),
        (16, 0, 16, 0, 0),
    ],
)
def test_window_refuses(
    made: ctypes.CDLL, loaded: Door, size: int, write: int, offset: int, count: int, error: int
) -> None:
    data = fill(made, list(range(NEAR_WORDS)))
    if size:
        assert loaded.window_open(NEAR, size & ~3, writable=bool(size & 1)) == 0
    assert loaded.start(d.WINDOW, write, offset, count) == 0
    ended(loaded, "done", error)
    assert near_memory(made) == data


@pytest.mark.parametrize("write", [0, 1])
def test_window_closed_under_way(made: ctypes.CDLL, write: int) -> None:
    """The program hears of it: from the transfer that was cut, or from the next, which finds it closed."""
    found = set()
    for steps in range(60):
        door = Door(made, steps)
        assert door.boot(GOOD) == 0
        assert door.window_open(NEAR, 8000, writable=True) == 0
        assert door.start(d.WINDOW, write, 0, 8000, 1_000_000) == 0
        made.model_steps(200 + steps)
        door.window_close()
        before = near_memory(made)
        assert door.wait() == 0
        found.add(door.status()[1].detail)
        assert near_memory(made) == before
    assert found == {errno.ECANCELED, errno.EFAULT}


def test_what_was_sent_before_the_end_is_not_lost(loaded: Door) -> None:
    assert loaded.start(d.ECHO, 300) == 0
    assert loaded.send(bytes(1200)) == (0, 1200)
    ended(loaded, "done")
    assert loaded.receive(1204) == (errno.EPIPE, b"\xff" * 1200)


def test_streams_are_of_words(loaded: Door) -> None:
    assert loaded.start(d.ECHO, 2) == 0
    assert loaded.send(bytes(5)) == (errno.EINVAL, 0)
    assert loaded.receive(3) == (errno.EINVAL, b"")
    assert loaded.send(b"") == (0, 0)


@pytest.mark.parametrize("size", [1, 3, 4, 63, 64, 65, 4 * RING_WORDS])
def test_result(loaded: Door, size: int) -> None:
    assert loaded.start(d.RESULT, size) == 0
    assert loaded.result()[0] == loaded.log()[0] == errno.EBUSY
    assert loaded.receive(8) == (0, struct.pack("<2I", d.RESULT, size))
    assert ended(loaded, "done").result_bytes == size
    assert loaded.result(size - 1) == (errno.EMSGSIZE, b"", size)
    assert loaded.result(size) == (0, bytes(n * 7 & 255 for n in range(size)), size)


def test_result_too_large(loaded: Door) -> None:
    assert loaded.start(d.RESULT, 4 * RING_WORDS + 1) == 0
    assert loaded.receive(8)[0] == 0
    ended(loaded, "done", errno.EMSGSIZE)
    assert loaded.result() == (0, b"", 0)


def test_result_that_is_not_as_it_was(made: ctypes.CDLL, loaded: Door) -> None:
    assert loaded.start(d.RESULT, 100) == 0
    assert loaded.receive(8)[0] == 0
    ended(loaded, "done")
    made.model_up(d.AREA // 4 + 7, 1 << 9)
    assert loaded.result()[0] == errno.EIO
    made.model_up(0, 1)  # the report is that of another state
    assert loaded.status()[0] == loaded.log()[0] == loaded.result()[0] == errno.EIO


def test_log(loaded: Door) -> None:
    assert loaded.start(d.LOG, 3) == 0
    assert ended(loaded, "done").log_bytes == 30
    assert loaded.log() == (0, b"0123456789" * 3)
    assert loaded.log(31) == (0, b"0123456789" * 3)
    assert loaded.log(30) == (errno.EMSGSIZE, b"0123456789" * 2 + b"012345678")
    assert loaded.log(1) == (errno.EMSGSIZE, b"")
    assert loaded.load(GOOD) == 0 and loaded.start(d.LOG, 100) == 0
    status = ended(loaded, "done")
    assert (status.log_bytes, status.log_lost) == (960, 40)
    assert loaded.log() == (0, b"0123456789" * 96)


def test_mail(loaded: Door) -> None:
    assert loaded.start(d.MAIL, 50) == 0
    sent = 0
    got: list[int] = []
    while len(got) < 50:
        sent += loaded.post(sent) == 0
        error, message = loaded.take()
        if error == 0:
            got.append(message)
        assert error in (0, errno.EAGAIN)
    assert got == list(range(1, 51))
    assert loaded.load(GOOD) == errno.EINVAL or loaded.wait() == 0


def test_mail_that_nobody_takes(loaded: Door) -> None:
    assert loaded.start(d.FOREVER) == 0
    assert [loaded.post(n) for n in range(18)] == [0] * 16 + [errno.EAGAIN] * 2
    assert loaded.take() == (errno.EAGAIN, 0)


def test_bells(loaded: Door) -> None:
    assert loaded.ring(0) == loaded.ring(3) == errno.EINVAL
    assert loaded.ring(0x8000_0000) == 0
    assert loaded.bells() == 0
    assert loaded.start(d.FLOOD) == 0
    while not loaded.bells():
        pass


def test_flood(made: ctypes.CDLL) -> None:
    door = Door(made, patience=20000)
    assert door.boot(GOOD) == 0 and door.start(d.FLOOD) == 0
    assert door.wait() == errno.ETIMEDOUT
    status = door.status()[1]
    assert status.state == STATE["silent"] and status.bells_merged > 500
    assert door.hold() == 0
    assert door.boot(GOOD) == 0 and door.status()[1].bells_merged < 3


def test_silent_program(made: ctypes.CDLL) -> None:
    door = Door(made, patience=5000)
    assert door.boot(GOOD) == 0 and door.start(d.FOREVER) == 0
    assert door.wait() == errno.ETIMEDOUT
    assert door.status()[1].state == STATE["silent"]
    assert door.receive(4) == (errno.ETIMEDOUT, b"")
    assert door.send(bytes(BLOCK)) == (errno.ETIMEDOUT, 4 * RING_WORDS)  # nobody takes it
    assert door.result()[0] == errno.EBUSY
    assert door.hold() == 0
    assert door.status()[1].state == STATE["held"]
    assert door.boot(GOOD) == 0 and door.start(d.RETURN, 1) == 0
    ended(door, "done", 1)


def test_silence_ends_with_a_word(made: ctypes.CDLL) -> None:
    door = Door(made, patience=3000)
    assert door.boot(GOOD) == 0 and door.start(d.ECHO, 4) == 0
    assert door.wait() == errno.ETIMEDOUT and door.status()[1].state == STATE["silent"]
    assert door.send(bytes(16)) == (0, 16)
    assert door.wait() == 0 and door.status()[1].state == STATE["done"]


@pytest.mark.parametrize("state", ["held", "ready", "loaded", "running", "done"])
def test_clock_that_stands_still(made: ctypes.CDLL, state: str) -> None:
    """Every call ends, and what comes when the clock goes on is a start anew."""
    door = Door(made, patience=3000)
    if state != "held":
        assert door.release() == 0
    if state not in ("held", "ready"):
        assert door.load(GOOD) == 0
    if state in ("running", "done"):
        assert door.start(d.FOREVER if state == "running" else d.RETURN) == 0
    if state == "done":
        assert door.wait() == 0
    made.model_clock(0)
    late = errno.ETIMEDOUT
    assert door.wait() == {"running": late, "done": 0}.get(state, errno.EINVAL)
    if state == "loaded":
        assert door.start(d.RETURN) == late and door.status()[1].state == STATE["silent"]
    assert door.receive(4)[0] in (late, errno.EPIPE)
    assert door.hold() == (0 if state == "held" else late)
    assert door.boot(GOOD) == late
    if state != "held":
        assert door.status()[1].state == STATE["silent"]
    made.model_clock(1)
    assert door.boot(GOOD) == 0 and door.start(d.RETURN, 3) == 0
    ended(door, "done", 3)


def test_held_in_the_middle_of_a_transfer(made: ctypes.CDLL) -> None:
    """EIO if its DMA was busy, and only then; said once."""
    said = set()
    for steps in range(60):
        door = Door(made, steps)
        assert door.boot(GOOD) == 0 and door.start(d.ECHO, 3000) == 0
        assert door.send(bytes(12000)) == (0, 12000)
        made.model_steps(steps)
        busy = made.model_is_busy()
        error = door.hold()
        assert error == 0 or error == errno.EIO
        said.add((busy, error))
        assert door.hold() == 0
        assert door.boot(GOOD) == 0
    assert {(1, errno.EIO), (0, 0)} <= said


def test_dma_outside_its_memory(loaded: Door) -> None:
    before = loaded.memory()
    assert loaded.start(d.BAD_DMA, 3) == 0
    ended(loaded, "done", errno.EFAULT)
    assert loaded.receive(4) == (errno.EPIPE, b"")
    assert loaded.memory() == before
    assert loaded.load(GOOD) == 0 and loaded.start(d.BAD_DMA, 2) == 0  # the last two words
    ended(loaded, "done", 0)


def test_program_that_overwrites_the_loaders_page(loaded: Door) -> None:
    assert loaded.start(d.WRECK, 6) == 0
    status = ended(loaded, "done", 6)
    assert (status.result_bytes, status.log_bytes) == (0, 0)
    assert loaded.load(GOOD) == 0 and loaded.start(d.RETURN, 2) == 0
    ended(loaded, "done", 2)


@pytest.mark.parametrize("word", [0, 4, 5, 0x0000_0104, 0xFFFF_FFFF, 0x0000_0203])
def test_program_that_lies(made: ctypes.CDLL, word: int) -> None:
    """Counters and state that cannot be: an error each, no word too many, and processor 1 can be had back."""
    door = Door(made, patience=3000)
    assert (door.boot(GOOD) == 0 and door.start(d.LIE, word) == 0) or word
    made.model_steps(300)
    for error, done in (door.send(bytes(16)), (lambda r: (r[0], len(r[1])))(door.receive(16))):
        assert (error, done) in ((errno.EIO, 0), (errno.EPIPE, 0), (errno.ETIMEDOUT, 0))
    assert door.wait() in (0, errno.ETIMEDOUT, errno.EINVAL)
    error, status = door.status()
    assert error == errno.EIO or status.state == STATE["silent"]
    assert door.result()[0] in (errno.EIO, errno.EBUSY, errno.EINVAL)
    assert door.boot(GOOD) == 0 and door.start(d.RETURN, 3) == 0
    ended(door, "done", 3)


def test_texts(made: ctypes.CDLL) -> None:
    assert len({made.reason_text(code) for code in REASON.values()}) == len(REASON)
    assert len({made.cause_text(code) for code in CAUSE.values()}) == len(CAUSE)
    assert made.reason_text(len(REASON)) == b"unknown reason"
    assert made.cause_text(len(CAUSE)) == b"unknown cause"


def test_crc(made: ctypes.CDLL) -> None:
    data = random.Random(1).randbytes(400)
    made.crc.restype = ctypes.c_uint32
    assert made.crc(d._aligned(data), ctypes.c_size_t(100)) == zlib.crc32(data)
    assert made.crc(d._aligned(data), ctypes.c_size_t(0)) == 0


# --- At random ---


def a_step(door: Door, rng: random.Random) -> None:
    """A program from its image to its end, whatever that is; what is asserted is what must be."""
    if rng.random() < 0.1:
        position = 8 * rng.randrange(16, len(GOOD))
        bad = bytearray(GOOD)
        bad[position // 8] ^= 1 << rng.randrange(8)
        before = door.memory()
        assert door.boot(bytes(bad)) == errno.ENOEXEC
        assert door.memory() == before
        assert door.status()[1][:2] == (STATE["refused"], REASON["crc"])
    listens = door.status()[1].state not in (STATE["held"], STATE["silent"], STATE["running"])
    assert (door.load(GOOD) if listens and rng.random() < 0.5 else door.boot(GOOD)) == 0
    assert door.memory()[:64] == d.CODE
    value = rng.randrange(1, 3000)
    kind = rng.choice((d.RETURN, d.FAULT, d.FOREVER, d.ECHO, d.RESULT, d.LOG, d.WRECK, d.FLOOD))
    limit = rng.randrange(200, 3000) if kind in (d.FOREVER, d.FLOOD) and rng.random() < 0.7 else 0
    if kind == d.FAULT:
        value %= len(CAUSE)
    assert door.start(kind, value, limit=limit) == 0
    if rng.random() < 0.2:
        assert door.hold() in (0, errno.EIO)
        return
    if kind == d.ECHO:
        data = rng.randbytes(4 * value)
        assert door.send(data) == (0, len(data))
        if rng.random() < 0.2:
            assert door.hold() in (0, errno.EIO)
            return
        assert door.receive(len(data)) == (0, bytes(byte ^ 255 for byte in data))
    if kind == d.RESULT:
        assert door.receive(8)[0] == 0
    if kind in (d.FOREVER, d.FLOOD):
        assert door.wait() == (0 if limit else errno.ETIMEDOUT)
        assert door.status()[1].state == STATE["limit" if limit else "silent"]
        return
    expected = {d.RETURN: value, d.FAULT: value, d.WRECK: value}.get(kind, 0)
    ended(door, "fault" if kind == d.FAULT else "done", expected)
    if kind == d.RESULT:
        assert door.result() == (0, bytes(n * 7 & 255 for n in range(value)), value)


def test_random_sequences(made: ctypes.CDLL) -> None:
    door = Door(made, SEED, patience=100_000)
    rng = random.Random(SEED)
    for _ in range(STEPS):
        a_step(door, rng)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 12))
def test_long_random_sequences(made: ctypes.CDLL, seed: int) -> None:
    door = Door(made, seed, patience=100_000)
    rng = random.Random(seed)
    for _ in range(1000):
        a_step(door, rng)
