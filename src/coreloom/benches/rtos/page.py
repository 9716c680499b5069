# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench rtos`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coreloom.benches.rivals import NAMES, is_there
from coreloom.benches.rtos.bench import CACHES, Result, Row
from coreloom.benches.rtos.measurements import CPUS, MEASUREMENTS
from coreloom.benches.rtos.reach import (
    API_NAMES,
    better_rival,
    by_api,
    contests,
    freertos,
    ratio,
    together,
)
from coreloom.report.page import Summary, prose
from coreloom.report.plots import Bars
from coreloom.report.table import Table, number
from coreloom.toolchain.firmware import FREERTOS, KERNELS


def tables(content: Result) -> list[Table]:
    """What is printed and begins the page."""
    rows = content.rows
    found = [iterations(rows, content.window_cycles), metrics(rows), services(rows), *calls(rows)[:1]]
    return [table for table in (*found, slower(rows)) if table.rows]


def details(content: Result) -> list[Table]:
    """The rest of the page."""
    of_apis = [table for table in (front_ends(content),) if table.rows]
    return [*calls(content.rows)[1:], *of_apis, code(content)]


def _grounds(rows: Sequence[Row]) -> list[str]:
    there = {row.ground for row in rows}
    return [ground for ground in NAMES if ground in there]


def _title(row: Row) -> str:
    title = MEASUREMENTS[row.part, row.measurement].title
    return title if row.case is None else f"{title}: {row.case}"


def _spread(row: Row | None) -> str:
    return "-" if row is None else f"{number(row.min)} / {number(row.mean, 1)} / {number(row.max)}"


def _contest(of: Mapping[str, Row]) -> tuple[str, str]:
    """By how much the hardware kernel is faster than the better rival, and who that is."""
    rival = better_rival(of)
    return number(ratio(of), 2), "-" if rival is None else NAMES[rival.ground]


_CONTEST = ("better rival over hardware kernel", "better rival")


def iterations(rows: Sequence[Row], window: int) -> Table:
    """Iterations of each metric in the window."""
    mine = [row for row in rows if row.part == "metric"]
    grounds = _grounds(mine)
    lines = []
    for of in together(mine):
        first = next(iter(of.values()))
        each = (of[ground].iterations if ground in of else None for ground in grounds)
        lines.append((_title(first), number(first.cpus), *map(number, each)))
    return Table(
        f"Thread-Metric kind: iterations in {number(window)} cycles",
        ("measurement", "CPUs", *(NAMES[ground] for ground in grounds)),
        tuple(lines),
    )


def _cycles(title: str, rows: Sequence[Row], *place: str) -> Table:
    """Cycles on each kernel. place: what of a row's place the title does not say."""
    grounds = _grounds(rows)
    lines = []
    for of in together(rows):
        first = next(iter(of.values()))
        where = {"CPUs": number(first.cpus), "cache": first.cache}
        cycles = (_spread(of.get(ground)) for ground in grounds)
        lines.append((_title(first), *(where[each] for each in place), *cycles, *_contest(of)))
    return Table(title, ("measurement", *place, *(NAMES[g] for g in grounds), *_CONTEST), tuple(lines))


def metrics(rows: Sequence[Row]) -> Table:
    """Cycles of an iteration of each metric."""
    mine = [row for row in rows if row.part == "metric"]
    return _cycles("Thread-Metric kind: cycles of an iteration, min / mean / max", mine, "CPUs")


def front_ends(content: Result) -> Table:
    """The metrics through each front end, next to the native API and to FreeRTOS itself."""
    sets = {next(iter(of.values())).of: of for of in together(content.rows)}
    lines = []
    for api, of in by_api(content.front_ends):
        first = next(iter(of.values()))
        others = sets.get(first.of, {})
        rival = freertos(others)
        cells = []
        for ground in KERNELS:
            mean, native = (row.mean if row else None for row in (of.get(ground), others.get(ground)))
            cells += [
                number(mean, 1),
                number(mean / native if mean and native else None, 2),
                number(rival.mean / mean if mean and rival else None, 2),
            ]
        lines.append((API_NAMES[api], _title(first), number(first.cpus), *cells))
    what = ("", ": over native", ": FreeRTOS over it")
    titles = (f"{NAMES[ground]}{text}" for ground in KERNELS for text in what)
    return Table(
        "Thread-Metric kind by other APIs: mean cycles of an iteration; ratio to the native API, of FreeRTOS",
        ("API", "measurement", "CPUs", *titles),
        tuple(lines),
        text_columns=2,
    )


def services(rows: Sequence[Row]) -> Table:
    """Cycles of each service."""
    mine = [row for row in rows if row.part == "service"]
    return _cycles("Cycles of a service, min / mean / max", mine, "CPUs", "cache")


