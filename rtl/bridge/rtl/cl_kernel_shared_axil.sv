// SPDX-License-Identifier: Apache-2.0
// The hardware kernel behind one AXI4-Lite slave that never blocks (cl_kernel_shared), for a bus of several masters.
// Addresses are of bytes, client << 20 | op << 12 | id << 2. irq_o: the answer of an operation that has waited is there
// (done_o of cl_kernel_shared), preempt_o: irq_o of cl_kernel. Other ports: cl_kernel.
module cl_kernel_shared_axil
  import cl_kernel_pkg::*;
#(
  parameter  cfg_t        Cfg      = Default,
  parameter  int unsigned Patience = 8,
  localparam int unsigned Clients  = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned Width    = 18 + ((Clients > 1) ? $clog2(Clients) : 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 tick_i,
  input  logic          [31:0] now_i,

  input  logic                 awvalid_i,
  output logic                 awready_o,
  input  logic     [Width+1:0] awaddr_i,
  input  logic                 wvalid_i,
  output logic                 wready_o,
  input  logic          [31:0] wdata_i,
  input  logic           [3:0] wstrb_i,
  output logic                 bvalid_o,
  input  logic                 bready_i,
  output logic           [1:0] bresp_o,
  input  logic                 arvalid_i,
  output logic                 arready_o,
  input  logic     [Width+1:0] araddr_i,
  output logic                 rvalid_o,
  input  logic                 rready_i,
  output logic          [31:0] rdata_o,
  output logic           [1:0] rresp_o,

  output logic   [Clients-1:0] irq_o,
  output logic  [Cfg.Cpus-1:0] preempt_o,
  input  logic  [Cfg.Cpus-1:0] intr_i,
  output logic   [Clients-1:0] idle_o,
  input  logic [Cfg.Lines-1:0] line_i
);

  logic                     req, gnt, we, rvalid, err, kernel_we;
  logic         [Width-1:0] addr;
  logic              [31:0] wdata, rdata, kernel_wdata;
  logic              [17:0] kernel_addr;
  logic       [Clients-1:0] kernel_req, kernel_gnt, kernel_rvalid;
  logic [Clients-1:0][31:0] kernel_rdata;

  client_request_t [Clients-1:0] request;
  client_answer_t  [Clients-1:0] answer;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    assign request[c]       = '{req: kernel_req[c], we: kernel_we, addr: kernel_addr, wdata: kernel_wdata};
    assign kernel_gnt[c]    = answer[c].gnt;
    assign kernel_rvalid[c] = answer[c].rvalid;
    assign kernel_rdata[c]  = answer[c].rdata;
  end

  cl_axil_port #(
    .AddrWidth(Width)
  ) u_port (
    .clk_i,
    .rst_ni,
    .awvalid_i,
    .awready_o,
    .awaddr_i,
    .wvalid_i,
    .wready_o,
    .wdata_i,
    .wstrb_i,
    .bvalid_o,
    .bready_i,
    .bresp_o,
    .arvalid_i,
    .arready_o,
    .araddr_i,
    .rvalid_o,
    .rready_i,
    .rdata_o,
    .rresp_o,
    .req_o   (req),
    .gnt_i   (gnt),
    .we_o    (we),
    .addr_o  (addr),
    .wdata_o (wdata),
    .rvalid_i(rvalid),
    .rdata_i (rdata),
    .err_i   (err)
  );

  cl_kernel_shared #(
    .Clients (Clients),
    .Patience(Patience)
  ) u_shared (
    .clk_i,
    .rst_ni,
    .req_i   (req),
    .gnt_o   (gnt),
    .we_i    (we),
    .addr_i  (addr),
    .wdata_i (wdata),
    .rvalid_o(rvalid),
    .rdata_o (rdata),
    .err_o   (err),
    .done_o  (irq_o),
    .req_o   (kernel_req),
    .gnt_i   (kernel_gnt),
    .we_o    (kernel_we),
    .addr_o  (kernel_addr),
    .wdata_o (kernel_wdata),
    .rvalid_i(kernel_rvalid),
    .rdata_i (kernel_rdata)
  );

  cl_kernel #(
    .Cfg(Cfg)
  ) u_kernel (
    .clk_i,
    .rst_ni,
    .tick_i,
    .now_i,
    .request_i(request),
    .answer_o (answer),
    .irq_o    (preempt_o),
    .intr_i,
    .idle_o,
    .line_i
  );

endmodule
