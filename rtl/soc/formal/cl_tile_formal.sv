// SPDX-License-Identifier: Apache-2.0
// The private port of a processor and its interrupts (cl_tile), around any core: the core's outputs are free.
// Not proved: what the cores make of it (tests/soc), and the local device (cl_local_formal.sv).

// Any core: what it asks for is as free as the inputs of a proof are.
module cl_core
  import cl_soc_pkg::*;
#(
  parameter cl_soc_cfg_pkg::cfg_t Cfg   = cl_soc_cfg_pkg::Default,
  parameter bit                   Debug = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [3:0] cpu_id_i,
  output obi_req_t    cmd_o,
  output logic        bus_req_o,
  output logic        bus_late_o,
  input  logic        bus_gnt_i,
  input  logic        bus_gnt_late_i,
  input  logic        bus_rvalid_i,
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,
  output obi_req_t    priv_cmd_o,
  output logic        priv_req_o,
  input  logic        priv_gnt_i,
  input  logic        priv_rvalid_i,
  input  logic        priv_err_i,
  input  logic [31:0] priv_rdata_i,
  input  logic        irq_kernel_i,
  input  logic        irq_timer_i,
  input  logic        irq_ipi_i,
  input  logic        irq_line_i,
  input  logic        irq_ipc_i,
  input  logic        debug_req_i,
  input  logic        snoop_valid_i,
  input  logic [31:0] snoop_addr_i,
  output logic        fault_o,
  output logic [31:0] fault_addr_o,
  output logic        halt_o,
  output logic [31:0] pc_o
);
endmodule

