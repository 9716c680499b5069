# SPDX-License-Identifier: Apache-2.0
"""What a search says: the profile and its place on the map, the front as a table and a plot, the choice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from coreloom.exploration.area import Error
from coreloom.exploration.explore import Asked, Found, Measured
from coreloom.exploration.grain import Map
from coreloom.exploration.profile import Profile
from coreloom.exploration.space import SOFTWARE
from coreloom.report.table import Table, number

_WIDTH, _HEIGHT = 56, 12  # characters of the plot
_FEW = 0.02  # a gain that is none


def counted(n: int, word: str = "CPU") -> str:
    return f"{number(n)} {word}{'s' * (n != 1)}"


def time(seconds: float) -> str:
    """With its unit, to four digits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1 or unit == "us":
            break
    return f"{seconds * factor:.4g} {unit}"


# --- the profile -------------------------------------------------------------------------------------------


def profile(name: str, found: Profile, places: Map) -> list[str]:
    """Its cycles, calls, threads, and its place on the map."""
    total = max(found.cycles, 1)
    shares = ((found.own, "program"), (found.kernel, "kernel"), (found.idle, "waiting"))
    parts = ", ".join(f"{what} {100 * cycles / total:.0f} %" for cycles, what in shares)
    lines = [f"{name}, 1 CPU ({found.core}), hardware kernel: {number(found.cycles)} cycles: {parts}"]
    if found.between is None:
        lines.append("calls of the kernel: none")
    else:
        kinds = ", ".join(
            f"{each.kind} {number(each.calls)}" + (f" ({number(each.waits)} waited)" if each.waits else "")
            for each in found.calls
        )
        lines.append(f"calls of the kernel: {number(found.count)}: {kinds}")
    many = len(found.threads)
    if many > 1:
        longest = max(found.threads, key=found.threads.__getitem__)
        share = 100 * found.threads[longest] / max(sum(found.threads.values()), 1)
        lines.append(f"threads: {many}; the longest, {longest}, has {share:.0f} % of the cycles")
    else:
        lines.append("threads: one, so no kernel matters")
    if found.interrupts:
        lines.append(f"interrupts: {found.interrupts}, one every {number(total / found.interrupts)} cycles")
    if found.between is not None and many > 1:
        lines.append(_on_map(found.between, places))
    return lines


def _on_map(between: float, places: Map) -> str:
    """Where a grain lies on the map."""
    counts = sorted({place.cpus for place in places.places})
    read = [places.read(cpus, between) for cpus in counts]
    gains = " and ".join(f"{each.gain:.2f} times with {counted(each.cpus)}" for each in read)
    beyond = " (beyond the map: its edge)" if any(each.outside for each in read) else ""
    return (
        f"grain: {number(between)} cycles of work between calls; there the map of `bench grain` says what "
        f"the hardware kernel gains over its best rival: {gains}{beyond}"
    )


# --- the front ---------------------------------------------------------------------------------------------


def table(found: Found, asked: Asked, choice: Measured | None) -> Table:
    """The front, the choice marked; ~: an estimated area and clock."""
    counts = any(each.row.done for each in found.measured)
    extra = [*(["units/s"] if counts else []), *(f"{each.thread} (us)" for each in asked.deadlines)]
    rows = []
    front = found.front
    shown = front if choice is None or choice in front else sorted([*front, choice], key=lambda m: m.point)
    for each in shown:
        about = "" if each.area.measured else "~"
        cells = [
            each.config.name + (" *" if each is choice else ""),
            f"{about}{number(each.area.lut4)}",
            time(each.seconds),
            f"{about}{each.area.mhz:.1f}",
            number(each.row.cycles),
            number(each.ram_kib),
        ]
        cells += [number(each.per_second)] if counts else []
        for deadline in asked.deadlines:
            response = each.response(deadline)
            cells.append("-" if response is None else f"{response * 1e6:.4g}")
        rows.append(tuple(cells))
    title = f"{found.program.name}: the front of LUT4 and time" + (" (* the choice)" if choice else "")
    took = "time" if found.program.window is None else "time a unit"
    return Table(title, ("", "LUT4", took, "MHz", "cycles", "RAM KiB", *extra), tuple(rows))


