// SPDX-License-Identifier: Apache-2.0
// The adapter of the economy core (cl_core_economy), around any core, data cache and local memory: their outputs are free.
// Not proved: that an access is granted some time.

module picorv32 #(
  parameter bit          ENABLE_COUNTERS   = 1'b1,
  parameter bit          ENABLE_COUNTERS64 = 1'b1,
  parameter bit          TWO_STAGE_SHIFT   = 1'b1,
  parameter bit          BARREL_SHIFTER    = 1'b0,
  parameter bit          CATCH_MISALIGN    = 1'b1,
  parameter bit          CATCH_ILLINSN     = 1'b1,
  parameter bit          ENABLE_MUL        = 1'b0,
  parameter bit          ENABLE_FAST_MUL   = 1'b0,
  parameter bit          ENABLE_DIV        = 1'b0,
  parameter bit          ENABLE_IRQ        = 1'b0,
  parameter bit          ENABLE_IRQ_QREGS  = 1'b1,
  parameter bit          ENABLE_IRQ_TIMER  = 1'b1,
  parameter logic [31:0] LATCHED_IRQ       = '1,
  parameter logic [31:0] PROGADDR_RESET    = '0,
  parameter logic [31:0] PROGADDR_IRQ      = 32'h10
) (
  input  logic        clk,
  input  logic        resetn,
  output logic        trap,
  output logic        mem_valid,
  output logic        mem_instr,
  input  logic        mem_ready,
  output logic [31:0] mem_addr,
  output logic [31:0] mem_wdata,
  output logic  [3:0] mem_wstrb,
  input  logic [31:0] mem_rdata,
  output logic        mem_la_read,
  output logic        mem_la_write,
  output logic [31:0] mem_la_addr,
  output logic [31:0] mem_la_wdata,
  output logic  [3:0] mem_la_wstrb,
  output logic        pcpi_valid,
  output logic [31:0] pcpi_insn,
  output logic [31:0] pcpi_rs1,
  output logic [31:0] pcpi_rs2,
  input  logic        pcpi_wr,
  input  logic [31:0] pcpi_rd,
  input  logic        pcpi_wait,
  input  logic        pcpi_ready,
  input  logic [31:0] irq,
  output logic [31:0] eoi,
  output logic        trace_valid,
  output logic [35:0] trace_data
);
endmodule

module cl_core_economy_formal
  import cl_soc_pkg::*;