module cl_tile_formal
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter cl_soc_cfg_pkg::cfg_t Cfg         = cl_soc_cfg_pkg::Default,
  parameter int unsigned          FirstCycles = 0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic      [63:0] cycle_i,
  input logic      [31:0] bus_count_i,
  input logic             kernel_gnt_i,
  input logic             kernel_rvalid_i,
  input logic      [31:0] kernel_rdata_i,
  input logic             kernel_irq_i,
  input logic             ipc_gnt_i,
  input logic             ipc_rvalid_i,
  input logic             ipc_err_i,
  input logic      [31:0] ipc_rdata_i,
  input logic             ipc_irq_i,
  input logic             lock_busy_i,
  input logic             lock_grant_i,
  input logic             ipi_set_i,
  input logic [Lines-1:0] line_i,
  input logic             debug_req_i
);

  logic        first, kernel_req, kernel_we, kernel_intr, ipc_req, ipc_we, ipc_intr;
  logic [17:0] kernel_addr;
  logic [18:0] ipc_addr;
  logic [31:0] kernel_wdata, ipc_wdata;

  cl_tile #(.Cfg(Cfg), .FirstCycles(FirstCycles)) u_tile (
    .clk_i,
    .rst_ni,
    .cpu_id_i       ('0),
    .cycle_i,
    .bus_count_i,
    .bus_req_o      (),
    .bus_late_o     (),
    .bus_first_o    (first),
    .bus_cmd_o      (),
    .bus_gnt_i      (1'b0),
    .bus_gnt_late_i (1'b0),
    .bus_rvalid_i   (1'b0),
    .bus_err_i      (1'b0),
    .bus_rdata_i    ('0),
    .snoop_valid_i  (1'b0),
    .snoop_addr_i   ('0),
    .kernel_req_o   (kernel_req),
    .kernel_gnt_i,
    .kernel_we_o    (kernel_we),
    .kernel_addr_o  (kernel_addr),
    .kernel_wdata_o (kernel_wdata),
    .kernel_rvalid_i,
    .kernel_rdata_i,
    .kernel_irq_i,
    .kernel_intr_o  (kernel_intr),
    .ipc_req_o      (ipc_req),
    .ipc_gnt_i,
    .ipc_we_o       (ipc_we),
    .ipc_addr_o     (ipc_addr),
    .ipc_wdata_o    (ipc_wdata),
    .ipc_rvalid_i,
    .ipc_err_i,
    .ipc_rdata_i,
    .ipc_irq_i,
    .ipc_intr_o     (ipc_intr),
    .lock_set_o     (),
    .lock_clear_o   (),
    .lock_addr_o    (),
    .lock_busy_i,
    .lock_grant_i,
    .ipi_set_o      (),
    .ipi_set_i,
    .line_i,
    .debug_req_i,
    .trace_valid_o  (),
    .trace_kind_o   (),
    .exit_valid_o   (),
    .value_o        (),
    .fault_o        (),
    .fault_addr_o   (),
    .halt_o         (),
    .pc_o           ()
  );

  // The core's private access, and the target of its address: a store of less than a word has none.
  logic        req, gnt, rvalid, err, to_kernel, to_local, to_ipc, local_req, local_rvalid, local_err;
  logic [31:0] rdata, local_rdata;
  obi_req_t    cmd;

  assign req          = u_tile.priv_req;
  assign cmd          = u_tile.priv_cmd;
  assign gnt          = u_tile.priv_gnt;
  assign rvalid       = u_tile.priv_rvalid;
  assign err          = u_tile.priv_err;
  assign rdata        = u_tile.priv_rdata;
  assign local_req    = u_tile.local_req;
  assign local_rvalid = u_tile.local_rvalid;
  assign local_err    = u_tile.local_err;
  assign local_rdata  = u_tile.local_rdata;

  always_comb begin
    to_kernel = Cfg.HasKernel && cmd.addr >= KernelBase && cmd.addr < KernelBase + KernelSize && (!cmd.we || cmd.be == 4'hF);
    to_local  = cmd.addr >= LocalBase && cmd.addr < LocalBase + LocalSize && (!cmd.we || cmd.be == 4'hF);
    to_ipc    = Cfg.Ipc && cmd.addr >= IpcBase && cmd.addr < IpcBase + IpcSize && (!cmd.we || cmd.be == 4'hF);
  end

  // Granted and not answered: by whom it must be
  logic kernel_q, local_q, ipc_q, none_q, out, interrupted, interrupts_q;
  logic irq_timer, irq_ipi, irq_line;

  assign out         = kernel_q | local_q | ipc_q | none_q;
  assign irq_timer   = u_tile.irq_timer;
  assign irq_ipi     = u_tile.irq_ipi;
  assign irq_line    = u_tile.irq_line;
  assign interrupted = kernel_irq_i | irq_timer | irq_ipi | irq_line | ipc_irq_i | debug_req_i;

  // How long it has been first on the bus, or not
  logic [31:0] on_q, off_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {kernel_q, local_q, ipc_q, none_q, interrupts_q} <= '0;
      on_q  <= '0;
      off_q <= FirstCycles;
    end else begin
      kernel_q     <= (req & gnt & to_kernel) | (kernel_q & ~kernel_rvalid_i);
      local_q      <= (req & gnt & to_local) | (local_q & ~local_rvalid);
      ipc_q        <= (req & gnt & to_ipc) | (ipc_q & ~ipc_rvalid_i);
      none_q       <= req & ~to_kernel & ~to_local & ~to_ipc;
      interrupts_q <= irq_timer | irq_ipi | irq_line | ipc_irq_i | debug_req_i;
      on_q         <= first ? on_q + 32'd1 : '0;
      if (first)                    off_q <= '0;
      else if (off_q < FirstCycles) off_q <= off_q + 32'd1;
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (!req || !out || rvalid);           // the core: one access at a time
    assume (!kernel_rvalid_i || kernel_q);     // the units answer what they granted
    assume (!ipc_rvalid_i || ipc_q);

    // REQ-tile-1: a private access reaches the one target of its address as it is, and no other.
    AssertKernel: assert (kernel_req == (req && to_kernel));
    AssertLocal:  assert (local_req == (req && to_local));
    AssertIpc:    assert (ipc_req == (req && to_ipc));
    if (kernel_req) AssertToKernel: assert (kernel_we == cmd.we && kernel_addr == cmd.addr[19:2] && kernel_wdata == cmd.wdata);
    if (ipc_req)    AssertToIpc:    assert (ipc_we == cmd.we && ipc_addr == cmd.addr[20:2] && ipc_wdata == cmd.wdata);
    if (req)        AssertGrant:    assert (gnt == (to_kernel ? kernel_gnt_i : to_ipc ? ipc_gnt_i : 1'b1));
    // REQ-tile-2: it is answered once, by its target alone; without a target by an error after one cycle.
    if (out)  AssertAnswer:   assert (rvalid == (kernel_q ? kernel_rvalid_i : local_q ? local_rvalid :
                                                 ipc_q ? ipc_rvalid_i : 1'b1));
    if (!out) AssertNoAnswer: assert (!rvalid);
    if (rvalid) begin
      AssertError: assert (err == (local_q ? local_err : ipc_q ? ipc_err_i : none_q));
      if (!none_q) AssertWord: assert (rdata == (kernel_q ? kernel_rdata_i : local_q ? local_rdata : ipc_rdata_i));
    end
    // REQ-tile-3: the kernel's interrupt and each of the others makes the processor first on the bus from the same cycle
    // on, for FirstCycles, unless it was first within so many cycles; nothing else does.
    if (FirstCycles == 0) AssertNeverFirst: assert (!first);
    else begin
      if (interrupted && off_q == FirstCycles) AssertFirst:    assert (first);
      if (on_q != '0 && on_q < FirstCycles)    AssertForLong:  assert (first);
      if (first && on_q == '0)                 AssertOnlyThen: assert (interrupted && off_q == FirstCycles);
      AssertNoLonger: assert (!first || on_q < FirstCycles);
    end
    // REQ-tile-4: each interrupt but the kernel's own ends a waiting operation of the kernel, a cycle later; all five end
    // one of the communication port.
    AssertEndsKernel: assert (kernel_intr == interrupts_q);
    AssertEndsIpc:    assert (ipc_intr == interrupted);

    // Why: it remembers the one target.
    assert (32'(kernel_q) + 32'(local_q) + 32'(ipc_q) + 32'(none_q) <= 1);
    assert (u_tile.none_q == none_q && u_tile.u_local.rsp_q == local_q);
    if (kernel_q) assert (u_tile.target_q == 2'd0);
    if (local_q)  assert (u_tile.target_q == 2'd1);
    if (ipc_q)    assert (u_tile.target_q == 2'd2);
    if (none_q)   assert (u_tile.target_q == 2'd3);

    CoverKernel:    cover (rvalid && kernel_q && rdata == 32'd7 && Cfg.HasKernel || rvalid && none_q && !Cfg.HasKernel);
    CoverLocal:     cover (rvalid && local_q && !err);
    CoverIpc:       cover (rvalid && ipc_q && err && Cfg.Ipc || rvalid && none_q && !Cfg.Ipc);
    CoverNone:      cover (rvalid && none_q);
    CoverRefused:   cover (req && !gnt || !Cfg.HasKernel && !Cfg.Ipc && rvalid);
    CoverByKernel:  cover (FirstCycles != 0 ? first && on_q == '0 && !u_tile.intr && off_q == FirstCycles : rvalid);
    CoverByIpi:     cover (FirstCycles != 0 ? first && on_q == '0 && irq_ipi && !kernel_irq_i : rvalid);
    CoverByLine:    cover (FirstCycles != 0 ? first && on_q == '0 && irq_line && !kernel_irq_i : rvalid);
    CoverNotAgain:  cover (FirstCycles != 0 ? interrupted && !first && off_q != FirstCycles : rvalid);
  end

  if (FirstCycles != 0) begin : g_why
    always_ff @(posedge clk_i) begin
      if (rst_ni) assert (on_q == u_tile.u_first.g_first.on_q && off_q == u_tile.u_first.g_first.off_q);
    end
  end

endmodule
