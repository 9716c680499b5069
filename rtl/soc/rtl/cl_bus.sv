// SPDX-License-Identifier: Apache-2.0
// Shared bus, OBI: one transfer a cycle, granted combinationally in the cycle of the request when the bus is free.
//
// A response comes exactly one cycle after the grant, with Pipeline two, so masters may issue back to back and responses
// need no tags. Arbitration is round-robin: after a grant that master is last in line, so a master waits for at
// most Masters - 1 transfers of others. A request that no device decodes is answered with err_o.
//
// A request may be late: it is granted only when no request is on time, and does not influence gnt_o. A core whose
// fetch depends on the grant of its data access in the same cycle asks for it this way; else the grants of all
// cores would be one combinational loop. A late request that was not served is made on time in the next cycle.
//
// With First, masters in first_i come before all others; their transfers do not advance the round robin. cl_first
// limits how long.
//
// With Pipeline the access granted is registered before it is decoded and reaches the memory; not with Waits.
//
// With Waits memory, scheduler and the user's device may take their time: the master chosen stays so until its access is taken or withdrawn.
// No access is taken in its first cycle, so that no grant depends on an address of the same cycle; late requests are not
// granted.
module cl_bus
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter int unsigned Masters  = 2,            // 1..16
  parameter int unsigned RamBytes = 32'h0200_0000, // power of two
  parameter bit          Waits    = 1'b0,         // ram_ready_i and scheduler_ready_i count
  parameter bit          First    = 1'b0,         // first_i counts; not with Waits
  parameter bit          Pipeline = 1'b0,
  parameter bit          Uncached = 1'b0,         // RAM is also at UncachedBase
  parameter bit          Uart     = 1'b1,         // there is a UART
  parameter int unsigned Units    = 0,            // hardware threads, 0..15
  parameter bit          Scheduler = 1'b0,        // there is a scheduler; only with Waits
  parameter bit          User      = 1'b0,        // there is a device of the user's
  parameter bit          Debug     = 1'b0,        // there is the page of a debug module
  parameter logic [31:0] WindowBase  = '0,        // one further device; a multiple of its size
  parameter int unsigned WindowBytes = 0          // power of two; 0: there is none
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  // Masters
  input  logic     [Masters-1:0] req_i,      // held until gnt_o, or withdrawn: a hardware thread is stopped
  input  logic     [Masters-1:0] late_i,     // ignored with req_i of the same master
  input  logic     [Masters-1:0] first_i,    // before all others
  input  obi_req_t [Masters-1:0] cmd_i,
  output logic     [Masters-1:0] gnt_o,      // same cycle as req_i, does not depend on late_i
  output logic     [Masters-1:0] gnt_late_o, // same cycle as late_i
  output logic     [Masters-1:0] rvalid_o,   // one cycle after either grant, with Pipeline two; loads and stores
  output logic                   err_o,      // with rvalid_o: nothing answers at that address
  output logic            [31:0] rdata_o,    // with rvalid_o, common to all masters

  // Writes that went through in this cycle, for caches that snoop
  output logic     [Masters-1:0] snoop_valid_o,   // of this master
  output logic            [31:0] snoop_addr_o,

  // Devices: address phase in one cycle, read data in the next. Only memory, scheduler and the user's device may stall, with
  // Waits.
  output obi_req_t               dev_cmd_o,
  output logic                   ram_ask_o,       // an access for the memory, with dev_cmd_o
  input  logic                   ram_ready_i,     // it can take that of the last cycle
  output logic                   ram_req_o,       // it takes the access
  input  logic            [31:0] ram_rdata_i,
  output logic                   uart_req_o,
  input  logic            [31:0] uart_rdata_i,
  output logic                   unit_req_o,      // of the unit dev_cmd_o.addr[11:8]
  input  logic            [31:0] unit_rdata_i,
  input  logic                   unit_err_i,      // with the response: no such register
  output logic                   scheduler_ask_o, // as the memory's
  input  logic                   scheduler_ready_i,
  output logic                   scheduler_req_o,
  input  logic            [31:0] scheduler_rdata_i,
  input  logic                   scheduler_err_i, // with the response
  output logic                   window_req_o,
  input  logic            [31:0] window_rdata_i,
  input  logic                   window_err_i,    // with the response
  output logic                   debug_req_o,
  input  logic            [31:0] debug_rdata_i,

  // OBI, with dev_cmd_o: user_gnt_i is 1 with each request unless Waits; the answer comes in the cycle after the grant
  output logic                   user_req_o,
  input  logic                   user_gnt_i,
  input  logic                   user_rvalid_i,
  input  obi_rsp_t               user_rsp_i
);

  localparam int unsigned RamBits = $clog2(RamBytes);

  // Round robin: of the requests above the last winner the lowest, else of all requests the lowest.
  logic [Masters-1:0] above_q, above_d;   // thermometer: the masters above the last winner
  logic [Masters-1:0] first, req, late;   // the first ones; requests that may win
  logic [Masters-1:0] chosen, winner;
  logic [Masters-1:0] kept;               // chosen in the last cycle, and not taken
  logic [Masters-1:0] served;             // whose access the devices see
  obi_req_t           cmd;                // the one chosen
  logic [Masters-1:0] at_ram;             // whose address is in the memory
  logic               in_ram, in_scheduler, in_user, ready, asked, any, by_turn;

  function automatic logic [Masters-1:0] choose(logic [Masters-1:0] requests, logic [Masters-1:0] above);
    logic [Masters-1:0] candidates;
    candidates = (|(requests & above)) ? (requests & above) : requests;
    return candidates & (~candidates + Masters'(1));
  endfunction

  assign winner  = gnt_o | gnt_late_o;
  assign any     = |served;
  assign by_turn = |winner & ((winner & first) == '0);

  assign first = First ? first_i : '0;
  assign req   = (|(req_i & first)) ? req_i & first : req_i;
  assign late  = (|(late_i & first)) ? late_i & first : late_i;

  if (Waits) begin : g_waits
    logic [Masters-1:0] kept_q;
    logic               in_ram_q, in_scheduler_q, in_user_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        kept_q         <= '0;
        in_ram_q       <= 1'b0;
        in_scheduler_q <= 1'b0;
        in_user_q      <= 1'b0;
      end else begin
        kept_q         <= chosen & ~gnt_o;
        in_ram_q       <= in_ram;
        in_scheduler_q <= in_scheduler;
        in_user_q      <= in_user;
      end
    end

    assign kept       = kept_q;
    assign ready      = (ram_ready_i | ~in_ram_q) & (scheduler_ready_i | ~in_scheduler_q) & (user_gnt_i | ~in_user_q);
    assign chosen     = (|(req_i & kept)) ? kept : choose(req, above_q);
    assign gnt_o      = ready ? req_i & kept : '0;
    assign gnt_late_o = '0;
    assign user_req_o = (|(req_i & kept)) & in_user;   // not in its first cycle, as it may be granted at once
    logic unused;
    assign unused = ^late;
  end else begin : g_never_waits
    assign kept       = '0;
    assign ready      = 1'b1;
    assign chosen     = winner;
    assign gnt_o      = choose(req, above_q);
    assign gnt_late_o = (|req_i) ? '0 : choose(late, above_q);
    assign user_req_o = any & in_user;
    logic unused;
    assign unused = ^{kept, ready, ram_ready_i, scheduler_ready_i};
  end

  always_comb begin
    above_d = above_q;
    if (by_turn) above_d = ~(winner | (winner - Masters'(1)));
  end

  always_comb begin
    cmd = '0;
    for (int unsigned i = 0; i < Masters; i++) begin
      if (chosen[i]) cmd = cmd | cmd_i[i];
    end
  end

  // The memory's decoder works in parallel with the choice of a master; with Pipeline, behind its register.
  for (genvar i = 0; i < Masters; i++) begin : g_at_ram
    assign at_ram[i] = (cmd_i[i].addr[31:RamBits] == RamBase[31:RamBits]) |
                       (Uncached & (cmd_i[i].addr[31:RamBits] == UncachedBase[31:RamBits]));
  end

  if (Pipeline) begin : g_registered
    always_ff @(posedge clk_i) dev_cmd_o <= cmd;
    assign in_ram = (dev_cmd_o.addr[31:RamBits] == RamBase[31:RamBits]) |
                    (Uncached & (dev_cmd_o.addr[31:RamBits] == UncachedBase[31:RamBits]));
    logic unused_at_ram;
    assign unused_at_ram = ^at_ram;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) served <= '0;
      else         served <= winner;
    end

    assign asked = any;
  end else begin : g_at_once
    assign dev_cmd_o = cmd;
    assign in_ram    = |(chosen & at_ram);
    assign served    = winner;
    assign asked     = |chosen;
  end

  // Decode
  logic in_uart, in_unit, in_window, in_debug, uart_q, unit_q, scheduler_q, window_q, user_q, debug_q, err_q;

  assign in_uart    = Uart & (dev_cmd_o.addr[31:3] == UartBase[31:3]);
  if (Units == 0) begin : g_no_units
    assign in_unit = 1'b0;
  end else begin : g_units
    assign in_unit = (dev_cmd_o.addr[31:12] == UnitTop) & (32'(dev_cmd_o.addr[11:8]) < Units);
  end

  assign in_scheduler = Scheduler & (dev_cmd_o.addr[31:24] == SchedulerTop);
  assign in_user      = User & (dev_cmd_o.addr[31:24] == UserTop);
  assign in_debug     = Debug & (dev_cmd_o.addr[31:12] == DebugTop);

  if (WindowBytes == 0) begin : g_no_window
    assign in_window = 1'b0;
  end else begin : g_window
    localparam int unsigned WindowBits = $clog2(WindowBytes);
    assign in_window = dev_cmd_o.addr[31:WindowBits] == WindowBase[31:WindowBits];
  end

  assign ram_ask_o       = asked & in_ram;
  assign ram_req_o       = any & in_ram;
  assign uart_req_o      = any & in_uart;
  assign unit_req_o      = any & in_unit;
  assign scheduler_ask_o = asked & in_scheduler;
  assign scheduler_req_o = any & in_scheduler;
  assign window_req_o    = any & in_window;
  assign debug_req_o     = any & in_debug;

  assign snoop_valid_o = (ram_req_o & dev_cmd_o.we) ? served : '0;
  assign snoop_addr_o  = dev_cmd_o.addr;

  // Response
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      above_q     <= '0;
      rvalid_o    <= '0;
      uart_q      <= 1'b0;
      unit_q      <= 1'b0;
      scheduler_q <= 1'b0;
      window_q    <= 1'b0;
      user_q      <= 1'b0;
      debug_q     <= 1'b0;
      err_q       <= 1'b0;
    end else begin
      above_q     <= above_d;
      rvalid_o    <= served;
      uart_q      <= uart_req_o;
      unit_q      <= unit_req_o;
      scheduler_q <= scheduler_req_o;
      window_q    <= window_req_o;
      user_q      <= any & in_user;
      debug_q     <= debug_req_o;
      err_q       <= any & ~in_ram & ~in_uart & ~in_unit & ~in_scheduler & ~in_window & ~in_user & ~in_debug;
    end
  end

  assign err_o   = err_q | (unit_q & unit_err_i) | (scheduler_q & scheduler_err_i) | (window_q & window_err_i)
                 | (user_q & user_rsp_i.err);
  assign rdata_o = uart_q ? uart_rdata_i : unit_q ? unit_rdata_i : scheduler_q ? scheduler_rdata_i
                 : window_q ? window_rdata_i : user_q ? user_rsp_i.rdata : debug_q ? debug_rdata_i : ram_rdata_i;

`ifndef SYNTHESIS
  if (User) begin : g_user
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        AssertUserGrants:  assert (Waits || !user_req_o || user_gnt_i)
          else $error("cl_bus: the user's device must grant each access at once on this platform");
        AssertUserAnswers: assert (user_rvalid_i == user_q)
          else $error("cl_bus: the user's device must answer in the cycle after the grant, and only then");
      end
    end
  end
`endif
  logic unused_user;
  assign unused_user = ^{user_gnt_i, user_rvalid_i};

`ifdef FORMAL
  // REQ-bus-3: one grant a cycle, to a master that asks, whenever one asks, or with Waits has asked in the last cycle
  // and need not wait; late ones only when no other asks.
  always_ff @(posedge clk_i) begin
    assert ((gnt_o & ~req_i) == '0);
    assert ((gnt_late_o & ~late_i) == '0);
    assert ((winner & (winner - Masters'(1))) == '0);
    assert ((|gnt_o) == (Waits ? |(req_i & kept) & ready : |req_i));
    assert ((|gnt_late_o) == (!Waits & |late_i & ~|req_i));
  end

  // REQ-bus-4: the access shown to memory or scheduler stays until it is taken or withdrawn.
  logic [Masters-1:0] waits_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) waits_q <= '0;
    else         waits_q <= ((ram_ask_o & ~ram_req_o) | (scheduler_ask_o & ~scheduler_req_o)) ? chosen : '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) assert ((req_i & waits_q) == '0 || chosen == waits_q);
  end

  // REQ-bus-5: while a first one asks, no other is granted anything.
  always_ff @(posedge clk_i) begin
    if ((req_i & first) != '0) assert ((winner & ~first) == '0);
  end

  // REQ-bus-1: no master waits for more than Masters - 1 transfers of others, those of first ones not counted. Each grant
  // brings the last winner nearer to a waiting master and never past it, so what it has waited and what is left stay
  // below Masters.
  logic       [31:0] last_q;               // the last winner
  logic       [31:0] waited_q [Masters];   // transfers of others since the master asks

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q <= Masters - 1;
      for (int unsigned i = 0; i < Masters; i++) waited_q[i] <= '0;
    end else begin
      for (int unsigned i = 0; i < Masters; i++) begin
        if (winner[i] && by_turn) last_q <= i;
        waited_q[i] <= (req_i[i] & ~gnt_o[i]) ? waited_q[i] + 32'(by_turn) : '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (last_q < Masters);
      assert ((kept & (kept - Masters'(1))) == '0);
      assert (waits_q == '0 || waits_q == kept);
      assert (above_q == Masters'({Masters{1'b1}} << (last_q + 1)));
      for (int unsigned i = 0; i < Masters; i++) begin
        assert (waited_q[i] + ((i > last_q) ? i - last_q : i + Masters - last_q) <= Masters);
        assert (waited_q[i] < Masters);
        // A master nearer to its turn than the kept one asked later.
        for (int unsigned k = 0; k < Masters; k++) begin
          if (kept[k] && ((i > last_q) ? i - last_q : i + Masters - last_q) <
                         ((k > last_q) ? k - last_q : k + Masters - last_q)) assert (waited_q[i] == 0);
        end
      end
    end
  end
`endif

endmodule
