// SPDX-License-Identifier: Apache-2.0
// The channels of [IPC]: each processor drives a req and an ack wire to each other one.
//
// A wire is a register. A wait sees the wires' next values, so it ends in the cycle of the store; a read or an
// interrupt sees them a cycle later.
module cl_channel
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
#(
  parameter int unsigned Cpus = 2  // 1..8
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  access_t [Cpus-1:0] access_i,
  output reply_t  [Cpus-1:0] reply_o,
  output logic    [Cpus-1:0] irq_o      // an enabled wire to the processor is 1
);

  localparam logic [7:0] All = 8'((32'd1 << Cpus) - 1);

  logic [Cpus-1:0][Cpus-1:0] req_q, req_d, ack_q, ack_d;                // [driver][listener]
  logic [Cpus-1:0][7:0]      req_enable_q, req_enable_d, ack_enable_q, ack_enable_d;  // [listener][driver]

  logic [Cpus-1:0][Cpus-1:0] other;  // [p]: the processor in the index, one-hot; 0 if it does not exist or is p itself

  always_comb begin
    other = '0;
    for (int unsigned p = 0; p < Cpus; p++) begin
      for (int unsigned o = 0; o < Cpus; o++) begin
        if (o != p) begin
          other[p][o] = access_i[p].op == OpChannelWait ?
                        access_i[p].index[7:WireIndexLevelLsb+1] == '0 &&
                        access_i[p].index[WireIndexCpuLsb+:WireIndexCpuWidth] == WireIndexCpuWidth'(o) :
                        access_i[p].index == 8'(o);
        end
      end
    end
  end

  // The wires after the stores of this cycle
  always_comb begin
    req_d        = req_q;
    ack_d        = ack_q;
    req_enable_d = req_enable_q;
    ack_enable_d = ack_enable_q;
    for (int unsigned p = 0; p < Cpus; p++) begin
      if (access_i[p].valid && access_i[p].we) begin
        unique case (access_i[p].op)
          OpChannelReq: req_d[p] = access_i[p].wdata[0] ? req_q[p] | other[p] : req_q[p] & ~other[p];
          OpChannelAck: ack_d[p] = access_i[p].wdata[0] ? ack_q[p] | other[p] : ack_q[p] & ~other[p];
          OpChannelEnable: if (access_i[p].index == '0) begin
            req_enable_d[p] = access_i[p].wdata[EnableWordReqLsb+:8] & All & ~(8'd1 << p);
            ack_enable_d[p] = access_i[p].wdata[EnableWordAckLsb+:8] & All & ~(8'd1 << p);
          end
          OpResetEnd: if (access_i[p].index == '0) begin
            req_d[p]        = '0;
            ack_d[p]        = '0;
            req_enable_d[p] = '0;
            ack_enable_d[p] = '0;
          end
          default: ;
        endcase
      end
    end
  end

  logic [Cpus-1:0] level;  // of the wire in the index of a wait

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      level[p]   = 1'b0;
      reply_o[p] = '0;
      irq_o[p]   = 1'b0;
      for (int unsigned o = 0; o < Cpus; o++) begin
        level[p] |= other[p][o] & (access_i[p].index[WireIndexWireLsb+:WireIndexWireWidth] ? ack_d[o][p] : req_d[o][p]);
        irq_o[p] |= (req_q[o][p] & req_enable_q[p][o]) | (ack_q[o][p] & ack_enable_q[p][o]);
      end
      if (access_i[p].valid) begin
        unique case (access_i[p].op)
          OpChannelReq, OpChannelAck: if (access_i[p].we && other[p] != '0) begin
            reply_o[p].hit   = 1'b1;
            reply_o[p].ready = 1'b1;
          end
          OpChannelRead: if (!access_i[p].we && other[p] != '0) begin
            reply_o[p].hit   = 1'b1;
            reply_o[p].ready = 1'b1;
            for (int unsigned o = 0; o < Cpus; o++) begin
              if (other[p][o]) begin
                reply_o[p].rdata[WiresWordReqInLsb+:WiresWordReqInWidth]   = req_q[o][p];
                reply_o[p].rdata[WiresWordAckInLsb+:WiresWordAckInWidth]   = ack_q[o][p];
                reply_o[p].rdata[WiresWordReqOutLsb+:WiresWordReqOutWidth] = req_q[p][o];
                reply_o[p].rdata[WiresWordAckOutLsb+:WiresWordAckOutWidth] = ack_q[p][o];
              end
            end
          end
          OpChannelWait: if (!access_i[p].we && other[p] != '0) begin
            reply_o[p].hit   = 1'b1;
            reply_o[p].ready = level[p] == access_i[p].index[WireIndexLevelLsb+:WireIndexLevelWidth];
            reply_o[p].rdata = level[p] == access_i[p].index[WireIndexLevelLsb+:WireIndexLevelWidth] ?
                               result(ErrorOk, WordValueWidth'(level[p])) : result(access_i[p].code, '0);
          end
          OpChannelEnable: if (access_i[p].index == '0) begin
            reply_o[p].hit   = 1'b1;
            reply_o[p].ready = 1'b1;
            if (!access_i[p].we) begin
              reply_o[p].rdata[EnableWordReqLsb+:EnableWordReqWidth] = req_enable_q[p];
              reply_o[p].rdata[EnableWordAckLsb+:EnableWordAckWidth] = ack_enable_q[p];
            end
          end
          default: ;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      req_q        <= '0;
      ack_q        <= '0;
      req_enable_q <= '0;
      ack_enable_q <= '0;
    end else begin
      req_q        <= req_d;
      ack_q        <= ack_d;
      req_enable_q <= req_enable_d;
      ack_enable_q <= ack_enable_d;
    end
  end

`ifdef FORMAL
  // The registers are judged a cycle later, against what each port did.
  logic [Cpus-1:0][Cpus-1:0] req_past_q, ack_past_q;
  logic [Cpus-1:0][7:0]      req_enable_past_q, ack_enable_past_q;
  logic [Cpus-1:0]           waits_past_q, ended_past_q;  // for the wire and level in index_past_q
  logic [Cpus-1:0][7:0]      index_past_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      req_past_q        <= '0;
      ack_past_q        <= '0;
      req_enable_past_q <= '0;
      ack_enable_past_q <= '0;
      waits_past_q      <= '0;
      ended_past_q      <= '0;
      index_past_q      <= '0;
    end else begin
      req_past_q        <= req_q;
      ack_past_q        <= ack_q;
      req_enable_past_q <= req_enable_q;
      ack_enable_past_q <= ack_enable_q;
      for (int unsigned p = 0; p < Cpus; p++) begin
        waits_past_q[p] <= reply_o[p].hit && access_i[p].op == OpChannelWait && !reply_o[p].ready;
        ended_past_q[p] <= reply_o[p].hit && access_i[p].op == OpChannelWait && reply_o[p].ready;
        index_past_q[p] <= access_i[p].index;
        if (access_i[p].valid && access_i[p].we) begin
          for (int unsigned o = 0; o < Cpus; o++) begin
            if (o != p && access_i[p].index == 8'(o) && access_i[p].op == OpChannelReq) begin
              req_past_q[p][o] <= access_i[p].wdata[0];
            end
            if (o != p && access_i[p].index == 8'(o) && access_i[p].op == OpChannelAck) begin
              ack_past_q[p][o] <= access_i[p].wdata[0];
            end
          end
          if (access_i[p].op == OpChannelEnable && access_i[p].index == '0) begin
            req_enable_past_q[p] <= access_i[p].wdata[7:0] & All & ~(8'd1 << p);
            ack_enable_past_q[p] <= access_i[p].wdata[15:8] & All & ~(8'd1 << p);
          end
          if (access_i[p].op == OpResetEnd && access_i[p].index == '0) begin
            req_past_q[p]        <= '0;
            ack_past_q[p]        <= '0;
            req_enable_past_q[p] <= '0;
            ack_enable_past_q[p] <= '0;
          end
        end
      end
    end
  end

  // The wires to a processor
  logic [Cpus-1:0][Cpus-1:0] in_req, in_ack;

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      for (int unsigned o = 0; o < Cpus; o++) begin
        in_req[p][o] = req_q[o][p];
        in_ack[p][o] = ack_q[o][p];
      end
    end
  end

  // The level that the wire of a wait had after the cycle
  logic [Cpus-1:0] was;

  always_comb begin
    for (int unsigned p = 0; p < Cpus; p++) begin
      was[p] = 1'b0;
      for (int unsigned o = 0; o < Cpus; o++) begin
        if (index_past_q[p][3:0] == 4'(o)) was[p] = index_past_q[p][4] ? ack_q[o][p] : req_q[o][p];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // REQ-channel-1: a wire has one driver and holds its last stored value; no processor has a wire to itself.
    assert (req_q == req_past_q && ack_q == ack_past_q);
    for (int unsigned p = 0; p < Cpus; p++) begin
      assert (!req_q[p][p] && !ack_q[p][p]);
      // REQ-channel-2: a wait ends in the cycle after which the wire has the level, never earlier or later.
      if (ended_past_q[p]) assert (was[p] == index_past_q[p][5]);
      if (waits_past_q[p]) assert (was[p] != index_past_q[p][5]);
      if (reply_o[p].hit && access_i[p].op == OpChannelWait) begin
        assert (reply_o[p].rdata == (reply_o[p].ready ? 32'(access_i[p].index[5]) : {access_i[p].code, 28'd0}));
      end
      // REQ-channel-3: interrupt and its enable are exact.
      assert (irq_o[p] == |(Cpus'(req_enable_q[p]) & in_req[p] | Cpus'(ack_enable_q[p]) & in_ack[p]));
      assert ((req_enable_q[p] & (~All | 8'(1 << p))) == '0 && (ack_enable_q[p] & (~All | 8'(1 << p))) == '0);
      // REQ-channel-4: no reply to other units' operations.
      if (!access_i[p].valid || !reply_o[p].hit) assert (reply_o[p] == '0);
    end
    assert (req_enable_q == req_enable_past_q && ack_enable_q == ack_enable_past_q);
  end
`endif

endmodule
