# SPDX-License-Identifier: Apache-2.0
"""What loading scx_dwrr costs the kernel's verifier: the instructions that it processed."""

from __future__ import annotations

import re
from functools import partial

from coreloom.benches.linux.bench import Row
from coreloom.benches.linux.schedulers import DWRR
from coreloom.errors import UserError
from coreloom.jobs.job import Job, whole
from coreloom.programs import bpf
from coreloom.vm import vm

TEST = "verifier"
KERNELS = ("6.18", "7")
_LINE = re.compile(rf"{DWRR}: verifier: (\w+) (\d+) instructions")
_LOADED = "round slice"


def rows_of(release: str, said: str) -> list[Row]:
    """A row for each BPF program, from the output of `scx_dwrr -v`. UserError if it was not loaded."""
    found = _LINE.findall(said)
    if not found or _LOADED not in said:
        raise UserError(f"{DWRR} was not loaded on {release}: {vm.last_line(said)}")
    return [
        Row(test=TEST, scheduler=DWRR, seed=1, kernel=release, metric=program, value=int(count))
        for program, count in found
    ]


def jobs() -> list[Job[Row]]:
    """One guest per kernel."""

    def run(kernel: str) -> list[Row]:
        guest = vm.Guest({f"/usr/bin/{DWRR}": bpf.program(DWRR)}, packages=["libc6"])
        lines = (
            f"uname -r; {DWRR} -v 2>&1 & loader=$!",
            "until grep -q enabled /sys/kernel/sched_ext/state; do sleep 0.1; kill -0 $loader || break; done",
            "kill -INT $loader; wait $loader",
        )
        release, _, said = vm.run(guest, "\n".join(lines), kernel=kernel).stdout.partition("\n")
        return rows_of(release, said)

    return [Job(f"verifier of {kernel}", whole(partial(run, kernel))) for kernel in KERNELS]
