// SPDX-License-Identifier: Apache-2.0
// The scheduler of [HT] as a unit of its own: a table of threads and a ready queue behind one bus port.
//
// See ../SCHEDULER.md for the operations, the errors and the cycles.
//   Build       build_e; BuildHybrid starts threads in hardware
//   Threads     2 to 1024 · Priorities 2 to 256, hybrid: to 128
//   HwThreads   1 to 16, hybrid only: the scheduling parameter 128 + n names hardware thread n
// Bus port: req_i and addr_i = {op[3:0], tid[9:0]}, wdata_i = argument are held until gnt_o; the answer comes with rvalid_o:
// {status[7:0] at bit 16, value[15:0]}. There may be a grant with the answer to the operation before.
// The unit takes its first operation Threads cycles after reset: until then it empties its table.
//
// A state a cycle unless noted:
//   StInit    empties the table, an entry a cycle
//   StIdle    grants; reads the thread's entry
//   StRead    keeps the entry; checks the argument
//   StDecide  the decision: status, entry, ready queue. Its answer is seen a cycle later. The ready queue is ready by
//             then: it worked on the operation before while this one was read
//   StWait    of a move: a cycle, so that this stays true; of the linear queue: until it is ready
//   StStart   of a hardware thread: the write of START, until the bus takes it
module cl_scheduler
  import cl_ready_queue_pkg::*;
  import cl_scheduler_pkg::*;