def plot(found: Found, choice: Measured | None) -> list[str]:
    """LUT4 to the right, time upwards, both logarithmic: # the choice, * on the front, o another one."""
    points = found.measured
    if len(points) < 2:
        return []
    xs = [math.log(each.area.lut4) for each in points]
    ys = [math.log(max(each.seconds, 1e-12)) for each in points]
    grid = [[" "] * _WIDTH for _ in range(_HEIGHT)]
    front = found.front

    def rank(each: Measured) -> int:
        return 2 if each is choice else int(each in front)

    for each, x, y in sorted(zip(points, xs, ys, strict=True), key=lambda one: rank(one[0])):
        column = _place(x, xs, _WIDTH)
        row = _HEIGHT - 1 - _place(y, ys, _HEIGHT)
        grid[row][column] = "o*#"[rank(each)]
    slow, fast = (time(pick(each.seconds for each in points)) for pick in (max, min))
    edge = max(len(slow), len(fast))
    lines = []
    for n, cells in enumerate(grid):
        label = slow if n == 0 else fast if n == _HEIGHT - 1 else ""
        lines.append(f"{label:>{edge}} |{''.join(cells).rstrip()}")
    low, high = (number(pick(each.area.lut4 for each in points)) for pick in (min, max))
    lines.append(f"{'':{edge}} +{'-' * _WIDTH}")
    lines.append(f"{'':{edge}}  {low}{f'{high} LUT4':>{_WIDTH - len(low)}}")
    lines.append(f"{'':{edge}}  # the choice, * the front, o no better than the front; both axes logarithmic")
    return lines


def _place(value: float, values: Sequence[float], size: int) -> int:
    low, high = min(values), max(values)
    return 0 if high == low else round((value - low) / (high - low) * (size - 1))


def left(found: Found) -> list[str]:
    """What was not run, and what failed."""
    lines = []
    if found.left:
        total = len(found.left) + len(found.measured) + len(found.failed)
        lines.append(
            f"{len(found.left)} of {total} configurations are ruled out and were not run (--json says why, "
            "--all runs them)"
        )
    lines += [f"{each.config.name}: {each.why}" for each in found.failed]
    return lines


def stated(found: Found, error: Error) -> list[str]:
    """How far estimates may be off; nothing without one."""
    if all(each.area.measured for each in found.measured):
        return []
    return [
        f"~ estimated from placed SoCs: LUT4 to {100 * error.lut4:.0f} %, MHz to {100 * error.mhz:.0f} %, "
        "the largest errors over every SoC that was placed"
    ]


# --- the choice --------------------------------------------------------------------------------------------


def sentence(found: Found, asked: Asked, choice: Measured) -> str:
    """The choice, and why."""
    reasons = "; ".join([_gates(found, choice), *_cpus(found, choice)])
    return f"{choice.config.name} ({_criterion(asked)}): {reasons}"


def _criterion(asked: Asked) -> str:
    if asked.needs:
        wanted = [f"{each.thread}<={each.text}" for each in asked.deadlines]
        wanted += [] if asked.throughput is None else [f"{asked.throughput:g} units a second"]
        return f"the smallest that meets {' and '.join(wanted)}"
    budget = [] if asked.luts is None else [f"{number(asked.luts)} LUT4"]
    budget += [] if asked.ram_kib is None else [f"{asked.ram_kib} KiB of RAM"]
    return f"the fastest within {' and '.join(budget)}" if budget else "the least LUT4 times time"


