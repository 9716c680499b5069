# SPDX-License-Identifier: Apache-2.0
"""What lagmeter computes from events and samples, against the definitions computed slowly."""

from __future__ import annotations

import dataclasses
import json
import random
import subprocess
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from coreloom.paths import LINUX, ROOT
from coreloom.toolchain import native
from linux.lag_reference import (
    BATCH,
    ENDS,
    FIFO,
    IDLE,
    IN,
    NEW,
    NORMAL,
    PREEMPTED,
    SLEEPS,
    WAKE,
    Event,
    measured,
)

_MS = 1_000_000
_OWN = ("lag.c", "meter.c", "report.c", "source.c", "perfetto.c", "text.c")
Meter = Callable[..., str]


_SOURCES = [*(LINUX / "lagmeter" / name for name in _OWN), Path(__file__).parent / "lag_driver.c"]


def _drive(program: Path, cpus: int, lines: Iterable[str], form: str = "json", *more: str) -> str:
    done = subprocess.run(
        [program, str(cpus), form, *more],
        input="".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture(scope="module")
def meter() -> Meter:
    return partial(_drive, native.static("lag_driver", _SOURCES, ["-D_GNU_SOURCE"]))


def figures(meter: Meter, cpus: int, events: Iterable[Event], end: int) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(meter(cpus, [*(e.line() for e in events), f"end {end}\n"]))
    return found


def streams(seed: int) -> tuple[int, list[Event], int]:
    """Threads that begin, run, wait, sleep, change their weights and places at random, on so many CPUs."""
    chance = random.Random(seed)
    cpus, count = chance.randint(1, 5), chance.randint(2, 9)
    style = {
        tid: (
            chance.choice((0, 0, 5, -5, 19, -20)) if seed % 2 else 0,
            chance.choice((NORMAL,) * 6 + (BATCH, IDLE, FIFO)) if seed % 3 else NORMAL,
            chance.choice((99,) * 8 + (1,)) if seed % 5 else 99,
        )
        for tid in range(1, count + 1)
    }
    asleep, waiting, on = set(style), set[int](), dict[int, int]()
    born = set[int]()
    events, now = [], 0

    def tell(tid: int, kind: int, cpu: int = 0) -> None:
        events.append(Event(now, tid, kind, cpu, *style[tid]))

    for _ in range(chance.randint(20, 300)):
        now += chance.choice((0, 1, chance.randint(1, 1000), chance.randint(1, 20 * _MS)))
        free = [cpu for cpu in range(cpus) if cpu not in on.values()]
        what = chance.random()
        if chance.random() < 0.03:
            tid = chance.choice(list(style))
            style[tid] = (chance.randint(-20, 19), *style[tid][1:])
        if asleep and what < 0.3:
            tid = chance.choice(sorted(asleep))
            tell(tid, WAKE if tid in born else NEW)
            born.add(tid)
            asleep.remove(tid)
            waiting.add(tid)
        elif waiting and free and what < 0.7:
            tid = chance.choice(sorted(waiting))
            on[tid] = chance.choice(free)
            tell(tid, IN, on[tid])
            waiting.remove(tid)
        elif on:
            tid = chance.choice(sorted(on))
            stays = chance.random() < 0.7
            tell(tid, PREEMPTED if stays else SLEEPS, on.pop(tid))
            (waiting if stays else asleep).add(tid)
    return cpus, events, now + chance.randint(0, 5 * _MS)


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.linux if seed >= 60 else ()) for seed in range(300)]
)
def test_the_definitions(meter: Meter, seed: int) -> None:
    cpus, events, end = streams(seed)
    found, right = figures(meter, cpus, events, end), measured(cpus, events, end)
    close = pytest.approx
    assert found["gap"]["max_ms"] == close(float(right.largest), abs=2e-6)
    assert found["gap"]["all_pairs"] is True
    listed = {row["tid"]: row for row in found["threads"]}
    for tid, t in right.threads.items():
        if not t.cpu_ns + t.wait_ns:
            assert tid not in listed
            continue
        row = listed.pop(tid)
        assert (row["nice"], row["weight"]) == (t.nice, t.weight)
        assert (row["cpu_ms"], row["wait_ms"]) == close((t.cpu_ns / _MS, t.wait_ns / _MS), abs=1e-6)
        assert (row["group"] == "counted") == t.counts == ("lag_ms" in row)
        if t.counts:
            keys = ("lag_ms", "behind_max_ms", "ahead_max_ms", "ideal_ms")
            values = (t.lag, t.behind, t.ahead, t.ideal)
            assert [row[key] for key in keys] == close(list(map(float, values)), abs=2e-6)
    assert not listed


