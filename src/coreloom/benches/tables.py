# SPDX-License-Identifier: Apache-2.0
"""Tables of results as rows of text; the command line and the pages print the same ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from coreloom.benches.backdoor import bench as backdoor
from coreloom.benches.backdoor import latency as backdoor_latency
from coreloom.benches.ipc import advise
from coreloom.benches.ipc import bench as ipc
from coreloom.benches.ipc import latency as ipc_latency
from coreloom.benches.ipc import transfer as ipc_transfer
from coreloom.benches.scheduler import bench as scheduler
from coreloom.benches.smp import bench as smp
from coreloom.report.table import Table, number, reach
from coreloom.simulation.profile import OWNERS
from coreloom.synthesis import synth as area
from coreloom.toolchain.firmware import KERNELS


def arrangement(row: dict[str, Any]) -> str:
    return "1 CPU" if row["cpus"] == 1 else f"{row['cpus']} CPUs {row['placement']}"


def _pairs(rows: Sequence[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """(software, hardware) rows of the same case."""
    keys = ("core", "app", "cpus", "placement", "grain")
    hardware = {tuple(map(r.get, keys)): r for r in rows if r["kernel"] == "hw"}
    return [(r, hardware[tuple(map(r.get, keys))]) for r in rows if r["kernel"] == "sw"]


def _share(row: dict[str, Any]) -> str:
    """The kernel's part of all cycles."""
    return number(100 * row["cycles_kernel"] / smp.all_cycles(row), 1) + " %"


def smp_done(rows: Sequence[dict[str, Any]]) -> Table:
    """Work in one million cycles: the paper's Table 1 beside ours."""
    lines = []
    for soft, hard in _pairs(rows):
        paper = (soft["paper_done"], hard["paper_done"])
        ratio = hard["done"] / soft["done"] if soft["done"] else None
        paper_ratio = paper[1] / paper[0] if paper[0] and paper[1] else None
        idle = smp.PAPER_IDLE[soft["cpus"], soft["placement"]] if soft["app"] == "packets" else None
        lines.append(
            (
                f"{soft['core']}, {soft['app']}",
                arrangement(soft),
                number(paper[0]),
                number(paper[1]),
                number(paper_ratio, 1),
                number(soft["done"]),
                number(hard["done"]),
                number(ratio, 2),
                number(idle),
                number(soft["idle_cycles"]),
                number(hard["idle_cycles"]),
            )
        )
    return Table(
        "Pixels or packets in one million cycles after initialisation ([SMP] Table 1)",
        (
            *("core, application", "CPUs", "paper: eCos", "paper: HW", "ratio"),
            *("software kernel", "hardware kernel", "ratio"),
            *("paper: idle cycles HW", "idle cycles SW", "idle cycles HW"),
        ),
        tuple(lines),
        text_columns=2,
    )


def smp_switch(rows: Sequence[dict[str, Any]]) -> Table:
    """Cycles of a voluntary switch: service entry to first instruction of the next thread."""
    lines = []
    for soft, hard in _pairs(rows):
        ratio = None
        if soft["switch_cycles_mean"] and hard["switch_cycles_mean"]:
            ratio = soft["switch_cycles_mean"] / hard["switch_cycles_mean"]

        def spread(row: dict[str, Any]) -> str:
            low, mean, high = (row[f"switch_cycles_{k}"] for k in ("min", "mean", "max"))
            return f"{number(low)} / {number(mean)} / {number(high)}"

        lines.append(
            (
                f"{soft['core']}, {soft['app']}",
                arrangement(soft),
                number(smp.PAPER_SWITCH["sw"]),
                number(smp.PAPER_SWITCH["hw"]),
                spread(soft),
                spread(hard),
                number(ratio, 1),
                number(smp.SWITCH_BOUND),
                number(soft["switches"]),
                number(hard["switches"]),
            )
        )
    return Table(
        "Cycles of a voluntary switch, min / mean / max",
        (
            *("core, application", "CPUs", "paper: eCos", "paper: HW", "software kernel"),
            *("hardware kernel", "ratio", "bound", "switches SW", "switches HW"),
        ),
        tuple(lines),
        text_columns=2,
    )


