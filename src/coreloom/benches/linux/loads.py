# SPDX-License-Identifier: Apache-2.0
"""What `coreloom bench linux` runs in its guest: [DWRR]'s tests in scaled form, hackbench, and wake-ups.

Each is a shell script that leaves figures in the folder $out, and the code that reads them.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coreloom.benches.linux.inputs import DATABASE, FRAMES, INNODB, MYISAM, SERVER, database, film, oltp
from coreloom.errors import UserError
from coreloom.paths import LINUX
from coreloom.toolchain import native

PROGRAMS = LINUX / "vm" / "programs"

Content = Mapping[str, bytes]  # what a run left in $out, by name, and the line of `measure` as "measure"


@dataclass(frozen=True)
class Metric:
    """A figure of a test. more: whether higher is better, None: neither; paper: [DWRR]'s figure."""

    name: str  # in results
    unit: str = ""
    more: bool | None = False
    paper: str = "-"
    title: str = ""  # in tables, if other than the name

    @property
    def text(self) -> str:
        return self.title or self.name


GAP, GAP_99, MOVES = GAPS = (  # what lagmeter says of every test
    Metric("largest gap of weighted service", "ms"),
    Metric("gap, 99 % of the time", "ms"),
    Metric("migrations a second", "1/s"),
)


@dataclass(frozen=True)
class Case:
    """command: what is measured; before: what it needs, started first.

    constant_rate: its figures are of work in instructions, not of CPU time. papers: one of [DWRR]'s, also run
    with its settings.
    """

    name: str
    text: str
    metrics: tuple[Metric, ...]
    command: str
    read: Callable[[Content], tuple[float, ...]]  # a value for each metric
    before: str = ""
    server: bool = False  # whether that leaves a server, $server, whose threads do the work
    cpus: int = 4
    constant_rate: bool = False
    papers: bool = False
    ours: tuple[str, ...] = ()  # programs of linux/vm/programs
    debian: tuple[str, ...] = ()  # packages
    files: Callable[[], Mapping[str, Path | bytes]] = dict
    seconds: float = 30  # of the host, about


# --- CPU time ----------------------------------------------------------------------------------


def _json(content: Content, name: str) -> dict[str, float]:
    found: dict[str, float] = json.loads(content[name])
    return found


def _cpu_times(content: Content, name: str) -> list[float]:
    times: list[float] = json.loads(content[name])["cpu_s"]
    return times


_FIVE_CPUS = 4


def _utilisation(content: Content) -> list[float]:
    """Of each CPU in per cent, from /proc/stat before and after."""

    def ticks(name: str) -> dict[str, list[int]]:
        lines = [line.split() for line in content[name].decode().splitlines()]
        return {cpu: [int(count) for count in counts] for cpu, *counts in lines if cpu.startswith("cpu")}

    before, after = ticks("before"), ticks("after")
    found = []
    for cpu in (f"cpu{n}" for n in range(_FIVE_CPUS)):
        used = [now - then for now, then in zip(after[cpu], before[cpu], strict=True)]
        found.append(100 * (1 - (used[3] + used[4]) / sum(used)))  # idle and iowait
    return found


def _five(content: Content) -> tuple[float, ...]:
    times, cpus = _cpu_times(content, "hogs"), _utilisation(content)
    fair = (100 * statistics.pstdev(times) / statistics.mean(times), max(times) / min(times))
    return *fair, *cpus, statistics.pstdev(cpus)


_BY_WEIGHT = 1024 / 335  # nice 0 over nice 5


def _weights(content: Content) -> tuple[float, ...]:
    (heavy,), light = _cpu_times(content, "heavy"), _cpu_times(content, "light")
    ratio = heavy / statistics.mean(light)
    return ratio, 100 * abs(ratio / _BY_WEIGHT - 1), heavy / min(light)


# --- work --------------------------------------------------------------------------------------


def _wall(content: Content) -> tuple[float, ...]:
    return (_json(content, "measure")["wall_s"],)


def _number(content: Content, pattern: str, name: str = "said") -> float:
    found = re.search(pattern, content[name].decode(errors="replace"))
    if found is None:
        raise ValueError(f"no {pattern}")
    return float(found.group(1))


