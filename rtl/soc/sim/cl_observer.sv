// SPDX-License-Identifier: Apache-2.0
// Says in one bit whether the harness has something to look at in this cycle; bound to cl_soc, which knows nothing of it.
// Of what it looks at itself, see cl_soc.vlt.
module cl_observer #(
  parameter int unsigned Cpus  = 1,
  parameter int unsigned Units = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   uart_valid_i,
  input  logic        [Cpus-1:0] trace_valid_i,
  input  logic        [Cpus-1:0] exit_valid_i,
  input  logic        [Cpus-1:0] fault_i,
  input  logic        [Cpus-1:0] halt_i,
  input  logic        [Cpus-1:0] irq_i,
  input  logic        [Cpus-1:0] idle_i,      // waits in the kernel for a thread to run
  input  logic [Units-1:0][31:0] unit_i
);

  logic        [Cpus-1:0] request;   // the kernel begins to ask for a preempt
  logic                   active;

  logic        [Cpus-1:0] idle_q, irq_q;
  logic [Units-1:0][31:0] unit_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      idle_q <= '0;
      irq_q  <= '0;
      unit_q <= '0;
    end else begin
      idle_q <= idle_i;
      irq_q  <= irq_i;
      unit_q <= unit_i;
    end
  end

  assign request = irq_i & ~irq_q;
  assign active  = (|trace_valid_i) | (|exit_valid_i) | uart_valid_i | (|request) | (|fault_i) | (|halt_i)
                 | (idle_i != idle_q) | (unit_i != unit_q);

endmodule

bind cl_soc cl_observer #(.Cpus(Cpus), .Units(Units)) u_observer (
  .clk_i,
  .rst_ni,
  .uart_valid_i (uart_valid),
  .trace_valid_i(trace_valid),
  .exit_valid_i (exit_valid),
  .fault_i      (fault),
  .halt_i       (halt),
  .irq_i        (kernel_irq),
  .idle_i       (kernel_idle[Cpus-1:0]),
  .unit_i       (unit)
);
