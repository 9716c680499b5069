// SPDX-License-Identifier: Apache-2.0
// A Back-Door on the shared bus, and processor 1 behind it with its own clock.
module cl_far_system
  import cl_soc_cfg_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter cfg_t Cfg         = Default,
  parameter       RomInitFile = ""        // see cl_rom
) (
  input  logic        clk_i,
  input  logic        far_clk_i,
  input  logic        rst_ni,

  // Device of the shared bus
  input  logic        near_req_i,
  input  obi_req_t    near_cmd_i,
  output logic [31:0] near_rdata_o,
  output logic        near_err_o,
  output logic        near_irq_o,      // an enabled bell of processor 1

  // Master of the shared bus: the window
  output logic        window_req_o,
  output obi_req_t    window_cmd_o,
  input  logic        window_gnt_i,
  input  logic        window_rvalid_i,
  input  logic        window_err_i,
  input  logic [31:0] window_rdata_i,

  output logic [31:0] pc_o
);

  logic        far_rst_n, core_rst_n, far_req, far_we, far_err, fault;
  logic        bell_irq, dma_irq, bus_error_irq, dma_req, dma_gnt, dma_rvalid, dma_err;
  logic  [7:0] far_addr;
  logic [31:0] far_wdata, far_rdata, fault_addr, dma_rdata;
  obi_req_t    dma_cmd;

  cl_reset_sync u_reset (
    .clk_i (far_clk_i),
    .rst_ni,
    .rst_no(far_rst_n)
  );

  cl_backdoor #(
    .BlockBytes (Cfg.BlockBytes),
    .MailDepth  (Cfg.MailDepth),
    .MemoryBytes(Cfg.FarBytes)
  ) u_backdoor (
    .clk0_i           (clk_i),
    .rst0_ni          (rst_ni),
    .near_req_i,
    .near_cmd_i,
    .near_rdata_o,
    .near_err_o,
    .near_irq_o,
    .window_req_o,
    .window_cmd_o,
    .window_gnt_i,
    .window_rvalid_i,
    .window_err_i,
    .window_rdata_i,
    .clk1_i           (far_clk_i),
    .rst1_ni          (far_rst_n),
    .core_rst_no      (core_rst_n),
    .core_pc_i        (pc_o),
    .core_fault_i     (fault),
    .core_fault_addr_i(fault_addr),
    .far_req_i        (far_req),
    .far_we_i         (far_we),
    .far_addr_i       (far_addr),
    .far_wdata_i      (far_wdata),
    .far_rdata_o      (far_rdata),
    .far_err_o        (far_err),
    .bell_irq_o       (bell_irq),
    .dma_irq_o        (dma_irq),
    .bus_error_irq_o  (bus_error_irq),
    .dma_req_o        (dma_req),
    .dma_cmd_o        (dma_cmd),
    .dma_gnt_i        (dma_gnt),
    .dma_rvalid_i     (dma_rvalid),
    .dma_err_i        (dma_err),
    .dma_rdata_i      (dma_rdata)
  );

  cl_far_side #(.Cfg(Cfg), .RomInitFile(RomInitFile)) u_far_side (
    .clk_i          (far_clk_i),
    .rst_ni         (core_rst_n),
    .far_req_o      (far_req),
    .far_we_o       (far_we),
    .far_addr_o     (far_addr),
    .far_wdata_o    (far_wdata),
    .far_rdata_i    (far_rdata),
    .far_err_i      (far_err),
    .bell_irq_i     (bell_irq),
    .dma_irq_i      (dma_irq),
    .bus_error_irq_i(bus_error_irq),
    .dma_req_i      (dma_req),
    .dma_cmd_i      (dma_cmd),
    .dma_gnt_o      (dma_gnt),
    .dma_rvalid_o   (dma_rvalid),
    .dma_err_o      (dma_err),
    .dma_rdata_o    (dma_rdata),
    .fault_o        (fault),
    .fault_addr_o   (fault_addr),
    .pc_o
  );

endmodule
