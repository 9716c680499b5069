// SPDX-License-Identifier: Apache-2.0
// Wait lists: for every object the threads that wait for it, sorted by level, equals in order of arrival.
//
// An object is {kind, id}; bits 4:3 of an operation are the kind: those of the other operations (on threads,
// lines and the ready queue) must use no list. The list of the one read is there in the next cycle; the links between its threads are in the thread
// table, whose record the user keeps on the waiter looked at (tid_i, level_i, link_i). Operations, each on
// the list read:
//   clear    the object written is new: its list is empty
//   insert   the caller waits. Empty list: 1 cycle. Else the user reads the first waiter's record, and holds
//            walk_i until done_o, each cycle reading the record of link_i: a cycle a waiter passed, one more
//            to link behind it. The caller goes before the first waiter whose level is lower now. With Pipeline
//            the comparison is registered: one cycle more.
//   pop      the first waiter, whose record is read, leaves
//   leave    thread target_i, if it waits, leaves: the user reads the first waiter's record, and holds leave_i until
//            found_o or missing_o, each cycle reading the record of link_i: a cycle a waiter passed, one more.
//            With keep_i, from found_o until leave_i is held again, the search goes on behind that waiter: the user has
//            read the record of its link_i
module cl_kernel_wait_lists
  import cl_ready_queue_pkg::*;
