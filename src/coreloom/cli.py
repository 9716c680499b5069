# SPDX-License-Identifier: Apache-2.0
"""The command line: the only place that prints."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import math
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table as RichTable

from coreloom import __version__
from coreloom.apps import APPS, WrongOutput
from coreloom.apps.base import read_file
from coreloom.benches import exclusive_tables, linux_tables, model_tables, pool, tables
from coreloom.benches import pages as report
from coreloom.benches.backdoor import bench as backdoor
from coreloom.benches.exclusive import bench as exclusive
from coreloom.benches.fairness import bench as fairness
from coreloom.benches.ipc import advise
from coreloom.benches.ipc import bench as ipc
from coreloom.benches.linux import bench as linux
from coreloom.benches.linux import loads as linux_loads
from coreloom.benches.linux import verifier
from coreloom.benches.model import bench as scale
from coreloom.benches.model import prediction
from coreloom.benches.policies import bench as policies
from coreloom.benches.scheduler import bench as scheduler
from coreloom.benches.smp import bench as smp
from coreloom.benches.smp import reach
from coreloom.commands import examine as doctor
from coreloom.commands import generated as generate
from coreloom.commands import linux as cli_linux
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.paths import BUILD
from coreloom.programs import registry
from coreloom.report import results
from coreloom.report.table import Table
from coreloom.report.table import reach as reach_table
from coreloom.scheduling import build as scheduling_build
from coreloom.scheduling import builtin, case, shown, traces, workload
from coreloom.scheduling import simulate as scheduling
from coreloom.scheduling.workload import Costs, Machine
from coreloom.simulation import measure, trace
from coreloom.simulation.experiment import PLACEMENTS, Experiment, Outcome
from coreloom.simulation.simulate import FAR_PERIOD, Halted, Pulses, SimResult
from coreloom.synthesis import pnr, synth, units
from coreloom.toolchain.firmware import KERNELS
from coreloom.toolchain.firmware import policies as software_policies

_out = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
_err = Console(highlight=False, stderr=True, soft_wrap=True)


class _Parser(argparse.ArgumentParser):
    """One line for a wrong option, as for every other mistake."""

    def error(self, message: str) -> NoReturn:
        _err.print(f"{self.prog}: error: {message} (see {self.prog} --help)", markup=False)
        raise SystemExit(2)


def _show(table: Table) -> None:
    rich = RichTable(title=table.title, title_justify="left")
    for index, column in enumerate(table.columns):
        rich.add_column(column, justify="left" if index < table.text_columns else "right")
    for row in table.rows:
        rich.add_row(*row)
    console = _out if _out.is_terminal else Console(highlight=False, width=160)
    console.print()
    console.print(rich)


def _shown(path: Path) -> str:
    """A path as short as it can be given."""
    path = path.resolve()
    base = Path.cwd()
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)


def _progress(percent: bool = False) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn() if percent else MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=_err,
    )


def _with_bar(total: int, run: Callable[..., list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """What `run` returns, under a bar of `total` steps; it calls its on_start(text) and on_done()."""
    with _progress() as bar:
        task = bar.add_task("start", total=total)
        rows = run(
            on_start=lambda text: bar.update(task, description=text),
            on_done=lambda: bar.advance(task),
        )
        bar.update(task, description="done")
    return rows


# --- doctor --------------------------------------------------------------------------------


def _doctor(args: argparse.Namespace) -> int:
    if args.platform is None:
        for option in ("kernel", "cpus"):
            if getattr(args, option) is not None:
                raise UserError(f"--{option} is of a platform: give --platform, too")
        findings = doctor.examine()
        words = ("ok     ", "absent ", "MISSING")
    else:
        soc = platform.load(args.platform, args.cpus)
        with _err.status(f"probe {soc.name}"):
            findings = doctor.probe(soc, args.kernel or "hw")
        words = ("holds  ", "absent ", "FAILS  ")
    for finding in findings:
        mark = words[0] if finding.ok else words[2] if finding.required else words[1]
        remedy = f"; {finding.remedy}" if finding.remedy and not finding.ok else ""
        _out.print(f"{mark}  {finding.what}: {finding.found}{remedy}", markup=False)
    return int(any(finding.required and not finding.ok for finding in findings))


# --- run -----------------------------------------------------------------------------------


_INPUT_OPTIONS = {"image": "image", "packets": "pcap"}  # any other program: --input


def _input_of(args: argparse.Namespace) -> Path | None:
    """The user's input file; an option that belongs to another application is a mistake."""
    own = _INPUT_OPTIONS.get(args.app, "input")
    for option in ("image", "pcap", "input"):
        if option != own and getattr(args, option) is not None:
            raise UserError(f"--{option} is not an input of {args.app}: use --{own}")
    given: Path | None = getattr(args, own)
    return given


def _prepare(args: argparse.Namespace) -> bytes:
    """Content of the INPUT region: an application's checked input, or any bytes for a program of the user."""
    given = _input_of(args)
    if args.app in APPS:
        return APPS[args.app].prepare(given)
    return b"" if given is None else read_file(given)


def _save(args: argparse.Namespace, outcome: Outcome, data: bytes) -> None:
    """Keep the output; that of an application only if it is right."""
    output = outcome.result.output
    if args.app in APPS:
        app = APPS[args.app]
        target = args.output or BUILD / "output" / f"{args.app}{app.suffix}"
        app.check(output, data)
        app.save(output, target)
        _out.print(f"output (equal to the host's result): {_shown(target)}", markup=False)
    elif output or args.output:
        target = args.output or BUILD / "output" / f"{outcome.program.stem}.bin"
        results.write_atomically(target, output)
        _out.print(f"output: {_shown(target)}", markup=False)


def _write_trace(outcome: Outcome, path: Path) -> None:
    run: SimResult = outcome.result
    soc = outcome.experiment.platform
    text = trace.chrome_trace(run.events, soc.cpus, run.cycles, run.names, soc.kernel.hardware_threads)
    results.write_atomically(path, text.encode())
    _out.print(f"timeline: {_shown(path)} (open it at ui.perfetto.dev)", markup=False)


