// SPDX-License-Identifier: Apache-2.0
// The near side of the Back-Door: its registers and its ends of the blocks, on the bus of processor 0. Of the far side
// it sees only the last bundle received.
module cl_backdoor_near
  import cl_soc_pkg::*;
  import cl_backdoor_pkg::*;
  import cl_backdoor_types_pkg::*;
#(
  parameter  int unsigned BlockBytes = 32'h8000,
  localparam int unsigned AddrW      = $clog2(BlockBytes / 4)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  // Bus device: never stalls, the answer comes in the next cycle
  input  logic             req_i,
  input  obi_req_t         cmd_i,          // addr[21:0]: offset
  output logic      [31:0] rdata_o,
  output logic             err_o,
  output logic             irq_o,

  // Blocks
  output logic [AddrW-1:0] block_addr_o,   // word
  output logic      [31:0] word_o,         // to the down block and the mailbox
  output logic             down_write_o,
  output logic             up_read_o,
  input  logic      [31:0] up_word_i,      // in the next cycle

  // Mailboxes
  output logic             put_o,
  input  logic       [7:0] room_i,
  input  logic       [7:0] written_i,
  output logic             get_o,
  input  logic       [7:0] waiting_i,
  input  logic      [31:0] mail_i,

  // To the far side
  output logic             ring_o,         // rings the bells word_o
  output near_bundle_t     bundle_o,

  // From the far side
  input  logic             take_i,         // a bundle arrives: bells_i, and its running_i and cut_i
  input  logic      [31:0] bells_i,
  input  logic             running_i,
  input  logic             cut_i,
  input  far_bundle_t      far_i,          // the last bundle received before this cycle

  // Window: see cl_backdoor_window
  output logic      [29:0] window_base_o,  // words
  output window_t          window_o,
  output logic             window_change_o,
  output logic             window_live_o,
  input  window_answer_t   window_answer_i,
  input  logic             window_busy_i,
  input  logic             window_moved_i
);

  logic        [21:0] offset;
  logic         [7:0] register;
  logic               load, store, here, block, down, up, ok;
  logic               full, empty, refused, sendable, take;
  logic        [31:0] rdata_d, rdata_q, pending, enabled, again, again_q, taken;
  logic               err_q, up_q;
  logic         [3:0] error_q, error_set;
  logic [Words-1:0][31:0] words_q;
  logic        [15:0] merged_q;
  logic        [16:0] merged_d;
  logic        [29:0] down_count_q, up_count_q;   // words
  logic               run_q, hold_owed_q, sent_run_q, sent_run_d, settled, running, live;
  logic         [7:0] waiting;
  logic               hold;
  logic        [29:0] window_base_q;
  window_t            window_q;
  logic        [31:0] window_words_q;

  // --- access decoding ------------------------------------------------------------------------------------------

  assign offset       = cmd_i.addr[21:0];
  assign register     = offset[7:0];
  assign load         = req_i & ~cmd_i.we;
  assign store        = req_i & cmd_i.we & (&cmd_i.be);
  assign here         = offset[21:8] == '0;
  assign block        = (offset[19:0] & ~20'(BlockBytes - 1)) == '0;
  assign down         = offset[21:20] == 2'b01 && block;
  assign up           = offset[21:20] == 2'b10 && block;
  assign block_addr_o = offset[2 +: AddrW];
  assign word_o       = cmd_i.wdata;
  assign down_write_o = store & down;
  assign up_read_o    = load & up;

  // --- hold and run ---------------------------------------------------------------------------------------------
  // sent_run_q changes only when the far side has answered its previous value, so the far side sees each hold. A hold
  // is owed from the store of a 0 until it is answered, whatever is stored in between. No start before the mailbox
  // from the far side is empty: what is in it is from the previous program.

  assign settled    = far_i.running == sent_run_q;
  assign sent_run_d = settled ? run_q & ~hold_owed_q & (sent_run_q | waiting_i == '0) : sent_run_q;
  assign running    = far_i.running & ~(hold_owed_q & run_q);   // a restart is due: the old program does not count
  assign live       = sent_run_q & far_i.running & run_q & ~hold_owed_q;
  assign hold       = store & here & register == NearControl & ~cmd_i.wdata[0];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q       <= 1'b0;
      hold_owed_q <= 1'b0;
      sent_run_q  <= 1'b0;
    end else begin
      sent_run_q <= sent_run_d;
      if (settled && !sent_run_q) hold_owed_q <= 1'b0;
      if (store && here && register == NearControl) begin
        run_q <= cmd_i.wdata[0];
        if (!cmd_i.wdata[0]) hold_owed_q <= 1'b1;
      end
    end
  end

  // --- mail -----------------------------------------------------------------------------------------------------

  assign waiting  = running ? waiting_i : '0;
  assign sendable = live & room_i != '0;
  assign put_o    = store & here & register == NearMailSend & live;
  assign get_o    = (load & here & register == NearMailReceive) | ~far_i.running;
  assign full     = put_o & room_i == '0;
  assign refused  = store & here & register == NearMailSend & ~live;
  assign empty    = load & here & register == NearMailReceive & waiting == '0;

  // --- bells ----------------------------------------------------------------------------------------------------

  assign ring_o = store & here & register == NearBellRing;
  assign take   = load & here & register == NearBellTake;
  assign taken  = pending & enabled & ~(32'd1 << Doorbell);

  cl_backdoor_bells u_bells (
    .clk_i, .rst_ni,
    .hold_i   (1'b0),
    .ring_i   (take_i),
    .bells_i,
    .clear_i  ((store & here & register == NearBellClear) | take),
    .enable_i (store & here & register == NearBellEnable),
    .word_i   (take ? taken : cmd_i.wdata),
    .pending_o(pending),
    .enabled_o(enabled),
    .again_o  (again),
    .irq_o
  );

  always_comb begin
    merged_d = {1'b0, merged_q};
    for (int unsigned i = 0; i < 32; i++) merged_d += 17'(again_q[i]);
  end

  // --- registers ------------------------------------------------------------------------------------------------

  always_comb begin
    rdata_d = '0;
    ok      = load;
    unique case (register)
      NearId:      rdata_d = IdWord;
      NearSize:    rdata_d = BlockBytes;
      NearControl: begin
        rdata_d[0] = run_q;
        ok         = load | store;
      end
      NearStatus: begin
        rdata_d[StatusWordRunningLsb]     = running;
        rdata_d[StatusWordDmaBusyLsb]     = far_i.dma.busy;
        rdata_d[StatusWordMailRoomLsb]    = sendable;
        rdata_d[StatusWordMailWaitingLsb] = waiting != '0;
      end
      NearError: begin
        rdata_d[3:0] = error_q;
        ok           = load | store;
      end
      NearBellRing, NearBellClear, NearMailSend: ok = store;
      NearBellPending: rdata_d = pending;
      NearBellTake:    rdata_d = taken;
      NearBellEnable: begin
        rdata_d = enabled;
        ok      = load | store;
      end
      NearBellMerged: begin
        rdata_d[15:0] = merged_q;
        ok            = load | store;
      end
      NearMailReceive: rdata_d = waiting == '0 ? '0 : mail_i;
      NearMailCount: begin
        rdata_d[MailWordRoomLsb+:MailWordRoomWidth]       = live ? room_i : '0;
        rdata_d[MailWordWaitingLsb+:MailWordWaitingWidth] = waiting;
      end
      NearWord, NearWord + 8'h4, NearWord + 8'h8, NearWord + 8'hC: begin
        rdata_d = words_q[register[3:2]];
        ok      = load | store;
      end
      NearFarWord, NearFarWord + 8'h4, NearFarWord + 8'h8, NearFarWord + 8'hC:
        rdata_d = far_i.words[register[3:2]];
      NearFarPc:        rdata_d = far_i.pc;
      NearFarDma:       rdata_d = dma_status_word(far_i.dma);
      NearFarDownBytes: rdata_d = far_i.down_bytes;
      NearFarUpBytes:   rdata_d = far_i.up_bytes;
      NearFarDmaCycles: rdata_d = far_i.dma_cycles;
      NearDownBytes:    rdata_d = {down_count_q, 2'b00};
      NearUpBytes:      rdata_d = {up_count_q, 2'b00};
      NearWindowBase: begin
        rdata_d = {window_base_q, 2'b00};
        ok      = load | store;
      end
      NearWindow: begin
        rdata_d = window_word(window_q);
        ok      = load | store;
      end
      NearWindowWords:  rdata_d = window_words_q;
      default:          ok = 1'b0;
    endcase
  end

  always_comb begin
    error_set = '0;
    error_set[NearErrorWordMailFullLsb]  = full;
    error_set[NearErrorWordMailEmptyLsb] = empty;
    error_set[NearErrorWordMailHeldLsb]  = refused;
    error_set[NearErrorWordHeldLsb]      = take_i & far_i.running & ~running_i & cut_i
                                         | hold & window_busy_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rdata_q      <= '0;
      err_q        <= 1'b0;
      up_q         <= 1'b0;
      error_q      <= '0;
      words_q      <= '0;
      again_q      <= '0;
      merged_q     <= '0;
      down_count_q <= '0;
      up_count_q   <= '0;
    end else begin
      rdata_q <= load && here ? rdata_d : '0;
      err_q   <= req_i & ~((here & ok) | down_write_o | up_read_o);
      up_q    <= up_read_o;
      error_q <= (error_q & ~(store && here && register == NearError ? cmd_i.wdata[3:0] : '0)) | error_set;
      if (store && here && register[7:4] == NearWord[7:4]) words_q[register[3:2]] <= cmd_i.wdata;
      again_q  <= take_i ? again : '0;
      merged_q <= store && here && register == NearBellMerged ? '0 : merged_d[16] ? '1 : merged_d[15:0];
      if (down_write_o) down_count_q <= down_count_q + 1'b1;
      if (up_read_o)    up_count_q   <= up_count_q + 1'b1;
    end
  end

  // --- window ---------------------------------------------------------------------------------------------------

  assign window_base_o   = window_base_q;
  assign window_o        = window_q;
  assign window_change_o = store & here & (register == NearWindowBase || register == NearWindow);
  assign window_live_o   = live & ~hold;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      window_base_q  <= '0;
      window_q       <= '0;
      window_words_q <= '0;
    end else begin
      if (window_moved_i) window_words_q <= window_words_q + 1'b1;
      if (store && here && register == NearWindowBase) window_base_q <= cmd_i.wdata[31:2];
      if (hold) window_q <= '0;
      else if (store && here && register == NearWindow) begin
        window_q.writable <= cmd_i.wdata[WindowWordWritableLsb];
        window_q.words    <= cmd_i.wdata[WindowWordWordsLsb+:WindowWordWordsWidth];
      end
    end
  end

  assign rdata_o  = up_q ? up_word_i : rdata_q;
  assign err_o    = err_q;
  assign bundle_o = '{
    run: sent_run_q, mail: written_i, words: words_q, window: window_q, answer: window_answer_i
  };

  logic unused;
  assign unused = ^{cmd_i.addr[31:22], far_i.mail, far_i.cut, far_i.start, far_i.request};

endmodule
