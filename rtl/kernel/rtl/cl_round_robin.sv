// SPDX-License-Identifier: Apache-2.0
// Round-robin choice: the first request after the one served last; combinational.
//
// A choice counts as served in a cycle with served_i. So a standing request is served at the latest
// after all others were served once: no client can be starved.
module cl_round_robin #(
  parameter  int unsigned Clients    = 2,
  localparam int unsigned IndexWidth = (Clients > 1) ? $clog2(Clients) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic    [Clients-1:0] req_i,
  input  logic                  served_i,
  output logic                  valid_o,
  output logic [IndexWidth-1:0] index_o,
  output logic    [Clients-1:0] grant_o   // the same, as one bit
);

  // Bits of the clients after the one served last: they come first.
  logic    [Clients-1:0] after_q, after, chosen;
  logic [IndexWidth-1:0] index;

  assign after   = req_i & after_q;
  assign chosen  = (after != '0) ? after : req_i;
  assign valid_o = req_i != '0;
  assign index_o = index;

  always_comb begin
    index = '0;
    for (int unsigned c = Clients; c > 0; c--) begin
      if (chosen[c-1]) index = IndexWidth'(c - 1);
    end
    grant_o = chosen;
    for (int unsigned c = 1; c < Clients; c++) grant_o[c] = chosen[c] && (chosen & Clients'((1 << c) - 1)) == '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      after_q <= '0;
    end else if (served_i) begin
      for (int unsigned c = 0; c < Clients; c++) after_q[c] <= c > 32'(index);
    end
  end

`ifndef SYNTHESIS
  // REQ-kernel-fair: while a request stands, others are served at most Clients - 1 times before it. Why: everyone
  // served before it is between the one served last and it, in the order of service, and these get fewer.
  int unsigned        passed [Clients];
  int unsigned        left   [Clients];  // clients from the one served last up to this one
  logic [Clients-1:0] fair, nearer, in_order;

  always_comb begin
    for (int unsigned c = 0; c < Clients; c++) begin
      left[c]     = c + 1 + 32'($countones(after_q)) - (after_q[c] ? Clients : 0);
      fair[c]     = passed[c] < Clients;
      nearer[c]   = passed[c] + left[c] <= Clients;
      in_order[c] = c == 0 || !after_q[(c == 0) ? 0 : c-1] || after_q[c];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned c = 0; c < Clients; c++) passed[c] <= 0;
    end else begin
      for (int unsigned c = 0; c < Clients; c++) begin
        if (!req_i[c] || (served_i && 32'(index) == c)) passed[c] <= 0;
        else if (served_i)                              passed[c] <= passed[c] + 1;
      end
      AssertFair:    assert (&fair);
      AssertNearer:  assert (&nearer);
      AssertInOrder: assert (&in_order);
    end
  end
`endif

endmodule
