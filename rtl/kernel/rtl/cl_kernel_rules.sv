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

  if (Cpus + HwThreads > 16) begin : g_cpus_kernel_hardware_threads $error("cl_kernel: Cpus + HwThreads must be at most 16: lower Cpus or HwThreads"); end
  if ((HwThreads != 0) && (Priorities > 128)) begin : g_kernel_priorities_kernel_hardware_threads $error("cl_kernel: Priorities must be at most 128 with HwThreads: lower Priorities, or remove HwThreads"); end
  if ((Reserve) && !(Policy == 0)) begin : g_kernel_reserve_kernel_policy $error("cl_kernel: Reserve needs Policy = 'priority': set that, or remove Reserve"); end
  if ((Inheritance) && !(Policy == 0)) begin : g_kernel_inheritance_kernel_policy $error("cl_kernel: Inheritance needs Policy = 'priority': set that, or remove Inheritance"); end
  if ((Inheritance) && !(Mutexes != 0)) begin : g_kernel_inheritance_kernel_mutexes $error("cl_kernel: Inheritance needs Mutexes: set that, or remove Inheritance"); end
  if ((Pipeline) && !(Policy == 0)) begin : g_kernel_pipeline_kernel_policy $error("cl_kernel: Pipeline needs Policy = 'priority': set that, or remove Pipeline"); end
  if ((Pipeline) && (EventFlags)) begin : g_kernel_pipeline_kernel_events $error("cl_kernel: Pipeline and EventFlags exclude each other: remove one of them"); end

endmodule
