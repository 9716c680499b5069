// SPDX-License-Identifier: Apache-2.0
// Data cache between a core and the shared bus: direct-mapped, write-through, kept coherent by snooping.
//
// A load of the memory is looked up in the cycle in which it is accepted and answered in the next one if it hits. It
// also asks the bus in the first cycle, but late: if nobody else wants the bus, a miss is answered as early as a hit.
// Else a miss asks in the next cycle. The word asked for comes first, then the rest of its line. Stores and accesses of
// devices go through to the bus without a cycle of their own; a store changes a line that is here, and with lines of
// one word a whole word comes in. A write of another master invalidates the line before the next load is looked up.
//
// The bus grants one master a cycle. So what a grant of ours writes here a cycle later, and what the write of another
// one invalidates a cycle later, never meet: the tags need one write port.
module cl_dcache
  import cl_soc_pkg::*;
  import cl_soc_map_pkg::*;
#(
  parameter int unsigned Bytes     = 4096,  // power of two, at least two lines; 0: no cache
  parameter int unsigned LineWords = 1      // power of two
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  // Core: one access outstanding, the next accepted at the earliest in the cycle of its answer
  input  logic        req_i,
  input  obi_req_t    cmd_i,
  output logic        gnt_o,
  output logic        rvalid_o,       // one cycle after the grant or later
  output logic        err_o,
  output logic [31:0] rdata_o,

  // Bus
  output logic        bus_req_o,
  output logic        bus_late_o,     // see cl_bus; may be withdrawn
  output obi_req_t    bus_cmd_o,
  input  logic        bus_gnt_i,
  input  logic        bus_gnt_late_i, // of bus_late_o
  input  logic        bus_rvalid_i,   // exactly one cycle after the grant
  input  logic        bus_err_i,
  input  logic [31:0] bus_rdata_i,
  input  logic        snoop_valid_i,  // another master writes in this cycle; never with a grant of ours
  input  logic [31:0] snoop_addr_i
);

  if (Bytes == 0) begin : g_none
    assign bus_req_o  = req_i;
    assign bus_late_o = 1'b0;
    assign bus_cmd_o  = cmd_i;
    assign gnt_o      = bus_gnt_i;
    assign rvalid_o   = bus_rvalid_i;
    assign err_o      = bus_err_i;
    assign rdata_o    = bus_rdata_i;
    logic unused;
    assign unused = ^{clk_i, rst_ni, bus_gnt_late_i, snoop_valid_i, snoop_addr_i, LineWords};
  end else begin : g_cache
    localparam int unsigned AddrW  = 26;                         // a word of the memory, of 256 MiB at most
    localparam int unsigned IndexW = $clog2(Bytes / 4);          // a word here
    localparam int unsigned LineW  = $clog2(Bytes / 4 / LineWords);
    localparam int unsigned TagW   = AddrW - IndexW;
    localparam int unsigned LeftW  = $clog2(LineWords) + 1;

    typedef logic [AddrW-1:0] word_t;
    typedef struct packed {
      logic            valid;
      logic [TagW-1:0] tag;
    } entry_t;

    // The state of the access that was accepted last
    typedef enum logic [2:0] {
      Idle,   // answered
      Look,   // a load: looked up in the last cycle, and on the bus if early_q
      Fill,   // a load: its line comes
      Store,  // a store to the memory: on the bus in the last cycle
      Pass    // any other: likewise
    } state_e;

    function automatic logic [LineW-1:0] line(word_t word);
      return LineW'(word >> $clog2(LineWords));
    endfunction

    // The word `by` further in the same line, which ends where it began
    function automatic word_t step(word_t word, word_t by);
      return (word & ~word_t'(LineWords - 1)) | ((word + by) & word_t'(LineWords - 1));
    endfunction

    state_e            state_q;
    word_t             word_q;     // of the access; while its line comes, the next one to ask for
    logic        [3:0] be_q;
    logic       [31:0] wdata_q;
    logic  [LeftW-1:0] left_q;     // words to ask for
    logic              early_q;
    logic              killed_q;   // another master wrote to the line that comes
    logic              cacheable, load, take, pass, free, ask, arrives, hit, present, changes, invalidate;

    // Tags, for the core's and for the snooped addresses. The RAMs return what was there before a write of the same
    // cycle; then the entry written is used.
    entry_t            tags [2**LineW];
    entry_t            snoop_tags [2**LineW];
    entry_t            entry, entry_q, tag_q, snoop_tag_q, found, snooped;
    logic              tag_we, fresh_q, snoop_fresh_q, snoop_q;
    logic  [LineW-1:0] tag_line;
    word_t             word, snoop_word, snoop_word_q;
    logic    [LineW:0] clear_q;    // lines cleared after reset
    logic              clearing;

    // Lines. A load of a word that is written in the cycle of its lookup is taken for a miss.
    logic       [31:0] data [2**IndexW];
    logic       [31:0] data_q;
    logic              data_we, clash_q;
    logic        [3:0] data_be;
    logic       [31:0] data_wdata;
    logic [IndexW-1:0] data_word;

    assign word       = cmd_i.addr[27:2];
    assign snoop_word = snoop_addr_i[27:2];

    assign cacheable = cmd_i.addr[31:28] == RamBase[31:28];

    assign load = cacheable & ~cmd_i.we;
    assign take = req_i & free & load;
    assign pass = req_i & free & ~load;
    assign ask  = (((state_q == Look) & ~hit) | (state_q == Fill)) & (left_q != '0);

    assign arrives = ((state_q == Look) & early_q & ~hit) | ((state_q == Fill) & bus_rvalid_i);
    assign present = ~clearing & found.valid & (found.tag == word_q[AddrW-1:IndexW]);
    assign hit     = (state_q == Look) & present & ~clash_q;

    always_comb begin
      unique case (state_q)
        Look:    free = hit | (early_q & (left_q == '0));
        Fill:    free = arrives & (left_q == '0);
        default: free = 1'b1;
      endcase
    end

    assign gnt_o      = take | (pass & bus_gnt_i);
    assign bus_req_o  = ask | pass;
    assign bus_late_o = take;

    always_comb begin
      bus_cmd_o = cmd_i;
      if (ask) bus_cmd_o = '{we: 1'b0, be: '1, addr: {RamBase[31:28], word_q, 2'b00}, wdata: '0};
    end

    // The word asked for first is the answer; the others follow.
    always_comb begin
      unique case (state_q)
        Look:        rvalid_o = hit | early_q;
        Fill:        rvalid_o = arrives & (left_q == LeftW'(LineWords - 1));
        Store, Pass: rvalid_o = bus_rvalid_i;
        default:     rvalid_o = 1'b0;
      endcase
    end

    assign err_o   = ((state_q != Look) | early_q) & bus_err_i;
    assign rdata_o = ((state_q == Look) & ~early_q) ? data_q : bus_rdata_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        state_q  <= Idle;
        word_q   <= '0;
        be_q     <= '0;
        wdata_q  <= '0;
        left_q   <= '0;
        early_q  <= 1'b0;
        killed_q <= 1'b0;
      end else begin
        if (take)                state_q <= Look;
        else if (gnt_o)          state_q <= cacheable ? Store : Pass;
        else if (free)           state_q <= Idle;
        else                     state_q <= Fill;
        if (gnt_o) begin
          word_q   <= (take && bus_gnt_late_i) ? step(word, word_t'(1)) : word;
          be_q     <= cmd_i.be;
          wdata_q  <= cmd_i.wdata;
          left_q   <= LeftW'(LineWords) - LeftW'(bus_gnt_late_i);
          early_q  <= bus_gnt_late_i;
          killed_q <= 1'b0;
        end else begin
          if (ask && bus_gnt_i) begin
            word_q <= step(word_q, word_t'(1));
            left_q <= left_q - 1'b1;
          end
          if ((arrives && bus_err_i) || (snoop_q && line(snoop_word_q) == line(word_q))) killed_q <= 1'b1;
        end
      end
    end

    // Writes of others
    assign invalidate = ~clearing & snoop_q & snooped.valid & (snooped.tag == snoop_word_q[AddrW-1:IndexW]);

    // The data written: nothing, words that arrive, or a store
    assign changes    = (state_q == Store) & ~bus_err_i & (present | ((LineWords == 1) & (be_q == '1)));
    assign data_we    = arrives | changes;
    assign data_be    = arrives ? '1 : be_q;
    assign data_wdata = arrives ? bus_rdata_i : wdata_q;
    assign data_word  = IndexW'(arrives ? step(word_q, '1) : word_q);

    assign clearing = ~clear_q[LineW];
    assign tag_we   = clearing | invalidate | data_we;

    // A line is valid from its last word on.
    always_comb begin
      entry.tag   = word_q[AddrW-1:IndexW];
      entry.valid = ~clearing & ~invalidate & (~arrives | ((left_q == '0) & ~killed_q & ~bus_err_i));
      tag_line    = line(word_q);
      if (invalidate) tag_line = line(snoop_word_q);
      if (clearing)   tag_line = clear_q[LineW-1:0];
    end

    always_ff @(posedge clk_i) begin
      if (tag_we) tags[tag_line] <= entry;
      tag_q <= tags[line(word)];
    end

    always_ff @(posedge clk_i) begin
      if (tag_we) snoop_tags[tag_line] <= entry;
      snoop_tag_q <= snoop_tags[line(snoop_word)];
    end

    always_ff @(posedge clk_i) begin
      for (int unsigned i = 0; i < 4; i++) begin
        if (data_we && data_be[i]) data[data_word][8*i +: 8] <= data_wdata[8*i +: 8];
      end
      data_q <= data[word[IndexW-1:0]];
    end

    assign found   = fresh_q ? entry_q : tag_q;
    assign snooped = snoop_fresh_q ? entry_q : snoop_tag_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        clear_q       <= '0;
        entry_q       <= '0;
        fresh_q       <= 1'b0;
        snoop_fresh_q <= 1'b0;
        snoop_q       <= 1'b0;
        snoop_word_q  <= '0;
        clash_q       <= 1'b0;
      end else begin
        if (clearing) clear_q <= clear_q + 1'b1;
        entry_q       <= entry;
        fresh_q       <= tag_we & (tag_line == line(word));
        snoop_fresh_q <= tag_we & (tag_line == line(snoop_word));
        snoop_q       <= snoop_valid_i & (snoop_addr_i[31:28] == RamBase[31:28]);
        snoop_word_q  <= snoop_word;
        clash_q       <= data_we & (data_word == word[IndexW-1:0]);
      end
    end

    logic unused;
    assign unused = ^{snoop_addr_i[1:0], cmd_i.addr[1:0]};

`ifdef FORMAL
    // The one write port: see above.
    always_ff @(posedge clk_i) begin
      if (rst_ni) assert (!(invalidate && data_we));
    end
`endif
  end

endmodule
