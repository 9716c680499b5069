// Generated from src/coreloom/design/keys.py by `coreloom generate`; do not edit.
// SPDX-License-Identifier: Apache-2.0
// The rules between parameters of cl_soc; nothing is made of it.
// verilog_lint: waive-start line-length
module cl_soc_rules #(
  parameter bit          BackDoor,
  parameter bit          BusPipeline,
  parameter int unsigned CacheBytes,
  parameter int unsigned ContextBytes,
  parameter int unsigned Core,
  parameter int unsigned Cpus,
  parameter int unsigned FirstCycles,
  parameter int unsigned HwThreads,
  parameter bit          Ipc,
  parameter int unsigned LocalBytes,
  parameter int unsigned ReadyQueue,
  parameter int unsigned RegisterBanks,
  parameter bit          Scheduler,
  parameter bit          Sdram
) ();

  if ((Core == 2) && !(!BackDoor && LocalBytes == 0)) begin : g_core_interconnect $error("cl_soc: Core = 'fast' needs interconnect = 'smp-bus': set that, or change Core"); end
  if ((Ipc) && (Cpus > 8)) begin : g_cpus_ipc $error("cl_soc: Cpus must be at most 8 with Ipc: lower Cpus, or remove Ipc"); end
  if ((BackDoor) && !(Cpus == 1)) begin : g_interconnect_cpus $error("cl_soc: interconnect = 'backdoor' needs Cpus = 1 (it adds processor 1 by itself): set that, or change interconnect"); end
  if ((FirstCycles != 0) && (Sdram == 1)) begin : g_bus_first_cycles_memory_model $error("cl_soc: FirstCycles and Sdram = 'sdram' exclude each other: remove one of them"); end
  if ((FirstCycles != 0) && (Scheduler)) begin : g_bus_first_cycles_scheduler $error("cl_soc: FirstCycles and Scheduler exclude each other: remove one of them"); end
  if ((BusPipeline) && !(Core == 2)) begin : g_bus_pipeline_core $error("cl_soc: BusPipeline needs Core = 'fast': set that, or remove BusPipeline"); end
  if ((BusPipeline) && (Sdram == 1)) begin : g_bus_pipeline_memory_model $error("cl_soc: BusPipeline and Sdram = 'sdram' exclude each other: remove one of them"); end
  if ((BusPipeline) && (HwThreads != 0)) begin : g_bus_pipeline_kernel_hardware_threads $error("cl_soc: BusPipeline and HwThreads exclude each other: remove one of them"); end
  if ((RegisterBanks == 2) && !(Core == 1)) begin : g_register_banks_core $error("cl_soc: RegisterBanks = 2 needs Core = 'standard': set that, or change RegisterBanks"); end
  if ((Scheduler) && !(HwThreads != 0)) begin : g_scheduler_kernel_hardware_threads $error("cl_soc: Scheduler needs HwThreads: set that, or remove Scheduler"); end
  if ((Scheduler) && !(Core == 0 || Core == 1)) begin : g_scheduler_core $error("cl_soc: Scheduler needs Core = 'economy' or 'standard': set that, or remove Scheduler"); end
  if ((ContextBytes != 0) && !(Core == 0 || Core == 1)) begin : g_memory_context_kib_core $error("cl_soc: ContextBytes needs Core = 'economy' or 'standard': set that, or remove ContextBytes"); end
  if ((ReadyQueue == 2) && !(HwThreads != 0)) begin : g_kernel_ready_queue_kernel_hardware_threads $error("cl_soc: ReadyQueue = 'hybrid' needs HwThreads: set that, or change ReadyQueue"); end
  if ((HwThreads != 0) && !(ReadyQueue == 2)) begin : g_kernel_hardware_threads_kernel_ready_queue $error("cl_soc: HwThreads needs ReadyQueue = 'hybrid': set that, or remove HwThreads"); end
  if ((CacheBytes != 0) && !(Core == 0 || Core == 1)) begin : g_dcache_core $error("cl_soc: CacheBytes needs Core = 'economy' or 'standard': set that, or remove CacheBytes"); end
  if ((CacheBytes != 0) && (Scheduler)) begin : g_dcache_scheduler $error("cl_soc: CacheBytes and Scheduler exclude each other: remove one of them"); end

endmodule
