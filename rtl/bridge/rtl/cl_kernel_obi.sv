// SPDX-License-Identifier: Apache-2.0
// The hardware kernel with plain wires: an OBI port for each client, without byte enables, as its accesses are of words.
// An operation that waits is answered late. Addresses are of words, {op, id}. Other ports: cl_kernel.
module cl_kernel_obi
  import cl_kernel_pkg::*;
#(
  parameter  cfg_t        Cfg     = Default,
  localparam int unsigned Clients = Cfg.Cpus + Cfg.HwThreads
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     tick_i,
  input  logic              [31:0] now_i,

  input  logic       [Clients-1:0] req_i,      // held until gnt_o, with we_i, addr_i and wdata_i
  output logic       [Clients-1:0] gnt_o,
  input  logic       [Clients-1:0] we_i,
  input  logic [Clients-1:0][17:0] addr_i,     // {op, id}
  input  logic [Clients-1:0][31:0] wdata_i,
  output logic       [Clients-1:0] rvalid_o,   // one cycle after gnt_o or later, for loads and stores
  output logic [Clients-1:0][31:0] rdata_o,

  output logic      [Cfg.Cpus-1:0] irq_o,
  input  logic      [Cfg.Cpus-1:0] intr_i,
  output logic       [Clients-1:0] idle_o,
  input  logic     [Cfg.Lines-1:0] line_i
);

  client_request_t [Clients-1:0] request;
  client_answer_t  [Clients-1:0] answer;

  for (genvar c = 0; c < Clients; c++) begin : g_client
    assign request[c]  = '{req: req_i[c], we: we_i[c], addr: addr_i[c], wdata: wdata_i[c]};
    assign gnt_o[c]    = answer[c].gnt;
    assign rvalid_o[c] = answer[c].rvalid;
    assign rdata_o[c]  = answer[c].rdata;
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
