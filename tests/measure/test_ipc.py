# SPDX-License-Identifier: Apache-2.0
"""What `coreloom bench ipc` makes of an event log, its bounds, its tables and its figures."""

from __future__ import annotations

import struct

import msgspec
import pytest

from coreloom.benches.ipc import advise, page, start
from coreloom.benches.ipc import bench as ipc
from coreloom.benches.ipc import latency as ipc_latency
from coreloom.benches.ipc import transfer as ipc_transfer
from coreloom.benches.ipc.start import Start
from coreloom.benches.ipc.transfer import MECHANISMS, Row
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.local import Local
from coreloom.report.table import number
from coreloom.simulation.simulate import Event, Kind
from coreloom.toolchain import firmware

BEGIN, END = int(Kind.WATCH), int(Kind.WATCH) + 1


def log(*events: tuple[int, int, int]) -> list[Event]:
    """(cycle, cpu, kind)."""
    return [Event(cycle, cpu, kind, 0) for cycle, cpu, kind in events]


# --- blocks --------------------------------------------------------------------------------


def test_a_block_counts_from_its_sender_to_its_receiver_and_the_pairs_stand_side_by_side() -> None:
    events = log(
        (100, 0, BEGIN), (101, 2, BEGIN), (130, 1, END), (141, 3, END),
        (131, 0, END), (135, 1, BEGIN),  # what the wrong end comes to is not looked at
        (200, 0, BEGIN), (201, 2, BEGIN), (225, 1, END), (231, 3, END),
    )  # fmt: skip
    assert ipc_transfer.spans(events, MECHANISMS["mailbox"], 4, 2) == [[30, 40], [25, 30]]


def test_many_to_one_counts_from_the_first_and_one_to_many_to_the_last() -> None:
    many = log((100, 1, BEGIN), (90, 2, BEGIN), (95, 3, BEGIN), (150, 0, END))
    assert ipc_transfer.spans(many, MECHANISMS["many_to_one"], 4, 1) == [[60]]
    one = log((100, 0, BEGIN), (150, 1, END), (170, 2, END), (160, 3, END))
    assert ipc_transfer.spans(one, MECHANISMS["one_to_many"], 4, 1) == [[70]]


def test_a_moment_that_is_not_seen_as_often_as_it_must_be_is_an_error() -> None:
    events = log((100, 0, BEGIN), (130, 1, END), (140, 1, END))
    with pytest.raises(UserError, match="mailbox_end was seen 2 times on CPU 1, not 1: a bug in Coreloom"):
        ipc_transfer.spans(events, MECHANISMS["mailbox"], 2, 1)


def test_an_end_that_was_preempted_counts_once() -> None:
    events = log((10, 0, BEGIN), (30, 1, END), (45, 1, END), (100, 0, BEGIN), (130, 1, END))
    once = ipc_transfer.once(events)
    assert ipc_transfer.spans(once, MECHANISMS["mailbox"], 2, 2) == [[35], [30]]


def test_transfers_on_the_bus_are_of_all_pairs_and_the_counter_may_wrap() -> None:
    two_rounds = (3, 1000, 1050, 1010, 1062, 2**32 - 20, 5, 2**32 - 30, 2**32 - 1)
    assert ipc_transfer.bus_transfers(struct.pack("<9I", *two_rounds), 2, 2) == (3, [62, 35])


@pytest.mark.parametrize(
    ("mechanism", "interconnect", "cpus", "words", "cycles"),
    [
        ("polling_wires", "amp", 2, 128, 2 * 128 + 4),
        ("polling_wires", "amp", 8, 128, 4 * 2 * 128 + 4),  # four pairs on one bus
        ("semaphore", "smp-bus", 2, 8, 4 * 8 + 4),  # the blocks are on the bus, too
        ("mailbox", "amp", 8, 128, 128 + 2),
        ("mailbox", "smp-bus", 8, 128, 4 * 2 * 128 + 2),
        ("many_to_one", "amp", 4, 32, 3 * 32 + 2),
        ("one_to_many", "amp", 4, 32, 32 + 2),
        ("one_to_many", "smp-bus", 4, 32, 4 * 32 + 2),
    ],
)
def test_bound(mechanism: str, interconnect: str, cpus: int, words: int, cycles: int) -> None:
    assert ipc_transfer.bound(MECHANISMS[mechanism], interconnect, cpus, words) == cycles


def test_the_software_kernel_has_no_port_but_memory() -> None:
    port = MECHANISMS["port_words"]
    assert ipc_transfer.bound(port, "amp", 2, 8, "hw") == 8 + 2
    assert ipc_transfer.bound(port, "amp", 2, 8, "sw") == 2 * 8 + 4


