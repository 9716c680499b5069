// SPDX-License-Identifier: Apache-2.0
// Types that the units of a platform share. Its addresses are in cl_soc_map_pkg, made from data/soc.toml.

package cl_soc_pkg;

  import cl_soc_map_pkg::*;

  // Core families; each is an adapter around an unmodified third-party core.
  typedef enum int unsigned {
    CoreEconomy  = 0,  // PicoRV32: multi-cycle, no cache
    CoreStandard = 1,  // Ibex: pipelined, instruction cache
    CoreFast     = 2   // VexRiscv: pipelined for a short cycle, instruction cache
  } core_e;

  // The bus is OBI (docs/decisions/0066-obi.md): a request with its payload is taken in the cycle in which req and gnt are
  // 1; its answer, loads' and stores', comes with rvalid, not before the next cycle and in the order of the requests.
  // req, gnt and rvalid are wires of their own: in one record with the payload they would make loops of logic for tools.
  typedef struct packed {
    logic        we;     // 1 store, 0 load
    logic [3:0]  be;     // bytes of the word that a store writes
    logic [31:0] addr;   // byte address, [1:0] = 0
    logic [31:0] wdata;
  } obi_req_t;

  typedef struct packed {
    logic        err;    // nothing answers at that address, or not to this access
    logic [31:0] rdata;  // of a load
  } obi_rsp_t;

  // Activity of a hardware thread, for the simulation harness
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

endpackage
