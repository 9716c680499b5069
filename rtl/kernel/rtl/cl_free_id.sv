// SPDX-License-Identifier: Apache-2.0
// Numbers in use, and the lowest free one.
//
// take_i puts id_o, the lowest free number, into use; release_i frees id_i; each takes effect in the next
// cycle, and only one of them is given at a time. valid_o = 0: all are in use, and id_o means nothing. The caller takes
// only what is valid.
module cl_free_id #(
  parameter  int unsigned Count   = 32,
  localparam int unsigned IdWidth = (Count > 1) ? $clog2(Count) : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               take_i,
  input  logic               release_i,
  input  logic [IdWidth-1:0] id_i,
  output logic   [Count-1:0] used_o,
  output logic               valid_o,
  output logic [IdWidth-1:0] id_o
);

  // The first group of four that has a free number, then the first one in it: a LUT4 each. The lowest group is the last
  // one in reverse order.
  localparam int unsigned Groups     = (Count + 3) / 4;
  localparam int unsigned GroupWidth = (Groups > 1) ? $clog2(Groups) : 1;

  logic [Groups-1:0][3:0] free;
  logic      [Groups-1:0] any_reversed;
  logic  [GroupWidth-1:0] last, group;
  logic             [2:0] of_group;  // else it is the last one
  logic             [1:0] first;
  logic     [IdWidth-1:0] changed;
  logic                   unused;

  assign group    = GroupWidth'(Groups - 1) - last;
  assign of_group = free[group][2:0];
  assign first    = {of_group[1:0] == '0, !of_group[0] && (of_group[1] || !of_group[2])};
  assign id_o     = IdWidth'({group, first});
  assign changed  = take_i ? id_o : id_i;

  for (genvar i = 0; i < Groups * 4; i++) begin : g_free
    if (i < Count) begin : g_id
      assign free[i/4][i%4] = ~used_o[i];
    end else begin : g_none
      assign free[i/4][i%4] = 1'b0;
    end
  end

  for (genvar g = 0; g < Groups; g++) begin : g_reverse
    assign any_reversed[g] = free[Groups-1-g] != '0;
  end

  cl_find_last_set #(.Width(Groups)) u_find (
    .bits_i     (any_reversed),
    .valid_o,
    .multiple_o (unused),
    .index_o    (last)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni)                 used_o          <= '0;
    else if (take_i | release_i) used_o[changed] <= take_i;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertOneChange:   assert (!take_i || !release_i);
      AssertTakeValid:   assert (!take_i || valid_o);
      AssertReleaseUsed: assert (!release_i || used_o[id_i]);
    end
  end
`endif

endmodule