# --- single operations ---------------------------------------------------------------------


def test_a_hand_over_is_from_a_release_to_the_next_owner() -> None:
    got = {0: [10, 50], 1: [30, 70]}
    free = {0: [27, 66], 1: [47, 90]}
    assert ipc_latency.handovers(got, free) == [3, 4, 3]
    assert ipc_latency.handovers({0: [10, 50]}, {0: [27, 66]}) == []  # nobody else wants it


# --- the whole, on one platform ----------------------------------------------------------------

STANDARD = ("amp", "standard", 2)


@pytest.mark.parametrize("kernel", ["hw", "sw"])
def test_the_blocks_of_eight_processors_fit(kernel: str) -> None:
    firmware.build(
        str(ipc_transfer.SOURCE), ipc_transfer.load("amp", "standard", 8), kernel, ipc_transfer.DEFINES
    )


@pytest.mark.runtime
def test_wires_semaphore_and_mailbox_move_a_block() -> None:
    cycles = {}
    for name in ("polling_wires", "semaphore", "mailbox"):
        (row,) = ipc_transfer.measure(*STANDARD, "hw", MECHANISMS[name], (8,))
        assert (row.platform, row.core, row.cpus, row.words, row.rounds) == (*STANDARD, 8, 6)
        assert row.least <= row.cycles <= row.most
        assert row.ratio == round(row.cycles / row.bound_cycles, 2) >= 1
        cycles[name] = row.cycles
        # A mailbox does not use the bus for its words.
        assert row.bus_transfers == {"polling_wires": 16, "semaphore": 76, "mailbox": 3}[name]
    assert cycles["polling_wires"] < cycles["semaphore"] < ipc.SEMAPHORE_PATH


@pytest.mark.runtime
def test_single_operations_take_their_bound() -> None:
    names = (
        "doorbell_raw",
        "mailbox_trip_raw",
        "lock_unit",
        "cpu_mutex_raw",
        "handover_cpu_mutex_raw",
        "barrier_raw",
    )
    rows = ipc_latency.measure(*STANDARD, "hw", [ipc_latency.TESTS[name] for name in names])
    found = [(row.mechanism, row.operation, row.cycles, row.least, row.most) for row in rows]
    assert found == [
        ("doorbell_raw", "signal", 3, 3, 3),
        ("mailbox_trip_raw", "trip", 5, 5, 5),
        ("lock_unit", "acquire", 2, 2, 2),
        ("lock_unit", "release", 1, 1, 1),
        ("cpu_mutex_raw", "acquire", 1, 1, 1),
        ("cpu_mutex_raw", "release", 1, 1, 1),
        ("handover_cpu_mutex_raw", "hand-over", 3, 3, 3),
        ("barrier_raw", "barrier", 3, 3, 3),
    ]
    assert all(row.kernel is None for row in rows)


@pytest.mark.runtime
def test_a_thread_moves_itself() -> None:
    """From the call until it goes on where nothing else ran."""
    (row,) = ipc_latency.measure(*STANDARD, "hw", [ipc_latency.TESTS["thread_move"]])
    assert (row.part, row.kernel, row.cycles, row.least, row.most) == ("move", "hw", 123, 123, 123)


@pytest.mark.runtime
def test_an_sdram_as_global_memory_makes_a_block_longer() -> None:
    (place,) = ipc.sdram_places(("standard",))
    assert (place.text(), place.platform().model) == ("amp-sdram-standard, 2 CPUs", "sdram")
    rows = []
    for kind in ("amp", "amp-sdram"):
        rows += ipc_transfer.measure(kind, "standard", 2, "hw", MECHANISMS["polling_wires"], (8,))
    short, long = rows
    assert (long.platform, long.words, long.bus_transfers) == ("amp-sdram", 8, short.bus_transfers)
    assert (short.bound_cycles, long.bound_cycles) == (2 * 8 + 4, 2 * 8 * 5 + 4)
    # Every word waits 4 cycles more at least, when it is written and when it is read.
    assert long.cycles >= short.cycles + 2 * 8 * 4
    assert "amp-sdram" not in str(page.transfers(rows))


def test_the_paper_s_mechanisms_are_measured_on_the_sdram() -> None:
    texts = [job.text for job in ipc.paper_jobs(ipc.sdram_places())]
    assert len(texts) == 2 * (5 + 2)  # the semaphore is one of each kernel
    assert texts[0] == "amp-sdram-standard, 2 CPUs: polling, wires"
    assert texts[-1] == "amp-sdram-economy, 2 CPUs: semaphore, software kernel"


