# SPDX-License-Identifier: Apache-2.0
"""kill -9 of `coreloom exclusive` at random moments: each time the machine must be as before, byte for byte.

Not in deterministic mode, so that the kills hit the guest's CPUs in any state.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from coreloom.benches.exclusive.guest import SHELL, programs
from coreloom.errors import UserError
from coreloom.programs import exclusive
from coreloom.report.figure import Figure
from coreloom.vm import vm

MOMENTS, QUICK_MOMENTS = 100, 5
PHASES = {
    "start": "during setup",
    "hold": "while holding",
    "stop": "during release",
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


CASES = (Case("isolated"), Case("root"), Case("affinity", cgroup="none"))


def _moments(count: int) -> str:
    """What to kill, in which phase, at which fraction of it; one per line."""
    draw = random.Random(_SEED)
    phases = ("start", "start", "hold", "stop", "stop", "lines")
    lines = (
        f"{draw.choice(('tool', 'all'))} {draw.choice(phases)} {draw.randrange(1000)}\n" for _ in range(count)
    )
    return "".join(lines)


class Kill(msgspec.Struct, frozen=True):
    """One kill: its phase, time since the start of the phase, victims, and whether all was restored."""

    mechanism: str
    phase: str
    moment_us: int
    killed: str  # tool, all, none: it came too late
    equal: bool


def run(case: Case, count: int) -> list[Kill]:
    """A row per moment, until `count` kills have hit the tool; UserError if fewer have."""
    files = programs("killat", "state", "threads")
    files |= {f"/usr/bin/{exclusive.NAME}": exclusive.program(), "/check": SHELL}
    guest = vm.Guest({**files, "/moments": _moments(_MORE * count).encode()})
    script = f"how='--mechanism {case.mechanism}'\n. /check/moments.sh\nmoments {count} </moments\n"
    outcome = vm.run(guest, script, kernel=case.kernel, cgroup=case.cgroup, timeout=_TIMEOUT)
    kills = [
        Kill(case.mechanism, phase, int(us), whom, equal == "yes")
        for phase, us, whom, equal in _ROW.findall(outcome.stdout)
    ]
    hits = sum(kill.killed != "none" for kill in kills)
    if outcome.status or hits != count:
        raise UserError(
            f"kill -9 under {case.mechanism}: {hits} of {count} were measured in the guest:\n{outcome.stdout}"
        )
    return kills


def counted(kills: Sequence[Kill]) -> list[Kill]:
    """The kills without those that came too late, unless they have left a difference."""
    return [kill for kill in kills if kill.killed != "none" or not kill.equal]


def equal(kills: Sequence[Kill]) -> int:
    return sum(kill.equal for kill in kills)


def figures(kills: Sequence[Kill]) -> list[Figure]:
    found = []
    for mechanism in dict.fromkeys(kill.mechanism for kill in kills):
        of = counted([kill for kill in kills if kill.mechanism == mechanism])
        what = f"restored byte for byte after kill -9 at {len(of)} random moments ({mechanism})"
        found.append(Figure(what, equal(of), at_least=len(of), bound=len(of)))
    return found
