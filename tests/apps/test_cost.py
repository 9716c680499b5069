# SPDX-License-Identifier: Apache-2.0
"""What the work costs, without messages: the tables of the applications' READMEs are true."""

from __future__ import annotations

import hashlib
import re

import pytest

from coreloom.apps import APPS
from coreloom.design import platform
from coreloom.paths import APPS as FOLDER
from coreloom.paths import ROOT
from coreloom.simulation import simulate
from coreloom.simulation.simulate import Kind
from coreloom.toolchain import firmware, verilate

PROGRAM = ROOT / "tests" / "apps" / "target" / "cost.c"
ROWS = {
    "image": ("decode", "filter"),
    "packets": ("Packetizer", "Decoder", "CRC", "Classifier", "Forward", "Store"),
}


@pytest.mark.parametrize("app", ROWS)
@pytest.mark.parametrize(("core", "column"), [("standard", 0), ("economy", 1)])
def test_cost_table(app: str, core: str, column: int) -> None:
    """Within 3 %: the compiler and where the code lies in the instruction cache have a say."""
    soc = platform.load(f"smp-{core}", 1)
    # The program includes the application's files, of which the firmware's cache does not know.
    sources = sorted((FOLDER / app).glob("*.[ch]"))
    content = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    defines: dict[str, str | int] = {"CONTENT": f"0x{content[:8]}"}
    if app == "image":
        defines["IMAGE"] = 1
    program = firmware.build(str(PROGRAM), soc, "hw", defines)
    data = APPS[app].prepare(None)
    result = simulate.run(
        verilate.build_model(soc), program, simulate.Options(inputs=data, max_cycles=10_000_000)
    )
    assert result.exit_status == 0
    measured = [event.value / 100 for event in result.events if event.kind == Kind.MARK]
    page = (FOLDER / app / "README.md").read_text()
    for name, cycles in zip(ROWS[app], measured, strict=True):
        row = re.search(rf"^\| {name}[^|]*\| (\d+)[^|]*\| (\d+)", page, re.MULTILINE)
        assert row is not None
        assert int(row[column + 1]) == pytest.approx(cycles, rel=0.03, abs=1), f"{app}: {name} on {core}"
