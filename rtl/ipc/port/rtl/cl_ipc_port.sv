// SPDX-License-Identifier: Apache-2.0
// Front of the communication units for one processor: takes its accesses, one at a time, and ends those that wait.
//
// An access is granted when none executes or the one before completes, and executes from the next cycle on, until a
// unit is ready or it gives up: when its patience ends, or from the cycle after one with intr_i on.
//
//            c      c+1             c+2
//   client   gnt    rvalid, gnt     rvalid          an access in every cycle when nothing waits
//   units           access 1        access 2
//
// With Pipeline the answer comes from registers, a cycle later, and the grant depends on no unit:
//
//            c      c+1             c+2             c+3
//   client   gnt                    rvalid, gnt                     an access in every second cycle if none waits
//   units           access 1                        access 2
module cl_ipc_port
  import cl_ipc_pkg::*;
  import cl_ipc_port_pkg::*;
#(
  parameter bit Pipeline = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        req_i,
  output logic        gnt_o,
  input  logic        we_i,
  input  logic [18:0] addr_i,        // {-, patience, op, index}: bits 20:2 of the address
  input  logic [31:0] wdata_i,
  output logic        rvalid_o,
  output logic        err_o,
  output logic [31:0] rdata_o,
  input  logic        intr_i,        // the client has an interrupt to take

  output access_t     access_o,
  input  reply_t      reply_i        // of all units, ORed
);

  // With patience "for ever" the count is never checked.
  localparam logic [AddressPatienceWidth-1:0] Forever = '1;

  logic [AddressPatienceWidth-1:0] patience, patience_q;
  logic [30:0]                     count_q;    // cycles that it has executed, this one counted
  logic                            accept, ends, done;
  logic                            valid_q, we_q, expired_q, intr_q;
  op_e                             op_q;
  logic [7:0]                      index_q;
  logic [31:0]                     wdata_q;

  assign patience = addr_i[AddressPatienceLsb - AddressIndexLsb +: AddressPatienceWidth];
  assign accept   = gnt_o;

  assign ends     = reply_i.ready | expired_q | intr_q;
  assign done     = valid_q & (~reply_i.hit | ends);

  if (Pipeline) begin : g_answer_registered
    logic        rvalid_q, err_q;
    logic [31:0] rdata_q;

    assign gnt_o = req_i & ~valid_q;
    assign {rvalid_o, err_o, rdata_o} = {rvalid_q, err_q, rdata_q};

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        rvalid_q <= 1'b0;
        err_q    <= 1'b0;
        rdata_q  <= '0;
      end else begin
        rvalid_q <= done;
        err_q    <= valid_q & ~reply_i.hit;
        rdata_q  <= reply_i.rdata;
      end
    end
  end else begin : g_answer
    assign gnt_o    = req_i & (~valid_q | done);
    assign rvalid_o = done;
    assign err_o    = valid_q & ~reply_i.hit;
    assign rdata_o  = reply_i.rdata;
  end

  // A patience that ends wins over an interrupt: a try that fails returns timeout, whatever the interrupts.
  assign access_o = '{
    valid: valid_q,
    we:    we_q,
    op:    op_q,
    index: index_q,
    wdata: wdata_q,
    code:  expired_q ? ErrorTimeout : ErrorInterrupted,
    last:  expired_q | intr_q
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q    <= 1'b0;
      we_q       <= 1'b0;
      op_q       <= op_e'('0);
      index_q    <= '0;
      wdata_q    <= '0;
      patience_q <= '0;
      count_q    <= '0;
      expired_q  <= 1'b0;
      intr_q     <= 1'b0;
    end else begin
      intr_q    <= intr_i;
      valid_q   <= accept | (valid_q & ~done);
      count_q   <= count_q + 31'd1;
      expired_q <= (patience_q != Forever) & count_q[patience_q];
      if (accept) begin
        we_q       <= we_i;
        op_q       <= op_e'(addr_i[AddressOpLsb - AddressIndexLsb +: AddressOpWidth]);
        index_q    <= addr_i[0 +: AddressIndexWidth];
        wdata_q    <= wdata_i;
        patience_q <= patience;
        count_q    <= 31'd1;
        expired_q  <= patience == '0;
      end
    end
  end

`ifdef FORMAL
  logic                            out_q, execute_q;         // an access has no answer yet; executes in the units
  logic                            asked_q, f_we_q;          // asked_q: intr_i a cycle ago
  logic [30:0]                     age_q, limit;             // cycles that it has waited, and may
  logic                            expires, finishes;
  logic [18:0]                     f_addr_q;
  logic [31:0]                     f_wdata_q;
  logic [33:0]                     answer, answer_past_q, answer_due;

  assign limit      = (f_addr_q[18:14] == '0) ? 31'd0 : 31'd1 << f_addr_q[18:14];
  assign expires    = age_q == limit && f_addr_q[18:14] != '1;
  // REQ-port-4: a bus error exactly when no unit knows it; at once.
  // REQ-port-5: it ends when it is done, after its patience exactly, and else only for an interrupt.
  assign finishes   = execute_q && (!reply_i.hit || reply_i.ready || asked_q || expires);
  assign answer     = {finishes, execute_q && !reply_i.hit, reply_i.rdata};
  assign answer_due = Pipeline ? answer_past_q : answer;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_q         <= 1'b0;
      execute_q     <= 1'b0;
      asked_q       <= 1'b0;
      age_q         <= '0;
      f_we_q        <= 1'b0;
      f_addr_q      <= '0;
      f_wdata_q     <= '0;
      answer_past_q <= '0;
    end else begin
      asked_q       <= intr_i;
      age_q         <= age_q + 31'd1;
      answer_past_q <= answer;
      if (rvalid_o) out_q     <= 1'b0;
      if (finishes) execute_q <= 1'b0;
      if (req_i && gnt_o) begin
        out_q     <= 1'b1;
        execute_q <= 1'b1;
        age_q     <= '0;
        f_we_q    <= we_i;
        f_addr_q  <= addr_i;
        f_wdata_q <= wdata_i;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // REQ-port-1: an access is answered exactly once, later than it is granted. REQ-port-2: what executes is it.
      assert (!rvalid_o || out_q);
      assert (out_q == (execute_q || (Pipeline && rvalid_o)));
      assert (access_o.valid == execute_q);
      if (execute_q) begin
        assert ({access_o.we, access_o.op, access_o.index, access_o.wdata} ==
                {f_we_q, f_addr_q[13:0], f_wdata_q});
        assert (patience_q == f_addr_q[18:14]);
      end
      // REQ-port-3: the next access in the cycle of the answer. With REQ-port-5: one every cycle if none waits, with
      // Pipeline every second one.
      assert (gnt_o == (req_i && (!out_q || rvalid_o)));
      assert ({rvalid_o, err_o} == answer_due[33:32]);
      assert (!err_o || rvalid_o);
      assert (!rvalid_o || rdata_o == answer_due[31:0]);
      if (execute_q && reply_i.hit) begin
        // REQ-port-6: nothing waits while an interrupt is pending. A try that fails still returns timeout.
        assert (!asked_q || finishes);
        assert (access_o.last == (finishes && !reply_i.ready) || reply_i.ready);
        assert (!access_o.last || access_o.code == (expires ? ErrorTimeout : ErrorInterrupted));
      end
      // Why: both counts run together, and an access is gone when its patience is.
      if (execute_q) begin
        assert (count_q == age_q + 31'd1);
        assert (f_addr_q[18:14] == '1 || age_q <= limit);
        assert (expired_q == expires);
      end
      assert (intr_q == asked_q);
    end
  end
`endif

endmodule
