// SPDX-License-Identifier: Apache-2.0
// Which CPU should give way: the level that asks its thread for the operation `preempt`.
//
// Directed preemption: a better dynamic thread interrupts only the CPU that runs the lowest priority (the
// lowest number of equals), a better static one only its own CPU; a used-up slice also for an equal thread.
// Idle threads are below every priority (cl_kernel_bound): a ready one asks nobody to give way.
// With Reserve only CPUs that run dynamic threads count for those, a CPU may have several queues of placed threads, and
// a thread that is astray is below all others (cl_kernel_reserve).
// One register deep, taken over while `stable_i` says that the ready queue's choice is settled; taken back at
// once while a CPU has no running thread or is about to switch to it: until then a trap would find neither the
// old thread's stack nor the new one's.
module cl_kernel_irq #(
  parameter  int unsigned Cpus          = 2,
  parameter  bit          Reserve       = 1'b0,
  parameter  int unsigned PriorityWidth = 5,
  localparam int unsigned LevelWidth    = PriorityWidth + 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             stable_i,
  input  logic                  [Cpus-1:0] running_i,
  input  logic                  [Cpus-1:0] switching_i,
  input  logic                  [Cpus-1:0] slice_used_i,
  input  logic  [Cpus-1:0][LevelWidth-1:0] level_i,
  input  logic                    [Cpus:0] best_valid_i,     // 0: dynamic, 1+c: static of CPU c
  input  logic [Cpus:0][PriorityWidth-1:0] best_priority_i,
  input  logic                  [Cpus-1:0] open_i,           // they run dynamic threads,
  input  logic        [Cpus-1:0][Cpus-1:0] keeps_i,          // and those placed on these CPUs
  input  logic                  [Cpus-1:0] astray_i,
  input  logic                  [Cpus-1:0] bound_queued_i,   // a ready thread in its place of cl_kernel_bound
  output logic                  [Cpus-1:0] irq_o
);

  logic               [Cpus-1:0] worst, want, irq_q;
  logic [Cpus:0][LevelWidth-1:0] best;

  for (genvar q = 0; q <= Cpus; q++) begin : g_best
    assign best[q] = {1'b1, best_priority_i[q]};
  end

  // Of each CPU: whether it counts, the level that counts, and the best thread placed there
  logic               [Cpus-1:0] counts, placed_valid;
  logic [Cpus-1:0]  [LevelWidth:0] rank;
  logic [Cpus-1:0][LevelWidth-1:0] placed;

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      counts[c]       = running_i[c] && (!Reserve || open_i[c]);
      rank[c]         = (Reserve && astray_i[c]) ? '0 : {1'b1, level_i[c]};
      placed_valid[c] = Reserve ? 1'b0 : best_valid_i[1+c];
      placed[c]       = Reserve ? '0 : best[1+c];
      for (int unsigned q = 0; Reserve && q < Cpus; q++) begin
        if (keeps_i[c][q] && best_valid_i[1+q] && (!placed_valid[c] || best[1+q] > placed[c])) begin
          placed_valid[c] = 1'b1;
          placed[c]       = best[1+q];
        end
      end
    end
  end

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      worst[c] = counts[c];
      for (int unsigned other = 0; other < Cpus; other++) begin
        if (other < c && counts[other] && rank[other] <= rank[c]) worst[c] = 1'b0;
        if (other > c && counts[other] && rank[other] <  rank[c]) worst[c] = 1'b0;
      end
    end
  end

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      want[c] = (placed_valid[c] && placed[c] > level_i[c])
              | (best_valid_i[0] && best[0]   > level_i[c] && worst[c])
              | (slice_used_i[c] && ((placed_valid[c] && placed[c] >= level_i[c])
                                   | (best_valid_i[0] && best[0]   >= level_i[c] && (!Reserve || open_i[c]))));
      if (Reserve && astray_i[c]) begin
        want[c] = bound_queued_i[c] | placed_valid[c] | (best_valid_i[0] & (worst[c] | (slice_used_i[c] & open_i[c])));
      end
    end
  end

  logic unused;
  assign unused = ^{open_i, keeps_i, astray_i, bound_queued_i};

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
