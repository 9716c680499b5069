# SPDX-License-Identifier: Apache-2.0
"""What the verifier's cost is read from, and its table."""

from __future__ import annotations

import pytest

from coreloom.benches.linux import page, verifier
from coreloom.errors import UserError

_SAID = """libbpf: prog 'dwrr_init': relo #1
scx_dwrr: verifier: dwrr_enqueue 1700 instructions
scx_dwrr: verifier: dwrr_init 50 instructions
scx_dwrr: verifier: 1750 instructions in total
scx_dwrr: round slice 12 ms, tick 4 ms, 4 CPUs
EXIT: unregistered from user space
"""


def test_a_row_for_each_program() -> None:
    rows = verifier.rows_of("7.3.4", _SAID)
    assert [(row.metric, row.kernel, row.value) for row in rows] == [
        ("dwrr_enqueue", "7.3.4", 1700),
        ("dwrr_init", "7.3.4", 50),
    ]


@pytest.mark.parametrize("said", ["", "scx_dwrr: error: needs root\n", _SAID.replace("round", "")])
def test_a_run_that_was_none(said: str) -> None:
    with pytest.raises(UserError, match=r"^scx_dwrr was not loaded on 7\.3\.4: "):
        verifier.rows_of("7.3.4", said)


def test_the_table_has_the_sums() -> None:
    rows = verifier.rows_of("6.18.15", _SAID.replace("1700", "2700"))
    table = page.instructions([*rows, *verifier.rows_of("7.3.4", _SAID)])
    assert table.columns == ("BPF program of scx_dwrr", "6.18.15", "7.3.4")
    assert table.rows == (
        ("dwrr_enqueue", "2 700", "1 700"),
        ("dwrr_init", "50", "50"),
        ("sum", "2 750", "1 750"),
    )
    assert page.instructions([]).rows == ()
