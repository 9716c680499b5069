// SPDX-License-Identifier: Apache-2.0
// An operation's outcome, its answer and how it continues: decided by the services (cl_kernel_*_ops), carried out by
// cl_kernel_engine. Updates of a service's own table are not part of it.
package cl_outcome_pkg;
  import cl_kernel_pkg::*;

  typedef enum logic [3:0] {
    CourseDone,      // answered, nothing else
    CourseGiveWay,   // the next thread runs; the caller stays ready
    CourseBlock,     // the caller waits; the next thread runs, or none
    CourseNext,      // the CPU has no running thread: the next one runs, or none
    CourseExit,      // the caller has ended; the next thread runs, or none
    CourseRequeue,   // the named thread has a new priority
    CourseSlice,     // there is a new time slice
    CoursePublish,   // answered; then all of the caller's messages are published
    CourseDequeue,   // answered with the next thread, which is suspended
    CourseRemove,    // the thread read leaves its ready queue and is suspended
    CourseRedirect,  // another operation is decided in its place
    CourseHold,      // the caller may not go on before the next round begins
    CourseLeave,     // the thread WORD0 leaves the object's wait list and wakes; enoent if it is not there
    CourseMonitor    // the mutex is unlocked; then the caller waits for the condition variable WORD0
  } course_e;

  typedef enum logic [2:0] {
    WakeNone,
    WakeWaiter,      // the first thread in the object's wait list
    WakeThread,      // the thread named by the id
    WakeJoiner,      // the thread that joins the caller
    WakeReceiver,    // the receiver of the port
    WakeWaiters,     // all threads in the object's wait list, one after the other
    WakeLine         // the thread that waits for the interrupt line
  } wake_e;

  typedef struct packed {
    status_e                   status;
    logic                      resumed;
    logic [WordValueWidth-1:0] value;
    course_e                   course;
    logic                      publish;  // the caller's messages must be published before this is decided
    logic                      spent;    // the caller's time slice is over
    logic                      front;    // with CourseGiveWay: the caller keeps the head of its priority
    logic                      insert;   // only with CourseBlock: it waits in the object's wait list
    logic                      clear;    // the object is new: its wait list is empty
    wake_e                     wake;     // which threads this wakes
  } outcome_t;

  // Changes of an operation on threads to the thread table
  typedef struct packed {
    logic create;      // a new thread
    logic add_joiner;  // the caller joins the thread read
    logic detach;      // the thread read is detached
    logic free;        // the thread read is freed
    logic idle;        // the thread read becomes the CPU's idle thread, and ready
    logic unbind;      // the thread read is no longer its CPU's idle thread, or its unit's thread
    logic reserve;     // the CPU named by the id is reserved for the thread read
    logic give_back;   // the reservation of that CPU, or of the exiting thread's CPU, ends
    logic weigh;       // the thread read has the weight WORD0
    logic move;        // the thread read, the caller, has a new placement
  } thread_change_t;

  // The operation whose records are read
  typedef struct packed {
    logic        valid;
    logic  [7:0] op;
    logic  [9:0] id;
    logic [31:0] word0;
  } read_t;

  typedef enum logic [1:0] {
    RecordOfObject,  // the thread that the id names; without one it is read in vain
    RecordOfCaller,
    RecordOfNew      // the first free id
  } record_of_e;

  // The request of an interrupt line (cl_kernel_interrupt_ops)
  typedef struct packed {
    logic       valid;
    logic       wakes;  // it wakes the thread id,
    logic       notes;  // or only notes the interrupt for it; else it is operation op on the object id
    logic [7:0] op;
    logic [9:0] id;
  } line_request_t;

  // The thread whose record in the thread table an operation needs
  function automatic record_of_e record_of(input logic [7:0] op, input bit inheritance);
    unique case (op)
      OpThreadExit, OpMove:                                        record_of = RecordOfCaller;
      OpThreadCreate:                                              record_of = RecordOfNew;
      OpMutexLock, OpMutexTrylock, OpMutexUnlock, OpMutexProtocol: record_of = inheritance ? RecordOfCaller : RecordOfObject;
      default: record_of = (op[7:4] == KindFlags) ? RecordOfCaller : RecordOfObject;
    endcase
  endfunction

  function automatic outcome_t failed(input status_e status);
    failed        = '0;
    failed.status = status;
  endfunction

  function automatic outcome_t answered(input logic [WordValueWidth-1:0] value);
    answered       = '0;
    answered.value = value;
  endfunction

  // Of event flags: whether these are what somebody waits for
  function automatic logic suffice(input logic [31:0] flags, input logic [31:0] wanted, input logic all);
    return all ? (flags & wanted) == wanted : (flags & wanted) != '0;
  endfunction

  function automatic logic [31:0] word(input status_e status, input logic resumed,
                                       input logic [WordValueWidth-1:0] value);
    return 32'(WordStatusWidth'(status))   << WordStatusLsb
         | 32'(WordResumedWidth'(resumed)) << WordResumedLsb
         | 32'(value)                      << WordValueLsb;
  endfunction

endpackage