# Three threads of one weight on two CPUs: 1 and 2 run for 30 ms, then 3 and 2 for 20 ms, then 3 sleeps.
_THREE = (
    *(Event(0, tid, NEW) for tid in (1, 2, 3)),
    Event(0, 1, IN, 0),
    Event(0, 2, IN, 1),
    Event(30 * _MS, 1, PREEMPTED, 0),
    Event(30 * _MS, 3, IN, 0),
    Event(50 * _MS, 3, SLEEPS, 0),
    Event(50 * _MS, 1, IN, 0),
)


def test_a_case_worked_out_by_hand(meter: Meter) -> None:
    found = figures(meter, 2, _THREE, 60 * _MS)
    gap = found["gap"]
    assert gap["max_ms"] == 30
    assert (gap["from_ms"], gap["at_ms"]) == (0, 30)
    assert (gap["ahead"]["tid"], gap["behind"]["tid"]) == (1, 3)
    assert (gap["p50_ms"], gap["p99_ms"], gap["now_ms"]) == (30, 30, 20)
    rows = {row["tid"]: row for row in found["threads"]}
    # Up to 50 ms each ought to have 2/3 of the time, then a CPU of its own.
    assert [rows[tid]["cpu_ms"] for tid in (1, 2, 3)] == [40, 60, 20]
    assert [rows[tid]["ideal_ms"] for tid in (1, 2, 3)] == pytest.approx([43.333333, 43.333333, 33.333333])
    assert [rows[tid]["behind_max_ms"] for tid in (1, 2, 3)] == pytest.approx([3.333333, 0, 20])
    assert [rows[tid]["ahead_max_ms"] for tid in (1, 2, 3)] == pytest.approx([10, 16.666667, 0])
    assert rows[3]["wakeup"] == {
        "count": 1,
        "p50_us": 30000,
        "p90_us": 30000,
        "p99_us": 30000,
        "max_us": 30000,
    }
    assert (rows[1]["runs"], rows[1]["involuntary_switches"], rows[3]["voluntary_switches"]) == (2, 1, 1)


def test_service_is_what_the_kernel_counts(meter: Meter) -> None:
    """Of 0 to 10 ms it counts 9 to thread 1, of 10 to 20 ms 11 to thread 2; then it does not say."""
    counts = [(1, NEW, 0, None), (2, NEW, 0, None), (1, IN, 0, 100), (1, PREEMPTED, 10, 100 + 9 * _MS)]
    counts += [(2, IN, 10, 50), (2, PREEMPTED, 20, 50 + 11 * _MS), (1, IN, 20, 7), (1, SLEEPS, 24, None)]
    events = [Event(at * _MS, tid, kind, counted=counted) for tid, kind, at, counted in counts]
    found = figures(meter, 1, events, 24 * _MS)
    rows = {row["tid"]: (row["cpu_ms"], row["wait_ms"]) for row in found["threads"]}
    assert rows == {1: (13, 10), 2: (11, 14)}
    assert (found["gap"]["max_ms"], found["gap"]["at_ms"]) == (9, 10)


def test_a_switch_whose_end_was_lost(meter: Meter) -> None:
    """Thread 1 is taken for asleep when thread 2 runs where it ran."""
    events = [Event(0, 1, NEW), Event(0, 1, IN, 0), Event(9 * _MS, 2, IN, 0), Event(12 * _MS, 2, SLEEPS, 0)]
    rows = {row["tid"]: row["cpu_ms"] for row in figures(meter, 1, events, 20 * _MS)["threads"]}
    assert rows == {1: 9, 2: 3}


def test_a_number_given_anew_is_another_thread(meter: Meter) -> None:
    once = [(NEW, 0), (IN, 0), (SLEEPS, 4), (NEW, 10), (IN, 10), (SLEEPS, 11)]
    events = [Event(at * _MS, 1, kind) for kind, at in once]
    rows = figures(meter, 1, events, 20 * _MS)["threads"]
    assert sorted(row["cpu_ms"] for row in rows) == [1, 4]


