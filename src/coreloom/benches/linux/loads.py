# SPDX-License-Identifier: Apache-2.0
"""What `coreloom bench linux` runs in its guest: [DWRR]'s tests in scaled form, hackbench, and wake-ups.

Each is shell text that leaves figures in the folder $out, and what reads them.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import statistics
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from coreloom.errors import UserError
from coreloom.locks import exclusive
from coreloom.paths import LINUX
from coreloom.toolchain import debian, native
from coreloom.vm import vm

PROGRAMS = LINUX / "vm" / "programs"

Content = Mapping[str, bytes]  # what a run left in $out, by name, and the line of `measure` as "measure"


@dataclass(frozen=True)
class Metric:
    """A figure of a test. more: whether more of it is better, None: neither; paper: what [DWRR] has of it."""

    name: str
    unit: str = ""
    more: bool | None = False
    paper: str = "-"


@dataclass(frozen=True)
class Case:
    """command: what is measured; before: what it needs, started first.

    constant_rate: its figures are of work in instructions, not of CPU time.
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


def _five(content: Content) -> tuple[float, ...]:
    times = _cpu_times(content, "hogs")
    return 100 * statistics.pstdev(times) / statistics.mean(times), max(times) / min(times)


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


def _oltp(content: Content) -> tuple[float, ...]:
    return _number(content, r"transactions: +\d+ +\(([\d.]+) per sec"), _number(
        content, r"95th percentile: +(\S+)"
    )


def _latency(content: Content) -> tuple[float, ...]:
    probe, wake = _json(content, "probe"), _json(content, "wake")
    return probe["p50_us"], probe["p99_us"], probe["max_us"], wake["p50_us"], wake["p99_us"], wake["requests"]


# --- inputs that are made once -----------------------------------------------------------------


def _made(name: str, packages: list[str], how: str, make: Callable[[Path], None]) -> Path:
    """A file below build/, made once for its packages and the text that says how."""
    versions = " ".join(folder.name for folder in debian.packages(packages))
    key = hashlib.sha256(f"{how}\0{versions}".encode()).hexdigest()[:16]
    target = debian.PLACE / "inputs" / f"{name}-{key}" / name
    with exclusive(target.parent.with_suffix(".lock")):
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            partial = target.with_suffix(".partial")
            make(partial)
            partial.replace(target)
    return target


_ENCODER = "svt-av1"
_WIDTH, _HEIGHT = 480, 272
_PICTURES, _ROUNDS = 20, 12  # the film goes to and fro
_FRAMES = _PICTURES * _ROUNDS
_ENCODE = ("--preset", "10", "--lp", "1", "--crf", "40", "--tile-columns", "1")


