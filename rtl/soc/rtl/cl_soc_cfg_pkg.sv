// Generated from src/coreloom/design/keys.py by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0
// verilator lint_off UNUSEDPARAM
package cl_soc_cfg_pkg;

  // The parameters of cl_soc, from src/coreloom/design/keys.py. Another value than Default is made by a function:
  //   function automatic cfg_t sized(); sized = Default; sized.Kernel.Threads = 16; endfunction
  typedef struct packed {
    cl_kernel_pkg::cfg_t Kernel;
    bit          HasKernel;      // 0: nothing can reach the kernel, so synthesis leaves it out
    int unsigned Core;           // core: 0 economy, 1 standard, 2 fast
    bit          LockFair;       // lock order: 0 lowest, 1 arrival
    bit          LowJitter;      // for a short time from interrupt to thread, always the same
    bit          BusPipeline;    // a register between each processor and the shared bus
    int unsigned RamBytes;       // shared memory
    bit          Sdram;          // model: 0 sram, 1 sdram
    int unsigned LocalBytes;     // local memory of each processor
    logic [63:0] HwKinds;        // the kind of each, of number n in bits 4n+3:4n
    bit          LinearQueue;    // its ready queue is [HT]'s first one
    bit          Scheduler;      // [HT]'s scheduler on the shared bus, next to the kernel; it starts hardware threads by a store
    bit          Ipc;            // the communication port
    int unsigned MailboxDepth;   // words of a mailbox
    int unsigned CpuMutexes;     // mutexes
    int unsigned Barriers;       // barriers
    int unsigned CacheBytes;     // size of each processor's data cache
    int unsigned CacheLineWords; // words of a line, which a miss brings
    bit          BackDoor;       // processor 1 behind a Back-Door
    int unsigned RomBytes;       // bytes of the ROM of the processor behind it
    int unsigned FarBytes;       // local memory of processor 1
    int unsigned BlockBytes;     // each of the two blocks
    int unsigned MailDepth;      // words of a mailbox
  } cfg_t;

  localparam cfg_t Default = '{
    Kernel: cl_kernel_pkg::Default,
    HasKernel: 1'b1, Core: 1, LockFair: 1'b1, LowJitter: 1'b0, BusPipeline: 1'b0,
    RamBytes: 33554432, Sdram: 1'b0, LocalBytes: 0, HwKinds: 64'h0, LinearQueue: 1'b0,
    Scheduler: 1'b0, Ipc: 1'b0, MailboxDepth: 16, CpuMutexes: 16, Barriers: 4,
    CacheBytes: 0, CacheLineWords: 1, BackDoor: 1'b0, RomBytes: 16384, FarBytes: 262144,
    BlockBytes: 32768, MailDepth: 16
  };

endpackage
// verilator lint_on UNUSEDPARAM
