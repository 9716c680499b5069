// SPDX-License-Identifier: Apache-2.0
// Which CPU should give way: the level that asks its thread for the operation `preempt`.
//
// Directed preemption: a better dynamic thread interrupts only the CPU that runs the lowest priority (the
// lowest number of equals), a better static one only its own CPU; a used-up slice also for an equal thread.
// Idle threads are below every priority (cl_kernel_bound): a ready one asks nobody to give way.
// One register deep, taken over while `stable_i` says that the ready queue's choice is settled; taken back at
// once while a CPU has no running thread or is about to switch to it: until then a trap would find neither the
// old thread's stack nor the new one's.
module cl_kernel_irq #(
  parameter  int unsigned Cpus          = 2,
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
  output logic                  [Cpus-1:0] irq_o
);

  logic               [Cpus-1:0] worst, want, irq_q;
  logic [Cpus:0][LevelWidth-1:0] best;

  for (genvar q = 0; q <= Cpus; q++) begin : g_best
    assign best[q] = {1'b1, best_priority_i[q]};
  end

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      worst[c] = running_i[c];
      for (int unsigned other = 0; other < Cpus; other++) begin
        if (other < c && running_i[other] && level_i[other] <= level_i[c]) worst[c] = 1'b0;
        if (other > c && running_i[other] && level_i[other] <  level_i[c]) worst[c] = 1'b0;
      end
    end
  end

  always_comb begin
    for (int unsigned c = 0; c < Cpus; c++) begin
      want[c] = (best_valid_i[1+c] && best[1+c] > level_i[c])
              | (best_valid_i[0]   && best[0]   > level_i[c] && worst[c])
              | (slice_used_i[c] && ((best_valid_i[1+c] && best[1+c] >= level_i[c])
                                   | (best_valid_i[0]   && best[0]   >= level_i[c])));
    end
  end

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