def calls(rows: Sequence[Row]) -> list[Table]:
    """Latency of the calls that may wait: a table for each number of CPUs and state of the cache."""
    found = []
    for cpus in CPUS:
        for cache in CACHES:
            mine = [row for row in rows if (row.part, row.cpus, row.cache) == ("call", cpus, cache)]
            where = f"{cpus} CPU{'s' * (cpus > 1)}, cache {cache}"
            found.append(_cycles(f"Cycles of a call that may wait, {where}, min / mean / max", mine))
    return [table for table in found if table.rows]


def slower(rows: Sequence[Row]) -> Table:
    """Where FreeRTOS beats the software kernel."""
    lost = [(soft, rival) for soft, rival in contests(rows) if soft.mean > rival.mean]
    return Table(
        "Where the software kernel is slower than FreeRTOS, mean cycles",
        ("measurement", "CPUs", "cache", "software kernel", "FreeRTOS", "build", "ratio"),
        tuple(
            (
                *(_title(soft), number(soft.cpus), soft.cache),
                *(number(soft.mean, 1), number(rival.mean, 1), NAMES[rival.ground]),
                number(soft.mean / rival.mean, 2),
            )
            for soft, rival in lost
        ),
    )


def code(content: Result) -> Table:
    """Bytes of each program."""
    grounds = _grounds(content.rows)
    places = [(ground, cpus) for ground in grounds for cpus in CPUS if is_there(ground, cpus)]
    sizes: dict[str, dict[tuple[str, int], int]] = {}
    for row in content.rows:
        if row.cache == CACHES[0]:
            program = sizes.setdefault(MEASUREMENTS[row.part, row.measurement].title, {})
            program.setdefault((row.ground, row.cpus), row.code_bytes)
    if content.packets_bytes:
        sizes["application packets"] = {(ground, 1): size for ground, size in content.packets_bytes.items()}
    return Table(
        "Bytes of each program: code, constants and initial data",
        ("program", *(f"{NAMES[ground]}, {cpus} CPU{'s' * (cpus > 1)}" for ground, cpus in places)),
        tuple((name, *(number(size.get(place)) for place in places)) for name, size in sizes.items()),
    )


# What a person asks first: measurement, number of CPUs, and its words.
SHOWN = {
    "semaphore_across": (2, "semaphore there and back, a thread on each of two CPUs"),
    "semaphore_equals": (1, "semaphore there and back, two threads of one CPU"),
    "message_equals": (1, "message of a word there and back"),
    "yield": (1, "yield to the next thread"),
    "line": (1, "interrupt to the most urgent thread"),
    "mutex_free": (1, "free mutex: lock and unlock"),
    "create_less": (1, "thread: create and join"),
    "memory": (1, "malloc and free"),
}


def service(rows: Sequence[Row], name: str, cpus: int) -> dict[str, float]:
    """Mean cycles with a warm cache by kernel; of FreeRTOS's two ports the faster one."""
    found: dict[str, float] = {}
    for row in rows:
        if (row.part, row.measurement, row.cpus, row.cache) == ("service", name, cpus, "warm"):
            kernel = "FreeRTOS" if row.ground in FREERTOS else NAMES[row.ground]
            found[kernel] = min(row.mean, found.get(kernel, row.mean))
    return found


def summary(content: Result) -> Summary:
    found = {words: service(content.rows, name, cpus) for name, (cpus, words) in SHOWN.items()}
    found = {
        words: cycles
        for words, cycles in found.items()
        if {"hardware kernel", "software kernel"} <= {*cycles}
    }
    kernels = list(dict.fromkeys(kernel for cycles in found.values() for kernel in cycles))
    lines = tuple(
        (words, *(number(cycles.get(kernel)) for kernel in kernels)) for words, cycles in found.items()
    )
    across, memory = (found[SHOWN[name][1]] for name in ("semaphore_across", "memory"))
    freertos = f" and {prose(across['FreeRTOS'])} with FreeRTOS" if "FreeRTOS" in across else ""
    fine = f" ({prose(across[NAMES['fine']])} with fine-grained locks)" if NAMES["fine"] in across else ""
    answer = (
        f"A semaphore there and back between two CPUs takes {prose(across['hardware kernel'])} cycles with "
        f"the hardware kernel, {prose(across['software kernel'])} with the software kernel{fine}{freertos}. "
        "What does not reach the kernel gains nothing: `malloc` and `free` take "
        f"{prose(memory['hardware kernel'])} cycles, with the software kernel "
        f"{prose(memory['software kernel'])}."
    )
    some = {
        SHOWN[name][1]: found[SHOWN[name][1]] for name in ("semaphore_across", "line", "mutex_free", "memory")
    }
    chart = Bars(
        "Cycles of a service, standard core, cache warm",
        "cycles, logarithmic; fewer are better",
        some,
        log=True,
    )
    return Summary(answer, Table("Mean cycles, cache warm", ("service", *kernels), lines), chart)
