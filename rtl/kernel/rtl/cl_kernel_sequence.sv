// SPDX-License-Identifier: Apache-2.0
// The states of the engine: from a state and what has been found the action of this cycle, and the next state;
// combinational.
//
// Each state takes a cycle unless noted:
//   StIdle        a line first, then a timeout, else round-robin choice of a client; the tables are read by the
//                 operation's id, and the client's next thread is chosen ahead
//   StDispatch    the outcome: answer and changes; most operations end here. Those that may need the next thread or
//                 the ready queue wait while that works
// and, where needed:
//   StWake        wakes one thread: in place, when saved, on a waiting client, or through its queue
//   StNextWaiter  continues with the next waiter, if all are woken      (after the answer)
//   StFetch       reads the tables again, then StDispatch
//   StPublish     publishes one port of the caller's `sent` list per cycle; then the operation is dispatched again
//   StExit        chooses the next thread after an exit
//   StSwitched    notes the new thread's state                          (after the answer)
//   StWalk        sorted insertion into a wait list, a waiter per cycle (after the answer)
//   StLeave       searches a wait list for a thread, a waiter per cycle, and removes it; or, after the answer to a set of
//                 event flags, for each thread that these satisfy, which is woken before the search goes on
//   StRequeue     requeues a thread with a new priority                 (after the answer)
//   StSuspend     records that a thread is out of its queue             (after the answer)
//   StSlice       restarts all slices                                   (after the answer)
//   StOffer       a waiting CPU that now serves more threads takes one  (after the answer)
//   StRelock      reads the mutex that a thread is to have again, when a signal ends its wait
//   StRetake      that thread gets it, then StWake; or waits for it     (after the answer)
//   StRelist      reads the wait list of the condition variable again,
//   StFirst       and its first thread                                  (after the answer)
//   StSettle      a job of cl_kernel_inheritance: before the operation, which is then dispatched again, or after the
//                 answer
// An operation that must publish first does so before any other effect, so dispatching it again is safe.
module cl_kernel_sequence
  import cl_engine_pkg::*;
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
  import cl_sched_pkg::*;
