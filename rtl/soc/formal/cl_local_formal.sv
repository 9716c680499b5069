// SPDX-License-Identifier: Apache-2.0
// What a processor may rely on at its local device (cl_local), whatever it, the lock unit, the other processors and the
// interrupt lines do. The registers are numbers here, as the table in rtl/soc/README.md has them.
// Not proved: what the lock unit grants, and when (rtl/ipc/lock_unit).
module cl_local_formal
  import cl_soc_map_pkg::Lines;
#(
  parameter int unsigned Cpus  = 2,
  parameter bit          Alone = 1'b0
) (
  input logic             clk_i,
  input logic             rst_ni,
  input logic       [3:0] cpu_id_i,
  input logic      [63:0] cycle_i,
  input logic      [31:0] bus_count_i,
  input logic             req_i,
  input logic             we_i,
  input logic       [7:0] addr_i,
  input logic      [31:0] wdata_i,
  input logic             lock_busy_i,
  input logic             lock_grant_i,
  input logic             ipi_set_i,
  input logic [Lines-1:0] line_i
);

  logic            rvalid, err, lock_set, lock_clear, irq_timer, irq_ipi, irq_line, trace_valid, exit_valid;
  logic     [31:0] rdata, lock_addr, value;
  logic [Cpus-1:0] ipi_set;
  logic      [3:0] trace_kind;

  cl_local #(
    .Cpus (Cpus),
    .Alone(Alone)
  ) u_local (
    .clk_i,
    .rst_ni,
    .cpu_id_i,
    .cycle_i,
    .bus_count_i,
    .req_i,
    .we_i,
    .addr_i,
    .wdata_i,
    .rvalid_o     (rvalid),
    .err_o        (err),
    .rdata_o      (rdata),
    .lock_set_o   (lock_set),
    .lock_clear_o (lock_clear),
    .lock_addr_o  (lock_addr),
    .lock_busy_i,
    .lock_grant_i,
    .ipi_set_o    (ipi_set),
    .ipi_set_i,
    .irq_timer_o  (irq_timer),
    .irq_ipi_o    (irq_ipi),
    .line_i,
    .irq_line_o   (irq_line),
    .trace_valid_o(trace_valid),
    .trace_kind_o (trace_kind),
    .exit_valid_o (exit_valid),
    .value_o      (value)
  );

  // The registers: which there are, and what may be done with them.
  logic everywhere, here, of_lines, loads, stores, ok, store;

  always_comb begin
    everywhere = addr_i inside {8'h00, 8'h04, 8'h08, 8'h0C, 8'h10, 8'hC0, 8'hC4, 8'hC8, 8'hCC};
    of_lines   = addr_i inside {8'hE0, 8'hE4, 8'hE8};
    here       = everywhere | (~Alone & (of_lines ? cpu_id_i == '0 :
                 addr_i[7:6] == 2'b01 || addr_i inside {8'h20, 8'h24, 8'h28, 8'h2C, 8'h80, 8'hD0, 8'hD4}));
    loads      = 1'b1;   // a load of a register that is only written reads 0
    stores     = addr_i[7:6] == 2'b01 || addr_i inside {8'h20, 8'h2C, 8'h80, 8'hC8, 8'hCC, 8'hD0, 8'hD4, 8'hE4, 8'hE8};
    ok         = here & (we_i ? stores & (addr_i != 8'hD0 || wdata_i < Cpus) : loads);
    store      = req_i & we_i & ok;
  end

  // What must have happened. The accesses are those of the cycle before.
  logic             out_q, acquire_q, bad_q, due_q, timer_stored_q, line_stored_q;
  logic      [31:0] word_q;
  logic      [63:0] cycle_q, compare_q, latched_q;
  logic [Lines-1:0] level_q, pending_q, enabled_q, asking_q;
  logic             ipi_q, began_q, waited_q, high_q;
  logic       [3:0] cpu_q;

  logic [31:0] word;   // what a load returns

  always_comb begin
    unique case (addr_i)
      8'h00:   word = 32'(cpu_id_i);
      8'h04:   word = Cpus;
      8'h08:   word = cycle_i[31:0];
      8'h0C:   word = latched_q[63:32];
      8'h10:   word = bus_count_i;
      8'h24:   word = 32'(lock_grant_i);
      8'hC0:   word = cycle_i[31:0];
      8'hC4:   word = cycle_i[63:32];
      8'hC8:   word = compare_q[31:0];
      8'hCC:   word = compare_q[63:32];
      8'hE0:   word = 32'(pending_q);
      8'hE8:   word = 32'(enabled_q);
      default: word = '0;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {out_q, acquire_q, bad_q, due_q, timer_stored_q, line_stored_q, ipi_q, began_q, waited_q, high_q} <= '0;
      {level_q, pending_q, enabled_q, asking_q} <= '0;
      {word_q, cycle_q, latched_q}  <= '0;
      compare_q <= '1;
      cpu_q     <= '0;
    end else begin
      began_q <= 1'b1;
      cpu_q   <= cpu_id_i;
      cycle_q <= cycle_i;
      out_q   <= req_i | (out_q & ~rvalid);
      waited_q <= out_q & ~rvalid;
      if (req_i) begin
        acquire_q <= ok & ~we_i & (addr_i == 8'h28);
        bad_q     <= ~ok;
        word_q    <= word;
        high_q    <= ~we_i & (addr_i == 8'h0C);
      end
      if (req_i && !we_i && addr_i == 8'h08) latched_q <= cycle_i;
      if (store && addr_i == 8'hC8) compare_q[31:0]  <= wdata_i;
      if (store && addr_i == 8'hCC) compare_q[63:32] <= wdata_i;
      due_q          <= cycle_i >= compare_q;
      timer_stored_q <= store & (addr_i == 8'hC8 || addr_i == 8'hCC);
      line_stored_q  <= store & (addr_i == 8'hE4 || addr_i == 8'hE8);
      asking_q       <= pending_q & enabled_q;
      level_q        <= line_i;
      // A clear comes first, what happens in its cycle second.
      ipi_q <= (store && addr_i == 8'hD4) ? ipi_set_i : ipi_q | ipi_set_i;
      for (int unsigned n = 0; n < Lines; n++) begin
        if (store && addr_i == 8'hE4 && wdata_i[n]) pending_q[n] <= 1'b0;
        if (line_i[n] && !level_q[n] && !Alone && cpu_id_i == '0) pending_q[n] <= 1'b1;
      end
      if (store && addr_i == 8'hE8) enabled_q <= wdata_i[Lines-1:0];
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    assume (!req_i || !out_q || rvalid);             // one access at a time
    assume (!began_q || cpu_id_i == cpu_q);
    if (Alone) assume (cpu_id_i != '0 && line_i == '0 && !ipi_set_i && !lock_busy_i && !lock_grant_i);

    // REQ-device-1: each access is answered once, in the next cycle; but LOCK_ACQUIRE with the grant, or when no lock is
    // asked for.
    AssertAnswer: assert (rvalid == (out_q && (!acquire_q || lock_grant_i || !lock_busy_i)));
    // REQ-device-2: the answer is the register's word; without a register, to a store where none is allowed, and to an
    // IPI to a processor that does not exist it is an error.
    if (rvalid) begin
      AssertError:   assert (err == bad_q);
      if (!bad_q) AssertWord: assert (rdata == (acquire_q ? 32'(lock_grant_i) : word_q));
    end
    // REQ-device-3: an accepted store has the effect of its register in its cycle, and nothing else has one.
    AssertTrace:   assert (trace_valid == (store && addr_i[7:6] == 2'b01));
    AssertExit:    assert (exit_valid == (store && addr_i == 8'h80));
    AssertAsk:     assert (lock_set == (store && addr_i == 8'h20) && lock_clear == (store && addr_i == 8'h2C));
    AssertValues:  assert (value == wdata_i && lock_addr == wdata_i && trace_kind == addr_i[5:2]);
    AssertSend:    assert (ipi_set == ((store && addr_i == 8'hD0) ? Cpus'(1) << wdata_i : '0));
    // REQ-device-4: an IPI is pending from the cycle after it was sent until the cycle after its clear, and one that is
    // sent in the cycle of the clear stays.
    AssertIpi:     assert (irq_ipi == ipi_q);
    // REQ-device-5: so is a rising edge of a line, also one in the cycle of its clear. The interrupt is there a cycle
    // after an enabled bit, but not in the cycle after a store to CLEAR or ENABLE.
    AssertPending: assert (u_local.line_pending_q == pending_q);
    AssertLine:    assert (irq_line == (asking_q != '0 && !line_stored_q));
    // REQ-device-6: the timer's interrupt is there a cycle after MTIME has reached MTIMECMP, but not in the cycle after a
    // store to MTIMECMP.
    AssertTimer:   assert (irq_timer == (due_q && !timer_stored_q));
    // REQ-device-7: without lock unit, lines and IPI (Alone) there is none of their effects.
    if (Alone) AssertAlone: assert (!trace_valid && !exit_valid && !lock_set && !lock_clear && ipi_set == '0 &&
                                    !irq_ipi && !irq_line);

    // Why: it remembers what has happened.
    assert (u_local.rsp_q == out_q && u_local.mtimecmp_q == compare_q && u_local.cycle_h_q == latched_q[63:32]);
    assert (u_local.line_enable_q == enabled_q && (cpu_id_i != '0 || u_local.line_last_q == level_q));
    if (out_q) assert ((Alone || u_local.acquire_q == acquire_q) && u_local.err_q == bad_q);
    if (out_q && !acquire_q && !bad_q) assert (u_local.rdata_q == word_q);
    assert (began_q || (level_q == '0 && enabled_q == '0 && pending_q == '0 && !ipi_q && !irq_line && asking_q == '0));
    if (began_q && cpu_id_i != '0)
      assert (pending_q == '0 && enabled_q == '0 && asking_q == '0 && u_local.line_last_q == '0 && !u_local.line_q);
    if (Alone && began_q) assert (!ipi_q);

    CoverTimer:          cover (irq_timer && cycle_i < 64'd20);
    CoverTimerDropped:   cover (due_q && timer_stored_q);
    CoverBad:            cover (rvalid && bad_q);
    CoverHighWord:       cover (rvalid && !bad_q && high_q && word_q == 32'd5 && cycle_i[63:32] == 32'd6);
    CoverBackToBack:     cover (req_i && rvalid && !bad_q);
    // Alone, none of the following can happen; any answer stands for it.
    CoverIpiInItsClear:  cover (Alone ? rvalid : (store && addr_i == 8'hD4 && ipi_set_i && ipi_q));
    CoverEdgeInItsClear: cover (Alone ? rvalid : (store && addr_i == 8'hE4 && wdata_i[3] && line_i[3] && !level_q[3] && pending_q[3]));
    CoverLine:           cover (Alone ? rvalid : (irq_line && pending_q == Lines'(1) << 3));
    CoverLineDropped:    cover (Alone ? rvalid : (asking_q != '0 && line_stored_q));
    CoverAcquireWaits:   cover (Alone ? rvalid : (rvalid && acquire_q && lock_grant_i && waited_q));
    CoverAcquireForNone: cover (Alone ? rvalid : (rvalid && acquire_q && !lock_grant_i));
    CoverSendToLast:     cover (Alone ? rvalid : ipi_set[Cpus-1]);
  end

endmodule
