// SPDX-License-Identifier: Apache-2.0
// Which row each bank of cl_sdram has open, from what was taken and when a refresh began; the cycles are proved in cl_sdram.
module cl_sdram_formal #(
  parameter  int unsigned Bytes    = 16384,
  parameter  int unsigned Hit      = 2,
  parameter  int unsigned Miss     = 4,
  parameter  int unsigned Refresh  = 3,
  parameter  int unsigned Interval = 9,
  localparam int unsigned AddrW    = $clog2(Bytes / 4)
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic             req_i,
  input logic [AddrW-1:0] addr_i,   // row, bank of 2 bits, column of 8
  input logic             taken_i
);

  logic ready;

  cl_sdram #(
    .Bytes    (Bytes),
    .Hit      (Hit),
    .Miss     (Miss),
    .Refresh  (Refresh),
    .Interval (Interval)
  ) u_sdram (
    .clk_i,
    .rst_ni,
    .req_i,
    .addr_i,
    .ready_o (ready),
    .taken_i
  );

  logic                       began_q;   // there was a reset
  logic                       due_q;     // a refresh
  logic [AddrW-1:0]           addr_q;
  logic [3:0]                 open_q;
  logic [3:0][AddrW-11:0]     row_q;
  logic [31:0]                cycle_q;   // since the reset, by Interval

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {addr_q, open_q, row_q, cycle_q, due_q} <= '0;
      began_q <= 1'b1;
    end else begin
      addr_q  <= addr_i;
      cycle_q <= cycle_q == Interval - 1 ? '0 : cycle_q + 1;
      if (cycle_q == Interval - 1) due_q <= 1'b1;
      if (u_sdram.refreshes) {open_q, due_q} <= '0;
      if (taken_i) begin
        open_q[addr_q[9:8]] <= 1'b1;
        row_q[addr_q[9:8]]  <= addr_q[AddrW-1:10];
      end
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (began_q);
    // REQ-sdram-4: a row is open from the access to it on, until one to another row of its bank, or a refresh.
    assert (u_sdram.hit == (open_q[addr_q[9:8]] && row_q[addr_q[9:8]] == addr_q[AddrW-1:10]));
    // REQ-sdram-5: a refresh is due every Interval cycles, until it begins.
    assert (32'(u_sdram.timer_q) == cycle_q && u_sdram.due_q == due_q);

    // Why: it remembers the same.
    assert (u_sdram.addr_q == addr_q && u_sdram.open_q == open_q);
    for (int unsigned b = 0; b < 4; b++) if (open_q[b]) assert (u_sdram.row_q[b] == row_q[b]);

    CoverHit:     cover (ready && u_sdram.hit);
    CoverRefresh: cover (u_sdram.refreshes && open_q != '0);
  end

endmodule