#(
  parameter  cfg_t        Cfg           = Default,
  localparam int unsigned Clients       = Cfg.Cpus + Cfg.HwThreads,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth      = $clog2(Cfg.Threads),
  // Defined by cl_kernel
  parameter  type         requests_t    = logic,
  parameter  type         sched_state_t = logic,
  parameter  type         policy_t      = logic,
  parameter  type         pending_t     = logic,
  parameter  type         found_t       = logic,
  parameter  type         next_t        = logic,
  // Defined by cl_kernel_engine
  parameter  type         registers_t   = logic,
  parameter  type         begun_t       = logic,
  parameter  type         stage_t       = logic,
  parameter  type         action_t      = logic
) (
  input  registers_t          q_i,
  input  requests_t           requests_i,
  input  sched_state_t        sched_i,
  input  policy_t             policy_i,
  input  pending_t            pending_i,
  input  begun_t              begun_i,         // StIdle: what is served
  input  found_t              found_i,         // the records read
  input  next_t               next_i,          // the client's next thread,
  input  logic                next_known_i,    // and whether it is known
  input  logic                fetch_known_i,   // StFetch: the record read is the operation's
  input  stage_t              stage_i,         // the decision
  input  logic                waking_i,        // StWake: it is known how the thread read wakes
  input  logic                wakes_now_i,     // it does so in this cycle
  input  logic                wakes_next_i,    // those behind it, too
  input  logic                wakes_queued_i,  // into the ready queue
  input  logic                relocks_i,       // StWake: the thread read gets its mutex before
  input  logic [CpuWidth-1:0] reserve_cpu_i,   // the CPU whose reservation changes
  input  logic         [31:0] word0_i,
  input  logic                job_pending_i,   // a job of cl_kernel_inheritance comes after the operation
  output action_t             action_o
);

  localparam int unsigned PriorityWidth = $clog2(Cfg.Priorities);
  localparam int unsigned LineWidth     = (Cfg.Lines > 1) ? $clog2(Cfg.Lines) : 1;
  localparam bit          Deadlines     = Cfg.Policy == PolicyEdf;
  localparam bit          Dwrr          = Cfg.Policy == PolicyDwrr;

  typedef logic      [TidWidth-1:0] tid_t;
  typedef logic [PriorityWidth-1:0] priority_t;
  typedef logic     [LineWidth-1:0] line_t;

  function automatic logic [31:0] go(input tid_t next);
    return 32'(WordGiveWayWidth'(1'b1)) << WordGiveWayLsb | word(StatusOk, 1'b0, WordValueWidth'(next));
  endfunction

  logic idle, settling_threads, is_current;

  assign idle             = q_i.state == StIdle;
  assign settling_threads = Cfg.Inheritance && q_i.state == StSettle;
  assign is_current       = found_i.way == WakeInPlace;

  engine_state_e after_retake;
  assign after_retake = (Cfg.Monitors && q_i.retaking && q_i.all) ? StRelist : StIdle;

  logic unused;  // they have more
  assign unused = ^{requests_i, sched_i, policy_i, pending_i, found_i, begun_i, next_i, stage_i, word0_i};

  action_t action;

  // The action of each state, by which every line below differs from `nothing`; that of the state that it is follows
  // at the end, with what is common to several states.
  action_t nothing, at_idle, on_course, at_dispatch, at_wake, in_list, of_thread, at_settle, of_state;

  always_comb begin
    nothing                = '0;
    nothing.q              = q_i;
    nothing.set_state      = ThreadReady;
    nothing.set_cpu        = (q_i.state == StDispatch && q_i.op == OpMove && found_i.new_static) ? found_i.new_cpu : q_i.cpu;
    nothing.answer_cpu     = q_i.cpu;
    nothing.answer         = word(stage_i.outcome.status, stage_i.outcome.resumed, stage_i.outcome.value);
    nothing.sched_cpu      = q_i.cpu;
    nothing.sched_tid      = next_i.tid;
    nothing.sched_level    = next_i.level;
    nothing.bound_pop_cpu  = q_i.cpu;
  end

  // StIdle: the next operation
  always_comb begin
    at_idle               = nothing;
    at_idle.q.pop         = 1'b0;
    at_idle.q.front       = 1'b0;
    at_idle.q.all         = 1'b0;
    at_idle.q.publish_end = 1'b0;
    at_idle.q.unlocked    = 1'b0;
    at_idle.q.retaking    = 1'b0;
    at_idle.q.cpu         = begun_i.cpu;
    at_idle.q.op          = begun_i.op;
    at_idle.q.id          = begun_i.id;
    at_idle.q.by_line     = pending_i.line;
    at_idle.q.silent      = pending_i.line | pending_i.timeout;
    at_idle.q.by_timeout  = begun_i.timeout;
    at_idle.q.line        = pending_i.line_index;
    at_idle.sched_cpu     = begun_i.pick;
    at_idle.q.wake_then   = StIdle;
    if (begun_i.settling) begin
      at_idle.q.by_line = 1'b0;
      at_idle.q.silent  = 1'b0;
      if (policy_i.serve) begin
        at_idle.q.state = StDispatch;
      end else if (policy_i.end_wait) begin
        at_idle.sched_cpu       = policy_i.end_cpu;
        at_idle.cmd.interrupted = 1'b1;
        at_idle.answer_valid    = 1'b1;
        at_idle.answer_cpu      = policy_i.end_cpu;
        at_idle.answer          = word(StatusEintr, 1'b0, '0);
      end
    end else if (begun_i.line) begin
      // The thread that waits for the line, or the object it is bound to, is the one read.
      if (pending_i.line_request.wakes)       at_idle.q.state = StWake;
      else if (!pending_i.line_request.notes) at_idle.q.state = StDispatch;
    end else if (begun_i.timeout) begin
      at_idle.q.state = StDispatch;
    end else if (begun_i.client && begun_i.asks) begin
      at_idle.cmd.saved = requests_i.save[begun_i.pick];
      if (begun_i.requeue) begin
        at_idle.q.front     = begun_i.front;
        at_idle.q.wake_then = begun_i.op_valid ? StFetch : StIdle;
        at_idle.q.state     = StWake;
      end else if (begun_i.op_valid) begin
        at_idle.q.state = StDispatch;
      end
    end else if (begun_i.client) begin
      at_idle.cmd.interrupted = 1'b1;
      at_idle.answer_valid    = 1'b1;
      at_idle.answer_cpu      = begun_i.pick;
      at_idle.answer          = word(StatusEintr, 1'b0, '0);
    end
  end

  // StDispatch: the course of the operation, if the outcome happens
  always_comb begin
    on_course              = nothing;
    on_course.answer_valid = !q_i.silent;
    on_course.q.wake_then  = StIdle;
    on_course.q.state      = StIdle;
    unique case (stage_i.outcome.course)
      CourseDone: begin
        on_course.cmd.resume = Dwrr && q_i.op == OpPreempt && sched_i.held[q_i.cpu];
        on_course.cmd.vain   = q_i.op == OpPreempt && !stage_i.outcome.spent;
      end

      CourseHold: begin
        on_course.answer_valid = 1'b0;
        on_course.cmd.hold     = 1'b1;
      end

      CoursePublish: on_course.q.publish_end = 1'b1;

      CourseGiveWay: begin
        on_course.choose   = 1'b1;
        on_course.give_way = 1'b1;
      end

      CourseBlock: begin
        on_course.choose    = 1'b1;
        on_course.cmd.block = 1'b1;
      end

      CourseNext: on_course.choose = 1'b1;

      CourseExit: begin
        on_course.answer_valid = 1'b0;
        on_course.cmd.exit     = 1'b1;
        on_course.set          = 1'b1;
        on_course.set_state    = (q_i.op == OpMove) ? ThreadBlocked : ThreadExited;
        on_course.q.wake_then  = StExit;
        on_course.q.state      = StExit;
      end

      CourseRequeue: begin
        on_course.q.new_priority = priority_t'(word0_i);
        on_course.q.state        = Cfg.Inheritance ? StIdle : StRequeue;  // StSettle requeues it
      end

      CourseDequeue: begin
        on_course.take_next = 1'b1;
        on_course.cmd.turn  = next_i.tie;
        on_course.q.state   = StSuspend;
      end

      CourseRemove: begin
        on_course.queue_valid   = !found_i.is_apart;
        on_course.bound_pop     = found_i.is_apart;
        on_course.bound_pop_cpu = found_i.apart_at;
        on_course.q.state       = StSuspend;
      end

      CourseRedirect: begin
        on_course.answer_valid = 1'b0;
        on_course.q.by_line    = 1'b1;
        on_course.q.line       = line_t'(q_i.id);
        on_course.q.op         = found_i.as_op;
        on_course.q.id         = found_i.as_id;
        on_course.q.state      = StFetch;
      end

      CourseMonitor: begin
        on_course.answer_valid = 1'b0;
        on_course.q.unlocked   = 1'b1;
        on_course.q.wake_then  = StFetch;
        if (stage_i.outcome.wake == WakeNone) begin
          on_course.q.op    = OpCondWait;
          on_course.q.id    = word0_i[9:0];
          on_course.q.state = StFetch;
        end
      end

      CourseLeave: begin
        on_course.answer_valid = found_i.setting;
        on_course.q.state      = StLeave;
      end

      CourseSlice: begin
        on_course.q.slice = word0_i[15:0];
        on_course.q.state = StSlice;
      end

      default: ;
    endcase
  end

  // StDispatch: what the outcome says besides its course, and what comes before it
  always_comb begin
    at_dispatch = stage_i.commit ? on_course : nothing;
    if (stage_i.commit) begin
      if (stage_i.change.idle) begin
        at_dispatch.set       = 1'b1;
        at_dispatch.set_state = ThreadReady;
      end
      // A ready thread leaves its queue and is woken again; then StOffer for a CPU that now serves more threads.
      if (Cfg.Reserve && stage_i.change.reserve) begin
        at_dispatch.queue_valid = stage_i.outcome.wake != WakeNone;
        at_dispatch.q.offer     = sched_i.waiting[found_i.successor];
        at_dispatch.q.offer_cpu = found_i.successor;
      end
      if (Cfg.Reserve && stage_i.change.give_back) begin
        at_dispatch.bound_pop     = q_i.op == OpRelease && stage_i.outcome.wake != WakeNone;
        at_dispatch.bound_pop_cpu = reserve_cpu_i;
        at_dispatch.q.offer       = q_i.op == OpRelease ? sched_i.waiting[reserve_cpu_i] : found_i.client != q_i.cpu;
        at_dispatch.q.offer_cpu   = reserve_cpu_i;
        at_dispatch.q.late        = q_i.op != OpRelease && found_i.client != q_i.cpu;
      end
      if (stage_i.outcome.wake != WakeNone) begin
        at_dispatch.q.pop = stage_i.outcome.wake inside {WakeWaiter, WakeWaiters};
        at_dispatch.q.all = stage_i.outcome.wake == WakeWaiters;
        // A record that changes is read again.
        at_dispatch.q.state = (q_i.op == OpMove) ? StNextWaiter : StWake;
      end
    end
    if (stage_i.publish_walk) at_dispatch.q.state = StPublish;
    if (stage_i.job_start)    at_dispatch.q.state = StSettle;
  end

  // StWake: wake the thread read.
  always_comb begin
    at_wake = nothing;
    if (waking_i && relocks_i) begin
      at_wake.pop        = 1'b1;
      at_wake.q.pop      = 1'b0;
      at_wake.q.all      = q_i.all && stage_i.several;
      at_wake.q.retaking = 1'b1;
      at_wake.q.mutex    = found_i.mutex;
      at_wake.q.state    = StRelock;
    end else if (waking_i) begin
      at_wake.set         = 1'b1;
      at_wake.set_cpu     = stage_i.cpu;
      at_wake.sched_cpu   = stage_i.cpu;
      at_wake.answer_cpu  = stage_i.cpu;
      at_wake.sched_tid   = found_i.tid;
      at_wake.sched_level = found_i.level;
      unique case (stage_i.way)
        WakeInPlace: begin
          at_wake.set_state     = ThreadRunning;
          at_wake.cmd.resume    = 1'b1;
          at_wake.cmd.set_level = Deadlines | found_i.granted;
          at_wake.answer_valid  = sched_i.waiting[stage_i.cpu];
          at_wake.answer        = word(StatusOk, 1'b1, '0);
        end
        WakeWhenSaved: at_wake.cmd.wake_leaving = 1'b1;
        WakeTaken: begin
          at_wake.set_state    = ThreadRunning;
          at_wake.cmd.run      = 1'b1;
          at_wake.answer_valid = 1'b1;
          at_wake.answer       = go(found_i.tid);
        end
        default: begin
          at_wake.set         = wakes_now_i;
          at_wake.bound_push  = found_i.is_apart;
          at_wake.queue_valid = wakes_queued_i;
        end
      endcase
      if (wakes_now_i) begin
        at_wake.pop          = q_i.pop;
        at_wake.q.front      = 1'b0;
        at_wake.set_priority = found_i.granted;
        at_wake.q.pop        = wakes_next_i && q_i.pop;
        at_wake.q.state      = (q_i.all && stage_i.several && q_i.pop) ? StNextWaiter : q_i.wake_then;
        if (Cfg.Monitors && q_i.op == OpMutexWait && q_i.pop) begin
          at_wake.q.op = OpCondWait;
          at_wake.q.id = word0_i[9:0];
        end
      end
    end
  end

  // States that go through lists
  always_comb begin
    in_list = nothing;
    unique case (q_i.state)
      // The list is read again; the record of its first thread is there already. After StRequeue, move: the record, and
      // with Pipeline after StLeave that of the thread found, as the search has read the one behind it.
      StNextWaiter: begin
        in_list.q.state = StWake;
      end

      // Publish the port read, the newest of the caller's list.
      StPublish: begin
        if (found_i.publish_more)       in_list.q.wake_then = StPublish;
        else if (q_i.publish_end) in_list.q.wake_then = StIdle;
        else                    in_list.q.wake_then = StFetch;
        in_list.q.state = in_list.q.wake_then;
        if (found_i.publish_wakes) in_list.q.state = StWake;
      end

      StWalk: begin
        if (found_i.walk_done) begin
          in_list.q.state    = after_retake;
          in_list.q.retaking = 1'b0;
        end
      end

      StLeave: begin
        in_list.answer_valid = (found_i.there | found_i.missing) && !q_i.silent && !found_i.setting;
        in_list.answer       = word(found_i.there ? StatusOk : StatusEnoent, 1'b0, '0);
        if (found_i.there)        in_list.q.state = Cfg.Pipeline ? StNextWaiter : StWake;
        else if (found_i.missing) in_list.q.state = StIdle;
        if (found_i.setting)      in_list.q.wake_then = found_i.last ? StIdle : StLeave;
      end

      // A signal: the thread read has left the wait list of the condition variable, and gets the mutex, or waits for it.
      StRelock: in_list.q.state = StRetake;

      StRetake: begin
        in_list.q.wake_then = after_retake;
        if (!found_i.held)             in_list.q.state = StWake;
        else if (found_i.waiter_valid) in_list.q.state = StWalk;
        else                           in_list.q.state = after_retake;
        in_list.q.retaking = found_i.held && found_i.waiter_valid;
      end

      StRelist: in_list.q.state = StFirst;

      StFirst: begin
        in_list.q.pop       = 1'b1;
        in_list.q.wake_then = StIdle;
        in_list.q.state     = StWake;
      end

      default: ;
    endcase
  end

  // States that change one thread or CPU
  always_comb begin
    of_thread = nothing;
    unique case (q_i.state)
      StFetch: begin
        of_thread.q.state = fetch_known_i ? StDispatch : StFetch;
      end

      StExit: if (next_known_i) begin
        of_thread.choose  = 1'b1;
        of_thread.q.state = StIdle;
      end

      StSwitched: begin
        of_thread.set       = 1'b1;
        of_thread.set_state = ThreadRunning;
        of_thread.q.state   = found_i.walk_pending ? StWalk : StIdle;
      end

      // set_sched_param, set_deadline: the thread read has a new priority or deadline; a ready one goes to its tail.
      StRequeue: begin
        of_thread.set_priority  = q_i.op == OpSetSchedParam || !Deadlines;
        of_thread.queue_valid   = found_i.is_queued && !found_i.is_owner;
        of_thread.sched_cpu     = found_i.cpu;
        of_thread.sched_level   = {1'b1, found_i.new_key};
        of_thread.cmd.set_level = is_current;
        of_thread.q.state       = StIdle;
      end

      // dequeue, remove: the thread read is no longer in a queue.
      StSuspend: begin
        of_thread.set       = 1'b1;
        of_thread.set_state = ThreadSuspended;
        of_thread.set_cpu   = found_i.cpu;
        of_thread.q.state   = StIdle;
      end

      StSlice: begin
        of_thread.slice_restart = 1'b1;
        of_thread.q.state       = StIdle;
      end

      StOffer: begin
        of_thread.q.late = 1'b0;
        if (!q_i.late && next_known_i) begin
          of_thread.choose  = sched_i.waiting[q_i.cpu] && next_i.any;
          of_thread.q.state = StIdle;
        end
      end

      default: of_thread.q.state = StIdle;  // StInit
    endcase
  end

  // StSettle: the thread read may get a new priority, as in StRequeue.
  always_comb begin
    at_settle               = nothing;
    at_settle.queue_valid   = found_i.job_set && found_i.is_queued && !found_i.is_owner;
    at_settle.set_priority  = found_i.job_taken;
    at_settle.sched_cpu     = found_i.cpu;
    at_settle.sched_level   = {1'b1, found_i.new_key};
    at_settle.cmd.set_level = found_i.job_taken && is_current;
    at_settle.q.state       = !found_i.job_done ? StSettle : found_i.job_again ? StFetch : StIdle;
  end

  always_comb begin
    unique case (q_i.state)
      StIdle:                                    of_state = at_idle;
      StDispatch:                                of_state = at_dispatch;
      StWake:                                    of_state = at_wake;
      StNextWaiter, StPublish, StWalk, StLeave,
      StRelock, StRetake, StRelist, StFirst:     of_state = in_list;
      default:                                   of_state = of_thread;
    endcase
    if (settling_threads) of_state = at_settle;  // here, so that it is nothing without Inheritance
  end

  // Consequences of the action
  always_comb begin
    action = of_state;
    // Switch, or wait. The caller, unless it has ended, becomes ready or blocked here.
    if (of_state.choose) begin
      action.set       = sched_i.current_valid[q_i.cpu];
      action.set_state = of_state.give_way ? ThreadReady : ThreadBlocked;
      if (next_i.any) begin
        action.cmd.run         = 1'b1;
        action.cmd.leave_ready = of_state.give_way;
        action.cmd.leave_front = stage_i.outcome.front;
        action.cmd.turn        = next_i.tie;
        action.take_next       = 1'b1;
        action.answer_valid    = 1'b1;
        action.answer          = go(next_i.tid);
        action.q.state         = StSwitched;
      end else begin
        // With dwrr a round may begin now; only then is it known whether an interrupt ends the wait.
        action.answer_valid = requests_i.intr[q_i.cpu] && !Dwrr;
        action.answer       = word(StatusEintr, 1'b0, '0);
        action.cmd.sleep    = !requests_i.intr[q_i.cpu] || Dwrr;
        action.q.state      = (stage_i.outcome.insert && found_i.waiter_valid) ? StWalk : StIdle;
      end
    end
    if (action.take_next) begin
      action.queue_valid = !next_i.bound;
      action.bound_pop   = next_i.bound;
    end
    if (Cfg.Reserve && action.q.offer && action.q.state == StIdle && !idle) begin
      action.q.state = StOffer;
      action.q.cpu   = action.q.offer_cpu;
      action.q.offer = 1'b0;
    end
    if (job_pending_i && action.q.state == StIdle && !idle) action.q.state = StSettle;
  end

  assign action_o = action;

endmodule
