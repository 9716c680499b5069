// SPDX-License-Identifier: Apache-2.0
// Ready queue: a FIFO per priority, a doubly linked list in block RAM, and a bitmap of the priorities in use.
//
// Interface (the same for every build of the ready queue):
//   Queues: 0 holds the dynamic threads, 1+c the static threads of CPU c.
//   An operation is taken in a cycle with valid_i and ready_o. Pop uses queue_i only and takes the thread
//   shown as the best of that queue; the others use queue_i, priority_i and tid_i.
//   best_*_o of every queue stand in registers and are exact while ready_o is high: reading the next
//   thread takes no time at all.
//   The caller guarantees: a thread is pushed once at most, removed from where it is, popped where valid.
// Cycles from taking an operation to ready_o, at any length of the queues:
//   push back, push front            2
//   pop, remove                      2, or 4 when they empty the best priority of the queue
// Cycle 1 reads the four RAMs, cycle 2 writes them; cycle 3 finds the next priority and reads its head,
// cycle 4 shows it.
module cl_ready_queue_bitmap
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

  localparam int unsigned LevelWidth = QueueWidth + PriorityWidth;

  typedef enum logic [1:0] {StIdle, StWrite, StFind, StShow} state_e;

  state_e                                state_q, state_d;
  logic                                  push_q, front_q;
  logic                 [QueueWidth-1:0] queue_q;
  logic              [PriorityWidth-1:0] priority_q;
  logic                   [TidWidth-1:0] tid_q;

  logic [Queues-1:0]    [Priorities-1:0] used_q;
  logic [Queues-1:0]                     best_valid_q;
  logic [Queues-1:0] [PriorityWidth-1:0] best_priority_q;
  logic [Queues-1:0]      [TidWidth-1:0] best_tid_q;

  assign ready_o         = state_q == StIdle;
  assign best_valid_o    = best_valid_q;
  assign best_priority_o = best_priority_q;
  assign best_tid_o      = best_tid_q;

  logic unused;
  assign unused = ^to_priority_i;

  // What the operation is about.
  logic                     accept;
  logic [PriorityWidth-1:0] priority_d;
  logic      [TidWidth-1:0] tid_d;

  assign accept     = valid_i & ready_o;
  assign priority_d = (op_i == QueuePop) ? best_priority_q[queue_i] : priority_i;
  assign tid_d      = (op_i == QueuePop) ? best_tid_q[queue_i]      : tid_i;

  // Highest priority in use of the queue operated on.
  logic                     find_valid;
  logic [PriorityWidth-1:0] find_priority;

  cl_find_last_set #(.Width(Priorities)) u_find (
    .bits_i  (used_q[queue_q]),
    .valid_o (find_valid),
    .index_o (find_priority)
  );

  // The lists: head and tail of every level, next and previous of every thread.
  logic                  head_we, tail_we, next_we, prev_we;
  logic [LevelWidth-1:0] level_q, level_raddr;
  logic   [TidWidth-1:0] head, tail, next, prev;
  logic   [TidWidth-1:0] head_wdata, tail_wdata, next_wdata, prev_wdata, next_waddr, prev_waddr;

  assign level_q     = {queue_q, priority_q};
  assign level_raddr = (state_q == StFind) ? {queue_q, find_priority} : {queue_i, priority_d};

  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(LevelWidth)) u_head (
    .clk_i, .we_i(head_we), .waddr_i(level_q), .wdata_i(head_wdata), .raddr_i(level_raddr), .rdata_o(head)
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(LevelWidth)) u_tail (
    .clk_i, .we_i(tail_we), .waddr_i(level_q), .wdata_i(tail_wdata), .raddr_i(level_raddr), .rdata_o(tail)
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(TidWidth)) u_next (
    .clk_i, .we_i(next_we), .waddr_i(next_waddr), .wdata_i(next_wdata), .raddr_i(tid_d), .rdata_o(next)
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(TidWidth)) u_prev (
    .clk_i, .we_i(prev_we), .waddr_i(prev_waddr), .wdata_i(prev_wdata), .raddr_i(tid_d), .rdata_o(prev)
  );

  // Second cycle: link the thread in or out.
  logic level_used, is_head, is_tail, empties, is_best;

  assign level_used = used_q[queue_q][priority_q];
  assign is_head    = head == tid_q;
  assign is_tail    = tail == tid_q;
  assign empties    = ~push_q & is_head & is_tail;
  assign is_best    = best_valid_q[queue_q] && best_priority_q[queue_q] == priority_q;

  always_comb begin
    head_we    = 1'b0;
    tail_we    = 1'b0;
    next_we    = 1'b0;
    prev_we    = 1'b0;
    head_wdata = tid_q;
    tail_wdata = tid_q;
    next_waddr = tail;
    next_wdata = tid_q;
    prev_waddr = tid_q;
    prev_wdata = tail;
    if (state_q == StWrite) begin
      if (push_q && !level_used) begin
        head_we = 1'b1;
        tail_we = 1'b1;
      end else if (push_q && !front_q) begin
        tail_we = 1'b1;
        next_we = 1'b1;  // old tail -> thread
        prev_we = 1'b1;  // thread -> old tail
      end else if (push_q) begin
        head_we    = 1'b1;
        next_we    = 1'b1;
        next_waddr = tid_q;
        next_wdata = head;
        prev_we    = 1'b1;
        prev_waddr = head;
        prev_wdata = tid_q;
      end else begin
        head_we    = is_head;
        head_wdata = next;
        tail_we    = is_tail;
        tail_wdata = prev;
        next_we    = ~is_head;
        next_waddr = prev;
        next_wdata = next;
        prev_we    = ~is_tail;
        prev_waddr = next;
        prev_wdata = prev;
      end
    end
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StIdle:  if (valid_i) state_d = StWrite;
      StWrite: state_d = (empties && is_best) ? StFind : StIdle;
      StFind:  state_d = StShow;
      StShow:  state_d = StIdle;
      default: state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StIdle;
      push_q     <= 1'b0;
      front_q    <= 1'b0;
      queue_q    <= '0;
      priority_q <= '0;
      tid_q      <= '0;
    end else begin
      state_q <= state_d;
      if (accept) begin
        push_q     <= op_i inside {QueuePushBack, QueuePushFront};
        front_q    <= op_i == QueuePushFront;
        queue_q    <= queue_i;
        priority_q <= priority_d;
        tid_q      <= tid_d;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q          <= '0;
      best_valid_q    <= '0;
      best_priority_q <= '0;
      best_tid_q      <= '0;
    end else begin
      unique case (state_q)
        StWrite: begin
          if (push_q)  used_q[queue_q][priority_q] <= 1'b1;
          if (empties) used_q[queue_q][priority_q] <= 1'b0;
          if (push_q && (!best_valid_q[queue_q] || priority_q > best_priority_q[queue_q] ||
                         (front_q && is_best))) begin
            best_valid_q[queue_q]    <= 1'b1;
            best_priority_q[queue_q] <= priority_q;
            best_tid_q[queue_q]      <= tid_q;
          end
          if (!push_q && is_best && is_head && !is_tail) best_tid_q[queue_q] <= next;
        end
        StFind: begin
          best_valid_q[queue_q]    <= find_valid;
          best_priority_q[queue_q] <= find_priority;
        end
        StShow: best_tid_q[queue_q] <= head;
        default: ;
      endcase
    end
  end

