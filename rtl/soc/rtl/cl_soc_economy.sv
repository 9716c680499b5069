// SPDX-License-Identifier: Apache-2.0
// cl_soc with two PicoRV32: how a top sets the record of parameters. FuseSoC lints this one.
module cl_soc_economy
  import cl_soc_cfg_pkg::*;
  import cl_soc_map_pkg::*;
  import cl_soc_pkg::*;
(
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [LinePins-1:0] line_i,
  output logic                uart_tx_o
);

  function automatic cfg_t economy();
    economy      = Default;
    economy.Core = CoreEconomy;
  endfunction

  logic     unused_user_req, unused_ask, unused_ram, unused_uart, unused_exit;
  logic [7:0] unused_status;
  logic unused_page;
  obi_req_t unused_user_cmd;

  cl_soc #(.Cfg(economy())) u_soc (
    .clk_i,
    .far_clk_i    (clk_i),
    .rst_ni,
    .line_i,
    .uart_tx_o,
    .user_req_o   (unused_user_req),
    .user_cmd_o   (unused_user_cmd),
    .user_gnt_i   (1'b0),
    .user_rvalid_i(1'b0),
    .user_rsp_i   ('0),
    .debug_page_req_o  (unused_page),
    .debug_page_rdata_i('0),
    .debug_req_i       ('0),
    .ram_ask_o    (unused_ask),
    .ram_ready_i  (1'b0),
    .ram_req_o    (unused_ram),
    .ram_rdata_i  ('0),
    .uart_req_o   (unused_uart),
    .uart_rdata_i ('0),
    .exit_o       (unused_exit),
    .exit_status_o(unused_status)
  );

endmodule
