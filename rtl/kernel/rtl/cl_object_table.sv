// SPDX-License-Identifier: Apache-2.0
// A table of objects that are created and destroyed: which there are, and a record of each.
//
// The record of read_id_i is there in the next cycle, and whether the object exists: both are early then. create_i puts
// new_o, the lowest free number, into use with record wdata_i, only while room_o; we_i writes the record of id_i;
// destroy_i ends id_i. Each takes effect in the next cycle. Ids are 10 bits wide, as callers send them.
// Count may be 0: then there is never one, nor room for one.
module cl_object_table #(
  parameter  int unsigned Count   = 32,
  parameter  int unsigned Width   = 8,
  localparam int unsigned Slots   = (Count > 0) ? Count : 1,
  localparam int unsigned IdWidth = (Slots > 1) ? $clog2(Slots) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic       [9:0] read_id_i,
  output logic [Width-1:0] rdata_o,
  output logic [Slots-1:0] used_o,     // which there are
  input  logic       [9:0] id_i,
  output logic             exists_o,   // the object read
  output logic             room_o,
  output logic       [9:0] new_o,
  input  logic             create_i,
  input  logic             destroy_i,
  input  logic             we_i,
  input  logic [Width-1:0] wdata_i
);

  logic [IdWidth-1:0] id, new_id, waddr;

  assign id       = IdWidth'(id_i);
  assign new_o    = 10'(new_id);
  assign waddr    = create_i ? new_id : id;

  logic room;
  assign room_o = room && Count > 0;

  logic unused_id;  // an id has more bits than a small table needs
  assign unused_id = ^id_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) exists_o <= 1'b0;
    else         exists_o <= 32'(read_id_i) < Slots && used_o[IdWidth'(read_id_i)];
  end

  cl_ram_1r1w #(.Width(Width), .AddrWidth(IdWidth)) u_record (
    .clk_i, .we_i(create_i | we_i), .waddr_i(waddr), .wdata_i, .raddr_i(IdWidth'(read_id_i)), .rdata_o
  );

  cl_free_id #(.Count(Slots)) u_ids (
    .clk_i, .rst_ni, .take_i(create_i), .release_i(destroy_i), .id_i(id),
    .used_o, .valid_o(room), .id_o(new_id)
  );

endmodule
