# SPDX-License-Identifier: Apache-2.0
"""The tables of `coreloom bench smp`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Protocol

from coreloom.benches.rivals import NAMES, better
from coreloom.benches.smp import caches, locks, modules, stages
from coreloom.benches.smp.bench import (
    DYNAMIC_POLICY,
    PAPER_IDLE,
    PAPER_SWITCH,
    POLICIES,
    SELECTIVE_POLICY,
    SWITCH_BOUND,
    TASKS,
    Result,
    Row,
    all_cycles,
    free_kernel,
)
from coreloom.report.page import Summary, prose, times
from coreloom.report.plots import Lines
from coreloom.report.table import Table, number
from coreloom.simulation.experiment import BUFFERED, DIRECT
from coreloom.simulation.profile import OWNERS
from coreloom.toolchain.firmware import FREERTOS, GROUNDS

_MATTERS = ("hardware kernel", "software kernel", "ratio to the better rival")  # of many columns


def tables(content: Result) -> list[Table]:
    """All of them."""
    rows = [row for row in content.rows if row.cpus <= 2]  # as in the paper
    return [
        done(rows, content.window_cycles),
        *([modules.table(content.modules)] if content.modules else []),
        switch(rows),
        *([preemption(rows)] if any(row.preempt_cycles_min for row in rows) else []),
        *([stages.table(content.stages, PAPER_SWITCH)] if content.stages else []),
        scaling(content.rows, content.window_cycles),
        *([policies(content.rows, content.window_cycles)] if _with_policies(content.rows) else []),
        *([streams(content.rows, content.streams, content.window_cycles)] if content.streams else []),
        *([hand_over(rows, content.alone, content.window_cycles)] if content.alone else []),
        *([caches.table(content.caches, content.window_cycles)] if content.caches else []),
        cycles(rows),
        *([locks.table(content.locks)] if content.locks else []),
    ]


class Arranged(Protocol):
    """What has so many CPUs and a placement of threads on them."""

    @property
    def cpus(self) -> int: ...

    @property
    def placement(self) -> str: ...


def arrangement(row: Arranged) -> str:
    if row.cpus == 1:
        return "1 CPU" if row.placement == "dynamic" else f"1 CPU {row.placement}"
    return f"{row.cpus} CPUs {row.placement}"


def rivals(rows: Sequence[Row]) -> list[tuple[dict[str, Row], Row]]:
    """(rows of the software kernel and of FreeRTOS by kernel, hardware row) of the same case.

    FreeRTOS has its queues only, which stand beside either kind of our ports.
    """
    case = attrgetter("core", "app", "cpus", "placement")

    def alike(row: Row, hard: Row) -> bool:
        return case(row) == case(hard) and (row.kernel in FREERTOS or row.ports == hard.ports)

    return [
        ({row.kernel: row for row in rows if row.kernel != "hw" and alike(row, hard)}, hard)
        for hard in rows
        if hard.kernel == "hw"
    ]


def measured(rows: Sequence[Row]) -> list[str]:
    """The kernels that the hardware kernel is compared with: FreeRTOS only where it was measured."""
    found = {row.kernel for row in rows}
    return [kernel for kernel in GROUNDS if kernel in found and kernel != "hw"]


def share(row: Row) -> str:
    """The kernel's part of all cycles."""
    return number(100 * row.cycles_kernel / all_cycles(row), 1) + " %"


def done(rows: Sequence[Row], window: int) -> Table:
    """Work in the window: the paper's Table 1 beside ours; beside its eCos stands FreeRTOS."""
    kernels = beside_ecos(rows)
    lines = []
    for others, hard in rivals(rows):
        soft, best = others["sw"], better(list(others.values()), lambda row: row.done)
        paper = (soft.paper_done, hard.paper_done)
        paper_ratio = paper[1] / paper[0] if paper[0] and paper[1] else None
        the_papers = hard.app == "packets" and hard.ports == BUFFERED
        idle = PAPER_IDLE[hard.cpus, hard.placement] if the_papers else None
        lines.append(
            (
                f"{hard.core}, {hard.app}",
                arrangement(hard),
                hard.ports,
                number(paper[0]),
                *(number(others[kernel].done if kernel in others else None) for kernel in kernels),
                number(paper[1]),
                number(hard.done),
                number(soft.done),
                number(paper_ratio, 1),
                number(hard.done / best.done if best and best.done else None, 2),
                NAMES[best.kernel] if best else "-",
                number(idle),
                number(soft.idle_cycles),
                number(hard.idle_cycles),
            )
        )
    return Table(
        f"Pixels or packets in {number(window)} cycles after initialisation ([SMP] Table 1)",
        (
            *("core, application", "CPUs", "ports", "paper: eCos"),
            *(NAMES[kernel] for kernel in kernels),
            *("paper: HW", "hardware kernel", "software kernel"),
            *("paper: HW over eCos", "ratio to the better rival", "better rival"),
            *("paper: idle cycles HW", "idle cycles SW", "idle cycles HW"),
        ),
        tuple(lines),
        text_columns=3,
        first=_MATTERS,
    )


