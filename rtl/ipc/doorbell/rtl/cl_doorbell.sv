// SPDX-License-Identifier: Apache-2.0
// Eight latched bells per processor: any processor rings them, their owner takes them, waits for them or is interrupted.
//
// Order within one cycle: resets, takes that find a ringing bell, rings, takes that found none. So a ring ends a waiting
// take in the same cycle, and a bell that is taken and rung in one cycle rings again.
module cl_doorbell
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
#(
  parameter int unsigned Cpus = 2  // 1..8
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  access_t [Cpus-1:0] access_i,
  output reply_t  [Cpus-1:0] reply_o,
  output logic    [Cpus-1:0] irq_o      // an enabled bell rings
);

  localparam logic [7:0] All = 8'((32'd1 << Cpus) - 1);

  typedef logic [Bells-1:0] bells_t;

  bells_t [Cpus-1:0] bells_q, bells_d, overrun_q, overrun_d, enable_q, enable_d;
  bells_t [Cpus-1:0] rung, again;   // rung in this cycle, and by more than one
  bells_t [Cpus-1:0] offered;       // bells of its set that a take gets
  bells_t [Cpus-1:0] kept;          // bells still ringing before the rings of this cycle
  logic   [Cpus-1:0] ring, take, found;

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      ring[p]  = access_i[p].valid && access_i[p].op == OpDoorbellRing && access_i[p].we &&
                 access_i[p].index != '0 && (access_i[p].index & ~All) == '0;
      take[p]  = access_i[p].valid && access_i[p].op == OpDoorbellTake && !access_i[p].we &&
                 access_i[p].index != '0;
      found[p] = (bells_q[p] & access_i[p].index) != '0;
    end
  end

  always_comb begin
    rung  = '0;
    again = '0;
    for (int unsigned p = 0; p < Cpus; p++) begin
      for (int unsigned r = 0; r < Cpus; r++) begin
        if (ring[r] && access_i[r].index[p]) begin
          again[p] |= rung[p] & access_i[r].wdata[Bells-1:0];
          rung[p]  |= access_i[r].wdata[Bells-1:0];
        end
      end
    end
  end

  always_comb begin
    overrun_d = overrun_q;
    enable_d  = enable_q;
    for (int unsigned p = 0; p < Cpus; p++) begin
      offered[p] = (found[p] ? bells_q[p] : rung[p]) & access_i[p].index;
      kept[p]    = take[p] ? bells_q[p] & ~access_i[p].index : bells_q[p];
      reply_o[p] = '0;
      if (access_i[p].valid) begin
        unique case (access_i[p].op)
          OpDoorbellRing: begin
            reply_o[p].hit   = ring[p];
            reply_o[p].ready = ring[p];
          end
          OpDoorbellTake: if (take[p]) begin
            reply_o[p].hit   = 1'b1;
            reply_o[p].ready = offered[p] != '0;
            reply_o[p].rdata = offered[p] != '0 ? result(ErrorOk, WordValueWidth'(offered[p]))
                                                : result(access_i[p].code, '0);
          end
          OpDoorbellPending: if (!access_i[p].we && access_i[p].index == '0) begin
            reply_o[p] = '{hit: 1'b1, ready: 1'b1, rdata: 32'(bells_q[p])};
          end
          OpDoorbellOverrun: if (!access_i[p].we && access_i[p].index == '0) begin
            reply_o[p]   = '{hit: 1'b1, ready: 1'b1, rdata: 32'(overrun_q[p])};
            overrun_d[p] = '0;
          end
          OpDoorbellEnable: if (access_i[p].index == '0) begin
            reply_o[p] = '{hit: 1'b1, ready: 1'b1, rdata: access_i[p].we ? '0 : 32'(enable_q[p])};
            if (access_i[p].we) enable_d[p] = access_i[p].wdata[Bells-1:0];
          end
          OpResetEnd: if (access_i[p].we && access_i[p].index == '0) begin
            kept[p]      = '0;
            overrun_d[p] = '0;
            enable_d[p]  = '0;
          end
          default: ;
        endcase
      end
      bells_d[p]   = kept[p] | (take[p] && !found[p] ? rung[p] & ~access_i[p].index : rung[p]);
      overrun_d[p] = overrun_d[p] | (rung[p] & kept[p]) | again[p];
      irq_o[p]     = (bells_q[p] & enable_q[p]) != '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bells_q   <= '0;
      overrun_q <= '0;
      enable_q  <= '0;
    end else begin
      bells_q   <= bells_d;
      overrun_q <= overrun_d;
      enable_q  <= enable_d;
    end
  end

`ifdef FORMAL
  // For each bell: a ring is taken, still pending, or lost; lost only if the bell was rung more than once, which sets
  // overrun. The registers are checked a cycle later, against the ports.
  typedef logic [3:0] count_t;  // of rings: the one that waits, and one of each processor

  bells_t [Cpus-1:0]              given, told, overrun_past_q, enable_past_q;
  count_t [Cpus-1:0][Bells-1:0]   rings, left_past_q;
  logic   [Cpus-1:0][Bells-1:0]   more_past_q;
  bells_t [Cpus-1:0]              waits, waits_past_q;
  logic   [Cpus-1:0]              anew;

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      anew[p]  = access_i[p].valid && access_i[p].we && access_i[p].op == OpResetEnd && access_i[p].index == '0;
      given[p] = '0;
      waits[p] = '0;
      if (reply_o[p].hit && access_i[p].op == OpDoorbellTake) begin
        if (reply_o[p].ready) given[p] = reply_o[p].rdata[Bells-1:0];
        else                  waits[p] = access_i[p].index;
      end
      told[p] = reply_o[p].hit && access_i[p].op == OpDoorbellOverrun ? reply_o[p].rdata[Bells-1:0] : '0;
      for (int unsigned b = 0; b < Bells; b++) begin
        rings[p][b] = count_t'(bells_q[p][b] & ~anew[p]);
        for (int unsigned r = 0; r < Cpus; r++) begin
          if (reply_o[r].hit && access_i[r].op == OpDoorbellRing) begin
            rings[p][b] = rings[p][b] + count_t'(access_i[r].index[p] & access_i[r].wdata[b]);
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_past_q    <= '0;
      more_past_q    <= '0;
      overrun_past_q <= '0;
      enable_past_q  <= '0;
      waits_past_q   <= '0;
    end else begin
      waits_past_q <= waits;
      for (int unsigned p = 0; p < Cpus; p++) begin
        for (int unsigned b = 0; b < Bells; b++) begin
          left_past_q[p][b] <= rings[p][b] - count_t'(given[p][b]);
          more_past_q[p][b] <= rings[p][b] > 1;
        end
        overrun_past_q[p] <= anew[p] ? '0 : overrun_q[p] & ~told[p];
        enable_past_q[p]  <= enable_q[p];
        if (anew[p]) enable_past_q[p] <= '0;
        if (reply_o[p].hit && access_i[p].op == OpDoorbellEnable && access_i[p].we) begin
          enable_past_q[p] <= access_i[p].wdata[Bells-1:0];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      for (int unsigned b = 0; b < Bells; b++) begin
        // REQ-doorbell-1: no bell is taken that was not rung, and none twice.
        if (given[p][b]) assert (rings[p][b] != '0);
        if (bells_q[p][b]) assert (left_past_q[p][b] != '0);
        // REQ-doorbell-2: no ring is lost, except of a bell that is already ringing, which sets overrun.
        assert (overrun_q[p][b] == (overrun_past_q[p][b] | (left_past_q[p][b] > count_t'(bells_q[p][b]))));
        if (left_past_q[p][b] > count_t'(bells_q[p][b])) assert (more_past_q[p][b]);
      end
      // REQ-doorbell-3: a take does not wait while a bell of its set rings, nor for one that was rung while it waited.
      assert ((waits[p] & bells_q[p]) == '0);
      assert ((waits_past_q[p] & bells_q[p]) == '0);
      // REQ-doorbell-4: a take returns at least one bell of its set, or an error.
      if (reply_o[p].hit && access_i[p].op == OpDoorbellTake) begin
        if (reply_o[p].ready) assert (given[p] != '0 && reply_o[p].rdata == 32'(given[p] & access_i[p].index));
        else                  assert (reply_o[p].rdata == {access_i[p].code, 28'd0});
      end
      // REQ-doorbell-5: interrupt and its enable are exact.
      assert (irq_o[p] == |(bells_q[p] & enable_q[p]));
      assert (enable_q[p] == enable_past_q[p]);
      // REQ-doorbell-6: no reply to other units' operations.
      if (!access_i[p].valid || !reply_o[p].hit) assert (reply_o[p] == '0);
    end
  end
`endif

endmodule
