# SPDX-License-Identifier: Apache-2.0
"""The whole Back-Door at clocks that have nothing to do with one another: both sides at work at once, with
holds in the midst of it, and a scoreboard; see rtl/ipc/backdoor/tb/whole.cpp."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from coreloom.paths import BUILD
from coreloom.simulation.harness import backdoor as backdoor_unit
from coreloom.simulation.harness.backdoor import whole

from .harness import SEED, sources

SMALL = (4096, 16384, 16)  # bytes of block and memory, words of mail


class Clocks(NamedTuple):
    """Periods in any unit; each is longer or shorter by up to `jitter`."""

    near: int
    far: int
    jitter: int = 0


CLOCKS = (
    Clocks(1000, 1000),  # the same edges
    Clocks(1000, 1001),
    Clocks(997, 1000, 300),
    Clocks(1000, 1618),
    Clocks(1618, 1000, 100),
    Clocks(1000, 333),
    Clocks(1000, 7001),
    Clocks(9973, 1000),
)


def play(executable: Path, seed: int, clocks: Clocks, percent: int, holds: int, cycles: int) -> Counter[str]:
    """How often each kind of thing happened; AssertionError: what is wrong."""
    done = subprocess.run(
        [executable, *map(str, (seed, *clocks, percent, holds, cycles))],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return Counter(json.loads(done.stdout))


@pytest.mark.parametrize("clocks", CLOCKS, ids=str)
def test_whole(clocks: Clocks) -> None:
    executable = whole(*SMALL)
    counts = play(executable, SEED, clocks, 100, 0, 50000)
    for n, percent in enumerate((100, 60, 10)):
        counts += play(executable, SEED + n, clocks, percent, 200, 100000)
    assert min(counts.values()) > 3, counts


def test_words_per_cycle() -> None:
    """Of the slower bus, both at work."""
    rows = backdoor_unit.measure()
    lists = [row for row in rows if row["kind"] == "list"]
    assert all(row["cycles"] == row["words"] + 5 for row in lists)
    assert {(row["near_period"] or 0) < (row["far_period"] or 0) for row in rows} == {True, False}
    assert min(row["words_per_cycle"] for row in rows if row["words"] >= 128) >= 0.95


@pytest.mark.nightly
@pytest.mark.parametrize("sizes", [SMALL, (8192, 4096, 2), (4096, 65536, 128)], ids=str)
def test_whole_long(sizes: tuple[int, int, int]) -> None:
    executable = whole(*sizes)
    rng = random.Random(SEED)
    for _ in range(300):
        clocks = Clocks(*(int(1000 * 1.5 ** rng.uniform(-6, 6)) for _ in range(2)))
        clocks = clocks._replace(jitter=rng.choice((0, min(clocks) // 3)))
        holds = rng.choice((0, 50, 200, 1000))
        play(executable, rng.getrandbits(31), clocks, rng.randint(5, 100), holds, 30000)


# (file, text, what is there instead); each must be found by a few runs
PLANTED = {
    "bundle moves": ("cl_cdc_bundle", "= idle & (", "= ("),
    "bell lost": ("cl_cdc_bundle", "<= bells_q | bells_i;", "<= bells_i;"),
    "bell with the next": ("cl_cdc_bundle", "<= bells_q | (ring_i ? bells_i : '0);", "<= bells_q;"),
    "mail first": ("cl_backdoor", "(near_received.mail[CountW-1:0])", "(near_written)"),
    "mail up first": ("cl_backdoor", "(far_received.mail[CountW-1:0])", "(far_written)"),
    "room": ("cl_cdc_fifo", "CountW'(Depth) - (", "CountW'(Depth + 1) - ("),
    "DMA not held": ("cl_backdoor", ".rst_ni      (far_rst_n)", ".rst_ni      (rst1_ni)"),
    "cut not sent": ("cl_backdoor_far", "cut_q <= busy;", "cut_q <= 1'b0;"),
    "pc": ("cl_backdoor_far", "if (started_q) pc_q", "if (!started_q) pc_q"),
    "mail of before": ("cl_backdoor_far", "== FarMailReceive) | ~live_q;", "== FarMailReceive);"),
    "mail up of before": ("cl_backdoor_near", "Receive) | ~far_i.running;", "Receive);"),
    "hold forgotten": ("cl_backdoor_near", "run_q & ~hold_owed_q & (", "run_q & ("),
    "bytes": ("cl_backdoor_near", "(&cmd_i.be);", "1'b1;"),
    "word not read ahead": ("cl_backdoor_dma", "state_q == StBegin || (step", "state_q == StMove || (step"),
    "bells of before": ("cl_backdoor_far", ".hold_i   (~run)", ".hold_i   (1'b0)"),
}  # fmt: skip


@pytest.mark.nightly
@pytest.mark.parametrize("name", PLANTED)
def test_whole_notices(name: str) -> None:
    stem, old, new = PLANTED[name]
    folder = BUILD / "tests" / "whole" / name.replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for path in sources():
        if path.stem == stem:
            text = path.read_text()
            assert text.count(old) == 1, old
            path = folder / path.name
            path.write_text(text.replace(old, new))
        files.append(path)
    executable = whole(*SMALL, files=tuple(files))
    rng = random.Random(SEED)
    with pytest.raises(AssertionError):
        for n in range(200):
            play(executable, n, rng.choice(CLOCKS), 60, rng.choice((0, 200, 600)), 20000)
