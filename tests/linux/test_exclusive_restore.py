# SPDX-License-Identifier: Apache-2.0
"""kill -9 at 100 random moments, of the tool or of all its processes: each time all is as it was before."""

from __future__ import annotations

import pytest

from coreloom.benches.exclusive import killed
from coreloom.benches.exclusive.killed import CASES, MOMENTS, Case

pytestmark = [pytest.mark.linux, pytest.mark.nightly]


@pytest.mark.parametrize("case", CASES, ids=[case.mechanism for case in CASES])
def test_killed_at_any_moment(case: Case) -> None:
    """Kills that came too late are compared, too, but not counted."""
    rows = killed.run(case, MOMENTS)
    assert [row for row in rows if not row.equal] == []
    assert len(killed.counted(rows)) == MOMENTS
