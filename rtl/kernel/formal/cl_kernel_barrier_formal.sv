// SPDX-License-Identifier: Apache-2.0
// Properties of barriers in cl_kernel_condition_ops, for every sequence of barrier_wait, by threads that always name the
// same number of others, on a condition variable that serves as nothing else:
//
//   the last to come, and nobody else, is answered 1, waits for nobody, and wakes those that wait, if there are some;
//   all others wait;
//   so never more than Others threads wait.
//
// An operation takes two cycles: the record is read, the outcome happens. The wait list is a number here: waiting_q.
module cl_kernel_barrier_formal
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter logic [15:0] Others = 2,
  parameter bit          Never  = 1'b0   // and, which is wrong, that the last never comes
) (
  input logic clk_i,
  input logic rst_ni,
  input logic act_i
);

  logic        created_q, reading_q, reads, commit, last;
  logic [15:0] waiting_q;
  outcome_t    outcome;
  logic  [9:0] created;

  assign reads  = act_i && !reading_q;
  assign commit = reading_q;
  assign last   = waiting_q == Others;

  function automatic cfg_t one();
    one            = Default;
    one.Conditions = 1;
  endfunction

  cl_kernel_condition_ops #(.Cfg(one())) u_dut (
    .clk_i,
    .rst_ni,
    .read_id_i      ('0),
    .op_i           (created_q ? OpBarrierWait : OpCondCreate),
    .id_i           ('0),
    .word0_i        (32'(Others)),
    .read_word0_i   ('0),
    .there_o        (),
    .unlocked_i     (1'b0),
    .waiter_valid_i (waiting_q != '0),
    .outcome_o      (outcome),
    .new_o          (created),
    .commit_i       (commit)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      created_q <= 1'b0;
      reading_q <= 1'b0;
      waiting_q <= '0;
    end else begin
      reading_q <= reads;
      if (commit) begin
        created_q <= 1'b1;
        if (outcome.insert)                   waiting_q <= waiting_q + 1'b1;
        else if (outcome.wake == WakeWaiters) waiting_q <= '0;
      end
    end
  end

  logic [15:0] kept;  // in the table: how many have come
  assign kept = u_dut.u_table.u_record.g_any.mem[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      // Invariants for the induction: the table counts those that wait, and its word is the one read.
      AssertExists: assert (created_q == u_dut.u_table.u_ids.used_o[0]);
      AssertCounts: assert (!created_q || kept == waiting_q);
      AssertRead:   assert (!(commit && created_q) || (u_dut.exists && u_dut.signals == kept));
      AssertFew:    assert (waiting_q <= Others && (created_q || waiting_q == '0));
      if (commit && created_q) begin
        AssertNoError: assert (outcome.status == StatusOk);
        AssertLast:    assert (last == (outcome.value == 16'd1) && (last || outcome.value == '0));
        AssertWaits:   assert (last == (outcome.course == CourseDone) && outcome.insert == !last &&
                               (last || outcome.course == CourseBlock));
        AssertWakes:   assert (outcome.wake == ((last && Others != '0) ? WakeWaiters : WakeNone));
        AssertNever:   assert (!Never || !last);
      end
    end
  end

  logic unused;
  assign unused = ^{created, outcome};

endmodule