def smp_scaling(rows: Sequence[dict[str, Any]]) -> Table:
    """Two CPUs over one."""
    lines = []
    for row in rows:
        if row["cpus"] == 1:
            continue
        keys = ("core", "app", "kernel")
        single = next(r for r in rows if r["cpus"] == 1 and all(r[k] == row[k] for k in keys))
        paper = smp.PAPER_DONE[row["app"]]
        of = (paper.get((row["kernel"], 2, row["placement"])), paper.get((row["kernel"], 1, "dynamic")))
        lines.append(
            (
                f"{row['core']}, {row['app']}",
                KERNELS[row["kernel"]],
                arrangement(row),
                number(of[0] / of[1] if of[0] and of[1] else None, 2),
                number(row["done"] / single["done"] if single["done"] else None, 2),
            )
        )
    return Table(
        "Throughput of two CPUs over one",
        ("core, application", "kernel", "CPUs", "paper", "ours"),
        tuple(lines),
        text_columns=3,
    )


def smp_cycles(rows: Sequence[dict[str, Any]]) -> Table:
    """Where the cycles go, for each pixel or packet; the sum over all CPUs."""
    lines = []
    for row in rows:
        done = row["done"]
        parts = [row[f"cycles_{owner}"] for owner in OWNERS] + [row["idle_cycles"]]
        lines.append(
            (
                f"{row['core']}, {row['app']}",
                KERNELS[row["kernel"]],
                arrangement(row),
                *(number(part / done if done else None, 1) for part in parts),
                _share(row),
                number(smp.free_kernel(row), 2),
            )
        )
    return Table(
        "Where the cycles of a pixel or packet go",
        (
            "core, application",
            "kernel",
            "CPUs",
            *OWNERS,
            "idle",
            "kernel's share",
            "a free kernel would give",
        ),
        tuple(lines),
        text_columns=3,
    )


def grain(rows: Sequence[dict[str, Any]]) -> Table:
    """Pixels in the window for each message size: what fine-grained communication costs on either kernel."""
    lines = []
    for soft, hard in _pairs(rows):
        lines.append(
            (
                f"{soft['grain']}",
                arrangement(soft),
                number(soft["done"]),
                number(hard["done"]),
                number(hard["done"] / soft["done"] if soft["done"] else None, 2),
                _share(soft),
                _share(hard),
            )
        )
    return Table(
        "Pixels in one million cycles by pixels a message (standard core)",
        (
            *("pixels a message", "CPUs", "software kernel", "hardware kernel", "ratio"),
            *("kernel's share SW", "kernel's share HW"),
        ),
        tuple(lines),
        text_columns=2,
    )


def synth(rows: Sequence[dict[str, Any]]) -> Table:
    """Area and clock of the units, the paper's scheduler beside ours."""

    def both(row: dict[str, Any], key: str, paper: str, digits: int = 0) -> tuple[str, str]:
        return number(row[key], digits), number(row[paper], digits)

    return Table(
        "Area and clock on ECP5, median of the seeds (paper: Virtex-II Pro 30)",
        (
            *("unit", "size", "part"),
            *("LUT4", "paper", "FF", "paper", "BRAM", "paper", "RAM16x4", "slices"),
            *("MHz", "min", "max", "paper", "seeds"),
        ),
        tuple(
            (
                *_synth_unit(row),
                row["device"],
                *both(row, "lut4", "paper_lut4"),
                *both(row, "ff", "paper_ff"),
                *both(row, "bram", "paper_bram"),
                number(row["dram"]),
                number(row["paper_slices"]),
                number(row["fmax_mhz"], 1),
                number(row["fmax_min"], 1),
                number(row["fmax_max"], 1),
                number(row["paper_mhz"], 1),
                number(row["seeds"]),
            )
            for row in rows
        ),
        text_columns=3,
    )


