# SPDX-License-Identifier: Apache-2.0
"""The jobs of every bench can be sent to another machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from coreloom.benches import registry
from coreloom.benches.bench import Work
from coreloom.commands.bench import options
from coreloom.commands.console import Parser
from coreloom.jobs.job import Job

cloudpickle = pytest.importorskip("cloudpickle")
_OF_THEIR_OWN = ("cluster",)  # whose measurement is the sending


class _Asked(Exception):
    """Of what the bench wants to be run; raised instead of running it."""

    def __init__(self, jobs: Sequence[Job[Any]]) -> None:
        super().__init__()
        self.jobs = jobs


class _Work:
    def jobs(self, first: Sequence[Job[Any]], wanted: Sequence[Job[Any]]) -> list[Any]:
        raise _Asked(wanted)

    def note(self, text: str) -> None:
        pass


@pytest.mark.parametrize("name", [name for name in registry.benches() if name not in _OF_THEIR_OWN])
def test_jobs_travel(name: str) -> None:
    bench = registry.get(name)
    parser = Parser()
    options(bench, parser)
    with pytest.raises(_Asked) as asked:
        bench.measure(parser.parse_args([]), cast(Work, _Work()))
    jobs = asked.value.jobs
    assert jobs
    for job in jobs:
        assert cloudpickle.loads(cloudpickle.dumps(job)).text == job.text
