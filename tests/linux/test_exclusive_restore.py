"""kill -9 at 100 random moments, of the tool or of all its processes: each time all is as it was before."""

from __future__ import annotations

import dataclasses
import random
import re
import sys

import pytest

from coreloom import results
from coreloom.linux import exclusive, vm
from linux.exclusive_guest import guest

pytestmark = [pytest.mark.linux, pytest.mark.slow]

MOMENTS = 100
_SEED = 7
_PHASES = ("start", "start", "hold", "stop", "stop", "lines")
_ROW = re.compile(r"^(start|hold|stop|lines) (\d+) (tool|all|none) (yes|no)$", re.MULTILINE)


def _moments(count: int) -> str:
    draw = random.Random(_SEED)
    lines = (
        f"{draw.choice(('tool', 'all'))} {draw.choice(_PHASES)} {draw.randrange(1000)}\n"
        for _ in range(count)
    )
    return "".join(lines)


@pytest.mark.parametrize(
    ("how", "kernel", "cgroup"),
    [("", "7", "v2"), ("--mechanism cpuset", "7", "v2"), ("--mechanism affinity", "7", "none")],
    ids=["best", "cpuset", "affinity"],
)
def test_killed_at_any_moment(how: str, kernel: str, cgroup: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Those that came too late (none) are compared, too, but not counted."""
    base = guest(exclusive.program())
    with_moments = dataclasses.replace(base, files={**base.files, "/moments": _moments(3 * MOMENTS).encode()})
    script = f"how='{how}'\n. /check/moments.sh\nmoments {MOMENTS} </moments\n"
    outcome = vm.run(with_moments, script, kernel=kernel, cgroup=cgroup, timeout=3000)
    rows = [
        {
            "mechanism": how.split()[-1] if how else "best",
            "phase": phase,
            "moment_us": int(us),
            "killed": whom,
        }
        | {"equal": equal == "yes"}
        for phase, us, whom, equal in _ROW.findall(outcome.stdout)
    ]
    killed = [row for row in rows if row["killed"] != "none"]
    equal = sum(bool(row["equal"]) for row in killed)
    with capsys.disabled():
        sys.stdout.write(f"\n{how or 'best mechanism'}: {equal} of {len(killed)} byte-equal\n")
    if not how:
        results.write("exclusive_restore", rows, units={"moment_us": "us"}, seed=_SEED)
    assert all(row["equal"] for row in rows), outcome.stdout
    assert (len(killed), outcome.status) == (MOMENTS, 0), outcome.stdout
