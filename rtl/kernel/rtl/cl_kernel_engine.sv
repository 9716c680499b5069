// SPDX-License-Identifier: Apache-2.0
// Operation engine of the kernel: takes one operation of one client at a time and finishes it, so every
// operation is atomic. src/coreloom/model/kernel.py is its law, order of effects included.
//
// Course of an operation (a state a cycle unless noted):
//   StIdle      round-robin choice of a client; the tables are read by the operation's id
//   StDispatch  checks, effects and the answer; most operations end here. Waits while the ready queue works
// and, where needed:
//   StWake      makes one thread eligible: in place, when saved, on a waiting CPU, or by the ready queue
//   StFetch     reads the tables again, then StDispatch
//   StPublish   publishes one port of the caller's `sent` list a cycle; then the operation is dispatched anew
//   StExit      chooses the next thread after an exit
//   StSwitched  notes the new thread's state       (after the answer)
//   StWalk      sorted insertion, a waiter a cycle (after the answer)
// An operation that must publish first does so before any other effect, so dispatching it anew is safe.
//
// The client's answer is registered by its port: rvalid is in the cycle after the answer.
module cl_kernel_engine
  import cl_kernel_pkg::*;
  import cl_ready_queue_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  int unsigned Cpus          = 2,
  parameter  int unsigned Threads       = 64,
  parameter  int unsigned Priorities    = 32,
  parameter  int unsigned Ports         = 32,
  parameter  int unsigned PortDepth     = 8,
  parameter  int unsigned Mutexes       = 32,
  parameter  int unsigned Semaphores    = 32,
  localparam int unsigned Queues        = Cpus + 1,
  localparam int unsigned QueueWidth    = $clog2(Queues),
  localparam int unsigned TidWidth      = $clog2(Threads),
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,

  // Client ports (cl_kernel_port)
  input  logic   [Cpus-1:0]                    op_valid_i,
  input  logic   [Cpus-1:0]              [5:0] op_i,
  input  logic   [Cpus-1:0]              [9:0] id_i,
  input  logic   [Cpus-1:0]                    save_i,
  output logic   [Cpus-1:0]                    take_o,
  input  logic   [Cpus-1:0]             [31:0] word0_i,
  output logic   [Cpus-1:0]                    word0_we_o,
  output logic                          [31:0] word0_o,
  output logic   [Cpus-1:0]                    answer_valid_o,
  output logic                          [31:0] answer_o,
  input  logic   [Cpus-1:0]                    intr_i,

  // Scheduling state (cl_kernel_cpu)
  input  logic   [Cpus-1:0]                    current_valid_i,
  input  logic   [Cpus-1:0]                    running_i,
  input  logic   [Cpus-1:0]     [TidWidth-1:0] tid_i,
  input  logic   [Cpus-1:0][PriorityWidth-1:0] priority_i,
  input  logic   [Cpus-1:0]                    waiting_i,
  input  logic   [Cpus-1:0]                    leaving_i,
  input  logic   [Cpus-1:0]     [TidWidth-1:0] leaving_tid_i,
  input  logic   [Cpus-1:0]                    leaving_ready_i,
  input  logic   [Cpus-1:0]                    leaving_front_i,
  input  logic   [Cpus-1:0]                    turn_dynamic_i,
  input  logic   [Cpus-1:0]                    slice_used_i,
  output logic   [Cpus-1:0]                    sched_select_o,
  output sched_cmd_t                           sched_cmd_o,
  output logic                  [TidWidth-1:0] sched_tid_o,
  output logic             [PriorityWidth-1:0] sched_priority_o,
  output logic                          [15:0] slice_o,
  output logic                                 slice_restart_o,

  // Ready queue
  output logic                                 queue_valid_o,
  input  logic                                 queue_ready_i,
  output queue_op_e                            queue_op_o,
  output logic                [QueueWidth-1:0] queue_o,
  output logic             [PriorityWidth-1:0] queue_priority_o,
  output logic                  [TidWidth-1:0] queue_tid_o,
  input  logic [Queues-1:0]                    best_valid_i,
  input  logic [Queues-1:0][PriorityWidth-1:0] best_priority_i,
  input  logic [Queues-1:0]     [TidWidth-1:0] best_tid_i,

  output logic                                 stable_o  // the scheduling state and the queue belong together
);

  localparam int unsigned CpuWidth       = (Cpus > 1) ? $clog2(Cpus) : 1;
  localparam int unsigned PortWidth      = (Ports > 1) ? $clog2(Ports) : 1;
  localparam int unsigned MutexWidth     = (Mutexes > 1) ? $clog2(Mutexes) : 1;
  localparam int unsigned SemaphoreWidth = (Semaphores > 1) ? $clog2(Semaphores) : 1;
  localparam int unsigned SlotWidth      = (PortDepth > 1) ? $clog2(PortDepth) : 1;
  localparam int unsigned MaxPortMutex   = (PortWidth > MutexWidth) ? PortWidth : MutexWidth;
  localparam int unsigned ObjectWidth    = (MaxPortMutex > SemaphoreWidth) ? MaxPortMutex : SemaphoreWidth;
  localparam int unsigned MainPriority   = Priorities / 2;
  localparam int unsigned CountWidth     = $clog2(SemaphoreMax + 1);

  typedef logic       [TidWidth-1:0] tid_t;
  typedef logic  [PriorityWidth-1:0] priority_t;
  typedef logic       [CpuWidth-1:0] cpu_t;
  typedef logic      [PortWidth-1:0] port_id_t;
  typedef logic        [SlotWidth:0] pointer_t;  // a slot and a wrap bit

  // Thread table, in three memories since they are written at different times
  typedef struct packed {
    thread_state_e state;
    cpu_t          cpu;      // where it runs or ran last
  } thread_t;
  typedef struct packed {
    priority_t prio;
    logic      is_static;
    logic      detached;
  } attr_t;
  typedef struct packed {
    logic valid;
    tid_t tid;
  } maybe_tid_t;

  // Threads that wait for an object, sorted; the links are in the memory `link`
  typedef struct packed {
    logic valid;
    tid_t head;
    tid_t tail;
  } list_t;

  // A port is a ring: [rd, commit) is the receive buffer (frozen event), [commit, wr) the send buffer
  // (active event). Publishing moves commit to wr. The waiting senders are in the port's wait list.
  typedef struct packed {
    tid_t     receiver;
    logic     receiver_waits;
    logic     immediate;
    pointer_t rd;
    pointer_t commit;
    pointer_t wr;
  } port_t;

  // A port on the `sent` list of the thread that runs on CPU `cpu`. Only a running thread has a list, as
  // every way to stop running publishes first: so the list's head belongs to the CPU.
  typedef struct packed {
    cpu_t     cpu;
    logic     more;
    port_id_t next;
  } sent_t;

  typedef enum logic [3:0] {
    StInit, StIdle, StFetch, StDispatch, StWake, StPublish, StExit, StSwitched, StWalk, StWalkLink,
    StRequeue, StSlice
  } state_e;

  // ---------------------------------------------------------------------------------------------
  // Registers

  state_e              state_q, state_d, wake_then_q, wake_then_d;
  cpu_t                cpu_q, cpu_d;
  logic          [5:0] op_q, op_d;
  logic          [9:0] id_q, id_d;
  tid_t                taddr_q, taddr;          // thread whose record is read
  port_id_t            paddr_q, paddr;          // port whose record is read
  logic                front_q, front_d;        // StWake: to the head of its priority
  logic                pop_q, pop_d;            // StWake: take the thread off the wait list first
  logic                insert_q, insert_d;      // the caller is to be inserted into the wait list
  logic                receive_q, receive_d;    // the payload read now goes to WORD0
  list_t               list_q, list_d;
  tid_t                caller_q, caller_d, before_q, before_d;
  logic                before_valid_q, before_valid_d;
  priority_t           caller_priority_q, caller_priority_d;
  logic                publish_end_q, publish_end_d;  // the operation ends with its publishing
  logic         [15:0] slice_q, slice_d;

  logic [Ports-1:0]      port_open_q, port_open_d, port_sent_q, port_sent_d;
  logic [Cpus-1:0]       sent_valid_q, sent_valid_d;
  port_id_t [Cpus-1:0]   sent_head_q, sent_head_d;

  // Free thread ids: those below `unused`, in a list through `link`, last in, first out; then `unused`
  tid_t                free_head_q, free_head_d;
  logic   [TidWidth:0] free_count_q, free_count_d, unused_q, unused_d;

  // ---------------------------------------------------------------------------------------------
  // Choice of the client

  logic [Cpus-1:0] request;
  logic            idle, pick_valid, pick_op, pick_any;
  cpu_t            pick;

  assign request = op_valid_i | save_i | (waiting_i & intr_i);
  assign pick_op = op_valid_i[pick] | save_i[pick];

  cl_round_robin #(.Clients(Cpus)) u_round_robin (
    .clk_i,
    .rst_ni,
    .req_i    (request),
    .served_i (pick_valid),
    .valid_o  (pick_any),
    .index_o  (pick)
  );

  assign pick_valid = pick_any && idle;

  for (genvar c = 0; c < Cpus; c++) begin : g_take
    assign take_o[c] = pick_valid && pick_op && pick == cpu_t'(c);
  end

  // ---------------------------------------------------------------------------------------------
  // Tables

  cpu_t        rd_cpu;
  logic  [5:0] rd_op;
  logic  [9:0] rd_id;
  tid_t        fetch_taddr;

  assign rd_cpu = idle ? pick       : cpu_q;
  assign rd_op  = idle ? op_i[pick] : op_q;
  assign rd_id  = idle ? id_i[pick] : id_q;

  logic unused_id;  // an id has more bits than the tables of a small kernel
  assign unused_id = ^rd_id;

  always_comb begin
    unique case (rd_op)
      OpThreadExit:   fetch_taddr = tid_i[rd_cpu];
      OpThreadCreate: fetch_taddr = free_head_q;
      default:        fetch_taddr = tid_t'(rd_id);
    endcase
  end

  logic thread_we, attr_we, joiner_we, link_we, list_we, mutex_we, semaphore_we, port_we, sent_we, payload_we;

  tid_t                            thread_waddr, link_waddr, attr_waddr;
  thread_t                         thread, thread_wdata;
  attr_t                           attr, attr_wdata;
  maybe_tid_t                      joiner, joiner_wdata, mutex, mutex_wdata;
  tid_t                            link, link_wdata;
  list_t                           list, list_wdata;
  logic           [CountWidth-1:0] count, count_wdata;
  port_t                           port, port_wdata;
  sent_t                           sent, sent_wdata;
  logic                     [31:0] payload;
  port_id_t                        port_waddr;
  logic          [ObjectWidth-1:0] object_id; // of the object being written

  // The operation codes 16-23 are mutexes, 24-31 semaphores, 32-39 ports: their bits 4:3 tell the kind.
  logic [1:0] rd_kind, wr_kind;
  assign rd_kind = rd_op[4:3];
  assign wr_kind = op_q[4:3];

  cl_ram_1r1w #(.Width($bits(thread_t)), .AddrWidth(TidWidth)) u_thread (
    .clk_i, .we_i(thread_we), .waddr_i(thread_waddr), .wdata_i(thread_wdata),
    .raddr_i(taddr), .rdata_o(thread)
  );
  cl_ram_1r1w #(.Width($bits(attr_t)), .AddrWidth(TidWidth)) u_attr (
    .clk_i, .we_i(attr_we), .waddr_i(attr_waddr), .wdata_i(attr_wdata), .raddr_i(taddr), .rdata_o(attr)
  );
  cl_ram_1r1w #(.Width($bits(maybe_tid_t)), .AddrWidth(TidWidth)) u_joiner (
    .clk_i, .we_i(joiner_we), .waddr_i(attr_waddr), .wdata_i(joiner_wdata), .raddr_i(taddr), .rdata_o(joiner)
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(TidWidth)) u_link (
    .clk_i, .we_i(link_we), .waddr_i(link_waddr), .wdata_i(link_wdata), .raddr_i(taddr), .rdata_o(link)
  );
  cl_ram_1r1w #(.Width($bits(list_t)), .AddrWidth(ObjectWidth + 2)) u_list (
    .clk_i, .we_i(list_we), .waddr_i({wr_kind, object_id}), .wdata_i(list_wdata),
    .raddr_i({rd_kind, ObjectWidth'(rd_id)}), .rdata_o(list)
  );
  cl_ram_1r1w #(.Width($bits(maybe_tid_t)), .AddrWidth(MutexWidth)) u_mutex (
    .clk_i, .we_i(mutex_we), .waddr_i(MutexWidth'(object_id)), .wdata_i(mutex_wdata),
    .raddr_i(MutexWidth'(rd_id)), .rdata_o(mutex)
  );
  cl_ram_1r1w #(.Width(CountWidth), .AddrWidth(SemaphoreWidth)) u_semaphore (
    .clk_i, .we_i(semaphore_we), .waddr_i(SemaphoreWidth'(object_id)), .wdata_i(count_wdata),
    .raddr_i(SemaphoreWidth'(rd_id)), .rdata_o(count)
  );
  cl_ram_1r1w #(.Width($bits(port_t)), .AddrWidth(PortWidth)) u_port (
    .clk_i, .we_i(port_we), .waddr_i(port_waddr), .wdata_i(port_wdata), .raddr_i(paddr), .rdata_o(port)
  );
  cl_ram_1r1w #(.Width($bits(sent_t)), .AddrWidth(PortWidth)) u_sent (
    .clk_i, .we_i(sent_we), .waddr_i(port_waddr), .wdata_i(sent_wdata), .raddr_i(paddr), .rdata_o(sent)
  );
  cl_ram_1r1w #(.Width(32), .AddrWidth(PortWidth + SlotWidth)) u_payload (
    .clk_i, .we_i(payload_we), .waddr_i({port_waddr, port.wr[SlotWidth-1:0]}), .wdata_i(word0_i[cpu_q]),
    .raddr_i({paddr_q, port.rd[SlotWidth-1:0]}), .rdata_o(payload)
  );

  assign word0_o = payload;
  for (genvar c = 0; c < Cpus; c++) begin : g_word0
    assign word0_we_o[c] = receive_q && cpu_q == cpu_t'(c);
  end

  // Which mutexes and semaphores there are; the lowest free number of each is the next one created
  logic                      mutex_take, mutex_release, mutex_any;
  logic                      semaphore_take, semaphore_release, semaphore_any;
  logic [Mutexes-1:0]        mutex_used;
  logic [Semaphores-1:0]     semaphore_used;
  logic [MutexWidth-1:0]     mutex_new;
  logic [SemaphoreWidth-1:0] semaphore_new;

  cl_free_id #(.Count(Mutexes)) u_mutex_ids (
    .clk_i, .rst_ni, .take_i(mutex_take), .release_i(mutex_release), .id_i(MutexWidth'(id_q)),
    .used_o(mutex_used), .valid_o(mutex_any), .id_o(mutex_new)
  );
  cl_free_id #(.Count(Semaphores)) u_semaphore_ids (
    .clk_i, .rst_ni, .take_i(semaphore_take), .release_i(semaphore_release), .id_i(SemaphoreWidth'(id_q)),
    .used_o(semaphore_used), .valid_o(semaphore_any), .id_o(semaphore_new)
  );

  always_comb begin
    unique case (op_q)
      OpMutexCreate:     object_id = ObjectWidth'(mutex_new);
      OpSemaphoreCreate: object_id = ObjectWidth'(semaphore_new);
      default:           object_id = ObjectWidth'(id_q);
    endcase
  end

  // ---------------------------------------------------------------------------------------------
  // What the checks need

  logic        caller_runs, known, needs_thread;
  tid_t        caller;
  logic [31:0] word0;
  logic        thread_exists, mutex_exists, semaphore_exists, port_exists, port_is_open, is_receiver;
  pointer_t    port_used, port_frozen;
  logic        thread_queued, thread_current;
  port_id_t    port_id;

  assign caller_runs = running_i[cpu_q];
  assign caller      = tid_i[cpu_q];
  assign word0       = word0_i[cpu_q];
  assign port_id     = port_id_t'(id_q);

  // The argument of thread_create and port_open
  logic [AttributesPriorityWidth-1:0] new_priority;
  logic      [AttributesCpuWidth-1:0] new_cpu;
  logic                               new_static, new_detached, new_immediate;

  assign new_priority  = word0[AttributesPriorityLsb +: AttributesPriorityWidth];
  assign new_cpu       = word0[AttributesCpuLsb +: AttributesCpuWidth];
  assign new_static    = word0[AttributesStaticLsb +: AttributesStaticWidth];
  assign new_detached  = word0[AttributesDetachedLsb +: AttributesDetachedWidth];
  assign new_immediate = word0[PortFlagsImmediateLsb +: PortFlagsImmediateWidth];

  always_comb begin
    known        = 1'b1;
    needs_thread = 1'b1;
    unique case (op_q)
      OpNext, OpThreadStart, OpThreadDetach, OpThreadPriority, OpThreadRead, OpSlice, OpSemaphorePost,
      OpSemaphoreValue: needs_thread = 1'b0;
      OpSelf, OpYield, OpPreempt, OpThreadCreate, OpThreadExit, OpThreadJoin,
      OpMutexCreate, OpMutexDestroy, OpMutexLock, OpMutexTrylock, OpMutexUnlock,
      OpSemaphoreCreate, OpSemaphoreDestroy, OpSemaphoreWait, OpSemaphoreTrywait,
      OpPortOpen, OpPortClose, OpPortSend, OpPortTrysend, OpPortReceive, OpPortTryreceive, OpPortPublish: ;
      default: known = 1'b0;
    endcase
  end

  // Ids that were never used have no record yet.
  assign thread_exists    = 32'(id_q) < 32'(unused_q) && thread.state != ThreadFree;
  assign mutex_exists     = 32'(id_q) < Mutexes && mutex_used[MutexWidth'(id_q)];
  assign semaphore_exists = 32'(id_q) < Semaphores && semaphore_used[SemaphoreWidth'(id_q)];
  assign port_exists      = 32'(id_q) < Ports;
  assign port_is_open     = port_open_q[port_id];
  assign is_receiver      = port.receiver == caller;
  assign port_used        = port.wr - port.rd;
  assign port_frozen      = port.commit - port.rd;

  // About the thread whose record is read: is it current on its CPU, is it in the ready queue?
  assign thread_current = current_valid_i[thread.cpu] && tid_i[thread.cpu] == taddr_q;
  assign thread_queued  = thread.state == ThreadReady &&
                          !(leaving_i[thread.cpu] && leaving_tid_i[thread.cpu] == taddr_q);

  // ---------------------------------------------------------------------------------------------
  // Scheduling decisions

  logic                  next_any, next_tie, next_better, next_equal;
  logic [QueueWidth-1:0] next_queue;
  tid_t                  next_tid;
  priority_t             next_priority;

  cl_kernel_next #(
    .Cpus          (Cpus),
    .TidWidth      (TidWidth),
    .PriorityWidth (PriorityWidth)
  ) u_next (
    .cpu_i           (cpu_q),
    .turn_dynamic_i  (turn_dynamic_i[cpu_q]),
    .priority_i      (priority_i[cpu_q]),
    .best_valid_i,
    .best_priority_i,
    .best_tid_i,
    .any_o           (next_any),
    .better_o        (next_better),
    .equal_o         (next_equal),
    .tie_o           (next_tie),
    .queue_o         (next_queue),
    .tid_o           (next_tid),
    .priority_o      (next_priority)
  );

  // The CPU that takes a thread that becomes eligible at once: the lowest waiting one that may run it
  logic taker_valid;
  cpu_t taker;

  always_comb begin
    taker_valid = 1'b0;
    taker       = '0;
    for (int unsigned c = Cpus; c > 0; c--) begin
      if (waiting_i[c-1] && (!attr.is_static || thread.cpu == cpu_t'(c - 1))) begin
        taker_valid = 1'b1;
        taker       = cpu_t'(c - 1);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The state machine

  typedef logic [WordValueWidth-1:0] value_t;

  function automatic logic [31:0] value(input value_t v);
    return 32'(v) << WordValueLsb;
  endfunction

  function automatic logic [31:0] failure(input logic [WordStatusWidth-1:0] status);
    return 32'(status) << WordStatusLsb;
  endfunction

  function automatic logic [31:0] go(input tid_t tid);
    return 32'(WordGiveWayWidth'(1'b1)) << WordGiveWayLsb | value(value_t'(tid));
  endfunction

  localparam logic [31:0] Done    = '0;
  localparam logic [31:0] Resumed = 32'(WordResumedWidth'(1'b1)) << WordResumedLsb;

  logic        answer_valid;
  cpu_t        answer_cpu, sched_cpu;
  sched_cmd_t  cmd;
  // Steps shared by several operations
  logic        do_publish;    // publish, then dispatch anew
  logic        do_give_way;   // switch to the next thread; the caller stays ready
  logic        give_front;
  logic        do_block;      // the caller waits: next thread, or none
  logic        do_insert;     // with do_block: into the object's wait list
  logic        do_next;       // the CPU has no running thread: next thread, or none
  logic        do_wake;       // StWake for the thread wake_tid
  logic        wake_waiter;   // with do_wake: it is the head of the wait list
  tid_t        wake_tid;
  logic        do_free;       // the thread taddr_q is freed

  always_comb begin
    state_d           = state_q;
    wake_then_d       = wake_then_q;
    cpu_d             = cpu_q;
    op_d              = op_q;
    id_d              = id_q;
    taddr             = taddr_q;
    paddr             = paddr_q;
    front_d           = front_q;
    pop_d             = pop_q;
    insert_d          = insert_q;
    receive_d         = 1'b0;
    list_d            = list_q;
    caller_d          = caller_q;
    caller_priority_d = caller_priority_q;
    before_d          = before_q;
    before_valid_d    = before_valid_q;
    publish_end_d     = publish_end_q;
    slice_d           = slice_q;
    port_open_d       = port_open_q;
    port_sent_d       = port_sent_q;
    sent_valid_d      = sent_valid_q;
    sent_head_d       = sent_head_q;
    free_head_d       = free_head_q;
    free_count_d      = free_count_q;
    unused_d          = unused_q;

    thread_we         = 1'b0;
    thread_waddr      = taddr_q;
    thread_wdata      = thread;
    attr_we           = 1'b0;
    attr_waddr        = taddr_q;
    attr_wdata        = attr;
    joiner_we         = 1'b0;
    joiner_wdata      = '{valid: 1'b1, tid: caller};
    link_we           = 1'b0;
    link_waddr        = taddr_q;
    link_wdata        = taddr_q;
    list_we           = 1'b0;
    list_wdata        = '0;
    mutex_we          = 1'b0;
    mutex_wdata       = '{valid: 1'b1, tid: caller};
    semaphore_we      = 1'b0;
    count_wdata       = count;
    port_we           = 1'b0;
    port_waddr        = paddr_q;
    port_wdata        = port;
    sent_we           = 1'b0;
    sent_wdata        = '{cpu: cpu_q, more: sent_valid_q[cpu_q], next: sent_head_q[cpu_q]};
    payload_we        = 1'b0;
    mutex_take        = 1'b0;
    mutex_release     = 1'b0;
    semaphore_take    = 1'b0;
    semaphore_release = 1'b0;

    answer_valid      = 1'b0;
    answer_cpu        = cpu_q;
    answer_o          = Done;
    sched_cpu         = cpu_q;
    cmd               = '0;
    sched_tid_o       = next_tid;
    sched_priority_o  = next_priority;
    slice_restart_o   = 1'b0;

    queue_valid_o     = 1'b0;
    queue_op_o        = QueuePop;
    queue_o           = next_queue;
    queue_priority_o  = attr.prio;
    queue_tid_o       = taddr_q;

    do_publish        = 1'b0;
    do_give_way       = 1'b0;
    give_front        = 1'b0;
    do_block          = 1'b0;
    do_insert         = 1'b0;
    do_next           = 1'b0;
    do_wake           = 1'b0;
    wake_waiter       = 1'b0;
    wake_tid          = list.head;
    do_free           = 1'b0;

    unique case (state_q)
      // Thread 0 runs on CPU 0; the other ids have no record and need none.
      StInit: begin
        thread_we    = 1'b1;
        thread_waddr = '0;
        thread_wdata = '{state: ThreadRunning, cpu: '0};
        attr_we      = 1'b1;
        attr_waddr   = '0;
        attr_wdata   = '{prio: priority_t'(MainPriority), is_static: 1'b0, detached: 1'b0};
        joiner_we    = 1'b1;
        joiner_wdata = '0;
        state_d      = StIdle;
      end

      StIdle: begin
        insert_d       = 1'b0;
        pop_d          = 1'b0;
        front_d        = 1'b0;
        before_valid_d = 1'b0;
        publish_end_d  = 1'b0;
        cpu_d          = pick;
        op_d           = op_i[pick];
        id_d           = id_i[pick];
        taddr          = fetch_taddr;
        paddr          = port_id_t'(rd_id);
        sched_cpu      = pick;
        if (pick_valid && pick_op) begin
          // Any operation says that the context of the thread left is saved.
          cmd.saved = 1'b1;
          if (leaving_i[pick] && leaving_ready_i[pick]) begin
            taddr       = leaving_tid_i[pick];
            front_d     = leaving_front_i[pick];
            wake_then_d = op_valid_i[pick] ? StFetch : StIdle;
            state_d     = StWake;
          end else if (op_valid_i[pick]) begin
            state_d = StDispatch;
          end
        end else if (pick_valid) begin
          cmd.interrupted = 1'b1;
          answer_valid  = 1'b1;
          answer_cpu    = pick;
          answer_o      = failure(StatusEintr);
        end
      end

      StFetch: begin
        taddr   = fetch_taddr;
        paddr   = port_id;
        state_d = StDispatch;
      end

      // While the ready queue works its choice is not settled: wait.
      StDispatch: if (queue_ready_i) begin
        state_d      = StIdle;
        answer_valid = 1'b1;
        if (!known) begin
          answer_o = failure(StatusEinval);
        end else if (needs_thread && !caller_runs) begin
          answer_o = failure(StatusEsrch);
        end else begin
          unique case (op_q)
            OpNext: begin
              if (caller_runs) answer_o = Resumed;
              else             do_next  = 1'b1;
            end

            OpSelf: answer_o = value(value_t'(caller));

            OpYield: begin
              if (sent_valid_q[cpu_q])            do_publish  = 1'b1;
              else if (next_better || next_equal) do_give_way = 1'b1;
            end

            OpPreempt: begin
              give_front = ~slice_used_i[cpu_q];
              if (sent_valid_q[cpu_q]) begin
                do_publish = 1'b1;
              end else if (next_better || (next_equal && slice_used_i[cpu_q])) begin
                do_give_way = 1'b1;
              end
            end

            OpThreadCreate: begin
              if (32'(new_priority) >= Priorities || (new_static && 32'(new_cpu) >= Cpus)) begin
                answer_o = failure(StatusEinval);
              end else if (free_count_q == '0 && 32'(unused_q) == Threads) begin
                answer_o = failure(StatusEagain);
              end else begin
                if (free_count_q != '0) begin
                  thread_waddr = free_head_q;
                  free_head_d  = link;
                  free_count_d = free_count_q - 1'b1;
                end else begin
                  thread_waddr = tid_t'(unused_q);
                  unused_d     = unused_q + 1'b1;
                end
                attr_waddr   = thread_waddr;
                thread_we    = 1'b1;
                thread_wdata = '{state: ThreadCreated, cpu: new_static ? cpu_t'(new_cpu) : '0};
                attr_we      = 1'b1;
                attr_wdata   = '{prio: priority_t'(new_priority), is_static: new_static,
                                 detached: new_detached};
                joiner_we    = 1'b1;
                joiner_wdata = '0;
                answer_o     = value(value_t'(thread_waddr));
              end
            end

            OpThreadStart: begin
              if (!thread_exists)                      answer_o = failure(StatusEsrch);
              else if (thread.state != ThreadCreated)  answer_o = failure(StatusEinval);
              else begin
                do_wake  = 1'b1;
                wake_tid = taddr_q;
              end
            end

            OpThreadExit: begin
              if (sent_valid_q[cpu_q]) begin
                do_publish = 1'b1;
              end else begin
                answer_valid = 1'b0;
                cmd.exit     = 1'b1;
                thread_we    = 1'b1;
                thread_wdata = '{state: ThreadExited, cpu: cpu_q};
                do_free      = joiner.valid | attr.detached;
                do_wake      = joiner.valid;
                wake_tid     = joiner.tid;
                wake_then_d  = StExit;
                state_d      = StExit;
              end
            end

            OpThreadJoin: begin
              if (!thread_exists)                          answer_o = failure(StatusEsrch);
              else if (taddr_q == caller)                  answer_o = failure(StatusEdeadlk);
              else if (attr.detached || joiner.valid)      answer_o = failure(StatusEinval);
              else if (thread.state == ThreadExited)       do_free  = 1'b1;
              else if (sent_valid_q[cpu_q])                do_publish = 1'b1;
              else begin
                joiner_we = 1'b1;
                do_block  = 1'b1;
              end
            end

            OpThreadDetach: begin
              if (!thread_exists)                          answer_o = failure(StatusEsrch);
              else if (attr.detached || joiner.valid)      answer_o = failure(StatusEinval);
              else begin
                attr_we             = 1'b1;
                attr_wdata.detached = 1'b1;
                do_free             = thread.state == ThreadExited;
              end
            end

            OpThreadPriority: begin
              if (!thread_exists || thread.state == ThreadExited) begin
                answer_o = failure(StatusEsrch);
              end else if (word0 >= Priorities) begin
                answer_o = failure(StatusEinval);
              end else begin
                answer_o          = value(value_t'(attr.prio));
                caller_priority_d = priority_t'(word0);
                queue_valid_o     = thread_queued;
                queue_op_o        = QueueRemove;
                queue_o           = attr.is_static ? QueueWidth'(thread.cpu) + QueueWidth'(1) : '0;
                state_d           = StRequeue;
              end
            end

            OpThreadRead: begin
              if (!thread_exists) answer_o = failure(StatusEsrch);
              else answer_o = value(value_t'(ThreadWordStateWidth'(thread.state)) << ThreadWordStateLsb |
                                    value_t'(ThreadWordPriorityWidth'(attr.prio)) << ThreadWordPriorityLsb |
                                    value_t'(ThreadWordCpuWidth'(thread.cpu)) << ThreadWordCpuLsb);
            end

            OpSlice: begin
              slice_d = word0[15:0];
              state_d = StSlice;
            end

            OpMutexCreate: begin
              if (!mutex_any) answer_o = failure(StatusEagain);
              else begin
                mutex_take  = 1'b1;
                mutex_we    = 1'b1;
                mutex_wdata = '0;
                list_we     = 1'b1;
                answer_o    = value(value_t'(object_id));
              end
            end

            OpMutexDestroy: begin
              if (!mutex_exists)    answer_o = failure(StatusEinval);
              else if (mutex.valid) answer_o = failure(StatusEbusy);
              else                  mutex_release = 1'b1;
            end

            OpMutexLock: begin
              if (!mutex_exists)                             answer_o = failure(StatusEinval);
              else if (!mutex.valid)                         mutex_we = 1'b1;
              else if (mutex.tid == caller)                  answer_o = failure(StatusEdeadlk);
              else if (sent_valid_q[cpu_q])                  do_publish = 1'b1;
              else begin
                do_block  = 1'b1;
                do_insert = 1'b1;
              end
            end

            OpMutexTrylock: begin
              if (!mutex_exists)    answer_o = failure(StatusEinval);
              else if (mutex.valid) answer_o = failure(StatusEbusy);
              else                  mutex_we = 1'b1;
            end

            OpMutexUnlock: begin
              if (!mutex_exists)                             answer_o = failure(StatusEinval);
              else if (!mutex.valid || mutex.tid != caller)  answer_o = failure(StatusEperm);
              else begin
                mutex_we    = 1'b1;
                mutex_wdata = '{valid: list.valid, tid: list.head};
                do_wake     = list.valid;
                wake_waiter = 1'b1;
              end
            end

            OpSemaphoreCreate: begin
              if (word0 > SemaphoreMax) answer_o = failure(StatusEinval);
              else if (!semaphore_any)  answer_o = failure(StatusEagain);
              else begin
                semaphore_take = 1'b1;
                semaphore_we   = 1'b1;
                count_wdata    = CountWidth'(word0);
                list_we        = 1'b1;
                answer_o       = value(value_t'(object_id));
              end
            end

            OpSemaphoreDestroy: begin
              if (!semaphore_exists) answer_o = failure(StatusEinval);
              else if (list.valid)   answer_o = failure(StatusEbusy);
              else                   semaphore_release = 1'b1;
            end

            OpSemaphoreWait: begin
              if (!semaphore_exists) answer_o = failure(StatusEinval);
              else if (count != '0) begin
                semaphore_we = 1'b1;
                count_wdata  = count - 1'b1;
              end else if (sent_valid_q[cpu_q]) begin
                do_publish = 1'b1;
              end else begin
                do_block  = 1'b1;
                do_insert = 1'b1;
              end
            end

            OpSemaphoreTrywait: begin
              if (!semaphore_exists)  answer_o = failure(StatusEinval);
              else if (count == '0)   answer_o = failure(StatusEagain);
              else begin
                semaphore_we = 1'b1;
                count_wdata  = count - 1'b1;
              end
            end

            OpSemaphorePost: begin
              if (!semaphore_exists) answer_o = failure(StatusEinval);
              else if (list.valid) begin
                do_wake     = 1'b1;
                wake_waiter = 1'b1;
              end else if (32'(count) == SemaphoreMax) begin
                answer_o = failure(StatusErange);
              end else begin
                semaphore_we = 1'b1;
                count_wdata  = count + 1'b1;
              end
            end

            OpSemaphoreValue: begin
              if (!semaphore_exists) answer_o = failure(StatusEinval);
              else                   answer_o = value(value_t'(count));
            end

            OpPortOpen: begin
              if (!port_exists)      answer_o = failure(StatusEinval);
              else if (port_is_open) answer_o = failure(StatusEbusy);
              else begin
                port_open_d[port_id] = 1'b1;
                port_we    = 1'b1;
                port_wdata = '{receiver: caller, receiver_waits: 1'b0, immediate: new_immediate,
                               rd: '0, commit: '0, wr: '0};
                list_we    = 1'b1;
              end
            end

            OpPortClose: begin
              if (!port_exists)       answer_o = failure(StatusEinval);
              else if (!port_is_open) answer_o = failure(StatusEbadf);
              else if (!is_receiver)  answer_o = failure(StatusEperm);
              else if (list.valid)    answer_o = failure(StatusEbusy);
              else begin
                port_open_d[port_id] = 1'b0;
                answer_o = value(value_t'(port_used));
              end
            end

            OpPortSend, OpPortTrysend: begin
              if (!port_exists)       answer_o = failure(StatusEinval);
              else if (!port_is_open) answer_o = failure(StatusEbadf);
              else if (32'(port_used) == PortDepth) begin
                if (sent_valid_q[cpu_q])        do_publish = 1'b1;
                else if (op_q == OpPortTrysend) answer_o = failure(StatusEagain);
                else begin
                  do_block  = 1'b1;
                  do_insert = 1'b1;
                end
              end else begin
                payload_we    = 1'b1;
                port_we       = 1'b1;
                port_wdata.wr = port.wr + 1'b1;
                if (port.immediate || (port_sent_q[port_id] && sent.cpu != cpu_q)) begin
                  // Two writers meet: publish now, or the second's message would wait for the first.
                  port_wdata.commit         = port_wdata.wr;
                  port_wdata.receiver_waits = 1'b0;
                  do_wake                   = port.receiver_waits;
                  wake_tid                  = port.receiver;
                end else if (!port_sent_q[port_id]) begin
                  sent_we              = 1'b1;
                  port_sent_d[port_id] = 1'b1;
                  sent_valid_d[cpu_q]  = 1'b1;
                  sent_head_d[cpu_q]   = port_id;
                end
              end
            end

            OpPortReceive, OpPortTryreceive: begin
              if (!port_exists)       answer_o = failure(StatusEinval);
              else if (!port_is_open) answer_o = failure(StatusEbadf);
              else if (!is_receiver)  answer_o = failure(StatusEperm);
              else if (port_frozen == '0) begin
                if (sent_valid_q[cpu_q])           do_publish = 1'b1;
                else if (op_q == OpPortTryreceive) answer_o = failure(StatusEagain);
                else begin
                  port_we                   = 1'b1;
                  port_wdata.receiver_waits = 1'b1;
                  do_block                  = 1'b1;
                end
              end else begin
                receive_d     = 1'b1;
                port_we       = 1'b1;
                port_wdata.rd = port.rd + 1'b1;
                answer_o      = value(value_t'(pointer_t'(port_frozen - 1'b1)));
                do_wake       = list.valid;
                wake_waiter   = 1'b1;
              end
            end

            OpPortPublish: begin
              publish_end_d = 1'b1;
              if (sent_valid_q[cpu_q]) begin
                paddr   = sent_head_q[cpu_q];
                state_d = StPublish;
              end
            end

            default: ;  // not known, answered above
          endcase
        end

        if (do_publish) begin
          answer_valid = 1'b0;
          paddr        = sent_head_q[cpu_q];
          state_d      = StPublish;
        end
        if (do_wake) begin
          taddr       = wake_tid;
          pop_d       = wake_waiter;
          list_d      = list;
          state_d     = StWake;
          if (op_q != OpThreadExit) wake_then_d = StIdle;
        end
        if (do_free) begin
          thread_we          = 1'b1;
          thread_wdata.state = ThreadFree;
          link_we            = 1'b1;
          link_wdata         = free_head_q;
          free_head_d        = taddr_q;
          free_count_d       = free_count_q + 1'b1;
        end
        if (do_insert && !list.valid) begin
          list_we    = 1'b1;
          list_wdata = '{valid: 1'b1, head: caller, tail: caller};
        end else if (do_insert) begin
          insert_d          = 1'b1;
          list_d            = list;
          taddr             = list.head;
          caller_d          = caller;
          caller_priority_d = priority_i[cpu_q];
        end
      end

      // Make thread taddr_q eligible. Its record is on the tables' outputs.
      StWake: begin
        if (pop_q) begin
          list_we    = 1'b1;
          list_wdata = '{valid: list_q.head != list_q.tail, head: link, tail: list_q.tail};
        end
        thread_we          = 1'b1;
        thread_wdata.state = ThreadReady;
        sched_tid_o        = taddr_q;
        sched_priority_o   = attr.prio;
        if (thread_current) begin
          thread_wdata.state = ThreadRunning;
          sched_cpu          = thread.cpu;
          cmd.resume         = 1'b1;
          answer_valid       = waiting_i[thread.cpu];
          answer_cpu         = thread.cpu;
          answer_o           = Resumed;
        end else if (leaving_i[thread.cpu] && leaving_tid_i[thread.cpu] == taddr_q) begin
          sched_cpu        = thread.cpu;
          cmd.wake_leaving = 1'b1;
        end else if (taker_valid) begin
          thread_wdata = '{state: ThreadRunning, cpu: taker};
          sched_cpu    = taker;
          cmd.run      = 1'b1;
          answer_valid = 1'b1;
          answer_cpu   = taker;
          answer_o     = go(taddr_q);
        end else begin
          thread_we     = queue_ready_i;
          queue_valid_o = 1'b1;
          queue_op_o    = front_q ? QueuePushFront : QueuePushBack;
          queue_o       = attr.is_static ? QueueWidth'(thread.cpu) + QueueWidth'(1) : '0;
        end
        if (!queue_valid_o || queue_ready_i) begin
          pop_d   = 1'b0;
          front_d = 1'b0;
          state_d = wake_then_q;
        end
      end

      // Publish port paddr_q, the newest of the caller's list.
      StPublish: begin
        port_sent_d[paddr_q] = 1'b0;
        sent_valid_d[cpu_q]  = sent.more;
        sent_head_d[cpu_q]   = sent.next;
        paddr                = sent.next;
        if (sent.more)          wake_then_d = StPublish;
        else if (publish_end_q) wake_then_d = StIdle;
        else                    wake_then_d = StFetch;
        state_d = wake_then_d;
        if (port_open_q[paddr_q] && port.commit != port.wr) begin
          port_we                   = 1'b1;
          port_wdata.commit         = port.wr;
          port_wdata.receiver_waits = 1'b0;
          if (port.receiver_waits) begin
            taddr   = port.receiver;
            state_d = StWake;
          end
        end
      end

      StExit: if (queue_ready_i) begin
        do_next = 1'b1;
        state_d = StIdle;
      end

      StSwitched: begin
        thread_we    = 1'b1;
        thread_waddr = caller;
        thread_wdata = '{state: ThreadRunning, cpu: cpu_q};
        state_d      = insert_q ? StWalk : StIdle;
      end

      // Insert caller_q before the first waiter whose priority is lower now; taddr_q is the waiter looked at.
      StWalk: begin
        before_d       = taddr_q;
        before_valid_d = 1'b1;
        taddr          = link;
        link_waddr     = caller_q;
        list_wdata     = list_q;
        if (attr.prio < caller_priority_q) begin
          link_we         = 1'b1;
          before_d        = before_q;
          list_we         = ~before_valid_q;
          list_wdata.head = caller_q;
          state_d         = before_valid_q ? StWalkLink : StIdle;
        end else if (taddr_q == list_q.tail) begin
          link_we         = 1'b1;
          link_waddr      = taddr_q;
          link_wdata      = caller_q;
          list_we         = 1'b1;
          list_wdata.tail = caller_q;
          state_d         = StIdle;
        end
      end

      StWalkLink: begin
        link_we    = 1'b1;
        link_waddr = before_q;
        link_wdata = caller_q;
        state_d    = StIdle;
      end

      // thread_priority: the thread, out of the queue now, goes to the tail of its new priority.
      StRequeue: if (queue_ready_i) begin
        attr_we          = 1'b1;
        attr_wdata.prio  = caller_priority_q;
        queue_valid_o    = thread_queued;
        queue_op_o       = QueuePushBack;
        queue_o          = attr.is_static ? QueueWidth'(thread.cpu) + QueueWidth'(1) : '0;
        queue_priority_o = caller_priority_q;
        sched_cpu        = thread.cpu;
        sched_priority_o = caller_priority_q;
        cmd.set_priority = thread_current;
        state_d          = StIdle;
      end

      StSlice: begin
        slice_restart_o = 1'b1;
        state_d         = StIdle;
      end

      default: state_d = StIdle;
    endcase

    // Switch, or wait. The caller, if it still is, goes into state ready or blocked here.
    if (do_give_way || do_block || do_next) begin
      cmd.block    = do_block;
      thread_we    = current_valid_i[cpu_q];
      thread_waddr = caller;
      thread_wdata = '{state: do_give_way ? ThreadReady : ThreadBlocked, cpu: cpu_q};
      if (next_any) begin
        cmd.run         = 1'b1;
        cmd.leave_ready = do_give_way;
        cmd.leave_front = give_front;
        cmd.turn        = next_tie;
        queue_valid_o   = 1'b1;
        answer_valid    = 1'b1;
        answer_o        = go(next_tid);
        state_d         = StSwitched;
      end else begin
        if (intr_i[cpu_q]) begin
          answer_valid = 1'b1;
          answer_o     = failure(StatusEintr);
        end else begin
          answer_valid = 1'b0;
          cmd.sleep    = 1'b1;
        end
        state_d = insert_d ? StWalk : StIdle;
      end
    end
  end

  for (genvar c = 0; c < Cpus; c++) begin : g_select
    assign sched_select_o[c] = sched_cpu == cpu_t'(c);
    assign answer_valid_o[c] = answer_valid && answer_cpu == cpu_t'(c);
  end

  assign sched_cmd_o = cmd;
  assign slice_o     = slice_q;
  // An operation changes nothing before the end of its dispatch.
  assign idle        = state_q == StIdle;
  assign stable_o    = queue_ready_i && (idle || state_q == StDispatch);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q           <= StInit;
      wake_then_q       <= StIdle;
      cpu_q             <= '0;
      op_q              <= '0;
      id_q              <= '0;
      taddr_q           <= '0;
      paddr_q           <= '0;
      front_q           <= 1'b0;
      pop_q             <= 1'b0;
      insert_q          <= 1'b0;
      receive_q         <= 1'b0;
      list_q            <= '0;
      caller_q          <= '0;
      caller_priority_q <= '0;
      before_q          <= '0;
      before_valid_q    <= 1'b0;
      publish_end_q     <= 1'b0;
      slice_q           <= '0;
      port_open_q       <= '0;
      port_sent_q       <= '0;
      sent_valid_q      <= '0;
      sent_head_q       <= '0;
      free_head_q       <= '0;
      free_count_q      <= '0;
      unused_q          <= (TidWidth + 1)'(1);
    end else begin
      state_q           <= state_d;
      wake_then_q       <= wake_then_d;
      cpu_q             <= cpu_d;
      op_q              <= op_d;
      id_q              <= id_d;
      taddr_q           <= taddr;
      paddr_q           <= paddr;
      front_q           <= front_d;
      pop_q             <= pop_d;
      insert_q          <= insert_d;
      receive_q         <= receive_d;
      list_q            <= list_d;
      caller_q          <= caller_d;
      caller_priority_q <= caller_priority_d;
      before_q          <= before_d;
      before_valid_q    <= before_valid_d;
      publish_end_q     <= publish_end_d;
      slice_q           <= slice_d;
      port_open_q       <= port_open_d;
      port_sent_q       <= port_sent_d;
      sent_valid_q      <= sent_valid_d;
      sent_head_q       <= sent_head_d;
      free_head_q       <= free_head_d;
      free_count_q      <= free_count_d;
      unused_q          <= unused_d;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      // The save rule: a leaving thread is in no queue, so it can be nobody's next.
      for (int unsigned c = 0; c < Cpus; c++) begin
        for (int unsigned q = 0; q < Queues; q++) begin
          AssertLeavingNotQueued: assert (!(queue_ready_i && leaving_i[c] && best_valid_i[q] &&
                                            best_tid_i[q] == leaving_tid_i[c]));
        end
        for (int unsigned other = 0; other < c; other++) begin
          AssertOneStackOneCpu: assert (!(current_valid_i[c] && current_valid_i[other] &&
                                          tid_i[c] == tid_i[other]));
          AssertNoStackBeforeSaved: assert (!(current_valid_i[c] && leaving_i[other] &&
                                              tid_i[c] == leaving_tid_i[other]));
        end
        // Idle means nothing to run: a thread that becomes eligible goes to a waiting CPU at once.
        AssertIdleHasNothing: assert (!(stable_o && waiting_i[c] && (best_valid_i[0] || best_valid_i[1+c])));
        // Only a running thread has unpublished messages.
        AssertSentIsRunning: assert (!(state_q == StIdle && sent_valid_q[c] && !running_i[c]));
      end
      AssertCallerIsCurrent: assert (!(state_q == StSwitched && !running_i[cpu_q]));
      AssertIdsAddUp: assert (32'(unused_q) <= Threads && free_count_q <= unused_q);
    end
  end
`endif

endmodule