def test_more_threads_than_pairs_are_looked_at(meter: Meter) -> None:
    """10 000 threads wait while one runs: it is said that the gap is not that of all."""
    events = [Event(0, tid, NEW) for tid in range(1, 10_001)]
    events += [Event(0, 1, IN, 0), Event(5 * _MS, 1, PREEMPTED, 0), Event(5 * _MS, 10_000, IN, 0)]
    found = figures(meter, 1, events, 9 * _MS)
    assert (found["gap"]["all_pairs"], found["gap"]["max_ms"]) == (False, 5)
    assert (found["threads_counted"], len(found["threads"]), found["threads_unlisted"]) == (
        10_000,
        200,
        9_800,
    )
    rows = {row["tid"]: row for row in found["threads"]}
    assert (rows[1]["ahead_max_ms"], rows[10_000]["cpu_ms"]) == (pytest.approx(4.9995), 4)


def test_samples(meter: Meter) -> None:
    """What was got between two samples counts if the thread was runnable at the first."""
    lines = ["sample 0\n", "is 1 0 1 0 0 0\n", "is 2 5 1 500000 0 1\n", "done\n"]
    lines += ["sample 10000000\n", "is 1 0 1 8000000 2000000 3\n", "is 2 5 0 2500000 8000000 2\n", "done\n"]
    lines += ["sample 20000000\n", "is 1 0 1 18000000 2000000 3\n", "is 2 5 0 3500000 8000000 4\n", "done\n"]
    found = json.loads(meter(1, [*lines, "end 20000000\n"]))
    rows = {row["tid"]: row for row in found["threads"]}
    assert (rows[1]["cpu_ms"], rows[1]["wait_ms"], rows[1]["runs"]) == (18, 2, 3)
    assert (rows[2]["cpu_ms"], rows[2]["wait_ms"], rows[2]["runs"]) == (3, 8, 3)
    # 8 ms at weight 1024 against 2 ms at 335.
    assert found["gap"]["max_ms"] == pytest.approx(8 - 2 * 1024 / 335, abs=1e-6)
    assert rows[2]["behind_max_ms"] == pytest.approx(10 * 335 / 1359 - 2, abs=1e-6)


def test_the_table(meter: Meter) -> None:
    text = meter(2, [*(e.line() for e in _THREE), f"end {60 * _MS}\n"], "table")
    lines = text.splitlines()
    assert (
        lines[0] == "0.060 s on 2 CPUs by BPF: 3 threads counted, 0 pinned, 0 real-time; 0.120 s of CPU time"
    )
    assert lines[1].startswith("largest gap 30.000 ms: ")
    assert [line.split()[:2] for line in lines[4:]] == [["3", "t3"], ["2", "t2"], ["1", "t1"]]


def test_the_timeline(meter: Meter, tmp_path: Path) -> None:
    path = tmp_path / "timeline.json"
    meter(2, [*(e.line() for e in _THREE), f"end {60 * _MS}\n"], "json", str(path))
    records = json.loads(path.read_text())["traceEvents"]
    slices = [r for r in records if r["ph"] == "X" and r["pid"] == 1]
    assert [(r["tid"], r["name"], r["ts"], r["dur"]) for r in slices] == [
        (0, "t1 1", 0, 30_000),
        (0, "t3 3", 30_000, 20_000),
        (0, "t1 1", 50_000, 10_000),
        (1, "t2 2", 0, 60_000),
    ]
    lags = [(r["ts"], r["args"]["lag ms"]) for r in records if r["ph"] == "C" and r["name"] == "t3 3"]
    assert lags == [(0, 0), (30_000, 20), (50_000, pytest.approx(13.333333))]


# --- who has ended -------------------------------------------------------------------------------


def short_lived(count: int, first: int = 1000) -> list[Event]:
    """One after the other on CPU 1: 1 ms at work after a wait of 1 ms and twice its number in us."""
    events, now = [], 0
    for i in range(count):
        tid = first + i
        events += [Event(now, tid, NEW), Event(now + _MS + 2000 * i, tid, IN, 1)]
        now += 2 * _MS + 2000 * i
        events.append(Event(now, tid, ENDS, 1))
    return events


