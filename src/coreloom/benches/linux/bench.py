# SPDX-License-Identifier: Apache-2.0
"""[DWRR]'s tests on a kernel of today: the kernel's own scheduler beside ones that sched_ext loads.

Each run is a boot of a guest of coreloom.linux.vm in deterministic mode, so a seed gives the same rows again,
and what was measured before is not measured again.
Tests whose figure is work in instructions run at a constant rate of the CPUs.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coreloom.benches import pool
from coreloom.benches.linux.loads import TESTS, Case, Metric, program
from coreloom.benches.pool import Job, Row
from coreloom.errors import UserError
from coreloom.programs import bpf
from coreloom.report import results
from coreloom.report.figure import Figure
from coreloom.toolchain import debian
from coreloom.vm import kernel, qemu, vm

EEVDF, DWRR = "eevdf", "scx_dwrr"
_OWN = (EEVDF, DWRR)  # these must come through
PEERS = ("scx_flash", "scx_bpfland", "scx_rusty", "scx_rlfifo")
SEEDS = 2
QUICK = ("five", "weights", "threads", "latency")
FAILED = "failed"  # the metric of a run that a peer did not come through
BOUND = "bound of the gap"  # of scx_dwrr, ms: 2 B + 2 ticks
GAP, GAP_99, MOVES = GAPS = (  # what lagmeter says of every test
    Metric("largest gap of weighted service", "ms"),
    Metric("gap, 99 % of the time", "ms"),
    Metric("migrations a second", "1/s"),
)
_TIMEOUT = 1800  # host seconds of one guest
_MEMORY_MB = 1024


@dataclass(frozen=True)
class Scheduler:
    """What is loaded in the guest; command: none for the kernel's own."""

    name: str
    command: str = ""
    files: Mapping[str, Path | bytes] = field(default_factory=dict)


# --- schedulers --------------------------------------------------------------------------------


def find(name: str) -> Path | None:
    """An executable that somebody has installed, maybe by `cargo install`."""
    places = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{Path.home() / '.cargo' / 'bin'}"
    found = shutil.which(name, path=places)
    return Path(found) if found else None


