// SPDX-License-Identifier: Apache-2.0
// Registers and commands of a hardware thread; rtl/hwt/README.md says what they do.
package cl_hw_pkg;

  // Offsets, words
  localparam logic [7:0] RegCommand      = 8'h00;
  localparam logic [7:0] RegStatus       = 8'h04;
  localparam logic [7:0] RegArgument     = 8'h08;
  localparam logic [7:0] RegResult       = 8'h0C;
  localparam logic [7:0] RegExitRecord   = 8'h10;
  localparam logic [7:0] RegFaultAddress = 8'h14;
  localparam logic [7:0] RegUnit         = 8'h18;

  localparam logic [31:0] CommandStart  = 32'd1;
  localparam logic [31:0] CommandStop   = 32'd2;
  localparam logic [31:0] CommandResume = 32'd3;
  localparam logic [31:0] CommandReset  = 32'd4;

  // The module's state in STATUS
  typedef enum logic [1:0] {
    StateIdle    = 2'd0,   // in reset
    StateRunning = 2'd1,
    StateStopped = 2'd2,
    StateFaulted = 2'd3    // in reset, after a bus error
  } state_e;

endpackage
