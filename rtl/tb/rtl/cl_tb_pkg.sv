// SPDX-License-Identifier: Apache-2.0
// What the testbenches of target `sim` have in common (FOLDER/tb/NAME_tb.sv): a check, and the last line.
//
// All of them change inputs at the falling edge of the clock, half a cycle before the unit takes them, so what they show
// does not depend on the order within an edge, in which simulators differ.
// verilator lint_off UNUSEDPARAM
package cl_tb_pkg;

  localparam logic Load = 1'b0, Store = 1'b1;  // the direction of an access

  // Ends the simulation, with an error, if a value is not the expected one.
  function automatic void check(input string what, input logic [31:0] found, input logic [31:0] expected);
    if (found !== expected) begin
      $fatal(1, "%s: %0d (0x%0h) instead of %0d (0x%0h).", what, found, found, expected, expected);
    end
  endfunction

  // Ends the simulation: all checks of the unit have passed.
  function automatic void passed(input string unit);
    $display("%s: passed", unit);
    $finish(0);
  endfunction

endpackage
// verilator lint_on UNUSEDPARAM
