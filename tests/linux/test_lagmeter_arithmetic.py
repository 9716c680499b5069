"""What lagmeter computes from events and samples, against the definitions computed slowly."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from coreloom.linux import native
from coreloom.paths import LINUX
from linux.lag_reference import BATCH, FIFO, IDLE, IN, NEW, NORMAL, PREEMPTED, SLEEPS, WAKE, Event, measured

_MS = 1_000_000
_OWN = ("lag.c", "meter.c", "report.c", "source.c", "perfetto.c")
Meter = Callable[..., str]


@pytest.fixture(scope="module")
def meter() -> Meter:
    folder = LINUX / "lagmeter"
    sources = [*(folder / name for name in _OWN), Path(__file__).parent / "lag_driver.c"]
    program = native.static("lag_driver", sources, ["-D_GNU_SOURCE"])

    def run(cpus: int, lines: Iterable[str], form: str = "json", *more: str) -> str:
        done = subprocess.run(
            [program, str(cpus), form, *more],
            input="".join(lines),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    return run


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


@pytest.mark.parametrize("seed", range(300))
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
