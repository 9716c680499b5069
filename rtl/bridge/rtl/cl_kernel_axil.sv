// SPDX-License-Identifier: Apache-2.0
// The hardware kernel with an AXI4-Lite slave for each client (cl_axil_port): an operation that waits answers late.
// Addresses are of bytes, op << 12 | id << 2. Other ports: cl_kernel.
module cl_kernel_axil
  import cl_kernel_pkg::*;
#(
  parameter  cfg_t        Cfg     = Default,
  localparam int unsigned Clients = Cfg.Cpus + Cfg.HwThreads
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     tick_i,
  input  logic              [31:0] now_i,

  input  logic       [Clients-1:0] awvalid_i,
  output logic       [Clients-1:0] awready_o,
  input  logic [Clients-1:0][19:0] awaddr_i,
  input  logic       [Clients-1:0] wvalid_i,
  output logic       [Clients-1:0] wready_o,
  input  logic [Clients-1:0][31:0] wdata_i,
  input  logic [Clients-1:0] [3:0] wstrb_i,
  output logic       [Clients-1:0] bvalid_o,
  input  logic       [Clients-1:0] bready_i,
  output logic [Clients-1:0] [1:0] bresp_o,
  input  logic       [Clients-1:0] arvalid_i,
  output logic       [Clients-1:0] arready_o,
  input  logic [Clients-1:0][19:0] araddr_i,
  output logic       [Clients-1:0] rvalid_o,
  input  logic       [Clients-1:0] rready_i,
  output logic [Clients-1:0][31:0] rdata_o,
  output logic [Clients-1:0] [1:0] rresp_o,

  output logic      [Cfg.Cpus-1:0] irq_o,
  input  logic      [Cfg.Cpus-1:0] intr_i,
  output logic       [Clients-1:0] idle_o,
  input  logic     [Cfg.Lines-1:0] line_i
);

  client_request_t [Clients-1:0] request;
  client_answer_t  [Clients-1:0] answer;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    cl_axil_port u_port (
      .clk_i,
      .rst_ni,
      .awvalid_i(awvalid_i[c]),
      .awready_o(awready_o[c]),
      .awaddr_i (awaddr_i[c]),
      .wvalid_i (wvalid_i[c]),
      .wready_o (wready_o[c]),
      .wdata_i  (wdata_i[c]),
      .wstrb_i  (wstrb_i[c]),
      .bvalid_o (bvalid_o[c]),
      .bready_i (bready_i[c]),
      .bresp_o  (bresp_o[c]),
      .arvalid_i(arvalid_i[c]),
      .arready_o(arready_o[c]),
      .araddr_i (araddr_i[c]),
      .rvalid_o (rvalid_o[c]),
      .rready_i (rready_i[c]),
      .rdata_o  (rdata_o[c]),
      .rresp_o  (rresp_o[c]),
      .req_o    (request[c].req),
      .gnt_i    (answer[c].gnt),
      .we_o     (request[c].we),
      .addr_o   (request[c].addr),
      .wdata_o  (request[c].wdata),
      .rvalid_i (answer[c].rvalid),
      .rdata_i  (answer[c].rdata),
      .err_i    (1'b0)
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