def critical(rows: Sequence[dict[str, Any]]) -> Table:
    """Where the longest path of each unit goes: what to mend first."""

    def line(row: dict[str, Any]) -> tuple[str, ...]:
        path = row["critical"]
        routing = number(path["ns"] - path["logic_ns"], 1)
        times = (number(path["ns"], 1), number(path["logic_ns"], 1), routing, number(path["levels"]))
        return (*_synth_unit(row), f"`{path['start']}`", f"`{path['end']}`", *times)

    return Table(
        "Longest path of the median seed",
        ("unit", "size", "from", "to", "ns", "logic", "routing", "levels"),
        tuple(map(line, rows)),
        text_columns=4,
    )


def synth_tables(rows: Sequence[dict[str, Any]]) -> list[Table]:
    reached = [figure.row() for figure in area.figures(rows)]
    return [synth(rows), *([reach(reached, "ECP5")] if reached else [])]


def _synth_unit(row: dict[str, Any]) -> tuple[str, str]:
    return (
        row["unit"] if row["build"] is None else f"{row['unit']}, {row['build']}",
        "-" if row["threads"] is None else f"{row['threads']} x {row['priorities']}",
    )


def smp_tables(rows: Sequence[dict[str, Any]]) -> list[Table]:
    return [smp_done(rows), smp_switch(rows), smp_scaling(rows), smp_cycles(rows)]


_BUILDS = {"linear": "1: one FIFO", "bitmap": "2: FIFO per priority", "hybrid": "3: and hardware threads"}
_DELAYS = {
    "unit": "kernel asks the CPU",
    "raw": "CPU traps (raw)",
    "end_to_end": "new context about to load (end to end)",
    "thread": "interrupt thread goes on",
}


_Lengths = dict[int, dict[str, Any]]  # threads queued -> the row of one operation of one build


def _equal_operations(
    rows: Sequence[dict[str, Any]], figures: Callable[[_Lengths], tuple[Any, ...]]
) -> list[tuple[str, str, tuple[Any, ...]]]:
    """(build, operations, figures): operations of one build whose figures are equal stand together."""
    groups: dict[tuple[str, tuple[Any, ...]], list[str]] = {}
    for build, operation in dict.fromkeys((row["build"], row["operation"]) for row in rows):
        found = {r["threads"]: r for r in rows if (r["build"], r["operation"]) == (build, operation)}
        groups.setdefault((build, figures(found)), []).append(operation)
    return [(_BUILDS[build], "; ".join(names), same) for (build, same), names in groups.items()]


def scheduler_operations(rows: Sequence[dict[str, Any]]) -> Table:
    """Cycles of each operation by queue length; operations of one build with equal figures share a line."""
    unit = [row for row in rows if row["part"] == "unit"]
    lengths = sorted({row["threads"] for row in unit})

    def figures_of(found: _Lengths) -> tuple[Any, ...]:
        return tuple((found[n]["cycles"], found[n]["paper_cycles"]) if n in found else None for n in lengths)

    lines = []
    for build, operations, figures in _equal_operations(unit, figures_of):
        both = [(paper, ours) for ours, paper in filter(None, figures) if paper is not None]
        paper = "-"
        if both:
            paper = number(both[0][0])
            if both[0][0] != both[-1][0]:
                paper += f" to {number(both[-1][0])}"
        lines.append(
            (
                build,
                operations,
                paper,
                *("-" if figure is None else number(figure[0]) for figure in figures),
                number(both[-1][0] / both[-1][1] if both else None, 1),
            )
        )
    return Table(
        "Cycles of each operation of the scheduler by threads queued ([HT])",
        ("build", "operations", "paper", *(str(n) for n in lengths), "paper over ours"),
        tuple(lines),
        text_columns=2,
    )


