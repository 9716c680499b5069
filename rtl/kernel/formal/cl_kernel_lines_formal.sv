// SPDX-License-Identifier: Apache-2.0
// An edge of an interrupt line is remembered until the engine takes it, also one in the cycle in which it is taken.
// Not proved: that the engine takes it; see cl_kernel_formal.sv and tests/kernel_rtl/test_fairness.py.
module cl_kernel_lines_formal
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg   = Default,
  localparam int unsigned Lines = Cfg.Lines
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic [Lines-1:0] line_i,
  input logic       [9:0] read_id_i,
  input logic       [7:0] op_i,
  input logic       [9:0] id_i,
  input logic      [31:0] word0_i,
  input logic       [1:0] caller_i,
  input logic             exists_i,
  input logic             commit_i,
  input logic             take_i,
  input logic             free_i
);

  logic     pending, request;
  logic     line;
  outcome_t outcome;

  cl_kernel_interrupt_ops #(.Cfg(Cfg)) u_lines (
    .clk_i,
    .rst_ni,
    .line_i,
    .read_id_i,
    .op_i,
    .id_i,
    .word0_i,
    .caller_i,
    .semaphore_exists_i(exists_i),
    .port_exists_i     (exists_i),
    .port_open_i       (exists_i),
    .outcome_o         (outcome),
    .as_op_o           (),
    .as_id_o           (),
    .thread_o          (),
    .commit_i,
    .pending_o         (pending),
    .request_o         (request),
    .request_wakes_o   (),
    .request_notes_o   (),
    .request_op_o      (),
    .request_id_o      (),
    .request_line_o    (line),
    .take_i,
    .free_i
  );

  logic [Lines-1:0] level_q, owed_q, taken, met_q;
  logic             began_q;

  always_comb begin
    for (int unsigned l = 0; l < Lines; l++) taken[l] = take_i && line == 1'(l);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      level_q <= '1;
      owed_q  <= '0;
      met_q   <= '0;
      began_q <= 1'b0;
    end else begin
      began_q <= 1'b1;
      level_q <= line_i;
      met_q   <= taken & line_i & ~level_q;
      for (int unsigned l = 0; l < Lines; l++) begin
        if (taken[l])                  owed_q[l] <= 1'b0;
        if (line_i[l] && !level_q[l])  owed_q[l] <= 1'b1;
        if (!u_lines.bound_q[l])       owed_q[l] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    // REQ-kernel-line-1: an edge of a bound line is owed to it until the engine takes it; one in the cycle of the take is
    // owed after it.
    AssertOwed:  assert (u_lines.pending_q == owed_q);
    // REQ-kernel-line-2: what the engine is asked to serve is owed.
    if (request) AssertShown: assert (u_lines.bound_q[line] && owed_q[line]);
    assert (!began_q || u_lines.line_q == level_q);
    assert (began_q || u_lines.line_q == '1);

    CoverTaken:         cover (take_i && owed_q == 2'b10);
    CoverEdgeInItsTake: cover (met_q[1] && owed_q[1] && u_lines.bound_q[1]);
    CoverUnbound:       cover (owed_q[0] && !u_lines.bound_q[0]);
  end

endmodule
