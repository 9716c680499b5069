// SPDX-License-Identifier: Apache-2.0
// Ibex as the standard core has it, unmodified: rv32im, write-back stage, branch-target ALU, single-cycle multiplier,
// 4 KiB two-way instruction cache; with one or two banks of registers.
//
// ibex_top has its register file inside. For two banks ibex_core stands here with a register file of ours and the
// memories of its cache, which is what ibex_top is as long as it is neither secure nor scrambled.
module cl_ibex #(
  parameter logic [31:0] BootAddr = 32'h0,      // reset at +0x80
  parameter bit          ICache   = 1'b1,       // there is an instruction cache
  parameter int unsigned Banks    = 1,          // of registers, 1 or 2
  parameter bit          Debug    = 1'b0        // it has debug mode, whose code is in the page at DebugBase
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [3:0] hart_id_i,

  // Instructions and data, by Ibex's protocol: a request stays until its grant, the answer comes a cycle later or more
  output logic        instr_req_o,
  input  logic        instr_gnt_i,
  input  logic        instr_rvalid_i,
  output logic [31:0] instr_addr_o,
  input  logic [31:0] instr_rdata_i,
  input  logic        instr_err_i,
  output logic        data_req_o,
  input  logic        data_gnt_i,
  input  logic        data_rvalid_i,
  output logic        data_we_o,
  output logic  [3:0] data_be_o,
  output logic [31:0] data_addr_o,
  output logic [31:0] data_wdata_o,
  input  logic [31:0] data_rdata_i,
  input  logic        data_err_i,

  // Interrupts (level)
  input  logic        irq_software_i,
  input  logic        irq_timer_i,
  input  logic        irq_external_i,
  input  logic [14:0] irq_fast_i,

  input  logic        debug_req_i,              // 0 without Debug

  // Two banks: the one that the core has, and a register of the other, see cl_register_banks
  input  logic        bank_i,
  input  logic  [4:0] other_addr_i,
  output logic [31:0] other_rdata_o,

  output logic [31:0] mepc_o,                   // where the last trap came from
  output logic        halt_o,                   // a fault inside its own trap entry
  output logic [31:0] pc_o                      // the instruction being decoded
);

  ibex_pkg::crash_dump_t crash_dump;

  // Outputs that no platform uses: bus integrity, scrambled caches, alerts, sleep
  logic unused_scramble_req, unused_alert_minor, unused_alert_internal, unused_alert_bus;

  assign pc_o   = crash_dump.current_pc;
  assign mepc_o = crash_dump.exception_pc;

  if (Banks == 1) begin : g_one
    logic [6:0] unused_wdata_intg;
    logic       unused_sleep;

    ibex_top #(
      .RV32E          (1'b0),
      .RV32M          (ibex_pkg::RV32MSingleCycle),
      .RV32B          (ibex_pkg::RV32BNone),
      .RegFile        (ibex_pkg::RegFileFPGA),
      .BranchTargetALU(1'b1),
      .WritebackStage (1'b1),
      .ICache         (ICache),
      .ICacheECC      (1'b0),
      .BranchPredictor(1'b0),
      .DbgTriggerEn   (Debug),
      .DbgHwBreakNum  (Debug ? 2 : 1),
      .DmBaseAddr     (cl_soc_map_pkg::DebugBase),
      .DmHaltAddr     (cl_soc_map_pkg::DebugBase + 32'h200),   // as cl_debug has them
      .DmExceptionAddr(cl_soc_map_pkg::DebugBase + 32'h208)
    ) u_core (
      .clk_i,
      .rst_ni,
      .test_en_i             (1'b0),
      .ram_cfg_i             ('0),
      .hart_id_i             ({28'b0, hart_id_i}),
      .boot_addr_i           (BootAddr),
      .instr_req_o,
      .instr_gnt_i,
      .instr_rvalid_i,
      .instr_addr_o,
      .instr_rdata_i,
      .instr_rdata_intg_i    ('0),
      .instr_err_i,
      .data_req_o,
      .data_gnt_i,
      .data_rvalid_i,
      .data_we_o,
      .data_be_o,
      .data_addr_o,
      .data_wdata_o,
      .data_wdata_intg_o     (unused_wdata_intg),
      .data_rdata_i,
      .data_rdata_intg_i     ('0),
      .data_err_i,
      .irq_software_i,
      .irq_timer_i,
      .irq_external_i,
      .irq_fast_i,
      .irq_nm_i              (1'b0),
      .scramble_key_valid_i  (1'b0),
      .scramble_key_i        ('0),
      .scramble_nonce_i      ('0),
      .scramble_req_o        (unused_scramble_req),
      .debug_req_i,
      .crash_dump_o          (crash_dump),
      .double_fault_seen_o   (halt_o),
      .fetch_enable_i        (ibex_pkg::IbexMuBiOn),
      .alert_minor_o         (unused_alert_minor),
      .alert_major_internal_o(unused_alert_internal),
      .alert_major_bus_o     (unused_alert_bus),
      .core_sleep_o          (unused_sleep),
      .scan_rst_ni           (1'b1)
    );

    assign other_rdata_o = '0;

    logic unused;
    assign unused = ^{bank_i, other_addr_i, unused_wdata_intg, unused_sleep};
  end else begin : g_two
    localparam int unsigned Ways  = ibex_pkg::IC_NUM_WAYS;
    localparam int unsigned Lines = ibex_pkg::IC_NUM_LINES;
    localparam int unsigned TagWidth  = ibex_pkg::IC_TAG_SIZE;
    localparam int unsigned LineWidth = ibex_pkg::IC_LINE_SIZE;

    logic  [4:0] raddr_a, raddr_b, waddr;
    logic [31:0] rdata_a, rdata_b, wdata;
    logic        we;
    logic [Ways-1:0] tag_req, data_req;
    logic            tag_write, data_write;
    logic [ibex_pkg::IC_INDEX_W-1:0] tag_addr, data_addr;
    logic  [TagWidth-1:0] tag_wdata, tag_rdata [Ways];
    logic [LineWidth-1:0] data_wdata, data_rdata [Ways];
    logic                 unused_dummy_id, unused_dummy_wb, unused_pending;
    ibex_pkg::ibex_mubi_t unused_busy;

    ibex_core #(
      .RV32E          (1'b0),
      .RV32M          (ibex_pkg::RV32MSingleCycle),
      .RV32B          (ibex_pkg::RV32BNone),
      .BranchTargetALU(1'b1),
      .WritebackStage (1'b1),
      .ICache         (ICache),
      .ICacheECC      (1'b0),
      .BranchPredictor(1'b0),
      .DbgTriggerEn   (Debug),
      .DbgHwBreakNum  (Debug ? 2 : 1),
      .DmBaseAddr     (cl_soc_map_pkg::DebugBase),
      .DmHaltAddr     (cl_soc_map_pkg::DebugBase + 32'h200),   // as cl_debug has them
      .DmExceptionAddr(cl_soc_map_pkg::DebugBase + 32'h208)
    ) u_core (
      .clk_i,
      .rst_ni,
      .hart_id_i             ({28'b0, hart_id_i}),
      .boot_addr_i           (BootAddr),
      .instr_req_o,
      .instr_gnt_i,
      .instr_rvalid_i,
      .instr_addr_o,
      .instr_rdata_i,
      .instr_err_i,
      .data_req_o,
      .data_gnt_i,
      .data_rvalid_i,
      .data_we_o,
      .data_be_o,
      .data_addr_o,
      .data_wdata_o,
      .data_rdata_i,
      .data_err_i,
      .dummy_instr_id_o      (unused_dummy_id),
      .dummy_instr_wb_o      (unused_dummy_wb),
      .rf_raddr_a_o          (raddr_a),
      .rf_raddr_b_o          (raddr_b),
      .rf_waddr_wb_o         (waddr),
      .rf_we_wb_o            (we),
      .rf_wdata_wb_ecc_o     (wdata),
      .rf_rdata_a_ecc_i      (rdata_a),
      .rf_rdata_b_ecc_i      (rdata_b),
      .ic_tag_req_o          (tag_req),
      .ic_tag_write_o        (tag_write),
      .ic_tag_addr_o         (tag_addr),
      .ic_tag_wdata_o        (tag_wdata),
      .ic_tag_rdata_i        (tag_rdata),
      .ic_data_req_o         (data_req),
      .ic_data_write_o       (data_write),
      .ic_data_addr_o        (data_addr),
      .ic_data_wdata_o       (data_wdata),
      .ic_data_rdata_i       (data_rdata),
      .ic_scr_key_valid_i    (1'b1),
      .ic_scr_key_req_o      (unused_scramble_req),
      .irq_software_i,
      .irq_timer_i,
      .irq_external_i,
      .irq_fast_i,
      .irq_nm_i              (1'b0),
      .irq_pending_o         (unused_pending),
      .debug_req_i,
      .crash_dump_o          (crash_dump),
      .double_fault_seen_o   (halt_o),
      .fetch_enable_i        (ibex_pkg::IbexMuBiOn),
      .alert_minor_o         (unused_alert_minor),
      .alert_major_internal_o(unused_alert_internal),
      .alert_major_bus_o     (unused_alert_bus),
      .core_busy_o           (unused_busy)
    );

    cl_register_banks u_registers (
      .clk_i,
      .bank_i,
      .raddr_a_i    (raddr_a),
      .rdata_a_o    (rdata_a),
      .raddr_b_i    (raddr_b),
      .rdata_b_o    (rdata_b),
      .we_i         (we),
      .waddr_i      (waddr),
      .wdata_i      (wdata),
      .other_addr_i,
      .other_rdata_o
    );

    for (genvar way = 0; way < Ways; way++) begin : g_way
      if (ICache) begin : g_memories
        prim_ram_1p #(
          .Width          (TagWidth),
          .Depth          (Lines),
          .DataBitsPerMask(TagWidth)
        ) u_tags (
          .clk_i,
          .cfg_i  ('0),
          .req_i  (tag_req[way]),
          .write_i(tag_write),
          .addr_i (tag_addr),
          .wdata_i(tag_wdata),
          .wmask_i('1),
          .rdata_o(tag_rdata[way])
        );

        prim_ram_1p #(
          .Width          (LineWidth),
          .Depth          (Lines),
          .DataBitsPerMask(LineWidth)
        ) u_lines (
          .clk_i,
          .cfg_i  ('0),
          .req_i  (data_req[way]),
          .write_i(data_write),
          .addr_i (data_addr),
          .wdata_i(data_wdata),
          .wmask_i('1),
          .rdata_o(data_rdata[way])
        );
      end else begin : g_no_memories
        assign tag_rdata[way]  = '0;
        assign data_rdata[way] = '0;
        logic unused_way;
        assign unused_way = tag_req[way] ^ data_req[way];
      end
    end

    logic unused;
    assign unused = ^{unused_dummy_id, unused_dummy_wb, unused_pending, unused_busy, tag_write, tag_addr, tag_wdata,
                      data_write, data_addr, data_wdata};
  end

  logic unused_outputs;
  assign unused_outputs = ^{crash_dump, unused_scramble_req, unused_alert_minor, unused_alert_internal,
                            unused_alert_bus};

endmodule