def kernel_operations(rows: Sequence[dict[str, Any]]) -> Table:
    """[HT]'s operations at a processor's port; operations of one build with equal figures share a line."""
    kernel = [row for row in rows if row["part"] == "kernel"]
    lengths = sorted({row["threads"] for row in kernel})

    def figures_of(found: _Lengths) -> tuple[Any, ...]:
        return tuple(found[n][what] for what in ("cycles", "busy") for n in lengths)

    return Table(
        "Cycles of the same operations in the kernel, at a processor's port, by threads queued",
        (
            *("build", "operations"),
            *(f"{what}, {n}" for what in ("answered", "ready again") for n in lengths),
        ),
        tuple(
            (build, operations, *map(number, figures))
            for build, operations, figures in _equal_operations(kernel, figures_of)
        ),
        text_columns=2,
    )


def scheduler_delays(rows: Sequence[dict[str, Any]]) -> Table:
    """Cycles from an interrupt on, with 250 threads ready."""
    lines = [
        (
            "software kernel" if row["kernel"] == "sw" else _BUILDS[row["build"]],
            scheduler.LOADS[row["load"]],
            _DELAYS[row["operation"]],
            number(row["paper_mean"]),
            number(row["paper_jitter"]),
            number(row["least"]),
            number(row["mean"], 1),
            number(row["most"]),
            number(row["jitter"], 1),
            number(row["interrupts"]),
        )
        for row in rows
        if row["part"] == "delay"
    ]
    return Table(
        "Cycles from an interrupt at a random moment, 250 threads ready ([HT])",
        (
            *("build", "the threads", "until", "paper: mean", "paper: jitter"),
            *("least", "mean", "most", "jitter", "interrupts"),
        ),
        tuple(lines),
        text_columns=3,
    )


def scheduler_histograms(rows: Sequence[dict[str, Any]]) -> list[Table]:
    """How often the end-to-end delay of the hybrid build took how long, for each load."""
    tables = []
    for row in rows:
        key = (row["part"], row["build"], row["operation"], row.get("kernel"))
        if key != ("delay", "hybrid", "end_to_end", "hw"):
            continue
        buckets = scheduler.histogram(row["histogram"])
        most = max(count for _, _, count in buckets)
        tables.append(
            Table(
                f"Cycles until {_DELAYS['end_to_end']}, threads that {scheduler.LOADS[row['load']]}",
                ("cycles", "share", "interrupts"),
                tuple(
                    (
                        f"{low} to {high}" if high > low else f"{low}",
                        "#" * round(40 * count / most),
                        number(count),
                    )
                    for low, high, count in buckets
                ),
                text_columns=2,
            )
        )
    return tables


def policy_decisions(rows: Sequence[dict[str, Any]]) -> Table:
    """Cycles from the service or the interrupt to the next thread; of it in the policy."""
    lines = []
    for row in rows:
        if row["part"] != "decision":
            continue
        numbers = [number(row[key], 1) for key in ("service", "interrupt", "policy_cycles")]
        place = (KERNELS[row["kernel"]], row["policy"], row["core"], str(row["cpus"]), str(row["threads"]))
        lines.append((*place, number(row["switches"]), *numbers))
    return Table(
        "Cycles of a decision: to the next thread's first instruction",
        (
            "kernel",
            "policy",
            "core",
            "CPUs",
            "threads",
            "switches",
            "after a service",
            "after an interrupt",
            "in the policy",
        ),
        tuple(lines),
        3,
    )


def policy_shares(rows: Sequence[dict[str, Any]]) -> Table:
    """Weights 61 : 20 : 20 : 20 : 20 on two CPUs."""
    lines = [
        (
            KERNELS[row["kernel"]],
            row["policy"],
            row["core"],
            " ".join(number(100 * share, 1) for share in row["shares"]),
            number(row["ratio"], 2),
            "3.06" if row["gap_in_B"] is not None else "-",
            number(row["gap_in_B"], 2),
            number(row["bound_in_B"], 2),
        )
        for row in rows
        if row["part"] == "share"
    ]
    return Table(
        "Five threads of weights 61 20 20 20 20 on two CPUs ([DWRR]'s counter-example)",
        (
            "kernel",
            "policy",
            "core",
            "% of both CPUs each",
            "first : others",
            "paper's DWRR",
            "gap (B)",
            "bound (B)",
        ),
        tuple(lines),
        4,
    )


