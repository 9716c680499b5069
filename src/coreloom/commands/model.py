# SPDX-License-Identifier: Apache-2.0
"""`coreloom model`: threads under scheduling policies in the event simulator."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from coreloom.commands.console import Command, doing, out, show, shown
from coreloom.errors import UserError, suggest
from coreloom.files import check_target
from coreloom.options import number_from, positive, seed
from coreloom.report import results
from coreloom.scheduling import build, builtin, case, simulate, tables, traces, workload
from coreloom.scheduling.workload import Costs, Machine


def _list_models() -> int:
    for name, text in build.policies().items():
        full = f"{name}:BASE" if name == "exclusive" else name
        out.print(f"policy    {full:<15} {text}")
    for name, known in builtin.CASES.items():
        out.print(f"workload  {name:<15} {known.text}")
    return 0


def _case_of(args: argparse.Namespace) -> tuple[case.Case, list[str]]:
    """The built-in workload, or the file's, and what is to be said about a trace."""
    if args.trace is not None:
        if args.workload is not None:
            raise UserError("a workload and --trace are given: leave one out")
        found = traces.load(args.trace)
        return found.case, [f"trace: {note}" for note in found.notes()]
    if args.workload is None:
        raise UserError("no workload given: name one from --list, a TOML file, or --trace FILE")
    if args.workload in builtin.CASES:
        return builtin.CASES[args.workload], []
    if not args.workload.endswith(".toml"):
        raise UserError(
            f"unknown workload '{args.workload}': "
            f"{suggest(args.workload, builtin.CASES, ', or give a TOML file')}"
        )
    return case.load(Path(args.workload)), []


def _model_machine(args: argparse.Namespace, wanted: case.Case) -> Machine:
    """The case's machine with what the options say otherwise, and its costs."""
    given = {"cpus": args.cpus, "tick_us": args.tick}
    if args.slice is not None:
        given["slice_us"] = 1000 * args.slice
    costs = Costs() if args.ideal else wanted.costs or Costs.measured()
    return dataclasses.replace(
        wanted.machine, costs=costs, **{key: value for key, value in given.items() if value is not None}
    )


def _costs(machine: Machine, of_soc: bool, of_trace: bool) -> str:
    """The costs of switching, and their origin; of_trace: real threads of another machine ran."""
    costs = machine.costs
    if costs.ideal:
        why = "" if workload.COSTS.exists() else " (not measured yet: `coreloom bench policies` does)"
        return f"switching costs nothing{why}"
    source = ""
    if of_soc:
        whose = "of the SoC, not of the machine traced" if of_trace else "as on the SoC"
        source = f" ({whose}; --ideal leaves them out)"
    return (
        f"costs: switch {costs.switch_us:g} us, migration {costs.migrate_us:g} us, "
        f"cold cache {costs.warm_us:g} us{source}"
    )


def _run(args: argparse.Namespace) -> int:
    if args.list:
        return _list_models()
    wanted, notes = _case_of(args)
    machine = _model_machine(args, wanted)
    seconds = wanted.seconds if args.seconds is None else args.seconds
    usual = [f"exclusive:{name}" if wanted.workload.reserve else name for name in ("cfs", "dwrr")]
    asked = list(dict.fromkeys(args.policy or usual))
    if args.timeline is not None:
        check_target(args.timeline)
        if len(asked) > 1:
            raise UserError("--timeline shows one policy: give one --policy")
    if args.json is not None:
        check_target(args.json)
    for name in asked:
        build.check_policy(name)
    outcomes = []
    for name in asked:
        with doing(name, 1, percent=True) as task:
            run = simulate.run(
                wanted.workload,
                machine,
                name,
                seconds,
                args.seed,
                timeline=args.timeline,
                progress=task.completed,
            )
            task.completed(1)
        outcomes.append(run)
    tick = f"tick {machine.tick_us:g} us" if machine.tick_us else "slices end on time"
    until = f"{seconds:g} s" if any(run.alive for run in outcomes) else "until all have ended"
    title = (
        f"{wanted.workload.name}: {wanted.workload.count} threads on {machine.cpus} CPUs, {until}, "
        f"slice {machine.slice_us / 1000:g} ms, {tick}, seed {args.seed}"
    )
    for line in (_costs(machine, wanted.costs is None, args.trace is not None), *notes):
        out.print(line)
    show(tables.runs(outcomes, title))
    show(tables.threads(outcomes))
    for run in outcomes:
        if run.stuck:
            text = "all remaining threads wait for a lock or a port"
            out.print(f"{run.policy}: from {run.simulated_us / 1e6:g} s on {text}")
    if args.json is not None:
        rows = [dataclasses.asdict(run) for run in outcomes]
        facts = {"seed": args.seed, "seconds": seconds, "machine": dataclasses.asdict(machine)}
        results.write("model", rows, args.json, **facts)
        out.print(f"results: {shown(args.json)}")
    if args.timeline is not None:
        out.print(f"timeline: {shown(args.timeline)} (open it at ui.perfetto.dev)")
    return 0


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workload", nargs="?", metavar="WORKLOAD", help="a built-in one by its name, or a TOML file"
    )
    parser.add_argument(
        "--list", action="store_true", help="list the policies and the built-in workloads, then exit"
    )
    parser.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help="replay real threads, from the text of perf script, perf sched script or ftrace with "
        "sched_switch and sched_waking or sched_wakeup",
    )
    parser.add_argument(
        "--policy",
        action="append",
        metavar="NAME",
        help="a name, or the path of a C file; may be repeated "
        "(default: cfs and dwrr; with reserved CPUs exclusive:cfs and exclusive:dwrr)",
    )
    parser.add_argument("--cpus", type=positive, metavar="N", help="CPUs (default: the workload's)")
    parser.add_argument(
        "--seconds",
        type=number_from("above 0"),
        metavar="S",
        help="how long to simulate (default: the workload's)",
    )
    parser.add_argument(
        "--seed", type=seed, default=1, metavar="N", help="seed of all random times (default: 1)"
    )
    parser.add_argument(
        "--tick",
        type=number_from("0"),
        metavar="US",
        help="slices end only at ticks of this many us (default: the workload's; 0: exactly)",
    )
    parser.add_argument(
        "--slice",
        type=number_from("above 0"),
        metavar="MS",
        help="time slice at nice 0, dwrr's B (default: the workload's, 25 in [DWRR])",
    )
    parser.add_argument(
        "--ideal", action="store_true", help="switches, migrations and cold caches cost nothing"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    parser.add_argument(
        "--timeline", type=Path, metavar="FILE", help="write a timeline for Perfetto (one policy only)"
    )


COMMAND = Command(
    "model",
    _run,
    _options,
)
