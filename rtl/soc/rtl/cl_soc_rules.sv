// Generated from src/coreloom/design/keys.py by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0
// The rules between parameters of cl_soc; nothing is made of it.
// verilog_lint: waive-start line-length
module cl_soc_rules #(
  parameter bit          BackDoor,
  parameter bit          BusPipeline,
  parameter int unsigned CacheBytes,
  parameter int unsigned Core,
  parameter int unsigned Cpus,
  parameter int unsigned HwThreads,
  parameter bit          Ipc,
  parameter bit          LinearQueue,
  parameter int unsigned LocalBytes,
  parameter bit          LowJitter,
  parameter bit          Scheduler,
  parameter bit          Sdram
) ();

  if ((Core == 2) && !(!BackDoor && LocalBytes == 0)) begin : g_rule_0 $error("cl_soc: Core = 'fast' needs interconnect = 'smp-bus': set that, or change Core"); end
  if ((Ipc) && (Cpus > 8)) begin : g_rule_1 $error("cl_soc: Cpus must be at most 8 with Ipc: lower Cpus, or remove Ipc"); end
  if ((BackDoor) && !(Cpus == 1)) begin : g_rule_2 $error("cl_soc: interconnect = 'backdoor' needs Cpus = 1 (it adds processor 1 by itself): set that, or change interconnect"); end
  if ((LowJitter) && !(Core == 0 || Core == 1)) begin : g_rule_3 $error("cl_soc: LowJitter needs Core = 'economy' or 'standard': set that, or remove LowJitter"); end
  if ((LowJitter) && !(!BackDoor && LocalBytes == 0)) begin : g_rule_4 $error("cl_soc: LowJitter needs interconnect = 'smp-bus': set that, or remove LowJitter"); end
  if ((LowJitter) && (Sdram == 1)) begin : g_rule_5 $error("cl_soc: LowJitter and Sdram = 'sdram' exclude each other: remove one of them"); end
  if ((LowJitter) && (Scheduler)) begin : g_rule_6 $error("cl_soc: LowJitter and Scheduler exclude each other: remove one of them"); end
  if ((BusPipeline) && !(Core == 2)) begin : g_rule_7 $error("cl_soc: BusPipeline needs Core = 'fast': set that, or remove BusPipeline"); end
  if ((BusPipeline) && (Sdram == 1)) begin : g_rule_8 $error("cl_soc: BusPipeline and Sdram = 'sdram' exclude each other: remove one of them"); end
  if ((BusPipeline) && (HwThreads != 0)) begin : g_rule_9 $error("cl_soc: BusPipeline and HwThreads exclude each other: remove one of them"); end
  if ((HwThreads != 0) && (LinearQueue)) begin : g_rule_10 $error("cl_soc: HwThreads and LinearQueue exclude each other: remove one of them"); end
  if ((Scheduler) && !(HwThreads != 0)) begin : g_rule_11 $error("cl_soc: Scheduler needs HwThreads: set that, or remove Scheduler"); end
  if ((Scheduler) && !(Core == 0 || Core == 1)) begin : g_rule_12 $error("cl_soc: Scheduler needs Core = 'economy' or 'standard': set that, or remove Scheduler"); end
  if ((CacheBytes != 0) && !(Core == 0 || Core == 1)) begin : g_rule_13 $error("cl_soc: CacheBytes needs Core = 'economy' or 'standard': set that, or remove CacheBytes"); end
  if ((CacheBytes != 0) && (Scheduler)) begin : g_rule_14 $error("cl_soc: CacheBytes and Scheduler exclude each other: remove one of them"); end

endmodule