@pytest.mark.runtime
def test_a_stream_is_as_fast_as_the_core_alone() -> None:
    (row,) = ipc_latency.measure(*STANDARD, "hw", [ipc_latency.TESTS["stream_memory"]])
    assert row.words == ipc_latency.STREAM
    assert 0 <= row.cycles - row.own_cycles <= 10


@pytest.mark.runtime
def test_wrong_words_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_wrong(output: bytes, pairs: int, rounds: int) -> tuple[int, list[int]]:
        return 1, [0] * rounds

    monkeypatch.setattr(ipc_transfer, "bus_transfers", one_wrong)
    with pytest.raises(UserError) as error:
        ipc_transfer.measure(*STANDARD, "hw", MECHANISMS["mailbox"], (8,))
    assert (
        str(error.value)
        == "mailbox stream on amp-standard with 2 CPUs: 1 words arrived wrong: a bug in Coreloom"
    )


@pytest.mark.runtime
def test_the_semaphore_protocol_in_uitron_moves_a_block() -> None:
    (row,) = ipc_transfer.measure(*STANDARD, "hw", MECHANISMS["semaphore_itron"], (8,))
    assert (row.mechanism, row.kernel, row.cycles, row.least, row.most) == (
        "semaphore_itron",
        "hw",
        507,
        506,
        507,
    )


@pytest.mark.parametrize("kernel", ["hw", "sw"])
@pytest.mark.runtime
def test_the_user_task_starts_behind_the_copy_the_clearing_and_main(kernel: str) -> None:
    (row,) = start.measure(*STANDARD, kernel)
    assert (row.platform, row.core, row.cpus, row.kernel) == (*STANDARD, kernel)
    assert 0 < row.copied < row.kernel_begins < row.main < row.first_task < row.all_tasks
    assert row.in_place == row.first_task - row.copied < start.PAPER
    (shared,) = start.measure("smp", "standard", 2, kernel)
    assert shared.copied == 0  # it runs from the shared memory


@pytest.mark.nightly
@pytest.mark.parametrize("place", ipc.places(), ids=lambda place: place.text())
def test_all_of_it_on_every_platform(place: ipc.Place) -> None:
    found = Local().run([], ipc.jobs([place], (8, 32)))
    rows = [row for row in found if isinstance(row, Row)]
    assert [row.kernel for row in found if isinstance(row, Start)] == ["hw", "sw"]
    blocks = sum(len(mechanism.kernels) for mechanism in ipc.mechanisms(place))
    assert sum(row.part == "transfer" for row in rows) == 2 * blocks + 2  # the semaphore's path besides
    assert all(row.ratio >= 1 and row.least <= row.cycles <= row.most for row in rows)
    locks = {row.mechanism: row.cycles for row in rows if row.part == "handover"}
    assert (
        locks["handover_cpu_mutex_raw"]
        == locks["handover_lock_unit"]
        == (3 if place.core == "standard" else 8)
    )


# --- what is to be measured ------------------------------------------------------------------


def test_every_mechanism_is_measured_everywhere() -> None:
    where = ipc.places()
    assert [place.text() for place in where[:4]] == [
        "amp-standard, 2 CPUs", "amp-standard, 4 CPUs", "amp-standard, 8 CPUs", "amp-economy, 2 CPUs",
    ]  # fmt: skip
    assert len(where) == 12
    for place in where:
        assert place.platform().ipc == platform.IpcSize()
    texts = [job.text for job in ipc.jobs(where)]
    everywhere = sum(len(m.kernels) for m in MECHANISMS.values() if not m.api)
    assert len(set(texts)) == len(texts) == 12 * (everywhere + 4) + 2 * 2
    itron = [f"amp-{core}, 2 CPUs: semaphore of uITRON" for core in ("standard", "economy")]
    kernels = ("hardware kernel", "software kernel")
    assert [text for text in texts if "uITRON" in text] == [
        f"{one}, {kernel}" for one in itron for kernel in kernels
    ]
    assert "smp-economy, 8 CPUs: semaphore, software kernel" in texts
    assert texts[-1] == "smp-economy, 8 CPUs: start of the user task, software kernel"


# --- tables and figures ------------------------------------------------------------------------


