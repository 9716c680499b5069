# SPDX-License-Identifier: Apache-2.0
"""What a guest of `coreloom bench exclusive` leaves: a line per run of `measure`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from coreloom.benches.exclusive.cases import Cell, Load
from coreloom.errors import UserError
from coreloom.vm import vm


class Line(msgspec.Struct, frozen=True):
    """What linux/vm/programs/measure prints for a run: the job's figures and the others' meanwhile."""

    label: str
    status: int
    wall_s: float
    cpu_s: float
    voluntary: int
    involuntary: int
    shown: int
    dropped: int
    others_cpu_s: float | None


def measured(files: Mapping[str, bytes]) -> dict[str, Line]:
    """The lines by their labels."""
    lines = msgspec.json.Decoder(Line).decode_lines(files.get("rows", b""))
    return {line.label: line for line in lines}


def last(files: Mapping[str, bytes], name: str) -> str:
    """The last line of a file of the guest."""
    return vm.last_line(files.get(name, b"").decode(errors="replace"))


def runs(load: Load, wanted: Sequence[Cell], files: Mapping[str, bytes]) -> tuple[Line, list[Line]]:
    """The others without a job, and a line per cell. UserError if a run is missing or failed."""
    found = measured(files)
    base = found.get("base")
    if base is None:
        raise UserError(f"the load '{load.name}' could not be measured: the guest returned nothing")
    lines = []
    for n, cell in enumerate(wanted):
        line = found.get(str(n))
        if line is None or line.status:
            raise UserError(
                f"'{cell.job.command}' by {cell.method} under {load.name} failed in the guest: "
                f"{last(files, f'{n}.err')}"
            )
        lines.append(line)
    return base, lines