def _gates(found: Found, choice: Measured) -> str:
    """Whether a hardware kernel pays, against software on the same CPUs."""
    profile = found.profile
    if len(profile.threads) == 1:
        return "no kernel matters, as the program has one thread"
    grain = "no calls" if profile.between is None else f"{number(profile.between)} cycles between calls"
    config = choice.config
    mine = [
        each
        for each in found.measured
        if (each.config.core, each.config.memory) == (config.core, config.memory)
    ]
    with_one = [each for each in mine if each.config.cpus == config.cpus]
    for group in (with_one, [each for each in mine if each.config.cpus == 1]):
        soft = next((each for each in group if each.config.kernel == SOFTWARE), None)
        hard = choice if config.kernel != SOFTWARE and choice in group else None
        others = [each for each in group if each.config.kernel != SOFTWARE]
        hard = hard or min(others, key=lambda each: each.seconds, default=None)
        if soft and hard:
            break
    pays = config.kernel != SOFTWARE
    if soft is None or hard is None:
        return f"gates {'pay' if pays else 'do not pay'} here: {grain}"
    gain = soft.seconds / hard.seconds
    more = hard.area.lut4 - soft.area.lut4
    return (
        f"gates {'pay' if pays else 'do not pay'} here: {grain}, and with {counted(hard.config.cpus)} they "
        f"are {gain:.2f} times as fast as the software kernel for {number(more)} LUT4 more"
    )


def _cpus(found: Found, choice: Measured) -> list[str]:
    """What CPUs bring; nothing if only one number was run."""
    config = choice.config
    same = {
        each.config.cpus: each
        for each in found.measured
        if (each.config.core, each.config.kernel, each.config.services, each.config.memory)
        == (config.core, config.kernel, config.services, config.memory)
    }
    if config.cpus > 1:
        fewer = max((n for n in same if n < config.cpus), default=None)
        if fewer is None:
            return []
        gain = same[fewer].seconds / choice.seconds
        which = "a second CPU does" if config.cpus == 2 else f"{config.cpus} CPUs do"
        return [f"{which}: {gain:.2f} times as fast as {fewer}"]
    more = min((n for n in same if n > 1), default=None)
    if more is None:
        return []
    gain = choice.seconds / same[more].seconds
    which = "a second CPU" if more == 2 else f"{more} CPUs"
    if gain < 1 + _FEW:
        return [f"{which} would not: {gain:.2f} times as fast"]
    added = same[more].area.lut4 - choice.area.lut4
    return [f"{which} would be {gain:.2f} times as fast for {number(added)} LUT4 more"]


# --- all of it ---------------------------------------------------------------------------------------------


def facts(found: Found, asked: Asked, choice: Measured, places: Map, error: Error) -> dict[str, Any]:
    """For --json."""
    profile, front = found.profile, found.front
    between = profile.between
    on_map = [] if between is None else [
        places.read(cpus, between)._asdict() for cpus in sorted({place.cpus for place in places.places})
    ]  # fmt: skip
    return {
        "program": found.program.name,
        "choice": choice.config.name,
        "why": sentence(found, asked, choice),
        "profile": {
            "core": profile.core,
            "cycles": profile.cycles,
            "own": profile.own,
            "kernel": profile.kernel,
            "waiting": profile.idle,
            "calls": {each.kind: {"calls": each.calls, "waits": each.waits} for each in profile.calls},
            "between": between and round(between, 1),
            "threads": profile.threads,
            "interrupts": profile.interrupts,
            "services": profile.services,
        },
        "map": on_map,
        "error": {"lut4": round(error.lut4, 4), "mhz": round(error.mhz, 4)},
        "points": [
            {
                "name": each.config.name,
                "on": each.config.on,
                "lut4": each.area.lut4,
                "ram_kib": each.ram_kib,
                "mhz": each.area.mhz,
                "estimated": not each.area.measured,
                "cycles": each.row.cycles,
                "seconds": each.seconds,
                "done": each.row.done,
                "responses": each.row.responses,
                "front": each in front,
            }
            for each in found.measured
        ],
        "not_run": {each.config.name: each.why for each in found.left},
        "failed": {each.config.name: each.why for each in found.failed},
        "runs": found.runs,
        "before": found.before,
    }
