# SPDX-License-Identifier: Apache-2.0
"""What docs/hardware-thread.md shows is what is there, and does what the page says."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from pathlib import Path

import pytest

from coreloom.design import hardware_threads, platform
from coreloom.paths import PLATFORMS, ROOT, RTL, RUNTIME
from coreloom.simulation.experiment import Experiment
from coreloom.simulation.simulate import Options

PAGE = (ROOT / "docs" / "hardware-thread.md").read_text()


def listings(language: str) -> list[str]:
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", PAGE, re.DOTALL | re.MULTILINE)
    return [textwrap.dedent(text) for _, text in found]


def test_the_module_is_the_file_and_has_50_lines() -> None:
    (module,) = listings("systemverilog")
    assert module == (RTL / "hwt" / "rtl" / "cl_hwt_template.sv").read_text()
    assert len(module.splitlines()) == 50


def test_the_table_and_the_platform_have_that_form() -> None:
    entry, settings = listings("toml")
    # The kind is free, but for a reader who has done what the page says.
    assert [unit.name for unit in hardware_threads.load().values() if unit.kind == 4] in ([], ["mine"])
    assert set(re.findall(r"^(\w+) =", entry, re.MULTILINE)) == {"kind", "module"}
    hthreads = (PLATFORMS / "hthreads.toml").read_text()
    for key in re.findall(r"^(\w+) =", settings, re.MULTILINE):
        assert re.search(rf"^{key} =", hthreads, re.MULTILINE)


@pytest.mark.docs
def test_the_test_runs() -> None:
    (listing,) = listings("python")
    from hwt.harness import BASE, Thread, words

    names = {"BASE": BASE, "Thread": Thread, "words": words}
    body = listing.split("\n", 1)[1].replace('"mine"', '"template"')
    exec(body, names)
    test = names["test_sum"]
    assert callable(test)
    test()


@pytest.mark.docs
def test_the_program_prints_the_sum(tmp_path: Path) -> None:
    if "hardware_find_np" not in (RUNTIME / "include" / "coreloom.h").read_text():
        pytest.skip("the runtime has no hardware threads yet")
    (listing,) = listings("c")
    program = tmp_path / "sum.c"
    program.write_text(listing.replace('"mine"', '"template"'))
    machine = platform.load("hthreads")
    kernel = dataclasses.replace(machine.kernel, hardware_threads=("template",))
    machine = dataclasses.replace(machine, name="hthreads-template", kernel=kernel)
    outcome = Experiment(str(program), machine).run(b"", Options(max_cycles=1_000_000))
    outcome.check_finished()
    assert outcome.result.uart == "5050\n"
