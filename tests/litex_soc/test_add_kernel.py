# SPDX-License-Identifier: Apache-2.0
"""The kernel in LiteX's SoCs: programs on one VexRiscv and on two, the page's lines, and what is refused."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from coreloom.errors import UserError
from coreloom.litex import TOP, add_kernel
from coreloom.paths import PLATFORMS
from coreloom.synthesis import export

from . import machine

SAID = {
    "page": "12121212",
    "one": "turns 12121212\ntotal 10\nsum 650\n"
    "answers by interrupt 1\nended by its limit 1 in time\npreempted by a line 1\nand by a slice 1\n",
    "two": "the other CPU is 1\nrounds 40\ntotal 40\nsum 9455\nboth have taken interrupts\n",
}


@pytest.mark.parametrize("name", SAID)
def test_a_program(name: str, tmp_path: Path) -> None:
    """Of the two SoCs one has a kernel with all services."""
    soc = machine.soc(2 if name == "two" else 1)
    folder, lines = tmp_path / "kernel", [soc.timer0.ev.zero.trigger]
    if name == "two":
        add_kernel(soc, cpus=[soc.cpu, soc.cpu1], lines=lines, folder=folder)
    else:
        of = tmp_path / "full.toml"
        text = (PLATFORMS / "smp-standard.toml").read_text(encoding="utf-8")
        of.write_text(text.replace("[kernel]\n", '[kernel]\nbuild = "full"\n'), encoding="utf-8")
        add_kernel(soc, str(of), lines=lines, folder=folder)
    model = machine.build(soc, tmp_path)
    machine.program(machine.PROGRAMS / f"{name}.c", tmp_path)
    assert machine.run(model, tmp_path, 300_000) == SAID[name].encode() + machine.END


def test_the_lines_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
    from litex.build.io import CRG

    monkeypatch.chdir(tmp_path)
    serial = [Subsignal(name, Pins(1)) for name in ("tx", "rx")]
    platform = GenericPlatform("", [("clock", 0, Pins(1)), ("serial", 0, *serial)], name="board")
    (code,) = re.findall(r"```python\n(.*?)```", machine.PAGE.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {
        "__name__": "page",
        "platform": platform,
        "crg": CRG(platform.request("clock")),
    }
    exec(code, names)
    assert names["soc"].coreloom.include == tmp_path / "build" / "board" / "coreloom" / "include"
    assert sorted(path.name for path in names["soc"].coreloom.include.iterdir()) == [
        "cl_kernel_ops.h",
        "cl_kernel_shared.h",
    ]


@pytest.fixture
def unmade(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is exported."""
    monkeypatch.setattr(export, "write", lambda chosen, kind, folder: [folder / f"{TOP}.v"])


@pytest.mark.usefixtures("unmade")
def test_each_hart_is_a_client() -> None:
    """In the order of the CPUs, with an interrupt for each."""
    from migen import Signal

    soc = machine.soc()
    add_kernel(soc, cpus=[soc.cpu, SimpleNamespace(interrupt=Signal(32), cpu_count=2)], name="kernel")
    assert soc.irq.locs == {"uart": 0, "timer0": 1, "kernel": 2, "kernel1": 3, "kernel2": 4}
    assert {name: value for name, value in soc.constants.items() if "KERNEL" in name} == {
        "KERNEL_CLIENTS": 3, "KERNEL_TICK_HZ": 1000, "KERNEL_THREADS": 64, "KERNEL_PRIORITIES": 32,
        "KERNEL_PORTS": 32, "KERNEL_MUTEXES": 32, "KERNEL_SEMAPHORES": 32, "KERNEL_CONDITIONS": 32,
    }  # fmt: skip
    region = soc.bus.regions["kernel"]
    assert (region.origin, region.size, region.cached) == (0x8000_0000, 0x40_0000, False)


@pytest.mark.usefixtures("unmade")
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"cpus": []}, "cpus does not begin with the LiteX SoC's own CPU: begin it with soc.cpu"),
        ({"cpus": [16]}, "platform smp-standard: cpus must be a whole number from 1 to 16, not 17"),
        ({"cpus": [None]}, "CPU 1 of cpus has no interrupts: choose another one"),
        ({"tick_hz": 0}, "tick_hz is 0: choose one from 1 to the clock's 1000000"),
        ({"lines": 9}, "9 interrupt lines are too many: the kernel has 8"),
        ({"lines": [1, 2]}, "interrupt line 1 has 2 bits: choose one of them"),
        ({"kernel": "smp-standart"}, "unknown platform 'smp-standart': did you mean smp-standard?"),
        ({"kernel": "hthreads"}, "platform hthreads has hardware threads: choose one without for LiteX"),
    ],
)  # fmt: skip
def test_mistakes(options: dict[str, Any], text: str) -> None:
    """cpus: the harts of further CPUs, None: without interrupts; lines: their bits, or how many."""
    from migen import Signal

    soc = machine.soc()
    if cpus := options.get("cpus"):
        more = [SimpleNamespace(interrupt=Signal(32), cpu_count=each) if each else object() for each in cpus]
        options = {"cpus": [soc.cpu, *more]}
    if lines := options.get("lines"):
        options = {"lines": [Signal(bits) for bits in (lines if isinstance(lines, list) else [1] * lines)]}
    with pytest.raises(UserError) as raised:
        add_kernel(soc, **options)
    assert str(raised.value) == text


@pytest.mark.usefixtures("unmade")
def test_socs_that_take_no_kernel() -> None:
    def refused(soc: Any, **options: Any) -> str:
        with pytest.raises(UserError) as raised:
            add_kernel(soc, **options)
        return str(raised.value)

    soc = machine.soc()
    assert refused(soc, name="uart") == "the LiteX SoC has a 'uart': choose another name for the kernel"
    soc.irq.enabled = False
    assert refused(soc) == "the LiteX SoC has no CPU with interrupts: choose another cpu_type"
    soc.irq.enabled = True
    add_kernel(soc)
    assert refused(soc, name="second") == "the LiteX SoC has a kernel: leave out the second one"
    soc.finalize()
    assert refused(soc) == "the LiteX SoC is finalised: add the kernel before it is built"


def test_without_litex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litex", None)
    with pytest.raises(UserError, match=r"^the Python package litex is missing: run `make setup-litex`$"):
        add_kernel(SimpleNamespace())
