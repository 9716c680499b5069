// SPDX-License-Identifier: Apache-2.0
// Policy `edf`: the deadlines of threads, and the keys by which they are ordered (cl_ready_queue_pkg).
//
// A thread may have a relative deadline. Its deadline is that many ticks from when it becomes ready (renew_i), or from
// when the relative deadline is set. Both are in RAM, as the thread table is: of the thread raddr_i they are there in the
// next cycle. A key comes from the deadline of the thread read or, if it has none, from its priority:
//   key_o      as it stands
//   renewed_o  if it becomes ready now
//   moved_o    with set_i, if the relative deadline is argument_i of the last cycle with note_i; else if its priority
//              is new_priority_i
// Deadlines are kept modulo 2**DeadlineWidth: they are in order as long as none has been missed by more than half of that
// less the longest relative one, 32768 ticks. A thread that is later still counts as one whose deadline is yet to come.
module cl_kernel_deadline
  import cl_kernel_pkg::*;
  import cl_ready_queue_pkg::*;
#(
  parameter  int unsigned Threads       = 64,
  parameter  int unsigned Priorities    = 32,
  localparam int unsigned TidWidth      = $clog2(Threads),
  localparam int unsigned PriorityWidth = $clog2(Priorities),
  localparam int unsigned RelativeWidth = DeadlineRelativeWidth
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        tick_i,

  // The thread read
  input  logic         [TidWidth-1:0] raddr_i,
  input  logic         [TidWidth-1:0] tid_i,
  input  logic    [PriorityWidth-1:0] priority_i,
  output logic    [RelativeWidth-1:0] relative_o,      // 0: it has no deadline
  output logic [DeadlineKeyWidth-1:0] key_o,
  output logic [DeadlineKeyWidth-1:0] renewed_o,
  output logic [DeadlineKeyWidth-1:0] moved_o,

  input  logic                        note_i,
  input  logic    [RelativeWidth-1:0] argument_i,
  input  logic    [PriorityWidth-1:0] new_priority_i,

  // Writes: a new thread has no deadline; the thread read becomes ready; its relative deadline is set
  input  logic                        create_i,
  input  logic         [TidWidth-1:0] new_tid_i,
  input  logic                        renew_i,
  input  logic                        set_i
);

  typedef logic [RelativeWidth-1:0] relative_t;
  typedef logic [DeadlineWidth-1:0] deadline_t;
  typedef logic [DeadlineKeyWidth-1:0] key_t;

  function automatic key_t key_of(input relative_t relative, input deadline_t deadline, input logic [PriorityWidth-1:0] prio);
    key_of = (relative != '0) ? {1'b1, deadline} : key_t'(priority_key(1'b1, RankWidth'(prio)));
  endfunction

  deadline_t now_q, deadline, from_now;
  relative_t argument_q;

  assign from_now  = now_q + (set_i ? deadline_t'(argument_q) : deadline_t'(relative_o));
  assign key_o     = key_of(relative_o, deadline, priority_i);
  assign renewed_o = key_of(relative_o, from_now, priority_i);
  assign moved_o   = set_i ? key_of(argument_q, from_now, priority_i) : key_of(relative_o, deadline, new_priority_i);

  cl_ram_1r1w #(.Width(RelativeWidth), .AddrWidth(TidWidth), .Early(1'b1)) u_relative (
    .clk_i, .we_i(create_i | set_i), .waddr_i(create_i ? new_tid_i : tid_i), .wdata_i(create_i ? '0 : argument_q),
    .raddr_i, .rdata_o(relative_o)
  );
  cl_ram_1r1w #(.Width(DeadlineWidth), .AddrWidth(TidWidth), .Early(1'b1)) u_deadline (
    .clk_i, .we_i(renew_i | set_i), .waddr_i(tid_i), .wdata_i(from_now), .raddr_i, .rdata_o(deadline)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q      <= '0;
      argument_q <= '0;
    end else begin
      now_q <= now_q + deadline_t'(tick_i);
      if (note_i) argument_q <= argument_i;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertOneWrite: assert ($onehot0({create_i, renew_i, set_i}));
    end
  end
`endif

endmodule
