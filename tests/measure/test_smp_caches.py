# SPDX-License-Identifier: Apache-2.0
"""[SMP]'s applications with data caches: work, and transfers of the bus."""

from __future__ import annotations

import pytest

from coreloom.apps import APPS
from coreloom.benches.smp import caches
from coreloom.benches.smp.caches import Case, Row

WINDOW = 50_000
COUNTED = {
    Case("packets", "hw", 2, "dynamic", 0): (35, 30614, 3042),
    Case("packets", "hw", 2, "dynamic", 4): (39, 30078, 3229),
    Case("packets", "sw", 2, "selective policy", 4): (12, 40741, 4894),
}


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.text)
@pytest.mark.runtime
def test_work_and_transfers(case: Case) -> None:
    row = caches.measure(case, APPS[case.app].prepare(None), WINDOW)
    done, transfers, stores = COUNTED[case]
    assert row == Row(**case._asdict(), done=done, transfers=transfers, stores=stores)


def test_a_pair_is_a_line() -> None:
    pairs = list(zip(caches.cases()[::2], caches.cases()[1::2], strict=True))
    assert all(cached == without._replace(kib=caches.KIB) for without, cached in pairs)
    rows = [
        Row(**case._asdict(), done=10 + case.kib, transfers=420, stores=140)
        for case in (pairs[0][0], pairs[0][1])
    ]
    (line,) = caches.table(rows, 1000).rows
    assert line[3:] == ("10", "14", "1.40", "28.0", "20.0", "14.0", "10.0", "42.0", "42.0")
