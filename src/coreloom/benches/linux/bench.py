# SPDX-License-Identifier: Apache-2.0
"""[DWRR]'s tests on a current kernel: its own scheduler compared with sched_ext schedulers.

Each run boots a guest of coreloom.vm.vm in deterministic mode, so a seed gives the same rows again, and
unchanged runs are not repeated. Throughput tests run at a constant rate of the CPUs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from coreloom.benches import guests
from coreloom.benches.linux.loads import GAPS, Case, program
from coreloom.benches.linux.schedulers import DWRR, OWN, SETTINGS, Scheduler, scheduler, version
from coreloom.errors import UserError
from coreloom.jobs.job import Job, prepare, whole
from coreloom.programs import bpf
from coreloom.report import results
from coreloom.toolchain import debian
from coreloom.vm import kernel, qemu, vm

SEEDS = 2
FAILED = "failed"  # the metric of a run that a peer did not come through
BOUND = "bound of the gap"  # of scx_dwrr, ms: 2 B + 2 ticks
_TIMEOUT = 1800  # host seconds of one guest
_MEMORY_MB = 1024
_METER = "lagmeter"
_STATE = "/sys/kernel/sched_ext/state"


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A figure of a run, or of the verifier."""

    test: str
    scheduler: str
    seed: int
    metric: str
    value: float | None
    why: str = ""  # it failed
    kernel: str = ""  # whose verifier


class Result(results.Result, kw_only=True):
    """What `coreloom bench linux` writes."""

    rows: list[Row]


def guest(test: Case, loaded: Scheduler) -> vm.Guest:
    """The test's programs and inputs, and the scheduler."""
    ours = {f"/usr/bin/{name}": program(name) for name in ("measure", *test.ours)}
    meter = {f"/usr/bin/{_METER}": bpf.program(_METER)}
    files = {**ours, **meter, **test.files(), **loaded.files, "/job/command": test.command.encode()}
    return vm.Guest(files, packages=("libc6",), programs=test.debian)


def script(test: Case, loaded: Scheduler) -> str:
    """Loads the scheduler, runs the test alone and then under lagmeter; /out/failed says why it could not."""
    lines = [
        'fail() { echo "$*" >/out/failed; exit 1; }',
        'last() { grep . "$1" | tail -n 1; }',
        # After the boot the kernel tests its ciphers.
        "while grep -qs cryptomgr /proc/[0-9]*/comm; do sleep 0.2; done",
    ]
    lines.append(loaded.before)
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
        *(() if loaded.name in SETTINGS else _watched(test)),
    ]
    if loaded.command:
        lines += [
            f'[ "$(cat {_STATE})" = enabled ] || fail "it exited during the test: $(last /out/scheduler)"',
            "kill -INT $scheduler",
            f'for i in $(seq 9); do [ "$(cat {_STATE})" = disabled ] && break; sleep 1; done',
            f'[ "$(cat {_STATE})" = disabled ] || fail "it did not exit on SIGINT"',
        ]
    # Of the kernel's log, what says that a scheduler was thrown out.
    lines.append(
        "dmesg | grep 'sched_ext:.*disabled (' | grep -v 'unregistered from user space' >/out/thrown"
    )
    lines.append("true")
    return "\n".join(line for line in lines if line) + "\n"


def _watched(test: Case) -> list[str]:
    """The test again under lagmeter, which watches its threads, or those of its server."""
    meter = f"{_METER} --interval 86400 --json /out/gap"
    there = "export out=/out/watched"
    if not test.server:
        return [there, f'{meter} -- sh /job/command >/dev/null 2>/out/meter || fail "$(last /out/meter)"']
    return [
        there,
        f"{meter} -p $server >/dev/null 2>/out/meter &",
        "meter=$!",
        "sleep 1",
        "sh /job/command",
        'kill -INT $meter; wait $meter || fail "$(last /out/meter)"',
    ]


