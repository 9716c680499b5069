// SPDX-License-Identifier: Apache-2.0
// The hardware kernel with a Wishbone B4 slave for each client (cl_wb_port): an operation that waits is a wait state.
// Addresses are of words, {op, id}: a byte address shifted right by two. Other ports: cl_kernel.
module cl_kernel_wb
  import cl_kernel_pkg::*;
#(
  parameter  cfg_t        Cfg     = Default,
  localparam int unsigned Clients = Cfg.Cpus + Cfg.HwThreads
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     tick_i,
  input  logic              [31:0] now_i,

  input  logic       [Clients-1:0] cyc_i,
  input  logic       [Clients-1:0] stb_i,
  input  logic       [Clients-1:0] we_i,
  input  logic [Clients-1:0][17:0] adr_i,
  input  logic [Clients-1:0] [3:0] sel_i,
  input  logic [Clients-1:0][31:0] dat_i,
  output logic [Clients-1:0][31:0] dat_o,
  output logic       [Clients-1:0] ack_o,
  output logic       [Clients-1:0] err_o,
  output logic       [Clients-1:0] stall_o,

  output logic      [Cfg.Cpus-1:0] irq_o,
  input  logic      [Cfg.Cpus-1:0] intr_i,
  output logic       [Clients-1:0] idle_o,
  input  logic     [Cfg.Lines-1:0] line_i
);

  client_request_t [Clients-1:0] request;
  client_answer_t  [Clients-1:0] answer;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    cl_wb_port u_port (
      .clk_i,
      .rst_ni,
      .cyc_i   (cyc_i[c]),
      .stb_i   (stb_i[c]),
      .we_i    (we_i[c]),
      .adr_i   (adr_i[c]),
      .sel_i   (sel_i[c]),
      .dat_i   (dat_i[c]),
      .dat_o   (dat_o[c]),
      .ack_o   (ack_o[c]),
      .err_o   (err_o[c]),
      .stall_o (stall_o[c]),
      .req_o   (request[c].req),
      .gnt_i   (answer[c].gnt),
      .we_o    (request[c].we),
      .addr_o  (request[c].addr),
      .wdata_o (request[c].wdata),
      .rvalid_i(answer[c].rvalid),
      .rdata_i (answer[c].rdata),
      .err_i   (1'b0)
    );
  end

  cl_kernel #(
    .Cfg(Cfg)
  ) u_kernel (
    .clk_i,
    .rst_ni,
    .tick_i,
    .now_i,
    .request_i(request),
    .answer_o (answer),
    .irq_o,
    .intr_i,
    .idle_o,
    .line_i
  );

endmodule