def policy_moves(rows: Sequence[dict[str, Any]]) -> Table:
    """What a move to another CPU costs."""
    lines = [
        (row["core"], number(row["move"]), number(row["first"]), number(row["again"]))
        for row in rows
        if row["part"] == "move"
    ]
    return Table(
        "A thread that moves to another CPU: cycles of the move, of 2 KiB of code there, and once more",
        ("core", "move", "first round", "next round"),
        tuple(lines),
    )


def policies_tables(content: dict[str, Any]) -> list[Table]:
    """Of `coreloom bench policies`; the quick one has no area."""
    rows = content["rows"]
    area = [synth(content["area"])] if content["area"] else []
    return [policy_decisions(rows), policy_shares(rows), policy_moves(rows), *area, reach(content["reach"])]


def scheduler_tables(rows: Sequence[dict[str, Any]]) -> list[Table]:
    return [
        scheduler_operations(rows),
        kernel_operations(rows),
        scheduler_delays(rows),
        *scheduler_histograms(rows),
    ]


_IPC_CHANGED = {
    ("polling_wires", "polling2_wires"): "two words in flight gain more than the handshakes cost",
    (
        "polling2_wires",
        "interrupt",
    ): "polling 2 pays its handshake for each word, interrupts are two for a block",
    ("interrupt", "semaphore"): "two operations of this kernel take less than two interrupts",
}


def _ipc_row_title(row: dict[str, Any]) -> str:
    known = ipc_transfer.MECHANISMS if row["part"] == "transfer" else ipc_latency.TESTS
    return ipc_transfer.titled(known[row["mechanism"]].title, row["kernel"])


def ipc_paper(rows: Sequence[dict[str, Any]]) -> Table:
    """[IPC]'s table: its four mechanisms, its sizes, its system of two processors."""
    says = {
        "(a) polling": "the fastest in any case",
        "(a') polling 2": "slower than polling",
        "(c) semaphore": f"more than {number(ipc.PAPER_SEMAPHORE)} to start the task",
    }
    here = [r for r in rows if (r["part"], r["platform"], r["cpus"]) == ("transfer", "amp", 2)]
    cases = [(words, core) for words in ipc.PAPER_WORDS for core in ("economy", "standard")]
    lines = []
    for name, kernel in dict.fromkeys((r["mechanism"], r["kernel"]) for r in here):
        paper = ipc_transfer.MECHANISMS[name].paper
        if paper is None:
            continue
        found = [ipc.find(here, name, kernel=kernel, words=words, core=core) for words, core in cases]
        lines.append(
            (
                paper,
                ipc_transfer.titled(ipc_transfer.MECHANISMS[name].title, kernel),
                says.get(paper, "-"),
                *("-" if row is None else number(row["cycles"]) for row in found),
            )
        )
    return Table(
        "Cycles of [IPC]'s four mechanisms on its system: two processors, local memories (its Table 1)",
        ("paper", "here", "paper says", *(f"{words} words, {core}" for words, core in cases)),
        tuple(lines),
        text_columns=3,
    )


def ipc_order(rows: Sequence[dict[str, Any]]) -> Table:
    """The order of the four, and where it is another one than expected, why."""
    lines = []
    for case in ipc.orders(rows):
        broken = [
            reason
            for (before, after), reason in _IPC_CHANGED.items()
            if case.cycles[before] >= case.cycles[after]
        ]
        names = [ipc_transfer.MECHANISMS[name].title for name in case.cycles]
        text = " < ".join(f"{name} {number(n)}" for name, n in zip(names, case.cycles.values(), strict=True))
        kept = "the same" if case.kept else "; ".join(broken)
        kernel = KERNELS[case.kernel]
        lines.append((case.core, kernel, number(case.cpus), number(case.words), text, kept))
    return Table(
        "Order of the four (amp), against polling < polling 2 < interrupt < semaphore",
        ("core", "kernel", "CPUs", "words", "order, cycles", "against that"),
        tuple(lines),
        text_columns=6,
    )


