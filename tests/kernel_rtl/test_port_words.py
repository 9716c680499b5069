# SPDX-License-Identifier: Apache-2.0
"""Messages of several words (platform key port_words): course by course; and proven.

Random streams: test_referee.py, test_concurrent.py; cycles: test_cycles.py.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from coreloom.design import record
from coreloom.reference.kernel import GIVE_WAY, HARDWARE_PARAM, Config, error
from coreloom.reference.scenario import Scenario
from coreloom.simulation.harness.kernel_port import rtl
from coreloom.toolchain import verilate
from soc.formal import proves

from .harness import DEFAULT, KERNEL, run

WORDS = 3
RESUMED = 1 << 30
DIRECT = 1  # a message is published at once
CONFIG = dataclasses.replace(DEFAULT, port_words=WORDS)
PORT, PORT_OPS = (KERNEL / "rtl" / f"{name}.sv" for name in ("cl_kernel_port", "cl_kernel_port_ops"))
PROPERTIES = KERNEL / "formal" / "cl_kernel_port_ops_formal.sv"


def write(s: Scenario, cpu: int, *words: int) -> None:
    for id, word in enumerate(words):
        s.store(cpu, "word0", word, id)


def read(s: Scenario, cpu: int, number: int = 1 + WORDS) -> list[int | None]:
    return [s.do(cpu, "word0", id) for id in range(number)]


def message(number: int) -> list[int]:
    return [number << 8 | word for word in range(1 + WORDS)]


def test_messages_arrive_whole_and_in_order(tmp_path: Path) -> None:
    s = Scenario(CONFIG)
    depth = CONFIG.port_depth
    for port in (0, CONFIG.ports - 1):
        s.do(0, "port_open", port, DIRECT)
    for first in (0, depth, 2 * depth - 3):  # slots are used again
        for number in range(first, first + depth):
            for port in (0, CONFIG.ports - 1):
                write(s, 0, *message(number + 100 * port))
                assert s.do(0, "port_send", port) == 0
        for number in range(first, first + depth):
            for port in (CONFIG.ports - 1, 0):
                assert s.do(0, "port_receive", port) == depth - 1 - (number - first)
                assert read(s, 0) == message(number + 100 * port)
    run(s, tmp_path)


def test_a_failed_operation_leaves_the_words(tmp_path: Path) -> None:
    s = Scenario(CONFIG)
    s.do(0, "port_open", 0, DIRECT)
    write(s, 0, *message(1))
    assert s.do(0, "port_tryreceive", 0) == error("eagain")
    assert s.do(0, "port_send", 1) == error("ebadf")
    assert read(s, 0) == message(1)
    run(s, tmp_path)


def test_who_waited_for_room_sends_the_words_of_its_second_try(tmp_path: Path) -> None:
    """Nothing is kept of the first one: whoever runs meanwhile has the CPU's words."""
    s = Scenario(CONFIG)
    s.do(0, "port_open", 0, DIRECT)
    for number in range(CONFIG.port_depth):
        write(s, 0, *message(number))
        assert s.do(0, "port_send", 0) == 0
    sender = s.thread(0, DEFAULT.main_priority + 1)
    assert s.switch(0, "preempt") == GIVE_WAY | sender
    write(s, 0, *message(99))
    assert s.switch(0, "port_send", 0) == GIVE_WAY | 0
    assert s.do(0, "port_receive", 0) == CONFIG.port_depth - 1
    assert read(s, 0) == message(0)
    assert s.switch(0, "preempt") == GIVE_WAY | sender
    assert read(s, 0) == message(0)
    write(s, 0, *message(99))
    assert s.do(0, "port_send", 0) == 0
    assert s.switch(0, "thread_exit") == GIVE_WAY | 0
    for number in (*range(1, CONFIG.port_depth), 99):
        s.do(0, "port_receive", 0)
        assert read(s, 0) == message(number)
    run(s, tmp_path)


def test_each_cpu_has_its_own_words(tmp_path: Path) -> None:
    s = Scenario(CONFIG)
    s.do(0, "port_open", 0, DIRECT)
    s.thread(0, DEFAULT.main_priority)
    assert s.do(1, "next") == GIVE_WAY | 1
    assert s.do(0, "port_receive", 0) is None
    write(s, 1, *message(7))
    assert s.do(1, "port_send", 0) == 0
    assert s.steps[-1].words == ((1, 0), (0, RESUMED))
    write(s, 1, *message(8))
    assert s.do(0, "port_receive", 0) == 0
    assert (read(s, 0), read(s, 1)) == (message(7), message(8))
    run(s, tmp_path)


def test_the_message_of_a_line_is_its_number(tmp_path: Path) -> None:
    s = Scenario(CONFIG)
    s.do(0, "port_open", 0, DIRECT)
    assert s.do(0, "interrupt_bind", 5, 2 << 10) == 0
    write(s, 0, *message(1))
    s.line(5)
    assert s.do(0, "port_receive", 0) == 0
    assert read(s, 0) == [5, 0, 0, 0]
    run(s, tmp_path)


