"""The ready queue alone: against lists, with its exact cycles."""

from __future__ import annotations

import json
import subprocess

import pytest

from coreloom import verilate

from .harness import KERNEL, SEED, rtl

SIZES = {
    "64x32": {"Cpus": 2, "Threads": 64, "Priorities": 32},
    "256x128": {"Cpus": 2, "Threads": 256, "Priorities": 128},
    "1024x256": {"Cpus": 4, "Threads": 1024, "Priorities": 256},
    "2x2": {"Cpus": 1, "Threads": 2, "Priorities": 2},
}


@pytest.mark.parametrize("size", SIZES)
def test_bitmap(size: str) -> None:
    params = SIZES[size]
    design = verilate.Design("cl_ready_queue_referee", (*rtl(), KERNEL / "tb" / "cl_ready_queue_referee.sv"))
    model = verilate.build(design, KERNEL / "tb" / "ready_queue.cpp", params, name="ready-queue")
    done = subprocess.run([model, "200000", str(SEED)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["most_queued"] == params["Threads"]
    # The same at any length: 2 cycles, 4 where the best priority of a queue is emptied.
    assert report["push_back"] == [2, 2]
    assert report["push_front"] == [2, 2]
    assert report["pop"] == [2, 4]
    assert report["remove"] == [2, 4]
