// SPDX-License-Identifier: Apache-2.0
// A hardware thread: a client of the kernel that runs one thread at a time, its module the unit of number Kind.
// See ../README.md for the registers and the module's interface.
module cl_hw_thread
  import cl_soc_pkg::*;
#(
  parameter int unsigned Kind = 1   // see ../data/units.toml
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Registers: never stall, the response is one cycle after the request
  input  logic        reg_req_i,
  input  obi_req_t    reg_cmd_i,
  output logic [31:0] reg_rdata_o,     // 0 unless it was asked in the cycle before
  output logic        reg_err_o,

  // Client port of the kernel
  output logic        kernel_req_o,
  input  logic        kernel_gnt_i,
  output logic        kernel_we_o,
  output logic [17:0] kernel_addr_o,   // {op[7:0], id[9:0]}
  output logic [31:0] kernel_wdata_o,
  input  logic        kernel_rvalid_i, // one cycle after the grant or later
  input  logic [31:0] kernel_rdata_i,

  // Master of the shared bus
  output logic        bus_req_o,
  output obi_req_t    bus_cmd_o,
  input  logic        bus_gnt_i,
  input  logic        bus_rvalid_i,    // exactly one cycle after the grant
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,

  output logic        busy_o,          // START is refused

  // To the simulation harness
  output logic        has_thread_o,
  output logic        stopped_o,
  output logic [15:0] tid_o            // its current or last thread
);

  logic        unit_rst_n, run, start, done, call_valid, call_store, call_load, call_done;
  logic        mem_req, mem_gnt, mem_rvalid;
  logic  [7:0] call_op;
  logic  [9:0] call_id;
  logic [31:0] argument, result, call_word, call_answer, call_message, mem_rdata;
  obi_req_t    mem_cmd;

  cl_hw_control #(
    .Kind(Kind)
  ) u_control (
    .clk_i,
    .rst_ni,
    .reg_req_i,
    .reg_cmd_i,
    .reg_rdata_o,
    .reg_err_o,
    .kernel_req_o,
    .kernel_gnt_i,
    .kernel_we_o,
    .kernel_addr_o,
    .kernel_wdata_o,
    .kernel_rvalid_i,
    .kernel_rdata_i,
    .bus_req_o,
    .bus_cmd_o,
    .bus_gnt_i,
    .bus_rvalid_i,
    .bus_err_i,
    .bus_rdata_i,
    .busy_o,
    .has_thread_o,
    .stopped_o,
    .tid_o,
    .unit_rst_no   (unit_rst_n),
    .run_o         (run),
    .start_o       (start),
    .argument_o    (argument),
    .done_i        (done),
    .result_i      (result),
    .call_valid_i  (call_valid),
    .call_op_i     (call_op),
    .call_id_i     (call_id),
    .call_store_i  (call_store),
    .call_word_i   (call_word),
    .call_load_i   (call_load),
    .call_done_o   (call_done),
    .call_answer_o (call_answer),
    .call_message_o(call_message),
    .mem_req_i     (mem_req),
    .mem_cmd_i     (mem_cmd),
    .mem_gnt_o     (mem_gnt),
    .mem_rvalid_o  (mem_rvalid),
    .mem_rdata_o   (mem_rdata)
  );

  cl_hw_unit #(
    .Kind(Kind)
  ) u_unit (
    .clk_i,
    .rst_ni        (unit_rst_n),
    .run_i         (run),
    .start_i       (start),
    .argument_i    (argument),
    .done_o        (done),
    .result_o      (result),
    .call_valid_o  (call_valid),
    .call_op_o     (call_op),
    .call_id_o     (call_id),
    .call_store_o  (call_store),
    .call_word_o   (call_word),
    .call_load_o   (call_load),
    .call_done_i   (call_done),
    .call_answer_i (call_answer),
    .call_message_i(call_message),
    .mem_req_o     (mem_req),
    .mem_cmd_o     (mem_cmd),
    .mem_gnt_i     (mem_gnt),
    .mem_rvalid_i  (mem_rvalid),
    .mem_rdata_i   (mem_rdata)
  );

endmodule