def with_ends(seed: int) -> tuple[int, list[Event], list[Event], int]:
    """A thread whose last event is a sleep has ended."""
    cpus, events, end = streams(seed)
    last = {e.tid: i for i, e in enumerate(events)}
    ended = [
        dataclasses.replace(e, kind=ENDS) if e.kind == SLEEPS and last[e.tid] == i else e
        for i, e in enumerate(events)
    ]
    return cpus, events, ended, end


@pytest.mark.parametrize(
    "seed", [seed for seed in range(90) if with_ends(seed)[1] != with_ends(seed)[2]][:40]
)
def test_who_ends_has_the_same_figures_as_who_sleeps(meter: Meter, seed: int) -> None:
    cpus, events, ended, end = with_ends(seed)
    found, before = figures(meter, cpus, ended, end), figures(meter, cpus, events, end)
    for each in (found, before):
        each["own_cpu_ms"] = 0
    assert found == before


def test_a_storm_of_short_threads_leaves_sums(meter: Meter) -> None:
    """The rows are those that there would be without sums, and nothing is lost in these."""
    count = 5000
    storm = short_lived(count)
    end = storm[-1].at + _MS
    stays = [Event(0, 1, NEW), Event(0, 1, IN, 0)]
    lines = ["name 7374617973\n", *(e.line() for e in stays), "name 73686f7274\n", *(e.line() for e in storm)]
    found = json.loads(meter(2, [*lines, f"end {end}\n"]))
    waited_us = [1000 + 2 * i for i in range(count)]
    assert (found["threads_counted"], found["threads_unlisted"]) == (count + 1, count + 1 - 200)
    assert found["cpu_ms"] == pytest.approx(end / _MS + count)
    assert (found["wakeup"]["count"], found["wakeup"]["max_us"]) == (count + 1, waited_us[-1])
    assert waited_us[count // 2] <= found["wakeup"]["p50_us"] <= waited_us[count // 2] * 9 / 8 + 1
    # A thread alone on its CPU that waits is behind by as long; the last ones waited longest.
    listed = [row["tid"] for row in found["threads"] if row["command"] == "short"]
    assert listed == [1000 + count - 1 - i for i in range(200)]
    (kind,) = found["ended"]
    assert (kind["command"], kind["group"], kind["weight"]) == ("short", "counted", 1024)
    folded = kind["threads"]
    assert count - 1026 <= folded <= count - 512
    assert (kind["cpu_ms"], kind["runs"], kind["voluntary_switches"]) == (folded, folded, folded)
    assert kind["wakeup"]["count"] == folded
    # The threads that waited least are folded.
    assert kind["wakeup"]["max_us"] == waited_us[folded - 1]
    assert kind["behind_max_ms"] == pytest.approx(waited_us[folded - 1] / 1000)
    assert kind["wait_ms"] == pytest.approx(sum(waited_us[:folded]) / 1000)
    assert kind["ideal_ms"] == pytest.approx(folded + sum(waited_us[:folded]) / 1000)
    assert (found["gap"]["behind"]["tid"], found["gap"]["ahead"]["tid"]) == (1000 + count - 1, 1)
    assert found["gap"]["max_ms"] == pytest.approx(waited_us[-1] / 1000)


def test_the_pair_of_the_largest_gap_stays_though_it_has_ended_long_since(meter: Meter) -> None:
    """Thousands that were further behind when they were alone come before it in the list."""
    first = [Event(0, 1, NEW), Event(0, 2, NEW), Event(0, 1, IN, 0), Event(50 * _MS, 1, ENDS, 0)]
    first += [Event(50 * _MS, 2, IN, 0), Event(50 * _MS, 2, ENDS, 0)]
    storm: list[Event] = []
    now = 60 * _MS
    for tid in range(10, 3000):
        storm += [
            Event(now, tid, NEW),
            Event(now + 60 * _MS, tid, IN, 0),
            Event(now + 60 * _MS + 1, tid, ENDS, 0),
        ]
        now += 61 * _MS
    found = figures(meter, 1, [*first, *storm], now)
    assert (found["gap"]["ahead"], found["gap"]["behind"]) == (
        {"tid": 1, "command": "t1"},
        {"tid": 2, "command": "t2"},
    )
    assert found["gap"]["max_ms"] == 50


def test_what_is_kept_is_bounded(meter: Meter) -> None:
    """However many threads there were, and whatever they were called."""
    few, many = (
        json.loads(meter(2, [*(e.line() for e in short_lived(count)), "end 0\n"], "memory"))
        for count in (2000, 20_000)
    )
    for kept in (few, many):
        assert kept["living"] == 0
        assert 512 <= kept["ended"] <= 1026
        assert kept["sums"] == 65  # 64 kinds and the rest
    assert many["kib"] - few["kib"] < 256


@pytest.mark.linux  # as the program itself, it needs a glibc that is new enough
def test_a_living_thread_costs_what_the_page_says() -> None:
    target = ("-target", "x86_64-linux-gnu.2.36", "-s")
    program = native.executable("lag_driver_glibc", _SOURCES, target, ["-D_GNU_SOURCE"])

    def kib(count: int) -> int:
        events = [
            Event(tid * 10 + at, tid, kind, 0)
            for tid in range(1, count + 1)
            for at, kind in enumerate((NEW, IN, SLEEPS))
        ]
        kept = json.loads(_drive(program, 1, [*(e.line() for e in events), "end 0\n"], "memory"))
        assert (kept["living"], kept["ended"]) == (count, 0)
        return int(kept["kib"])

    assert "once it has woken: 2.8 KB |" in (ROOT / "docs" / "lagmeter.md").read_text()
    assert (kib(12_000) - kib(2000)) * 1024 / 10_000 < 2.8e3


def test_many_kinds_are_one_sum_for_each_group(meter: Meter) -> None:
    events: list[Event] = []
    for tid in range(1, 3001):
        policy = FIFO if tid % 3 == 0 else NORMAL
        at = tid * _MS
        events += [Event(at, tid, kind, 0, 0, policy) for kind in (NEW, IN)]
        events.append(Event(at + _MS // 2, tid, ENDS, 0, 0, policy))
    found = figures(meter, 1, events, 3001 * _MS)
    assert (found["threads_counted"], found["threads_realtime"]) == (2000, 1000)
    assert found["cpu_ms"] == 1500
    sums = found["ended"]
    assert found["threads_unlisted"] == 2800
    assert 3000 - 1026 <= sum(row["threads"] for row in sums) <= 3000 - 512
    rest = [row for row in sums if row["command"] is None]
    assert [set(row) & {"nice", "weight", "tid"} for row in rest] == [set()] * len(rest)
    assert {row["group"] for row in rest} == {"counted", "realtime"}
    assert len(sums) == 64 + 2


def test_a_number_given_anew_ends_the_thread_before(meter: Meter) -> None:
    """Its end was lost; no record is left of it but the one in the list."""
    lines = [Event(at * _MS, 1, kind, 0).line() for at in range(0, 90, 3) for kind in (NEW, IN)]
    kept = json.loads(meter(1, [*lines, f"end {90 * _MS}\n"], "memory"))
    assert (kept["living"], kept["ended"]) == (1, 29)
    found = json.loads(meter(1, [*lines, f"end {90 * _MS}\n"]))
    assert (found["cpu_ms"], found["threads_counted"]) == (90, 30)


def test_ends_that_were_lost_are_found_by_looking_twice(meter: Meter) -> None:
    lines = [Event(0, tid, kind, tid).line() for tid in range(1, 5) for kind in (NEW, IN)]
    lines.append(Event(_MS, 1, PREEMPTED, 1).line())
    look = "only odd ones live\n"
    again = Event(_MS, 2, PREEMPTED, 2).line()  # it was on its way

    def living(*more: str) -> int:
        kept = json.loads(meter(4, [*lines, *more, f"end {2 * _MS}\n"], "memory"))
        assert kept["living"] + kept["ended"] == 4
        return int(kept["living"])

    assert [living(), living(look), living(look, again, look), living(look, look)] == [4, 4, 3, 2]


def test_who_is_in_no_sample_has_ended(meter: Meter) -> None:
    lines = []
    for i in range(3000):
        lines += [f"sample {i * _MS}\n", f"is 1 0 1 {i * _MS} 0 {i}\n", f"is {i + 10} 0 1 5 0 1\n", "done\n"]
        lines += [
            f"sample {i * _MS + 1000}\n",
            f"is 1 0 1 {i * _MS} 0 {i}\n",
            f"is {i + 10} 0 1 905 0 1\n",
            "done\n",
        ]
    end = f"end {3000 * _MS}\n"
    kept = json.loads(meter(1, [*lines, end], "memory"))
    assert kept["living"] == 2
    found = json.loads(meter(1, [*lines, end]))
    assert found["threads_counted"] == 3001
    assert found["cpu_ms"] == pytest.approx(2999 + 3000 * 0.0009)


def test_the_timeline_ends_at_its_size(meter: Meter, tmp_path: Path) -> None:
    path = tmp_path / "timeline.json"
    lines = [*(e.line() for e in short_lived(2000)), "end 1\n"]
    meter(2, lines, "json", str(path), "100000")
    assert 100_000 < path.stat().st_size < 102_000
    records = json.loads(path.read_text())["traceEvents"]
    drawn = {r["tid"] for r in records if r["ph"] == "X" and r["pid"] == 2}
    named = {r["tid"]: r["args"]["name"] for r in records if r["name"] == "thread_name" and r["pid"] == 2}
    assert named == {tid: f"t{tid} {tid}" for tid in drawn}
    assert 0 < len(drawn) < 1000


# --- names are others' bytes ---------------------------------------------------------------------

_NAMES = {
    "plain": (b"plain", "plain", "plain"),
    "colour": (b"\x1b[31mred\x07", "\\x1b[31mred\\x07", "\x1b[31mred\x07"),
    "line": (b"a\nb\r\t\x7f", "a\\x0ab\\x0d\\x09\\x7f", "a\nb\r\t\x7f"),
    "quotes": (b'say "\\x"', 'say "\\\\x"', 'say "\\x"'),
    "UTF-8": ("Zähler-é-漢".encode(), "Zähler-é-漢", "Zähler-é-漢"),
    "above 16 bits": ("cat 🐈".encode(), "cat 🐈", "cat 🐈"),
    "C1": (b"\xc2\x9b31m", "\\xc2\\x9b31m", "\x9b31m"),
    "C1 of one byte": (b"\x9b31m", "\\x9b31m", "\ufffd31m"),
    "no UTF-8": (b"a\xff\xc3(", "a\\xff\\xc3(", "a\ufffd\ufffd("),
    "cut": ("aaaaaaaaaaaaaa漢".encode()[:15], "aaaaaaaaaaaaaa\\xe6", "aaaaaaaaaaaaaa\ufffd"),
    "too long a form": (b"\xc0\x9b\xe0\x82\x9b", "\\xc0\\x9b\\xe0\\x82\\x9b", "\ufffd" * 5),
    "surrogate": (b"\xed\xa0\x80", "\\xed\\xa0\\x80", "\ufffd" * 3),
    "right to left": ("a\u202egpj.exe".encode(), "a\\xe2\\x80\\xaegpj.exe", "a\u202egpj.exe"),
    "isolate": ("\u2066a\u2069".encode(), "\\xe2\\x81\\xa6a\\xe2\\x81\\xa9", "\u2066a\u2069"),
    "all controls": (
        bytes(range(1, 16)),
        "".join(f"\\x{i:02x}" for i in range(1, 16)),
        "".join(map(chr, range(1, 16))),
    ),
}


@pytest.mark.parametrize("kind", _NAMES)
def test_names_do_not_reach_the_terminal_raw(meter: Meter, kind: str, tmp_path: Path) -> None:
    name, shown, meant = _NAMES[kind]
    other = [Event(0, 1, NEW), Event(0, 1, IN, 0)]
    events = [Event(0, 2, NEW), Event(5 * _MS, 1, PREEMPTED, 0), Event(5 * _MS, 2, IN, 0)]
    lines = [*(e.line() for e in other), f"name {name.hex()}\n", events[0].line()]
    lines += ["name \n", events[1].line(), f"name {name.hex()}\n", events[2].line(), f"end {9 * _MS}\n"]
    table = meter(1, lines, "table")
    assert f" got more than 2 {shown} from " in table
    assert f"       2 {shown:15} " in table
    path = tmp_path / "timeline.json"
    found = json.loads(meter(1, lines, "json", str(path)))
    assert {row["tid"]: row["command"] for row in found["threads"]} == {1: "t1", 2: meant}
    assert found["gap"]["behind"]["command"] == meant
    assert f"{meant} 2" in {r["args"].get("name") for r in json.loads(path.read_text())["traceEvents"]}
