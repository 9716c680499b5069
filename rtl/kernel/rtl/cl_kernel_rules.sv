// Generated from src/coreloom/design/keys.py by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0
// The rules between parameters of cl_kernel; nothing is made of it.
// verilog_lint: waive-start line-length
module cl_kernel_rules #(
  parameter cl_kernel_pkg::cfg_t Cfg = cl_kernel_pkg::Default
) ();

  if (Cfg.Cpus + Cfg.HwThreads > 16) begin : g_rule_0 $error("cl_kernel: Cpus + HwThreads must be at most 16: lower Cpus or HwThreads"); end
  if ((Cfg.HwThreads != 0) && (Cfg.Priorities > 128)) begin : g_rule_1 $error("cl_kernel: Priorities must be at most 128 with HwThreads: lower Priorities, or remove HwThreads"); end
  if ((Cfg.Pipeline) && !(Cfg.Policy == 0)) begin : g_rule_2 $error("cl_kernel: Pipeline needs Policy = 'priority': set that, or remove Pipeline"); end
  if ((Cfg.Reserve) && !(Cfg.Policy == 0)) begin : g_rule_3 $error("cl_kernel: Reserve needs Policy = 'priority': set that, or remove Reserve"); end
  if ((Cfg.Inheritance) && !(Cfg.Policy == 0)) begin : g_rule_4 $error("cl_kernel: Inheritance needs Policy = 'priority': set that, or remove Inheritance"); end
  if ((Cfg.Inheritance) && !(Cfg.Mutexes != 0)) begin : g_rule_5 $error("cl_kernel: Inheritance needs Mutexes: set that, or remove Inheritance"); end
  if ((Cfg.EventFlags) && (Cfg.Pipeline)) begin : g_rule_6 $error("cl_kernel: EventFlags and Pipeline exclude each other: remove one of them"); end
  if ((Cfg.Monitors) && !(Cfg.Mutexes != 0)) begin : g_rule_7 $error("cl_kernel: Monitors needs Mutexes: set that, or remove Monitors"); end
  if ((Cfg.Monitors) && (Cfg.Pipeline)) begin : g_rule_8 $error("cl_kernel: Monitors and Pipeline exclude each other: remove one of them"); end
  if ((Cfg.Monitors) && (Cfg.Inheritance)) begin : g_rule_9 $error("cl_kernel: Monitors and Inheritance exclude each other: remove one of them"); end

endmodule