def ipc_transfers(rows: Sequence[dict[str, Any]]) -> list[Table]:
    """Each mechanism on each platform and core: cycles and, in brackets, how many times the bound."""
    transfers = [row for row in rows if row["part"] == "transfer" and row["words"]]
    sizes = sorted({row["words"] for row in transfers})
    made = []
    for kind, core in dict.fromkeys((row["platform"], row["core"]) for row in transfers):
        here = [row for row in transfers if (row["platform"], row["core"]) == (kind, core)]
        lines = []
        for name, kernel in dict.fromkeys((row["mechanism"], row["kernel"]) for row in here):
            of = {(r["cpus"], r["words"]): r for r in here if (r["mechanism"], r["kernel"]) == (name, kernel)}
            for cpus in dict.fromkeys(cpus for cpus, _ in of):
                found = [of.get((cpus, words)) for words in sizes]
                last = found[-1]
                busy = None if last is None else 100 * last["bus_transfers"] / last["cycles"]
                lines.append(
                    (
                        _ipc_row_title(of[cpus, sizes[0]]),
                        number(cpus),
                        *("-" if r is None else f"{number(r['cycles'])} ({r['ratio']:.1f})" for r in found),
                        "-" if busy is None else f"{busy:.0f} %",
                    )
                )
        made.append(
            Table(
                f"Cycles of a block, {kind}, {core} core (in brackets: times the bound)",
                ("mechanism", "CPUs", *(f"{words} words" for words in sizes), "bus busy"),
                tuple(lines),
            )
        )
    return made


def ipc_operations(rows: Sequence[dict[str, Any]]) -> list[Table]:
    """Signals, round trips, locks and barriers; where more CPUs change a figure, one figure for each."""
    parts = {
        "signal": "Cycles of a signal or word to a processor or thread that waits",
        "trip": "Cycles of a round trip",
        "lock": "Cycles of a lock that nobody else wants",
        "handover": "Cycles from the release of a lock to the next owner's going on, all CPUs waiting",
        "barrier": "Cycles from the last arrival at a barrier to the last one's going on",
    }
    made = []
    for part, title in parts.items():
        here = [row for row in rows if row["part"] == part]
        where = list(dict.fromkeys((row["platform"], row["core"]) for row in here))
        lines = []
        for name, operation, kernel in dict.fromkeys(
            (r["mechanism"], r["operation"], r["kernel"]) for r in here
        ):
            of = [
                r for r in here if (r["mechanism"], r["operation"], r["kernel"]) == (name, operation, kernel)
            ]
            cells = []
            for place in where:
                cycles = [number(r["cycles"]) for r in of if (r["platform"], r["core"]) == place]
                cells.append(" / ".join(cycles if len(set(cycles)) > 1 else cycles[:1]) or "-")
            what = _ipc_row_title(of[0]) + (f": {operation}" if part == "lock" else "")
            lines.append((what, number(of[0]["bound_cycles"]), *cells))
        if lines:
            columns = ("mechanism", "bound", *(f"{kind}, {core}" for kind, core in where))
            made.append(Table(title, columns, tuple(lines)))
    return made


def ipc_streams(rows: Sequence[dict[str, Any]]) -> Table:
    """Words a cycle of a stream through mailboxes, beside what the cores alone do."""
    return Table(
        "Words a cycle of a stream through mailboxes, every pair at once",
        ("core", "platform", "CPUs", "stream", "words", "words a cycle", "the core alone", "share"),
        tuple(
            (
                row["core"],
                row["platform"],
                number(row["cpus"]),
                _ipc_row_title(row),
                number(row["words"]),
                f"{row['words_per_cycle']:.3f}",
                f"{row['own_rate']:.3f}",
                f"{100 * row['own_cycles'] / row['cycles']:.0f} %",
            )
            for row in rows
            if row["part"] == "stream"
        ),
        text_columns=4,
    )


