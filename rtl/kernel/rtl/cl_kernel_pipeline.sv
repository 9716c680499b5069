// SPDX-License-Identifier: Apache-2.0
// The stage of a kernel with Pipeline (build `fast`) between what the engine finds and what it does: registers that cut
// its longest paths. Without Pipeline the engine does all of it in the same cycle, and this module is not there.
//
//   stage_i      how the thread read wakes, the decision and its strobes: what they say happens a cycle later, while the
//                records and all else that they depend on stay as they are. So a dispatch takes two cycles (decided_o: the
//                second one), and a wake, too (waking_o).
//   word0_i      the argument of the operation read; argument_i: that of the operation, the thread that StLeave looks for
//   next_i       the next thread is compared with the current one when it is known
//   after_i      the thread that is read at the end of a dispatch; behind a search (found_i) the thread found, as the
//                search has read the one behind it, and else own_i, the thread of the operation. A thread read by a
//                register is there a cycle later, so that of a new operation (redirect_i) is not known at once.
// The client is chosen a cycle earlier, too (cl_kernel_pick); so are the place in a wait list (cl_kernel_wait_lists) and
// the best thread of a queue (cl_ready_queue).
module cl_kernel_pipeline
  import cl_engine_pkg::*;
#(
  parameter int unsigned TidWidth = 6,
  // Defined by cl_kernel_engine
  parameter type         stage_t  = logic,
  // Defined by cl_kernel
  parameter type         next_t   = logic,
  parameter type         level_t  = logic
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  engine_state_e       state_i,

  input  stage_t              stage_i,
  output stage_t              stage_o,
  output logic                decided_o,   // StDispatch: what has been decided happens
  output logic                waking_o,    // StWake: how the thread read wakes is known
  output logic                left_o,      // StLeave was in the cycle before

  input  logic         [31:0] word0_i,
  output logic         [31:0] word0_o,
  input  logic         [31:0] argument_i,
  output logic         [31:0] target_o,    // as a thread; one that there cannot be if it is none

  input  next_t               next_i,
  input  level_t              level_i,     // of the current thread
  output logic                better_o,
  output logic                equal_o,

  input  logic                redirect_i,
  input  logic [TidWidth-1:0] after_i,
  input  logic [TidWidth-1:0] found_i,
  input  logic [TidWidth-1:0] own_i,
  output logic [TidWidth-1:0] after_o,
  output logic                known_o      // StFetch: it is that of the operation
);

  stage_t              stage_q;   // without a reset: valid with its strobes
  logic          [3:0] strobes_q;
  logic                known_q, fits_q, redirected_q;
  logic [TidWidth-1:0] target_q;

  always_comb begin
    stage_o = stage_q;
    {stage_o.act, stage_o.commit, stage_o.publish_walk, stage_o.job_start} = strobes_q;
  end

  logic unused;  // it has more
  assign unused = ^next_i;

  assign decided_o = strobes_q[3];
  assign waking_o  = state_i == StWake && known_q;
  assign target_o  = {!fits_q, 31'(target_q)};
  assign better_o  = (!next_i.bound && next_i.level > level_i) || (next_i.misplaced && next_i.any);
  assign equal_o   = !next_i.bound && next_i.level == level_i && !next_i.misplaced;
  assign known_o   = !redirected_q;

  always_ff @(posedge clk_i) begin
    stage_q  <= stage_i;
    word0_o  <= word0_i;
    fits_q   <= argument_i[31:TidWidth] == '0;
    target_q <= argument_i[TidWidth-1:0];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      strobes_q    <= '0;
      known_q      <= 1'b0;
      left_o       <= 1'b0;
      after_o      <= '0;
      redirected_q <= 1'b0;
    end else begin
      strobes_q    <= {stage_i.act, stage_i.commit, stage_i.publish_walk, stage_i.job_start};
      known_q      <= state_i == StWake;
      left_o       <= state_i == StLeave;
      redirected_q <= redirect_i;
      unique case (state_i)
        StDispatch: after_o <= after_i;
        StLeave:    after_o <= found_i;
        default:    after_o <= own_i;
      endcase
    end
  end

endmodule