def _threads(content: Content) -> tuple[float, ...]:
    """Total time, time of all events, events a thread and execution time a thread."""
    pairs = (r"events \(avg/stddev\): +", r"execution time \(avg/stddev\): +")
    parts = (r"([\d.]+)/", r"[\d.]+/([\d.]+)")
    fairness = [_number(content, f"{pair}{part}") for pair in pairs for part in parts]
    return *_wall(content), _number(content, r"sum: +([\d.]+)") / 1000, *fairness


def _decode(content: Content) -> tuple[float, ...]:
    user, system = (_number(content, rf"{what} +([\d.]+)", "times") for what in ("user", "sys"))
    return *_wall(content), user, system


def _oltp(content: Content) -> tuple[float, ...]:
    return _number(content, r"transactions: +\d+ +\(([\d.]+) per sec"), _number(
        content, r"95th percentile: +(\S+)"
    )


def _read(content: Content) -> tuple[float, ...]:
    kinds = ("read", "write", "other", "total")
    return *_oltp(content), *(_number(content, rf"{kind}: +(\d+)\n") for kind in kinds)


def _latency(content: Content) -> tuple[float, ...]:
    probe, wake = _json(content, "probe"), _json(content, "wake")
    return probe["p50_us"], probe["p99_us"], probe["max_us"], wake["p50_us"], wake["p99_us"], wake["requests"]


def _scripts() -> dict[str, Path | bytes]:
    return {"/job/js": PROGRAMS / "js"}


# --- the tests ---------------------------------------------------------------------------------

_GRAIN = "CFS 273.6 / 322.1 / 389.6, DWRR 354.0"

