// Generated from rtl/kernel/data/kernel.toml by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0

package cl_kernel_pkg;

  localparam int unsigned WordGiveWayLsb = 31;
  localparam int unsigned WordGiveWayWidth = 1;
  localparam int unsigned WordResumedLsb = 30;
  localparam int unsigned WordResumedWidth = 1;
  localparam int unsigned WordStatusLsb = 16;
  localparam int unsigned WordStatusWidth = 8;
  localparam int unsigned WordValueLsb = 0;
  localparam int unsigned WordValueWidth = 16;
  localparam int unsigned AddressOpLsb = 12;
  localparam int unsigned AddressOpWidth = 6;
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
  localparam int unsigned EventFlagsObjectLsb = 0;
  localparam int unsigned EventFlagsObjectWidth = 6;
  localparam int unsigned EventFlagsKindLsb = 6;
  localparam int unsigned EventFlagsKindWidth = 4;
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

  typedef enum logic [5:0] {
    OpEventFlags = 6'd0,
    OpNext = 6'd1,
    OpSaved = 6'd2,
    OpWord0 = 6'd3,
    OpSelf = 6'd4,
    OpYield = 6'd5,
    OpPreempt = 6'd6,
    OpThreadCreate = 6'd7,
    OpThreadStart = 6'd8,
    OpThreadExit = 6'd9,
    OpThreadJoin = 6'd10,
    OpThreadDetach = 6'd11,
    OpSetSchedParam = 6'd12,
    OpThreadRead = 6'd13,
    OpSlice = 6'd14,
    OpGetSchedParam = 6'd15,
    OpMutexCreate = 6'd16,
    OpMutexDestroy = 6'd17,
    OpMutexLock = 6'd18,
    OpMutexTrylock = 6'd19,
    OpMutexUnlock = 6'd20,
    OpMutexLeave = 6'd21,
    OpTimeoutStart = 6'd22,
    OpTimeoutStop = 6'd23,
    OpSemaphoreCreate = 6'd24,
    OpSemaphoreDestroy = 6'd25,
    OpSemaphoreWait = 6'd26,
    OpSemaphoreTrywait = 6'd27,
    OpSemaphorePost = 6'd28,
    OpSemaphoreValue = 6'd29,
    OpSemaphoreLeave = 6'd30,
    OpMutexProtocol = 6'd31,
    OpPortOpen = 6'd32,
    OpPortClose = 6'd33,
    OpPortSend = 6'd34,
    OpPortTrysend = 6'd35,
    OpPortReceive = 6'd36,
    OpPortTryreceive = 6'd37,
    OpPortPublish = 6'd38,
    OpPortLeave = 6'd39,
    OpCondCreate = 6'd40,
    OpCondDestroy = 6'd41,
    OpCondTicket = 6'd42,
    OpCondWait = 6'd43,
    OpCondSignal = 6'd44,
    OpCondBroadcast = 6'd45,
    OpCondLeave = 6'd46,
    OpBarrierWait = 6'd47,
    OpInterruptBind = 6'd48,
    OpInterruptUnbind = 6'd49,
    OpInterruptWait = 6'd50,
    OpInterruptRaise = 6'd51,
    OpSetWeight = 6'd52,
    OpSetDeadline = 6'd53,
    OpReserve = 6'd54,
    OpRelease = 6'd55,
    OpDequeue = 6'd56,
    OpRemove = 6'd57,
    OpGetEntry = 6'd58,
    OpIsQueued = 6'd59,
    OpIsEmpty = 6'd60,
    OpSetIdleThread = 6'd61,
    OpCheckSchedParam = 6'd62,
    OpMove = 6'd63
  } op_e;

  localparam logic [63:0] AnyTimeOps = 64'h408050200000;  // do not imply OpSaved

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

  typedef enum logic [3:0] {
    EventFlagsSet = 4'd0,
    EventFlagsClear = 4'd1,
    EventFlagsGet = 4'd2,
    EventFlagsFound = 4'd3,
    EventFlagsWait = 4'd8
  } event_flags_e;

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
