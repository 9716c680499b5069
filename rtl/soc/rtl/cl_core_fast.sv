// SPDX-License-Identifier: Apache-2.0
// Fast core: adapter around VexRiscv (rv32im, pipelined for a short cycle, 4 KiB caches for instructions and data).
//
// Its data cache does not see what others write, and leaves alone what is at 0x8000_0000 and above. So programs have
// there whatever they write: the RAM is at UncachedBase, too. The cache is left with constants and input.
//
// Instruction fetches and data accesses share the bus port, data first, as in the standard core. Their requests come
// from registers. The core takes an answer one cycle after it has come, so a load that it does not cache takes 4.
module cl_core_fast
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter logic [31:0] BootAddr = RamBase  // reset at +0x80
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [3:0] cpu_id_i,        // not visible to this core; its software reads CPU_ID of the local device

  // Bus port (instructions and data) and private port (data only)
  output obi_req_t    cmd_o,
  output logic        bus_req_o,
  output logic        bus_late_o,      // never: requests come from registers
  input  logic        bus_gnt_i,
  input  logic        bus_gnt_late_i,
  input  logic        bus_rvalid_i,    // one cycle after the grant or later
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,
  output obi_req_t    priv_cmd_o,
  output logic        priv_req_o,
  input  logic        priv_gnt_i,
  input  logic        priv_rvalid_i,   // one cycle after the grant or later
  input  logic        priv_err_i,
  input  logic [31:0] priv_rdata_i,

  // Interrupts (level)
  input  logic        irq_kernel_i,    // external, 0 of the array
  input  logic        irq_timer_i,     // timer
  input  logic        irq_ipi_i,       // software
  input  logic        irq_line_i,      // external, 1 of the array
  input  logic        irq_ipc_i,       // external, 2 of the array

  // Writes of other masters; the data cache of this core takes none
  input  logic        snoop_valid_i,
  input  logic [31:0] snoop_addr_i,

  output logic        fault_o,         // bus error of a load or store, one cycle
  output logic [31:0] fault_addr_o,
  output logic        halt_o,          // never
  output logic [31:0] pc_o             // the instruction that ended last; in simulation, for profiles
);

  logic        instr_stb, instr_ack, unused_instr_cyc, unused_instr_we;
  logic [29:0] instr_adr;
  logic  [3:0] unused_instr_sel;
  logic  [2:0] instr_cti;
  logic [31:0] unused_instr_dat;
  logic  [1:0] unused_instr_bte, unused_data_bte;
  logic        data_stb, data_ack, data_we, unused_data_cyc;
  logic [29:0] data_adr;
  logic  [3:0] data_sel;
  logic  [2:0] data_cti;
  logic [31:0] data_dat, data_rdata, instr_rdata;
  logic        reset_q;

  // VexRiscv is reset synchronously.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reset_q <= 1'b1;
    else         reset_q <= 1'b0;
  end

  VexRiscv u_core (
    .clk                   (clk_i),
    .reset                 (reset_q),
    .externalResetVector   (BootAddr + 32'h80),
    .timerInterrupt        (irq_timer_i),
    .softwareInterrupt     (irq_ipi_i),
    .externalInterruptArray({29'b0, irq_ipc_i, irq_line_i, irq_kernel_i}),
    .iBusWishbone_CYC      (unused_instr_cyc),
    .iBusWishbone_STB      (instr_stb),
    .iBusWishbone_ACK      (instr_ack),
    .iBusWishbone_WE       (unused_instr_we),
    .iBusWishbone_ADR      (instr_adr),
    .iBusWishbone_DAT_MISO (instr_rdata),
    .iBusWishbone_DAT_MOSI (unused_instr_dat),
    .iBusWishbone_SEL      (unused_instr_sel),
    .iBusWishbone_ERR      (1'b0),
    .iBusWishbone_CTI      (instr_cti),
    .iBusWishbone_BTE      (unused_instr_bte),
    .dBusWishbone_CYC      (unused_data_cyc),
    .dBusWishbone_STB      (data_stb),
    .dBusWishbone_ACK      (data_ack),
    .dBusWishbone_WE       (data_we),
    .dBusWishbone_ADR      (data_adr),
    .dBusWishbone_DAT_MISO (data_rdata),
    .dBusWishbone_DAT_MOSI (data_dat),
    .dBusWishbone_SEL      (data_sel),
    .dBusWishbone_ERR      (1'b0),
    .dBusWishbone_CTI      (data_cti),
    .dBusWishbone_BTE      (unused_data_bte)
  );

  // The owner of the bus response: only one access is on its way at a time
  logic data_owner_q, fetch_owner_q, data_bus_rvalid, fetch_rvalid;

  assign data_bus_rvalid = bus_rvalid_i & data_owner_q;
  assign fetch_rvalid    = bus_rvalid_i & fetch_owner_q;

  // Data: to the bus or to the private port
  obi_req_t data_cmd, split_cmd;
  logic     data_req, data_gnt, data_rvalid, data_bus_req, unused_data_err, unused_local_req;

  cl_wishbone u_data (
    .clk_i,
    .rst_ni,
    .stb_i    (data_stb),
    .we_i     (data_we),
    .sel_i    (data_sel),
    .adr_i    (data_adr),
    .dat_i    (data_dat),
    .cti_i    (data_cti),
    .ack_o    (data_ack),
    .req_o    (data_req),
    .cmd_o    (data_cmd),
    .gnt_i    (data_gnt),
    .rvalid_i (data_rvalid),
    .overlap_i(data_bus_rvalid)  // bursts are on the bus only, and it answers from a register
  );

  cl_split #(
    .Overlap(1'b0)
  ) u_split (
    .clk_i,
    .rst_ni,
    .req_i         (data_req),
    .cmd_i         (data_cmd),
    .gnt_o         (data_gnt),
    .rvalid_o      (data_rvalid),
    .err_o         (unused_data_err),
    .rdata_o       (data_rdata),
    .cmd_o         (split_cmd),
    .bus_req_o     (data_bus_req),
    .bus_gnt_i     (bus_gnt_i),
    .bus_rvalid_i  (data_bus_rvalid),
    .bus_err_i     (bus_err_i),
    .bus_rdata_i   (bus_rdata_i),
    .priv_req_o    (priv_req_o),
    .priv_gnt_i    (priv_gnt_i),
    .priv_rvalid_i (priv_rvalid_i),
    .priv_err_i    (priv_err_i),
    .priv_rdata_i  (priv_rdata_i),
    .mem_req_o     (unused_local_req),
    .mem_rdata_i   ('0),
    .fault_o       (fault_o),
    .fault_addr_o  (fault_addr_o)
  );

  // Instructions
  obi_req_t fetch_cmd;
  logic     fetch_req;

  cl_wishbone u_fetch (
    .clk_i,
    .rst_ni,
    .stb_i    (instr_stb),
    .we_i     (1'b0),
    .sel_i    ('1),
    .adr_i    (instr_adr),
    .dat_i    ('0),
    .cti_i    (instr_cti),
    .ack_o    (instr_ack),
    .req_o    (fetch_req),
    .cmd_o    (fetch_cmd),
    .gnt_i    (fetch_req & ~data_bus_req & bus_gnt_i),
    .rvalid_i (fetch_rvalid),
    .overlap_i(fetch_rvalid)
  );

  // The core fetches ahead, also from where nothing is: there it finds 0, which is no instruction.
  assign instr_rdata = bus_err_i ? '0 : bus_rdata_i;

  // Bus: data before instructions
  assign bus_req_o  = data_bus_req | fetch_req;
  assign cmd_o      = data_bus_req ? split_cmd : fetch_cmd;
  assign priv_cmd_o = split_cmd;
  assign bus_late_o = 1'b0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_owner_q  <= 1'b0;
      fetch_owner_q <= 1'b0;
    end else if (bus_gnt_i) begin
      data_owner_q  <= data_bus_req;
      fetch_owner_q <= fetch_req & ~data_bus_req;
    end
  end

  assign halt_o = 1'b0;

`ifdef VERILATOR
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                       pc_o <= '0;
    else if (u_core.lastStageIsFiring) pc_o <= u_core.lastStagePc;
  end
`else
  assign pc_o = '0;
`endif

  logic unused;
  assign unused = ^{cpu_id_i, bus_gnt_late_i, snoop_valid_i, snoop_addr_i, unused_instr_cyc, unused_instr_we,
                    unused_instr_sel, unused_instr_dat, unused_instr_bte, unused_data_cyc, unused_data_bte,
                    unused_data_err, unused_local_req};

endmodule
