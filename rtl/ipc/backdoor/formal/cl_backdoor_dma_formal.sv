// SPDX-License-Identifier: Apache-2.0
// Properties of cl_backdoor_dma, for every list, memory, bus and reset. The reference keeps the words of a descriptor
// as they came over the bus, all 32 bits, and counts what has been moved of it.
//
// REQ-backdoor-14: an access is to a whole word in the local memory, and a word of the block is inside it: the one that
//   the descriptor says, in order, each once. The words of a descriptor are fetched in the list's order.
// REQ-backdoor-15: an invalid descriptor moves nothing, and its error is the one defined in the RTL's header.
//   A descriptor ends when all of its words are moved, and not before.
// REQ-backdoor-16: a request stays until it is granted; there is none while idle. It is busy from a start to the end,
//   which is signalled once.
// REQ-backdoor-17: `rank` falls in every cycle but those in which a request is not granted: so every list ends after
//   MostCycles other cycles at the latest.
module cl_backdoor_dma_formal
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter  int unsigned BlockBytes  = 16,
  parameter  int unsigned MemoryBytes = 32,
  localparam int unsigned AddrW       = $clog2(BlockBytes / 4)
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        start_i,
  input logic [31:0] list_i,
  input logic        crc_clear_i,
  input logic [31:0] down_rdata_i,
  input logic        bus_gnt_i,
  input logic        bus_err_i,
  input logic [31:0] bus_rdata_i
);

  localparam int unsigned BlockWords = BlockBytes / 4;
  localparam int unsigned MemWords   = MemoryBytes / 4;
  localparam int unsigned Third      = (BlockWords + 5 + 2) / 3;        // cycles of a descriptor, for each word of it
  localparam int unsigned MostCycles = MemWords * Third + 2;

  logic             busy_o, end_o, down_req_o, up_req_o, bus_req_o, sent_q;
  logic       [3:0] error_o;
  logic [AddrW-1:0] down_addr_o, up_addr_o;
  logic      [31:0] up_wdata_o, crc_o, down_bytes_o, up_bytes_o, cycles_o;
  obi_req_t         bus_cmd_o;

  cl_backdoor_dma #(.BlockBytes(BlockBytes), .MemoryBytes(MemoryBytes)) u_dut (.bus_rvalid_i(sent_q), .*);

  // --- the reference ---

  typedef enum logic [2:0] {Control, Offset, Address, Begin, Move, Last} phase_e;

  phase_e      phase_q;
  logic        busy_q, moving_q, first_q;    // moving: the answer of this cycle is to a word that is moved
  logic        asked_q;                      // a descriptor's word comes in this cycle, the one before phase_q
  logic [31:0] list_q, control_q, offset_q, address_q;
  logic [31:0] moved_q, written_q;           // words of the descriptor: granted or checked; in the up block
  logic [31:0] read_q;                       // of the down block last
  logic        sent, moves, fault, legal, block_ok, memory_ok, listed;
  logic  [1:0] op;
  logic [31:0] words;
  logic [31:0] rank;

  assign op        = control_q[29:28];
  assign words     = 32'(control_q[23:0]);
  assign sent      = bus_req_o && bus_gnt_i;
  assign fault     = sent_q && (asked_q || moving_q) && bus_err_i;
  assign block_ok  = offset_q[1:0] == '0 && offset_q < BlockBytes && offset_q + 4 * words <= BlockBytes;
  assign memory_ok = op == 2'd2 || (address_q[1:0] == '0 && address_q - RamBase < MemoryBytes &&
                                    address_q - RamBase + 4 * words <= MemoryBytes);
  assign legal     = op != 2'd3 && block_ok && memory_ok;
  assign listed    = list_q[1:0] == '0 && list_q - RamBase < MemoryBytes && list_q - RamBase + 12 <= MemoryBytes;
  assign moves     = busy_q && phase_q == Move && legal && moved_q != words && (op == 2'd2 || bus_gnt_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q   <= Control;
      busy_q    <= 1'b0;
      moving_q  <= 1'b0;
      first_q   <= 1'b0;
      asked_q   <= 1'b0;
      sent_q    <= 1'b0;
      list_q    <= '0;
      control_q <= '0;
      offset_q  <= '0;
      address_q <= '0;
      moved_q   <= '0;
      written_q <= '0;
      read_q    <= '0;
    end else begin
      sent_q   <= sent;
      asked_q  <= sent && !end_o && phase_q != Move;
      moving_q <= sent && !end_o && phase_q == Move;
      if (end_o) busy_q <= 1'b0;
      if (start_i) begin
        busy_q  <= 1'b1;
        phase_q <= Control;
        list_q  <= list_i;
      end
      if (busy_q && !end_o) begin
        unique case (phase_q)
          Control: if (sent) phase_q <= Offset;
          Offset:  if (sent) phase_q <= Address;
          Address: if (sent) phase_q <= Begin;
          Begin: begin
            phase_q <= Move;
            moved_q <= '0;
          end
          Move: if (words == '0 || (moves && moved_q + 1 == words)) begin
            phase_q <= control_q[31] ? Last : Control;
            list_q  <= list_q + 12;
          end
          default: ;
        endcase
      end
      if (asked_q && phase_q == Offset)  control_q <= bus_rdata_i;
      if (asked_q && phase_q == Address) offset_q  <= bus_rdata_i;
      if (asked_q && phase_q == Begin)   address_q <= bus_rdata_i;
      if (moves) moved_q <= moved_q + 1;
      if (phase_q == Begin) written_q <= '0;
      else if (up_req_o) written_q <= written_q + 1;
      if (down_req_o) read_q <= 32'(down_addr_o);
    end
  end

  // --- properties ---

  always_comb begin
    assume (!(start_i && busy_o));

    // It executes the descriptor.
    assert (busy_o == busy_q);
    if (bus_req_o) begin
      assert (busy_q && bus_cmd_o.be == '1 && bus_cmd_o.addr[1:0] == '0 && bus_cmd_o.addr - RamBase < MemoryBytes);
      unique case (phase_q)
        Control: assert (listed && !bus_cmd_o.we && bus_cmd_o.addr == list_q);
        Offset:  assert (listed && !bus_cmd_o.we && bus_cmd_o.addr == list_q + 8);
        Address: assert (listed && !bus_cmd_o.we && bus_cmd_o.addr == list_q + 4);
        Move: begin
          assert (legal && op != 2'd2 && moved_q < words && bus_cmd_o.we == (op == 2'd0));
          assert (bus_cmd_o.addr == address_q + 4 * moved_q);
          if (bus_cmd_o.we) assert (bus_cmd_o.wdata == down_rdata_i && 4 * read_q == offset_q + 4 * moved_q);
        end
        default: assert (1'b0);
      endcase
    end
    assert (!bus_req_o || phase_q != Begin);
    if (busy_q && (phase_q == Control && listed || phase_q == Offset || phase_q == Address)) assert (bus_req_o);
    if (busy_q && phase_q == Move && legal && op != 2'd2 && moved_q != words) assert (bus_req_o);
    if (u_dut.step) assert (moves);
    if (moves)      assert (u_dut.step && (op == 2'd1 || 4 * read_q == offset_q + 4 * moved_q));
    if (up_req_o) begin
      assert (legal && op == 2'd1 && moving_q && !bus_err_i && up_wdata_o == bus_rdata_i && written_q < words);
      assert (4 * 32'(up_addr_o) == offset_q + 4 * written_q);
    end
    if (moving_q && op == 2'd1 && !bus_err_i) assert (up_req_o);

    // Errors and the end
    if (!end_o) assert (error_o == '0);
    if (end_o) begin
      assert (busy_q);
      if (fault) assert (error_o == (moving_q ? 4'd1 : 4'd3));
      else if (phase_q == Control) assert (!listed && error_o == 4'd3);
      else if (phase_q == Move) begin
        assert (!legal && moved_q == '0 && written_q == '0);
        assert (error_o == (op == 2'd3 ? 4'd4 : !memory_ok ? 4'd1 : 4'd2));
      end else assert (phase_q == Last && error_o == '0 && moved_q == words &&
                       (op != 2'd1 || written_q + 32'(up_req_o) == words));
    end
    if (busy_q && (fault || phase_q == Last || (phase_q == Control && !listed) || (phase_q == Move && !legal))) begin
      assert (end_o);
    end
  end

  // Falls with every cycle that is not a refused request.
  always_comb begin
    rank = 32'(MemWords - (listed ? (list_q - RamBase) / 4 : MemWords)) * Third;
    unique case (phase_q)
      Control: rank = rank + 1;
      Offset:  rank = rank;
      Address: rank = rank - 1;
      Begin:   rank = rank - 2;
      Move:    rank = rank - 3 - 32'(legal ? moved_q : '0);
      default: rank = '0;
    endcase
  end

  logic        was_busy_q, refused_q, told_q, started_q;
  logic [31:0] rank_q;
  obi_req_t    cmd_q;
  logic [31:0] down_q;
  logic        read_past_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {was_busy_q, refused_q, told_q, started_q, read_past_q} <= '0;
      rank_q <= '0;
      cmd_q  <= '0;
      down_q <= '0;
    end else begin
      was_busy_q  <= busy_o && !end_o;
      refused_q   <= bus_req_o && !bus_gnt_i && !end_o;
      told_q      <= end_o;
      started_q   <= start_i;
      read_past_q <= down_req_o;
      rank_q      <= rank;
      cmd_q       <= bus_cmd_o;
      down_q      <= down_rdata_i;
    end
  end

  always_comb begin
    assume (read_past_q || down_rdata_i == down_q);   // the block's output is stable
    assert (busy_o == (was_busy_q || started_q));
    if (told_q) assert (!busy_o && !end_o && !bus_req_o);
    if (refused_q) assert (bus_req_o && bus_cmd_o.addr == cmd_q.addr && bus_cmd_o.we == cmd_q.we &&
                           (!bus_cmd_o.we || bus_cmd_o.wdata == cmd_q.wdata));
    if (was_busy_q) assert (refused_q ? rank <= rank_q : rank < rank_q);
    if (busy_o) assert (rank < MostCycles);
  end

  // --- lemmas: the RTL's registers match what came over the bus ---

  logic [31:0] list_at, block_at;

  assign list_at  = (list_q - RamBase) / 4;
  assign block_at = offset_q / 4;

  always_comb begin
    assert (u_dut.state_q == (busy_q ? 3'(phase_q) + 3'd1 : 3'd0));
    assert (u_dut.sent_q == (asked_q ? 3'(phase_q) : moving_q ? 3'(Move) + 3'd1 : 3'd0));
    assert (!(asked_q && moving_q) && (busy_q || !(asked_q || moving_q)) && (sent_q || !(asked_q || moving_q)));
    if (asked_q)  assert (phase_q == Offset || phase_q == Address || phase_q == Begin);
    if (moving_q) assert (phase_q == Move || phase_q == Control || phase_q == Last);
    if (busy_q && phase_q == Begin) assert (asked_q);
    if (busy_q && phase_q != Control && phase_q != Last) assert (listed);
    if (busy_q) unique case (phase_q)
      Control: assert (listed ? 32'(u_dut.list_q) == list_at : u_dut.no_list);
      Offset:  assert (32'(u_dut.list_q) == list_at + 2);
      Address: assert (32'(u_dut.list_q) == list_at + 1);
      Begin:   assert (32'(u_dut.list_q) == list_at + 3);
      Move:    assert (32'(u_dut.list_q) == list_at + 3);
      default: ;
    endcase
    // The control word is there from Address on, the offset from Begin on, the address in Move.
    if (busy_q && (phase_q == Address || phase_q == Begin || phase_q == Move)) begin
      assert (u_dut.op_q == op && u_dut.last_q == control_q[31]);
      assert (32'(u_dut.left_q) == words - (phase_q == Move ? moved_q : '0));
    end
    if (busy_q && phase_q == Begin) begin
      assert (u_dut.block_q == AddrW'(block_at));
      assert (u_dut.block_bad_q == (offset_q[1:0] != '0 || offset_q >= BlockBytes));
    end
    if (busy_q && phase_q == Move) begin
      assert (u_dut.block_bad_q == !block_ok);
      assert (u_dut.memory_bad_q == (address_q[1:0] != '0 || address_q - RamBase >= MemoryBytes));
      assert (32'(u_dut.memory_q) == ((address_q - RamBase) / 4 + moved_q) % MemWords);
      assert (moved_q == '0 || (legal && moved_q < words));
      if (op != 2'd1 && block_ok && moved_q < words) begin
        assert (read_q == block_at + moved_q && u_dut.block_q == AddrW'(read_q + 1));
      end
    end
    // Words that went up: all that were asked for are written, but for the one whose answer is in this cycle.
    if (busy_q && op == 2'd1 && (phase_q == Move || phase_q == Last || moving_q)) begin
      assert (u_dut.op_q == op && written_q + 32'(moving_q) == moved_q);
      if (phase_q != Move || legal) assert (u_dut.block_q == AddrW'(block_at + written_q));
    end
    if (busy_q && (moving_q || phase_q == Last)) begin
      assert (u_dut.op_q == op && legal && moved_q <= words);
      if (phase_q != Move) assert (moved_q == words);
    end
    if (refused_q) assert (was_busy_q);
  end

endmodule
