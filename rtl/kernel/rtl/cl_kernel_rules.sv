// Generated from src/coreloom/design/keys.py by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0
// The rules between parameters of cl_kernel; nothing is made of it.
// verilog_lint: waive-start line-length
module cl_kernel_rules #(
  parameter int unsigned Cpus,
  parameter bit          EventFlags,
  parameter int unsigned HwThreads,
  parameter bit          Inheritance,
  parameter int unsigned Mutexes,
  parameter bit          Pipeline,
  parameter int unsigned Policy,
  parameter int unsigned Priorities,
  parameter bit          Reserve
) ();

  if (Cpus + HwThreads > 16) begin : g_rule_0 $error("cl_kernel: Cpus + HwThreads must be at most 16: lower Cpus or HwThreads"); end
  if ((HwThreads != 0) && (Priorities > 128)) begin : g_rule_1 $error("cl_kernel: Priorities must be at most 128 with HwThreads: lower Priorities, or remove HwThreads"); end
  if ((Pipeline) && !(Policy == 0)) begin : g_rule_2 $error("cl_kernel: Pipeline needs Policy = 'priority': set that, or remove Pipeline"); end
  if ((Reserve) && !(Policy == 0)) begin : g_rule_3 $error("cl_kernel: Reserve needs Policy = 'priority': set that, or remove Reserve"); end
  if ((Inheritance) && !(Policy == 0)) begin : g_rule_4 $error("cl_kernel: Inheritance needs Policy = 'priority': set that, or remove Inheritance"); end
  if ((Inheritance) && !(Mutexes != 0)) begin : g_rule_5 $error("cl_kernel: Inheritance needs Mutexes: set that, or remove Inheritance"); end
  if ((EventFlags) && (Pipeline)) begin : g_rule_6 $error("cl_kernel: EventFlags and Pipeline exclude each other: remove one of them"); end

endmodule
