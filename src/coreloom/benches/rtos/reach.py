# SPDX-License-Identifier: Apache-2.0
"""What was to be reached: the software kernel against FreeRTOS, the hardware kernel against the better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coreloom.benches.rivals import NAMES
from coreloom.benches.rtos.bench import Row
from coreloom.benches.rtos.measurements import CPUS, FRONT_ENDS, MEASUREMENTS
from coreloom.report.figure import Figure
from coreloom.toolchain.firmware import FREERTOS
from coreloom.toolchain.front_end import FREERTOS as FREERTOS_API

HARDWARE, SOFTWARE = "hw", "sw"
# Metrics in which the hardware kernel is to be at least twice as fast as the better rival.
TWICE = ("cooperative", "preemptive", "synchronisation", "message")
# Means of the software kernel, 1 CPU: (service, cache) -> cycles.
LIMITS = {
    ("line", "warm"): 180,
    ("line", "driven out"): 260,
    ("yield", "warm"): 98,
    ("queue4_one", "warm"): 200,
    ("create_less", "warm"): 680,
    ("create_more", "warm"): 680,
    ("memory", "warm"): 253,
}
API_NAMES = {"freertos": "FreeRTOS's API", "cmsis_rtos2": "CMSIS-RTOS2", "itron": "uITRON"}
CONDITION_ROUNDS = 6000  # in a million cycles
PACKETS_BYTES = 40 << 10


def together(rows: Sequence[Row]) -> list[dict[str, Row]]:
    """The rows of each measurement by kernel, in the order in which they first come."""
    found: dict[object, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row.of, {})[row.ground] = row
    return list(found.values())


def better_rival(of: Mapping[str, Row]) -> Row | None:
    """The fastest of the hardware kernel's rivals; None if none of them has the service."""
    return min(
        (row for ground, row in of.items() if ground != HARDWARE), key=lambda row: row.mean, default=None
    )


def ratio(of: Mapping[str, Row]) -> float | None:
    """Cycles of the better rival over those of the hardware kernel."""
    rival = better_rival(of)
    return None if rival is None or HARDWARE not in of else rival.mean / of[HARDWARE].mean


def freertos(of: Mapping[str, Row]) -> Row | None:
    """The faster build of FreeRTOS."""
    builds = (row for ground, row in of.items() if ground in FREERTOS)
    return min(builds, key=lambda row: row.mean, default=None)


def contests(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """(software kernel, faster build of FreeRTOS) of each measurement that both have."""
    pairs = [(of.get(SOFTWARE), freertos(of)) for of in together(rows)]
    return [(soft, rival) for soft, rival in pairs if soft is not None and rival is not None]


def by_api(front_ends: Sequence[Row]) -> list[tuple[str, dict[str, Row]]]:
    """(API, rows by kernel) of each measurement through a front end."""
    return [(api, of) for api in FRONT_ENDS for of in together([row for row in front_ends if row.api == api])]


def _front_ends(
    sets: Mapping[tuple[str, str, str | None, int, str], Mapping[str, Row]], front_ends: Sequence[Row]
) -> list[Figure]:
    """Of each API the metric with the largest ratio to the native API, and the least gain over FreeRTOS."""
    found = []
    for api in FRONT_ENDS:
        pairs = [
            (of[HARDWARE], sets.get(of[HARDWARE].of, {}))
            for each, of in by_api(front_ends)
            if each == api and HARDWARE in of
        ]
        native = [row.mean / others[HARDWARE].mean for row, others in pairs if HARDWARE in others]
        gains = [rival.mean / row.mean for row, others in pairs if (rival := freertos(others)) is not None]
        what = f"{API_NAMES[api]} on the hardware kernel"
        if native:
            worst = round(max(native), 2)
            found.append(Figure(f"{what}: cycles over the native API's, at most", worst, at_most=1.1))
        if gains and api == FREERTOS_API:
            least = round(min(gains), 2)
            found.append(Figure(f"{what}: FreeRTOS over it, at least", least, at_least=1.8))
    return found


def figures(
    rows: Sequence[Row], packets_bytes: Mapping[str, int], front_ends: Sequence[Row] = ()
) -> list[Figure]:
    """Those of which there are rows."""
    sets = {next(iter(of.values())).of: of for of in together(rows)}
    found = []
    for name in TWICE:
        of = sets.get(("metric", name, None, 1, "warm"), {})
        rival, times = better_rival(of), ratio(of)
        if rival is not None and times is not None:
            what = f"{MEASUREMENTS['metric', name].title}: {NAMES[rival.ground]} over hardware kernel"
            found.append(Figure(what, round(times, 2), at_least=2))
    across = sets.get(("metric", "condition_across", None, 2, "warm"), {}).get(HARDWARE)
    if across is not None:
        what = "condition variable across 2 CPUs, hardware kernel: rounds in a million cycles"
        found.append(Figure(what, int(1_000_000 / across.mean), at_least=CONDITION_ROUNDS))
    line = sets.get(("service", "line", None, 1, "warm"), {}).get(HARDWARE)
    if line is not None:
        found.append(Figure("interrupt to thread, hardware kernel: mean (cycles)", line.mean, at_most=75))
    for (name, cache), cycles in LIMITS.items():
        row = sets.get(("service", name, None, 1, cache), {}).get(SOFTWARE)
        if row is not None:
            what = MEASUREMENTS["service", name].title
            driven = ", cache driven out" if cache != "warm" else ""
            found.append(Figure(f"software kernel, {what}{driven}: mean (cycles)", row.mean, at_most=cycles))
    for cpus in CPUS:
        pairs = [(soft, rival) for soft, rival in contests(rows) if soft.cpus == cpus]
        if pairs:
            what = f"rows of {cpus} CPU{'s' * (cpus > 1)}, software kernel not slower than FreeRTOS"
            kept = sum(soft.mean <= rival.mean for soft, rival in pairs)
            found.append(Figure(what, kept, at_least=len(pairs)))
    found += _front_ends(sets, front_ends)
    if SOFTWARE in packets_bytes:
        what = "program of packets, software kernel, 1 CPU (bytes)"
        found.append(Figure(what, packets_bytes[SOFTWARE], at_most=PACKETS_BYTES))
    return found
