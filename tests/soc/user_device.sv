// SPDX-License-Identifier: Apache-2.0
// A top of a user's: the SoC, and at its bus port a device of two words: +0 rw, +4 ro: how often it was loaded from and
// stored to. Where the bus waits (Sdram), it grants in the third cycle of a request.
module cl_top
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
#(
  parameter cfg_t Cfg = Default
) (
  input  logic                clk_i,
  input  logic                far_clk_i,
  input  logic                rst_ni,
  input  logic [LinePins-1:0] line_i,
  output logic                uart_tx_o
);

  logic        req, gnt, rvalid_q, err_q;
  logic [31:0] word_q, count_q, rdata_q;
  logic  [1:0] waited_q;
  obi_req_t    cmd;
  obi_rsp_t    rsp;

  cl_soc #(.Cfg(Cfg), .User(1'b1)) u_soc (
    .clk_i,
    .far_clk_i,
    .rst_ni,
    .line_i,
    .uart_tx_o,
    .user_req_o   (req),
    .user_cmd_o   (cmd),
    .user_gnt_i   (gnt),
    .user_rvalid_i(rvalid_q),
    .user_rsp_i   (rsp),
    .debug_req_i  ('0)
  );

  assign gnt       = !Cfg.Sdram || waited_q == 2;
  assign rsp.err   = err_q;
  assign rsp.rdata = rdata_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rvalid_q <= 1'b0;
      err_q    <= 1'b0;
      waited_q <= '0;
      word_q   <= '0;
      count_q  <= '0;
      rdata_q  <= '0;
    end else begin
      rvalid_q <= req & gnt;
      waited_q <= (req & ~gnt) ? waited_q + 2'd1 : '0;
      if (req & gnt) begin
        err_q   <= cmd.addr[23:3] != '0 || (cmd.addr[2] && cmd.we);
        rdata_q <= cmd.addr[2] ? count_q : word_q;
        count_q <= count_q + 32'd1;
        for (int unsigned i = 0; i < 4; i++) begin
          if (cmd.we && cmd.be[i] && cmd.addr[23:2] == '0) word_q[8*i +: 8] <= cmd.wdata[8*i +: 8];
        end
      end
    end
  end

endmodule