def _print_figures(outcome: Outcome) -> None:
    found, run = outcome.figures, outcome.result
    app = APPS.get(outcome.experiment.app)
    unit = app.unit if app is not None else "units of work"
    low, mean, high = measure.spread(found.voluntary)
    rate = run.cycles / max(run.seconds, 1e-9)
    _out.print(
        f"{run.cycles} cycles ({rate / 1e3:.0f} kcycle/s simulated); from initialisation to the end "
        f"{found.end - found.start}",
        markup=False,
    )
    _out.print(f"{found.done} {unit}, {found.switches} switches", markup=False)
    if mean is not None:
        _out.print(f"voluntary switch: min {low}, mean {mean:.1f}, max {high} cycles", markup=False)
    idle = ", ".join(f"CPU {cpu} {cycles}" for cpu, cycles in enumerate(found.idle))
    _out.print(f"idle cycles: {idle}", markup=False)
    names = outcome.experiment.platform.kernel.hardware_threads
    for number, (name, unit_time) in enumerate(zip(names, found.units, strict=True)):
        _out.print(
            f"hardware thread {number} ({name}): ran {unit_time.ran} cycles, waited {unit_time.waited}",
            markup=False,
        )


def _print_uart(text: str) -> None:
    if text:
        _out.print(text.rstrip("\n"), markup=False)


_UNNAMED = Path()  # --trace or --waves without a file
_SUFFIXES = {"trace": ".trace.json", "waves": ".vcd"}


def _check_targets(args: argparse.Namespace) -> None:
    """Every file that the run will write can be written, and is another one."""
    for option, suffix in _SUFFIXES.items():
        if getattr(args, option) == _UNNAMED:
            setattr(args, option, BUILD / "output" / f"{Path(args.app).stem}{suffix}")
    seen: dict[Path, str] = {}
    for option in ("output", "trace", "waves"):
        path: Path | None = getattr(args, option)
        if path is None:
            continue
        results.check_target(path)
        if other := seen.get(path.resolve()):
            raise UserError(f"--{other} and --{option} are the same file {path}: give two names")
        seen[path.resolve()] = option


def _run(args: argparse.Namespace) -> int:
    soc = platform.load(args.platform, args.cpus)
    if args.grain is not None and args.app != "image":
        raise UserError(f"--grain is not an option of {args.app}: only image has pixels a message")
    if args.far_period is not None and soc.backdoor is None:
        raise UserError(f"--far-clock is of a processor behind a Back-Door: {soc.name} has none")
    _check_targets(args)
    defines: dict[str, str | int] = {} if args.grain is None else {"IMAGE_GRAIN": args.grain}
    experiment = Experiment(args.app, soc, args.kernel, args.placement, defines, args.policy)
    data = _prepare(args)
    with _err.status(f"{args.app} on {soc.name}: build"):
        experiment.program()
    with _err.status(f"{args.app} on {soc.name}: simulate") as status:

        def progress(cycles: int) -> None:
            status.update(f"{args.app} on {soc.name}: {cycles / 1e6:.1f} million cycles")

        try:
            outcome = experiment.run(
                data,
                max_cycles=args.max_cycles,
                waves=args.waves,
                pulses=args.line,
                far_period=args.far_period or FAR_PERIOD,
                progress=progress,
            )
        except Halted as halted:
            _print_uart(halted.uart)
            if args.waves is not None:
                _out.print(f"waveform: {_shown(args.waves)}", markup=False)
            raise
    _print_uart(outcome.result.uart)
    if args.trace is not None:
        _write_trace(outcome, args.trace)
    if args.waves is not None:
        _out.print(f"waveform: {_shown(args.waves)}", markup=False)
    outcome.check_finished()
    _print_figures(outcome)
    _save(args, outcome, data)
    return 0


# --- bench ---------------------------------------------------------------------------------

_METHOD = (
    "Every row is one simulation of the same application source, linked with the software kernel or with "
    "the hardware kernel.\n"
    "Work, switches, idle cycles and where the cycles go are counted for {window} cycles after the "
    "application has initialised.\n"
    "A voluntary switch is counted from the entry of the service that blocks to the first instruction of the "
    "next thread, both marked by a store of the program; switches that had to wait for work are left out.\n"
    "On both kernels a thread that waits for a message keeps only the registers in use at that place; the "
    "compiler may store and load them before and after what is counted as the switch, then they count as "
    "application.\n"
    "Bound: stack pointer and program counter stored and loaded, and one access of 2 cycles.\n"
    "Kernel: everything in runtime/, including what is inlined into the application, and waiting for locks.\n"
    "What a free kernel would give bounds any gain: all cycles over those that are not the kernel's.\n"
)


def _measure(wanted: list[smp.Case], window: int) -> list[dict[str, Any]]:
    """Run the cases with the default inputs under a progress bar."""
    inputs = {name: APPS[name].prepare(None) for name in {case.app for case in wanted}}
    rows = _with_bar(len(wanted) + len(smp.models(wanted)), partial(smp.run, wanted, inputs, window))
    return rows


def _bench_smp(args: argparse.Namespace) -> int:
    rows = _measure(smp.cases(("standard",) if args.quick else smp.CORES), args.window)
    with _err.status("measure the ready queue and the kernel port"):
        figures = [figure.row() for figure in reach.figures(rows)]
    # As with synth, only the whole measurement becomes a page.
    path = results.write(
        "smp-some" if args.quick else "smp",
        rows,
        reach=figures,
        window_cycles=args.window,
        method=_METHOD.format(window=args.window),
        switch_bound_cycles=smp.SWITCH_BOUND,
    )
    for table in (*tables.smp_tables(rows), reach_table(figures)):
        _show(table)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


def _bench_grain(args: argparse.Namespace) -> int:
    rows = _measure(smp.grain_cases(), args.window)
    path = results.write("grain", rows, window_cycles=args.window, method=_METHOD.format(window=args.window))
    _show(tables.grain(rows))
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


_SCHEDULER_METHOD = (
    "Operations: the scheduler unit alone, from the request to the moment it can take the next one, the most "
    "that was seen; queues as long as the column says.\n"
    "Delays: a platform with one standard core at 256 threads x 128 priorities, 250 threads ready, the two "
    "best taking turns, {interrupts} interrupts 1000 to 1999 cycles apart at random; counted from the rising "
    "edge of the line without a store in the measured path.\n"
    "Ready threads either stay in the instruction cache or fill it twice over in each round.\n"
    "About to load the new context: the old one is saved, the next instruction begins with the new one.\n"
    "Jitter: the largest less the mean, as in the paper.\n"
    "Paper: [HT], ModelSim at 10 ns a cycle and a 100 MHz bus.\n"
)


def _bench_scheduler(args: argparse.Namespace) -> int:
    wanted = scheduler.jobs(args.interrupts)
    rows = _with_bar(len(wanted), partial(pool.run, [], wanted))
    figures = [figure.row() for figure in scheduler.figures(rows)]
    method = _SCHEDULER_METHOD.format(interrupts=args.interrupts)
    # As with synth, only the whole measurement becomes a page.
    name = "scheduler" if args.interrupts >= scheduler.INTERRUPTS else "scheduler-some"
    path = results.write(name, rows, reach=figures, unit="cycles", method=method)
    for table in (*tables.scheduler_tables(rows), reach_table(figures)):
        _show(table)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


