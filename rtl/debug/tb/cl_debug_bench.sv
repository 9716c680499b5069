// SPDX-License-Identifier: Apache-2.0
// Harts around cl_debug: Ibex cores and 64 KiB of memory at 0, in which all of them start at 'h80.
module cl_debug_bench #(
  parameter int unsigned Harts = 2
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic tck_i,
  input  logic tms_i,
  input  logic tdi_i,
  output logic tdo_o,
  output logic tdo_oe_o
);

  localparam logic [31:0] Base   = 32'h1A11_0000;
  localparam int unsigned Ports  = 2 * Harts;  // instructions and data of each
  localparam int unsigned Words  = 1 << 14;

  logic [31:0] memory [Words];

  logic [Ports-1:0]       req, gnt, we, rvalid_q, err_q;
  logic [Ports-1:0]       page_q;
  logic [Ports-1:0][31:0] addr, wdata, rdata_q, rdata;
  logic [Ports-1:0] [3:0] be;
  logic [Harts-1:0]       debug_req;
  logic                   ndmreset, harts_rst_n;

  // The page has one port: the lowest requester gets it
  logic        page_req, page_we;
  logic [11:2] page_addr;
  logic [31:0] page_wdata, page_rdata;

  always_comb begin
    page_req   = 1'b0;
    page_we    = 1'b0;
    page_addr  = '0;
    page_wdata = '0;
    for (int unsigned p = 0; p < Ports; p++) begin
      gnt[p] = req[p];
      if (req[p] && addr[p][31:12] == Base[31:12]) begin
        gnt[p] = ~page_req;
        if (!page_req) begin
          page_req   = 1'b1;
          page_we    = we[p];
          page_addr  = addr[p][11:2];
          page_wdata = wdata[p];
        end
      end
      rdata[p] = page_q[p] ? page_rdata : rdata_q[p];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rvalid_q <= '0;
      err_q    <= '0;
      page_q   <= '0;
    end else begin
      rvalid_q <= req & gnt;
      for (int unsigned p = 0; p < Ports; p++) begin
        page_q[p] <= addr[p][31:12] == Base[31:12];
        err_q[p]  <= addr[p][31:16] != '0 && addr[p][31:12] != Base[31:12];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Ports; p++) begin
      rdata_q[p] <= memory[addr[p][15:2]];
      if (req[p] && gnt[p] && we[p] && addr[p][31:16] == '0) begin
        for (int unsigned b = 0; b < 4; b++) if (be[p][b]) memory[addr[p][15:2]][8*b+:8] <= wdata[p][8*b+:8];
      end
    end
  end

  assign harts_rst_n = rst_ni & ~ndmreset;

  for (genvar h = 0; h < Harts; h++) begin : g_hart
    assign we[2*h]    = 1'b0;
    assign be[2*h]    = '1;
    assign wdata[2*h] = '0;

    ibex_top #(
      .RV32M           (ibex_pkg::RV32MSingleCycle),
      .RegFile         (ibex_pkg::RegFileFPGA),
      .WritebackStage  (1'b1),
      .ICache          (1'b1),
      .DbgTriggerEn    (1'b1),
      .DbgHwBreakNum   (2),
      .DmBaseAddr      (Base),
      .DmHaltAddr      (Base + 32'h200),
      .DmExceptionAddr (Base + 32'h208)
    ) u_core (
      .clk_i,
      .rst_ni                (harts_rst_n),
      .test_en_i             (1'b0),
      .ram_cfg_i             ('0),
      .hart_id_i             (32'(h)),
      .boot_addr_i           ('0),
      .instr_req_o           (req[2*h]),
      .instr_gnt_i           (gnt[2*h]),
      .instr_rvalid_i        (rvalid_q[2*h]),
      .instr_addr_o          (addr[2*h]),
      .instr_rdata_i         (rdata[2*h]),
      .instr_rdata_intg_i    ('0),
      .instr_err_i           (err_q[2*h]),
      .data_req_o            (req[2*h+1]),
      .data_gnt_i            (gnt[2*h+1]),
      .data_rvalid_i         (rvalid_q[2*h+1]),
      .data_we_o             (we[2*h+1]),
      .data_be_o             (be[2*h+1]),
      .data_addr_o           (addr[2*h+1]),
      .data_wdata_o          (wdata[2*h+1]),
      .data_wdata_intg_o     (),
      .data_rdata_i          (rdata[2*h+1]),
      .data_rdata_intg_i     ('0),
      .data_err_i            (err_q[2*h+1]),
      .irq_software_i        (1'b0),
      .irq_timer_i           (1'b0),
      .irq_external_i        (1'b0),
      .irq_fast_i            ('0),
      .irq_nm_i              (1'b0),
      .scramble_key_valid_i  (1'b0),
      .scramble_key_i        ('0),
      .scramble_nonce_i      ('0),
      .scramble_req_o        (),
      .debug_req_i           (debug_req[h]),
      .crash_dump_o          (),
      .double_fault_seen_o   (),
      .fetch_enable_i        (ibex_pkg::IbexMuBiOn),
      .alert_minor_o         (),
      .alert_major_internal_o(),
      .alert_major_bus_o     (),
      .core_sleep_o          (),
      .scan_rst_ni           (1'b1)
    );
  end

  cl_debug #(
    .Harts(Harts),
    .Base (Base)
  ) u_debug (
    .clk_i,
    .rst_ni,
    .tck_i,
    .tms_i,
    .tdi_i,
    .tdo_o,
    .tdo_oe_o,
    .req_i       (page_req),
    .we_i        (page_we),
    .addr_i      (page_addr),
    .wdata_i     (page_wdata),
    .rdata_o     (page_rdata),
    .harts_rst_ni(harts_rst_n),
    .debug_req_o (debug_req),
    .ndmreset_o  (ndmreset)
  );

endmodule
