// SPDX-License-Identifier: Apache-2.0
// The thread manager's rules, by client: assertions for simulations and proofs.
module cl_kernel_checks
  import cl_kernel_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg           = Default,
  localparam int unsigned Cpus          = Cfg.Cpus,
  localparam int unsigned Clients       = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned Queues        = queues(Cfg.Cpus, Cfg.Policy),
  // Defined by cl_kernel
  parameter  type         sched_state_t = logic,
  parameter  type         best_t        = logic
) (
  input logic                       clk_i,
  input logic                       rst_ni,
  input logic                       idle_i,          // the engine takes a new operation
  input logic                       stable_i,        // the scheduling state and the queue are consistent
  input sched_state_t               sched_i,
  input logic                       queue_ready_i,
  input best_t                      best_i,
  input logic  [$clog2(Queues)-1:0] dynamic_i,       // the queue of the dynamic threads
  input logic         [Clients-1:0] open_i,
  input logic [Cpus-1:0] [Cpus-1:0] keeps_i,
  input logic         [Clients-1:0] bound_queued_i,
  input logic         [Clients-1:0] unpublished_i
);

  logic [Clients-1:0] leaving_queued, stack_shared, stack_unsaved, idle_needless, sent_not_running;
  logic [Clients-1:0][Cpus-1:0] keeps;

  logic unused;  // both have more
  assign unused = ^{sched_i, best_i};

  assign keeps = (Clients * Cpus)'(keeps_i);

  always_comb begin
    leaving_queued = '0;
    stack_shared   = '0;
    stack_unsaved  = '0;
    for (int unsigned c = 0; c < Clients; c++) begin
      for (int unsigned q = 0; q < Queues; q++) begin
        if (queue_ready_i && sched_i.leaving[c] && best_i.valid[q] && best_i.tid[q] == sched_i.leaving_tid[c]) begin
          leaving_queued[c] = 1'b1;
        end
      end
      for (int unsigned other = 0; other < Clients; other++) begin
        if (other < c && sched_i.current_valid[c] && sched_i.current_valid[other] && sched_i.tid[c] == sched_i.tid[other]) begin
          stack_shared[c] = 1'b1;
        end
        if (other != c && sched_i.current_valid[c] && sched_i.leaving[other] && sched_i.tid[c] == sched_i.leaving_tid[other]) begin
          stack_unsaved[c] = 1'b1;
        end
      end
      idle_needless[c] = sched_i.waiting[c] && ((bound_queued_i[c] && !sched_i.held[c]) ||
                                                (c < Cpus && ((open_i[c] && best_i.valid[dynamic_i]) ||
                                                              (keeps[c] & best_i.valid[Cpus:1]) != '0)));
      sent_not_running[c] = unpublished_i[c] && !sched_i.running[c];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      // The save rule: a leaving thread is in no queue, so it is no client's next thread.
      AssertLeavingNotQueued:   assert (leaving_queued == '0);
      AssertOneStackOneCpu:     assert (stack_shared == '0);
      AssertNoStackBeforeSaved: assert (stack_unsaved == '0);
      // Idle means nothing to run: a thread that becomes ready goes to a waiting client at once. (When a round
      // begins, or a held client gets a thread, the clients are served one after the other.)
      AssertIdleHasNothing:     assert (!stable_i || (Cfg.Policy == PolicyDwrr && !idle_i) || idle_needless == '0);
      // Only a running thread has unpublished messages.
      AssertSentIsRunning:      assert (!idle_i || sent_not_running == '0);
    end
  end

endmodule