_IPC_METHOD = (
    "Blocks go from the local memory of one processor to that of another; amp is the paper's system (a "
    "local memory each, one global memory on a shared bus), on smp-bus the blocks are in the shared "
    "memory, too.\n"
    "Half of the processors send to the other half at the same time; the slowest pair counts, all words "
    "are checked.\n"
    "Cycles are those between two instructions of the program, watched from outside: polling from the "
    "first Wait of the sender until Inactivate ack of the receiver is done, interrupt the same with the "
    "receiver's service routine, semaphore from the sender's call of wai_sem until sig_sem of the "
    "receiver has returned; everything else from the sender's call until the receiver has all words in "
    "its local memory.\n"
    "An instruction counts from its decoding on the standard core, from its fetch on the economy core.\n"
    "The receiver waits already; each size is sent several times, a cycle later against the receiver "
    "each time, the first time (cold) left out; what is shown is the median.\n"
    "The text that there is of [IPC] has neither its figures 2 to 5 nor the numbers of its table, so "
    "the order of the steps within a protocol is ours where the text does not say it: first Wait, copy, "
    "req; in polling 2 the sender writes the next word while the receiver reads the one before; req and "
    "ack go down before the next word.\n"
    "Of the order of the four the text says that polling is the fastest in any case and polling 2 "
    "slower than it.\n"
    "Variables for req and ack are read and written under the memory lock, as the paper asks for "
    "exclusion.\n"
    "The copying loop is the same everywhere (loads and stores in turns, each load two instructions "
    "ahead), on mailboxes and in blocks through kernel ports the runtime's.\n"
    "All to one: every other processor sends a block to the first; one to all: the first sends a block "
    "to every other; from the first begin to the last end.\n"
    "Bound of a block of L words: over the one bus 2 L beats for each pair (4 L on smp-bus, where both "
    "ends are on the bus, too) and 4 for a signal there and back; through private ports L and 2, on "
    "smp-bus at least its bus beats. No core reaches it that moves a word by a load and a store: alone "
    "that is 2 L at either end.\n"
    "Signals: from the store that signals until the instruction that uses the answer is done. Bound 3: "
    "the store is granted, it is executed and answers the load that waits, the answer is used; over "
    "memory 4: a beat each for store and load, the answer, its use. A round trip shares its middle "
    "cycle.\n"
    "Locks: raw ones without looking at the answer, services with all their checks. Bound: one access "
    "each, two for the lock unit, which is given an address.\n"
    "Streams: the core alone is the same loop at an operation of the same port that never waits.\n"
    "Bus busy: transfers on the shared bus over cycles, during the largest block.\n"
)


def _bench_ipc(args: argparse.Namespace) -> int:
    # As with synth, only the whole measurement becomes a page.
    where = ipc.places(("amp",), ("standard",), (2,)) if args.quick else ipc.places()
    wanted = ipc.jobs(where, (8, 32, 128)) if args.quick else ipc.jobs(where)
    rows = _with_bar(ipc.steps(where, wanted), partial(ipc.run, where, wanted))
    figures = [figure.row() for figure in ipc.figures(rows)]
    name = "ipc-some" if args.quick else "ipc"
    path = results.write(name, rows, reach=figures, unit="cycles", method=_IPC_METHOD)
    for table in (*tables.ipc_tables(rows), reach_table(figures, "standard core, amp")):
        _show(table)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


_BACKDOOR_METHOD = (
    "Each row of a program is one simulation: the work with processor 0 alone, then with both, results equal "
    "bit for bit. Both do the same work: sorting is two halves and a merge in either case, half of the "
    "cycles of a selection sort of the whole.\n"
    "On the Back-Door nothing else joins the two: processor 0 sends a half of the data and receives its "
    "results; the cycles with two are from data to results in the memory of processor 0. On smp-bus a thread "
    "on processor 1 does that half, and both work on one memory; no more than 5000 elements are sorted "
    "there with the economy core, as that takes long.\n"
    "Both processors have the same clock. The image is loaded before; with the loading: the speed-up of one "
    "that is loaded for a single use.\n"
    "Bound: the cycles of one over those that cannot be split, half of the others, and 2 for each word that "
    "crosses, which processor 0 moves by a load and a store on its bus.\n"
    "Moving words: in remote_send and remote_receive as long as they do not wait; waiting: for processor 1.\n"
    "Paper: [GF] section 4.2, two PowerPC 405 on a Virtex-II Pro. Its text has a number for selection sort "
    "and one for FFT, says that all four are from 1.25 to 1.6, and does not say the sizes.\n"
    "DMA: one descriptor in cycles in which the unit is busy, its bus to itself; a stream through the block, "
    "near storing or loading while the DMA moves, in cycles of the slower clock; and for far_receive and "
    "far_send on the platform, in cycles in which the DMA is busy while the core waits for it.\n"
    "Doorbell: from the store that rings (decoded on the standard core, fetched on the economy core) to the "
    "interrupt's vector, and to the handler that the program gave, registers saved. Cycles of processor 0; "
    "each ring comes a cycle later against the other side, the first (cold) is left out.\n"
)


def _bench_backdoor(args: argparse.Namespace) -> int:
    # As with synth, only the whole measurement becomes a page.
    where = backdoor.places(cores=("standard",)) if args.quick else backdoor.places()
    wanted = backdoor.jobs(where, args.quick)
    rows = _with_bar(backdoor.steps(where, wanted), partial(backdoor.run, where, wanted))
    figures = [figure.row() for figure in backdoor.figures(rows)]
    name = "backdoor-some" if args.quick else "backdoor"
    path = results.write(name, rows, reach=figures, unit="cycles", method=_BACKDOOR_METHOD)
    for table in (*tables.backdoor_tables(rows), reach_table(figures, "largest sizes")):
        _show(table)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


_FAIRNESS_METHOD = (
    "The simulator of `coreloom model` around the policies' own C files; all threads but the interactive one "
    "never sleep.\n"
    "Gap: the largest difference of service for each unit of weight between two such threads, over the whole "
    "run, exact to the event; in units of B, 25 ms for nice 0.\n"
    "Weights that ask for more than a CPU count with what is feasible (Chandra and others).\n"
    "dwrr's bound: 2 B, and a tick for the lightest weight where slices end at ticks only; a run that broke "
    "it would end this bench with an error.\n"
    "Switches cost nothing, unless a line says otherwise.\n"
)
_MODEL_METHOD = (
    "An event is a decision of the policy, or something that happens to a thread; counted by the simulator, "
    "with its instrument of fairness on.\n"
    "Prediction: each thread's computing time for each message is measured on the SoC, from leaving one "
    "service that may block to entering the next; so is the cost of a switch.\n"
    "Computing times of one CPU: the same machine and kernel with all threads on CPU 0; static, dynamic: the "
    "other placement on both CPUs.\n"
    "The model is not told how much gets done, how often it switches, or how long a CPU idles.\n"
)