def block(name: str, words: int, cycles: int, kernel: str | None = None) -> Row:
    bound = ipc_transfer.bound(MECHANISMS[name], "amp", 2, words)
    return Row(
        part="transfer",
        mechanism=name,
        kernel=kernel,
        platform="amp",
        core="standard",
        cpus=2,
        words=words,
        cycles=cycles,
        bound_cycles=bound,
        ratio=round(cycles / bound, 2),
        least=cycles,
        most=cycles,
        rounds=6,
        bus_transfers=cycles // 2,
    )


def single(name: str, operation: str, cycles: int, cpus: int = 2, **stream: float) -> Row:
    test = ipc_latency.TESTS[name]
    bound = test.bound[0]
    row = Row(
        part=test.part,
        mechanism=name,
        operation=operation,
        kernel=None,
        platform="amp",
        core="standard",
        cpus=cpus,
        words=0,
        cycles=cycles,
        bound_cycles=bound,
        ratio=round(cycles / bound, 2),
        least=cycles,
        most=cycles,
        rounds=4,
    )
    return msgspec.structs.replace(row, **stream)


ROWS = [
    block("polling_wires", 8, 100),
    block("polling2_wires", 8, 300),
    block("interrupt", 8, 200),
    block("semaphore", 8, 130, "hw"),
    block("semaphore", 0, 90, "hw"),
    block("mailbox", 8, 50),
    block("mailbox", 128, 310),
    single("doorbell_raw", "signal", 3),
    single("doorbell_raw", "signal", 4, cpus=4),
    single("mailbox_trip_raw", "trip", 5),
    single("lock_unit", "acquire", 2),
    single("lock_unit", "release", 1),
    single("cpu_mutex_raw", "acquire", 1),
    single("cpu_mutex_raw", "release", 1),
    single("handover_lock_unit", "hand-over", 3),
    single("handover_cpu_mutex_raw", "hand-over", 7),
    single("barrier_raw", "barrier", 3),
    single("stream_registers", "stream", 1050, words_per_cycle=0.975, own_cycles=1050, own_rate=0.975),
    single("stream_memory", "stream", 2500, words_per_cycle=0.41, own_cycles=2000, own_rate=0.512),
    single("stream_message", "stream", 316, words_per_cycle=0.405, own_cycles=308, own_rate=0.416),
]


STARTS = [
    Start(
        kernel="sw", platform=kind, core="economy", cpus=2,
        copied=copied, kernel_begins=30_000, main=40_000, first_task=copied + 20_001, all_tasks=50_000,
    )
    for kind, copied in (("amp", 20_000), ("smp", 0))
]  # fmt: skip


def test_a_row_is_kept_without_what_its_part_does_not_have() -> None:
    common = {
        "part", "mechanism", "kernel", "platform", "core", "cpus", "words", "cycles", "bound_cycles", "ratio",
        "least", "most", "rounds",
    }  # fmt: skip
    assert set(msgspec.to_builtins(ROWS[0])) == common | {"bus_transfers"}
    assert set(msgspec.to_builtins(ROWS[7])) == common | {"operation"}
    stream = {"operation", "own_cycles", "words_per_cycle", "own_rate"}
    assert set(msgspec.to_builtins(ROWS[-1])) == common | stream
    assert msgspec.convert(msgspec.to_builtins(ROWS), list[Row]) == ROWS


def test_the_paper_s_table_on_an_sdram() -> None:
    assert page.sdram(ROWS) == []
    slow = [msgspec.structs.replace(row, platform="amp-sdram", cycles=2 * row.cycles + 1) for row in ROWS[:4]]
    (table,) = page.sdram([*ROWS, *slow])
    assert table.columns[:4] == ("paper", "here", "8 words, economy", "8 words, standard")
    assert table.rows == (
        ("(a) polling", "polling, wires", "-", "201 (2.01)", "-", "-", "-", "-"),
        ("(a') polling 2", "polling 2, wires", "-", "601 (2.00)", "-", "-", "-", "-"),
        ("(b) interrupt", "interrupt, copied in the service routine", "-", "401 (2.00)", "-", "-", "-", "-"),
        ("(c) semaphore", "semaphore, hardware kernel", "-", "261 (2.01)", "-", "-", "-", "-"),
    )


def test_the_order_of_the_four_and_why_it_is_another() -> None:
    (order,) = page.order(ROWS).rows
    assert order == (
        "standard",
        "hardware",
        "2",
        "8",
        "polling, wires 100 < semaphore 130 < interrupt, copied in the service routine 200 "
        "< polling 2, wires 300",
        "polling 2 pays its handshake for each word, interrupts are two for a block; "
        "two operations of this kernel take less than two interrupts",
    )
    kept = [*ROWS[:2], block("interrupt", 8, 400), block("semaphore", 8, 500, "hw")]
    assert page.order(kept).rows[0][-1] == "the same"


