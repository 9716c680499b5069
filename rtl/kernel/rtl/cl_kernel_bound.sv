// SPDX-License-Identifier: Apache-2.0
// Threads that belong to one client, and their single-entry ready queues.
//
// A CPU's is its idle thread, below every priority; a hardware unit's is the thread it runs. Such a thread is never in
// the ready queue: only its client may run it, so one entry is enough, without any search. bind_i and free_i set and
// clear the owner, push_i and pop_i whether the thread is queued; each takes effect in the next cycle.
module cl_kernel_bound #(
  parameter  int unsigned Clients  = 2,
  parameter  int unsigned TidWidth = 6,
  localparam int unsigned CpuWidth = (Clients > 1) ? $clog2(Clients) : 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic                              bind_i,
  input  logic               [CpuWidth-1:0] bind_cpu_i,
  input  logic               [TidWidth-1:0] bind_tid_i,
  input  logic                              free_i,
  input  logic               [CpuWidth-1:0] free_cpu_i,
  input  logic                              push_i,
  input  logic               [CpuWidth-1:0] push_cpu_i,
  input  logic                              pop_i,
  input  logic               [CpuWidth-1:0] pop_cpu_i,
  output logic [Clients-1:0]                bound_o,   // the client has such a thread:
  output logic [Clients-1:0] [TidWidth-1:0] tid_o,
  output logic [Clients-1:0]                queued_o   // and it is ready to be run
);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bound_o  <= '0;
      tid_o    <= '0;
      queued_o <= '0;
    end else begin
      for (int unsigned c = 0; c < Clients; c++) begin
        if (free_i && free_cpu_i == CpuWidth'(c)) bound_o[c] <= 1'b0;
        if (bind_i && bind_cpu_i == CpuWidth'(c)) begin
          bound_o[c] <= 1'b1;
          tid_o[c]   <= bind_tid_i;
        end
        if (pop_i && pop_cpu_i == CpuWidth'(c))   queued_o[c] <= 1'b0;
        if (push_i && push_cpu_i == CpuWidth'(c)) queued_o[c] <= 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertBindFree:    assert (!bind_i || !bound_o[bind_cpu_i]);
      AssertPushOnce:    assert (!push_i || !queued_o[push_cpu_i]);
      AssertPopQueued:   assert (!pop_i || queued_o[pop_cpu_i]);
      AssertQueuedBound: assert ((queued_o & ~bound_o) == '0);
    end
  end
`endif

endmodule
