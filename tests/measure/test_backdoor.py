# SPDX-License-Identifier: Apache-2.0
"""What `coreloom bench backdoor` makes of what programs write, its bounds, its tables and its figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from coreloom.benches import registry
from coreloom.benches.backdoor import bench as backdoor
from coreloom.benches.backdoor import latency as backdoor_latency
from coreloom.benches.backdoor import page, transfer
from coreloom.benches.backdoor.bench import PROGRAMS, Place, Result, Row, Run
from coreloom.benches.backdoor.latency import Bell, Dma
from coreloom.benches.backdoor.transfer import Block
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.report import results
from coreloom.simulation.harness import backdoor as backdoor_unit
from coreloom.simulation.simulate import Event, Kind

HERE, SHARED = Place("backdoor", "standard"), Place("smp-bus", "standard")
WINDOW = Place("window", "standard")


def written(**changes: int) -> dict[str, int]:
    """Figures of a sort of 500 elements on two processors; 1000 cycles cannot be split."""
    return {
        "magic": 0x52494150, "size": 500, "cycles_1": 100_000, "cycles_2": 52_000, "serial_cycles": 1000,
        "transfer_cycles": 1200, "words_down": 250, "words_up": 250, "load_cycles": 6000,
        "crc_1": 7, "crc_2": 7, "wait_cycles": 300,
    } | changes  # fmt: skip


# --- one run -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cycles", "serial", "words", "speedup"),
    [
        (1000, 0, 0, 2.0),  # all of it can be split, nothing crosses
        (1000, 1000, 0, 1.0),  # nothing can be split
        (1000, 200, 0, 1000 / 600),  # Amdahl
        (1000, 200, 100, 1000 / 800),  # two beats for each word
        (1000, 0, 500, 1000 / 1500),  # slower than one
    ],
)
def test_bound(cycles: int, serial: int, words: int, speedup: float) -> None:
    assert backdoor.bound(cycles, serial, words) == pytest.approx(speedup)


def test_row_of_what_a_program_writes() -> None:
    row = backdoor.row(PROGRAMS["sort"], 500, HERE, written(), 4000)
    assert msgspec.to_builtins(row) == {
        "part": "program",
        "program": "sort",
        "size": 500,
        "platform": "backdoor",
        "core": "standard",
        "cycles_1": 100_000,
        "cycles_2": 52_000,
        "speedup": 1.923,
        "bound": 1.942,  # 100 000 / (1000 + 49 500 + 2 * 500)
        "bound_ratio": 0.99,
        "paper": 1.6,
        "speedup_with_loading": 1.724,
        "serial_cycles": 1000,
        "transfer_cycles": 1200,
        "words_down": 250,
        "words_up": 250,
        "load_cycles": 6000,
        "wait_cycles": 300,
        "sim_cycles_per_second": 4000,
    }


@pytest.mark.parametrize("changes", [{"size": 501}, {"cycles_1": 0}, {"cycles_2": 0}])
def test_figures_of_something_else_are_an_error(changes: dict[str, int]) -> None:
    with pytest.raises(UserError) as error:
        backdoor.row(PROGRAMS["sort"], 500, HERE, written(**changes))
    assert str(error.value) == "its figures are for another size: a bug in Coreloom"


def test_the_same_is_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "BUILD", tmp_path / "build")  # what is made may lie elsewhere
    times = []

    def measure() -> dict[str, Any]:
        times.append(1)
        return {"words": (1, 2), "run": len(times)}

    files = [tmp_path / "model-1" / "model", tmp_path / "sort-2" / "sort.elf"]
    first = {"words": [1, 2], "run": 1}
    assert results.once("sort-500", files, measure) == first
    assert results.once("sort-500", files, measure) == first
    assert results.once("sort-500", files[:1], measure)["run"] == 2  # another model or firmware
    (kept,) = [path for path in (tmp_path / "build" / "runs").iterdir() if "1}" in path.read_text()]
    kept.write_text("{")  # damaged
    assert results.once("sort-500", files, measure)["run"] == 3


# --- doorbells -----------------------------------------------------------------------------

PLACES = {
    "down_begin": {16}, "down_entry": {80}, "down_handler": {28}, "down_end": {16, 32},
    "up_begin": {48}, "up_entry": {80}, "up_handler": {60}, "up_end": {64},
}  # fmt: skip


def seen(*events: tuple[int, int, int]) -> list[Event]:
    """(cycle, cpu, address)."""
    return [Event(cycle, cpu, Kind.WATCH, address) for cycle, cpu, address in events]


def test_a_bell_counts_from_its_ring_to_the_handler_of_the_other_processor() -> None:
    events = seen(
        (100, 0, 16), (108, 1, 80), (149, 1, 28), (150, 1, 32),
        (200, 0, 16), (203, 1, 28), (209, 1, 80), (220, 1, 28), (221, 1, 16),  # 203: behind a jump
        (300, 0, 16), (308, 1, 80), (310, 0, 32), (321, 1, 28), (322, 1, 32),  # 310: another program's
        (400, 1, 48), (410, 0, 80), (424, 0, 60), (425, 0, 64), (450, 0, 80),
        (500, 1, 48), (511, 0, 80), (529, 0, 60), (530, 0, 64),
        (600, 1, 48), (612, 0, 80), (619, 0, 60), (620, 0, 64),
    )  # fmt: skip
    events.append(Event(305, 0, Kind.MARK, 16))
    assert backdoor_latency.cycles(events, "down", PLACES, 3) == {"entry": [9, 8], "handler": [20, 21]}
    assert backdoor_latency.cycles(events, "up", PLACES, 3) == {"entry": [11, 12], "handler": [29, 19]}


@pytest.mark.parametrize(
    ("lost", "text"),
    [
        (100, "down: 2 rings and 3 handlers were seen, not 3: a bug in Coreloom"),
        (150, "down: 3 rings and 2 handlers were seen, not 3: a bug in Coreloom"),
        (108, "down: a handler was seen without its interrupt or its first instruction: a bug in Coreloom"),
        (149, "down: a handler was seen without its interrupt or its first instruction: a bug in Coreloom"),
    ],
)
def test_a_moment_of_a_bell_that_is_not_seen_is_an_error(lost: int, text: str) -> None:
    one = ((0, 0, 16), (8, 1, 80), (49, 1, 28), (50, 1, 32))
    events = seen(*((cycle + round, cpu, at) for round in (100, 200, 300) for cycle, cpu, at in one))
    assert backdoor_latency.cycles(events, "down", PLACES, 3) == {"entry": [8, 8], "handler": [49, 49]}
    with pytest.raises(UserError) as error:
        backdoor_latency.cycles([event for event in events if event.cycle != lost], "down", PLACES, 3)
    assert str(error.value) == text


# --- what is to be measured ----------------------------------------------------------------


def test_everything_is_measured_everywhere() -> None:
    where = backdoor.places()
    assert [tuple(place) for place in where] == [
        ("backdoor", "standard"), ("window", "standard"), ("smp-bus", "standard"),
        ("backdoor", "economy"), ("window", "economy"), ("smp-bus", "economy"),
    ]  # fmt: skip
    made = [(place.platform().name, place.platform().cpus) for place in where]
    assert made == [
        ("backdoor-standard", 1),
        ("backdoor-standard", 1),
        ("smp-standard", 2),
        ("backdoor-economy", 1),
        ("backdoor-economy", 1),
        ("smp-economy", 2),
    ]
    assert [place.defines() for place in where[:3]] == [{}, {"PAIR_WINDOW": 1}, {}]
    sizes = {name: program.sizes for name, program in PROGRAMS.items()}
    assert (min(sizes["sort"]), max(sizes["sort"])) == (50, 20_000)
    assert (min(sizes["fft"]), max(sizes["fft"])) == (64, 4096)
    wanted = backdoor.jobs(where)
    texts = [job.text for job in wanted]
    assert len(set(texts)) == len(texts) == 6 * sum(map(len, sizes.values())) - 9 + 4 + 1
    assert texts[0] == "backdoor, standard core: selection sort, 50 elements"
    assert [text for text in texts if text.startswith("smp-bus, economy core: selection sort")][-1].endswith(
        " 5 000 elements"
    )
    assert "smp-bus, economy core: wavelet 5/3, 256 x 256 pixels" in texts
    assert texts[-5:] == [
        "backdoor, standard core: doorbells", "backdoor, standard core: blocks",
        "backdoor, economy core: doorbells", "backdoor, economy core: blocks", "the DMA",
    ]  # fmt: skip
    longest = max(wanted, key=lambda job: job.steps)
    assert longest.text == "backdoor, standard core: selection sort, 10 000 elements"


def test_a_first_look_is_the_smallest_sizes() -> None:
    texts = [job.text for job in backdoor.jobs(backdoor.places(("backdoor",), ("standard",)), quick=True)]
    assert texts == [
        "backdoor, standard core: selection sort, 50 elements",
        "backdoor, standard core: Dhrystone 2.1, 10 runs",
        "backdoor, standard core: FFT, 64 points",
        "backdoor, standard core: wavelet 5/3, 32 x 32 pixels",
        "backdoor, standard core: doorbells",
        "backdoor, standard core: blocks",
        "the DMA",
    ]


# --- tables and figures --------------------------------------------------------------------


def program(name: str, size: int, place: Place = HERE, **changes: int) -> Run:
    return backdoor.row(PROGRAMS[name], size, place, written(size=size, **changes))


def bell(way: str, until: str, core: str, clock: float, cycles: int, most: int) -> Bell:
    least = cycles - 1
    return Bell(
        way=way, until=until, core=core, far_clock=clock, cycles=cycles, least=least, most=most, rounds=8
    )


def dma(
    kind: str,
    op: str,
    words: int,
    cycles: int,
    periods: tuple[int, int] | None = None,
    core: str | None = None,
) -> Dma:
    near, far = periods or (None, None)
    rate = words / cycles
    return Dma(
        kind=kind,
        op=op,
        core=core,
        words=words,
        near_period=near,
        far_period=far,
        cycles=cycles,
        words_per_cycle=rate,
    )


def block(way: str, means: str, words: int, cycles: int, near: int) -> Block:
    return Block(way=way, means=means, core="standard", words=words, cycles=cycles, near_cycles=near)


BLOCKS = [
    block("down", "stream", 1, 100, 90),
    block("down", "stream", 4, 120, 100),
    block("down", "stream", 16, 160, 150),
    block("down", "window", 1, 180, 42),
    block("down", "window", 4, 190, 42),
    block("down", "window", 16, 160, 42),
]

ROWS: list[Row] = [
    program(
        "sort", 500, cycles_1=1000, cycles_2=1250, serial_cycles=100, transfer_cycles=500, wait_cycles=250
    ),
    program("sort", 20_000),
    program("dhrystone", 100, words_down=0, words_up=0, cycles_2=51_000),
    program("sort", 20_000, SHARED, words_down=0, words_up=0, cycles_2=54_600, load_cycles=0),
    program("sort", 500, Place("backdoor", "economy"), cycles_2=60_000),
    dma("program", "down", 4096, 4180, (1000, 2000), "standard"),
    dma("program", "down", 4096, 8192, (1000, 1000), "economy"),
    dma("list", "down", 16, 25),
    dma("list", "down", 128, 136),
    dma("stream", "up", 1024, 1030, (1000, 3000)),
    bell("down", "entry", "standard", 1, 7, 8),
    bell("down", "handler", "standard", 1, 22, 23),
    bell("up", "handler", "standard", 1, 31, 32),
    bell("up", "handler", "standard", 0.5, 40, 44),
    bell("down", "handler", "economy", 1, 90, 90),
]


def test_tables() -> None:
    _, standard, economy, least, cycles, shared, words, bells = page.tables(
        Result(name="backdoor", rows=ROWS)
    )
    assert least.rows == (
        ("selection sort", "standard", "20 000 elements", "20 000 elements", "-", "-"),
        ("Dhrystone 2.1", "standard", "100 runs", "100 runs", "-", "-"),
        ("selection sort", "economy", "500 elements", "500 elements", "-", "-"),
    )
    assert standard.title == "One processor and two joined by the Back-Door, standard core"
    assert standard.rows == (
        ("selection sort", "500 elements", "1 000", "1 250", "0.80", "0.65", "124.0 %", "0.14", "1.6"),
        ("selection sort", "20 000 elements", "100 000", "52 000", "1.92", "1.94", "99.0 %", "1.72", "1.6"),
        ("Dhrystone 2.1", "100 runs", "100 000", "51 000", "1.96", "1.98", "99.0 %", "1.75", "1.25 to 1.6"),
    )
    assert [row[1] for row in economy.rows] == ["500 elements"]
    assert cycles.rows[0] == (
        "selection sort", "500 elements", "standard", "1 250", "500 (40.0 %)", "500 (40.0 %)", "250 (20.0 %)",
        "250", "250", "100", "6 000",
    )  # fmt: skip
    assert shared.rows == (
        (
            "selection sort", "20 000 elements", "standard", "100 000", "52 000", "100 000", "54 600",
            "1.92", "1.83", "1.98", "105.0 %",
        ),
    )  # fmt: skip
    assert words.rows[1:] == (
        ("one descriptor, the DMA alone", "down", "-", "128", "136", "0.941"),
        ("stream, the Back-Door alone", "up", "0.333", "1 024", "1 030", "0.994"),
        ("stream of a program, standard core", "down", "0.5", "4 096", "4 180", "0.980"),
        ("stream of a program, economy core", "down", "1", "4 096", "8 192", "0.500"),
    )
    interrupt, handler = (
        "the first instruction of the interrupt",
        "the first instruction of the program's handler",
    )
    assert bells.rows == (
        ("to processor 1", interrupt, "standard", "1", "7", "6", "8"),
        ("to processor 1", handler, "standard", "1", "22", "21", "23"),
        ("to processor 0", handler, "standard", "1", "31", "30", "32"),
        ("to processor 0", handler, "standard", "0.5", "40", "39", "44"),
        ("to processor 1", handler, "economy", "1", "90", "89", "90"),
    )
    for table in (standard, cycles, shared, words, bells):
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_through_the_window() -> None:
    """Beside the streams; what moves in it takes no time of processor 0, so it does not lower the bound."""
    rows = [
        program("sort", 500),
        program("sort", 500, WINDOW, cycles_2=51_000, transfer_cycles=90),
        program("fft", 64, WINDOW, cycles_2=99_000, load_cycles=2000),
    ]
    assert page.window(rows).rows == (
        (
            "selection sort", "500 elements", "standard", "100 000", "51 000", "90", "1.96", "1.98", "1.75",
            "1.92", "1.72", "1.6",
        ),
        (
            "FFT", "64 points", "standard", "100 000", "99 000", "1 200", "1.01", "1.98", "0.99",
            "-", "-", "1.25",
        ),
    )  # fmt: skip
    assert page.pays(rows).rows == (
        ("selection sort", "standard", *["500 elements"] * 4),
    )  # fmt: skip


def test_blocks() -> None:
    assert page.blocks(BLOCKS).rows == (
        ("to processor 1", "standard", "1", "100", "90", "180", "42", "0.56"),
        ("to processor 1", "standard", "4", "120", "100", "190", "42", "0.63"),
        ("to processor 1", "standard", "16", "160", "150", "160", "42", "1.00"),
    )
    assert page.block_costs(BLOCKS).rows == (
        ("to processor 1", "standard", "100", "180", "3.33", "-2.50", "4.17", "0.00", "16", "1"),
    )
    slower = [*BLOCKS[:-1], block("down", "window", 16, 161, 151)]
    assert page.block_costs(slower).rows[0][-2:] == ("none", "none")
    assert [(f.what, f.measured, f.at_most, f.bound) for f in backdoor.figures(BLOCKS)] == [
        ("window to processor 1, standard core: cycles per word", -2.5, 2.0, 1)
    ]
    with pytest.raises(UserError) as error:
        transfer.blocks("standard", bytes(8))
    assert str(error.value) == "it wrote 8 bytes, not 256: a bug in Coreloom"
    assert len(transfer.blocks("economy", bytes(256))) == 32


def test_the_papers_plots() -> None:
    assert len(page.drawn(ROWS)) == 2 * 2
    assert page.drawn([]) == []


def test_what_was_not_measured_has_no_table() -> None:
    (bells,) = page.tables(Result(name="backdoor", rows=ROWS[-1:]))
    assert len(bells.rows) == 1


def test_figures_are_from_the_largest_sizes() -> None:
    figures = backdoor.figures(ROWS)
    assert [(f.what, f.measured, f.at_least, f.bound, f.reached) for f in figures[:8]] == [
        (
            "selection sort, 20 000 elements, standard core: speed-up",
            1.923,
            1.95,
            1.942,
            False,
        ),
        ("selection sort, 20 000 elements, standard core: share of the bound", 0.99, 0.95, 1, True),
        ("Dhrystone 2.1, 100 runs, standard core: speed-up", 1.961, 1.95, 1.98, True),
        ("Dhrystone 2.1, 100 runs, standard core: share of the bound", 0.99, 0.95, 1, True),
        (
            "selection sort, 500 elements, economy core: speed-up",
            1.667,
            1.95,
            1.942,
            False,
        ),
        ("selection sort, 500 elements, economy core: share of the bound", 0.858, 0.95, 1, False),
        ("DMA, 128 words or more: words per cycle", 0.941, 0.95, 1, False),
        ("DMA, streams of a program, standard core: words per cycle", 0.98, 0.95, 1, True),
    ]
    assert [(f.what, f.measured, f.at_most, f.reached) for f in figures[8:]] == [
        ("doorbell to processor 1, to the first instruction of the interrupt, median", 7, 30, True),
        ("doorbell to processor 1, to the first instruction of the program's handler, median", 22, 30, True),
        ("doorbell to processor 0, to the first instruction of the program's handler, median", 31, 30, False),
    ]
    assert backdoor.figures([]) == []


def test_page_and_its_summary() -> None:
    assert page.overview(ROWS).rows == (
        ("selection sort", "20 000 elements", "standard", "1.6", "1.92", "1.94", "-", "1.83"),
        ("Dhrystone 2.1", "100 runs", "standard", "1.25 to 1.6", "1.96", "1.98", "-", "-"),
        ("selection sort", "500 elements", "economy", "1.6", "1.67", "1.94", "-", "-"),
    )
    content = Result(name="backdoor", rows=ROWS, reach=backdoor.figures(ROWS))
    titles = [table.title for table in registry.get("backdoor").tables(content)]
    assert len(titles) == 8


# --- the whole, small ----------------------------------------------------------------------


@pytest.mark.parametrize("place", [HERE, WINDOW, SHARED], ids=lambda place: place.kind)
@pytest.mark.runtime
def test_a_program_is_measured(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (row,) = backdoor.measure(PROGRAMS["fft"], 256, place)
    assert (row.program, row.size, row.platform, row.core) == ("fft", 256, *place)
    assert 0.9 < row.speedup < 2
    assert (row.words_down > 0) == (place is not SHARED)


@pytest.mark.runtime
def test_blocks_are_measured() -> None:
    """The window is faster at each size, both ways, and costs processor 0 no more for more words."""
    rows = {(row.way, row.means, row.words): row for row in transfer.measure("standard")}
    assert [rows[way, "window", 1].cycles for way in transfer.WAYS] == [188, 184]
    assert [rows[way, "window", 16384].cycles for way in transfer.WAYS] == [26389, 26010]
    assert [rows[way, "stream", 16384].cycles for way in transfer.WAYS] == [38287, 38947]
    costs = transfer.costs(list(rows.values()))
    assert [(cost.way, cost.even, cost.near_even) for cost in costs] == [("down", 1, 1), ("up", 1, 1)]
    assert {row.near_cycles for row in rows.values() if row.means == "window" and row.words > 1} == {42}


@pytest.mark.runtime
def test_bells_and_streams_are_measured() -> None:
    rows = backdoor_latency.measure("standard")
    bells = [row for row in rows if isinstance(row, Bell)]
    assert [(row.far_clock, row.way, row.until) for row in bells] == [
        (clock, way, until)
        for clock in (1, 0.5, 2)
        for way in ("down", "up")
        for until in ("entry", "handler")
    ]
    assert all(row.least <= row.cycles <= row.most and row.rounds == 8 for row in bells)
    for entry, end in zip(bells[::2], bells[1::2], strict=True):
        assert 3 < entry.least <= entry.most < end.least < 100
    streams = [row for row in rows if isinstance(row, Dma)]
    assert [(row.far_period, row.op) for row in streams] == [
        (period, way) for period in (1000, 2000, 500) for way in ("down", "up")
    ]
    assert all(0.9 < row.words_per_cycle < 1 for row in streams)


def test_the_dma_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    row = dma("list", "down", 128, 133)
    found = {key: value for key, value in msgspec.to_builtins(row).items() if key != "part"}
    monkeypatch.setattr(backdoor_unit, "measure", lambda: [found])
    assert backdoor.dma() == [row]


def test_an_error_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    def stuck(*_: object) -> None:
        raise UserError("it did not finish")

    monkeypatch.setattr(results, "once", stuck)
    with pytest.raises(UserError) as error:
        backdoor.measure(PROGRAMS["wavelet"], 64, SHARED)
    assert str(error.value) == "wavelet 5/3, 64 x 64 pixels, on smp-standard: it did not finish"
    assert platform.load("smp-standard").backdoor is None