def known(names: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The schedulers to measure and those that were not found; names: those asked for, which must be here."""
    if names is None:
        there = [name for name in PEERS if find(name)]
        return [EEVDF, DWRR, *there], [name for name in PEERS if name not in there]
    for name in names:
        if name not in _OWN and (not re.fullmatch(r"scx_\w+", name) or find(name) is None):
            raise UserError(
                f"there is no scheduler '{name}': choose {EEVDF}, {DWRR} or one in PATH or ~/.cargo/bin, "
                f"as `cargo install {PEERS[0]}` puts it there"
            )
    return list(dict.fromkeys(names)), []


def scheduler(name: str) -> Scheduler:
    """One of `known`, ready for the guest."""
    if name == EEVDF:
        return Scheduler(name)
    if name == DWRR:
        return Scheduler(name, name, {f"/usr/bin/{name}": bpf.program(name)})
    path = find(name)
    assert path is not None
    # Beside the guest's own libraries, which may be of another release.
    place = f"/peer/{name}"
    files: dict[str, Path | bytes] = {f"{place}/{name}": path}
    files |= {f"{place}/lib/{library.name}": library for library in _libraries(path)}
    loader = next((file for file in files if Path(file).name.startswith("ld-linux")), None)
    command = f"{place}/{name}" if loader is None else f"{loader} --library-path {place}/lib {place}/{name}"
    return Scheduler(name, command, files)


def _libraries(path: Path) -> list[Path]:
    listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    return [Path(found) for found in re.findall(r"(/\S+) \(0x", listed)]


# --- one guest ---------------------------------------------------------------------------------


def chosen(names: Sequence[str] | None, quick: bool) -> list[Case]:
    """The tests to run."""
    known_names = [test.name for test in TESTS]
    for name in names or ():
        if name not in known_names:
            raise UserError(f"unknown test '{name}': choose of {', '.join(known_names)}")
    wanted = names or (QUICK if quick else known_names)
    return [test for test in TESTS if test.name in wanted]


def guest(test: Case, loaded: Scheduler) -> vm.Guest:
    """The test's programs and inputs, and the scheduler."""
    ours = {f"/usr/bin/{name}": program(name) for name in ("measure", *test.ours)}
    meter = {f"/usr/bin/{_METER}": bpf.program(_METER)}
    files = {**ours, **meter, **test.files(), **loaded.files, "/job/command": test.command.encode()}
    return vm.Guest(files, packages=("libc6",), programs=test.debian)


_METER = "lagmeter"
_STATE = "/sys/kernel/sched_ext/state"


def script(test: Case, loaded: Scheduler) -> str:
    """Loads the scheduler, runs the test alone and then under lagmeter; /out/failed says why it could not."""
    lines = [
        'fail() { echo "$*" >/out/failed; exit 1; }',
        'last() { grep . "$1" | tail -n 1; }',
        # After the boot the kernel tests its ciphers.
        "while grep -qs cryptomgr /proc/[0-9]*/comm; do sleep 0.2; done",
    ]
    if loaded.command:
        lines += [
            f"{loaded.command} >/out/scheduler 2>&1 &",
            "scheduler=$!",
            f'until [ "$(cat {_STATE})" = enabled ]; do',
            '    kill -0 $scheduler 2>/dev/null || fail "it was not enabled: $(last /out/scheduler)"',
            "    sleep 0.1",
            "done",
        ]
    lines += [
        test.before,
        "mkdir /out/run /out/watched; export out=/out/run",
        "measure -o $out/measure -- sh /job/command 2>/out/errors",
        "export out=/out/watched",
        *_watched(test),
    ]
    if loaded.command:
        lines += [
            f'[ "$(cat {_STATE})" = enabled ] || fail "it left during the test: $(last /out/scheduler)"',
            "kill -INT $scheduler",
            f'for i in $(seq 9); do [ "$(cat {_STATE})" = disabled ] && break; sleep 1; done',
            f'[ "$(cat {_STATE})" = disabled ] || fail "it does not end by SIGINT"',
        ]
    # Of the kernel's log, what says that a scheduler was thrown out.
    lines.append(
        "dmesg | grep 'sched_ext:.*disabled (' | grep -v 'unregistered from user space' >/out/thrown"
    )
    lines.append("true")
    return "\n".join(line for line in lines if line) + "\n"


def _watched(test: Case) -> list[str]:
    """The test again under lagmeter, which watches its threads, or those of the server it asks."""
    meter = f"{_METER} --interval 86400 --json /out/gap"
    if not test.server:
        return [f'{meter} -- sh /job/command >/dev/null 2>/out/meter || fail "$(last /out/meter)"']
    return [
        f"{meter} -p $server >/dev/null 2>/out/meter &",
        "meter=$!",
        "sleep 1",
        "sh /job/command",
        'kill -INT $meter; wait $meter || fail "$(last /out/meter)"',
    ]


def rows_of(test: Case, loaded: Scheduler, seed: int, files: Mapping[str, bytes]) -> list[Row]:
    """A row for each metric. UserError if the run failed; for a peer, one row that says so."""
    base: Row = {"test": test.name, "scheduler": loaded.name, "seed": seed}
    try:
        values = _values(test, files) | _gaps(files)
        if loaded.name == DWRR:
            values[BOUND] = _bound(files)
    except UserError as error:
        if loaded.name in _OWN:
            raise UserError(f"{test.name} under {loaded.name}, seed {seed}: {error}") from None
        return [{**base, "metric": FAILED, "value": None, "why": str(error)}]
    return [{**base, "metric": metric, "value": value} for metric, value in values.items()]


def _values(test: Case, files: Mapping[str, bytes]) -> dict[str, float]:
    for name in ("failed", "thrown"):
        if said := files.get(name, b"").decode(errors="replace").strip():
            raise UserError(said.splitlines()[-1])
    content = {name.removeprefix("run/"): data for name, data in files.items() if name.startswith("run/")}
    try:
        status = json.loads(content["measure"])["status"]
        values = () if status else test.read(content)
    except (KeyError, ValueError, ArithmeticError):
        status, values = 1, ()
    if status:
        said = files.get("errors", b"").decode(errors="replace").strip()
        raise UserError(f"it failed in the guest: {said.splitlines()[-1] if said else 'it said nothing'}")
    return {metric.name: round(value, 4) for metric, value in zip(test.metrics, values, strict=True)}


def _gaps(files: Mapping[str, bytes]) -> dict[str, float]:
    try:
        said = json.loads(files["gap"])
        rate = 1000 * said["migrations"] / said["wall_ms"]
        values = (said["gap"]["max_ms"], said["gap"]["p99_ms"], rate)
    except (KeyError, ValueError, ArithmeticError):
        raise UserError(f"{_METER} left no figures") from None
    return {metric.name: round(value, 3) for metric, value in zip(GAPS, values, strict=True)}


def _bound(files: Mapping[str, bytes]) -> float:
    """2 B + 2 ticks in ms, from what the scheduler says when it begins."""
    said = files.get("scheduler", b"").decode(errors="replace")
    found = re.search(r"round slice ([\d.]+) ms, tick ([\d.]+) ms", said)
    if found is None:
        raise UserError(f"{DWRR} did not say its round slice")
    return 2 * (float(found.group(1)) + float(found.group(2)))


# --- all of it ---------------------------------------------------------------------------------


def _content(made: vm.Guest) -> list[str]:
    """All that is in a guest: as it decides every figure, a run need not be repeated while it stays."""
    packages = [
        folder.name for name in (*made.packages, *made.programs) for folder in debian.packages([name])
    ]
    files = {"init": vm.INIT, "work": vm.WORK, **made.files}
    return [*packages, *(f"{place} {_digest(source)}" for place, source in sorted(files.items()))]


def _digest(source: Path | bytes) -> str:
    if isinstance(source, bytes):
        return hashlib.sha256(source).hexdigest()
    inside = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
    return " ".join(f"{path.name} {_digest(path.read_bytes())}" for path in inside)


def jobs(
    tests: Sequence[Case], schedulers: Sequence[str], seeds: int, choice: str = "7"
) -> tuple[list[Job], list[Job]]:
    """To be done before, and a guest for each test, scheduler and seed."""
    guests: dict[tuple[str, str], vm.Guest] = {}
    loaded: dict[str, Scheduler] = {}

    def prepare() -> list[Row]:
        vm.prepare([choice])
        loaded.update((name, scheduler(name)) for name in schedulers)
        guests.update(((test.name, name), guest(test, loaded[name])) for test in tests for name in schedulers)
        return []

    def run(test: Case, name: str, seed: int) -> list[Row]:
        text = script(test, loaded[name])

        def measure() -> Row:
            try:
                files = vm.run(
                    guests[test.name, name],
                    text,
                    cpus=test.cpus,
                    memory_mb=_MEMORY_MB,
                    deterministic=True,
                    constant_rate=test.constant_rate,
                    seed=seed,
                    kernel=choice,
                    timeout=_TIMEOUT,
                ).files
            except vm.GuestError as error:
                if name in _OWN:
                    raise
                files = {"failed": str(error).splitlines()[0].encode()}
            return {"rows": rows_of(test, loaded[name], seed, files)}

        how = f"{test.cpus} {test.constant_rate} {seed} {kernel.get(choice).release} {qemu.get().version}"
        metrics = " ".join(metric.name for metric in test.metrics)
        made_of = [how, text, metrics, *_content(guests[test.name, name])]
        found: list[Row] = results.once(f"linux-{test.name}-{name}-{seed}", made_of, measure)["rows"]
        return found

    def job(test: Case, name: str, seed: int) -> Job:
        text = f"{test.name} under {name}, seed {seed}"
        return Job(text, pool.whole(lambda: run(test, name, seed)), test.seconds)

    first = [Job("prepare the guests", pool.whole(prepare))]
    seeded = range(1, seeds + 1)
    return first, [job(test, name, seed) for seed in seeded for test in tests for name in schedulers]


def versions(tests: Sequence[Case], schedulers: Sequence[str], choice: str = "7") -> dict[str, str]:
    """Of what else has a say in the figures."""
    names = sorted({name for test in tests for name in test.debian})
    found = {debian.name(folder): folder for name in names for folder in debian.packages([name])}
    packages = {name: found[name].name.split("_")[1].replace("%3a", ":") for name in names}
    peers = {name: _version(name) for name in schedulers if name not in _OWN}
    return {"linux": kernel.get(choice).release, "qemu": qemu.get().version, **packages, **peers}


def _version(name: str) -> str:
    said = subprocess.run([str(find(name)), "--version"], capture_output=True, text=True, check=False).stdout
    return said.strip().removeprefix(name).strip() or "unknown"


def middle(rows: Sequence[Row], test: str, metric: str, name: str) -> float | None:
    """The median of the seeds; None for what was not measured."""
    keys = (test, metric, name)
    values = [row["value"] for row in rows if (row["test"], row["metric"], row["scheduler"]) == keys]
    return float(statistics.median(values)) if values else None


def better(rows: Sequence[Row], test: Case, number: int) -> float | None:
    """How many times as good a metric is under scx_dwrr as under EEVDF; above 1: better; None: neither."""
    metric = test.metrics[number]
    ours, kernels = (middle(rows, test.name, metric.name, name) for name in (DWRR, EEVDF))
    if not ours or not kernels or metric.more is None:
        return None
    return ours / kernels if metric.more else kernels / ours


def largest(rows: Sequence[Row], test: str, name: str) -> float | None:
    """The largest gap of any seed."""
    keys = (test, GAP.name, name)
    values = [row["value"] for row in rows if (row["test"], row["metric"], row["scheduler"]) == keys]
    return max(values, default=None)


def _middles(rows: Sequence[Row], name: str) -> dict[tuple[str, str], float]:
    """The median of the seeds by test and metric."""
    keys = dict.fromkeys((row["test"], row["metric"]) for row in rows if row["scheduler"] == name)
    return {key: value for key in keys if (value := middle(rows, *key, name)) is not None}


def figures(rows: Sequence[Row]) -> list[Figure]:
    """What is to be reached, as far as it was measured."""
    ours, kernels = _middles(rows, DWRR), _middles(rows, EEVDF)
    tests = {test.name: test for test in TESTS}

    def key(test: str, number: int = 0) -> tuple[str, str]:
        return test, tests[test].metrics[number].name

    found = []
    gaps = {test: gap for test in tests if (gap := largest(rows, test, DWRR)) is not None}
    bounds = [value for (_, metric), value in ours.items() if metric == BOUND]
    if gaps and bounds:
        most = max(gaps, key=lambda test: gaps[test])
        theirs = largest(rows, most, EEVDF)
        text = "" if theirs is None else f" (EEVDF there {theirs:.0f})"
        found.append(
            Figure(
                f"largest gap of weighted service in all tests, ms, in {most}{text}",
                round(gaps[most], 2),
                at_most=max(bounds),
            )
        )
    spread = key("five")
    if spread in ours:
        beside = f" (EEVDF {kernels[spread]:.2f})" if spread in kernels else ""
        found.append(
            Figure(
                f"5 threads on 4 CPUs: deviation over mean of CPU time, %{beside}", ours[spread], at_most=0.2
            )
        )
    for test in ("threads", "oltp"):
        ratio = better(rows, tests[test], 0)
        if ratio is not None:
            found.append(Figure(f"throughput over EEVDF's, {test}", round(ratio, 3), at_least=0.95))
    late = key("latency", 1)
    if late in ours and late in kernels:
        found.append(
            Figure(
                f"delay of an interactive thread, 99 %, over EEVDF's ({kernels[late]:.0f} us)",
                round(ours[late] / kernels[late], 2),
                at_most=1.5,
            )
        )
    return found


def verdict(rows: Sequence[Row]) -> str:
    """Plainly: in what scx_dwrr is worse than EEVDF by more than 2 %, and in what it is better."""
    worse, well = [], []
    for test in TESTS:
        for number, metric in enumerate(test.metrics):
            ratio = better(rows, test, number)
            if ratio is not None and ratio < 0.98:
                worse.append(f"{test.name}, {metric.name} ({1 / ratio:.2f} times as bad)")
            elif ratio is not None and ratio > 1.02:
                well.append(f"{test.name}, {metric.name} ({ratio:.2f} times as good)")
    return "".join(
        f"{DWRR} is {how} than EEVDF in: {'; '.join(found)}.\n"
        for how, found in (("worse", worse), ("better", well))
        if found
    )
