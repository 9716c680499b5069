// Generated from rtl/ipc/port/data/ipc.toml by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0

// verilator lint_off UNUSEDPARAM
package cl_ipc_pkg;

  localparam int unsigned AddressPatienceLsb = 16;
  localparam int unsigned AddressPatienceWidth = 5;
  localparam int unsigned AddressOpLsb = 10;
  localparam int unsigned AddressOpWidth = 6;
  localparam int unsigned AddressIndexLsb = 2;
  localparam int unsigned AddressIndexWidth = 8;
  localparam int unsigned WordErrorLsb = 28;
  localparam int unsigned WordErrorWidth = 4;
  localparam int unsigned WordValueLsb = 0;
  localparam int unsigned WordValueWidth = 28;
  localparam int unsigned StateWordCountLsb = 0;
  localparam int unsigned StateWordCountWidth = 16;
  localparam int unsigned WiresWordReqInLsb = 0;
  localparam int unsigned WiresWordReqInWidth = 1;
  localparam int unsigned WiresWordAckInLsb = 1;
  localparam int unsigned WiresWordAckInWidth = 1;
  localparam int unsigned WiresWordReqOutLsb = 2;
  localparam int unsigned WiresWordReqOutWidth = 1;
  localparam int unsigned WiresWordAckOutLsb = 3;
  localparam int unsigned WiresWordAckOutWidth = 1;
  localparam int unsigned WireIndexCpuLsb = 0;
  localparam int unsigned WireIndexCpuWidth = 4;
  localparam int unsigned WireIndexWireLsb = 4;
  localparam int unsigned WireIndexWireWidth = 1;
  localparam int unsigned WireIndexLevelLsb = 5;
  localparam int unsigned WireIndexLevelWidth = 1;
  localparam int unsigned EnableWordReqLsb = 0;
  localparam int unsigned EnableWordReqWidth = 8;
  localparam int unsigned EnableWordAckLsb = 8;
  localparam int unsigned EnableWordAckWidth = 8;
  localparam int unsigned MutexValueOwnerLsb = 0;
  localparam int unsigned MutexValueOwnerWidth = 4;
  localparam int unsigned MutexValueOrphanLsb = 8;
  localparam int unsigned MutexValueOrphanWidth = 1;
  localparam int unsigned MutexRegisterValueLsb = 0;
  localparam int unsigned MutexRegisterValueWidth = 16;
  localparam int unsigned MutexRegisterOwnerLsb = 16;
  localparam int unsigned MutexRegisterOwnerWidth = 16;
  localparam int unsigned MembersWordMembersLsb = 0;
  localparam int unsigned MembersWordMembersWidth = 8;
  localparam int unsigned MembersWordBrokenLsb = 8;
  localparam int unsigned MembersWordBrokenWidth = 1;
  localparam int unsigned Bells = 8;
  localparam int unsigned Sentinel = 32'h80000000;

  typedef enum logic [5:0] {
    OpMailboxPut = 6'd0,
    OpMailboxRoom = 6'd1,
    OpMailboxSent = 6'd2,
    OpMailboxClearSent = 6'd3,
    OpMailboxResetSent = 6'd4,
    OpMailboxGet = 6'd8,
    OpMailboxLevel = 6'd9,
    OpMailboxReceived = 6'd10,
    OpMailboxClearReceived = 6'd11,
    OpMailboxResetReceived = 6'd12,
    OpMailboxAny = 6'd13,
    OpDoorbellRing = 6'd16,
    OpDoorbellTake = 6'd17,
    OpDoorbellPending = 6'd18,
    OpDoorbellOverrun = 6'd19,
    OpDoorbellEnable = 6'd20,
    OpChannelReq = 6'd24,
    OpChannelAck = 6'd25,
    OpChannelRead = 6'd26,
    OpChannelWait = 6'd27,
    OpChannelEnable = 6'd28,
    OpMutexLock = 6'd32,
    OpMutexUnlock = 6'd33,
    OpMutexWord = 6'd34,
    OpBarrierMembers = 6'd40,
    OpBarrierArrive = 6'd41,
    OpResetEnd = 6'd48
  } op_e;

  typedef enum logic [3:0] {
    ErrorOk = 4'd0,
    ErrorTimeout = 4'd1,
    ErrorInterrupted = 4'd2,
    ErrorReset = 4'd3,
    ErrorOwner = 4'd4,
    ErrorDeadlock = 4'd5
  } error_e;

endpackage
// verilator lint_on UNUSEDPARAM
