# SPDX-License-Identifier: Apache-2.0
"""What loading scx_dwrr costs the kernel's verifier: the instructions that it went through."""

from __future__ import annotations

import re
from functools import partial

from coreloom.benches import pool
from coreloom.benches.pool import Job, Row
from coreloom.errors import UserError
from coreloom.programs import bpf
from coreloom.vm import vm

TEST = "verifier"
KERNELS = ("6.18", "7")
_NAME = "scx_dwrr"
_LINE = re.compile(rf"{_NAME}: verifier: (\w+) (\d+) instructions")
_LOADED = "round slice"


def rows_of(release: str, said: str) -> list[Row]:
    """A row for each program, of what `scx_dwrr -v` said. UserError if it was not loaded."""
    found = _LINE.findall(said)
    if not found or _LOADED not in said:
        last = said.strip().splitlines()[-1] if said.strip() else "it said nothing"
        raise UserError(f"{_NAME} was not loaded on {release}: {last}")
    base: Row = {"test": TEST, "scheduler": _NAME, "seed": 1, "kernel": release}
    return [{**base, "metric": program, "value": int(count)} for program, count in found]


def jobs() -> list[Job]:
    """A guest for each kernel."""

    def run(kernel: str) -> list[Row]:
        guest = vm.Guest({f"/usr/bin/{_NAME}": bpf.program(_NAME)}, packages=["libc6"])
        lines = (
            f"uname -r; {_NAME} -v 2>&1 & loader=$!",
            "until grep -q enabled /sys/kernel/sched_ext/state; do sleep 0.1; kill -0 $loader || break; done",
            "kill -INT $loader; wait $loader",
        )
        release, _, said = vm.run(guest, "\n".join(lines), kernel=kernel).stdout.partition("\n")
        return rows_of(release, said)

    return [Job(f"verifier of {kernel}", pool.whole(partial(run, kernel))) for kernel in KERNELS]
