// SPDX-License-Identifier: Apache-2.0
// How cl_find_last_set is used: the highest bit of a word, in the same cycle.
module cl_find_last_set_tb;
  import cl_tb_pkg::*;

  logic [11:0] bits;
  logic        valid, multiple;
  logic [3:0]  index;

  cl_find_last_set #(.Width(12)) u_find (.bits_i(bits), .valid_o(valid), .multiple_o(multiple), .index_o(index));

  // The highest bit of a word, whether there is one, and whether more than one is set.
  task automatic find(input logic [11:0] word, input logic [3:0] highest, input logic any, input logic more);
    bits = word;
    #1;
    check("index_o", 32'(index), 32'(highest));
    check("valid_o", 32'(valid), 32'(any));
    check("multiple_o", 32'(multiple), 32'(more));
  endtask

  initial begin
    find(12'b0000_0000_0000, 0, 0, 0);  // of no bit the index is 0
    find(12'b0000_0000_0001, 0, 1, 0);
    find(12'b0000_1010_0110, 7, 1, 1);
    find(12'b1000_0000_0000, 11, 1, 0);

    // Each bit alone, and with all bits below it.
    for (int i = 0; i < 12; i++) begin
      find(12'(1 << i), 4'(i), 1, 0);
      find(12'((2 << i) - 1), 4'(i), 1, i > 0);
    end

    passed("cl_find_last_set");
  end

endmodule
