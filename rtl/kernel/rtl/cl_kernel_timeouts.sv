// SPDX-License-Identifier: Apache-2.0
// Time limits of waits: a deadline a thread; at it, if the thread waits for a mutex, semaphore, port or condition
// variable, a request to the engine to end that wait by the object's ..._leave.
//
// The caller's operations:
//   start_i  its deadline is deadline_i, less than a quarter of the times after now_i
//   stop_i   it has none; also with its exit
//   wait_i   it begins to wait for object id_i, bits 4:3 of whose operations are kind_i; object_i: an object that can be left
// set_o: the caller has a deadline that has ended no wait; so after `start` and without `stop`, a deadline that is no
// longer set has ended one.
//
// The waiting thread with the earliest deadline known is in registers and compared with the time in each cycle. If
// that thread goes, the table is read through, a thread a cycle, for the next one; a thread that begins to wait is
// read at once. So a deadline is noticed in its cycle, and at most Threads + 3 cycles later if another one was just
// before it.
//
// Requests are like those of interrupt lines (cl_kernel_interrupt_ops): with pending_o the engine takes no client; in
// such a cycle it may take the request, with take_i; ended_i: the thread taken_o, taken last, has left its wait. If it
// has not, it does not wait any more, and is asked for again when it does. One at most is taken between two cycles with
// free_i, in which a client could have been taken.
module cl_kernel_timeouts
  import cl_kernel_pkg::*;
