# SPDX-License-Identifier: Apache-2.0
"""Which results are no longer what the tree would give, and how long it takes to measure them anew."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from coreloom import uses
from coreloom.benches import registry
from coreloom.benches.bench import Bench
from coreloom.report.results import Result


class Digests(NamedTuple):
    """Of all that decides the figures of a bench; one that is as it was is enough.

    sources: its programs by their sources, for which nothing is built. images: by what runs, which a change
    of a source need not change.
    """

    sources: str
    images: str


def digests(bench: Bench[Any], images: Collection[str]) -> Digests:
    """The digests as they are now. images: its plan with what it runs built, apart from models."""
    return Digests(bench.digest(bench.planned(uses.SOURCES)), bench.digest(images))


def unlike(planned: Collection[str], found: Collection[str], bench: Bench[Any], everywhere: bool) -> str:
    """What a measurement ran that was not planned, or the other way round; empty: nothing.

    everywhere: all of what it ran is among `found`.
    """
    if more := sorted(set(found) - set(planned)):
        return f"{bench.name} ran {more[0]}, which is not in its plan"
    if bench.exact and everywhere and (less := sorted(set(planned) - set(found))):
        return f"{bench.name} did not run {less[0]}, which is in its plan"
    return ""


def current(bench: Bench[Any], content: Result) -> bool:
    """Whether the bench would give this result again."""
    if not content.inputs and not content.images:
        return False
    if bench.digest(bench.planned(uses.SOURCES)) == content.inputs:
        return True
    return bool(bench.runs and content.images) and (
        bench.digest(bench.planned(uses.IMAGES)) == content.images
    )


class Stale(NamedTuple):
    """A bench without a result that is current; seconds: that its last one took, None if nobody knows."""

    bench: Bench[Any]
    seconds: float | None

    def __str__(self) -> str:
        if self.seconds is None:
            return f"{self.bench.name}: coreloom {self.bench.command}"
        minutes = max(1, round(self.seconds / 60))
        return f"{self.bench.name}: coreloom {self.bench.command}, about {minutes} min"


def pages(tell: Callable[[str], None]) -> list[Stale]:
    """Those whose page is not of this tree, or that have none. tell: is called with each bench's name.

    What a bench runs is built if its sources changed, which can take minutes.
    """
    return _stale(Bench.read_published, tell)


def results(tell: Callable[[str], None]) -> list[Stale]:
    """Those that have no current result, neither a published one nor one in build/results."""
    return _stale(lambda bench: bench.read() if bench.measured() else None, tell)


def _stale(read: Callable[[Bench[Any]], Result | None], tell: Callable[[str], None]) -> list[Stale]:
    found = []
    for bench in registry.benches().values():
        tell(bench.name)
        content = read(bench)
        if content is None or not current(bench, content):
            found.append(Stale(bench, content.seconds if content else None))
    return found