_POLICIES_METHOD = (
    "Decision: half of the threads compute, half of them send each other words; mean of all switches in a "
    f"window of {policies.WINDOW} cycles, from the entry of the service or of the interrupt's handler to the "
    "next thread's first instruction, without those that had to wait for work.\n"
    "In the policy: cycles of all CPUs in files of policies/, for each switch; looks that switch to nobody "
    "count, too.\n"
    "Gap: the largest difference of service for each unit of weight, over all moments from the first, in "
    "slices.\n"
    "Area and clock: as in `coreloom synth`, of the hardware kernel by itself with each of its policies.\n"
)


def _bench_policies(args: argparse.Namespace) -> int:
    first, wanted = policies.jobs(args.quick)
    builds = [] if args.quick else units.choose(["cl_kernel"], *policies.AREA_SIZE)
    seeds = policies.AREA_SEEDS
    area = _with_bar(synth.steps(builds, seeds), partial(synth.run, builds, seeds)) if builds else []
    rows = _with_bar(len(first) + len(wanted), partial(pool.run, first, wanted))
    facts = {"area": area, "reach": [figure.row() for figure in policies.figures(rows)]}
    name = "policies-some" if args.quick else "policies"
    tools = results.tools() | (results.tools(results.SYNTH_TOOLS) if builds else {})
    path = results.write(name, rows, unit="cycles", method=_POLICIES_METHOD, tools=tools, **facts)
    for table in tables.policies_tables(results.read(name)):
        _show(table)
    _out.print(f"results: {_shown(path)}", markup=False)
    _out.print(f"costs for the model: {_shown(policies.write_costs(rows))}", markup=False)
    return 0


def _bench_fairness(args: argparse.Namespace) -> int:
    wanted = fairness.jobs(args.quick)
    rows = _with_bar(len(wanted), partial(pool.run, [], wanted))
    found = fairness.balance()
    reached = [figure.row() for figure in fairness.figures(rows)]
    # As with synth, only the whole measurement becomes a page.
    name = "fairness-some" if args.quick else "fairness"
    path = results.write(name, rows, reach=reached, balance=found, method=_FAIRNESS_METHOD)
    for table in model_tables.fairness_tables(results.read(name)):
        _show(table)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


_EXCLUSIVE_METHOD = (
    f"A guest with {exclusive.CPUS} CPUs in deterministic mode (linux/vm), a kernel of Debian's; each row "
    "is one run, the tables show the median of {seeds} seeds; "
    "the same seed gives the same rows on any host.\n"
    "Wall and CPU time are those of the job from its start to its end; what the tool takes before and after "
    "is in a table of its own.\n"
    "Wall time over CPU time of the same run is compared, not seconds: in the guest, work that is counted in "
    "instructions (LAME, Xvid, the players) runs faster the fewer CPUs are busy.\n"
    "taskset: one CPU, which anybody else may use, too; nice -20 and SCHED_FIFO (priority 50): any CPU; "
    "ours: `coreloom exclusive run`, which chooses the CPU.\n"
    "Others: a player decodes a film of 25 frames a second, and what it gets is the part of its frames that "
    "come in time; the second encoder is LAME, over and over; of it and of hogs it is CPU time.\n"
    "All are of one login, so that the kernel's groups by login (autogroup) change nothing.\n"
    "Delays: the guest's CPUs take turns in one thread of the emulator, so with all of them busy an "
    "interrupt may come up to about 1 ms late by that alone, whatever the method.\n"
    "kill -9: in a guest in normal mode, at moments drawn from a seed, of the tool alone (its watcher "
    "restores) or of all its processes (`restore` does); then another program compares all that could have "
    "changed.\n"
    "Caches and memory are not modelled: what a neighbour costs there is in none of these figures.\n"
    "Paper: [GF] section 4.1, LAME and MPEG-4 encoders on two CPUs, Linux 2.6.11; its text has one number, "
    "up to 2.1 under its heavy load.\n"
)


def _bench_exclusive(args: argparse.Namespace) -> int:
    seeds = args.seeds or (1 if args.quick else exclusive.SEEDS)
    first, wanted = exclusive.jobs(args.quick, seeds)
    found = _with_bar(len(first) + len(wanted), partial(pool.run, first, wanted))
    rows, starts, kills = exclusive.split(found)
    figures = [figure.row() for figure in exclusive.figures(rows, starts, kills)]
    # As with synth, only the whole measurement becomes a page.
    name = "exclusive-some" if args.quick else "exclusive"
    method = _EXCLUSIVE_METHOD.format(seeds=seeds) + exclusive.verdict(rows)
    tools = results.tools(("coreloom", "ziglang")) | exclusive.versions()
    path = results.write(name, rows, reach=figures, start=starts, killed=kills, method=method, tools=tools)
    for table in exclusive_tables.exclusive_tables(results.read(name)):
        _show(table)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


_LINUX_METHOD = (
    "A guest in deterministic mode (linux/vm), a kernel of Debian's, a boot for each run; the tables show "
    "the median of the seeds ({seeds}), and the same seed gives the same rows.\n"
    "eevdf: the kernel's own scheduler; the others are loaded by sched_ext before the test begins.\n"
    "CPU time and delays are right there. Tests of work (threads, decode, oltp, script, hackbench) run at a "
    "constant rate of the CPUs, each as fast as 1 / CPUs instructions in a nanosecond: compare schedulers, "
    "not seconds with another machine.\n"
    "Delays: the guest's CPUs take turns in one thread of the emulator, so with all of them busy an "
    "interrupt may come up to about 1 ms late by that alone, whatever the scheduler.\n"
    "Gaps: the test again under lagmeter, which says how far two threads were ever apart while both were "
    "runnable, in CPU time by weight; the largest of all seeds.\n"
    "Caches, memory and what a migration costs there are not modelled.\n"
    "Paper: [DWRR], 4 Cortex-A9 with Linux 3.0; its loads were larger, so ratios compare, not values.\n"
)