def spread(row: Row | None, kind: str) -> str:
    """Smallest, mean and largest of a kind of switch; "-" where there was none."""
    found = [getattr(row, f"{kind}_cycles_{of}") if row else None for of in ("min", "mean", "max")]
    return "-" if None in found else " / ".join(number(cycles) for cycles in found)


def beside_ecos(rows: Sequence[Row]) -> list[str]:
    """FreeRTOS, unmodified and with our port, where it was measured: it stands beside the paper's eCos."""
    return [kernel for kernel in measured(rows) if kernel in FREERTOS]


def preemption(rows: Sequence[Row]) -> Table:
    """Cycles of a full-context switch: trap entry to the next thread."""
    kernels = beside_ecos(rows)
    lines = []
    for others, hard in rivals(rows):
        ecos, theirs = (
            number(PAPER_SWITCH[kernel] if hard.ports == BUFFERED else None) for kernel in ("sw", "hw")
        )
        lines.append(
            (
                *(f"{hard.core}, {hard.app}", arrangement(hard), hard.ports),
                *(ecos, *(spread(others.get(kernel), "preempt") for kernel in kernels)),
                *(theirs, spread(hard, "preempt"), spread(others["sw"], "preempt")),
                *(number(others["sw"].preemptions), number(hard.preemptions)),
            )
        )
    return Table(
        "Cycles of a full-context switch (a preempted thread: all registers), min / mean / max",
        (
            *("core, application", "CPUs", "ports", "paper: eCos"),
            *(NAMES[kernel] for kernel in kernels),
            *("paper: HW", "hardware kernel", "software kernel", "switches SW", "switches HW"),
        ),
        tuple(lines),
        text_columns=3,
        first=_MATTERS,
    )


def switch(rows: Sequence[Row]) -> Table:
    """Cycles of a voluntary switch: service entry to first instruction of the next thread."""

    def quick(row: Row) -> float | None:
        return -row.switch_cycles_mean if row.switch_cycles_mean else None

    kernels = beside_ecos(rows)
    lines = []
    for others, hard in rivals(rows):
        best = better(list(others.values()), quick)
        ratio = None
        if best and best.switch_cycles_mean and hard.switch_cycles_mean:
            ratio = best.switch_cycles_mean / hard.switch_cycles_mean
        ecos, theirs = (
            number(PAPER_SWITCH[kernel] if hard.ports == BUFFERED else None) for kernel in ("sw", "hw")
        )
        lines.append(
            (
                *(f"{hard.core}, {hard.app}", arrangement(hard), hard.ports),
                *(ecos, *(spread(others.get(kernel), "switch") for kernel in kernels)),
                *(theirs, spread(hard, "switch"), spread(others["sw"], "switch")),
                *(number(ratio, 1), NAMES[best.kernel] if best else "-", number(SWITCH_BOUND)),
                *(number(others["sw"].switches), number(hard.switches)),
            )
        )
    return Table(
        "Cycles of a voluntary switch, min / mean / max",
        (
            *("core, application", "CPUs", "ports", "paper: eCos"),
            *(NAMES[kernel] for kernel in kernels),
            *("paper: HW", "hardware kernel", "software kernel"),
            *("ratio to the better rival", "better rival", "bound", "switches SW", "switches HW"),
        ),
        tuple(lines),
        text_columns=3,
        first=_MATTERS,
    )


