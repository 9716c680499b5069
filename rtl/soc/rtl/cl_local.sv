// SPDX-License-Identifier: Apache-2.0
// Local device of one core: CPU id, cycle counter, lock unit port, trace, exit, timer, inter-processor interrupt,
// and on processor 0 the interrupt lines. A processor behind a Back-Door (Alone) has only CPU id, the counters and the
// timer.
//
// Every access is granted at once and answered in the next cycle, except a load of LOCK_ACQUIRE, which is
// answered when the lock unit grants (or at once with 0 when no lock was asked for: it would never end).
// A load of a write-only register reads 0. An offset without a register, a store to a read-only register
// and an IPI to a processor that does not exist are answered with err_o and change nothing.
module cl_local
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter int unsigned Cpus  = 2,    // 1..16
  parameter bit          Alone = 1'b0  // no lock unit, trace, exit and IPI
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic      [3:0] cpu_id_i,
  input  logic     [63:0] cycle_i,       // common to all cores; also mtime
  input  logic     [31:0] bus_count_i,   // transfers on the shared bus since reset

  // Private port: words only, one transaction outstanding
  input  logic            req_i,         // always granted in the same cycle
  input  logic            we_i,
  input  logic      [7:0] addr_i,        // byte offset
  input  logic     [31:0] wdata_i,
  output logic            rvalid_o,
  output logic            err_o,
  output logic     [31:0] rdata_o,

  // Lock unit
  output logic            lock_set_o,    // strobe: ask for the address in lock_addr_o
  output logic            lock_clear_o,  // strobe: release, or give up waiting
  output logic     [31:0] lock_addr_o,
  input  logic            lock_busy_i,   // the request bit
  input  logic            lock_grant_i,

  // Interrupts (level)
  output logic [Cpus-1:0] ipi_set_o,     // strobe per target
  input  logic            ipi_set_i,
  output logic            irq_timer_o,
  output logic            irq_ipi_o,
  input  logic [Lines-1:0] line_i,       // of processor 0 only; synchronous, a rising edge is an interrupt
  output logic            irq_line_o,

  // To the simulation harness, in the cycle of the store; value_o belongs to both
  output logic            trace_valid_o,
  output logic      [3:0] trace_kind_o,
  output logic            exit_valid_o,
  output logic     [31:0] value_o
);

  logic        there, load, store;
  logic        err_d, err_q, rsp_q, acquire_d, acquire_q;
  logic [31:0] rdata_d, rdata_q;
  logic [31:0] cycle_h_q;
  logic [63:0] mtimecmp_q;
  logic        timer_q, ipi_q, ipi_clear;
  logic        line_q, line_clear_we, line_enable_we, has_lines;
  logic [Lines-1:0] line_last_q, line_pending_q, line_enable_q, line_clear;
  logic        mtimecmp_lo_we, mtimecmp_hi_we;

  always_comb begin
    unique case (addr_i)
      LocalCpuId, LocalCpuCount, LocalCycle, LocalCycleH, LocalBusCount, LocalMtimeLo, LocalMtimeHi, LocalMtimecmpLo,
      LocalMtimecmpHi: there = 1'b1;
      default:         there = ~Alone;
    endcase
  end

  assign load  = req_i & ~we_i;
  assign store = req_i & we_i & there;

  assign value_o      = wdata_i;
  assign lock_addr_o  = wdata_i;
  assign trace_kind_o = addr_i[5:2];

  always_comb begin
    rdata_d        = '0;
    err_d          = 1'b0;
    acquire_d      = 1'b0;
    lock_set_o     = 1'b0;
    lock_clear_o   = 1'b0;
    trace_valid_o  = 1'b0;
    exit_valid_o   = 1'b0;
    ipi_set_o      = '0;
    ipi_clear      = 1'b0;
    line_clear_we  = 1'b0;
    line_enable_we = 1'b0;
    mtimecmp_lo_we = 1'b0;
    mtimecmp_hi_we = 1'b0;
    if (addr_i[7:6] == LocalTraceTop) begin
      trace_valid_o = store;
    end else begin
      unique case (addr_i)
        LocalCpuId:       begin rdata_d = 32'(cpu_id_i);        err_d = store; end
        LocalCpuCount:    begin rdata_d = 32'(Cpus);            err_d = store; end
        LocalCycle:       begin rdata_d = cycle_i[31:0];        err_d = store; end
        LocalCycleH:      begin rdata_d = cycle_h_q;            err_d = store; end
        LocalBusCount:    begin rdata_d = bus_count_i;          err_d = store; end
        LocalLockAddress: lock_set_o = store;
        LocalLockGrant:   begin rdata_d = 32'(lock_grant_i);    err_d = store; end
        LocalLockAcquire: begin acquire_d = load;               err_d = store; end
        LocalLockRelease: lock_clear_o = store;
        LocalExit:        exit_valid_o = store;
        LocalMtimeLo:     begin rdata_d = cycle_i[31:0];        err_d = store; end
        LocalMtimeHi:     begin rdata_d = cycle_i[63:32];       err_d = store; end
        LocalMtimecmpLo:  begin rdata_d = mtimecmp_q[31:0];     mtimecmp_lo_we = store; end
        LocalMtimecmpHi:  begin rdata_d = mtimecmp_q[63:32];    mtimecmp_hi_we = store; end
        LocalIpi: begin
          if (wdata_i < Cpus) begin
            for (int unsigned i = 0; i < Cpus; i++) ipi_set_o[i] = store & (wdata_i == i);
          end else begin
            err_d = store;
          end
        end
        LocalIpiClear:    ipi_clear = store;
        LocalLinePending: begin rdata_d = 32'(line_pending_q);  err_d = store | ~has_lines; end
        LocalLineClear:   begin line_clear_we = store;          err_d = ~has_lines; end
        LocalLineEnable:  begin rdata_d = 32'(line_enable_q);   line_enable_we = store; err_d = ~has_lines; end
        default:          err_d = 1'b1;
      endcase
    end
    if (!there) err_d = 1'b1;
  end

  // A waiting LOCK_ACQUIRE holds back its response; nothing else can be outstanding then.
  assign rvalid_o = rsp_q & (~acquire_q | lock_grant_i | ~lock_busy_i);
  assign rdata_o  = acquire_q ? 32'(lock_grant_i) : rdata_q;
  assign err_o    = err_q;

  assign has_lines  = cpu_id_i == '0;
  assign line_clear = line_clear_we ? wdata_i[Lines-1:0] : '0;

  assign irq_timer_o = timer_q;
  assign irq_line_o  = line_q;
  assign irq_ipi_o   = ipi_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rsp_q      <= 1'b0;
      acquire_q  <= 1'b0;
      err_q      <= 1'b0;
      rdata_q    <= '0;
      cycle_h_q  <= '0;
      mtimecmp_q <= '1;
      timer_q    <= 1'b0;
      ipi_q      <= 1'b0;
      line_q         <= 1'b0;
      line_last_q    <= '0;
      line_pending_q <= '0;
      line_enable_q  <= '0;
    end else begin
      rsp_q <= req_i | (rsp_q & ~rvalid_o);
      if (req_i) begin
        acquire_q <= acquire_d;
        err_q     <= err_d;
        rdata_q   <= rdata_d;
      end
      // CYCLEH belongs to the last CYCLE, so a pair of loads reads one 64-bit value.
      if (load && addr_i == LocalCycle) cycle_h_q <= cycle_i[63:32];
      if (mtimecmp_lo_we) mtimecmp_q[31:0]  <= wdata_i;
      if (mtimecmp_hi_we) mtimecmp_q[63:32] <= wdata_i;
      // Registered: keeps the 64-bit comparison off the interrupt path. A store to MTIMECMP drops the line at
      // once, so that a handler which returns right after it does not hear of the old time again.
      timer_q <= (cycle_i >= mtimecmp_q) & ~mtimecmp_lo_we & ~mtimecmp_hi_we;
      // A set in the cycle of a clear wins: a wake-up is never lost.
      ipi_q   <= ipi_set_i | (ipi_q & ~ipi_clear);
      if (has_lines) begin
        line_last_q    <= line_i;
        line_pending_q <= (line_i & ~line_last_q) | (line_pending_q & ~line_clear);
        if (line_enable_we) line_enable_q <= wdata_i[Lines-1:0];
        // A store to CLEAR or ENABLE drops the interrupt at once, like one to MTIMECMP.
        line_q         <= |(line_pending_q & line_enable_q) & ~line_clear_we & ~line_enable_we;
      end
    end
  end

endmodule
