// SPDX-License-Identifier: Apache-2.0
// When a shared memory that is an SDRAM takes an access: the timing of the part and its controller; the data are in
// cl_ram.
//
// Four banks with an open row of 1 KiB each, as the 256-Mbit parts of 16 bits. An access to an open row takes Hit cycles
// from its request to its answer, any other one Miss cycles (precharge, activate, access), loads and stores alike.
// Every Interval cycles the banks are refreshed, for Refresh cycles, once the access under way has ended; then no row
// is open. An access that is withdrawn, or replaced by another one, has done nothing.
// ready_o depends on registers only: the address of a core may depend on its grant.
module cl_sdram #(
  parameter  int unsigned Bytes    = 32'h0200_0000,  // power of two
  parameter  int unsigned Hit      = 5,              // 2..Miss
  parameter  int unsigned Miss     = 7,
  parameter  int unsigned Refresh  = 5,              // 1 or more
  parameter  int unsigned Interval = 390,            // above Refresh + Miss
  localparam int unsigned AddrW    = $clog2(Bytes / 4)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             req_i,
  input  logic [AddrW-1:0] addr_i,   // word address: row, bank, column
  output logic             ready_o,  // the access of the last cycle can be taken now
  input  logic             taken_i   // it is; its answer comes in the next cycle
);

  localparam int unsigned ColumnW = 8;
  localparam int unsigned BankW   = 2;
  localparam int unsigned RowW    = AddrW - ColumnW - BankW;
  localparam int unsigned CountW  = $clog2(((Refresh > Miss) ? Refresh : Miss) + 1);
  localparam int unsigned TimerW  = $clog2(Interval);

  typedef logic [RowW-1:0] row_t;

  logic [2**BankW-1:0] open_q;
  row_t                row_q [2**BankW];
  logic    [AddrW-1:0] addr_q;      // of the last cycle
  logic   [CountW-1:0] done_q;      // cycles of that access that are over
  logic   [CountW-1:0] refresh_q;   // cycles of a refresh that are left
  logic   [TimerW-1:0] timer_q;
  logic                due_q;
  logic    [BankW-1:0] bank;
  row_t                row;
  logic                refreshes, hit, goes_on, late;

  assign bank      = addr_q[ColumnW +: BankW];
  assign row       = addr_q[ColumnW+BankW +: RowW];
  assign hit       = open_q[bank] && row_q[bank] == row;
  assign ready_o   = done_q == CountW'((hit ? Hit : Miss) - 1);
  assign refreshes = refresh_q != '0 || (due_q && done_q == '0);
  assign goes_on   = addr_i == addr_q && !ready_o;
  assign late      = refreshes || (due_q && !goes_on);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q    <= '0;
      addr_q    <= '0;
      done_q    <= '0;
      refresh_q <= '0;
      timer_q   <= '0;
      due_q     <= 1'b0;
    end else begin
      addr_q  <= addr_i;
      timer_q <= (timer_q == TimerW'(Interval - 1)) ? '0 : timer_q + 1'b1;
      if (timer_q == TimerW'(Interval - 1)) due_q <= 1'b1;

      if (!req_i || late || taken_i) done_q <= '0;
      else if (goes_on)              done_q <= done_q + 1'b1;
      else                           done_q <= CountW'(1);

      if (refreshes) begin
        open_q    <= '0;
        due_q     <= 1'b0;
        refresh_q <= (due_q ? CountW'(Refresh) : refresh_q) - 1'b1;
      end
      if (taken_i) open_q[bank] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (taken_i) row_q[bank] <= row;
  end

`ifdef FORMAL
  // Of the access of the last cycle: how long it has waited, and cycles of a refresh among them
  logic [31:0] waited_q, late_q;
  logic [31:0] length_q;   // cycles of a refresh, up to this one
  logic        stays, same;
  logic        taken_q;
  logic [AddrW-1:0] opened_q;

  assign stays = req_i && !taken_i;
  assign same  = addr_i == addr_q && !ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q <= '0;
      late_q   <= '0;
      length_q <= '0;
      taken_q  <= 1'b0;
      opened_q <= '0;
    end else begin
      taken_q  <= taken_i;
      opened_q <= addr_q;
      waited_q <= stays ? (same ? waited_q : '0) + 1 : '0;
      late_q   <= stays ? (same ? late_q : '0) + 32'(late) : '0;
      length_q <= refreshes ? length_q + 1 : '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assume (!taken_i || (ready_o && req_i));
      // REQ-sdram-1: an access can be taken in cycle Hit or Miss, counted from the end of a refresh that it came into.
      assert (ready_o == (waited_q + 1 == late_q + (hit ? Hit : Miss)));
      assert (late_q <= Refresh + 1);
      // REQ-sdram-3: what is taken leaves its row open, until a refresh.
      assert (!taken_q || (open_q[opened_q[ColumnW +: BankW]] &&
                           row_q[opened_q[ColumnW +: BankW]] == opened_q[ColumnW+BankW +: RowW]));
      // REQ-sdram-2: a refresh begins in its cycle or after the one access that is under way, and takes Refresh cycles.
      assert (refreshes || length_q == '0 || (length_q == Refresh && open_q == '0));
      assert (!due_q || 32'(timer_q) < Miss);
      // Invariants from which these follow
      assert (waited_q == 32'(done_q) + late_q);
      assert (32'(done_q) < Miss && 32'(refresh_q) < Refresh && 32'(timer_q) < Interval);
      assert (refresh_q == '0 || (!due_q && done_q == '0 && 32'(timer_q) + 32'(refresh_q) < Miss + Refresh));
      assert (refresh_q == '0 || length_q + 32'(refresh_q) == Refresh);
      assert (refresh_q != '0 || length_q == '0 || (length_q == Refresh && !due_q));
      assert (length_q == '0 || (open_q == '0 && done_q == '0 && 32'(timer_q) < Miss + Refresh));
      assert (waited_q == late_q || done_q != '0);
      assert (late_q == '0 || done_q != '0 || length_q + 1 >= late_q);
      assert (!due_q || done_q == '0 || 32'(timer_q) < 32'(done_q));
    end
  end
`endif

endmodule