`ifndef SYNTHESIS
  // Who is in a queue, and where, kept apart from the lists to check their user and them.
  typedef struct packed {
    logic                     queued;
    logic    [QueueWidth-1:0] where;
    logic [PriorityWidth-1:0] level;
  } place_t;
  place_t place_q [2**TidWidth];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned t = 0; t < 2**TidWidth; t++) place_q[t] <= '0;
    end else if (accept) begin
      AssertNoMoveYet:   assert (op_i != QueueMove);
      AssertQueueExists: assert (32'(queue_i) < Queues);
      unique case (op_i)
        QueuePushBack, QueuePushFront: begin
          AssertQueuedOnce: assert (!place_q[tid_i].queued);
          place_q[tid_i] <= '{queued: 1'b1, where: queue_i, level: priority_i};
        end
        QueuePop: begin
          AssertPopValid:  assert (best_valid_q[queue_i]);
          AssertPopQueued: assert (place_q[tid_d] == '{queued: 1'b1, where: queue_i, level: priority_d});
          place_q[tid_d] <= '0;
        end
        default: begin
          AssertRemoveQueued: assert (place_q[tid_i] == '{queued: 1'b1, where: queue_i, level: priority_i});
          place_q[tid_i] <= '0;
        end
      endcase
    end
  end
`endif

endmodule