def scaling(rows: Sequence[Row], window: int) -> Table:
    """More CPUs: work in the window, and over that of one CPU."""
    counts = sorted({row.cpus for row in rows})
    # On several CPUs FreeRTOS has our port, so its one CPU has the same; fine-grained locks need two.
    port = {"freertos": "freertos-tuned", "fine": "sw"}
    found = {(row.core, row.app, row.ports, row.kernel, row.placement, row.cpus): row for row in rows}
    lines = []
    for *same, kernel, placement in dict.fromkeys(key[:-1] for key, row in found.items() if row.cpus > 1):
        core, app, ports = same
        least = placement if placement in POLICIES else "dynamic"
        one = found[core, app, ports, port.get(kernel, kernel), least, 1]
        more = [found.get((core, app, ports, kernel, placement, cpus)) for cpus in counts if cpus > 1]
        paper = more[0].paper_done if more[0] else None
        lines.append(
            (
                f"{core}, {app}",
                ports,
                GROUNDS[kernel],
                placement,
                number(one.done),
                *(number(row.done if row else None) for row in more),
                number(paper / one.paper_done if paper and one.paper_done else None, 2),
                *(number(row.done / one.done if row and one.done else None, 2) for row in more),
            )
        )
    return Table(
        f"Scaling: pixels or packets in {number(window)} cycles by CPUs, and over those of 1 CPU",
        (
            *("core, application", "ports", "kernel", "placement"),
            *("1 CPU" if cpus == 1 else f"{cpus} CPUs" for cpus in counts),
            "paper: 2 over 1",
            *(f"{cpus} over 1" for cpus in counts if cpus > 1),
        ),
        tuple(lines),
        text_columns=4,
    )


def _with_policies(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.placement == DYNAMIC_POLICY]


def policies(rows: Sequence[Row], window: int) -> Table:
    """What the interface of policies costs, and selective migration beside dynamic, both through it."""
    case = attrgetter("core", "app", "ports", "cpus", "placement")
    found = {case(row): row for row in rows if row.kernel == "sw"}
    lines = []
    for row in _with_policies(rows):
        own = found[(*case(row)[:-1], "dynamic")]
        selective = found[(*case(row)[:-1], SELECTIVE_POLICY)]
        three = (own, row, selective)
        lines.append(
            (
                *(f"{row.core}, {row.app}", "1 CPU" if row.cpus == 1 else f"{row.cpus} CPUs", row.ports),
                *(number(each.done) for each in three),
                number(row.done / own.done, 2),
                number(selective.done / row.done, 2),
                *(number(each.switch_cycles_mean, 1) for each in three),
            )
        )
    return Table(
        f"Policies of the software kernel: pixels or packets in {number(window)} cycles",
        (
            *("core, application", "CPUs", "ports"),
            *("kernel's own dynamic", "dynamic policy", "selective policy"),
            *("interface: policy over own", "selective over dynamic policy"),
            *("cycles of a switch, own", "dynamic policy", "selective policy"),
        ),
        tuple(lines),
        text_columns=3,
    )


def streams(rows: Sequence[Row], more: Sequence[Row], window: int) -> Table:
    """More tasks: several independent streams beside the paper's one, by CPUs."""
    case = attrgetter("core", "app", "ports", "kernel", "placement")
    kinds = {case(row) for row in more}
    one = [row for row in rows if case(row) in kinds]
    found = {(*case(row), row.streams, row.cpus): row for row in (*one, *more)}
    counts = sorted({row.cpus for row in more})
    lines = []
    for *same, kernel, placement, several in sorted(
        dict.fromkeys(key[:-1] for key in found), key=lambda key: (key[:3], key[3] != "sw", key[5])
    ):
        core, app, ports = same
        by_cpus = [found.get((*same, kernel, placement, several, cpus)) for cpus in counts]
        least = by_cpus[0]
        lines.append(
            (
                *(f"{core}, {app}", ports, GROUNDS[kernel], placement),
                *(number(several), number(TASKS[app] * several)),
                *(number(row.done if row else None) for row in by_cpus),
                *(
                    number(row.done / least.done if row and least and least.done else None, 2)
                    for row in by_cpus[1:]
                ),
            )
        )
    return Table(
        f"Streams: pixels or packets of all in {number(window)} cycles by CPUs, and over those of 1 CPU",
        (
            *("core, application", "ports", "kernel", "placement", "streams", "tasks"),
            *("1 CPU" if cpus == 1 else f"{cpus} CPUs" for cpus in counts),
            *(f"{cpus} over {counts[0]}" for cpus in counts[1:]),
        ),
        tuple(lines),
        text_columns=4,
    )


def hand_over(rows: Sequence[Row], alone: Sequence[Row], window: int) -> Table:
    """What the hand-over that we added gains: the image filter with it and without, by CPUs."""
    case = attrgetter("core", "kernel", "ports")
    found = {(*case(row), row.cpus, row.placement): row for row in rows if row.app == "image"}
    first = {case(row): row.done for row in alone if row.cpus == 1}
    one = {case(row): row.done for row in found.values() if row.cpus == 1}

    def gain(row: Row | None, base: Mapping[Any, int]) -> str:
        below = base.get(case(row)) if row else None
        return number(row.done / below if row and below else None, 2)

    lines = []
    for row in alone:
        added = found.get((*case(row), row.cpus, row.placement))
        lines.append(
            (
                *(GROUNDS[row.kernel], arrangement(row), number(row.done), gain(row, first)),
                *(number(added.done if added else None), gain(added, one)),
            )
        )
    return Table(
        f"Image filter with and without the hand-over that we added, buffered ports: pixels in "
        f"{number(window)} cycles, standard core",
        (
            *("kernel", "CPUs", "without it ([SMP] has none)", "over 1 CPU"),
            *("with it", "over 1 CPU"),
        ),
        tuple(lines),
        text_columns=2,
    )


