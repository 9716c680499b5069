# SPDX-License-Identifier: Apache-2.0
"""A whole sweep: all of it built, what is not done yet run, and its result."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from coreloom.errors import UserError
from coreloom.jobs.job import Job, Pool, whole
from coreloom.jobs.local import Local
from coreloom.report import results
from coreloom.report.table import Table, number
from coreloom.sweep import parquet, point, store
from coreloom.sweep.file import Setting, Sweep, shown
from coreloom.sweep.point import Point, Row
from coreloom.sweep.store import Store
from coreloom.toolchain import verilate

NAME = "sweep"


class Result(results.Result, kw_only=True):
    """The output of `coreloom sweep`. Rows are in the order of the file."""

    rows: list[Row]
    file: str
    excluded: int  # points that the file leaves out
    window_cycles: int | None
    max_cycles: int
    before: int  # points that an earlier run had done
    seconds: float  # in which the others were run
    threads: int  # how many could run at a time, at the end
    at_a_time: float | None  # how many did, as a mean: the seconds of all points over these


@dataclass(frozen=True)
class Bad:
    """A point that cannot be built, and why in one line."""

    setting: Setting
    text: str


def build(
    sweep: Sweep,
    on_start: Callable[[str], None] | None = None,
    on_done: Callable[[], None] | None = None,
) -> tuple[list[Point], list[Bad]]:
    """All points, built here, and the bad ones. on_done is called for each setting."""
    bad: dict[Setting, str] = {}
    socs: dict[object, Setting] = {}
    for setting in sweep.settings:
        try:
            socs.setdefault(point.experiment(sweep, setting).soc(), setting)
        except UserError as error:
            bad[setting] = point.one_line(str(error))

    def model(setting: Setting) -> Job[None]:
        """Each model by one job, so that none waits for another that makes the same."""

        def make() -> list[None]:
            with contextlib.suppress(UserError):  # it is said of each point that needs the model
                verilate.build_model(point.experiment(sweep, setting).soc())
            return []

        return Job(f"build the model of {setting.platform}", whole(make))

    def made(setting: Setting) -> Job[Point]:
        def make() -> list[Point]:
            try:
                return [point.build(sweep, setting)]
            except UserError as error:
                bad[setting] = point.one_line(str(error))
                return []

        return Job(f"build {setting.text}", whole(make))

    good = [setting for setting in sweep.settings if setting not in bad]
    for _ in bad:
        if on_done is not None:
            on_done()
    Local().run([], [model(setting) for setting in socs.values()], on_start)
    points = Local().run([], [made(setting) for setting in good], on_start, on_done)
    return points, [Bad(setting, bad[setting]) for setting in sweep.settings if setting in bad]


def run(
    sweep: Sweep,
    points: Sequence[Point],
    pool: Pool,
    kept: Store,
    on_start: Callable[[str], None] | None = None,
    on_done: Callable[[], None] | None = None,
) -> Result:
    """Run the points that `kept` has no figures of, and keep each row as it comes."""
    found = kept.done(one.key for one in points)
    before = len(found)
    left = [one for one in points if one.key not in found]

    def keep(_: int, rows: Sequence[Row]) -> None:
        for row in rows:
            kept.add(row)

    begin = time.monotonic()
    new = pool.run([], [one.job() for one in left], on_start, on_done, keep)
    seconds = time.monotonic() - begin
    found |= {row.key: row for row in new}
    return Result(
        name=NAME,
        rows=[found[one.key] for one in points],
        file=f"{sweep.name}.toml",
        excluded=sweep.excluded,
        window_cycles=sweep.window,
        max_cycles=sweep.max_cycles,
        before=before,
        seconds=round(seconds, 1),
        threads=pool.threads(),
        at_a_time=round(sum(row.seconds for row in new) / seconds, 2) if new else None,
        tools=results.tools(),
    )


def save(content: Result) -> tuple[Path, Path]:
    """The result file and the Parquet file."""
    path = results.save(content)
    name = Path(content.file).stem
    facts = {"sweep": content.file, "commit": content.commit}
    facts |= {"tools": msgspec.json.encode(content.tools).decode()}
    return path, parquet.write(content.rows, store.folder(name) / f"{name}.parquet", facts)


def tables(content: Result) -> list[Table]:
    """Figures by what differs between the points, and the points that have none."""
    first = content.rows[0].axes
    varied = [axis for axis in first if any(row.axes[axis] != first[axis] for row in content.rows)] or ["app"]
    window = content.window_cycles
    length = "each to its end" if window is None else f"{number(window)} cycles each"
    left = f", {content.excluded} left out" if content.excluded else ""
    good = [row for row in content.rows if row.error is None]
    failed = [row for row in content.rows if row.error is not None]

    def chosen(row: Row) -> list[str]:
        return ["-" if row.axes[axis] is None else shown(row.axes[axis]) for axis in varied]

    made = []
    if good:
        columns = ("units done", "cycles", "switches", "mean switch (cycles)", "idle (%)")
        made.append(
            Table(
                f"Sweep {Path(content.file).stem}: {len(content.rows)} points{left}, {length}",
                (*varied, *columns),
                tuple(
                    (
                        *chosen(row),
                        *(number(row.done), number(row.cycles), number(row.switches)),
                        *(number(row.switch_cycles_mean, 1), _idle(row)),
                    )
                    for row in good
                ),
                text_columns=len(varied),
            )
        )
    if failed:
        made.append(
            Table(
                f"Points without figures: {len(failed)} of {len(content.rows)}",
                (*varied, "why"),
                tuple((*chosen(row), row.error or "") for row in failed),
                text_columns=len(varied) + 1,
            )
        )
    return made


def _idle(row: Row) -> str:
    if row.idle_cycles is None or not row.cycles:
        return "-"
    return number(100 * row.idle_cycles / (row.cycles * row.cpus), 1)
