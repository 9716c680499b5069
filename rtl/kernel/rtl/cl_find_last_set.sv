// SPDX-License-Identifier: Apache-2.0
// Number of the highest bit set; combinational, a tree of depth log2(Width).
//
// index_o is 0 when no bit is set (valid_o = 0). multiple_o: more than one is set.
module cl_find_last_set #(
  parameter  int unsigned Width      = 32,
  localparam int unsigned IndexWidth = (Width > 1) ? $clog2(Width) : 1
) (
  input  logic      [Width-1:0] bits_i,
  output logic                  valid_o,
  output logic                  multiple_o,
  output logic [IndexWidth-1:0] index_o
);

  localparam int unsigned Leaves = 2**IndexWidth;

  // Node n has the children 2n and 2n+1; the leaves are the nodes Leaves to 2*Leaves-1.
  logic [2*Leaves-1:0]                 valid, multiple;
  logic [2*Leaves-1:0][IndexWidth-1:0] index;

  assign valid[0]    = 1'b0;
  assign multiple[0] = 1'b0;
  assign index[0]    = '0;

  for (genvar i = 0; i < Leaves; i++) begin : g_leaf
    if (i < Width) begin : g_bit
      assign valid[Leaves+i] = bits_i[i];
    end else begin : g_none
      assign valid[Leaves+i] = 1'b0;
    end
    assign multiple[Leaves+i] = 1'b0;
    assign index[Leaves+i]    = IndexWidth'(i);
  end

  for (genvar n = 1; n < Leaves; n++) begin : g_node
    assign valid[n]    = valid[2*n] | valid[2*n+1];
    assign multiple[n] = multiple[2*n] | multiple[2*n+1] | (valid[2*n] & valid[2*n+1]);
    assign index[n]    = valid[2*n+1] ? index[2*n+1] : index[2*n];
  end

  assign valid_o    = valid[1];
  assign multiple_o = multiple[1];
  assign index_o    = valid[1] ? index[1] : '0;

  logic unused;
  assign unused = valid[0] ^ multiple[0] ^ (^index[0]);

endmodule