def cycles(rows: Sequence[Row]) -> Table:
    """Where the cycles go, for each pixel or packet; the sum over all CPUs."""
    lines = []
    for row in rows:
        done = row.done
        parts = [*row.cycles.values(), row.idle_cycles]
        lines.append(
            (
                f"{row.core}, {row.app}",
                GROUNDS[row.kernel],
                arrangement(row),
                row.ports,
                *(number(part / done if done else None, 1) for part in parts),
                share(row),
                number(free_kernel(row), 2),
            )
        )
    return Table(
        "Where the cycles of a pixel or packet go",
        (
            "core, application",
            "kernel",
            "CPUs",
            "ports",
            *OWNERS,
            "idle",
            "kernel share",
            "speed-up with a free kernel",
        ),
        tuple(lines),
        text_columns=4,
    )


def best(rows: Sequence[Row], app: str, kernels: Sequence[str], cpus: int) -> Row | None:
    """What these kernels get done on the standard core with direct ports, in the better placement of "
    "threads."""
    found = [
        row
        for row in rows
        if (row.core, row.app, row.ports, row.cpus) == ("standard", app, DIRECT, cpus)
        and row.kernel in kernels
        and row.placement in ("dynamic", "static")
    ]
    return max(found, key=lambda row: row.done, default=None)


RIVALS: dict[str, Sequence[str]] = {
    "hardware kernel": ("hw",),
    "software kernel": ("sw",),
    NAMES["fine"]: ("fine",),
    "FreeRTOS": tuple(FREERTOS),
}


def scaled(rows: Sequence[Row], app: str = "packets") -> Lines:
    """Work by CPUs on each kernel."""
    counts = sorted({row.cpus for row in rows})
    found = {
        name: [(cpus, row.done) for cpus in counts if (row := best(rows, app, kernels, cpus))]
        for name, kernels in RIVALS.items()
    }
    series = {name: line for name, line in found.items() if line}
    return Lines(
        f"{app.capitalize()} in a million cycles",
        "CPUs on one shared bus",
        app,
        series,
        log_x=True,
        values=True,
    )


def summary(content: Result) -> Summary:
    rows = content.rows
    counts = sorted({row.cpus for row in rows})
    found = {
        (app, kernel): {cpus: row for cpus in counts if (row := best(rows, app, (kernel,), cpus))}
        for app in ("packets", "image")
        for kernel in ("hw", "sw")
    }
    there = {name: kernels for name, kernels in RIVALS.items() if {row.kernel for row in rows} & {*kernels}}
    lines = []
    for app in ("packets", "image"):
        for cpus in counts:
            of = {name: best(rows, app, kernels, cpus) for name, kernels in there.items()}
            hard, soft = of["hardware kernel"], of["software kernel"]
            if hard and soft:
                rival = max(row.done for name, row in of.items() if row and name != "hardware kernel")
                unit = "pixels" if app == "image" else app
                done = (number(row.done if row else None) for row in of.values())
                switches = (number(row.switch_cycles_mean) for row in (hard, soft))
                lines.append((unit, str(cpus), *done, number(hard.done / rival, 2), *switches))
    hards, softs = found["packets", "hw"], found["packets", "sw"]
    most, peak = max(softs), max(softs, key=lambda cpus: softs[cpus].done)
    gains = {app: times(found[app, "hw"][1].done, found[app, "sw"][1].done) for app in ("packets", "image")}
    answer = (
        f"With {most} CPUs the hardware kernel forwards {prose(hards[most].done)} packets in a million "
        f"cycles, {times(hards[most].done, softs[most].done)} times as many as the software kernel, whose "
        f"best is {prose(softs[peak].done)} with {peak} CPUs. With one CPU the kernel hardly matters: the "
        f"hardware kernel does {gains['packets']} times the packets and {gains['image']} times the pixels."
    )
    columns = (
        "work",
        "CPUs",
        *there,
        "hardware over the better other",
        "switch, hardware",
        "switch, software",
    )
    title = f"Work in {number(content.window_cycles)} cycles, and mean cycles of a voluntary switch"
    return Summary(answer, Table(title, columns, tuple(lines)), scaled(rows))
