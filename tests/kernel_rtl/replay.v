// SPDX-License-Identifier: Apache-2.0
// An exported cl_kernel gets the pins of a stream (concurrent.cpp), and must do the same in each cycle. rdata_o counts
// with rvalid_o; nothing counts in reset.
module replay;
  reg                           clk = 0, rst_n, tick;
  reg                   [31:0]  number, now = 0;
  reg            [`CLIENTS-1:0] req, we, want_gnt, want_rvalid, want_idle;
  reg               [`CPUS-1:0] intr, want_irq;
  reg              [`LINES-1:0] line;
  reg         [18*`CLIENTS-1:0] addr;
  reg         [32*`CLIENTS-1:0] wdata, want_rdata;
  wire           [`CLIENTS-1:0] gnt, rvalid, idle;
  wire              [`CPUS-1:0] irq;
  wire        [32*`CLIENTS-1:0] rdata;
  reg                    [63:0] word;
  integer                       file, cycle, c, same;

  cl_kernel_obi dut (
    .clk_i(clk), .rst_ni(rst_n), .tick_i(tick), .now_i(now), .req_i(req), .gnt_o(gnt), .we_i(we), .addr_i(addr),
    .wdata_i(wdata), .rvalid_o(rvalid), .rdata_o(rdata), .irq_o(irq), .intr_i(intr), .idle_o(idle), .line_i(line)
  );

  initial begin
    file = $fopen(`PINS, "r");
    cycle = 0;
    while ($fscanf(file, "%h %h %h %h %h %h %h %h %h %h", rst_n, tick, req, we, intr, line, want_gnt, want_rvalid,
                   want_irq, want_idle) == 10) begin
      for (c = 0; c < `CLIENTS; c = c + 1) begin
        same = $fscanf(file, "%h", word);
        addr[18*c+:18] = word;
        same = $fscanf(file, "%h", word);
        wdata[32*c+:32] = word;
        same = $fscanf(file, "%h", word);
        want_rdata[32*c+:32] = word;
      end
      #1;
      same = gnt === want_gnt && rvalid === want_rvalid && irq === want_irq && idle === want_idle;
      for (c = 0; c < `CLIENTS; c = c + 1)
        if (want_rvalid[c]) same = same && rdata[32*c+:32] === want_rdata[32*c+:32];
      if (rst_n && !same) begin
        $display("cycle %0d: gnt %b %b, rvalid %b %b, irq %b %b, idle %b %b, rdata %h %h", cycle, gnt, want_gnt, rvalid,
                 want_rvalid, irq, want_irq, idle, want_idle, rdata, want_rdata);
        $finish;
      end
      clk = 1;
      #1;
      clk = 0;
      cycle = cycle + 1;
    end
    $display("%0d cycles are the same", cycle);
    $finish;
  end
endmodule
