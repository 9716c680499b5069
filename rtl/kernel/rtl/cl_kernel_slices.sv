// SPDX-License-Identifier: Apache-2.0
// What a CPU's slice begins with: a whole slice, or the rest of the one in which its thread was preempted.
//
// A thread that gives way in front of its equals keeps the rest of its slice; any other way to leave its CPU
// forgets it. length_o is that of the thread that the command of the previous cycle has run: a rest is at most
// slice_i, as the length may have changed since.
module cl_kernel_slices
  import cl_sched_pkg::*;
#(
  parameter int unsigned TidWidth = 6
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  sched_cmd_t          cmd_i,
  input  logic [TidWidth-1:0] next_i,           // with run
  input  logic                current_valid_i,  // of the CPU that cmd_i is for: there is a current thread,
  input  logic [TidWidth-1:0] current_i,        // it is this one,
  input  logic         [15:0] left_i,           // and has so many ticks left
  input  logic                create_i,         // a new thread,
  input  logic [TidWidth-1:0] new_i,            // this one
  input  logic         [15:0] slice_i,          // length of a slice, ticks
  output logic         [15:0] length_o          // ticks
);

  logic                we, front, run_q;
  logic [TidWidth-1:0] waddr;
  logic         [15:0] rest;

  assign we    = create_i | cmd_i.exit | (cmd_i.run & current_valid_i);
  assign waddr = create_i ? new_i : current_i;
  assign front = cmd_i.run & cmd_i.leave_ready & cmd_i.leave_front;

  cl_ram_1r1w #(.Width(16), .AddrWidth(TidWidth), .Early(1'b1)) u_rests (
    .clk_i,
    .we_i    (we),
    .waddr_i (waddr),
    .wdata_i (front ? left_i : '0),
    .raddr_i (next_i),
    .rdata_o (rest)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= 1'b0;
    else         run_q <= cmd_i.run;
  end

  assign length_o = (run_q && rest != '0 && rest < slice_i) ? rest : slice_i;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertOneWrite: assert (!(create_i && (cmd_i.exit || cmd_i.run)));
    end
  end
`endif

endmodule
