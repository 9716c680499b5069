# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/: what each prints, on every ground where it can run, and that each is short."""

import re
from pathlib import Path

import pytest

from coreloom.paths import ROOT

from .command import run

EXAMPLES = sorted((ROOT / "examples").glob("*.c"))
PRINTED = {
    "barrier": "cell 10 after 200 steps: 612\n",
    "hardware_thread": "CRC-32: f412e439\n",
    "interrupt": "200 interrupts served\n",
    "pingpong": "1000 round trips\n",
    "pipeline": "sum behind 4 stages: 2816831160\n",
    "priority_inversion": "no protocol: waited for low and for middle\ninheritance: waited for low\n",
    "producer_consumer": "sum of 500 items: 125250\n",
}
# Linux has no interrupt lines, and real-time priorities for root only.
ON_LINUX = PRINTED.keys() - {"interrupt", "priority_inversion"}


def test_each_is_listed() -> None:
    assert {path.stem for path in EXAMPLES} == PRINTED.keys()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_each_is_short_and_says_first_what_to_look_for(example: Path) -> None:
    comment, code = example.read_text(encoding="utf-8").split(" */\n", 1)
    assert re.search(r"\bLook at\b", comment)
    assert len(code.splitlines()) < 40


@pytest.mark.parametrize("on", ["hw", "sw", "linux"])
@pytest.mark.parametrize("name", sorted(PRINTED))
def test_it_prints(capfd: pytest.CaptureFixture[str], name: str, on: str) -> None:
    if on == "linux" and name not in ON_LINUX:
        pytest.skip("Linux cannot run it")
    assert run(capfd, "run", "-q", f"{ROOT}/examples/{name}.c", "--on", on) == (0, PRINTED[name], "")


def test_what_linux_cannot_run_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    done = run(capfd, "run", "-q", f"{ROOT}/examples/interrupt.c", "--on", "linux")
    assert done == (1, "there are no interrupt lines here\n", "")


@pytest.mark.runtime
def test_a_thread_in_a_circuit_is_faster(capfd: pytest.CaptureFixture[str]) -> None:
    program = f"{ROOT}/examples/hardware_thread.c"
    cycles = []
    for on in ("hw", "sw"):
        code, printed, said = run(capfd, "run", program, "--platform", "hthreads", "--on", on)
        assert (code, printed) == (0, PRINTED["hardware_thread"])
        found = re.search(r"^(\d+) cycles", said, re.MULTILINE)
        assert found
        cycles.append(int(found[1]))
    assert cycles[0] * 2 < cycles[1]
