// SPDX-License-Identifier: Apache-2.0
// How cl_kernel_shared is used: two clients of a kernel behind one port that never blocks. Here the testbench is the
// kernel: it answers client 0 after three cycles, client 1 when it likes. Words and cycles are those of the README.
module cl_kernel_shared_tb;
  import cl_tb_pkg::*;

  localparam logic [7:0]  Result  = 8'hff, State = 8'hfe;
  localparam logic [31:0] Pending = 32'h2000_0000;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #2000 $fatal(1, "cl_kernel_shared: no end after 200 cycles.");

  logic             req, gnt, we, rvalid, err;
  logic [18:0]      addr;
  logic [31:0]      wdata, rdata;
  logic [1:0]       done, kernel_req, kernel_rvalid;
  logic [1:0][31:0] kernel_rdata;

  cl_kernel_shared #(.Clients(2), .Patience(8)) u_shared (
    .clk_i(clk), .rst_ni(rst_n), .req_i(req), .gnt_o(gnt), .we_i(we), .addr_i(addr), .wdata_i(wdata),
    .rvalid_o(rvalid), .rdata_o(rdata), .err_o(err), .done_o(done), .req_o(kernel_req), .gnt_i('1), .we_o(),
    .addr_o(), .wdata_o(), .rvalid_i(kernel_rvalid), .rdata_i(kernel_rdata)
  );

  // The kernel's answers.
  logic [1:0] asked_q;
  logic       answers;  // client 1, now
  always_ff @(posedge clk) begin
    asked_q          <= {asked_q[0], kernel_req[0]};
    kernel_rvalid[0] <= asked_q[1];
  end
  assign kernel_rvalid[1] = answers;
  assign kernel_rdata     = {32'h8000_0001, 32'h0000_1234};

  // A load for a client: checks word, error, and the cycles from the request to the answer.
  task automatic load(input logic client, input logic [7:0] op, input logic [31:0] word, input int cycles,
                      input logic error = 1'b0);
    int taken = 0;
    {req, we, addr, wdata} = {1'b1, 1'b0, client, op, 10'd0, 32'd0};
    @(posedge clk);
    check("gnt_o", 32'(gnt), 1);
    @(negedge clk);
    req = 1'b0;
    do begin
      @(posedge clk);
      taken++;
    end while (!rvalid);
    if (!error) check("rdata_o", rdata, word);
    check("err_o", 32'(err), 32'(error));
    check("cycles from the request", taken, cycles);
    @(negedge clk);
  endtask

  initial begin
    {req, we, addr, wdata, answers} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;
    repeat (3) @(negedge clk);

    load(0, 8'h12, 32'h0000_1234, 3);  // the kernel's own cycles
    load(1, 8'h01, Pending, 8);        // no answer within Patience
    load(0, 8'h12, 32'h0000_1234, 3);  // client 0 is not kept waiting
    load(1, Result, Pending, 1);
    load(1, 8'h12, 0, 1, 1);  // client 1 may ask for RESULT only
    load(0, State, 32'h0002_0000, 1);

    answers = 1'b1;
    @(negedge clk);
    answers = 1'b0;
    check("done_o", 32'(done), 'b10);
    load(0, State, 32'h0000_0002, 1);
    load(1, Result, 32'h8000_0001, 1);
    check("done_o", 32'(done), 0);
    load(1, Result, 0, 1, 1);  // an error: there is none to come

    passed("cl_kernel_shared");
  end

endmodule
