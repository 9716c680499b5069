// SPDX-License-Identifier: Apache-2.0
// The adapter of the fast core (cl_core_fast), around any core that keeps to Wishbone: the core's outputs are free.
// Not proved: what the core makes of it (tests/soc), and that an access is granted some time.

// Any core: what it asks for is as free as the inputs of a proof are.
module VexRiscv (
  input  logic        clk,
  input  logic        reset,
  input  logic [31:0] externalResetVector,
  input  logic        timerInterrupt,
  input  logic        softwareInterrupt,
  input  logic [31:0] externalInterruptArray,
  output logic        iBusWishbone_CYC,
  output logic        iBusWishbone_STB,
  input  logic        iBusWishbone_ACK,
  output logic        iBusWishbone_WE,
  output logic [29:0] iBusWishbone_ADR,
  input  logic [31:0] iBusWishbone_DAT_MISO,
  output logic [31:0] iBusWishbone_DAT_MOSI,
  output logic  [3:0] iBusWishbone_SEL,
  input  logic        iBusWishbone_ERR,
  output logic  [2:0] iBusWishbone_CTI,
  output logic  [1:0] iBusWishbone_BTE,
  output logic        dBusWishbone_CYC,
  output logic        dBusWishbone_STB,
  input  logic        dBusWishbone_ACK,
  output logic        dBusWishbone_WE,
  output logic [29:0] dBusWishbone_ADR,
  input  logic [31:0] dBusWishbone_DAT_MISO,
  output logic [31:0] dBusWishbone_DAT_MOSI,
  output logic  [3:0] dBusWishbone_SEL,
  input  logic        dBusWishbone_ERR,
  output logic  [2:0] dBusWishbone_CTI,
  output logic  [1:0] dBusWishbone_BTE
);
endmodule

module cl_core_fast_formal
  import cl_soc_pkg::*;
