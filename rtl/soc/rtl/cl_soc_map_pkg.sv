// Generated from rtl/soc/data/soc.toml by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0

// verilator lint_off UNUSEDPARAM
package cl_soc_map_pkg;

  localparam int unsigned Lines = 8;
  localparam int unsigned LinePins = 4;
  localparam int unsigned TickCycles = 1000;
  localparam int unsigned ContextBytes = 8192;
  localparam int unsigned SdramHit = 5;
  localparam int unsigned SdramMiss = 7;
  localparam int unsigned SdramRefresh = 5;
  localparam int unsigned SdramInterval = 390;

  // Base: the first address; Top: the upper address bits shared by the whole region; Size: its bytes
  localparam logic [31:0] RomBase = 32'h1000_0000;  // ROM of processor 1 behind a Back-Door: its loader
  localparam logic [17:0] RomTop = 18'h4000;
  localparam int unsigned RomSize = 32'h0000_4000;
  localparam logic [31:0] LocalMemoryBase = 32'h2000_0000;  // local memory, private to each core, never on the bus
  localparam logic [31:0] RamBase = 32'h4000_0000;  // memory; for processor 1 behind a Back-Door, its local memory
  localparam logic [31:0] UncachedBase = 32'hC000_0000;  // with the fast core: the memory again, uncached
  localparam logic [31:0] UartBase = 32'hE000_0000;  // console
  localparam logic [28:0] UartTop = 29'h1C000000;
  localparam int unsigned UartSize = 32'h0000_0008;
  localparam logic [31:0] UnitBase = 32'hE100_0000;  // registers of the hardware threads, 256 bytes each
  localparam logic [19:0] UnitTop = 20'hE1000;
  localparam int unsigned UnitSize = 32'h0000_1000;
  localparam logic [31:0] BackDoorBase = 32'hE200_0000;  // near side of the Back-Door
  localparam logic [9:0] BackDoorTop = 10'h388;
  localparam int unsigned BackDoorSize = 32'h0040_0000;
  localparam logic [31:0] SchedulerBase = 32'hE300_0000;  // [HT]'s scheduler: op << 20 | thread << 10 | argument << 2
  localparam logic [7:0] SchedulerTop = 8'hE3;
  localparam int unsigned SchedulerSize = 32'h0100_0000;
  localparam logic [31:0] UserBase = 32'hE400_0000;  // a device of the user's, on a bus port of cl_soc; a bus error without one
  localparam logic [7:0] UserTop = 8'hE4;
  localparam int unsigned UserSize = 32'h0100_0000;
  localparam logic [31:0] DebugBase = 32'hE500_0000;  // page of a debug module outside of cl_soc; a bus error without one
  localparam logic [19:0] DebugTop = 20'hE5000;
  localparam int unsigned DebugSize = 32'h0000_1000;
  localparam logic [31:0] PrivateBase = 32'hF000_0000;  // private to each core: never reaches the shared bus
  localparam logic [3:0] PrivateTop = 4'hF;
  localparam int unsigned PrivateSize = 32'h1000_0000;
  localparam logic [31:0] KernelBase = 32'hF000_0000;  // kernel port: op << 12 | id << 2
  localparam logic [11:0] KernelTop = 12'hF00;
  localparam int unsigned KernelSize = 32'h0010_0000;
  localparam logic [31:0] LocalBase = 32'hF010_0000;  // local device
  localparam logic [23:0] LocalTop = 24'hF01000;
  localparam int unsigned LocalSize = 32'h0000_0100;
  localparam logic [31:0] IpcBase = 32'hF020_0000;  // communication port: patience << 16 | op << 10 | index << 2
  localparam logic [10:0] IpcTop = 11'h781;
  localparam int unsigned IpcSize = 32'h0020_0000;
  localparam logic [31:0] NearKernelBase = 32'hFFFF_F800;  // with two banks of registers: kernel port again, op << 2
  localparam logic [23:0] NearKernelTop = 24'hFFFFF8;
  localparam int unsigned NearKernelSize = 32'h0000_0100;
  localparam logic [31:0] NearLocalBase = 32'hFFFF_F900;  // with two banks of registers: local device again
  localparam logic [23:0] NearLocalTop = 24'hFFFFF9;
  localparam int unsigned NearLocalSize = 32'h0000_0100;
  localparam logic [31:0] BanksBase = 32'hFFFF_FFF0;  // two banks of registers
  localparam logic [27:0] BanksTop = 28'hFFFFFFF;
  localparam int unsigned BanksSize = 32'h0000_0010;
  localparam logic [31:0] FarBase = 32'hF030_0000;  // processor 1: far side of the Back-Door
  localparam logic [23:0] FarTop = 24'hF03000;
  localparam int unsigned FarSize = 32'h0000_0100;

  // Offsets in the devices; Top: the upper offset bits shared by an array of registers
  localparam logic [7:0] UartTx = 8'h00;
  localparam logic [7:0] UartStatus = 8'h04;
  localparam logic [7:0] BanksSave = 8'h00;
  localparam logic [7:0] BanksBack = 8'h04;
  localparam logic [7:0] BanksResume = 8'h08;
  localparam logic [7:0] LocalCpuId = 8'h00;
  localparam logic [7:0] LocalCpuCount = 8'h04;
  localparam logic [7:0] LocalCycle = 8'h08;
  localparam logic [7:0] LocalCycleH = 8'h0C;
  localparam logic [7:0] LocalBusCount = 8'h10;
  localparam logic [7:0] LocalLockAddress = 8'h20;
  localparam logic [7:0] LocalLockGrant = 8'h24;
  localparam logic [7:0] LocalLockAcquire = 8'h28;
  localparam logic [7:0] LocalLockRelease = 8'h2C;
  localparam logic [1:0] LocalTraceTop = 2'd1;
  localparam logic [7:0] LocalExit = 8'h80;
  localparam logic [7:0] LocalMtimeLo = 8'hC0;
  localparam logic [7:0] LocalMtimeHi = 8'hC4;
  localparam logic [7:0] LocalMtimecmpLo = 8'hC8;
  localparam logic [7:0] LocalMtimecmpHi = 8'hCC;
  localparam logic [7:0] LocalIpi = 8'hD0;
  localparam logic [7:0] LocalIpiClear = 8'hD4;
  localparam logic [7:0] LocalLinePending = 8'hE0;
  localparam logic [7:0] LocalLineClear = 8'hE4;
  localparam logic [7:0] LocalLineEnable = 8'hE8;

endpackage
// verilator lint_on UNUSEDPARAM
