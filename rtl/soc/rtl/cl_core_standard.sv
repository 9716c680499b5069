// SPDX-License-Identifier: Apache-2.0
// Standard core: adapter around Ibex (cl_ibex). Its instruction cache is off after reset: software sets bit 0 of CSR
// 0x7C0.
//
// Instruction fetches and data accesses share the bus port, data first: a data access holds up the
// instruction that makes it, while most fetches run ahead. Fetches starve only as long as the core finds
// instructions that access data without fetching any, so not for long. No cycle is added on the way.
//
// In Ibex the fetch of a cycle depends on the grant of the data access in that cycle. A new fetch is therefore
// a late request of the bus; one that has waited is a request like any other. A data cache asks late as well, when no
// fetch does.
module cl_core_standard
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter  cfg_t        Cfg        = Default,
  parameter  logic [31:0] BootAddr   = RamBase,  // reset at +0x80
  parameter  bit          Debug      = 1'b0,     // there is debug mode, see cl_ibex
  localparam int unsigned LocalBytes = Cfg.LocalBytes + (Cfg.LowJitter ? ContextBytes : 0)  // local memory, 0: none
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [3:0] cpu_id_i,        // mhartid

  // Bus port (instructions and data) and private port (data only)
  output obi_req_t    cmd_o,
  output logic        bus_req_o,
  output logic        bus_late_o,
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
  input  logic        irq_kernel_i,    // external
  input  logic        irq_timer_i,     // timer
  input  logic        irq_ipi_i,       // software
  input  logic        irq_line_i,      // fast 0
  input  logic        irq_ipc_i,       // fast 1
  input  logic        debug_req_i,     // to halt; 0 without Debug

  // Writes of other masters, for the data cache
  input  logic        snoop_valid_i,
  input  logic [31:0] snoop_addr_i,

  output logic        fault_o,         // bus error, one cycle
  output logic [31:0] fault_addr_o,
  output logic        halt_o,          // the core has halted: a fault inside its own trap entry
  output logic [31:0] pc_o             // the instruction being decoded; for profiles
);

  logic        instr_req, instr_gnt, instr_rvalid, instr_err;
  logic [31:0] instr_addr, instr_rdata;
  logic        data_req, data_gnt, data_rvalid, data_err;
  logic [31:0] data_rdata;
  obi_req_t    data_cmd;

  // A fetch had the bus in the last cycle, or waits for it
  logic instr_owner_q, waiting_q;

  // The core, and with two banks of registers what stores the frame of an interrupted thread behind it
  logic        core_req, core_gnt, core_rvalid, core_err;
  logic [31:0] core_rdata;
  obi_req_t    core_cmd;
  logic        bank;
  logic  [4:0] other_addr;
  logic [31:0] other_rdata, mepc;

  cl_ibex #(
    .BootAddr(BootAddr),
    .ICache  (Cfg.LocalBytes == 0),
    .Banks   (Cfg.LowJitter ? 2 : 1),
    .Debug   (Debug)
  ) u_core (
    .clk_i,
    .rst_ni,
    .hart_id_i     (cpu_id_i),
    .instr_req_o   (instr_req),
    .instr_gnt_i   (instr_gnt),
    .instr_rvalid_i(instr_rvalid),
    .instr_addr_o  (instr_addr),
    .instr_rdata_i (instr_rdata),
    .instr_err_i   (instr_err),
    .data_req_o    (core_req),
    .data_gnt_i    (core_gnt),
    .data_rvalid_i (core_rvalid),
    .data_we_o     (core_cmd.we),
    .data_be_o     (core_cmd.be),
    .data_addr_o   (core_cmd.addr),
    .data_wdata_o  (core_cmd.wdata),
    .data_rdata_i  (core_rdata),
    .data_err_i    (core_err),
    .irq_software_i(irq_ipi_i),
    .irq_timer_i   (irq_timer_i),
    .irq_external_i(irq_kernel_i),
    .irq_fast_i    ({13'b0, irq_ipc_i, irq_line_i}),
    .debug_req_i,
    .bank_i        (bank),
    .other_addr_i  (other_addr),
    .other_rdata_o (other_rdata),
    .mepc_o        (mepc),
    .halt_o,
    .pc_o
  );

  // Data: to the bus, to the private port or to the local memory
  obi_req_t    split_cmd, data_bus_cmd;
  logic        split_req, split_gnt, split_rvalid, split_err;
  logic        split_priv_req, split_priv_gnt, split_priv_rvalid, split_priv_err;
  logic [31:0] split_rdata;
  logic        data_bus_req, data_bus_late, data_bus_gnt, data_bus_gnt_late, data_bus_rvalid;
  logic        data_fault;
  logic [31:0] data_fault_addr;
  logic        local_req;
  logic [31:0] local_rdata;

  cl_split #(
    .LocalBytes(LocalBytes)
  ) u_split (
    .clk_i,
    .rst_ni,
    .req_i         (data_req),
    .cmd_i         (data_cmd),
    .gnt_o         (data_gnt),
    .rvalid_o      (data_rvalid),
    .err_o         (data_err),
    .rdata_o       (data_rdata),
    .cmd_o         (split_cmd),
    .bus_req_o     (split_req),
    .bus_gnt_i     (split_gnt),
    .bus_rvalid_i  (split_rvalid),
    .bus_err_i     (split_err),
    .bus_rdata_i   (split_rdata),
    .priv_req_o    (split_priv_req),
    .priv_gnt_i    (split_priv_gnt),
    .priv_rvalid_i (split_priv_rvalid),
    .priv_err_i    (split_priv_err),
    .priv_rdata_i  (priv_rdata_i),
    .mem_req_o     (local_req),
    .mem_rdata_i   (local_rdata),
    .fault_o       (data_fault),
    .fault_addr_o  (data_fault_addr)
  );

  assign core_err   = data_err;
  assign core_rdata = data_rdata;

  if (!Cfg.LowJitter) begin : g_one_bank
    assign data_req          = core_req;
    assign data_cmd          = core_cmd;
    assign core_gnt          = data_gnt;
    assign core_rvalid       = data_rvalid;
    assign priv_cmd_o        = split_cmd;
    assign priv_req_o        = split_priv_req;
    assign split_priv_gnt    = priv_gnt_i;
    assign split_priv_rvalid = priv_rvalid_i;
    assign split_priv_err    = priv_err_i;
    assign bank              = 1'b0;
    assign other_addr        = '0;
    logic unused;
    assign unused = ^{other_rdata, mepc};
  end else begin : g_two_banks
    cl_frame u_frame (
      .clk_i,
      .rst_ni,
      .req_i        (core_req),
      .cmd_i        (core_cmd),
      .gnt_o        (core_gnt),
      .rvalid_o     (core_rvalid),
      .req_o        (data_req),
      .cmd_o        (data_cmd),
      .gnt_i        (data_gnt),
      .rvalid_i     (data_rvalid),
      .fetch_i      (waiting_q | instr_owner_q),
      .priv_req_i   (split_priv_req),
      .priv_gnt_o   (split_priv_gnt),
      .priv_rvalid_o(split_priv_rvalid),
      .priv_err_o   (split_priv_err),
      .priv_req_o,
      .priv_cmd_o,
      .priv_gnt_i,
      .priv_rvalid_i,
      .priv_err_i,
      .priv_rdata_i,
      .bank_o       (bank),
      .addr_o       (other_addr),
      .data_i       (other_rdata),
      .mepc_i       (mepc)
    );
  end

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
    .bus_req_o     (data_bus_req),
    .bus_late_o    (data_bus_late),
    .bus_cmd_o     (data_bus_cmd),
    .bus_gnt_i     (data_bus_gnt),
    .bus_gnt_late_i(data_bus_gnt_late),
    .bus_rvalid_i  (data_bus_rvalid),
    .bus_err_i,
    .bus_rdata_i,
    .snoop_valid_i,
    .snoop_addr_i
  );

  // Bus: data before instructions, with Holds but not before a fetch that is shown already. The response comes one cycle
  // after the grant, so its owner is known.
  logic        data_owner_q, data_waiting_q, data_first, instr_bus_req, data_late, fetch_req, fetch_q;
  logic [31:0] instr_addr_q;

  assign fetch_req     = instr_req & in_local_memory(instr_addr, LocalBytes);
  assign instr_bus_req = instr_req & ~in_local_memory(instr_addr, LocalBytes);

  assign data_first   = data_bus_req & (~Cfg.Scheduler | ~waiting_q | data_waiting_q);
  assign bus_req_o    = data_bus_req | waiting_q;
  assign bus_late_o   = instr_bus_req | data_late;
  assign data_late    = data_bus_late & ~instr_bus_req;
  assign data_bus_gnt = data_first & bus_gnt_i;
  assign data_bus_gnt_late = data_late & bus_gnt_late_i;
  assign instr_gnt    = fetch_req | (instr_bus_req & ~data_first & (bus_gnt_i | bus_gnt_late_i));

  always_comb begin
    if (data_first || data_late) cmd_o = data_bus_cmd;
    else                         cmd_o = '{we: 1'b0, be: '1, addr: instr_addr, wdata: '0};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_owner_q   <= 1'b0;
      instr_owner_q  <= 1'b0;
      waiting_q      <= 1'b0;
      data_waiting_q <= 1'b0;
      fetch_q        <= 1'b0;
      instr_addr_q   <= '0;
    end else begin
      data_owner_q   <= data_first | data_late;
      data_waiting_q <= data_first & ~bus_gnt_i;
      instr_owner_q  <= instr_gnt & ~fetch_req;
      fetch_q        <= fetch_req;
      waiting_q      <= instr_req & ~instr_gnt;   // Ibex keeps a request until it is granted
      if (instr_gnt) instr_addr_q <= instr_addr;
    end
  end

  assign data_bus_rvalid = bus_rvalid_i & data_owner_q;
  assign instr_rvalid    = (bus_rvalid_i & instr_owner_q) | fetch_q;
  assign instr_err       = bus_err_i & ~fetch_q;

  // Local memory, with a port for fetches and one for data: neither waits
  if (LocalBytes == 0) begin : g_no_local_memory
    assign instr_rdata = bus_rdata_i;
    assign local_rdata = '0;
    logic unused_req;
    assign unused_req = local_req;
  end else begin : g_local_memory
    localparam int unsigned AddrW = $clog2(LocalBytes / 4);
    logic [31:0] fetch_rdata;

    cl_local_memory #(
      .Bytes(LocalBytes)
    ) u_memory (
      .clk_i,
      .fetch_req_i  (fetch_req),
      .fetch_addr_i (instr_addr[2 +: AddrW]),
      .fetch_rdata_o(fetch_rdata),
      .req_i        (local_req),
      .we_i         (split_cmd.we),
      .be_i         (split_cmd.be),
      .addr_i       (split_cmd.addr[2 +: AddrW]),
      .wdata_i      (split_cmd.wdata),
      .rdata_o      (local_rdata)
    );

    assign instr_rdata = fetch_q ? fetch_rdata : bus_rdata_i;
  end

  logic instr_fault;
  assign instr_fault  = instr_rvalid & instr_err;
  assign fault_o      = data_fault | instr_fault;
  assign fault_addr_o = data_fault ? data_fault_addr : instr_addr_q;

endmodule