def rows_of(test: Case, loaded: Scheduler, seed: int, files: Mapping[str, bytes]) -> list[Row]:
    """A row for each metric. UserError if the run failed; for a peer, a row with the reason."""
    row = partial(Row, test=test.name, scheduler=loaded.name, seed=seed)
    try:
        values = _values(test, files)
        if loaded.name not in SETTINGS:
            values |= _gaps(files)
        if loaded.name == DWRR:
            values[BOUND] = _bound(files)
    except UserError as error:
        if loaded.name in OWN:
            raise UserError(f"{test.name} under {loaded.name}, seed {seed}: {error}") from None
        return [row(metric=FAILED, value=None, why=str(error))]
    return [row(metric=metric, value=value) for metric, value in values.items()]


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
        said = vm.last_line(files.get("errors", b"").decode(errors="replace"))
        raise UserError(f"failed in the guest: {said}")
    return {metric.name: round(value, 4) for metric, value in zip(test.metrics, values, strict=True)}


def _gaps(files: Mapping[str, bytes]) -> dict[str, float]:
    try:
        said = json.loads(files["gap"])
        rate = 1000 * said["migrations"] / said["wall_ms"]
        values = (said["gap"]["max_ms"], said["gap"]["p99_ms"], rate)
    except (KeyError, ValueError, ArithmeticError):
        raise UserError(f"{_METER} wrote no figures") from None
    return {metric.name: round(value, 3) for metric, value in zip(GAPS, values, strict=True)}


def _bound(files: Mapping[str, bytes]) -> float:
    """2 B + 2 ticks in ms, from what the scheduler prints at start."""
    said = files.get("scheduler", b"").decode(errors="replace")
    found = re.search(r"round slice ([\d.]+) ms, tick ([\d.]+) ms", said)
    if found is None:
        raise UserError(f"{DWRR} did not print its round slice")
    return 2 * (float(found.group(1)) + float(found.group(2)))


# --- all of it ---------------------------------------------------------------------------------


def jobs(
    tests: Sequence[Case], schedulers: Sequence[str], seeds: int, choice: str = "7"
) -> tuple[list[Job[Row]], list[Job[Row]]]:
    """The preparation, and one guest per test, scheduler and seed."""

    def made(test: Case, name: str) -> tuple[Scheduler, vm.Guest]:
        """Where a job runs, as a guest is files of that machine; what is there takes no time."""
        vm.prepare([choice])
        loaded = scheduler(name)
        return loaded, guest(test, loaded)

    def run(test: Case, name: str, seed: int) -> list[Row]:
        loaded, there = made(test, name)
        text = script(test, loaded)

        def measure() -> dict[str, Any]:
            try:
                files = vm.run(
                    there,
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
                if name in OWN:
                    raise
                files = {"failed": str(error).splitlines()[0].encode()}
            return {"rows": msgspec.to_builtins(rows_of(test, loaded, seed, files))}

        metrics = " ".join(metric.name for metric in test.metrics)
        made_of = [
            *guests.made_of(
                there, text, cpus=test.cpus, constant_rate=test.constant_rate, seed=seed, kernel=choice
            ),
            metrics,
        ]
        found = results.once(f"linux-{test.name}-{name}-{seed}", made_of, measure)
        return msgspec.convert(found["rows"], list[Row])

    def job(test: Case, name: str, seed: int) -> Job[Row]:
        text = f"{test.name} under {name}, seed {seed}"
        return Job(text, whole(lambda: run(test, name, seed)), test.seconds)

    def all_made() -> None:
        for test in tests:
            for name in schedulers:
                made(test, name)

    first = [prepare("prepare the guests", all_made)]
    return first, [
        job(test, name, seed)
        for seed in range(1, seeds + 1)
        for test in tests
        for name in schedulers
        if test.papers or name not in SETTINGS
    ]


def versions(tests: Sequence[Case], schedulers: Sequence[str], choice: str = "7") -> dict[str, str]:
    """Versions of everything else that affects the figures."""
    names = sorted({name for test in tests for name in test.debian})
    found = {debian.name(folder): folder for name in names for folder in debian.packages([name])}
    packages = {name: found[name].name.split("_")[1].replace("%3a", ":") for name in names}
    peers = {name: version(name) for name in schedulers if name not in OWN}
    return {"linux": kernel.get(choice).release, "qemu": qemu.get().version, **packages, **peers}
