// SPDX-License-Identifier: Apache-2.0
// The interface between the processors' ports and the units that execute the operations: access_t to every unit, reply_t
// back. Each unit has one of each per processor: `input access_t [Cpus-1:0] access_i`, `output reply_t [Cpus-1:0] reply_o`.
package cl_ipc_port_pkg;

  import cl_ipc_pkg::*;

  // The operation that processor p executes, from registers; stable until the cycle in which it completes.
  typedef struct packed {
    logic        valid;
    logic        we;
    op_e         op;       // may be a number without a name
    logic [7:0]  index;
    logic [31:0] wdata;
    error_e      code;     // ErrorTimeout or ErrorInterrupted: its error if it gives up in this cycle
    logic        last;     // it gives up in this cycle unless a unit is ready
  } access_t;

  // Legal: op has a name, is a load or store as it says, and names something that there is; the index of an operation
  // without one is 0.
  // All 0 unless valid and the operation is the unit's, so that the replies of all units are ORed.
  // It completes in the cycle valid & hit & (ready | last), with rdata; it is done only if ready.
  // valid with no unit's hit is a bus error.
  typedef struct packed {
    logic        hit;      // a legal access to this unit: op, we and index; from access and parameters only
    logic        ready;    // it can be done now
    logic [31:0] rdata;    // looked at when ready | last; 0 of a store
  } reply_t;

  // The word that a load returns, except for mailbox_get and mutex_word.
  function automatic logic [31:0] result(error_e error, logic [WordValueWidth-1:0] value);
    return {error, value};
  endfunction

endpackage
