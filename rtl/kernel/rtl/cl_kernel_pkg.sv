// Generated from rtl/kernel/data/kernel.toml by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0

// verilator lint_off UNUSEDPARAM
package cl_kernel_pkg;

  // The parameters of cl_kernel, from src/coreloom/design/keys.py. Another value than Default is made by a function:
  //   function automatic cfg_t sized(); sized = Default; sized.Threads = 16; endfunction
  typedef struct packed {
    int unsigned Cpus;           // processors
    int unsigned Threads;        // threads
    int unsigned Priorities;     // priorities
    int unsigned Ports;          // message ports
    int unsigned PortDepth;      // messages of a port
    int unsigned Mutexes;        // mutexes
    int unsigned Semaphores;     // semaphores
    int unsigned Conditions;     // condition variables, the last of them for waits in memory
    int unsigned HwThreads;      // hardware threads, by their units' names
    int unsigned Policy;         // policy: 0 priority, 1 dwrr, 2 edf
    bit          Pipeline;       // more cycles an operation, and an access to the communication port, at a higher clock
    bit          Reserve;        // CPUs can be reserved
    bit          Timeouts;       // it ends waits with a time limit
    bit          Inheritance;    // inheritance and ceilings of mutexes
    bit          EventFlags;     // condition variables serve as event flags
    bit          Monitors;       // unlock, wait for a condition and lock again are one operation
    int unsigned PortWords;      // words of a port's message after its first
    int unsigned ReadyQueue;     // build of the ready queue: 0 linear, 1 bitmap, 2 hybrid
    int unsigned Lines;          // interrupt lines
  } cfg_t;

  localparam cfg_t Default = '{
    Cpus: 2, Threads: 64, Priorities: 32, Ports: 32, PortDepth: 8,
    Mutexes: 32, Semaphores: 32, Conditions: 32, HwThreads: 0, Policy: 0,
    Pipeline: 1'b0, Reserve: 1'b0, Timeouts: 1'b0, Inheritance: 1'b0, EventFlags: 1'b0,
    Monitors: 1'b0, PortWords: 0, ReadyQueue: 1, Lines: 8
  };

  function automatic int unsigned most(input int unsigned a, input int unsigned b);
    return (a > b) ? a : b;
  endfunction

  // Bits of an id of any object
  function automatic int unsigned object_width(input int unsigned ports, input int unsigned mutexes,
                                               input int unsigned semaphores, input int unsigned conditions);
    return most($clog2(most(most(ports, mutexes), most(semaphores, conditions))), 1);
  endfunction

  // A client's access to its port, held until gnt, and its answer: rvalid one cycle after gnt or later, for loads and
  // stores
  typedef struct packed {
    logic        req;
    logic        we;
    logic [17:0] addr;   // {op[7:0], id[9:0]}
    logic [31:0] wdata;
  } client_request_t;

  typedef struct packed {
    logic        gnt;
    logic        rvalid;
    logic [31:0] rdata;
  } client_answer_t;

  localparam int unsigned WordGiveWayLsb = 31;
  localparam int unsigned WordGiveWayWidth = 1;
  localparam int unsigned WordResumedLsb = 30;
  localparam int unsigned WordResumedWidth = 1;
  localparam int unsigned WordStatusLsb = 16;
  localparam int unsigned WordStatusWidth = 8;
  localparam int unsigned WordValueLsb = 0;
  localparam int unsigned WordValueWidth = 16;
  localparam int unsigned AddressOpLsb = 12;
  localparam int unsigned AddressOpWidth = 8;
  localparam int unsigned AddressIdLsb = 2;
  localparam int unsigned AddressIdWidth = 10;
  localparam int unsigned AttributesPriorityLsb = 0;
  localparam int unsigned AttributesPriorityWidth = 8;
  localparam int unsigned AttributesCpuLsb = 8;
  localparam int unsigned AttributesCpuWidth = 4;
  localparam int unsigned AttributesStaticLsb = 12;
  localparam int unsigned AttributesStaticWidth = 1;
  localparam int unsigned AttributesDetachedLsb = 13;
  localparam int unsigned AttributesDetachedWidth = 1;
  localparam int unsigned PortFlagsImmediateLsb = 0;
  localparam int unsigned PortFlagsImmediateWidth = 1;
  localparam int unsigned BindingObjectLsb = 0;
  localparam int unsigned BindingObjectWidth = 10;
  localparam int unsigned BindingKindLsb = 10;
  localparam int unsigned BindingKindWidth = 2;
  localparam int unsigned MutexAttributesCeilingLsb = 0;
  localparam int unsigned MutexAttributesCeilingWidth = 8;
  localparam int unsigned MutexAttributesProtocolLsb = 8;
  localparam int unsigned MutexAttributesProtocolWidth = 2;
  localparam int unsigned EntryWordSchedParamLsb = 0;
  localparam int unsigned EntryWordSchedParamWidth = 8;
  localparam int unsigned EntryWordQueuedLsb = 8;
  localparam int unsigned EntryWordQueuedWidth = 1;
  localparam int unsigned EntryWordStaticLsb = 9;
  localparam int unsigned EntryWordStaticWidth = 1;
  localparam int unsigned EntryWordIdleLsb = 10;
  localparam int unsigned EntryWordIdleWidth = 1;
  localparam int unsigned EntryWordHardwareLsb = 11;
  localparam int unsigned EntryWordHardwareWidth = 1;
  localparam int unsigned ThreadWordStateLsb = 0;
  localparam int unsigned ThreadWordStateWidth = 3;
  localparam int unsigned ThreadWordPriorityLsb = 3;
  localparam int unsigned ThreadWordPriorityWidth = 8;
  localparam int unsigned ThreadWordCpuLsb = 11;
  localparam int unsigned ThreadWordCpuWidth = 5;
  localparam int unsigned SemaphoreMax = 32767;
  localparam int unsigned WeightMax = 255;
  localparam int unsigned DeadlineMax = 32767;
  localparam int unsigned HardwareParam = 128;

  // The upper half of an operation
  typedef enum logic [3:0] {
    KindCpu = 4'd0,
    KindThread = 4'd1,
    KindEntry = 4'd2,
    KindTimeout = 4'd3,
    KindPort = 4'd4,
    KindCondition = 4'd5,
    KindMutex = 4'd6,
    KindSemaphore = 4'd7,
    KindInterrupt = 4'd8,
    KindBarrier = 4'd9,
    KindFlags = 4'd13
  } op_kind_e;

  typedef enum logic [7:0] {
    OpNext = 8'd1,
    OpSaved = 8'd2,
    OpWord0 = 8'd3,
    OpSelf = 8'd4,
    OpYield = 8'd5,
    OpPreempt = 8'd6,
    OpSlice = 8'd7,
    OpReserve = 8'd8,
    OpRelease = 8'd9,
    OpMove = 8'd10,
    OpThreadCreate = 8'd16,
    OpThreadStart = 8'd17,
    OpThreadExit = 8'd18,
    OpThreadJoin = 8'd19,
    OpThreadDetach = 8'd20,
    OpThreadRead = 8'd21,
    OpSetSchedParam = 8'd32,
    OpGetSchedParam = 8'd33,
    OpCheckSchedParam = 8'd34,
    OpSetWeight = 8'd35,
    OpSetDeadline = 8'd36,
    OpDequeue = 8'd37,
    OpRemove = 8'd38,
    OpGetEntry = 8'd39,
    OpIsQueued = 8'd40,
    OpIsEmpty = 8'd41,
    OpSetIdleThread = 8'd42,
    OpTimeoutStart = 8'd48,
    OpTimeoutStop = 8'd49,
    OpPortOpen = 8'd64,
    OpPortClose = 8'd65,
    OpPortLeave = 8'd66,
    OpPortReceive = 8'd67,
    OpPortTryreceive = 8'd68,
    OpPortSend = 8'd69,
    OpPortTrysend = 8'd70,
    OpPortPublish = 8'd71,
    OpCondCreate = 8'd80,
    OpCondDestroy = 8'd81,
    OpCondLeave = 8'd82,
    OpCondWait = 8'd83,
    OpCondSignal = 8'd85,
    OpCondBroadcast = 8'd86,
    OpCondTicket = 8'd87,
    OpMutexCreate = 8'd96,
    OpMutexDestroy = 8'd97,
    OpMutexLeave = 8'd98,
    OpMutexLock = 8'd99,
    OpMutexTrylock = 8'd100,
    OpMutexUnlock = 8'd101,
    OpMutexProtocol = 8'd102,
    OpMutexWait = 8'd103,
    OpSemaphoreCreate = 8'd112,
    OpSemaphoreDestroy = 8'd113,
    OpSemaphoreLeave = 8'd114,
    OpSemaphoreWait = 8'd115,
    OpSemaphoreTrywait = 8'd116,
    OpSemaphorePost = 8'd117,
    OpSemaphoreValue = 8'd118,
    OpInterruptBind = 8'd128,
    OpInterruptUnbind = 8'd129,
    OpInterruptWait = 8'd131,
    OpInterruptRaise = 8'd133,
    OpBarrierWait = 8'd147,
    OpFlagsSet = 8'd208,
    OpFlagsClear = 8'd209,
    OpFlagsGet = 8'd210,
    OpFlagsFound = 8'd211,
    OpFlagsWaitAny = 8'd216,
    OpFlagsWaitAll = 8'd217,
    OpFlagsTakeAny = 8'd218,
    OpFlagsTakeAll = 8'd219,
    OpFlagsTrywaitAny = 8'd220,
    OpFlagsTrywaitAll = 8'd221,
    OpFlagsTrytakeAny = 8'd222,
    OpFlagsTrytakeAll = 8'd223
  } op_e;

  // Does not imply OpSaved
  function automatic logic op_any_time(input logic [7:0] op);
    return op inside {
      OpPortLeave, OpCondLeave, OpMutexLeave, OpSemaphoreLeave, OpSemaphorePost
    };
  endfunction

  // Is an operation that a load executes
  function automatic logic op_is_load(input logic [7:0] op);
    return op inside {
      OpNext, OpSelf, OpYield, OpPreempt, OpSlice, OpReserve,
      OpRelease, OpMove, OpThreadCreate, OpThreadStart, OpThreadExit, OpThreadJoin,
      OpThreadDetach, OpThreadRead, OpSetSchedParam, OpGetSchedParam, OpCheckSchedParam, OpSetWeight,
      OpSetDeadline, OpDequeue, OpRemove, OpGetEntry, OpIsQueued, OpIsEmpty,
      OpSetIdleThread, OpTimeoutStart, OpTimeoutStop, OpPortOpen, OpPortClose, OpPortLeave,
      OpPortReceive, OpPortTryreceive, OpPortSend, OpPortTrysend, OpPortPublish, OpCondCreate,
      OpCondDestroy, OpCondLeave, OpCondWait, OpCondSignal, OpCondBroadcast, OpCondTicket,
      OpMutexCreate, OpMutexDestroy, OpMutexLeave, OpMutexLock, OpMutexTrylock, OpMutexUnlock,
      OpMutexProtocol, OpMutexWait, OpSemaphoreCreate, OpSemaphoreDestroy, OpSemaphoreLeave, OpSemaphoreWait,
      OpSemaphoreTrywait, OpSemaphorePost, OpSemaphoreValue, OpInterruptBind, OpInterruptUnbind, OpInterruptWait,
      OpInterruptRaise, OpBarrierWait, OpFlagsSet, OpFlagsClear, OpFlagsGet, OpFlagsFound,
      OpFlagsWaitAny, OpFlagsWaitAll, OpFlagsTakeAny, OpFlagsTakeAll, OpFlagsTrywaitAny, OpFlagsTrywaitAll,
      OpFlagsTrytakeAny, OpFlagsTrytakeAll
    };
  endfunction

  // Is for a CPU that runs a thread
  function automatic logic op_needs_thread(input logic [7:0] op);
    return op inside {
      OpSelf, OpYield, OpPreempt, OpMove, OpThreadCreate, OpThreadExit,
      OpThreadJoin, OpTimeoutStart, OpTimeoutStop, OpPortOpen, OpPortClose, OpPortReceive,
      OpPortTryreceive, OpPortSend, OpPortTrysend, OpPortPublish, OpCondCreate, OpCondDestroy,
      OpCondWait, OpMutexCreate, OpMutexDestroy, OpMutexLock, OpMutexTrylock, OpMutexUnlock,
      OpMutexProtocol, OpMutexWait, OpSemaphoreCreate, OpSemaphoreDestroy, OpSemaphoreWait, OpSemaphoreTrywait,
      OpInterruptBind, OpInterruptWait, OpBarrierWait, OpFlagsSet, OpFlagsClear, OpFlagsGet,
      OpFlagsFound, OpFlagsWaitAny, OpFlagsWaitAll, OpFlagsTakeAny, OpFlagsTakeAll, OpFlagsTrywaitAny,
      OpFlagsTrywaitAll, OpFlagsTrytakeAny, OpFlagsTrytakeAll
    };
  endfunction

  // May need the next thread or the ready queue
  function automatic logic op_needs_next(input logic [7:0] op);
    return op inside {
      OpNext, OpYield, OpPreempt, OpMove, OpThreadExit, OpThreadJoin,
      OpPortReceive, OpPortSend, OpCondWait, OpMutexLock, OpMutexWait, OpSemaphoreWait,
      OpInterruptWait, OpBarrierWait, OpFlagsWaitAny, OpFlagsWaitAll, OpFlagsTakeAny, OpFlagsTakeAll,
      OpReserve, OpSetSchedParam, OpSetDeadline, OpDequeue, OpRemove, OpIsEmpty
    };
  endfunction

  typedef enum logic [7:0] {
    StatusOk = 8'd0,
    StatusEperm = 8'd1,
    StatusEnoent = 8'd2,
    StatusEsrch = 8'd3,
    StatusEintr = 8'd4,
    StatusEbadf = 8'd9,
    StatusEagain = 8'd11,
    StatusEbusy = 8'd16,
    StatusEnodev = 8'd19,
    StatusEinval = 8'd22,
    StatusErange = 8'd34,
    StatusEdeadlk = 8'd45,
    StatusEshutdown = 8'd110,
    StatusEinprogress = 8'd119,
    StatusEalready = 8'd120,
    StatusEnotsup = 8'd134
  } status_e;

  typedef enum logic [2:0] {
    ThreadFree = 3'd0,
    ThreadCreated = 3'd1,
    ThreadReady = 3'd2,
    ThreadRunning = 3'd3,
    ThreadBlocked = 3'd4,
    ThreadExited = 3'd5,
    ThreadSuspended = 3'd6
  } thread_state_e;

endpackage
// verilator lint_on UNUSEDPARAM
