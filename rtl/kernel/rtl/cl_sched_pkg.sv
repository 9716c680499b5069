// SPDX-License-Identifier: Apache-2.0
// How the engine and the CPUs' scheduling state speak of threads.
package cl_sched_pkg;

  // The rule for who runs next; see README.md. Parameters that hold one are plain numbers: tools can set no enum.
  typedef enum int unsigned {
    PolicyPriority,  // the highest priority; round-robin among equals
    PolicyDwrr,      // by weights, in rounds
    PolicyEdf        // the earliest deadline
  } policy_e;

  // The ready queues of a kernel: one of dynamic threads, those of the CPUs, and with dwrr that of the next round
  function automatic int unsigned queues(input int unsigned cpus, input int unsigned policy);
    queues = cpus + 1 + 32'(policy == PolicyDwrr);
  endfunction

  // Bits of a key (cl_ready_queue_pkg)
  function automatic int unsigned key_width(input int unsigned policy, input int unsigned priorities);
    key_width = (policy == PolicyEdf) ? cl_ready_queue_pkg::DeadlineKeyWidth : $clog2(priorities);
  endfunction

  // How a thread becomes eligible (cl_kernel_wake)
  typedef enum logic [1:0] {
    WakeInPlace,    // it is still its CPU's current thread
    WakeWhenSaved,  // its context is not saved yet: it is eligible then
    WakeTaken,      // a waiting CPU runs it at once
    WakeQueued      // by the ready queue, or by the one of the client it is bound to
  } wake_way_e;

  // Commands of the engine to the scheduling state of one CPU (cl_kernel_cpu); one-cycle strobes
  typedef struct packed {
    logic run;           // run another thread; the current one, if any, becomes the leaving one
    logic leave_ready;   // with run: the leaving thread is ready
    logic leave_front;   // with run: it keeps the head of its priority
    logic turn;          // with run: two queues tied, the other wins next time
    logic block;         // the current thread is blocked
    logic exit;          // the current thread is no more
    logic resume;        // the blocked current thread goes on in place
    logic sleep;         // no thread can run: the load stays pending
    logic hold;          // the current thread may not go on yet: the load stays pending
    logic interrupted;   // the pending load ends with eintr
    logic saved;         // the context of the leaving thread is in memory
    logic wake_leaving;  // the leaving thread became ready
    logic set_level;     // new priority of the current thread
    logic vain;          // its operation `preempt` has found no thread (cl_kernel_rest)
  } sched_cmd_t;

endpackage
