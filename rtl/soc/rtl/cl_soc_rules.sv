// Generated from src/coreloom/design/keys.py by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0
// The rules between parameters of cl_soc; nothing is made of it.
// verilog_lint: waive-start line-length
module cl_soc_rules #(
  parameter cl_soc_cfg_pkg::cfg_t Cfg = cl_soc_cfg_pkg::Default
) ();

  if ((Cfg.Core == 2) && !(!Cfg.BackDoor && Cfg.LocalBytes == 0)) begin : g_rule_0 $error("cl_soc: Core = 'fast' needs interconnect = 'smp-bus': set that, or change Core"); end
  if ((Cfg.Ipc) && (Cfg.Kernel.Cpus > 8)) begin : g_rule_1 $error("cl_soc: Cpus must be at most 8 with Ipc: lower Cpus, or remove Ipc"); end
  if ((Cfg.BackDoor) && !(Cfg.Kernel.Cpus == 1)) begin : g_rule_2 $error("cl_soc: interconnect = 'backdoor' needs Cpus = 1 (it adds processor 1 by itself): set that, or change interconnect"); end
  if ((Cfg.LowJitter) && !(Cfg.Core == 0 || Cfg.Core == 1)) begin : g_rule_3 $error("cl_soc: LowJitter needs Core = 'economy' or 'standard': set that, or remove LowJitter"); end
  if ((Cfg.LowJitter) && !(!Cfg.BackDoor && Cfg.LocalBytes == 0)) begin : g_rule_4 $error("cl_soc: LowJitter needs interconnect = 'smp-bus': set that, or remove LowJitter"); end
  if ((Cfg.LowJitter) && (Cfg.Sdram == 1)) begin : g_rule_5 $error("cl_soc: LowJitter and Sdram = 'sdram' exclude each other: remove one of them"); end
  if ((Cfg.LowJitter) && (Cfg.Scheduler)) begin : g_rule_6 $error("cl_soc: LowJitter and Scheduler exclude each other: remove one of them"); end
  if ((Cfg.BusPipeline) && !(Cfg.Core == 2)) begin : g_rule_7 $error("cl_soc: BusPipeline needs Core = 'fast': set that, or remove BusPipeline"); end
  if ((Cfg.BusPipeline) && (Cfg.Sdram == 1)) begin : g_rule_8 $error("cl_soc: BusPipeline and Sdram = 'sdram' exclude each other: remove one of them"); end
  if ((Cfg.BusPipeline) && (Cfg.Kernel.HwThreads != 0)) begin : g_rule_9 $error("cl_soc: BusPipeline and HwThreads exclude each other: remove one of them"); end
  if ((Cfg.Kernel.HwThreads != 0) && (Cfg.LinearQueue)) begin : g_rule_10 $error("cl_soc: HwThreads and LinearQueue exclude each other: remove one of them"); end
  if ((Cfg.Scheduler) && !(Cfg.Kernel.HwThreads != 0)) begin : g_rule_11 $error("cl_soc: Scheduler needs HwThreads: set that, or remove Scheduler"); end
  if ((Cfg.Scheduler) && !(Cfg.Core == 0 || Cfg.Core == 1)) begin : g_rule_12 $error("cl_soc: Scheduler needs Core = 'economy' or 'standard': set that, or remove Scheduler"); end
  if ((Cfg.CacheBytes != 0) && !(Cfg.Core == 0 || Cfg.Core == 1)) begin : g_rule_13 $error("cl_soc: CacheBytes needs Core = 'economy' or 'standard': set that, or remove CacheBytes"); end
  if ((Cfg.CacheBytes != 0) && (Cfg.Scheduler)) begin : g_rule_14 $error("cl_soc: CacheBytes and Scheduler exclude each other: remove one of them"); end

endmodule
