# SPDX-License-Identifier: Apache-2.0
"""kill -9 of `coreloom exclusive` at random moments: each time all must be as it was before, byte for byte.

Not in deterministic mode: the moments are to meet the guest's CPUs in any state.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from coreloom.benches.pool import Row
from coreloom.errors import UserError
from coreloom.paths import LINUX
from coreloom.programs import exclusive
from coreloom.report.figure import Figure
from coreloom.toolchain import native
from coreloom.vm import vm

MOMENTS, QUICK_MOMENTS = 100, 5
SHELL = LINUX / "vm" / "exclusive"
PHASES = {
    "start": "while it starts",
    "hold": "while it holds",
    "stop": "while it gives back",
    "lines": "at a line of the baseline",
}
_SEED = 7
_MORE = 3  # moments drawn for each that counts: some come too late
_TIMEOUT = 3000
_ROW = re.compile(r"^(start|hold|stop|lines) (\d+) (tool|all|none) (yes|no)$", re.MULTILINE)


@dataclass(frozen=True)
class Case:
    mechanism: str
    kernel: str = "7"
    cgroup: str = "v2"


CASES = (Case("isolated"), Case("cpuset"), Case("affinity", cgroup="none"))


def _moments(count: int) -> str:
    """Whom, in which phase, at which part of it; a line each."""
    draw = random.Random(_SEED)
    phases = ("start", "start", "hold", "stop", "stop", "lines")
    lines = (
        f"{draw.choice(('tool', 'all'))} {draw.choice(phases)} {draw.randrange(1000)}\n" for _ in range(count)
    )
    return "".join(lines)


def run(case: Case, count: int) -> list[Row]:
    """A row for each moment, until so many have killed the tool; UserError if fewer have."""
    names = ("killat", "state", "threads")
    programs = {name: native.static(name, [LINUX / "vm" / "programs" / f"{name}.c"]) for name in names}
    programs[exclusive.NAME] = exclusive.program()
    guest = vm.Guest(
        {
            **{f"/usr/bin/{name}": path for name, path in programs.items()},
            "/check": SHELL,
            "/moments": _moments(_MORE * count).encode(),
        }
    )
    script = f"how='--mechanism {case.mechanism}'\n. /check/moments.sh\nmoments {count} </moments\n"
    outcome = vm.run(guest, script, kernel=case.kernel, cgroup=case.cgroup, timeout=_TIMEOUT)
    rows = [
        {
            "mechanism": case.mechanism,
            "phase": phase,
            "moment_us": int(us),
            "killed": whom,
            "equal": equal == "yes",
        }
        for phase, us, whom, equal in _ROW.findall(outcome.stdout)
    ]
    hits = sum(row["killed"] != "none" for row in rows)
    if outcome.status or hits != count:
        raise UserError(
            f"kill -9 under {case.mechanism}: {hits} of {count} were measured in the guest:\n{outcome.stdout}"
        )
    return rows


def counted(rows: Sequence[Row]) -> list[Row]:
    """Without those that came too late, unless they have left a difference."""
    return [row for row in rows if row["killed"] != "none" or not row["equal"]]


def equal(rows: Sequence[Row]) -> int:
    return sum(row["equal"] for row in rows)


def figures(rows: Sequence[Row]) -> list[Figure]:
    found = []
    for mechanism in dict.fromkeys(row["mechanism"] for row in rows):
        of = counted([row for row in rows if row["mechanism"] == mechanism])
        what = f"byte for byte as before after kill -9 at {len(of)} random moments ({mechanism})"
        found.append(Figure(what, equal(of), at_least=len(of), bound=len(of)))
    return found