def test_a_hardware_thread_has_one_word(tmp_path: Path) -> None:
    s = Scenario(dataclasses.replace(CONFIG, cpus=1, hw_threads=1))
    unit = 1
    assert s.do(unit, "next") is None
    s.do(0, "port_open", 0, DIRECT)
    tid = s.thread(0, HARDWARE_PARAM)
    assert s.steps[-1].words == ((0, 0), (unit, GIVE_WAY | tid))
    s.do(unit, "port_open", 1, DIRECT)
    write(s, 0, *message(1))
    assert s.do(0, "port_send", 1) == 0
    assert s.do(unit, "port_receive", 1) == 0
    assert read(s, unit) == [message(1)[0]] * 4  # any id is its word
    write(s, unit, 11, 12)
    assert s.do(unit, "port_send", 0) == 0
    assert s.do(0, "port_receive", 0) == 0
    assert read(s, 0) == [12, 0, 0, 0]
    run(s, tmp_path)


@pytest.mark.parametrize("words", [0, 2])
def test_any_other_id_is_the_first_word(words: int, tmp_path: Path) -> None:
    s = Scenario(Config(port_words=words))
    write(s, 0, *range(20, 21 + words))
    for id in (words + 1, 8, 16, 1023):
        s.store(0, "word0", id, id)
        assert s.do(0, "word0", id) == s.do(0, "word0") == id
    assert read(s, 0, 1 + words) == [1023, *range(21, 21 + words)]
    run(s, tmp_path)


# --- the proof ------------------------------------------------------------------------------


def sizes(ports: int, depth: int, words: int) -> dict[str, int]:
    return {"Threads": 2, "Lines": 2, "Ports": ports, "PortDepth": depth, "PortWords": words}


def messages_prove(size: tuple[int, int, int], unit: Path = PORT_OPS, old: str = "", new: str = "") -> bool:
    """Whether the properties hold, with `old` replaced by `new` in the unit. size: ports, messages, words."""
    names = (
        *("cl_kernel_pkg", "cl_outcome_pkg", "cl_ram_1r1w", "cl_pipeline_register", "cl_kernel_sent"),
        *(PORT.stem, PORT_OPS.stem),
    )
    others = [KERNEL / "rtl" / f"{name}.sv" for name in names if name != unit.stem]
    text = unit.read_text()
    assert not old or text.count(old) == 1
    params = record.options("cl_kernel", sizes(*size))
    # As in simulation: a RAM's word is wrong while it is written, and assertions of the units count.
    flags = "--no-synthesis-define"
    source = text.replace(old, new) if old else text
    return proves("cl_kernel_port_ops_formal", source, params, [*others, PROPERTIES], 3, flags)


@pytest.mark.parametrize("size", [(1, 1, 0), (2, 2, 2), (2, 3, 1)], ids=str)
@pytest.mark.formal
def test_a_message_arrives_as_it_was_sent(size: tuple[int, int, int]) -> None:
    assert messages_prove(size)


@pytest.mark.parametrize(
    ("unit", "old", "new"),
    [
        (PORT_OPS, "message_t'(line_i) : words_i;", "message_t'(line_i) : message_t'(words_i[0]);"),
        (PORT_OPS, "by_line_i ? message_t'(line_i) :", "by_line_i ? words_i :"),
        (PORT_OPS, ".raddr_i({port_q, port.rd[", ".raddr_i({port_q, port.commit["),
        (
            PORT_OPS,
            ".we_i(change.put), .waddr_i({port_q, port.wr[",
            ".we_i(change.put), .waddr_i({port_q, port.rd[",
        ),
        (PORT, "words_q[index] <= request_i.wdata;", "words_q[0] <= request_i.wdata;"),
        (PORT, "32'(id) <= PortWords)", "32'(id) < PortWords)"),
        (PORT, "if (words_we_i) words_q <= words_i;", "if (words_we_i) words_q[0] <= words_i[0];"),
        (PORT, "= request_i.req & ~busy_q;", "= request_i.req & (~busy_q | request_i.we);"),
    ],
    ids=["first", "line", "order", "slot", "store", "last", "received", "busy"],
)
@pytest.mark.nightly(but=("first", "store"))
@pytest.mark.formal
def test_the_proof_of_messages_notices(unit: Path, old: str, new: str) -> None:
    assert not messages_prove((2, 2, 2), unit, old, new)


def test_lint() -> None:
    design = verilate.Design("cl_kernel_port_ops_formal", (*rtl(), PROPERTIES))
    warnings = verilate.lint(design, record.made("cl_kernel", sizes(2, 2, 2)))
    assert [text for text in warnings if "UNUSED" not in text] == []
