// SPDX-License-Identifier: Apache-2.0
// The far side of the Back-Door: its registers on the private port of processor 1, and the reset of that processor
// and its bus. Of the near side it sees only the last bundle received.
module cl_backdoor_far
  import cl_backdoor_pkg::*;
  import cl_backdoor_types_pkg::*;
#(
  parameter int unsigned BlockBytes  = 32'h8000,
  parameter int unsigned MemoryBytes = 32'h4_0000
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Processor 1
  output logic        core_rst_no,     // of the core
  output logic        rst_no,          // of everything else that is held with it
  input  logic [31:0] core_pc_i,
  input  logic        core_fault_i,    // an access to an unmapped address
  input  logic [31:0] core_fault_addr_i,
  output logic        bell_irq_o,
  output logic        dma_irq_o,
  output logic        bus_error_irq_o,

  // Its private port: whole words, the answer is in the cycle after
  input  logic        req_i,
  input  logic        we_i,
  input  logic  [7:0] addr_i,
  input  logic [31:0] wdata_i,
  output logic [31:0] rdata_o,
  output logic        err_o,

  // Mailboxes
  output logic        put_o,           // the word wdata_i
  input  logic  [7:0] room_i,
  input  logic  [7:0] written_i,
  output logic        get_o,
  input  logic  [7:0] waiting_i,
  input  logic [31:0] mail_i,

  // DMA
  output logic        dma_start_o,     // with the list wdata_i
  output logic        dma_crc_clear_o,
  input  logic        dma_busy_i,
  input  logic        dma_end_i,
  input  dma_error_e  dma_error_i,
  input  logic [31:0] dma_crc_i,
  input  logic [31:0] dma_down_bytes_i,
  input  logic [31:0] dma_up_bytes_i,
  input  logic [31:0] dma_cycles_i,

  // To the near side
  output logic        ring_o,          // the bells wdata_i
  output far_bundle_t bundle_o,
  input  logic        delivered_i,     // the near side has received bundle_o

  // From the near side
  input  logic        take_i,          // a bundle arrives: bells_i, and its run_i
  input  logic [31:0] bells_i,
  input  logic        run_i,
  input  near_bundle_t near_i          // the last bundle received before this cycle
);

  logic               run, live_d, started_d;
  logic               live_q, rst_q, started_q, core_q;   // rst_q, core_q: copies of live_q, started_q for resets
  logic        [31:0] pc_q;
  logic               cut_q;
  logic               load, store, ok, busy, take;
  logic        [31:0] rdata_d, rdata_q, pending, enabled, again, taken;
  logic               err_q;
  logic         [3:0] error_q, error_set;
  logic [Words-1:0][31:0] words_q;
  logic               done_q, dma_enable_q, fault_q;
  dma_error_e         dma_error_q;
  dma_status_t        dma_status;
  logic        [31:0] fault_addr_q, fault_pc_q;
  logic               window_store, window_busy, start_q;
  window_request_t    request_q;

  // --- hold and run ---------------------------------------------------------------------------------------------
  // Held from the cycle after the bundle with run = 0. Live again when the previous program's mail has been discarded;
  // the core starts once the near side has received that.

  assign run         = take_i ? run_i : near_i.run;
  assign rst_no      = rst_q;
  assign core_rst_no = core_q;
  assign live_d      = run & (live_q | waiting_i == '0);
  assign started_d   = run & live_q & (started_q | delivered_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q    <= 1'b0;
      rst_q     <= 1'b0;
      started_q <= 1'b0;
      core_q    <= 1'b0;
      pc_q      <= '0;
      cut_q     <= 1'b0;
    end else begin
      live_q    <= live_d;
      rst_q     <= live_d;
      started_q <= started_d;
      core_q    <= started_d;
      if (!run && live_q) begin
        cut_q <= busy;
        if (started_q) pc_q <= core_pc_i;
      end
    end
  end

  // --- access ---------------------------------------------------------------------------------------------------

  assign load  = req_i & ~we_i;
  assign store = req_i & we_i;

  assign put_o           = store & addr_i == FarMailSend;
  assign get_o           = (load & addr_i == FarMailReceive) | ~live_q;
  assign ring_o          = store & addr_i == FarBellRing;
  assign take            = load & addr_i == FarBellTake;
  assign taken           = pending & enabled & ~(32'd1 << Doorbell);
  assign busy            = dma_busy_i;
  assign dma_start_o     = store & addr_i == FarDmaList & ~busy;
  assign dma_crc_clear_o = store & addr_i == FarDmaCrc;
  assign dma_status      = '{busy: busy, done: done_q, error: dma_error_q};
  assign window_store    = store & (addr_i == FarWindowOffset || addr_i == FarWindowBlock || addr_i == FarWindowStart);
  assign window_busy     = start_q != near_i.answer.done;

  cl_backdoor_bells u_bells (
    .clk_i, .rst_ni,
    .hold_i   (~run),
    .ring_i   (take_i),
    .bells_i,
    .clear_i  ((store & addr_i == FarBellClear) | take),
    .enable_i (store & addr_i == FarBellEnable),
    .word_i   (take ? taken : wdata_i),
    .pending_o(pending),
    .enabled_o(enabled),
    .again_o  (again),
    .irq_o    (bell_irq_o)
  );

  always_comb begin
    rdata_d = '0;
    ok      = load;
    unique case (addr_i)
      FarId:     rdata_d = IdWord;
      FarSize:   rdata_d = BlockBytes;
      FarMemory: rdata_d = MemoryBytes;
      FarError: begin
        rdata_d[3:0] = error_q;
        ok           = 1'b1;
      end
      FarBellRing, FarBellClear, FarMailSend, FarDmaList, FarDmaClear, FarBusErrorClear, FarWindowStart: ok = store;
      FarBellPending: rdata_d = pending;
      FarBellTake:    rdata_d = taken;
      FarBellEnable: begin
        rdata_d = enabled;
        ok      = 1'b1;
      end
      FarMailReceive: rdata_d = waiting_i == '0 ? '0 : mail_i;
      FarMailCount: begin
        rdata_d[MailWordRoomLsb+:MailWordRoomWidth]       = room_i;
        rdata_d[MailWordWaitingLsb+:MailWordWaitingWidth] = waiting_i;
      end
      FarWord, FarWord + 8'h4, FarWord + 8'h8, FarWord + 8'hC: begin
        rdata_d = words_q[addr_i[3:2]];
        ok      = 1'b1;
      end
      FarNearWord, FarNearWord + 8'h4, FarNearWord + 8'h8, FarNearWord + 8'hC:
        rdata_d = near_i.words[addr_i[3:2]];
      FarDmaStatus: rdata_d = dma_status_word(dma_status);
      FarDmaEnable: begin
        rdata_d[0] = dma_enable_q;
        ok         = 1'b1;
      end
      FarDmaCrc: begin
        rdata_d = dma_crc_i;
        ok      = 1'b1;
      end
      FarDownBytes:       rdata_d = dma_down_bytes_i;
      FarUpBytes:         rdata_d = dma_up_bytes_i;
      FarDmaCycles:       rdata_d = dma_cycles_i;
      FarBusError:        rdata_d[0] = fault_q;
      FarBusErrorAddress: rdata_d = fault_addr_q;
      FarBusErrorPc:      rdata_d = fault_pc_q;
      FarWindow:          rdata_d = window_word(near_i.window);
      FarWindowOffset: begin
        rdata_d = request_q.offset;
        ok      = 1'b1;
      end
      FarWindowBlock: begin
        rdata_d = request_q.block;
        ok      = 1'b1;
      end
      FarWindowStatus: begin
        rdata_d[WindowStatusWordBusyLsb] = window_busy;
        if (!window_busy) rdata_d[WindowStatusWordErrorLsb+:WindowStatusWordErrorWidth] = near_i.answer.error;
      end
      default:            ok = 1'b0;
    endcase
  end

  always_comb begin
    error_set = '0;
    error_set[FarErrorWordMailFullLsb]  = put_o & room_i == '0;
    error_set[FarErrorWordMailEmptyLsb] = load & addr_i == FarMailReceive & waiting_i == '0;
    error_set[FarErrorWordDmaBusyLsb]   = store & addr_i == FarDmaList & busy;
    error_set[FarErrorWordWindowBusyLsb] = window_store & window_busy;
  end

  always_ff @(posedge clk_i or negedge rst_q) begin
    if (!rst_q) begin
      rdata_q      <= '0;
      err_q        <= 1'b0;
      error_q      <= '0;
      words_q      <= '0;
      done_q       <= 1'b0;
      dma_error_q  <= DmaErrorNone;
      dma_enable_q <= 1'b0;
      fault_q      <= 1'b0;
      fault_addr_q <= '0;
      fault_pc_q   <= '0;
      start_q      <= 1'b0;
      request_q    <= '0;
    end else begin
      rdata_q <= load ? rdata_d : '0;
      err_q   <= req_i & ~ok;
      error_q <= (error_q & ~(store && addr_i == FarError ? wdata_i[3:0] : '0)) | error_set;
      if (store && addr_i[7:4] == FarWord[7:4] && addr_i[1:0] == '0) words_q[addr_i[3:2]] <= wdata_i;
      if (dma_end_i) begin
        done_q      <= 1'b1;
        dma_error_q <= dma_error_i;
      end else if (dma_start_o || (store && addr_i == FarDmaClear)) begin
        done_q      <= 1'b0;
        dma_error_q <= DmaErrorNone;
      end
      if (store && addr_i == FarDmaEnable) dma_enable_q <= wdata_i[0];
      if (store && addr_i == FarBusErrorClear) fault_q <= 1'b0;
      if (window_store && !window_busy) begin
        unique case (addr_i)
          FarWindowOffset: request_q.offset <= wdata_i;
          FarWindowBlock:  request_q.block  <= wdata_i;
          default: begin
            start_q         <= ~start_q;
            request_q.up    <= wdata_i[WindowStartWordUpLsb];
            request_q.words <= wdata_i[WindowStartWordWordsLsb+:WindowStartWordWordsWidth];
          end
        endcase
      end
      if (core_fault_i) begin
        fault_q      <= 1'b1;
        fault_addr_q <= core_fault_addr_i;
        fault_pc_q   <= core_pc_i;
      end
    end
  end

  assign rdata_o         = rdata_q;
  assign err_o           = err_q;
  assign dma_irq_o       = done_q & dma_enable_q;
  assign bus_error_irq_o = fault_q;

  assign bundle_o = '{
    running:    live_q,
    mail:       written_i,
    words:      words_q,
    dma:        dma_status,
    start:      start_q,
    cut:        cut_q,
    pc:         pc_q,
    down_bytes: dma_down_bytes_i,
    up_bytes:   dma_up_bytes_i,
    dma_cycles: dma_cycles_i,
    request:    request_q
  };

  logic unused;
  assign unused = ^{again, near_i.mail};   // merged bells are counted on the near side only; mail is for the mailbox

endmodule
