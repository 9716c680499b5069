// SPDX-License-Identifier: Apache-2.0
// Ready queue of one RAM: one FIFO of all threads, traversed when a thread leaves it.
//
// Interface: see cl_ready_queue. Cycles from taking an operation to ready_o, with n threads in all queues together:
//   push back, push front   2
//   pop, remove             n + 2
//   move                    n + 3
// The FIFO is a ring of {queue, priority, thread} in the order of coming; a push to the head of a priority goes to the head
// of the ring. A pass reads a thread a cycle: it closes the gap of the thread that leaves, and finds the best of
// the queue on its way, the first of the highest priority. It starts a cycle late because a block RAM's word comes late.
module cl_ready_queue_linear
  import cl_ready_queue_pkg::*;
#(
  parameter  int unsigned Queues        = 3,
  parameter  int unsigned Threads       = 64,
  parameter  int unsigned Priorities    = 32,
  localparam int unsigned QueueWidth    = (Queues > 1) ? $clog2(Queues) : 1,
  localparam int unsigned TidWidth      = $clog2(Threads),
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  input  logic                                 valid_i,
  output logic                                 ready_o,
  input  queue_op_e                            op_i,
  input  logic                [QueueWidth-1:0] queue_i,
  input  logic             [PriorityWidth-1:0] priority_i,
  input  logic             [PriorityWidth-1:0] to_priority_i,
  input  logic                  [TidWidth-1:0] tid_i,

  output logic [Queues-1:0]                    best_valid_o,
  output logic [Queues-1:0][PriorityWidth-1:0] best_priority_o,
  output logic [Queues-1:0]     [TidWidth-1:0] best_tid_o
);

  typedef logic      [TidWidth-1:0] place_t;  // in the ring
  typedef logic    [QueueWidth-1:0] queue_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic      [TidWidth-1:0] tid_t;

  typedef struct packed {
    queue_t    where;
    priority_t level;
    tid_t      tid;
  } entry_t;

  typedef enum logic [1:0] {StIdle, StFetch, StPass, StPush} state_e;

  state_e                 state_q, state_d;
  logic                   move_q, front_q, gone_q;
  queue_t                 queue_q;
  tid_t                   tid_q;
  priority_t              to_level_q;
  entry_t                 entry_q;  // the thread looked at, or that comes
  place_t                 head_q, write_q, read_q;
  logic      [TidWidth:0] count_q, left_q;

  logic      [Queues-1:0] best_valid_q;
  priority_t [Queues-1:0] best_priority_q;
  tid_t      [Queues-1:0] best_tid_q;

  assign ready_o         = state_q == StIdle;
  assign best_valid_o    = best_valid_q;
  assign best_priority_o = best_priority_q;
  assign best_tid_o      = best_tid_q;

  logic accept, push, pass, leaves, last, write;

  assign accept = valid_i & ready_o;
  assign push   = op_i == QueuePushBack || op_i == QueuePushFront;
  assign pass   = state_q == StPass;
  assign leaves = pass & entry_q.tid == tid_q;
  assign last   = left_q == (TidWidth+1)'(1);
  assign write  = (pass & gone_q) | state_q == StPush;

  entry_t entry;

  cl_ram_1r1w #(.Width($bits(entry_t)), .AddrWidth(TidWidth)) u_ring (
    .clk_i,
    .we_i    (write),
    .waddr_i (write_q),
    .wdata_i (entry_q),
    .raddr_i (ready_o ? head_q : read_q),
    .rdata_o (entry)
  );

  // The entry against the best of its queue
  logic better;

  assign better = ~best_valid_q[queue_q] | entry_q.level > best_priority_q[queue_q] |
                  (front_q & entry_q.level == best_priority_q[queue_q]);

  always_comb begin
    unique case (state_q)
      StIdle:  state_d = !valid_i ? StIdle : push ? StPush : StFetch;
      StFetch: state_d = StPass;
      StPass:  state_d = !last ? StPass : move_q ? StPush : StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q         <= StIdle;
      move_q          <= 1'b0;
      front_q         <= 1'b0;
      gone_q          <= 1'b0;
      queue_q         <= '0;
      tid_q           <= '0;
      to_level_q      <= '0;
      entry_q         <= '0;
      head_q          <= '0;
      write_q         <= '0;
      read_q          <= '0;
      count_q         <= '0;
      left_q          <= '0;
      best_valid_q    <= '0;
      best_priority_q <= '0;
      best_tid_q      <= '0;
    end else begin
      state_q <= state_d;
      read_q  <= (ready_o ? head_q : read_q) + 1'b1;

      if (accept) begin
        move_q     <= op_i == QueueMove;
        front_q    <= op_i == QueuePushFront;
        gone_q     <= 1'b0;
        queue_q    <= queue_i;
        tid_q      <= (op_i == QueuePop) ? best_tid_q[queue_i] : tid_i;
        to_level_q <= to_priority_i;
        entry_q    <= '{where: queue_i, level: priority_i, tid: tid_i};
        left_q     <= count_q;
        // Where the first entry is, or where the new one goes
        unique case (op_i)
          QueuePushBack:  write_q <= head_q + count_q[TidWidth-1:0];
          QueuePushFront: write_q <= head_q - 1'b1;
          default:        write_q <= head_q;
        endcase
        if (op_i == QueuePushFront) head_q <= head_q - 1'b1;
        count_q <= push ? count_q + 1'b1 : (op_i == QueueMove) ? count_q : count_q - 1'b1;
      end

      if (state_q == StFetch) begin
        best_valid_q[queue_q] <= 1'b0;
        entry_q               <= entry;
      end

      if (pass) begin
        entry_q <= (last && move_q) ? '{where: queue_q, level: to_level_q, tid: tid_q} : entry;
        left_q  <= left_q - 1'b1;
        if (leaves) gone_q  <= 1'b1;
        else        write_q <= write_q + 1'b1;
      end

      if ((pass && !leaves && entry_q.where == queue_q && better) || (state_q == StPush && better)) begin
        best_valid_q[queue_q]    <= 1'b1;
        best_priority_q[queue_q] <= entry_q.level;
        best_tid_q[queue_q]      <= entry_q.tid;
      end
    end
  end

endmodule
