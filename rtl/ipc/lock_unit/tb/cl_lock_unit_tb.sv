// SPDX-License-Identifier: Apache-2.0
// How cl_lock_unit is used: clients lock addresses, wait in the order in which they came, and release.
// Cycles are those of the README.
module cl_lock_unit_tb;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;

  logic [2:0]       set, clear, busy, grant;
  logic [2:0][31:0] addr;

  cl_lock_unit #(.Clients(3)) u_lock_unit (
    .clk_i(clk), .rst_ni(rst_n), .set_i(set), .clear_i(clear), .addr_i(addr), .busy_o(busy), .grant_o(grant)
  );

  // A cycle in which a client asks for an address, or releases what it has.
  task automatic ask(input logic [1:0] client, input logic [31:0] address);
    set[client]  = 1'b1;
    addr[client] = address;
    @(negedge clk);
    set = '0;
  endtask

  task automatic release_lock(input logic [1:0] client);
    clear[client] = 1'b1;
    @(negedge clk);
    clear = '0;
  endtask

  // Request and grant bits in this cycle, which then passes.
  task automatic bits(input logic [2:0] requests, input logic [2:0] grants);
    @(posedge clk);
    check("busy_o", 32'(busy), 32'(requests));
    check("grant_o", 32'(grant), 32'(grants));
    @(negedge clk);
  endtask

  initial begin
    {set, clear, addr} = '0;
    repeat (2) @(negedge clk);
    rst_n = 1;

    // A free address: the grant bit follows the request bit by one cycle.
    ask(1, 32'h4000_0100);
    bits(3'b010, 3'b000);
    bits(3'b010, 3'b010);

    // Two more want the same address: client 2 asks first, so it is the next, whatever the numbers are.
    ask(2, 32'h4000_0100);
    ask(0, 32'h4000_0100);
    bits(3'b111, 3'b010);
    release_lock(1);
    bits(3'b101, 3'b100);  // one cycle after the release

    // Another address is not concerned.
    ask(1, 32'h4000_0104);
    bits(3'b111, 3'b100);
    bits(3'b111, 3'b110);

    release_lock(2);
    bits(3'b011, 3'b011);

    passed("cl_lock_unit");
  end

endmodule