def _bench_linux(args: argparse.Namespace) -> int:
    tests = linux.chosen(args.only, args.quick)
    names, missing = linux.known(args.schedulers)
    seeds = args.seeds or (1 if args.quick else linux.SEEDS)
    if missing:
        _err.print(f"not measured, as they are not installed: {', '.join(missing)}", markup=False)
    first, wanted = linux.jobs(tests, names, seeds, args.kernel)
    if not (args.quick or args.only or args.schedulers):
        wanted += verifier.jobs()
    rows = _with_bar(len(first) + len(wanted), partial(pool.run, first, wanted))
    figures = [figure.row() for figure in linux.figures(rows)]
    # As with synth, only the whole measurement becomes a page.
    name = "linux-some" if args.quick or args.only or args.schedulers else "linux"
    method = _LINUX_METHOD.format(seeds=seeds) + linux.verdict(rows)
    if missing:
        method += f"Not measured, as they were not installed: {', '.join(missing)}.\n"
    tools = results.tools(("coreloom", "ziglang")) | linux.versions(tests, names, args.kernel)
    path = results.write(name, rows, reach=figures, method=method, tools=tools)
    for table in linux_tables.linux_tables(results.read(name)):
        _show(table)
    _out.print(linux.verdict(rows), end="", markup=False)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


def _bench_model(args: argparse.Namespace) -> int:
    told = prediction.Told()
    inputs = {app: APPS[app].prepare(None) for app in prediction.GRAPHS}
    wanted = prediction.jobs(inputs, args.window, told)
    _with_bar(len(wanted), partial(pool.run, [], wanted))
    predicted = prediction.rows(args.window, told)
    rows = _with_bar(scale.steps(args.quick), partial(scale.run_all, args.quick))
    reached = [*scale.figures(rows), *prediction.figures(predicted)]
    facts: dict[str, Any] = {
        "reach": [figure.row() for figure in reached],
        "predicted": predicted,
        "window_cycles": args.window,
        "method": _MODEL_METHOD,
    }
    path = results.write("model_scale-some" if args.quick else "model_scale", rows, **facts)
    for table in model_tables.model_tables({"rows": rows, **facts}):
        _show(table)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


# --- advise --------------------------------------------------------------------------------


def _advise_ipc(args: argparse.Namespace) -> int:
    rows = results.read("ipc")["rows"]
    place = (args.platform, args.core, args.cores)
    where = f"{args.core} core, {args.platform}, {args.cores} CPUs"
    if args.words is not None:
        choices = advise.block(rows, *place, args.words)
        senders = "one CPU" if args.cores == 2 else f"each of {args.cores // 2} CPUs"
        title = f"{args.words} word{'s' * (args.words > 1)} from {senders} to another, {where}"
    else:
        subject = "signal" if args.signal else "lock"
        choices = advise.operation(rows, *place, subject)
        title = f"A {subject}, {where}"
    shown = advise.shown(choices)
    for line in advise.sentences(choices):
        _out.print(line, markup=False)
    _show(tables.advice(shown, title))
    return 0


# --- model ---------------------------------------------------------------------------------


def _list_models() -> int:
    for name, text in scheduling_build.policies().items():
        full = f"{name}:BASE" if name == "exclusive" else name
        _out.print(f"policy    {full:<15} {text}", markup=False)
    for name, known in builtin.CASES.items():
        _out.print(f"workload  {name:<15} {known.text}", markup=False)
    return 0


def _case_of(args: argparse.Namespace) -> case.Case:
    """The built-in workload, or that of the file."""
    if args.trace is not None:
        if args.workload is not None:
            raise UserError("a workload and --trace are given: leave one out")
        found = traces.load(args.trace)
        for note in found.notes():
            _out.print(f"trace: {note}", markup=False)
        return found.case
    if args.workload is None:
        raise UserError("no workload is given: name one of --list, a TOML file, or --trace FILE")
    if args.workload in builtin.CASES:
        return builtin.CASES[args.workload]
    if not args.workload.endswith(".toml"):
        raise UserError(
            f"unknown workload '{args.workload}': choose one of {', '.join(builtin.CASES)}, "
            "or give a TOML file"
        )
    return case.load(Path(args.workload))


def _model_machine(args: argparse.Namespace, wanted: case.Case) -> Machine:
    """The case's machine with what the options say otherwise, and its costs."""
    given = {"cpus": args.cpus, "tick_us": args.tick}
    if args.slice is not None:
        given["slice_us"] = 1000 * args.slice
    costs = Costs() if args.ideal else wanted.costs or Costs.measured()
    return dataclasses.replace(
        wanted.machine, costs=costs, **{key: value for key, value in given.items() if value is not None}
    )


def _model_notes(machine: Machine, outcomes: Sequence[scheduling.Outcome]) -> None:
    costs = machine.costs
    if costs.ideal:
        why = "" if workload.COSTS.exists() else " (not measured yet: `coreloom bench policies` does)"
        _out.print(f"switching costs nothing{why}", markup=False)
    else:
        _out.print(
            f"costs: switch {costs.switch_us:g} us, migration {costs.migrate_us:g} us, "
            f"cold cache {costs.warm_us:g} us",
            markup=False,
        )
    for run in outcomes:
        if run.stuck:
            _out.print(
                f"{run.policy}: from {run.simulated_us / 1e6:g} s on all threads that are left wait for a "
                "lock or a port",
                markup=False,
            )


def _completed(bar: Progress, task: TaskID, part: float) -> None:
    bar.update(task, completed=part)


def _model(args: argparse.Namespace) -> int:
    if args.list:
        return _list_models()
    wanted = _case_of(args)
    machine = _model_machine(args, wanted)
    seconds = wanted.seconds if args.seconds is None else args.seconds
    usual = [f"exclusive:{name}" if wanted.workload.reserve else name for name in ("cfs", "dwrr")]
    asked = list(dict.fromkeys(args.policy or usual))
    if args.timeline is not None:
        results.check_target(args.timeline)
        if len(asked) > 1:
            raise UserError("--timeline shows one policy: give one --policy")
    if args.json is not None:
        results.check_target(args.json)
    for name in asked:
        scheduling_build.check_policy(name)
    outcomes = []
    with _progress(percent=True) as bar:
        for name in asked:
            task = bar.add_task(name, total=1)
            outcomes.append(
                scheduling.run(
                    wanted.workload,
                    machine,
                    name,
                    seconds,
                    args.seed,
                    timeline=args.timeline,
                    progress=partial(_completed, bar, task),
                )
            )
            bar.update(task, completed=1)
    tick = f"tick {machine.tick_us:g} us" if machine.tick_us else "slices end exactly"
    until = f"{seconds:g} s" if any(run.alive for run in outcomes) else "until all have ended"
    title = (
        f"{wanted.workload.name}: {wanted.workload.count} threads on {machine.cpus} CPUs, {until}, "
        f"slice {machine.slice_us / 1000:g} ms, {tick}, seed {args.seed}"
    )
    _show(shown.runs(outcomes, title))
    _show(shown.threads(outcomes))
    _model_notes(machine, outcomes)
    if args.json is not None:
        rows = [dataclasses.asdict(run) for run in outcomes]
        facts = {"seed": args.seed, "seconds": seconds, "machine": dataclasses.asdict(machine)}
        results.write_to(args.json, "model", rows, **facts)
        _out.print(f"results: {_shown(args.json)}", markup=False)
    if args.timeline is not None:
        _out.print(f"timeline: {_shown(args.timeline)} (open it at ui.perfetto.dev)", markup=False)
    return 0