def pictures() -> bytes:
    """A film in YUV4MPEG2: a slanted pattern that moves, with a square that goes another way."""
    made = []
    for t in range(_PICTURES):
        out = bytearray()
        for y in range(_HEIGHT):
            row = bytearray((2 * x + 3 * y + 5 * t + (x * y + 7 * t >> 6)) & 255 for x in range(_WIDTH))
            if 0 <= y - 3 * t < 64:
                row[4 * t : 4 * t + 64] = bytes((40 + 2 * (y - 3 * t) + n) & 255 for n in range(64))
            out += row
        for plane in (0, 1):
            for y in range(_HEIGHT // 2):
                out += bytes((96 + (x if plane else y) // 2 + t) & 255 for x in range(_WIDTH // 2))
        made.append(b"FRAME\n" + out)
    film = [picture for n in range(_ROUNDS) for picture in (made if n % 2 == 0 else reversed(made))]
    return f"YUV4MPEG2 W{_WIDTH} H{_HEIGHT} F25:1 Ip C420jpeg\n".encode() + b"".join(film)


def _encode(target: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, film = Path(folder) / "film.y4m", Path(folder) / "film.ivf"
        source.write_bytes(pictures())
        encoder = debian.program("usr/bin/SvtAv1EncApp", debian.tree([_ENCODER]))
        command = [*encoder, "-i", str(source), "-b", str(film), *_ENCODE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not film.exists():
            said = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
            raise UserError(
                f"{_ENCODER} cannot encode the film: {said[-1]}; remove build/linux and try again"
            )
        target.write_bytes(film.read_bytes())


def _film() -> dict[str, Path | bytes]:
    how = f"{_WIDTH} {_HEIGHT} {_PICTURES} {_ROUNDS} {_ENCODE}"
    return {"/job/film.ivf": _made("film.ivf", [_ENCODER], how, _encode)}


_DATABASE = ("mariadb-server-core", "sysbench")
_SERVER = (
    "mariadbd --no-defaults --user=root --datadir=/job/db --socket=/run/db --pid-file=/run/db.pid "
    "--skip-grant-tables --skip-networking --skip-ssl --innodb-undo-tablespaces=0 "
    "--innodb-autoextend-increment=1 --innodb-data-file-path=ibdata1:8M:autoextend "
    "--innodb-temp-data-file-path=ibtmp1:4M:autoextend "
    "--innodb-log-file-size=4M --innodb-buffer-pool-size=32M >/run/db.log 2>&1 &\n"
    "server=$!\n"
    "until grep -q 'ready for connections' /run/db.log; do\n"
    "    kill -0 $server || { cat /run/db.log >&2; exit 1; }\n"
    "    sleep 0.1\n"
    "done\n"
)
_SYSBENCH = (
    "sysbench oltp_read_write --db-driver=mysql --mysql-socket=/run/db --mysql-user=root "
    "--tables=1 --table-size=10000 --rand-type=uniform --rand-seed=1"
)
_MAKE_DATABASE = (
    f"mkdir -p /job/db/sbtest\n{_SERVER}{_SYSBENCH} prepare || exit 1\n"
    "kill $server; wait $server; mv /job/db /out/db\n"
)


def _make_database(target: Path) -> None:
    guest = vm.Guest(programs=_DATABASE)
    outcome = vm.run(guest, _MAKE_DATABASE, deterministic=True, timeout=600)
    if outcome.status:
        said = outcome.stdout.strip().splitlines() or ["it said nothing"]
        raise UserError(
            f"the database cannot be made in the guest: {said[-1]}; remove build/linux and try again"
        )
    with tarfile.open(target, "w") as archive:
        for name, content in sorted(outcome.files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def _database() -> dict[str, Path | bytes]:
    return {"/job/db.tar": _made("db.tar", list(_DATABASE), _MAKE_DATABASE, _make_database)}


def _scripts() -> dict[str, Path | bytes]:
    return {"/job/js": PROGRAMS / "js"}


# --- the tests ---------------------------------------------------------------------------------

_GRAIN = "CFS 273.6 / 322.1 / 389.6, DWRR 354.0"

TESTS = (
    Case(
        "five",
        "5 threads that always want a CPU, on 4 CPUs, 10 s",
        (Metric("CPU time, deviation over mean", "%"), Metric("CPU time, most over least")),
        "hog -t 10 5 >$out/hogs",
        _five,
        ours=("hog",),
    ),
    Case(
        "weights",
        "nice 0 beside 4 x nice 5, on 2 CPUs, 10 s",
        (
            Metric("nice 0 over the mean of nice 5", more=None, paper="CFS 4, by weight 3.06"),
            Metric("that, off what it is by weight", "%"),
            Metric("nice 0 over the least of nice 5", more=None),
        ),
        "start -n 5 hog -t 10 4 >$out/light & hog -t 10 1 >$out/heavy; wait",
        _weights,
        cpus=2,
        ours=("hog", "start"),
    ),
    Case(
        "threads",
        "sysbench threads: 32 threads, 1000 yields, 8 locks, 1200 events",
        (Metric("time", "s", paper="CFS 12.83, DWRR 7.45"),),
        "sysbench threads --threads=32 --thread-yields=1000 --thread-locks=8 --events=1200 --time=0 run",
        _wall,
        constant_rate=True,
        debian=("sysbench",),
    ),
    Case(
        "decode",
        f"dav1d, 5 threads: {_FRAMES} pictures of AV1",
        (Metric("time", "s", paper="CFS 39.2, DWRR 27.6"),),
        "dav1d --quiet --threads 5 --input /job/film.ivf --muxer null --output /dev/null",
        _wall,
        constant_rate=True,
        debian=("dav1d",),
        files=_film,
    ),
    Case(
        "oltp",
        "sysbench oltp_read_write on MariaDB: 16 threads, 600 transactions",
        (Metric("transactions a second", more=True, paper=_GRAIN), Metric("95 % of transactions", "ms")),
        f"{_SYSBENCH} --threads=16 --events=600 --time=0 run >$out/said",
        _oltp,
        server=True,
        before=f"tar -x -f /job/db.tar -C /job\n{_SERVER}",
        constant_rate=True,
        debian=_DATABASE,
        files=_database,
    ),
    Case(
        "script",
        "quickjs: 5 programs at once that sort, 5 that make texts, 5 that multiply",
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
        "beside 8 threads that always want a CPU: one that wakes 100 times a second for 1 ms of work; "
        "2 messengers with 4 workers",
        (
            Metric("wakes 100 times a second: median", "us"),
            Metric("wakes 100 times a second: 99 %", "us"),
            Metric("wakes 100 times a second: longest", "us"),
            Metric("workers: median", "us"),
            Metric("workers: 99 %", "us"),
            Metric("workers: answers", more=True),
        ),
        "hog -t 10 8 >$out/hogs & wake -m 2 -p 5000 -w 500 -t 10 4 >$out/wake & "
        "probe -s -n 950 -i 10000 -w 1000 >$out/probe; wait",
        _latency,
        ours=("hog", "wake", "probe"),
    ),
)


def program(name: str) -> Path:
    return native.static(name, [PROGRAMS / f"{name}.c"])
