// SPDX-License-Identifier: Apache-2.0
// How cl_round_robin is used: the choice is there in the cycle of the requests, and counts as served with served_i.
module cl_round_robin_tb;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;

  logic [3:0] req, grant;
  logic [1:0] index;
  logic       served, valid;

  cl_round_robin #(.Clients(4)) u_round_robin (
    .clk_i(clk), .rst_ni(rst_n), .req_i(req), .served_i(served), .valid_o(valid), .index_o(index), .grant_o(grant)
  );

  // In one cycle these clients ask, and this one is chosen; then it is served or not.
  task automatic choose(input logic [3:0] clients, input logic [1:0] chosen, input logic serve);
    req    = clients;
    served = serve;
    @(posedge clk);
    check("valid_o", 32'(valid), 1);
    check("index_o", 32'(index), 32'(chosen));
    check("grant_o", 32'(grant), 1 << chosen);
    @(negedge clk);
  endtask

  initial begin
    req    = '0;
    served = 1'b0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    choose(4'b1110, 1, 1);  // after reset the lowest comes first
    choose(4'b1111, 2, 0);  // a choice that is not served does not count
    choose(4'b1111, 2, 1);
    choose(4'b1111, 3, 1);
    choose(4'b1111, 0, 1);  // around
    choose(4'b1001, 3, 1);  // the first one that asks, after client 0
    choose(4'b1000, 3, 1);  // alone, again and again

    // A standing request waits for each other client once at most.
    choose(4'b1111, 0, 1);
    choose(4'b1111, 1, 1);
    choose(4'b1111, 2, 1);
    choose(4'b1111, 3, 1);

    req = '0;
    @(posedge clk);
    check("valid_o without a request", 32'(valid), 0);
    check("grant_o without a request", 32'(grant), 0);

    passed("cl_round_robin");
  end

endmodule