def ipc_tables(rows: Sequence[dict[str, Any]]) -> list[Table]:
    return [
        ipc_paper(rows),
        ipc_order(rows),
        *ipc_transfers(rows),
        *ipc_operations(rows),
        ipc_streams(rows),
    ]


def _backdoor_row(row: dict[str, Any]) -> tuple[str, str]:
    """Program and size."""
    program = backdoor.PROGRAMS[row["program"]]
    return program.title, program.sized(row["size"])


def _backdoor_programs(rows: Sequence[dict[str, Any]], kind: str = "backdoor") -> list[dict[str, Any]]:
    return [row for row in rows if (row["part"], row.get("platform")) == ("program", kind)]


def _backdoor_shared(rows: Sequence[dict[str, Any]], row: dict[str, Any]) -> dict[str, Any] | None:
    """The same case on smp-bus, if it was measured."""
    keys = ("core", "program", "size")
    found = _backdoor_programs(rows, "smp-bus")
    return next((other for other in found if all(other[key] == row[key] for key in keys)), None)


def backdoor_paper(row: dict[str, Any]) -> str:
    """What [GF] says of the program; where its text has no number, that of all four."""
    low, high = backdoor.PAPER
    return f"{low:g} to {high:g}" if row["paper"] is None else f"{row['paper']:g}"


def backdoor_speed(rows: Sequence[dict[str, Any]]) -> list[Table]:
    """One processor against two, for each core: cycles, speed-up, its bound, the paper's."""
    here = _backdoor_programs(rows)
    return [
        Table(
            f"One processor and two on the Back-Door, {core} core",
            (
                *("program", "size", "cycles, one", "cycles, two", "speed-up", "bound", "of the bound"),
                *("with the loading", "paper"),
            ),
            tuple(
                (
                    *_backdoor_row(row),
                    number(row["cycles_1"]),
                    number(row["cycles_2"]),
                    *(f"{row[key]:.2f}" for key in ("speedup", "bound")),
                    f"{100 * row['bound_ratio']:.1f} %",
                    f"{row['speedup_with_loading']:.2f}",
                    backdoor_paper(row),
                )
                for row in here
                if row["core"] == core
            ),
            text_columns=2,
        )
        for core in dict.fromkeys(row["core"] for row in here)
    ]


def backdoor_cycles(rows: Sequence[dict[str, Any]]) -> Table:
    """Where processor 0 spends the cycles of a program on two."""

    def line(row: dict[str, Any]) -> tuple[str, ...]:
        two = row["cycles_2"]
        moving, waiting = row["transfer_cycles"], row["wait_cycles"]
        parts = (two - moving - waiting, moving, waiting)
        return (
            *_backdoor_row(row),
            row["core"],
            number(two),
            *(f"{number(part)} ({100 * part / two:.1f} %)" for part in parts),
            *(number(row[key]) for key in ("words_down", "words_up", "serial_cycles", "load_cycles")),
        )

    return Table(
        "Where the cycles of processor 0 go with two on the Back-Door",
        (
            *("program", "size", "core", "cycles, two", "its own work", "moving words", "waiting"),
            *("words down", "words up", "of one: not split", "before: loading the image"),
        ),
        tuple(map(line, _backdoor_programs(rows))),
        text_columns=3,
    )


