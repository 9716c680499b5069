// SPDX-License-Identifier: Apache-2.0
// The SoC with a debug module, as a board has it: `coreloom run --jtag`. The harts begin halted, before their first
// instruction, so that a debugger that comes has missed nothing.
module cl_top
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter  cfg_t        Cfg  = Default,
  localparam int unsigned Cpus = Cfg.Kernel.Cpus
) (
  input  logic                clk_i,
  input  logic                far_clk_i,
  input  logic                rst_ni,
  input  logic [LinePins-1:0] line_i,
  output logic                uart_tx_o,
  input  logic                tck_i,
  input  logic                tms_i,
  input  logic                tdi_i,
  output logic                tdo_o,
  output logic                page_req_o  // a hart that is halted asks again and again
);

  logic            ndmreset, soc_rst_n, unused_tdo_oe;
  obi_req_t        cmd;
  logic     [31:0] page_rdata;
  logic [Cpus-1:0] debug_req;
  logic      [7:0] hold_q;   // cycles in which they are asked to halt; each does at its first instruction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)            hold_q <= '1;
    else if (hold_q != '0)  hold_q <= hold_q - 8'd1;
  end

  assign soc_rst_n = rst_ni & ~ndmreset;

  cl_debug #(
    .Harts(Cpus),
    .Base (DebugBase)
  ) u_debug (
    .clk_i,
    .rst_ni,
    .tck_i,
    .tms_i,
    .tdi_i,
    .tdo_o,
    .tdo_oe_o    (unused_tdo_oe),
    .req_i       (page_req_o),
    .we_i        (cmd.we),
    .addr_i      (cmd.addr[11:2]),
    .wdata_i     (cmd.wdata),
    .rdata_o     (page_rdata),
    .harts_rst_ni(soc_rst_n),
    .debug_req_o (debug_req),
    .ndmreset_o  (ndmreset)
  );

  cl_soc #(
    .Cfg  (Cfg),
    .Debug(1'b1)
  ) u_soc (
    .clk_i,
    .far_clk_i,
    .rst_ni            (soc_rst_n),
    .line_i,
    .uart_tx_o,
    .user_cmd_o        (cmd),
    .user_gnt_i        (1'b0),
    .user_rvalid_i     (1'b0),
    .user_rsp_i        ('0),
    .debug_page_req_o  (page_req_o),
    .debug_page_rdata_i(page_rdata),
    .debug_req_i       (debug_req | {Cpus{hold_q != '0}})
  );

endmodule
