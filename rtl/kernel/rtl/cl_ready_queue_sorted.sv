// SPDX-License-Identifier: Apache-2.0
// Ready queue of cells: the threads of each queue stand in their order, and every cell compares at once.
//
// Interface: see cl_ready_queue. The priority is a key here, of any width: no memory has a place for each. Deadlines: keys
// compare as cl_ready_queue_pkg says. Cycles from taking an operation to ready_o, whatever is queued:
//   push back, push front   2
//   pop, remove             3
//   move                    4
// A state a cycle:
//   StIdle    takes the operation; every cell compares with the thread that comes
//   StRemove  the cells behind the thread that leaves move up
//   StBest    the first cell of the queue is its best; of a move, every cell compares with where it goes
//   StInsert  the thread goes into the first cell of its queue that it beats, or the first free one; the cells from there
//             on move down. It is the best if it beats the best
// All queues share one array of a cell a thread: a thread is in one queue only, so an array for each queue would have
// Queues times the cells. Instead each cell knows its queue, and only cells of that one are asked: the best of a queue
// has to be looked for then, in a cycle of its own (StBest), but only when a thread has left.
// `first` makes no use of the order of keys: so whatever their order is like (deadlines far apart are in none, as their
// numbers wrap), a thread goes to one place, and none is lost.
module cl_ready_queue_sorted
  import cl_ready_queue_pkg::*;
#(
  parameter  int unsigned Queues        = 3,
  parameter  int unsigned Threads       = 64,
  parameter  int unsigned Priorities    = 32,
  parameter  bit          Deadlines     = 1'b0,
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

  typedef logic    [QueueWidth-1:0] queue_t;
  typedef logic [PriorityWidth-1:0] key_t;
  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic       [Threads-1:0] cells_t;  // a bit a cell

  typedef struct packed {
    queue_t where;
    key_t   key;
    tid_t   tid;
  } cell_t;

  typedef enum logic [1:0] {StIdle, StRemove, StBest, StInsert} state_e;

  function automatic logic beats(input key_t a, input key_t b, input logic or_equal);
    beats = comes_first(Deadlines, RankWidth'(a), RankWidth'(b), or_equal);
  endfunction

  // All bits from the lowest one on, in as many steps as the width has digits
  function automatic cells_t from_first(input cells_t bits);
    from_first = bits;
    for (int unsigned step = 1; step < Threads; step *= 2) from_first |= from_first << step;
  endfunction

  state_e              state_q, state_d;
  logic                move_q, front_q;
  cell_t               new_q;     // the thread that comes or leaves
  cells_t              valid_q;
  cells_t              beaten_q;  // by the thread that comes
  cell_t [Threads-1:0] cell_q;

  logic  [Queues-1:0] best_valid_q;
  key_t  [Queues-1:0] best_key_q;
  tid_t  [Queues-1:0] best_tid_q;

  assign ready_o         = state_q == StIdle;
  assign best_valid_o    = best_valid_q;
  assign best_priority_o = best_key_q;
  assign best_tid_o      = best_tid_q;

  // ---------------------------------------------------------------------------------------------
  // Every cell against the thread

  cells_t own, leaves, insert_from, remove_from, first;
  cell_t  best;
  key_t   key;
  logic   front, push, best_beaten;

  assign push  = op_i == QueuePushBack || op_i == QueuePushFront;
  assign front = ready_o && op_i == QueuePushFront;
  assign key   = ready_o ? priority_i : new_q.key;

  always_comb begin
    for (int unsigned i = 0; i < Threads; i++) begin
      own[i]    = valid_q[i] && cell_q[i].where == new_q.where;
      leaves[i] = valid_q[i] && cell_q[i].tid == new_q.tid;
    end
  end

  assign insert_from = from_first((own & beaten_q) | ~valid_q);
  assign remove_from = from_first(leaves);
  assign first       = own & ~(from_first(own) << 1);

  assign best_beaten = beats(new_q.key, best_key_q[new_q.where], front_q);

  always_comb begin
    best = '0;
    for (int unsigned i = 0; i < Threads; i++) best |= first[i] ? cell_q[i] : '0;
  end

  // ---------------------------------------------------------------------------------------------
  // Cells

  for (genvar i = 0; i < Threads; i++) begin : g_cell
    logic  above_valid, below_valid;
    cell_t above, below;  // the neighbours: nearer to the first cell, and farther

    if (i > 0) begin : g_above
      assign {above_valid, above} = insert_from[i-1] ? {valid_q[i-1], cell_q[i-1]} : {1'b1, new_q};
    end else begin : g_top
      assign {above_valid, above} = {1'b1, new_q};
    end
    if (i + 1 < Threads) begin : g_below
      assign {below_valid, below} = {valid_q[i+1], cell_q[i+1]};
    end else begin : g_bottom
      assign {below_valid, below} = '0;
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni)                                       {valid_q[i], cell_q[i]} <= '0;
      else if (state_q == StInsert && insert_from[i])    {valid_q[i], cell_q[i]} <= {above_valid, above};
      else if (state_q == StRemove && remove_from[i])    {valid_q[i], cell_q[i]} <= {below_valid, below};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Course of an operation

  always_comb begin
    unique case (state_q)
      StIdle:   state_d = !valid_i ? StIdle : push ? StInsert : StRemove;
      StRemove: state_d = StBest;
      StBest:   state_d = move_q ? StInsert : StIdle;
      default:  state_d = StIdle;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= StIdle;
      move_q       <= 1'b0;
      front_q      <= 1'b0;
      new_q        <= '0;
      beaten_q     <= '0;
      best_valid_q <= '0;
      best_key_q   <= '0;
      best_tid_q   <= '0;
    end else begin
      state_q <= state_d;
      for (int unsigned i = 0; i < Threads; i++) beaten_q[i] <= beats(key, cell_q[i].key, front);
      if (ready_o) begin
        move_q  <= op_i == QueueMove;
        front_q <= op_i == QueuePushFront;
        new_q   <= '{
          where: queue_i,
          key:   push ? priority_i : to_priority_i,
          tid:   (op_i == QueuePop) ? best_tid_q[queue_i] : tid_i
        };
      end
      if (state_q == StBest) begin
        best_valid_q[new_q.where] <= own != '0;
        best_key_q[new_q.where]   <= best.key;
        best_tid_q[new_q.where]   <= best.tid;
      end else if (state_q == StInsert && (best_beaten || !best_valid_q[new_q.where])) begin
        best_valid_q[new_q.where] <= 1'b1;
        best_key_q[new_q.where]   <= new_q.key;
        best_tid_q[new_q.where]   <= new_q.tid;
      end
    end
  end

endmodule