#(
  parameter  int unsigned Threads   = 64,
  parameter  int unsigned TimeWidth = 32,
  localparam int unsigned TidWidth  = $clog2(Threads)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [TimeWidth-1:0] now_i,

  input  logic  [TidWidth-1:0] caller_i,
  input  logic                 start_i,
  input  logic [TimeWidth-1:0] deadline_i,
  input  logic                 stop_i,
  input  logic                 wait_i,
  input  logic                 object_i,
  input  logic           [1:0] kind_i,
  input  logic           [9:0] id_i,
  output logic                 set_o,
  output logic                 waits_o,     // a thread waits with a deadline, as far as is known

  output logic                 pending_o,
  output logic           [7:0] op_o,
  output logic           [9:0] id_o,
  input  logic                 take_i,
  input  logic                 free_i,
  output logic  [TidWidth-1:0] taken_o,
  input  logic                 ended_i
);

  typedef logic [TidWidth-1:0]  tid_t;
  typedef logic [TimeWidth-1:0] time_t;

  typedef struct packed {
    logic [1:0] kind;   // the lower bits of its operations' kind
    logic [9:0] id;
  } object_t;
  typedef struct packed {
    logic    waits;
    object_t object;
  } wait_t;

  // Of two times less than half of all times apart, as the limit of a deadline and of a wait for a CPU make them
  function automatic logic earlier(input time_t a, input time_t b);
    return $signed(a - b) < 0;
  endfunction

  logic [Threads-1:0] set_q;
  logic               again_q;              // a thread has begun to wait:
  tid_t               again_tid_q;
  tid_t               scan_q;               // the table is read from here on,
  logic  [TidWidth:0] left_q;               // this many threads
  logic               read_q;               // the one read:
  tid_t               read_tid_q;
  logic               first_valid_q;        // the earliest that waits:
  tid_t               first_tid_q;
  time_t              first_deadline_q;
  object_t            first_object_q;
  logic               pending_q, held_q;

  tid_t  raddr, wait_waddr;
  logic  waits, wait_we, written, changed, candidate, better, gone;
  time_t deadline;
  wait_t read_wait, wait_wdata;

  assign set_o   = set_q[caller_i];
  assign waits   = wait_i && set_o;
  assign changed = start_i | stop_i | waits;
  assign raddr   = again_q ? again_tid_q : scan_q;

  // The engine takes nothing in a cycle in which a caller's operation happens.
  assign wait_we    = start_i | waits | take_i;
  assign wait_waddr = take_i ? first_tid_q : caller_i;
  assign wait_wdata = '{waits: waits && object_i, object: '{kind: kind_i, id: id_i}};
  // Not to be read: what begins to wait is read again, all others have nothing to find.
  assign written    = wait_we && wait_waddr == raddr;

  cl_ram_1r1w #(.Width(TimeWidth), .AddrWidth(TidWidth)) u_deadline (
    .clk_i, .we_i(start_i), .waddr_i(caller_i), .wdata_i(deadline_i), .raddr_i(raddr), .rdata_o(deadline)
  );
  cl_ram_1r1w #(.Width($bits(wait_t)), .AddrWidth(TidWidth)) u_wait (
    .clk_i, .we_i(wait_we), .waddr_i(wait_waddr), .wdata_i(wait_wdata), .raddr_i(raddr), .rdata_o(read_wait)
  );

  assign candidate = read_q && set_q[read_tid_q] && read_wait.waits && !(changed && read_tid_q == caller_i) &&
                     !(take_i && read_tid_q == first_tid_q);
  assign gone      = take_i || (changed && first_tid_q == caller_i);
  assign better    = gone || !first_valid_q || earlier(deadline, first_deadline_q);

  assign pending_o = pending_q & ~held_q;
  assign waits_o   = first_valid_q;
  assign id_o      = first_object_q.id;

  always_comb begin
    unique case (first_object_q.kind)
      2'd2:    op_o = OpMutexLeave;
      2'd3:    op_o = OpSemaphoreLeave;
      2'd0:    op_o = OpPortLeave;
      default: op_o = OpCondLeave;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_q            <= '0;
      again_q          <= 1'b0;
      again_tid_q      <= '0;
      scan_q           <= '0;
      left_q           <= '0;
      read_q           <= 1'b0;
      read_tid_q       <= '0;
      first_valid_q    <= 1'b0;
      first_tid_q      <= '0;
      first_deadline_q <= '0;
      first_object_q   <= '0;
      pending_q        <= 1'b0;
      held_q           <= 1'b0;
      taken_o          <= '0;
    end else begin
      if (start_i) set_q[caller_i] <= 1'b1;
      if (stop_i)  set_q[caller_i] <= 1'b0;
      if (ended_i) set_q[taken_o]  <= 1'b0;

      again_q     <= waits;
      again_tid_q <= caller_i;
      read_q      <= (again_q || left_q != '0) && !written;
      read_tid_q  <= raddr;
      if (left_q != '0 && !again_q) begin
        scan_q <= (32'(scan_q) == Threads - 1) ? '0 : scan_q + 1'b1;
        left_q <= left_q - 1'b1;
      end
      if (first_valid_q && gone) left_q <= (TidWidth + 1)'(Threads);

      if (candidate && better) begin
        first_valid_q    <= 1'b1;
        first_tid_q      <= read_tid_q;
        first_deadline_q <= deadline;
        first_object_q   <= read_wait.object;
      end else if (gone) begin
        first_valid_q    <= 1'b0;
      end

      // One that is earlier and comes in this cycle has reached its deadline, too.
      pending_q <= !gone && first_valid_q && !earlier(now_i, first_deadline_q);
      held_q    <= !free_i && (held_q || take_i);
      if (take_i) taken_o <= first_tid_q;
    end
  end

`ifndef SYNTHESIS
  // For testbenches: a wait may still end at this time.
  logic looking, unused_looking;
  assign unused_looking = looking;
  assign looking = again_q || left_q != '0 || read_q || pending_q || (first_valid_q && !earlier(now_i, first_deadline_q));

  // Guarantees of the engine
`ifdef FORMAL
  always_comb begin
    assume (!take_i || (pending_o && !changed));
    assume (!free_i || !pending_o);
  end
`else
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertTakePending: assert (!take_i || (pending_o && !changed));
      AssertTimeoutTurn: assert (!free_i || !pending_o);
    end
  end
`endif
`endif

endmodule