# --- synth ---------------------------------------------------------------------------------

_SYNTH_METHOD = (
    "Each unit is synthesised by itself with Yosys and placed and routed with nextpnr for a Lattice "
    "ECP5, once for each seed.\n"
    "MHz is the highest clock of all paths from register to register, worst case of nextpnr's timing model "
    "of that speed grade.\n"
    "Every input and output of the unit has a register around it, so a path through the unit counts; these "
    "registers are not part of its FF, and paths to the pins of the chip are not counted.\n"
    "LUT4 are all the places of a LUT that the unit uses, also those used as carry or as distributed RAM: a "
    "RAM16x4 takes six.\n"
    "BRAM are blocks of 18 kbit, as on the paper's Virtex-II Pro 30.\n"
    "cl_soc is a whole platform, with 64 KiB of memory in block RAM and without the outputs to the harness.\n"
)


def _synth(args: argparse.Namespace) -> int:
    jobs = units.choose(args.unit, args.threads, args.priorities)
    target = pnr.Target(speed=args.speed, mhz=args.freq)
    rows = _with_bar(
        synth.steps(jobs, args.seeds), partial(synth.run, jobs, args.seeds, target, args.device, args.wide)
    )
    # Only the whole table becomes a page: a few units must not take its place.
    usual = (args.threads, args.priorities, args.device, args.freq, args.speed) == (None, None, None, 100, 6)
    whole = usual and not args.unit and not args.wide and args.seeds >= synth.SEEDS
    path = results.write(
        "synth" if whole else "synth-some",
        rows,
        tools=results.tools(results.SYNTH_TOOLS),
        method=_SYNTH_METHOD,
        units={"fmax_mhz": "MHz", "lut4": "LUT4 sites", "bram": "18 kbit blocks", "dram": "RAM16x4"},
        asked_mhz=args.freq,
        wide_luts=args.wide,
    )
    for table in tables.synth_tables(rows):
        _show(table)
    if args.critical or args.unit:
        for row in rows:
            _out.print(f"\n{synth.title(row)}: longest path of the median seed", markup=False)
            _out.print(pnr.TimingPath(**row["critical"]).text(), markup=False)
    _out.print(f"results: {_shown(path)}", markup=False)
    return 0


# --- pages and generated files ----------------------------------------------------------------


def _report(_: argparse.Namespace) -> int:
    written, missing = report.write()
    for path in written:
        _out.print(f"wrote {_shown(path)}", markup=False)
    if missing:
        commands = ", ".join(f"coreloom {command}" for command in missing)
        _out.print(f"all else stays as it is, for want of results of: {commands}", markup=False)
    return 0


def _generate(_: argparse.Namespace) -> int:
    for path in generate.generate():
        _out.print(f"wrote {_shown(path)}", markup=False)
    return 0


# --- the parser ------------------------------------------------------------------------------


_MOST_WORDS = platform.MAX_RAM_MIB << 18


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, not '{text}'")
    return int(text)


def _names(text: str) -> list[str]:
    names = text.split(",")
    if not all(names):
        raise argparse.ArgumentTypeError(f"must be names with commas between them, not '{text}'")
    return names


def _words(text: str) -> int:
    words = _positive(text)
    if words > _MOST_WORDS:
        raise argparse.ArgumentTypeError(f"no memory holds more than {_MOST_WORDS} words")
    return words


def _number_from(low: str) -> Callable[[str], float]:
    """A finite number from 0, or above it."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1
        if not 0 <= value < math.inf or (low == "above 0" and value == 0):
            raise argparse.ArgumentTypeError(f"must be a number from {low}, not '{text}'")
        return value

    return parse


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 1 << 64:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to 2^64 - 1, not '{text}'")
    return int(text)


_FAR_CLOCK = (0.1, 10)


def _far_period(text: str) -> int:
    """Period of processor 1's clock in thousandths of that of processor 0, from the ratio of the clocks."""
    low, high = _FAR_CLOCK
    try:
        ratio = float(text)
    except ValueError:
        ratio = 0
    if not low <= ratio <= high:
        raise argparse.ArgumentTypeError(f"must be a number from {low:g} to {high:g}, not '{text}'")
    return round(FAR_PERIOD / ratio)


_PULSES = "LINE,FIRST,LEAST,MOST,TIMES,SEED"


