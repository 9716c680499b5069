// SPDX-License-Identifier: Apache-2.0
// Directed preemption: drives the level irq_o, which asks a CPU's thread for the operation `preempt`.
//
// A better dynamic thread interrupts only the CPU that runs the lowest priority (the lowest number of equals), a better
// static one only its own CPU; a used-up slice also lets an equal thread in.
// AskUsed: a used-up slice always raises irq_o, as the thread's time in this round is over.
// Idle threads are below every priority (cl_kernel_bound): a ready one interrupts no CPU.
// With Reserve only CPUs that run dynamic threads count for those, a CPU may have several queues of placed threads, and
// a misplaced thread is below all others (cl_kernel_reserve).
// irq_o is registered, updated while `stable_i` says that the ready queue's choice is settled, and gated at once while a
// CPU has no running thread or is about to switch to it: until then a trap would find neither the old thread's stack
// nor the new one's.
module cl_kernel_irq
  import cl_kernel_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg        = Default,
  localparam int unsigned Cpus       = Cfg.Cpus,
  localparam int unsigned Queues     = queues(Cfg.Cpus, Cfg.Policy),
  localparam int unsigned QueueWidth = $clog2(Queues),
  localparam bit          Deadlines  = Cfg.Policy == PolicyEdf,
  localparam int unsigned KeyWidth   = key_width(Cfg.Policy, Cfg.Priorities),
  localparam int unsigned LevelWidth = KeyWidth + 1
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  input  logic                                     stable_i,
  input  logic                          [Cpus-1:0] running_i,
  input  logic                          [Cpus-1:0] switching_i,
  input  logic                          [Cpus-1:0] slice_used_i,
  input  logic          [Cpus-1:0][LevelWidth-1:0] level_i,
  input  logic                    [QueueWidth-1:0] dynamic_i,        // the queue of dynamic threads
  input  logic [Queues-1:0]                        best_valid_i,     // 1+c: static of CPU c
  input  logic [Queues-1:0]         [KeyWidth-1:0] best_priority_i,
  input  logic                          [Cpus-1:0] open_i,           // CPUs that run dynamic threads,
  input  logic                [Cpus-1:0][Cpus-1:0] keeps_i,          // and those placed on these CPUs
  input  logic                          [Cpus-1:0] misplaced_i,
  input  logic                          [Cpus-1:0] bound_queued_i,   // its thread in cl_kernel_bound is ready
  output logic                          [Cpus-1:0] irq_o
);

  logic               [Cpus-1:0] worst, want, irq_q;
  logic [Queues-1:0][LevelWidth-1:0] best;

  function automatic logic first(input logic [LevelWidth-1:0] a, input logic [LevelWidth-1:0] b, input logic or_equal);
    first = comes_first(Deadlines, RankWidth'(a), RankWidth'(b), or_equal);
  endfunction

  for (genvar q = 0; q < Queues; q++) begin : g_best
    assign best[q] = {1'b1, best_priority_i[q]};
  end

  logic                  dynamic_valid;
  logic [LevelWidth-1:0] dynamic;

  assign dynamic_valid = best_valid_i[dynamic_i];
  assign dynamic       = best[dynamic_i];

  // Of each CPU: whether it counts, and the best thread placed there
  logic               [Cpus-1:0] counts, placed_valid;
  logic [Cpus-1:0][LevelWidth-1:0] placed;

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      counts[c]       = running_i[c] && (!Cfg.Reserve || open_i[c]);
      placed_valid[c] = Cfg.Reserve ? 1'b0 : best_valid_i[1+c];
      placed[c]       = Cfg.Reserve ? '0 : best[1+c];
      for (int unsigned q = 0; Cfg.Reserve && q < Cpus; q++) begin
        if (keeps_i[c][q] && best_valid_i[1+q] && (!placed_valid[c] || first(best[1+q], placed[c], 1'b0))) begin
          placed_valid[c] = 1'b1;
          placed[c]       = best[1+q];
        end
      end
    end
  end

  // The thread of CPU a is above the thread of CPU b.
  function automatic logic above(input int unsigned a, input int unsigned b);
    if (Cfg.Reserve && misplaced_i[a] != misplaced_i[b]) above = misplaced_i[b];
    else above = !(Cfg.Reserve && misplaced_i[a]) && first(level_i[a], level_i[b], 1'b0);
  endfunction

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      worst[c] = counts[c];
      for (int unsigned other = 0; other < Cpus; other++) begin
        if (other < c && counts[other] && !above(other, c)) worst[c] = 1'b0;
        if (other > c && counts[other] && above(c, other)) worst[c] = 1'b0;
      end
    end
  end

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      want[c] = (placed_valid[c] && first(placed[c], level_i[c], 1'b0))
              | (dynamic_valid && first(dynamic, level_i[c], 1'b0) && worst[c])
              | (slice_used_i[c] && (Cfg.Policy == PolicyDwrr | (placed_valid[c] && first(placed[c], level_i[c], 1'b1))
                                   | (dynamic_valid && first(dynamic, level_i[c], 1'b1) && (!Cfg.Reserve || open_i[c]))));
      if (Cfg.Reserve && misplaced_i[c]) begin
        want[c] = bound_queued_i[c] | placed_valid[c] | (dynamic_valid & (worst[c] | (slice_used_i[c] & open_i[c])));
      end
    end
  end

  logic unused;
  assign unused = ^{open_i, keeps_i, misplaced_i, bound_queued_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)       irq_q <= '0;
    else if (stable_i) irq_q <= want;
  end

  assign irq_o = irq_q & running_i & ~switching_i;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertNoIrqBeforeSaved: assert ((irq_o & switching_i) == '0);
      AssertOneWorst:         assert ($onehot0(worst));
    end
  end
`endif

endmodule