def backdoor_smp(rows: Sequence[dict[str, Any]]) -> Table:
    """The same programs with two processors on one bus, where nothing is copied."""
    lines = []
    for row in _backdoor_programs(rows):
        other = _backdoor_shared(rows, row)
        if other is None:
            continue
        lines.append(
            (
                *_backdoor_row(row),
                row["core"],
                *(number(r[key]) for r in (row, other) for key in ("cycles_1", "cycles_2")),
                *(f"{r['speedup']:.2f}" for r in (row, other)),
                f"{other['bound']:.2f}",
                f"{100 * other['cycles_2'] / row['cycles_2']:.1f} %",
            )
        )
    return Table(
        "The same programs on smp-bus: two processors, one bus, one memory, nothing copied",
        (
            *("program", "size", "core", "Back-Door: one", "two", "smp-bus: one", "two"),
            *("speed-up, Back-Door", "speed-up, smp-bus", "its bound", "two: smp-bus over Back-Door"),
        ),
        tuple(lines),
        text_columns=3,
    )


_BACKDOOR_DMA = {
    "list": "one descriptor, the DMA alone",
    "stream": "stream, the Back-Door alone",
    "program": "stream of a program, {} core",
}


def backdoor_dma(rows: Sequence[dict[str, Any]]) -> Table:
    """Words a cycle of the DMA: alone, with both sides at work, and for a program."""

    def line(row: dict[str, Any]) -> tuple[str, ...]:
        near, far = row["near_period"], row["far_period"]
        return (
            _BACKDOOR_DMA[row["kind"]].format(row.get("core")),
            row["op"],
            "-" if near is None else f"{near / far:.3g}",
            number(row["words"]),
            number(row["cycles"]),
            f"{row['words_per_cycle']:.3f}",
        )

    found = [row for kind in _BACKDOOR_DMA for row in rows if (row["part"], row.get("kind")) == ("dma", kind)]
    return Table(
        "Words a cycle of the DMA",
        ("what", "operation", "clock of processor 1 over that of 0", "words", "cycles", "words a cycle"),
        tuple(map(line, found)),
        text_columns=3,
    )


def backdoor_bells(rows: Sequence[dict[str, Any]]) -> Table:
    """Doorbells by way, core and clock of processor 1."""
    return Table(
        "Cycles of processor 0 from a doorbell to the interrupt and to the handler",
        ("doorbell", "until", "core", "clock of processor 1 over that of 0", "cycles", "least", "most"),
        tuple(
            (
                backdoor_latency.WAYS[row["way"]],
                backdoor_latency.UNTIL[row["until"]],
                row["core"],
                f"{row['far_clock']:g}",
                *(number(row[key]) for key in ("cycles", "least", "most")),
            )
            for row in rows
            if row["part"] == "doorbell"
        ),
        text_columns=3,
    )


def backdoor_tables(rows: Sequence[dict[str, Any]]) -> list[Table]:
    rest = (backdoor_cycles, backdoor_smp, backdoor_dma, backdoor_bells)
    shown = [*backdoor_speed(rows), *(table(rows) for table in rest)]
    return [table for table in shown if table.rows]


def backdoor_readme(rows: Sequence[dict[str, Any]]) -> Table:
    """The largest size of each program, both cores."""
    lines = []
    for core in backdoor.CORES:
        for row in backdoor.largest(rows, core):
            other = _backdoor_shared(rows, row)
            lines.append(
                (
                    *_backdoor_row(row),
                    core,
                    backdoor_paper(row),
                    *(f"{row[key]:.2f}" for key in ("speedup", "bound")),
                    "-" if other is None else f"{other['speedup']:.2f}",
                )
            )
    return Table(
        "Speed-up by a second processor",
        ("program", "size", "core", "paper", "Back-Door", "bound", "smp-bus"),
        tuple(lines),
        text_columns=3,
    )


def advice(choices: Sequence[advise.Choice], title: str) -> Table:
    """What `coreloom advise` compares."""
    return Table(
        title,
        ("mechanism", "needs", "cycles", "bound", "times"),
        tuple(
            (c.title, c.needs, number(c.cycles), number(c.bound), f"{c.cycles / c.bound:.1f}")
            for c in choices
        ),
        text_columns=2,
    )
