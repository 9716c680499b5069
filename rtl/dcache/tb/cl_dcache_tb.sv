// SPDX-License-Identifier: Apache-2.0
// How cl_dcache is used: loads that miss and hit, a store, and the write of another master. Cycles are from the grant
// to the answer, as in the README. The testbench is the core and the bus with its memory.
module cl_dcache_tb;
  import cl_soc_pkg::*;
  import cl_tb_pkg::*;

  bit clk, rst_n;
  always #5 clk = !clk;
  initial #10000 $fatal(1, "cl_dcache: no end after 1000 cycles.");

  logic        req, gnt, rvalid, err, bus_req, bus_late, bus_gnt, bus_gnt_late, bus_rvalid, snoop;
  obi_req_t    cmd, bus_cmd;
  logic [31:0] rdata, bus_rdata, snoop_addr;

  cl_dcache #(.Bytes(64)) u_dcache (
    .clk_i(clk), .rst_ni(rst_n), .req_i(req), .cmd_i(cmd), .gnt_o(gnt), .rvalid_o(rvalid), .err_o(err),
    .rdata_o(rdata), .bus_req_o(bus_req), .bus_late_o(bus_late), .bus_cmd_o(bus_cmd), .bus_gnt_i(bus_gnt),
    .bus_gnt_late_i(bus_gnt_late), .bus_rvalid_i(bus_rvalid), .bus_err_i(1'b0), .bus_rdata_i(bus_rdata),
    .snoop_valid_i(snoop), .snoop_addr_i(snoop_addr)
  );

  // The bus: late requests are granted if no other master asks, others at once. It answers in the next cycle.
  logic              others;
  int                transfers;
  logic [63:0][31:0] memory;  // 256 bytes from 0x4000_0000 on
  assign bus_gnt      = bus_req;
  assign bus_gnt_late = bus_late && !bus_req && !others;
  always @(posedge clk) begin
    bus_rvalid <= bus_gnt || bus_gnt_late;
    bus_rdata  <= memory[bus_cmd.addr[7:2]];
    if (bus_gnt || bus_gnt_late) begin
      transfers <= transfers + 1;
      if (bus_cmd.we) memory[bus_cmd.addr[7:2]] <= bus_cmd.wdata;
    end
    if (snoop) memory[snoop_addr[7:2]] <= 32'hbbbb_bbbb;  // what the other master writes
  end

  // An access of the core, the cycles that it takes, and the transfers on the bus.
  task automatic access(input logic [7:0] offset, input logic we, input logic [31:0] word, input int cycles,
                        input int on_bus);
    int taken = 0, so_far = transfers;
    cmd = '{we: we, be: '1, addr: 32'h4000_0000 + 32'(offset), wdata: word};
    req = 1'b1;
    @(posedge clk);
    check("gnt_o", 32'(gnt), 1);
    @(negedge clk);
    req = 1'b0;
    do begin
      @(posedge clk);
      taken++;
    end while (!rvalid);
    if (!we) check("rdata_o", rdata, word);
    check("err_o", 32'(err), 0);
    check("the cycles of an access", taken, cycles);
    repeat (2) @(negedge clk);
    check("transfers on the bus", transfers - so_far, on_bus);
  endtask

  initial begin
    {req, cmd, snoop, snoop_addr, others} = '0;
    transfers  = 0;
    memory     = '0;
    memory[4]  = 32'haaaa_0004;
    memory[20] = 32'haaaa_0014;
    repeat (2) @(negedge clk);
    rst_n = 1;
    repeat (20) @(negedge clk);  // it clears a line a cycle

    others = 1;                                // while other masters ask, too
    access(8'h10, Load, 32'haaaa_0004, 2, 1);  // a load that misses
    access(8'h10, Load, 32'haaaa_0004, 1, 0);  // a load that hits
    others = 0;
    access(8'h50, Load, 32'haaaa_0014, 1, 1);   // one that misses on a free bus; it replaces the other
    access(8'h10, Store, 32'hcccc_cccc, 1, 1);  // a store goes through, and brings its word in
    others = 1;
    access(8'h10, Load, 32'hcccc_cccc, 1, 0);

    // A write of another master invalidates the line.
    snoop      = 1;
    snoop_addr = 32'h4000_0010;
    @(negedge clk);
    snoop      = 0;
    access(8'h10, Load, 32'hbbbb_bbbb, 2, 1);

    passed("cl_dcache");
  end

endmodule
