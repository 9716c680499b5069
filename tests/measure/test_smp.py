# SPDX-License-Identifier: Apache-2.0
"""The window of `coreloom bench smp` and `grain`: too short a one, and one that is not the paper's."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any, cast

import msgspec
import pytest

from coreloom.benches import registry
from coreloom.benches.bench import Work
from coreloom.benches.smp import page
from coreloom.benches.smp.bench import WINDOW, Row, run
from coreloom.errors import UserError
from coreloom.jobs.job import Job


def row(done: int, switches: int) -> Row:
    return Row(
        app="packets", kernel="sw", cpus=1, placement="dynamic", core="standard", unit="packets", grain=16,
        done=done, idle_cycles=0, idle_cycles_per_cpu=[0], switches=switches, switch_cycles_mean=None,
        switch_cycles_min=None, switch_cycles_max=None, preemptions=0, preempt_cycles_mean=None,
        cycles_application=1, cycles_kernel=1, cycles_library=0, sim_cycles_per_second=1, paper_done=3,
    )  # fmt: skip


class Done:
    """Work that is done already."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[Any]]) -> list[Row]:
        return self.rows


@pytest.mark.parametrize(("done", "switches"), [(0, 5), (5, 0)])
def test_a_window_in_which_nothing_is_finished(done: int, switches: int) -> None:
    with pytest.raises(UserError) as error:
        run([], 20_000, cast(Work, Done([row(done, switches)])))
    assert str(error.value) == (
        "packets, standard core, sw kernel: no packets were finished within 20000 cycles: "
        "choose a larger --window"
    )


@pytest.mark.parametrize("name", ["smp", "grain", "model"])
def test_only_the_papers_window_makes_a_page(name: str) -> None:
    bench = registry.get(name)
    assert bench.whole(Namespace(quick=False, window=WINDOW))
    assert not bench.whole(Namespace(quick=False, window=WINDOW // 2))
    assert not bench.whole(Namespace(quick=True, window=WINDOW))


def test_the_title_says_the_window() -> None:
    both = [row(3, 1), msgspec.structs.replace(row(4, 1), kernel="hw")]
    assert page.done(both, 200_000).title.startswith("Pixels or packets in 200 000 cycles after")
