// SPDX-License-Identifier: Apache-2.0
// Economy core: adapter around PicoRV32 (rv32im, multi-cycle, no cache, interrupts of its own).
// Fetches and data have one port, so a data cache has both.
//
// PicoRV32 announces an access one cycle ahead (mem_la_*). The adapter puts that on its ports, so a
// one-cycle memory answers in the first cycle of mem_valid and no access waits unless the bus is taken.
module cl_core_economy
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter  cfg_t        Cfg        = Default,
  parameter  logic [31:0] BootAddr   = RamBase,  // reset at +0x80
  localparam int unsigned LocalBytes = Cfg.LocalBytes + (Cfg.LowJitter ? ContextBytes : 0),  // local memory, 0: none
  // Interrupts at +0x10: with a local memory the program is there.
  localparam logic [31:0] IrqBase    = (LocalBytes == 0) ? BootAddr : LocalMemoryBase
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [3:0] cpu_id_i,        // not visible to this core; its software reads CPU_ID of the local device

  // Both ports share the command
  output obi_req_t    cmd_o,
  output logic        bus_req_o,
  output logic        bus_late_o,      // of a data cache: the look-ahead does not depend on a grant
  input  logic        bus_gnt_i,
  input  logic        bus_gnt_late_i,
  input  logic        bus_rvalid_i,    // exactly one cycle after the grant
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,
  output obi_req_t    priv_cmd_o,
  output logic        priv_req_o,
  input  logic        priv_gnt_i,
  input  logic        priv_rvalid_i,   // one cycle after the grant or later
  input  logic        priv_err_i,
  input  logic [31:0] priv_rdata_i,

  // Interrupts (level)
  input  logic        irq_kernel_i,    // irq[4]
  input  logic        irq_timer_i,     // irq[5]
  input  logic        irq_ipi_i,       // irq[6]
  input  logic        irq_line_i,      // irq[7]
  input  logic        irq_ipc_i,       // irq[8]

  // Writes of other masters, for the data cache
  input  logic        snoop_valid_i,
  input  logic [31:0] snoop_addr_i,

  output logic        fault_o,         // bus error, one cycle
  output logic [31:0] fault_addr_o,
  output logic        halt_o,          // the core has stopped for good: illegal instruction or misaligned access
  output logic [31:0] pc_o             // the instruction fetched last, at most one ahead; for profiles
);

  // Interrupts 4 to 8 are levels, the core's own (illegal instruction, misaligned access) are latched.
  localparam logic [31:0] LevelIrqs = 32'h0000_01F0;

  logic        trap, mem_valid, mem_instr, mem_ready, la_read, la_write;
  logic [31:0] mem_addr, mem_wdata, la_addr, la_wdata, rdata, irq;
  logic  [3:0] mem_wstrb, la_wstrb;
  logic        req, gnt, rvalid, err, granted_q;
  obi_req_t    cmd, split_cmd;
  logic        split_req, split_gnt, split_rvalid, split_err;
  logic [31:0] split_rdata;
  logic        resetn_q;

  // Outputs that are not used: co-processor port, end of interrupt, instruction trace
  logic        unused_pcpi_valid, unused_trace_valid;
  logic [31:0] unused_pcpi_insn, unused_pcpi_rs1, unused_pcpi_rs2, unused_eoi;
  logic [35:0] unused_trace_data;

  // PicoRV32 is reset synchronously.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) resetn_q <= 1'b0;
    else         resetn_q <= 1'b1;
  end

  always_comb begin
    irq    = '0;
    irq[4] = irq_kernel_i;
    irq[5] = irq_timer_i;
    irq[6] = irq_ipi_i;
    irq[7] = irq_line_i;
    irq[8] = irq_ipc_i;
  end

  picorv32 #(
    .ENABLE_COUNTERS  (1'b1),
    .ENABLE_COUNTERS64(1'b0),
    .TWO_STAGE_SHIFT  (1'b0),
    .BARREL_SHIFTER   (1'b1),
    .CATCH_MISALIGN   (1'b1),
    .CATCH_ILLINSN    (1'b1),
    .ENABLE_MUL       (1'b1),
    .ENABLE_FAST_MUL  (1'b1),
    .ENABLE_DIV       (1'b1),
    .ENABLE_IRQ       (1'b1),
    .ENABLE_IRQ_QREGS (1'b1),
    .ENABLE_IRQ_TIMER (1'b0),
    .LATCHED_IRQ      (~LevelIrqs),
    .PROGADDR_RESET   (BootAddr + 32'h80),
    .PROGADDR_IRQ     (IrqBase + 32'h10)
  ) u_core (
    .clk         (clk_i),
    .resetn      (resetn_q),
    .trap        (trap),
    .mem_valid   (mem_valid),
    .mem_instr   (mem_instr),
    .mem_ready   (mem_ready),
    .mem_addr    (mem_addr),
    .mem_wdata   (mem_wdata),
    .mem_wstrb   (mem_wstrb),
    .mem_rdata   (rdata),
    .mem_la_read (la_read),
    .mem_la_write(la_write),
    .mem_la_addr (la_addr),
    .mem_la_wdata(la_wdata),
    .mem_la_wstrb(la_wstrb),
    .pcpi_valid  (unused_pcpi_valid),
    .pcpi_insn   (unused_pcpi_insn),
    .pcpi_rs1    (unused_pcpi_rs1),
    .pcpi_rs2    (unused_pcpi_rs2),
    .pcpi_wr     (1'b0),
    .pcpi_rd     (32'b0),
    .pcpi_wait   (1'b0),
    .pcpi_ready  (1'b0),
    .irq         (irq),
    .eoi         (unused_eoi),
    .trace_valid (unused_trace_valid),
    .trace_data  (unused_trace_data)
  );

  // The look-ahead lasts one cycle; a request that was not granted then is repeated with mem_valid, unchanged.
  always_comb begin
    if (mem_valid) begin
      req       = ~granted_q;
      cmd.we    = mem_wstrb != '0;
      cmd.be    = (mem_wstrb != '0) ? mem_wstrb : '1;
      cmd.addr  = mem_addr;
      cmd.wdata = mem_wdata;
    end else begin
      req       = (la_read | la_write) & ~trap;
      cmd.we    = la_write;
      cmd.be    = la_write ? la_wstrb : '1;
      cmd.addr  = la_addr;
      cmd.wdata = la_wdata;
    end
  end

  assign mem_ready = mem_valid & granted_q & rvalid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) granted_q <= 1'b0;
    else         granted_q <= gnt | (granted_q & ~rvalid);
  end

  logic        local_req;
  logic [31:0] local_rdata;

  cl_split #(
    .LocalBytes(LocalBytes)
  ) u_split (
    .clk_i,
    .rst_ni,
    .req_i         (req),
    .cmd_i         (cmd),
    .gnt_o         (gnt),
    .rvalid_o      (rvalid),
    .err_o         (err),
    .rdata_o       (rdata),
    .cmd_o         (split_cmd),
    .bus_req_o     (split_req),
    .bus_gnt_i     (split_gnt),
    .bus_rvalid_i  (split_rvalid),
    .bus_err_i     (split_err),
    .bus_rdata_i   (split_rdata),
    .priv_req_o    (priv_req_o),
    .priv_gnt_i    (priv_gnt_i),
    .priv_rvalid_i (priv_rvalid_i),
    .priv_err_i    (priv_err_i),
    .priv_rdata_i  (priv_rdata_i),
    .mem_req_o     (local_req),
    .mem_rdata_i   (local_rdata),
    .fault_o       (fault_o),
    .fault_addr_o  (fault_addr_o)
  );

  cl_dcache #(
    .Bytes    (Cfg.CacheBytes),
    .LineWords(Cfg.CacheLineWords)
  ) u_dcache (
    .clk_i,
    .rst_ni,
    .req_i         (split_req),
    .cmd_i         (split_cmd),
    .gnt_o         (split_gnt),
    .rvalid_o      (split_rvalid),
    .err_o         (split_err),
    .rdata_o       (split_rdata),
    .bus_req_o,
    .bus_late_o,
    .bus_cmd_o     (cmd_o),
    .bus_gnt_i,
    .bus_gnt_late_i,
    .bus_rvalid_i,
    .bus_err_i,
    .bus_rdata_i,
    .snoop_valid_i,
    .snoop_addr_i
  );

  // Local memory: this core has one port for fetches and data, so one port of it is enough.
  if (LocalBytes == 0) begin : g_no_local_memory
    assign local_rdata = '0;
    logic unused_req;
    assign unused_req = local_req;
  end else begin : g_local_memory
    logic [31:0] unused_rdata;

    cl_local_memory #(
      .Bytes(LocalBytes)
    ) u_memory (
      .clk_i,
      .fetch_req_i  (1'b0),
      .fetch_addr_i ('0),
      .fetch_rdata_o(unused_rdata),
      .req_i        (local_req),
      .we_i         (split_cmd.we),
      .be_i         (split_cmd.be),
      .addr_i       (split_cmd.addr[2 +: $clog2(LocalBytes / 4)]),
      .wdata_i      (split_cmd.wdata),
      .rdata_o      (local_rdata)
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                     pc_o <= '0;
    else if (mem_valid && mem_instr) pc_o <= mem_addr;
  end

  assign priv_cmd_o = split_cmd;
  assign halt_o     = trap;

  logic unused;
  assign unused = ^{cpu_id_i, err, unused_pcpi_valid, unused_pcpi_insn, unused_pcpi_rs1,
                    unused_pcpi_rs2, unused_eoi, unused_trace_valid, unused_trace_data};

endmodule