#(
  parameter int unsigned TidWidth    = 6,
  parameter int unsigned LevelWidth  = 6,
  parameter bit          Deadlines   = 1'b0,  // levels may be deadlines
  parameter bit          Pipeline    = 1'b0,
  parameter int unsigned ObjectWidth = 5
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic            [1:0] read_kind_i,
  input  logic            [9:0] read_id_i,
  output logic                  waiter_valid_o,   // the list read is not empty
  output logic                  several_o,        // it has more than one waiter
  output logic   [TidWidth-1:0] waiter_o,         // the first one

  input  logic            [1:0] kind_i,           // the object whose list is written
  input  logic            [9:0] id_i,
  input  logic                  clear_i,
  input  logic                  insert_i,
  input  logic   [TidWidth-1:0] caller_i,
  input  logic [LevelWidth-1:0] caller_level_i,
  input  logic                  pop_i,

  input  logic                  walk_i,
  output logic                  pending_o,        // an insertion has still to walk
  output logic                  done_o,           // with walk_i: this is its last cycle

  input  logic                  leave_i,
  input  logic           [31:0] target_i,
  input  logic                  keep_i,
  output logic                  found_o,          // with leave_i: it is the one read, and leaves
  output logic                  missing_o,        // with leave_i: it does not wait
  output logic                  last_o,           // no waiter is behind the one read

  // Thread table
  input  logic   [TidWidth-1:0] tid_i,
  input  logic [LevelWidth-1:0] level_i,
  input  logic   [TidWidth-1:0] link_i,
  output logic                  link_we_o,
  output logic   [TidWidth-1:0] link_tid_o,
  output logic   [TidWidth-1:0] link_o
);

  typedef logic [TidWidth-1:0] tid_t;

  typedef struct packed {
    logic valid;
    tid_t head;
  } first_t;

  first_t first, first_wdata;
  tid_t   tail, tail_wdata;
  logic   list_we;

  // Whether the list is empty is part of the decision; the first waiter's record is read next.
  cl_ram_1r1w #(.Width($bits(first_t)), .AddrWidth(ObjectWidth + 2), .Early(1'b1)) u_first (
    .clk_i, .we_i(list_we), .waddr_i({kind_i, ObjectWidth'(id_i)}), .wdata_i(first_wdata),
    .raddr_i({read_kind_i, ObjectWidth'(read_id_i)}), .rdata_o(first)
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(ObjectWidth + 2)) u_tail (
    .clk_i, .we_i(list_we), .waddr_i({kind_i, ObjectWidth'(id_i)}), .wdata_i(tail_wdata),
    .raddr_i({read_kind_i, ObjectWidth'(read_id_i)}), .rdata_o(tail)
  );

  logic unused_id;  // an id has more bits than small tables need
  assign unused_id = ^{read_id_i, id_i};

  assign waiter_valid_o = first.valid;
  assign several_o      = first.head != tail;
  assign waiter_o       = first.head;

  logic                  before_valid_q;    // walk, leave: the waiter passed last
  tid_t                  before_q;
  logic                  pending_q;         // the insertion of:
  tid_t                  caller_q;
  logic [LevelWidth-1:0] caller_level_q;
  logic                  linking_q;         // the caller is linked to its follower, not yet to `before`
  logic                  last;
  // Of the waiter compared with the caller
  logic                  compared, here, behind;  // here: the caller goes before it; behind: there is no other
  tid_t                  at;

  assign pending_o = pending_q;
  assign last      = tid_i == tail;
  assign done_o    = linking_q || (compared && (here ? !before_valid_q : behind));
  assign found_o   = leave_i && 32'(tid_i) == target_i;
  assign missing_o = leave_i && !found_o && last;
  assign last_o    = last;

  cl_pipeline_register #(.Registered(Pipeline), .Width(2 + TidWidth)) u_compared (
    .clk_i,
    .d_i ({comes_first(Deadlines, RankWidth'(caller_level_q), RankWidth'(level_i), 1'b0), last, tid_i}),
    .q_o ({here, behind, at})
  );

  if (Pipeline) begin : g_compared
    logic compared_q;
    assign compared = compared_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) compared_q <= 1'b0;
      else         compared_q <= walk_i && !done_o;
    end
  end else begin : g_at_once
    assign compared = 1'b1;
  end

  always_comb begin
    link_we_o   = 1'b0;
    link_tid_o  = caller_q;
    link_o      = at;
    list_we     = clear_i;
    first_wdata = '0;
    tail_wdata  = tail;
    if (insert_i) begin
      list_we     = !first.valid;
      first_wdata = '{valid: 1'b1, head: caller_i};
      tail_wdata  = caller_i;
    end else if (pop_i) begin
      list_we     = 1'b1;
      first_wdata = '{valid: several_o, head: link_i};
    end else if (leave_i) begin
      link_tid_o  = before_q;
      link_o      = link_i;
      link_we_o   = found_o && before_valid_q;
      list_we     = found_o && (last || !before_valid_q);
      first_wdata = before_valid_q ? first : '{valid: several_o, head: link_i};
      if (before_valid_q && last) tail_wdata = before_q;
    end else if (walk_i) begin
      first_wdata = first;
      if (linking_q) begin
        link_we_o  = 1'b1;
        link_tid_o = before_q;
        link_o     = caller_q;
      end else if (compared && here) begin
        link_we_o        = 1'b1;
        list_we          = !before_valid_q;
        first_wdata.head = caller_q;
      end else if (compared && behind) begin
        link_we_o  = 1'b1;
        link_tid_o = at;
        link_o     = caller_q;
        list_we    = 1'b1;
        tail_wdata = caller_q;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q      <= 1'b0;
      caller_q       <= '0;
      caller_level_q <= '0;
      before_valid_q <= 1'b0;
      before_q       <= '0;
      linking_q      <= 1'b0;
    end else if (insert_i) begin
      pending_q      <= first.valid;
      caller_q       <= caller_i;
      caller_level_q <= caller_level_i;
      before_valid_q <= 1'b0;
    end else if (walk_i) begin
      pending_q <= !done_o;
      linking_q <= compared && here && !done_o;
      if (compared && !here) begin
        before_valid_q <= 1'b1;
        before_q       <= at;
      end
    end else if (!keep_i) begin
      before_valid_q <= leave_i;
      before_q       <= tid_i;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertOneListWriter: assert ($onehot0({clear_i, insert_i, pop_i, walk_i, leave_i}));
      AssertWalkPending:   assert (!walk_i || pending_q);
      AssertPopSomebody:   assert (!pop_i || first.valid);
      AssertLeaveSomebody: assert (!leave_i || first.valid);
    end
  end
`endif

endmodule