#(
  parameter  int unsigned Build         = BuildBitmap,
  parameter  int unsigned Threads       = 256,
  parameter  int unsigned Priorities    = 128,
  parameter  int unsigned HwThreads     = 4,
  localparam int unsigned TidWidth      = $clog2(Threads),
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     req_i,
  output logic                     gnt_o,
  input  logic              [13:0] addr_i,
  input  logic              [31:0] wdata_i,
  output logic                     rvalid_o,
  output logic              [31:0] rdata_o,

  // Writes of START; held until the bus takes it. Hybrid only
  output logic                     start_req_o,
  input  logic                     start_gnt_i,
  output logic              [31:0] start_addr_o,
  output logic              [31:0] start_wdata_o,
  input  logic     [HwThreads-1:0] hw_running_i,

  // The best queued thread; exact except in the 4 cycles (linear: until it is found) in which it changes
  output logic                     next_valid_o,
  output logic      [TidWidth-1:0] next_tid_o,
  output logic [PriorityWidth-1:0] next_priority_o,
  output logic                     preempt_o      // level: it beats the thread dequeued last
);

  if (Threads < 2 || Threads > 1024 || Priorities < 2 || Priorities > ((Build == BuildHybrid) ? 128 : 256) ||
      HwThreads < 1 || HwThreads > 16) begin : g_out_of_range
    $error("cl_scheduler: a parameter is out of range; see the table in rtl/kernel/SCHEDULER.md");
  end

  localparam bit Hybrid = Build == BuildHybrid;
  localparam bit Linear = Build == BuildLinear;

  localparam int unsigned HwWidth = (HwThreads > 1) ? $clog2(HwThreads) : 1;

  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic [PriorityWidth-1:0] priority_t;

  typedef enum logic [2:0] {StInit, StIdle, StRead, StDecide, StWait, StStart} state_e;

  state_e       state_q, state_d;
  sched_op_e    op_q;
  logic   [9:0] id_q;
  logic  [31:0] argument_q;
  sched_entry_t entry, entry_q;
  logic         exists_q;
  logic         soft_q, hard_q;  // the argument is a priority; a hardware thread's parameter
  tid_t         tid;

  assign tid   = tid_t'(id_q);
  assign gnt_o = req_i & state_q == StIdle;

  // Hardware thread of an entry
  logic hard, hw_exists, hw_running;

  assign hard       = Hybrid & entry_q.param[7];
  assign hw_running = hw_running_i[HwWidth'(entry_q.param)];  // no entry names one that does not exist
  assign hw_exists  = Hybrid && argument_q[31:7] == 25'd1 && 32'(argument_q[6:0]) < HwThreads;

  // ---------------------------------------------------------------------------------------------
  // Ready queue

  logic      queue_valid, queue_ready, best_valid;
  queue_op_e queue_op, queue_op_q;
  priority_t best_priority;
  tid_t      best_tid;

  cl_ready_queue #(
    .Build      (Build),
    .Queues     (1),
    .Threads    (Threads),
    .Priorities (Priorities)
  ) u_ready_queue (
    .clk_i,
    .rst_ni,
    .valid_i         (queue_valid),
    .ready_o         (queue_ready),
    .op_i            (queue_op_q),
    .queue_i         (1'b0),
    .priority_i      (priority_t'(entry_q.param)),
    .to_priority_i   (priority_t'(argument_q)),
    .tid_i           (tid),
    .best_valid_o    (best_valid),
    .best_priority_o (best_priority),
    .best_tid_o      (best_tid)
  );

  always_comb begin
    unique case (op_q)
      SchedEnqueue: queue_op = QueuePushBack;
      SchedDequeue: queue_op = QueuePop;
      SchedRemove:  queue_op = QueueRemove;
      default:      queue_op = QueueMove;
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // Table of threads

  logic         entry_we;
  tid_t         entry_waddr, init_q;
  sched_entry_t entry_wdata;

  cl_ram_1r1w #(.Width($bits(sched_entry_t)), .AddrWidth(TidWidth)) u_entries (
    .clk_i,
    .we_i    (entry_we),
    .waddr_i (entry_waddr),
    .wdata_i (entry_wdata),
    .raddr_i (tid_t'(addr_i)),
    .rdata_o (entry)
  );

  // ---------------------------------------------------------------------------------------------
  // The decision

  logic          decide, start, free, set_idle, idle_valid_q, running_valid_q;
  sched_status_e status, wrong;
  logic   [15:0] value;
  tid_t          idle_q, running_q;
  priority_t     running_priority_q;

  assign decide = state_q == StDecide;
  assign wrong  = (Hybrid && argument_q[31:7] == 25'd1) ? SchedEnodev : SchedEinval;  // with this argument

  always_comb begin
    status      = (exists_q && entry_q.used) ? SchedOk : SchedEsrch;
    value       = '0;
    queue_valid = 1'b0;
    start       = 1'b0;
    free        = 1'b0;
    set_idle    = 1'b0;
    entry_we    = 1'b0;
    entry_waddr = tid;
    entry_wdata = entry_q;
    unique case (op_q)
      SchedEnqueue: begin
        if (status == SchedOk) begin
          if (hard && hw_running) status = SchedEbusy;
          else if (entry_q.queued)  status = SchedEalready;
        end
        start              = status == SchedOk & hard;
        queue_valid        = status == SchedOk & ~hard;
        entry_we           = queue_valid;
        entry_wdata.queued = 1'b1;
      end
      SchedDequeue: begin
        status      = (best_valid || idle_valid_q) ? SchedOk : SchedEagain;
        value       = best_valid ? 16'(best_tid) : idle_valid_q ? 16'(idle_q) : '0;
        queue_valid = best_valid;
        entry_we    = best_valid;
        entry_waddr = best_tid;
        entry_wdata = '{used: 1'b1, queued: 1'b0, param: 8'(best_priority)};
      end
      SchedGetEntry: begin
        if (status == SchedOk) value = {6'd0, entry_q};
      end
      SchedIsQueued: begin
        if (status == SchedOk) value = {15'd0, entry_q.queued};
      end
      SchedIsEmpty: begin
        status = SchedOk;
        value  = {15'd0, ~best_valid};
      end
      SchedSetIdleThread: begin
        if (status == SchedOk) begin
          if (hard)                status = SchedEinval;
          else if (entry_q.queued) status = SchedEalready;
        end
        set_idle = status == SchedOk;
      end
      SchedGetSchedParam: begin
        if (status == SchedOk) value = {8'd0, entry_q.param};
      end
      SchedCheckSchedParam, SchedSetSchedParam: begin
        if (status == SchedOk) begin
          if (!soft_q && !hard_q)            status = wrong;
          else if (hard && hw_running)     status = SchedEbusy;
          else if (hard_q && entry_q.queued) status = SchedEalready;
        end
        if (op_q == SchedSetSchedParam) begin
          entry_we          = status == SchedOk;
          queue_valid       = status == SchedOk & entry_q.queued;
          entry_wdata.param = argument_q[7:0];
        end
      end
      SchedRemove: begin
        if (status == SchedOk && !entry_q.queued) status = SchedEnoent;
        queue_valid        = status == SchedOk;
        entry_we           = queue_valid;
        entry_wdata.queued = 1'b0;
      end
      SchedCreateEntry: begin
        if (status == SchedOk) status = SchedEexist;
        else if (exists_q)     status = (soft_q || hard_q) ? SchedOk : wrong;
        entry_we    = status == SchedOk;
        entry_wdata = '{used: 1'b1, queued: 1'b0, param: argument_q[7:0]};
      end
      SchedFreeEntry: begin
        if (status == SchedOk) begin
          if (entry_q.queued)                                                 status = SchedEalready;
          else if ((hard && hw_running) || (idle_valid_q && idle_q == tid)) status = SchedEbusy;
        end
        free        = status == SchedOk;
        entry_we    = free;
        entry_wdata = '0;
      end
      default: status = SchedEinval;
    endcase

    queue_valid = queue_valid & decide;
    entry_we    = entry_we & decide;
    if (state_q == StInit) begin
      entry_we    = 1'b1;
      entry_waddr = init_q;
      entry_wdata = '0;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Course

  always_comb begin
    unique case (state_q)
      StInit:   state_d = (init_q == tid_t'(Threads - 1)) ? StIdle : StInit;
      StIdle:   state_d = req_i ? StRead : StIdle;
      StRead:   state_d = StDecide;
      StDecide: begin
        state_d = StIdle;
        if (start) state_d = StStart;
        if (queue_valid && (queue_op_q == QueueMove || (Linear && queue_op_q != QueuePushBack))) state_d = StWait;
      end
      StWait:   state_d = (Linear && !queue_ready) ? StWait : StIdle;
      StStart:  state_d = start_gnt_i ? StIdle : StStart;
      default:  state_d = StIdle;
    endcase
  end

  logic        rvalid_q;
  logic [31:0] rdata_q;

  assign rvalid_o      = rvalid_q;
  assign rdata_o       = rdata_q;
  assign start_req_o   = state_q == StStart;
  assign start_addr_o  = 32'hE100_0000 | {17'd0, entry_q.param[6:0], 8'd0};
  assign start_wdata_o = 32'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= StInit;
      init_q     <= '0;
      op_q       <= SchedEnqueue;
      id_q       <= '0;
      argument_q <= '0;
      entry_q    <= '0;
      exists_q   <= 1'b0;
      soft_q     <= 1'b0;
      hard_q     <= 1'b0;
      queue_op_q <= QueuePushBack;
      rvalid_q   <= 1'b0;
      rdata_q    <= '0;
    end else begin
      state_q <= state_d;
      init_q  <= init_q + 1'b1;
      if (gnt_o) begin
        op_q       <= sched_op_e'(addr_i[13:10]);
        id_q       <= addr_i[9:0];
        argument_q <= wdata_i;
      end
      if (state_q == StRead) begin
        entry_q    <= entry;
        exists_q   <= 32'(id_q) < Threads;
        soft_q     <= argument_q < Priorities;
        hard_q     <= hw_exists;
        queue_op_q <= queue_op;
      end
      rvalid_q <= (decide & ~start) | (start_req_o & start_gnt_i);
      if (decide) rdata_q <= {8'd0, status, value};
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The idle thread, the running thread and what beats it

  logic beats_q;

  assign next_valid_o    = best_valid;
  assign next_tid_o      = best_tid;
  assign next_priority_o = best_priority;
  assign preempt_o       = beats_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      idle_valid_q       <= 1'b0;
      idle_q             <= '0;
      running_valid_q    <= 1'b0;
      running_q          <= '0;
      running_priority_q <= '0;
      beats_q            <= 1'b0;
    end else begin
      if (decide && set_idle) begin
        idle_valid_q <= 1'b1;
        idle_q       <= tid;
      end
      if (decide && op_q == SchedDequeue) begin
        running_valid_q    <= best_valid;  // everything beats the idle thread
        running_q          <= best_tid;
        running_priority_q <= best_priority;
      end else if (decide && entry_we && running_q == tid) begin
        if (free || (op_q == SchedSetSchedParam && hard_q)) running_valid_q <= 1'b0;
        running_priority_q <= priority_t'(entry_wdata.param);
      end
      if (queue_ready) beats_q <= best_valid & (~running_valid_q | best_priority > running_priority_q);
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertQueueReady: assert (!decide || queue_ready);
      AssertQueuedUsed: assert (!decide || !exists_q || !entry_q.queued || (entry_q.used && !hard));
    end
  end
`endif

endmodule
