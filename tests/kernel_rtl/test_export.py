# SPDX-License-Identifier: Apache-2.0
"""The exported kernel in other simulators: with the pins of random streams it does the same in each cycle."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from coreloom.paths import BUILD
from coreloom.reference.kernel import Config
from coreloom.simulation.harness.kernel_port import params
from coreloom.synthesis import export
from simulators import cxxrtl, icarus

from .test_concurrent import concurrent, replay, small

HERE = Path(__file__).parent
OPERATIONS = 3000

USUAL = small(2, 1, "priority")
FAST = replace(small(2, 0, "priority"), event_flags=False, monitors=False, pipeline=True)


def exported(config: Config, folder: Path) -> Path:
    """The kernel as one file of Verilog."""
    made = export.kernel("cl_kernel", f"test-{folder.name}", params(config))
    target = BUILD / "export" / made.name  # where Yosys can read
    (file,) = export.write(made, "verilog", target)
    return file


def stream(config: Config, folder: Path) -> Path:
    """The pins of a stream that the model has found right."""
    log, pins = folder / "log.bin", folder / "pins.txt"
    done = subprocess.run(
        [concurrent(config), str(OPERATIONS), "1", log, pins], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr or done.stdout
    replay(config, log.read_bytes())
    return pins


def in_icarus(config: Config, pins: Path, folder: Path) -> str:
    values = {"CLIENTS": config.clients, "CPUS": config.cpus, "LINES": config.lines, "PINS": f'"{pins}"'}
    text = (HERE / "replay.v").read_text(encoding="utf-8")
    text = re.sub(r"`(\w+)", lambda found: str(values[found[1]]), text)
    return icarus("replay", text + exported(config, folder).read_text(encoding="utf-8"), folder)


def changed(pins: Path) -> int:
    """Change a word that a client is answered; its cycle."""
    lines = pins.read_text(encoding="utf-8").splitlines()
    number = next(n for n, line in enumerate(lines) if n > 1000 and line.split()[7] == "1")
    words = lines[number].split()
    words[12] = f"{int(words[12], 16) ^ 1:x}"  # rdata_o of client 0
    lines[number] = " ".join(words)
    pins.write_text("\n".join(lines), encoding="utf-8")
    return number


def count(pins: Path) -> int:
    return len(pins.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("config", [USUAL, FAST], ids=["usual", "fast"])
def test_the_kernel_in_icarus(config: Config, tmp_path: Path) -> None:
    pins = stream(config, tmp_path)
    assert in_icarus(config, pins, tmp_path).splitlines()[0] == f"{count(pins)} cycles are the same"
    number = changed(pins)
    assert in_icarus(config, pins, tmp_path).startswith(f"cycle {number}: ")


def test_the_kernel_in_cxxrtl(tmp_path: Path) -> None:
    pins = stream(USUAL, tmp_path)
    program = cxxrtl(exported(USUAL, tmp_path), HERE / "replay.cpp", {"CLIENTS": USUAL.clients}, tmp_path)

    def said() -> tuple[int, str]:
        done = subprocess.run([program, pins], capture_output=True, text=True, timeout=600)
        return done.returncode, done.stdout

    assert said() == (0, f"{count(pins)} cycles are the same\n")
    number = changed(pins)
    assert said() == (1, f"cycle {number} differs\n")