#(
  parameter logic [31:0] BootAddr = 32'h4000_0000
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        bus_gnt_i,
  input logic        bus_rvalid_i,
  input logic        bus_err_i,
  input logic [31:0] bus_rdata_i,
  input logic        priv_gnt_i,
  input logic        priv_rvalid_i,
  input logic        priv_err_i,
  input logic [31:0] priv_rdata_i,
  input logic        irq_kernel_i,
  input logic        irq_timer_i,
  input logic        irq_ipi_i,
  input logic        irq_line_i,
  input logic        irq_ipc_i
);

  obi_req_t    cmd_o, priv_cmd_o;
  logic        bus_req_o, bus_late_o, priv_req_o, fault_o, halt_o;
  logic [31:0] fault_addr_o;

  cl_core_fast #(.BootAddr(BootAddr)) u_adapter (
    .cpu_id_i('0), .bus_gnt_late_i(1'b0), .snoop_valid_i(1'b0), .snoop_addr_i('0), .pc_o(), .*
  );

  // The core's two masters
  logic        fetch_stb, fetch_ack, fetch_burst, data_stb, data_ack, data_we, data_burst;
  logic [29:0] fetch_adr, fetch_next, data_adr, data_next;
  logic [31:0] fetch_rdata, data_rdata, data_wdata;
  logic  [3:0] data_sel;

  assign fetch_stb   = u_adapter.u_core.iBusWishbone_STB;
  assign fetch_ack   = u_adapter.u_core.iBusWishbone_ACK;
  assign fetch_adr   = u_adapter.u_core.iBusWishbone_ADR;
  assign fetch_rdata = u_adapter.u_core.iBusWishbone_DAT_MISO;
  assign fetch_burst = u_adapter.u_core.iBusWishbone_CTI == 3'b010;
  assign fetch_next  = {fetch_adr[29:3], fetch_adr[2:0] + 3'd1};
  assign data_stb    = u_adapter.u_core.dBusWishbone_STB;
  assign data_ack    = u_adapter.u_core.dBusWishbone_ACK;
  assign data_we     = u_adapter.u_core.dBusWishbone_WE;
  assign data_adr    = u_adapter.u_core.dBusWishbone_ADR;
  assign data_sel    = u_adapter.u_core.dBusWishbone_SEL;
  assign data_wdata  = u_adapter.u_core.dBusWishbone_DAT_MOSI;
  assign data_rdata  = u_adapter.u_core.dBusWishbone_DAT_MISO;
  assign data_burst  = u_adapter.u_core.dBusWishbone_CTI == 3'b010;
  assign data_next   = {data_adr[29:3], data_adr[2:0] + 3'd1};

  // An access of a port goes to the bus; data before instructions
  logic data_asks, fetch_asks;
  assign data_asks  = u_adapter.data_bus_req;
  assign fetch_asks = u_adapter.fetch_req;

  // Granted and not answered: a fetch, a data access on the bus or at the private port; word, and whether it is a load
  logic        fetch_q, data_q, priv_q, load_q, reset_q;
  logic [29:0] fetch_word_q;
  logic [31:0] data_addr_q;
  // What the core must keep, and how a burst goes on
  logic        fetch_kept_q, fetch_burst_q, data_kept_q, data_burst_q;
  logic [29:0] fetch_next_q, data_next_q;
  logic [32:0] fetch_asks_q, fetch_all;
  logic [69:0] data_asks_q, data_all;

  assign fetch_all = {u_adapter.u_core.iBusWishbone_CTI, fetch_adr};
  assign data_all  = {u_adapter.u_core.dBusWishbone_CTI, data_we, data_sel, data_adr, data_wdata};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {fetch_q, data_q, priv_q, load_q, fetch_kept_q, fetch_burst_q, data_kept_q, data_burst_q} <= '0;
      {fetch_word_q, data_addr_q, fetch_next_q, data_next_q, fetch_asks_q, data_asks_q} <= '0;
      reset_q <= 1'b1;
    end else begin
      reset_q <= 1'b0;
      fetch_q <= (bus_gnt_i && !data_asks) || (fetch_q && !bus_rvalid_i);
      data_q  <= (bus_gnt_i && data_asks) || (data_q && !bus_rvalid_i);
      priv_q  <= (priv_req_o && priv_gnt_i) || (priv_q && !priv_rvalid_i);
      if (bus_gnt_i && !data_asks) fetch_word_q <= cmd_o.addr[31:2];
      if ((bus_gnt_i && data_asks) || (priv_req_o && priv_gnt_i)) begin
        load_q      <= !data_we;
        data_addr_q <= data_asks ? cmd_o.addr : priv_cmd_o.addr;
      end
      fetch_kept_q  <= fetch_stb && !fetch_ack;
      fetch_burst_q <= fetch_stb && fetch_ack && fetch_burst;
      fetch_asks_q  <= fetch_all;
      fetch_next_q  <= fetch_next;
      data_kept_q   <= data_stb && !data_ack;
      data_burst_q  <= data_stb && data_ack && data_burst;
      data_asks_q   <= data_all;
      data_next_q   <= data_next;
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    // The core keeps a request until its answer, and goes through a line of 8 words in a burst of loads from memory.
    if (fetch_kept_q)  assume (fetch_stb && fetch_all == fetch_asks_q);
    if (fetch_burst_q) assume (fetch_stb && fetch_adr == fetch_next_q && (fetch_burst || fetch_adr[2:0] == '1));
    if (fetch_burst)   assume (fetch_adr[2:0] != '1 && fetch_adr[29:26] != '1);
    if (data_kept_q)   assume (data_stb && data_all == data_asks_q);
    if (data_burst_q)  assume (data_stb && !data_we && data_adr == data_next_q && (data_burst || data_adr[2:0] == '1));
    if (data_burst)    assume (!data_we && data_adr[2:0] != '1 && data_adr[29:26] != '1);
    // Bus and private port answer what they granted; on the bus one access is outstanding.
    if (bus_gnt_i)     assume (bus_req_o && (!(fetch_q || data_q) || bus_rvalid_i));
    if (bus_rvalid_i)  assume (fetch_q || data_q);
    if (priv_rvalid_i) assume (priv_q);

    // REQ-fast-1: an access goes to its port as it is, data before instructions.
    assert (bus_req_o == (data_asks || fetch_asks));
    if (bus_req_o && data_asks) begin
      assert (data_stb && cmd_o.we == data_we && cmd_o.be == data_sel && cmd_o.wdata == data_wdata && cmd_o.addr[1:0] == '0);
      assert (cmd_o.addr[31:28] != '1);
      assert (cmd_o.addr[31:2] == (data_q && load_q ? data_next : data_adr));
    end else if (bus_req_o) begin
      assert (fetch_stb && !cmd_o.we && cmd_o.be == '1 && cmd_o.addr == {fetch_q ? fetch_next : fetch_adr, 2'b00});
    end
    if (priv_req_o) assert (data_stb && data_adr[29:26] == '1 && priv_cmd_o == {data_we, data_sel, data_adr, 2'b00, data_wdata});
    assert (!(priv_req_o && data_asks) && !bus_late_o);
    // REQ-fast-2: each is answered once: a store by its grant, a load and a fetch by the answer to it.
    if (data_ack) assert (data_stb);
    if (data_ack && data_we)  assert ((data_asks && bus_gnt_i) || (priv_req_o && priv_gnt_i));
    if (data_ack && !data_we) assert (load_q && data_addr_q == {data_adr, 2'b00} && ((data_q && bus_rvalid_i &&
      data_rdata == bus_rdata_i) || (priv_q && priv_rvalid_i && data_rdata == priv_rdata_i)));
    if (load_q && ((data_q && bus_rvalid_i) || (priv_q && priv_rvalid_i))) assert (data_ack);
    if (fetch_ack) assert (fetch_stb && fetch_q && bus_rvalid_i && fetch_word_q == fetch_adr);
    if (fetch_q && bus_rvalid_i) assert (fetch_ack && fetch_rdata == (bus_err_i ? '0 : bus_rdata_i));
    if (data_asks || priv_req_o) assert (!(data_q || priv_q) || (data_q && bus_rvalid_i));
    if (fetch_asks) assert (!fetch_q || bus_rvalid_i);
    if (data_stb && !data_ack)   assert (data_asks || priv_req_o || data_q || priv_q);
    if (fetch_stb && !fetch_ack) assert (fetch_asks || fetch_q);
    // REQ-fast-3: an error of a data access, and no other, is reported with its address.
    assert (fault_o == ((data_q && bus_rvalid_i && bus_err_i) || (priv_q && priv_rvalid_i && priv_err_i)));
    if (fault_o) assert (fault_addr_o == data_addr_q);
    // REQ-fast-4: the core has each interrupt at its place, is reset for a cycle longer, and starts behind the table.
    assert (u_adapter.u_core.timerInterrupt == irq_timer_i && u_adapter.u_core.softwareInterrupt == irq_ipi_i);
    assert (u_adapter.u_core.externalInterruptArray == {29'b0, irq_ipc_i, irq_line_i, irq_kernel_i});
    assert (u_adapter.u_core.externalResetVector == BootAddr + 32'h80 && u_adapter.u_core.reset == reset_q);
    assert (!u_adapter.u_core.iBusWishbone_ERR && !u_adapter.u_core.dBusWishbone_ERR && !halt_o);

    // Why: it remembers what was granted.
    assert (32'(data_q) + 32'(priv_q) <= 1 && !(data_q && fetch_q));
    if (data_q)  assert (u_adapter.data_owner_q && !u_adapter.fetch_owner_q);
    if (fetch_q) assert (u_adapter.fetch_owner_q && !u_adapter.data_owner_q);
    assert (u_adapter.u_split.busy_q == (data_q || priv_q) && !u_adapter.u_split.mem_q);
    if (data_q || priv_q) assert (u_adapter.u_split.priv_q == priv_q && u_adapter.u_split.addr_q == data_addr_q);
    assert (u_adapter.u_data.loading_q == (load_q && (data_q || priv_q)) && u_adapter.u_fetch.loading_q == fetch_q);
    if (load_q && (data_q || priv_q)) begin
      assert (data_stb && !data_we && data_addr_q == {data_adr, 2'b00} && u_adapter.u_data.more_q == data_burst);
      assert (data_kept_q || data_burst_q);
      assert (priv_q == (data_adr[29:26] == '1));
    end
    if (fetch_q) begin
      assert (fetch_stb && fetch_word_q == fetch_adr && u_adapter.u_fetch.more_q == fetch_burst);
      assert (fetch_kept_q || fetch_burst_q);
    end

    CoverFetches: cover (fetch_ack && fetch_asks && bus_gnt_i);
    CoverLoads:   cover (data_ack && data_asks && bus_gnt_i && !data_we);
    CoverStore:   cover (data_ack && data_we && data_asks && fetch_asks);
    CoverPrivate: cover (data_ack && priv_q && load_q);
    CoverBoth:    cover (priv_q && fetch_ack);
    CoverFault:   cover (fault_o && data_q && !load_q);
  end

endmodule
