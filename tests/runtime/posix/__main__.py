# SPDX-License-Identifier: Apache-2.0
"""python -m tests.runtime.posix [hw | sw | host [CALLS [SEED]]]: random programs, until one differs.
python -m tests.runtime.posix scenario NAME: the interleavings of one program of interleave.py.

The first: on the SoC with one of the kernels, or the software kernel without the SoC, which is much faster.
It writes build/results/posix-WHERE.json: how many calls were compared, what was reached, the rate.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Sequence

from coreloom.errors import UserError
from coreloom.paths import RESULTS

from . import stream
from .interleave import ALL

_PROGRAM = 1000  # calls


def main(words: Sequence[str]) -> int:
    kernel = words[0] if words else "host"
    if kernel == "scenario":
        scenario = ALL.get(" ".join(words[1:]))
        if scenario is None:
            raise UserError(f"unknown scenario '{' '.join(words[1:])}': one of {', '.join(ALL)}")
        if wrong := scenario.wrong(scenario.explore()):
            raise UserError(wrong)
        return 0
    if kernel not in stream.WHERE:
        raise UserError(f"unknown kernel '{kernel}': {', '.join(stream.WHERE)}")
    operations, seed = ([*(int(word) for word in words[1:]), *(100_000, 1)[len(words[1:]) :]])[:2]
    start, compared, reached, programs = time.monotonic(), 0, Counter[str](), 0
    while compared < operations:
        program = stream.make(seed + programs, min(_PROGRAM, operations), stream.kernel_of(kernel))
        if wrong := stream.difference(program, stream.WHERE[kernel](program)):
            raise UserError(f"{kernel}, seed {seed + programs}: {wrong}")
        compared += len(program.log)
        reached.update(program.reached)
        programs += 1
        rate = compared / (time.monotonic() - start)
        RESULTS.mkdir(parents=True, exist_ok=True)
        (RESULTS / f"posix-{kernel}.json").write_text(
            json.dumps(
                {
                    "kernel": kernel, "seeds": [seed, seed + programs], "calls": compared,
                    "calls a second": round(rate), "reached": dict(reached.most_common()),
                },
                indent=1,
            )
            + "\n",
            encoding="utf-8",
        )  # fmt: skip
    sys.stdout.write(f"{kernel}: {compared} calls in {programs} programs, {rate:.0f} a second\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"error: {error}")
