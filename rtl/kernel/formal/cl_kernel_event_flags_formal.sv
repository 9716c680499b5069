// SPDX-License-Identifier: Apache-2.0
// Properties of event flags, in cl_kernel_condition_ops and cl_kernel_event_flags together, for every sequence of
// their operations by threads on one condition variable that serves as nothing else:
//
//   each operation answers and changes what the flags and what the caller waits for say;
//   a set wakes those that all the flags then set satisfy, and nobody else, in whatever order it looks at them;
//   after it the flags are those without what the woken clear;
//   each thread has the flags that its last wait has found.
//
// Operations take their cycles of the engine: the record is read, the outcome happens; a set looks at a waiter in each
// cycle, and has one more behind each that wakes. The wait list is a set here, waits_q, looked at in any order.
module cl_kernel_event_flags_formal
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  int unsigned Threads  = 2,
  parameter  bit          Never    = 1'b0,  // and, which is wrong, that a set never wakes all
  localparam int unsigned TidWidth = $clog2(Threads)
) (
  input logic                           clk_i,
  input logic                           rst_ni,
  input logic                           act_i,
  input logic                           make_i,  // a new thread, instead of an operation
  input logic                     [3:0] verb_i,  // of flags
  input logic            [TidWidth-1:0] who_i,
  input logic            [TidWidth-1:0] next_i,  // whom a set looks at next, if that one is left
  input logic                    [31:0] word0_i
);

  typedef logic [TidWidth-1:0] tid_t;
  typedef enum logic [1:0] {StIdle, StCommit, StLook, StWake} state_e;

  state_e                         state_q;
  logic                           created_q, make_q;
  logic                     [3:0] verb_q;
  tid_t                           who_q, looked_q;
  logic                    [31:0] word0_q;

  // As it should be
  logic                    [31:0] word_q, set_q;               // the flags; during a set with what it sets
  logic [Threads-1:0]             known_q, waits_q, left_q;    // made; wait; and are still to be looked at
  logic [Threads-1:0]      [31:0] flags_q;                     // what it waits for, or has found
  logic [Threads-1:0]       [1:0] how_q;
  logic [Threads-1:0]             satisfied;
  logic                    [31:0] cleared, cleared_all;

  function automatic logic enough(input logic [31:0] flags, input logic [31:0] wanted, input logic all);
    logic some, each;
    some = 1'b0;
    each = 1'b1;
    for (int unsigned n = 0; n < 32; n++) begin
      if (wanted[n] && flags[n])  some = 1'b1;
      if (wanted[n] && !flags[n]) each = 1'b0;
    end
    return all ? each : some;
  endfunction

  always_comb begin
    cleared     = '0;
    cleared_all = '0;
    for (int unsigned t = 0; t < Threads; t++) begin
      satisfied[t] = waits_q[t] && enough(set_q, flags_q[t], how_q[t][0]);
      if (satisfied[t] && how_q[t][1]) begin
        cleared_all = cleared_all | flags_q[t];
        if (!left_q[t]) cleared = cleared | flags_q[t];
      end
    end
  end

  // The unit
  outcome_t    outcome;
  logic  [9:0] created;
  logic [31:0] flags, record, word;
  logic        commit, look, found, last, is_wait, makes;
  tid_t        chosen, raddr;
  logic [Threads-1:0] others;

  assign commit  = state_q == StCommit;
  assign look    = state_q == StLook;
  assign is_wait = verb_q[3];
  assign makes   = commit && make_q;

  always_comb begin
    others = commit ? waits_q : left_q;
    if (look) others[looked_q] = 1'b0;
    chosen = next_i;
    for (int unsigned t = 0; t < Threads; t++) begin
      if (!(32'(next_i) < Threads && others[next_i]) && others[t]) chosen = tid_t'(t);
    end
    raddr = state_q == StIdle ? who_i : chosen;
  end
  assign last = others == '0;

  function automatic cfg_t one();
    one            = Default;
    one.Conditions = 1;
    one.EventFlags = 1'b1;
  endfunction

  cl_kernel_condition_ops #(.Cfg(one())) u_dut (
    .clk_i,
    .rst_ni,
    .read_id_i      ('0),
    .op_i           (!created_q ? OpCondCreate : make_q ? OpCondTicket : {KindFlags, verb_q}),
    .id_i           ('0),
    .word0_i        (word0_q),
    .read_word0_i   ('0),
    .there_o        (),
    .unlocked_i     (1'b0),
    .waiter_valid_i (waits_q != '0),
    .flags_o        (flags),
    .flags_we_i     (look && last),
    .flags_i        (word),
    .outcome_o      (outcome),
    .new_o          (created),
    .commit_i       (commit)
  );

  cl_kernel_event_flags #(.Threads(Threads)) u_flags (
    .clk_i,
    .rst_ni,
    .raddr_i     (raddr),
    .tid_i       (looked_q),
    .record_o    (record),
    .create_i    (makes),
    .new_tid_i   (who_q),
    .caller_i    (who_q),
    .flags_i     (outcome.insert ? word0_q : flags),
    .how_i       (outcome.insert ? verb_q[1:0] : '0),
    .set_i       (commit && !make_q && created_q && {KindFlags, verb_q} == OpFlagsSet),
    .note_i      (commit && !make_q && created_q && is_wait && outcome.status == StatusOk),
    .look_i      (look),
    .satisfied_o (found),
    .word_o      (word)
  );

  logic suffices;
  assign suffices = enough(word_q, word0_q, verb_q[0]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= StIdle;
      created_q <= 1'b0;
      make_q    <= 1'b0;
      verb_q    <= '0;
      who_q     <= '0;
      looked_q  <= '0;
      word0_q   <= '0;
      word_q    <= '0;
      set_q     <= '0;
      known_q   <= '0;
      waits_q   <= '0;
      left_q    <= '0;
      flags_q   <= '0;
      how_q     <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (act_i) begin
          state_q <= StCommit;
          make_q  <= make_i;
          verb_q  <= verb_i;
          who_q   <= who_i;
          word0_q <= word0_i;
        end

        StCommit: begin
          state_q   <= StIdle;
          created_q <= 1'b1;
          if (make_q) begin
            known_q[who_q] <= 1'b1;
            flags_q[who_q] <= '0;
            how_q[who_q]   <= '0;
          end else if (created_q && {KindFlags, verb_q} == OpFlagsSet) begin
            set_q <= word_q | word0_q;
            if (waits_q == '0) word_q <= word_q | word0_q;
            else begin
              state_q  <= StLook;
              left_q   <= waits_q;
              looked_q <= chosen;
            end
          end else if (created_q && {KindFlags, verb_q} == OpFlagsClear) begin
            word_q <= word_q & ~word0_q;
          end else if (created_q && is_wait && word0_q != '0 && (suffices || !verb_q[2])) begin
            known_q[who_q] <= 1'b1;
            waits_q[who_q] <= !suffices;
            flags_q[who_q] <= suffices ? word_q : word0_q;
            how_q[who_q]   <= suffices ? '0 : verb_q[1:0];
            if (suffices && verb_q[1]) word_q <= word_q & ~word0_q;
          end
        end

        StLook: begin
          left_q   <= others;
          looked_q <= chosen;
          if (last) begin
            state_q <= StIdle;
            word_q  <= set_q & ~cleared_all;
            waits_q <= waits_q & ~satisfied;
            for (int unsigned t = 0; t < Threads; t++) begin
              if (satisfied[t]) begin
                flags_q[t] <= set_q;
                how_q[t]   <= '0;
              end
            end
          end else if (found) state_q <= StWake;
        end

        default: begin
          state_q  <= StLook;
          looked_q <= chosen;
        end
      endcase
    end
  end

  // A waiting thread does nothing else, and a thread is made before it does anything; but another thread may set flags.
  always_comb begin
    if (act_i && state_q == StIdle) begin
      assume (32'(who_i) < Threads);
      assume (op_is_load({KindFlags, verb_i}));
      assume ((!waits_q[who_i] && (make_i || known_q[who_i])) || (!make_i && {KindFlags, verb_i} == OpFlagsSet));
    end
  end

  logic [31:0] kept;
  assign kept = u_dut.u_table.u_record.g_any.mem[0];

  for (genvar t = 0; t < Threads; t++) begin : g_thread
    logic [33:0] kept_record, wanted;
    assign kept_record = u_flags.u_record.g_any.mem[t];
    assign wanted      = (satisfied[t] && !left_q[t] && state_q inside {StLook, StWake}) ? {2'd0, set_q}
                                                                                        : {how_q[t], flags_q[t]};
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin end else begin
        AssertRecord: assert (!known_q[t] || kept_record == wanted);
        AssertKnown:  assert (known_q[t] || !waits_q[t]);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertExists: assert (created_q == u_dut.u_table.u_ids.used_o[0] && (created_q || waits_q == '0));
      AssertWord:   assert (created_q ? kept == (state_q inside {StLook, StWake} ? set_q : word_q) : word_q == '0);
      AssertKinds:  assert (created_q || state_q inside {StIdle, StCommit});
      AssertVerb:   assert (op_is_load({KindFlags, verb_q}));
      AssertWho:    assert (32'(who_q) < Threads && (!commit || (!waits_q[who_q] && (make_q || known_q[who_q])) ||
                                                     (!make_q && {KindFlags, verb_q} == OpFlagsSet)));
      if (look || state_q == StWake) begin
        AssertLeft:    assert (left_q != '0 && (left_q & ~waits_q) == '0);
        AssertFlags:   assert (u_flags.flags_q == set_q && u_flags.cleared_q == cleared);
      end
      if (look) begin
        AssertLooked:  assert (32'(looked_q) < Threads && left_q[looked_q] && u_flags.record == {how_q[looked_q], flags_q[looked_q]});
        AssertWakes:   assert (found == satisfied[looked_q]);
        AssertLeaves:  assert (!last || word == (set_q & ~cleared_all));
        AssertNever:   assert (!Never || !last || satisfied != '1);
      end
      if (commit && created_q && !make_q) begin
        AssertRead:    assert (u_dut.exists && u_dut.signals == word_q);
        AssertStatus:  assert (outcome.status == ((is_wait && word0_q == '0) ? StatusEinval :
                                                  (is_wait && !suffices && verb_q[2]) ? StatusEagain : StatusOk));
        AssertCourse:  assert (outcome.course == (({KindFlags, verb_q} == OpFlagsSet && waits_q != '0) ? CourseLeave :
                                                  (is_wait && word0_q != '0 && !suffices && !verb_q[2]) ? CourseBlock : CourseDone));
        AssertInsert:  assert (outcome.insert == (outcome.course == CourseBlock));
        AssertGet:     assert ({KindFlags, verb_q} != OpFlagsGet || flags == word_q);
        AssertFound:   assert ({KindFlags, verb_q} != OpFlagsFound || record == flags_q[who_q]);
      end
    end
  end

  logic unused;
  assign unused = ^{created, outcome};

endmodule
