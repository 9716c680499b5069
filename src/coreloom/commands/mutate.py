# SPDX-License-Identifier: Apache-2.0
"""`coreloom mutate`: do the tests notice small faults?"""

from __future__ import annotations

import argparse
import contextlib

from coreloom import paths
from coreloom.commands.console import Command, Task, doing, needs_checkout, out, show, shown
from coreloom.errors import UserError
from coreloom.files import write_atomically
from coreloom.mutation import page, run, sample
from coreloom.mutation.operators import Mutant


def _run(args: argparse.Namespace) -> int:
    needs_checkout()
    if args.page:
        path = page.PATH
        write_atomically(path, page.text(page.Kept(), page.notes()).encode())
        out.print(f"wrote {shown(path)}")
        return 0
    files = sample.chosen(args.units, paths.ROOT)
    every = sample.areas()
    counts = {name: every[name].mutants for name in files}
    quotas = sample.shares(counts, sum(counts.values()) if args.sample is None else args.sample)
    order = {name: sample.ranked(there, paths.ROOT, args.seed) for name, there in files.items()}
    if args.sample is None:
        quotas = {name: min(quota, len(order[name])) for name, quota in quotas.items()}
    for name, quota in quotas.items():
        if len(order[name]) < quota:
            raise UserError(f"--sample: {name} has only {len(order[name])} faults to plant: ask for fewer")
    if args.list:
        for name, quota in quotas.items():
            for mutant in order[name][:quota]:
                out.print(f"{mutant.ident}  {name}  {_place(mutant)}: {_change(mutant)}")
        return 0
    total = sum(quotas.values())
    kept = page.Kept(usual=args.sample is None and args.seed == sample.SEED)
    with (
        doing("copy the tree", total) as task,
        contextlib.nullcontext() if args.kept else run.Trial(args.limit) as trial,
    ):
        tried = {
            name: _area(trial, kept, every[name], name, order[name], quota, args.tier, page.notes(), task)
            for name, quota in quotas.items()
        }
    for name, found in tried.items():
        if not args.kept and files[name] == every[name].paths(paths.ROOT):
            kept.only(name, [row.ident for row in found])
    rows = [row for found in tried.values() for row in found if row.verdict != "invalid"]
    show(page.table(rows, page.notes()))
    for row in rows:
        if row.verdict in ("survived", "late"):
            out.print(f"{row.verdict}: {row.ident} {_place(row)}: {_change(row)}")
    out.print(f"{len(rows)} of {total} faults tried")
    return 0


def _area(
    trial: run.Trial | None,
    kept: page.Kept,
    area: sample.Area,
    name: str,
    order: list[Mutant],
    quota: int,
    tier: str,
    notes: dict[str, page.Note],
    task: Task,
) -> list[run.Found]:
    """The first faults of an area, so many that can be built, and what became of them; no trial: as kept.

    Those that are noted as equivalent, or as out of time, are not asked again.
    """
    rows: list[run.Found] = []
    for mutant in order:
        nearest = area.nearest(mutant.path)
        found = kept[mutant.ident]
        note = notes.get(mutant.ident)
        settled = note and found and found.verdict == ("survived" if note.equivalent else "late")
        if trial and not settled and not (found and run.stands(found, nearest, tier)):
            for each in run.upto(tier):
                task.say(f"{name}: the nearest tests without a fault")
                trial.without(nearest, each)
            task.say(f"{name}: {_place(mutant)}, {mutant.operator}")
            found = trial.planted(name, mutant, nearest, tier, found)
            kept.keep(found)
        if found:
            rows.append(found)
        if found and found.verdict != "invalid":
            task.advance()
            quota -= 1
        if quota == 0:
            break
    return rows


def _place(fault: Mutant | run.Found) -> str:
    return f"{fault.path}:{fault.line}"


def _change(fault: Mutant | run.Found) -> str:
    return f"{fault.before} -> {fault.after}"


def _options(parser: argparse.ArgumentParser) -> None:
    areas = ", ".join(sample.areas())
    parser.add_argument(
        "units", nargs="*", metavar="UNIT", help=f"an area or one of its files (default: all areas: {areas})"
    )
    parser.add_argument(
        "--sample", type=int, metavar="N", help="how many faults (default: each area's share of 200)"
    )
    parser.add_argument(
        "--seed", type=int, default=sample.SEED, metavar="N", help="another sample (default: %(default)s)"
    )
    parser.add_argument(
        "--tier", choices=tuple(run.TIERS), default="test-all", help="ask the nearest tests of `make test`, "
        "or of `make test-all` too (default)",
    )  # fmt: skip
    parser.add_argument(
        "--limit", type=float, default=run.LIMIT_SECONDS, metavar="SECONDS",
        help="for the tests of one fault in one tier; beyond, it counts as neither found nor missed "
        "(default: %(default)g)",
    )  # fmt: skip
    parser.add_argument("--kept", action="store_true", help="plant none: only what earlier runs have found")
    parser.add_argument("--list", action="store_true", help="print the faults, plant none")
    parser.add_argument(
        "--page", action="store_true", help="write docs/engineering/mutation.md from the last results"
    )


COMMAND = Command(
    "mutate",
    _run,
    _options,
    description="Plant small faults in a copy of the tree, one by one, and run the nearest tests: do they "
    "notice? A stopped run goes on where it was. A fault that only a cycle count tells counts as missed.",
)
