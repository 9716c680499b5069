// SPDX-License-Identifier: Apache-2.0
// How cl_button is used: a pin that bounces changes the output once, when it has been steady for Clocks cycles.
module cl_button_tb;
  import cl_tb_pkg::*;

  localparam int Clocks = 5;

  bit clk, rst_n;
  always #5 clk = !clk;

  logic pin, pressed;

  cl_button #(.Clocks(Clocks)) u_button (.clk_i(clk), .rst_ni(rst_n), .pin_i(pin), .pressed_o(pressed));

  // For so many cycles the pin has a level, and the output another one or the same.
  task automatic hold(input int cycles, input logic level, input logic out);
    pin = level;
    repeat (cycles) begin
      @(posedge clk);
      check("pressed_o", 32'(pressed), 32'(out));
      @(negedge clk);
    end
  endtask

  initial begin
    pin = 1'b0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    hold(10, 0, 0);
    hold(2, 1, 0);  // it bounces: too short, each time
    hold(1, 0, 0);
    hold(Clocks - 1, 1, 0);
    hold(1, 0, 0);

    hold(2 + Clocks, 1, 0);  // two cycles of the synchroniser, and Clocks in which it is steady
    hold(10, 1, 1);
    hold(3, 0, 1);  // the same when it is released
    hold(1, 1, 1);
    hold(2 + Clocks, 0, 1);
    hold(10, 0, 0);

    passed("cl_button");
  end

endmodule
