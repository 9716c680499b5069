// SPDX-License-Identifier: Apache-2.0
// Types and addresses that the units of a platform share. The memory map is drawn in rtl/soc/README.md.

package cl_soc_pkg;

  // Core families; each is an adapter around an unmodified third-party core.
  typedef enum int unsigned {
    CoreEconomy  = 0,  // PicoRV32: multi-cycle, no cache
    CoreStandard = 1   // Ibex: pipelined, instruction cache
  } core_e;

  // What a master asks for. Valid while req is high and unchanged until gnt.
  typedef struct packed {
    logic        we;     // 1 store, 0 load
    logic [3:0]  be;     // bytes of the word that a store writes
    logic [31:0] addr;   // byte address, [1:0] = 0
    logic [31:0] wdata;
  } bus_cmd_t;

  parameter logic [31:0] RamBase  = 32'h4000_0000;
  parameter logic [31:0] LocalMemoryBase = 32'h2000_0000;  // private to each core, never on the bus
  parameter logic [31:0] UartBase = 32'hE000_0000;
  parameter logic [19:0] UnitTop  = 20'hE1000;       // 0xE100_0000 + 0x100 n: hardware thread n
  parameter logic [31:0] BackDoorBase  = 32'hE200_0000;  // its near side
  parameter int unsigned BackDoorBytes = 32'h40_0000;

  // The private space of each core: everything with these top bits never reaches the shared bus.
  parameter logic [3:0]  PrivateTop = 4'hF;
  parameter logic [13:0] KernelTop  = 14'h3C00;      // 0xF000_0000, 256 KiB
  parameter logic [23:0] LocalTop   = 24'hF0_1000;   // 0xF010_0000, 256 B
  parameter logic [10:0] IpcTop     = 11'h781;       // 0xF020_0000, 2 MiB: the communication port

  // Offsets in the local device.
  parameter logic [7:0] LocalCpuId       = 8'h00;
  parameter logic [7:0] LocalCpuCount    = 8'h04;
  parameter logic [7:0] LocalCycle       = 8'h08;
  parameter logic [7:0] LocalCycleH      = 8'h0C;
  parameter logic [7:0] LocalBusCount    = 8'h10;
  parameter logic [7:0] LocalLockAddress = 8'h20;
  parameter logic [7:0] LocalLockGrant   = 8'h24;
  parameter logic [7:0] LocalLockAcquire = 8'h28;
  parameter logic [7:0] LocalLockRelease = 8'h2C;
  parameter logic [1:0] LocalTraceTop    = 2'b01;    // 0x40 + 4 * kind
  parameter logic [7:0] LocalExit        = 8'h80;
  parameter logic [7:0] LocalMtimeLo     = 8'hC0;
  parameter logic [7:0] LocalMtimeHi     = 8'hC4;
  parameter logic [7:0] LocalMtimecmpLo  = 8'hC8;
  parameter logic [7:0] LocalMtimecmpHi  = 8'hCC;
  parameter logic [7:0] LocalIpi         = 8'hD0;
  parameter logic [7:0] LocalIpiClear    = 8'hD4;
  parameter logic [7:0] LocalLinePending = 8'hE0;    // of processor 0 only
  parameter logic [7:0] LocalLineClear   = 8'hE4;
  parameter logic [7:0] LocalLineEnable  = 8'hE8;

  // What a hardware thread does, for the simulation harness
  typedef enum logic [1:0] {
    UnitEnded   = 2'd0,   // its thread has ended, or there was none yet
    UnitRuns    = 2'd1,
    UnitWaits   = 2'd2,   // in the kernel
    UnitStopped = 2'd3    // by a command
  } unit_e;

  // Whether an address lies in a local memory of `bytes` (0: there is none, else a power of two).
  function automatic logic in_local_memory(logic [31:0] addr, int unsigned bytes);
    return (bytes != 0) && (((addr ^ LocalMemoryBase) & ~(bytes - 1)) == '0);
  endfunction

  // Interrupt lines: the pins first
  parameter int unsigned Lines    = 8;
  parameter int unsigned LinePins = 4;

endpackage
