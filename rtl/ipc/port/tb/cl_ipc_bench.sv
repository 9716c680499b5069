// SPDX-License-Identifier: Apache-2.0
// cl_ipc with ports that look alike in C++ for any number of processors.
module cl_ipc_bench #(
  parameter int unsigned Cpus         = 2,
  parameter int unsigned MailboxDepth = 16,
  parameter int unsigned Mutexes      = 16,
  parameter int unsigned Barriers     = 4,
  parameter bit          Pipeline     = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        req_i    [Cpus],
  output logic        gnt_o    [Cpus],
  input  logic        we_i     [Cpus],
  input  logic [18:0] addr_i   [Cpus],
  input  logic [31:0] wdata_i  [Cpus],
  output logic        rvalid_o [Cpus],
  output logic        err_o    [Cpus],
  output logic [31:0] rdata_o  [Cpus],
  input  logic        intr_i   [Cpus],
  output logic        irq_o    [Cpus]
);

  logic [Cpus-1:0]       req, gnt, we, rvalid, err, intr, irq;
  logic [Cpus-1:0][18:0] addr;
  logic [Cpus-1:0][31:0] wdata, rdata;

  for (genvar p = 0; p < Cpus; p++) begin : g_cpu
    assign req[p]      = req_i[p];
    assign we[p]       = we_i[p];
    assign addr[p]     = addr_i[p];
    assign wdata[p]    = wdata_i[p];
    assign intr[p]     = intr_i[p];
    assign gnt_o[p]    = gnt[p];
    assign rvalid_o[p] = rvalid[p];
    assign err_o[p]    = err[p];
    assign rdata_o[p]  = rdata[p];
    assign irq_o[p]    = irq[p];
  end

  cl_ipc #(
    .Cpus(Cpus), .MailboxDepth(MailboxDepth), .Mutexes(Mutexes), .Barriers(Barriers), .Pipeline(Pipeline)
  ) u_ipc (
    .clk_i, .rst_ni,
    .req_i(req), .gnt_o(gnt), .we_i(we), .addr_i(addr), .wdata_i(wdata),
    .rvalid_o(rvalid), .err_o(err), .rdata_o(rdata), .intr_i(intr), .irq_o(irq)
  );

endmodule