#(
  parameter  cl_soc_cfg_pkg::cfg_t Cfg        = cl_soc_cfg_pkg::Default,
  localparam int unsigned          LocalBytes = Cfg.LocalBytes
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        bus_gnt_i,
  input logic        bus_gnt_late_i,
  input logic        bus_rvalid_i,
  input logic        bus_err_i,
  input logic [31:0] bus_rdata_i,
  input logic        priv_gnt_i,
  input logic        priv_rvalid_i,
  input logic        priv_err_i,
  input logic [31:0] priv_rdata_i,
  input logic        irq_kernel_i,
  input logic        irq_timer_i,
  input logic        irq_ipi_i,
  input logic        irq_line_i,
  input logic        irq_ipc_i,
  input logic        snoop_valid_i,
  input logic [31:0] snoop_addr_i
);

  obi_req_t    cmd_o, priv_cmd_o;
  logic        bus_req_o, bus_late_o, priv_req_o, fault_o, halt_o;
  logic [31:0] fault_addr_o, pc_o;

  cl_core_economy #(.Cfg(Cfg)) u_adapter (.cpu_id_i('0), .*);

  // The core's access: announced, or not answered yet
  logic        valid, ready, announced, trap, err;
  logic [31:0] rdata, local_data;
  obi_req_t    shown, ahead, own;

  assign valid     = u_adapter.u_core.mem_valid;
  assign ready     = u_adapter.u_core.mem_ready;
  assign rdata     = u_adapter.u_core.mem_rdata;
  assign trap      = u_adapter.u_core.trap;
  assign announced = !valid && !trap && (u_adapter.u_core.mem_la_read || u_adapter.u_core.mem_la_write);
  assign ahead     = '{we: u_adapter.u_core.mem_la_write,
                       be: u_adapter.u_core.mem_la_write ? u_adapter.u_core.mem_la_wstrb : 4'hF,
                       addr: u_adapter.u_core.mem_la_addr, wdata: u_adapter.u_core.mem_la_wdata};
  assign shown     = '{we: u_adapter.u_core.mem_wstrb != '0,
                       be: u_adapter.u_core.mem_wstrb != '0 ? u_adapter.u_core.mem_wstrb : 4'hF,
                       addr: u_adapter.u_core.mem_addr, wdata: u_adapter.u_core.mem_wdata};
  assign own       = valid ? shown : ahead;

  // Where it goes, the ranges being numbers, as the memory map has them; granted and not answered: by whom it must be
  logic asks, to_cache, to_priv, to_local, gnt, rvalid;
  logic cache_q, priv_q, local_q, out, announced_q, kept_q, reset_q, fetched_q;
  logic [31:0] addr_q, pc_q;
  obi_req_t    own_q;

  assign out      = cache_q || priv_q || local_q;
  assign asks     = (announced || valid) && !out;
  assign to_local = asks && own.addr >= 32'h2000_0000 && own.addr - 32'h2000_0000 < LocalBytes;
  assign to_priv  = asks && own.addr >= 32'hF000_0000;
  assign to_cache = asks && !to_local && !to_priv;
  assign gnt      = (to_cache && u_adapter.u_dcache.gnt_o) || (to_priv && priv_gnt_i) || to_local;
  assign rvalid   = (cache_q && u_adapter.u_dcache.rvalid_o) || (priv_q && priv_rvalid_i) || local_q;
  assign err      = (cache_q && u_adapter.u_dcache.err_o) || (priv_q && priv_err_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {cache_q, priv_q, local_q, announced_q, kept_q, fetched_q} <= '0;
      {addr_q, own_q, pc_q} <= '0;
      reset_q <= 1'b1;
    end else begin
      reset_q     <= 1'b0;
      cache_q     <= (to_cache && u_adapter.u_dcache.gnt_o) || (cache_q && !u_adapter.u_dcache.rvalid_o);
      priv_q      <= (to_priv && priv_gnt_i) || (priv_q && !priv_rvalid_i);
      local_q     <= to_local;
      announced_q <= announced;
      kept_q      <= valid && !ready;
      own_q       <= own;
      if (gnt) addr_q <= own.addr;
      if (valid && u_adapter.u_core.mem_instr) pc_q <= own.addr;
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    // The core shows in the next cycle what it has announced, and keeps it until the answer.
    if (announced_q || kept_q) assume (valid && shown == own_q);
    else                       assume (!valid);
    assume (!(u_adapter.u_core.mem_la_read && u_adapter.u_core.mem_la_write));
    if (u_adapter.u_core.mem_la_write) assume (u_adapter.u_core.mem_la_wstrb != '0);
    if (u_adapter.u_dcache.gnt_o)    assume (u_adapter.u_dcache.req_i);
    if (u_adapter.u_dcache.rvalid_o) assume (cache_q);
    if (priv_rvalid_i)               assume (priv_q);

    // REQ-economy-1: an access goes as it is to the cache, the private port or the local memory, once, in the cycle in
    // which it is announced if that takes it.
    assert (u_adapter.u_dcache.req_i == to_cache && priv_req_o == to_priv);
    if (to_cache) assert (u_adapter.u_dcache.cmd_i == own);
    if (to_priv)  assert (priv_cmd_o == own);
    // REQ-economy-2: it is answered when and as that answers, and an error is reported with its address.
    assert (ready == rvalid);
    if (ready && !local_q) assert (rdata == (cache_q ? u_adapter.u_dcache.rdata_o : priv_rdata_i));
    assert (fault_o == (rvalid && err));
    if (fault_o) assert (fault_addr_o == addr_q);
    // REQ-economy-3: the cache has the bus port to itself.
    assert (bus_req_o == u_adapter.u_dcache.bus_req_o && bus_late_o == u_adapter.u_dcache.bus_late_o);
    assert (cmd_o == u_adapter.u_dcache.bus_cmd_o);
    assert (u_adapter.u_dcache.bus_gnt_i == bus_gnt_i && u_adapter.u_dcache.bus_gnt_late_i == bus_gnt_late_i);
    assert (u_adapter.u_dcache.bus_rvalid_i == bus_rvalid_i && u_adapter.u_dcache.bus_err_i == bus_err_i);
    assert (u_adapter.u_dcache.bus_rdata_i == bus_rdata_i);
    assert (u_adapter.u_dcache.snoop_valid_i == snoop_valid_i && u_adapter.u_dcache.snoop_addr_i == snoop_addr_i);
    // REQ-economy-4: each interrupt has its place; the core is reset a cycle longer; no co-processor answers it.
    assert (u_adapter.u_core.irq == {23'd0, irq_ipc_i, irq_line_i, irq_ipi_i, irq_timer_i, irq_kernel_i, 4'd0});
    assert (u_adapter.u_core.resetn == !reset_q && halt_o == trap && pc_o == pc_q);
    assert (!u_adapter.u_core.pcpi_wr && !u_adapter.u_core.pcpi_wait && !u_adapter.u_core.pcpi_ready);

    // Why: it remembers what was granted, and cl_split, too.
    assert (32'(cache_q) + 32'(priv_q) + 32'(local_q) <= 1);
    assert (!out || announced_q || kept_q);
    assert (u_adapter.granted_q == out && u_adapter.u_split.busy_q == out);
    if (out) assert (u_adapter.u_split.mem_q == local_q && u_adapter.u_split.priv_q == priv_q && u_adapter.u_split.addr_q == addr_q);

    CoverAtOnce:  cover (announced_q && ready && cache_q);
    CoverLater:   cover (kept_q && to_cache && u_adapter.u_dcache.gnt_o);
    CoverLocal:   cover (LocalBytes == 0 ? ready : announced_q && ready && local_q);
    CoverPrivate: cover (priv_q && ready && own.we);
    CoverFault:   cover (fault_o && priv_q);
  end

  if (LocalBytes != 0) begin : g_local
    localparam int unsigned AddrW = $clog2(LocalBytes / 4);
    assign local_data = u_adapter.g_local_memory.u_memory.rdata_o;
    always_ff @(posedge clk_i) if (rst_ni) begin
      // REQ-economy-5: the local memory gets what is its, and its words reach the core.
      assert (u_adapter.g_local_memory.u_memory.req_i == to_local && !u_adapter.g_local_memory.u_memory.fetch_req_i);
      assert ({u_adapter.g_local_memory.u_memory.we_i, u_adapter.g_local_memory.u_memory.be_i,
               u_adapter.g_local_memory.u_memory.addr_i, u_adapter.g_local_memory.u_memory.wdata_i} ==
              {own.we, own.be, own.addr[2 +: AddrW], own.wdata});
      if (local_q) assert (rdata == local_data);
    end
  end

endmodule
