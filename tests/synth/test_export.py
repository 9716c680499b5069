# SPDX-License-Identifier: Apache-2.0
"""`coreloom export`: what is in a folder, and that other tools take it.

That the kernel does the same there: tests/kernel_rtl/test_export.py.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from coreloom.design import platform, spec
from coreloom.errors import UserError
from coreloom.paths import BUILD, RUNTIME
from coreloom.synthesis import export
from coreloom.toolchain import verilate, yosys
from simulators import icarus

UNITS = [name for name in export.known() if name not in platform.names() and name != "cl_soc"]
# One of each module in each run, all builds of it at night.
FIRST = [name for name in UNITS if ":" not in name and name != "cl_core"] + ["smp-fast", "backdoor-economy"]
NIGHTLY = [name for name in (*UNITS, *platform.names()) if name not in FIRST and name != "cl_core"]


@pytest.mark.parametrize(
    "name", [*FIRST, *(pytest.param(name, marks=pytest.mark.nightly) for name in NIGHTLY)]
)
def test_the_verilog_of_each_is_read_by_icarus(name: str, tmp_path: Path) -> None:
    chosen = export.choose(name)
    (file,) = export.write(chosen, "verilog", BUILD / "export" / f"test-{chosen.name}")
    assert icarus(chosen.design.top, file.read_text(encoding="utf-8"), tmp_path) == ""


def test_the_verilog_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = export.choose("cl_bus")
    (first,) = export.write(chosen, "verilog", tmp_path / "first")
    monkeypatch.delattr(yosys, "run")
    (second,) = export.write(chosen, "verilog", tmp_path / "second")
    assert second.read_text(encoding="utf-8") == first.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["smp-standard", "hthreads-fast", "cl_kernel", "cl_ipc"])
def test_the_sources_alone_are_a_design(name: str, tmp_path: Path) -> None:
    """In the order of the list, with no other file, and no parameter for a platform's."""
    chosen = export.choose(name)
    top = chosen.design.top
    files = export.write(chosen, "sv", tmp_path / "made")
    listed = (tmp_path / "made" / f"{top}.f").read_text(encoding="utf-8").split()
    assert [tmp_path / "made" / path for path in listed if not path.startswith("+")] == files
    verilator, root = verilate.find_verilator()
    words = ["--lint-only", "-Wno-fatal", "--top-module", top, "-f", f"{top}.f"]
    done = subprocess.run(
        [verilator, *words],
        cwd=tmp_path / "made",
        env={"VERILATOR_ROOT": str(root)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if "%Error" in line]) == (0, [])


def test_the_record_of_a_kernel_has_its_platform_s_values(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'core = "fast"\ninterconnect = "smp-bus"\ncpus = 3\n[memory]\nmodel = "sram"\nram_mib = 32\n'
        '[kernel]\nbuild = "full"\nthreads = 16\npriorities = 32\nsemaphores = 0\n'
        "ports = 8\nport_depth = 4\nmutexes = 4\nconditions = 4\n"
    )
    export.write(export.choose("cl_kernel", str(tmp_path / "mine.toml")), "sv", tmp_path / "made")
    text = (tmp_path / "made" / "rtl" / "cl_kernel_pkg.sv").read_text(encoding="utf-8")
    fields = text.partition("localparam cfg_t Default = '{")[2].partition("};")[0]
    found = dict(line.strip(" ,").split(": ") for line in fields.splitlines() if ":" in line)
    assert {name: found[name] for name in ("Cpus", "Threads", "Semaphores", "Timeouts", "Pipeline")} == {
        "Cpus": "3", "Threads": "16", "Semaphores": "0", "Timeouts": "1'b1", "Pipeline": "1'b0",
    }  # fmt: skip


def test_what_is_in_the_folder(tmp_path: Path) -> None:
    export.write(export.choose("backdoor-economy"), "verilog", tmp_path / "made")
    names = sorted(str(path.relative_to(tmp_path / "made")) for path in (tmp_path / "made").rglob("*.*"))
    assert names == [
        "cl_soc.core", "cl_soc.f", "cl_soc.rdl", "cl_soc.v", "include/cl_backdoor_regs.h",
        "include/cl_ipc_ops.h", "include/cl_kernel_ops.h", "include/cl_soc_map.h", "ipc.md", "kernel.md",
    ]  # fmt: skip
    header = (tmp_path / "made" / "include" / "cl_soc_map.h").read_bytes()
    assert header == (RUNTIME / "include" / "cl_soc_map.h").read_bytes()


REGIONS = {
    "smp-standard": ("uart", "local"),
    "backdoor-economy": ("uart", "back_door", "local"),
    "hthreads-scheduler": ("uart", "local"),
}


@pytest.mark.parametrize("name", REGIONS)
def test_registers_are_read_by_peakrdl(name: str, tmp_path: Path) -> None:
    """Its dump names each register with its address."""
    export.write(export.choose(name), "sv", tmp_path / "made")
    file = tmp_path / "made" / "cl_soc.rdl"

    def peakrdl(verb: str, *more: str) -> str:
        program = Path(sys.executable).with_name("peakrdl")
        done = subprocess.run([program, verb, file, *more], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    peakrdl("ip-xact", "-o", str(tmp_path / "map.xml"))
    peakrdl("html", "-o", str(tmp_path / "html"))
    soc = spec.soc()
    registers = {**soc.registers, "back_door": spec.backdoor().registers["near"]}
    assert peakrdl("dump").splitlines() == [
        f"{at:#010x}-{at + 4 * register.count - 1:#010x}: cl_soc.{region}.{register.name}"
        + (f"[{register.count}]" if register.count > 1 else "")
        for region in REGIONS[name]
        for register in sorted(registers[region].values(), key=lambda each: each.offset)
        for at in [soc.regions[region].base + register.offset]
    ]
    assert (" scheduler @ 0xe3000000;" in file.read_text()) == (name == "hthreads-scheduler")


def test_nothing_is_left_where_yosys_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the standard core a file is copied for it."""
    (tmp_path / "build").mkdir()
    monkeypatch.setattr(export, "BUILD", tmp_path / "build")
    monkeypatch.setattr(yosys, "run", lambda *_: yosys.YosysResult(1, "ERROR: no room\n"))
    with pytest.raises(UserError, match=r"^Yosys cannot read cl_core-standard: ERROR: no room$"):
        export.write(export.choose("cl_core:standard"), "verilog", tmp_path / "made")
    assert [*(tmp_path / "build").iterdir()] == [] and [*tmp_path.iterdir()] == [tmp_path / "build"]


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^unknown unit or platform 'cl_kernl': did you mean cl_kernel\?$"):
        export.choose("cl_kernl")
    with pytest.raises(
        UserError, match=r"^smp-fast is a platform itself: leave out --platform, or name a unit$"
    ):
        export.choose("smp-fast", "smp-fast")
    with pytest.raises(UserError, match=r"^cl_bus has no keys of a platform: leave out --platform$"):
        export.choose("cl_bus", "smp-fast")
    with pytest.raises(UserError, match=r"^/proc/mine cannot be written: .*; choose another place$"):
        export.write(export.choose("cl_bus"), "sv", Path("/proc/mine"))
    (tmp_path / "mine").write_text("x")
    with pytest.raises(
        UserError, match=r"is there, and no earlier export of cl_bus: choose another place by --to$"
    ):
        export.write(export.choose("cl_bus"), "sv", tmp_path)
    assert (tmp_path / "mine").read_text() == "x"
