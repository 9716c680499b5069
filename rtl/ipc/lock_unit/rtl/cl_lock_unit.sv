// SPDX-License-Identifier: Apache-2.0
// Lock Unit of [SMP]: a request bit, a grant bit and an address per client; test-and-set on any address.
//
// A client holds at most one address. Two clients that ask for different addresses do not see each other.
// The grant follows the request bit by one cycle when the address is free, and a release hands the address to
// the next waiting client in the following cycle.
module cl_lock_unit #(
  parameter int unsigned Clients   = 2,    // 1..16
  parameter int unsigned AddrWidth = 32,
  // 1: first come, first served (same cycle: lowest id). 0: lowest id wins, as in the paper; may starve.
  parameter bit          Fair      = 1'b1
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  // set_i: sets the request bit with the address; ignored while the client's request bit is set.
  // clear_i: drops request and grant; ignored while the request bit is clear. Never both in one cycle.
  input  logic [Clients-1:0]                  set_i,
  input  logic [Clients-1:0]                  clear_i,
  input  logic [Clients-1:0][AddrWidth-1:0]   addr_i,

  output logic [Clients-1:0]                  busy_o,    // request bit
  output logic [Clients-1:0]                  grant_o    // the client holds its address
);

  logic [Clients-1:0]                req_q, req_d, grant_q, grant_d, accept, keep;
  logic [Clients-1:0][AddrWidth-1:0] addr_q;

  // ahead[c][o]: where c and o want the same address, o goes first.
  logic [Clients-1:0][Clients-1:0]   ahead;

  assign accept  = set_i & ~req_q;
  assign keep    = req_q & ~clear_i;
  assign req_d   = keep | accept;
  assign busy_o  = req_q;
  assign grant_o = grant_q;

  always_comb begin
    grant_d = keep;
    for (int unsigned c = 0; c < Clients; c++) begin
      for (int unsigned o = 0; o < Clients; o++) begin
        if (keep[o] && ahead[c][o] && addr_q[o] == addr_q[c]) grant_d[c] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      req_q   <= '0;
      grant_q <= '0;
      addr_q  <= '0;
    end else begin
      req_q   <= req_d;
      grant_q <= grant_d;
      for (int unsigned c = 0; c < Clients; c++) begin
        if (accept[c]) addr_q[c] <= addr_i[c];
      end
    end
  end

  if (Fair) begin : g_fair
    // older_q[c][o]: o's request was there before c's. The holder is the oldest, so age alone decides.
    logic [Clients-1:0][Clients-1:0] older_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        older_q <= '0;
      end else begin
        for (int unsigned c = 0; c < Clients; c++) begin
          for (int unsigned o = 0; o < Clients; o++) begin
            if (accept[c])      older_q[c][o] <= keep[o] | (accept[o] & (o < c));
            else if (accept[o]) older_q[c][o] <= 1'b0;
          end
        end
      end
    end

    assign ahead = older_q;

`ifdef FORMAL
    // Lemma for the proof of exclusion: age is a strict order of the requests.
    always_ff @(posedge clk_i) begin
      for (int unsigned a = 0; a < Clients; a++) begin
        for (int unsigned b = 0; b < Clients; b++) begin
          if (a != b && req_q[a] && req_q[b]) assert (older_q[a][b] != older_q[b][a]);
          for (int unsigned c = 0; c < Clients; c++) begin
            if (req_q[a] && req_q[b] && req_q[c] && older_q[a][b] && older_q[b][c]) assert (older_q[a][c]);
          end
          // REQ-lock-5: no client holds an address that another requested earlier.
          if (req_q[a] && req_q[b] && older_q[a][b] && addr_q[a] == addr_q[b]) assert (!grant_q[a]);
        end
        assert (!(req_q[a] && older_q[a][a]));
      end
    end
`endif
  end else begin : g_lowest
    always_comb begin
      for (int unsigned c = 0; c < Clients; c++) begin
        for (int unsigned o = 0; o < Clients; o++) begin
          ahead[c][o] = (c != o) & (grant_q[o] | (~grant_q[c] & (o < c)));
        end
      end
    end
  end

  // REQ-lock-1 mutual exclusion: no two clients hold the same address. REQ-lock-2: a grant needs a request.
  logic exclusive;

  always_comb begin
    exclusive = (grant_q & ~req_q) == '0;
    for (int unsigned c = 0; c < Clients; c++) begin
      for (int unsigned o = 0; o < c; o++) begin
        if (grant_q[c] && grant_q[o] && addr_q[c] == addr_q[o]) exclusive = 1'b0;
      end
    end
  end

  // Not false rather than true: before the first reset the registers of a four-state simulation are unknown.
  always_ff @(posedge clk_i) begin
    assert (exclusive !== 1'b0) else $error("cl_lock_unit: two clients hold the same address");
  end

`ifdef FORMAL
  // REQ-lock-6: an address that is waited for is held by a client, no later than one cycle after the request bit.
  logic [Clients-1:0] waited_q, served;

  always_comb begin
    for (int unsigned c = 0; c < Clients; c++) begin
      served[c] = 1'b0;
      for (int unsigned o = 0; o < Clients; o++) begin
        if (grant_q[o] && addr_q[o] == addr_q[c]) served[c] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waited_q <= '0;
    else         waited_q <= keep;
  end

  always_ff @(posedge clk_i) assert ((waited_q & ~served) == '0);
`endif

endmodule