def _pulses(text: str) -> Pulses:
    parts = text.split(",")
    if len(parts) == 6 and all(part.isdecimal() for part in parts):
        pulses = Pulses(*map(int, parts))
        if pulses.line < platform.LINE_PINS and pulses.first > 0 and 2 <= pulses.least <= pulses.most:
            return pulses
    most = platform.LINE_PINS - 1
    raise argparse.ArgumentTypeError(
        f"wants {_PULSES} with LINE 0 to {most}, FIRST above 0 and 2 <= LEAST <= MOST, not '{text}'"
    )


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="coreloom", description="Operating-system services in hardware or software.")
    parser.add_argument("--version", action="version", version=f"coreloom {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def command(
        name: str, function: Callable[[argparse.Namespace], int], text: str
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(function=function)
        return added

    checked = command(
        "doctor",
        _doctor,
        "say what this machine has of what is needed, or what a platform has of what an RTOS for several "
        "processors needs",
    )
    checked.add_argument(
        "--platform",
        metavar="NAME",
        help="run a probe on this platform: (a) to (f) of [IPC] on every processor",
    )
    checked.add_argument("--kernel", help=f"of the probe: one of {', '.join(KERNELS)} (default: hw)")
    checked.add_argument("--cpus", type=_positive, metavar="N", help="processors (default: the platform's)")
    run = command(
        "run", _run, "run an application (its output is checked against the host's) or a program of yours"
    )
    run.add_argument("app", help=f"application ({', '.join(APPS)}) or a C file of yours")
    run.add_argument("--platform", default="smp-standard", help="file in platforms/ (default: %(default)s)")
    run.add_argument("--kernel", default="hw", help=f"one of {', '.join(KERNELS)} (default: %(default)s)")
    run.add_argument(
        "--policy",
        metavar="NAME",
        help=f"how the kernel schedules; sw: one of {', '.join(software_policies())}, hw: one of "
        f"{', '.join(platform.BUILT_POLICIES)} (default: the platform's, or priority)",
    )
    run.add_argument("--cpus", type=_positive, metavar="N", help="processors (default: the platform's)")
    run.add_argument(
        "--placement", default="dynamic", help=f"one of {', '.join(PLACEMENTS)} (default: %(default)s)"
    )
    run.add_argument("--image", type=Path, metavar="FILE", help="picture for image (default: a drawn one)")
    run.add_argument("--pcap", type=Path, metavar="FILE", help="capture for packets (default: a made one)")
    run.add_argument("--input", type=Path, metavar="FILE", help="input of your own program: cl_input()")
    run.add_argument("--grain", type=_positive, metavar="N", help="pixels a message (image)")
    run.add_argument(
        "--output", type=Path, metavar="FILE", help="where the output goes (default: build/output)"
    )
    run.add_argument(
        "--trace",
        type=Path,
        nargs="?",
        const=_UNNAMED,
        metavar="FILE",
        help="write a timeline for Perfetto (default: build/output)",
    )
    run.add_argument(
        "--waves",
        type=Path,
        nargs="?",
        const=_UNNAMED,
        metavar="FILE",
        help="write a waveform for GTKWave or Surfer (slow; default: build/output)",
    )
    run.add_argument(
        "--line",
        type=_pulses,
        action="append",
        default=[],
        metavar=_PULSES,
        help="interrupt line LINE rises TIMES times, first in cycle FIRST, then LEAST to MOST cycles later, "
        "at random; may be given more than once",
    )
    run.add_argument(
        "--far-clock",
        dest="far_period",
        type=_far_period,
        metavar="RATIO",
        help="clock of processor 1 behind a Back-Door as a multiple of that of processor 0, "
        f"{_FAR_CLOCK[0]:g} to {_FAR_CLOCK[1]:g} (default: 1)",
    )
    run.add_argument("--max-cycles", type=_positive, metavar="N", default=500_000_000, help="give up then")

    bench = commands.add_parser("bench", help="measure", description="measure")
    subjects = bench.add_subparsers(dest="subject", required=True, metavar="SUBJECT", parser_class=_Parser)
    bench_smp = subjects.add_parser(
        "smp", help="the paper's two applications on both kernels ([SMP] Table 1)"
    )
    bench_smp.set_defaults(function=_bench_smp)
    bench_smp.add_argument("--quick", action="store_true", help="the standard core only; makes no page")
    bench_grain = subjects.add_parser("grain", help="the image filter with messages of one pixel to a row")
    bench_grain.set_defaults(function=_bench_grain)
    bench_scheduler = subjects.add_parser(
        "scheduler", help="scheduler operations and delays of the three builds of [HT]"
    )
    bench_scheduler.set_defaults(function=_bench_scheduler)
    bench_scheduler.add_argument(
        "--interrupts",
        type=_positive,
        metavar="N",
        default=scheduler.INTERRUPTS,
        help="interrupts for the delays (default: %(default)s)",
    )
    bench_ipc = subjects.add_parser(
        "ipc", help="every mechanism between processors, those of [IPC] and more: blocks, signals, locks"
    )
    bench_ipc.set_defaults(function=_bench_ipc)
    bench_ipc.add_argument(
        "--quick", action="store_true", help="two standard cores on amp, up to 128 words; makes no page"
    )
    bench_backdoor = subjects.add_parser(
        "backdoor",
        help="the four programs of [GF] on one processor and on two, behind the Back-Door and on one bus; "
        "half an hour, but what was measured before is not measured again",
    )
    bench_backdoor.set_defaults(function=_bench_backdoor)
    bench_backdoor.add_argument(
        "--quick", action="store_true", help="the standard core, the smallest sizes; makes no page"
    )
    bench_policies = subjects.add_parser(
        "policies",
        help="scheduling policies of both kernels on the SoC: cycles of a decision, shares by weight",
    )
    bench_policies.set_defaults(function=_bench_policies)
    bench_policies.add_argument(
        "--quick", action="store_true", help="the standard core, 8 threads on 2 CPUs; makes no page"
    )
    bench_fairness = subjects.add_parser(
        "fairness",
        help="shares, gaps and migrations of the policies in the model; fails if dwrr breaks its bound",
    )
    bench_fairness.set_defaults(function=_bench_fairness)
    bench_fairness.add_argument(
        "--quick", action="store_true", help=f"{fairness.QUICK_RUNS} random runs, not {fairness.RUNS}"
    )
    bench_exclusive = subjects.add_parser(
        "exclusive",
        help="[GF]'s experiment on a kernel of today in a virtual machine: a CPU of its own beside taskset, "
        "nice and SCHED_FIFO; a quarter of an hour",
    )
    bench_exclusive.set_defaults(function=_bench_exclusive)
    bench_exclusive.add_argument(
        "--quick",
        action="store_true",
        help="two jobs, alone and under 16 hogs, one seed, a few moments of kill -9; makes no page",
    )
    bench_exclusive.add_argument(
        "--seeds", type=_positive, metavar="N", help=f"runs of each case (default: {exclusive.SEEDS})"
    )
    bench_linux = subjects.add_parser(
        "linux",
        help="[DWRR]'s tests on a kernel of today in a virtual machine: its own scheduler, scx_dwrr and "
        "others of sched_ext; half an hour, but what was measured before is not measured again",
    )
    bench_linux.set_defaults(function=_bench_linux)
    bench_linux.add_argument(
        "--quick", action="store_true", help=f"{', '.join(linux.QUICK)}, one seed; makes no page"
    )
    bench_linux.add_argument(
        "--seeds", type=_positive, metavar="N", help=f"runs of each test (default: {linux.SEEDS})"
    )
    bench_linux.add_argument(
        "--only",
        type=_names,
        metavar="TEST,...",
        help=f"of {', '.join(test.name for test in linux_loads.TESTS)}",
    )
    bench_linux.add_argument(
        "--schedulers",
        type=_names,
        metavar="NAME,...",
        help=f"default: {linux.EEVDF}, {linux.DWRR}, and those installed of {', '.join(linux.PEERS)}",
    )
    bench_linux.add_argument("--kernel", default="7", help="as of coreloom vm (default: 7)")
    bench_model = subjects.add_parser(
        "model",
        help="the scheduling model itself: events a second up to 4096 CPUs, and its prediction of the SoC",
    )
    bench_model.set_defaults(function=_bench_model)
    bench_model.add_argument("--quick", action="store_true", help="up to 64 CPUs, shorter; makes no page")
    for subject in (bench_smp, bench_grain, bench_model):
        subject.add_argument(
            "--window",
            type=_positive,
            metavar="N",
            default=smp.WINDOW,
            help="cycles measured (default: %(default)s)",
        )
    modelled = command(
        "model",
        _model,
        "simulate threads under scheduling policies, on up to 4096 CPUs: shares, fairness, latencies",
    )
    modelled.add_argument(
        "workload", nargs="?", metavar="WORKLOAD", help="a built-in one by its name, or a TOML file"
    )
    modelled.add_argument(
        "--list", action="store_true", help="list the policies and the built-in workloads, and end"
    )
    modelled.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="what real threads did: text of perf script, perf sched script or ftrace with sched_switch and "
        "sched_waking or sched_wakeup",
    )
    modelled.add_argument(
        "--policy",
        action="append",
        metavar="NAME",
        help="may be given more than once (default: cfs and dwrr; with reserved CPUs exclusive:cfs and "
        "exclusive:dwrr)",
    )
    modelled.add_argument("--cpus", type=_positive, metavar="N", help="CPUs (default: the workload's)")
    modelled.add_argument(
        "--seconds",
        type=_number_from("above 0"),
        metavar="S",
        help="how long to simulate (default: the workload's)",
    )
    modelled.add_argument(
        "--seed", type=_seed, default=1, metavar="N", help="of all random times (default: 1)"
    )
    modelled.add_argument(
        "--tick",
        type=_number_from("0"),
        metavar="US",
        help="slices end at ticks of so many us only (default: the workload's; 0: exactly)",
    )
    modelled.add_argument(
        "--slice",
        type=_number_from("above 0"),
        metavar="MS",
        help="time slice at nice 0, dwrr's B (default: the workload's, 25 in [DWRR])",
    )
    modelled.add_argument(
        "--ideal", action="store_true", help="switches, migrations and cold caches cost nothing"
    )
    modelled.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    modelled.add_argument(
        "--timeline", type=Path, metavar="FILE", help="write a timeline for Perfetto (one policy only)"
    )
    advice = commands.add_parser(
        "advise", help="say what to use, from what was measured", description="say what to use"
    )
    advised = advice.add_subparsers(dest="subject", required=True, metavar="SUBJECT", parser_class=_Parser)
    advise_ipc = advised.add_parser(
        "ipc",
        help="which mechanism between processors",
        description="Which mechanism between processors to use, and why, as `coreloom bench ipc` measured.",
    )
    advise_ipc.set_defaults(function=_advise_ipc)
    task = advise_ipc.add_mutually_exclusive_group(required=True)
    task.add_argument("--words", type=_words, metavar="N", help="a block of N words; between sizes on a line")
    task.add_argument("--signal", action="store_true", help="tell another that something has happened")
    task.add_argument("--lock", action="store_true", help="exclude each other")
    advise_ipc.add_argument(
        "--cores", type=int, choices=ipc.CPUS, default=2, help="processors (default: %(default)s)"
    )
    advise_ipc.add_argument(
        "--core", choices=ipc.CORES, default="standard", help="kind of core (default: %(default)s)"
    )
    advise_ipc.add_argument(
        "--platform", choices=ipc.KINDS, default="amp", help="interconnect (default: %(default)s)"
    )
    made = command(
        "synth",
        _synth,
        "area and clock of units on an ECP5 FPGA. While you work on one: `coreloom synth cl_kernel --threads "
        "64 --priorities 32 --seeds 1` (some ten seconds) prints its area, its clock and its longest path",
    )
    made.add_argument(
        "unit",
        nargs="*",
        metavar="UNIT",
        help="units, as cl_kernel or cl_scheduler:hybrid (default: all); a wrong name lists them",
    )
    made.add_argument("--threads", type=_positive, metavar="N", help="size of the units that have one")
    made.add_argument("--priorities", type=_positive, metavar="N", help="likewise (default: 256 x 128)")
    made.add_argument(
        "--seeds",
        type=_positive,
        metavar="N",
        default=synth.SEEDS,
        help="placements of each (default: %(default)s)",
    )
    made.add_argument(
        "--freq", type=_positive, metavar="MHZ", default=100, help="clock asked for (default: %(default)s)"
    )
    made.add_argument("--device", choices=pnr.DEVICES, help="size of the FPGA (default: as the unit says)")
    made.add_argument(
        "--speed",
        type=int,
        choices=pnr.SPEEDS,
        default=6,
        help="speed grade (default: %(default)s, the slowest)",
    )
    made.add_argument(
        "--wide",
        action="store_true",
        help="join LUTs by multiplexers, as Yosys does by itself: larger, for deep logic somewhat faster",
    )
    made.add_argument("--critical", action="store_true", help="print the longest path of every unit")
    cli_linux.add(command, _positive)
    command(
        "report",
        _report,
        "write docs/results, and the README's table when all of its results are here, from the result files",
    )
    command(
        "generate", _generate, "write RTL package, C header and reference page from the kernel's data file"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `coreloom`.

    0 done, 1 a UserError, 2 wrong usage, 3 wrong output, 130 interrupted, 143 terminated.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without UTF-8
    words = list(sys.argv[1:] if arguments is None else arguments)
    # A program's options are its own, not argparse's.
    if words and words[0] in registry.PROGRAMS and words[1:] != ["--build"]:
        args = argparse.Namespace(
            function=cli_linux.run_program, program=words[0], build=False, words=words[1:]
        )
    else:
        args = _parser().parse_args(words)
    try:
        with _terminable():
            return _call(args)
    except _Terminated:
        _err.print("coreloom: terminated; nothing half-written was left", markup=False)
        return 143
    except KeyboardInterrupt:
        _err.print("coreloom: interrupted; nothing half-written was left", markup=False)
        return 130


class _Terminated(KeyboardInterrupt):
    """SIGTERM: cleans up as Ctrl-C does."""


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM raises _Terminated in the block; not in another thread than the main one."""

    def terminate(number: int, frame: FrameType | None) -> None:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _call(args: argparse.Namespace) -> int:
    """The command, with its mistakes printed."""
    try:
        return int(args.function(args))
    except UserError as error:
        _err.print(f"coreloom: error: {error}", markup=False)
        return 1
    except WrongOutput as error:
        _err.print(f"coreloom: error: wrong output, a defect of Coreloom: {error}", markup=False)
        return 3
    except BrokenPipeError:
        return 1
    except OSError as error:  # no space, no permission in build/, a closed stdout
        where = "" if error.filename is None else f"{error.filename}: "
        _err.print(f"coreloom: error: {where}{error.strerror or error}", markup=False)
        return 1


if __name__ == "__main__":
    sys.exit(main())