TESTS = (
    Case(
        "five",
        "5 CPU-bound threads on 4 CPUs, 10 s",
        (
            Metric("CPU time, deviation over mean", "%", title="CPU time, standard deviation over mean"),
            Metric("CPU time, most over least", title="CPU time, maximum over minimum"),
            *(Metric(f"utilisation of CPU {n}", "%", more=None, paper="(plot)") for n in range(_FIVE_CPUS)),
            Metric("utilisation of a CPU, standard deviation", "%", paper="(plot)"),
        ),
        "cat /proc/stat >$out/before; hog -t 10 5 >$out/hogs; cat /proc/stat >$out/after",
        _five,
        papers=True,
        ours=("hog",),
    ),
    Case(
        "weights",
        "a nice 0 thread and 4 nice 5 threads on 2 CPUs, 10 s",
        (
            Metric(
                "nice 0 over the mean of nice 5",
                more=None,
                paper="CFS 4, by weight 3",
                title="CPU time of nice 0 over mean of nice 5",
            ),
            Metric("that, off what it is by weight", "%", title="deviation of that ratio from the weights"),
            Metric(
                "nice 0 over the least of nice 5",
                more=None,
                title="CPU time of nice 0 over minimum of nice 5",
            ),
        ),
        "start -n 5 hog -t 10 4 >$out/light & hog -t 10 1 >$out/heavy; wait",
        _weights,
        cpus=2,
        ours=("hog", "start"),
    ),
    Case(
        "threads",
        "sysbench threads: 32 threads, 1000 yields, 8 locks, 1200 events",
        (
            Metric("time", "s", paper="CFS 12.83 / 13.10 / 21.36, DWRR 7.45"),
            Metric("time of all events", "s", paper="CFS 410.0 / 418.2 / 682.6, DWRR 237.6"),
            Metric("events a thread, mean", more=None, paper="312.5 each"),
            Metric("events a thread, standard deviation", paper="CFS 9.67 / 10.60 / 6.98, DWRR 41.63"),
            Metric("execution time a thread, mean", "s", paper="CFS 12.81 / 13.07 / 21.33, DWRR 7.43"),
            Metric("execution time a thread, standard deviation", "s", paper="0.01 each"),
        ),
        "sysbench threads --threads=32 --thread-yields=1000 --thread-locks=8 --events=1200 --time=0 run "
        ">$out/said",
        _threads,
        constant_rate=True,
        papers=True,
        debian=("sysbench",),
    ),
    Case(
        "decode",
        f"dav1d, 5 threads: {FRAMES} AV1 frames",
        (
            Metric("time", "s", paper="CFS 39.17 / 41.96 / 46.33, DWRR 27.62"),
            Metric("user time", "s", paper="codec: CFS 38.01 / 39.56 / 40.21, DWRR 26.58"),
            Metric("system time", "s", paper="CFS 1.14 / 2.38 / 6.10, DWRR 1.02"),
        ),
        "time -p -o $out/times "
        "dav1d --quiet --threads 5 --input /job/film.ivf --muxer null --output /dev/null",
        _decode,
        constant_rate=True,
        papers=True,
        debian=("dav1d",),
        files=film,
    ),
    Case(
        "oltp",
        "sysbench oltp_read_write on MariaDB: 16 threads, 600 transactions",
        (
            Metric("transactions a second", more=True, title="transactions per second"),
            Metric("95 % of transactions", "ms", title="transaction time, 95th percentile"),
        ),
        f"{oltp('read_write', INNODB)} --threads=16 --events=600 --time=0 run >$out/said",
        _oltp,
        server=True,
        before=f"tar -x -f /job/db.tar -C /job\n{SERVER}",
        constant_rate=True,
        debian=DATABASE,
        files=lambda: database(INNODB),
    ),
    Case(
        "read",
        "sysbench oltp_read_only on MariaDB with MyISAM: 16 threads, 600 transactions",
        (
            Metric("transactions a second", more=True, paper=_GRAIN, title="transactions per second"),
            Metric("95 % of transactions", "ms", title="transaction time, 95th percentile"),
            *(
                Metric(f"queries: {kind}", more=None, title=f"number of queries, {kind}")
                for kind in ("read", "write", "other", "total")
            ),
        ),
        f"{oltp('read_only', MYISAM)} --threads=16 --events=600 --time=0 run >$out/said",
        _read,
        server=True,
        before=f"tar -x -f /job/db.tar -C /job\n{SERVER}",
        constant_rate=True,
        papers=True,
        debian=DATABASE,
        files=lambda: database(MYISAM),
    ),
    Case(
        "script",
        "quickjs: 15 programs at once: 5 sort, 5 build text, 5 multiply matrices",
        (Metric("time", "s", paper="CFS 1533.6 to 2289.1 ms, DWRR 1533.2 ms"),),
        "for n in 1 2 3 4 5; do\n"
        "    qjs /job/js/sort.js 3 & qjs /job/js/text.js 7 & qjs /job/js/matrix.js 5 &\n"
        "done; wait",
        _wall,
        constant_rate=True,
        debian=("quickjs",),
        files=_scripts,
    ),
    Case(
        "hackbench",
        "hackbench: 2 groups of 20 senders and 20 receivers, 500 messages",
        (Metric("time", "s"),),
        "hackbench --groups 2 --loops 500 >$out/said",
        _wall,
        constant_rate=True,
        debian=("rt-tests",),
    ),
    Case(
        "latency",
        "beside 8 CPU-bound threads: one that wakes 100 times a second for 1 ms of work; 2 messengers with "
        "4 workers",
        (
            Metric("wakes 100 times a second: median", "us", title="interactive thread: median latency"),
            Metric(
                "wakes 100 times a second: 99 %", "us", title="interactive thread: 99th percentile of latency"
            ),
            Metric("wakes 100 times a second: longest", "us", title="interactive thread: maximum latency"),
            Metric("workers: median", "us", title="workers: median latency"),
            Metric("workers: 99 %", "us", title="workers: 99th percentile of latency"),
            Metric("workers: answers", more=True, title="workers: requests answered"),
        ),
        "hog -t 10 8 >$out/hogs & wake -m 2 -p 5000 -w 500 -t 10 4 >$out/wake & "
        "probe -s -n 950 -i 10000 -w 1000 >$out/probe; wait",
        _latency,
        ours=("hog", "wake", "probe"),
    ),
)

QUICK = ("five", "weights", "threads", "latency")


def program(name: str) -> Path:
    return native.static(name, [PROGRAMS / f"{name}.c"])


def chosen(names: Sequence[str] | None, quick: bool) -> list[Case]:
    """The tests to run."""
    known = [test.name for test in TESTS]
    for name in names or ():
        if name not in known:
            raise UserError(f"unknown test '{name}': use {', '.join(known)}")
    wanted = names or (QUICK if quick else known)
    return [test for test in TESTS if test.name in wanted]