def test_tables() -> None:
    paper = page.paper(ROWS)
    assert paper.rows[0] == (
        "(a) polling", "polling, wires", "the fastest in any case", "-", "100", *["-"] * 4,
    )  # fmt: skip
    assert paper.rows[-1][:5] == (
        "(c) semaphore", "semaphore, hardware kernel", "-", "-", "130",
    )  # fmt: skip
    assert page.starts([]) == []  # of an older result
    (begun,) = page.starts(STARTS)
    assert begun.rows == (
        ("software", "amp", "economy", "2", "more than 20 000", "20 001",
         "20 000", "30 000", "40 000", "40 001", "50 000"),
        ("software", "smp", "economy", "2", "-", "20 001", "0", "30 000", "40 000", "20 001", "50 000"),
    )  # fmt: skip
    (blocks,) = page.transfers(ROWS)
    assert blocks.columns == ("mechanism", "CPUs", "8 words", "128 words", "bus busy")
    assert blocks.rows[0] == ("polling, wires", "2", "100 (5.0)", "-", "-")
    assert blocks.rows[-1] == ("mailbox stream", "2", "50 (5.0)", "310 (2.4)", "50 %")
    signals = page.operations(ROWS)[0]
    assert signals.rows == (("doorbell, plain store and load", "3", "3 / 4"),)
    assert page.streams(ROWS).rows[1][3:] == (
        "from memory to memory", "0", "0.410", "0.512", "80 %",
    )  # fmt: skip


def _busy() -> list[Row]:
    """A polling receiver loses most of its time to the other thread, a service routine none."""
    rows = [block("polling_wires", 8, 2868), block("interrupt", 8, 291)]
    return [msgspec.structs.replace(row, part="busy", most=3 * row.cycles) for row in rows]


def test_busy_receivers_stand_next_to_those_that_wait() -> None:
    (table,) = page.busy([*ROWS, *_busy()])
    assert [line[2] for line in table.rows] == ["100", "200"]
    assert [line[5] for line in table.rows] == [f"{number(2868)} ({number(8604)})", "291 (873)"]
    assert page.busy(ROWS) == []
    assert ipc.figures([*ROWS, *_busy()]) == ipc.figures(ROWS)


def test_advice_for_a_receiver_that_is_busy() -> None:
    rows = [row for row in ROWS if row.mechanism in ("polling_wires", "interrupt")]
    rows = [msgspec.structs.replace(row, words=words) for row in [*rows, *_busy()] for words in (8, 32)]
    place = ("amp", "standard", 2, 8)
    choices, busy = advise.block(rows, *place), advise.block(rows, *place, "busy")
    assert advise.sentences(choices, busy)[-1] == (
        "If another thread of its priority keeps the receiver busy: interrupt, copied in the service "
        f"routine, about 291 cycles on average; {choices[0].title} then takes 2868."
    )
    assert "busy" not in advise.sentences(choices)[-1]


def test_the_papers_plots() -> None:
    """All of its sizes, or none."""
    assert page.drawn(ROWS) == []
    (any_of,) = [row for row in ROWS if row.part == "transfer"][:1]
    every = [
        msgspec.structs.replace(
            any_of, mechanism=name, kernel=None, platform="amp", core=core, cpus=2, words=words, cycles=words
        )
        for name in ("polling_wires", "polling2_wires")
        for core in ("economy", "standard")
        for words in (8, 32, 128)
    ]
    assert len(page.drawn(every)) == 2


def test_figures_are_from_the_rows() -> None:
    figures = ipc.figures(ROWS)
    assert [figure.measured for figure in figures] == [
        4, 5, 0.975, 0.8, 2, 1, 1, 1, 3, 7, 3, 8, 2, 1, 1, 130, 90,
    ]  # fmt: skip
    assert [figure.what for figure in figures if not figure.reached] == [
        "stream from memory to memory, throughput relative to the core alone",
        "mutex of the communication port: hand-over (cycles)",
    ]
    assert sum(figure.what == ipc.HEADLINE for figure in figures) == 1
    (begun,) = ipc.figures(ROWS, STARTS)[len(figures) :]  # the paper's system only
    assert (begun.what, begun.measured, begun.at_most, begun.reached) == (
        "user task started, software kernel, economy core, 2 CPUs (cycles; paper: more than 20 000)",
        20_001, 20_000, False,
    )  # fmt: skip
