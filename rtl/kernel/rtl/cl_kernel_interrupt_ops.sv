// SPDX-License-Identifier: Apache-2.0
// Interrupt lines ([HT]: interrupts are threads): their bindings, what their operations answer and change, and the
// requests of the lines themselves.
//
// line_i is synchronous; a rising edge of a bound line is remembered until the engine serves it. An edge and the
// operation interrupt_raise have the same effect, which depends on the binding:
//   thread      if it waits (interrupt_wait), it wakes; else the line has `fired`, and its next wait ends at once
//   semaphore   semaphore_post of it
//   port        port_trysend of the line's number, published at once
// For the last two `as_op_o` and `as_id_o` are the operation that replaces interrupt_raise.
//
// A service: `outcome_o` is the outcome of operation op_i on line id_i, whose record was read in the cycle before
// (read_id_i); combinational. Its changes happen with commit_i.
//
// Requests: with pending_o a line waits to be served; the engine then takes no client. In a cycle with request_o
// the engine may serve it, with take_i. request_wakes_o: wake thread request_id_o; request_notes_o: only set `fired`;
// else it is operation request_op_o on object request_id_o. All outputs are registered, one cycle after the edge.
// The lowest pending line is first. Between two operations of clients each line is served at most once, so a busy line
// cannot starve a client: in a cycle with free_i a client could have been served.
module cl_kernel_interrupt_ops
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  cfg_t        Cfg         = Default,
  localparam int unsigned Lines       = Cfg.Lines,
  localparam int unsigned LineWidth   = (Lines > 1) ? $clog2(Lines) : 1,
  localparam int unsigned TidWidth    = $clog2(Cfg.Threads),
  // Of a thread, semaphore or port
  localparam int unsigned ObjectWidth = most(object_width(Cfg.Ports, Cfg.Mutexes, Cfg.Semaphores, Cfg.Conditions), TidWidth)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic     [Lines-1:0] line_i,

  input  logic           [9:0] read_id_i,
  input  logic           [7:0] op_i,
  input  logic           [9:0] id_i,
  input  logic          [31:0] word0_i,
  input  logic  [TidWidth-1:0] caller_i,
  input  logic                 semaphore_exists_i,  // the object named by WORD0
  input  logic                 port_exists_i,
  input  logic                 port_open_i,
  output outcome_t             outcome_o,
  output logic           [7:0] as_op_o,
  output logic           [9:0] as_id_o,
  output logic  [TidWidth-1:0] thread_o,            // that waits for the line
  input  logic                 commit_i,  // with Pipeline a cycle after the decision

  output logic                 pending_o,
  output logic                 request_o,
  output logic                 request_wakes_o,
  output logic                 request_notes_o,
  output logic           [7:0] request_op_o,
  output logic           [9:0] request_id_o,
  output logic [LineWidth-1:0] request_line_o,
  input  logic                 take_i,
  input  logic                 free_i
);

  typedef enum logic [1:0] {ToThread, ToSemaphore, ToPort, ToNothing} kind_e;

  typedef struct packed {
    kind_e                  kind;
    logic [ObjectWidth-1:0] object;
    logic                   fired;  // an interrupt that the thread has not taken
    logic                   waits;  // the thread waits
  } line_t;

  logic  [Lines-1:0] bound_q;
  line_t             lines_q [Lines];

  // The engine's action for an interrupt of a line
  function automatic logic [7:0] op_of(input kind_e kind);
    return (kind == ToSemaphore) ? OpSemaphorePost : OpPortTrysend;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Decision

  logic  exists, bound, bind_line, unbind, set_wait, fire;
  line_t line;      // the one read
  kind_e new_kind;

  always_ff @(posedge clk_i) begin
    exists <= 32'(read_id_i) < Lines;
    bound  <= bound_q[LineWidth'(read_id_i)];
    line   <= lines_q[LineWidth'(read_id_i)];
  end

  assign new_kind = kind_e'(word0_i[BindingKindLsb +: BindingKindWidth]);
  assign as_op_o  = op_of(line.kind);
  assign as_id_o  = 10'(line.object);
  assign thread_o = TidWidth'(line.object);

  logic unused;
  assign unused = ^{word0_i, id_i};

  always_comb begin
    outcome_o = '0;
    bind_line = 1'b0;
    unbind    = 1'b0;
    set_wait  = 1'b0;
    fire      = 1'b0;
    unique case (op_i)
      OpInterruptBind: begin
        if (!exists || new_kind == ToNothing)                        outcome_o = failed(StatusEinval);
        else if (new_kind == ToSemaphore && !semaphore_exists_i)     outcome_o = failed(StatusEinval);
        else if (new_kind == ToPort && !port_exists_i)               outcome_o = failed(StatusEinval);
        else if (new_kind == ToPort && !port_open_i)                 outcome_o = failed(StatusEbadf);
        else if (bound)                                              outcome_o = failed(StatusEbusy);
        else                                                         bind_line = 1'b1;
      end

      OpInterruptUnbind: begin
        if (!exists)         outcome_o = failed(StatusEinval);
        else if (!bound)     outcome_o = failed(StatusEnoent);
        else if (line.waits) outcome_o = failed(StatusEbusy);
        else                 unbind    = 1'b1;
      end

      OpInterruptWait: begin
        if (!exists)                                                        outcome_o = failed(StatusEinval);
        else if (!bound)                                                    outcome_o = failed(StatusEnoent);
        else if (line.kind != ToThread || TidWidth'(line.object) != caller_i) outcome_o = failed(StatusEperm);
        else begin
          set_wait         = 1'b1;  // or takes the pending interrupt
          outcome_o.course = line.fired ? CourseDone : CourseBlock;
        end
      end

      OpInterruptRaise: begin
        if (!exists)                     outcome_o        = failed(StatusEinval);
        else if (!bound)                 outcome_o        = failed(StatusEnoent);
        else if (line.kind != ToThread)  outcome_o.course = CourseRedirect;
        else begin
          fire           = 1'b1;
          outcome_o.wake = line.waits ? WakeLine : WakeNone;
        end
      end

      default: ;  // another service's
    endcase
  end

  logic bind_line_now, unbind_now, set_wait_now, fire_now;

  cl_pipeline_register #(.Registered(Cfg.Pipeline), .Width(4)) u_decided (
    .clk_i,
    .d_i ({bind_line, unbind, set_wait, fire}),
    .q_o ({bind_line_now, unbind_now, set_wait_now, fire_now})
  );

  // ---------------------------------------------------------------------------------------------
  // Requests of the lines

  logic     [Lines-1:0] line_q, pending_q, pending_d, held_q, held_d, ready, taken, ended;
  logic                 valid_q, changed_q, changed, exits;
  logic [LineWidth-1:0] first;

  assign pending_o = valid_q;
  // The registers hold the bindings of a cycle ago.
  assign request_o = valid_q & ~changed_q;
  assign exits     = commit_i && op_i == OpThreadExit;
  assign changed   = take_i | exits | (commit_i & (bind_line_now | unbind_now | set_wait_now | fire_now));

  always_comb begin
    for (int unsigned l = 0; l < Lines; l++) begin
      taken[l] = take_i && request_line_o == LineWidth'(l);
      // A thread that has ended is bound to no line.
      ended[l] = exits && lines_q[l].kind == ToThread && TidWidth'(lines_q[l].object) == caller_i;
    end
    pending_d = ((pending_q & ~taken) | (line_i & ~line_q)) & bound_q;
    held_d    = free_i ? '0 : held_q | taken;
    ready     = Cfg.Pipeline ? pending_q & ~held_q & bound_q : pending_d & ~held_d;  // a cycle later, or at once
    first     = '0;
    for (int unsigned l = Lines; l > 0; l--) begin
      if (ready[l-1]) first = LineWidth'(l - 1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_q          <= '1;  // a line that is high after reset has not risen
      pending_q       <= '0;
      held_q          <= '0;
      valid_q         <= 1'b0;
      changed_q       <= 1'b0;
      request_wakes_o <= 1'b0;
      request_notes_o <= 1'b0;
      request_op_o    <= '0;
      request_id_o    <= '0;
      request_line_o  <= '0;
    end else begin
      line_q          <= line_i;
      pending_q       <= pending_d;
      held_q          <= held_d;
      valid_q         <= ready != '0 && !(Cfg.Pipeline && take_i);
      changed_q       <= changed;
      request_wakes_o <= lines_q[first].kind == ToThread && lines_q[first].waits;
      request_notes_o <= lines_q[first].kind == ToThread && !lines_q[first].waits;
      request_op_o    <= op_of(lines_q[first].kind);
      request_id_o    <= 10'(lines_q[first].object);
      request_line_o  <= first;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Table

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bound_q <= '0;
      for (int unsigned l = 0; l < Lines; l++) lines_q[l] <= '0;
    end else begin
      for (int unsigned l = 0; l < Lines; l++) begin
        if (taken[l]) begin
          lines_q[l].waits <= 1'b0;
          lines_q[l].fired <= request_notes_o;
        end
        if (ended[l]) bound_q[l] <= 1'b0;
        if (commit_i && LineWidth'(id_i) == LineWidth'(l)) begin
          if (bind_line_now) begin
            bound_q[l] <= 1'b1;
            lines_q[l] <= '{
              kind:   new_kind,
              object: (new_kind == ToThread) ? ObjectWidth'(caller_i) : ObjectWidth'(word0_i[BindingObjectLsb +: BindingObjectWidth]),
              fired:  1'b0,
              waits:  1'b0
            };
          end
          if (unbind_now) bound_q[l] <= 1'b0;
          if (set_wait_now) begin
            lines_q[l].waits <= !line.fired;
            lines_q[l].fired <= 1'b0;
          end
          if (fire_now) begin
            lines_q[l].waits <= 1'b0;
            lines_q[l].fired <= !line.waits;
          end
        end
      end
    end
  end

`ifndef SYNTHESIS
  // REQ-kernel-line-fair: between two turns of the clients each line is served once at most. Why: a line that was
  // served is held back, and no line that is held back is shown.
  int unsigned served;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      served <= 0;
    end else begin
      served <= free_i ? 0 : served + 32'(take_i);
      AssertLinesFair:  assert (served <= Lines);
      AssertServedHeld: assert (served == 32'($countones(held_q)));
      AssertShownFree:  assert (!valid_q || (32'(request_line_o) < Lines && !held_q[request_line_o]));
      AssertShownBound: assert (!request_o || bound_q[request_line_o]);
    end
  end

  // Guarantees of the engine
  logic line_known;  // what is decided on is as it is now
  assign line_known = {bound, line} == {bound_q[LineWidth'(id_i)], lines_q[LineWidth'(id_i)]};

`ifdef FORMAL
  always_comb begin
    assume (!take_i || request_o);
    assume (!free_i || !pending_o);
    assume (!(commit_i && (bind_line_now || unbind_now || set_wait_now || fire_now)) || line_known);
  end
`else
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertTakeRequest: assert (!take_i || request_o);
      AssertFreeTurn:    assert (!free_i || !pending_o);
      AssertLineKnown:   assert (!(commit_i && (bind_line_now || unbind_now || set_wait_now || fire_now)) || line_known);
    end
  end
`endif
`endif

endmodule
