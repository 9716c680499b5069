// Generated from rtl/hwt/data/units.toml by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0
module cl_hw_unit #(
  parameter int unsigned Kind = 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        run_i,
  input  logic        start_i,
  input  logic [31:0] argument_i,
  output logic        done_o,
  output logic [31:0] result_o,
  output logic        call_valid_o,
  output logic  [7:0] call_op_o,
  output logic  [9:0] call_id_o,
  output logic        call_store_o,
  output logic [31:0] call_word_o,
  output logic        call_load_o,
  input  logic        call_done_i,
  input  logic [31:0] call_answer_i,
  input  logic [31:0] call_message_i,
  output logic        mem_req_o,
  output cl_soc_pkg::obi_req_t mem_cmd_o,
  input  logic        mem_gnt_i,
  input  logic        mem_rvalid_i,
  input  logic [31:0] mem_rdata_i
);

  if (Kind == 1) begin : g_crc32
    cl_hwt_crc32 u_unit (.*);
  end else if (Kind == 2) begin : g_convolution
    cl_hwt_convolution u_unit (.*);
  end else if (Kind == 3) begin : g_sort
    cl_hwt_sort u_unit (.*);
  end else if (Kind == 14) begin : g_template
    cl_hwt_template u_unit (.*);
  end else if (Kind == 15) begin : g_script
    cl_hwt_script u_unit (.*);
  end else begin : g_none
    $error("cl_hw_unit: no unit of this Kind; choose one from rtl/hwt/data/units.toml");
  end

endmodule
