// SPDX-License-Identifier: Apache-2.0
// The adapter of the standard core (cl_core_standard) with one bank of registers, around any core, data cache and local
// memory: their outputs are free.
// Not proved: two banks (cl_frame has a proof of its own), and that an access is granted some time.

module cl_ibex #(
  parameter logic [31:0] BootAddr = 32'h0,
  parameter bit          ICache   = 1'b1,
  parameter int unsigned Banks    = 1,
  parameter bit          Debug    = 1'b0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic  [3:0] hart_id_i,
  output logic        instr_req_o,
  input  logic        instr_gnt_i,
  input  logic        instr_rvalid_i,
  output logic [31:0] instr_addr_o,
  input  logic [31:0] instr_rdata_i,
  input  logic        instr_err_i,
  output logic        data_req_o,
  input  logic        data_gnt_i,
  input  logic        data_rvalid_i,
  output logic        data_we_o,
  output logic  [3:0] data_be_o,
  output logic [31:0] data_addr_o,
  output logic [31:0] data_wdata_o,
  input  logic [31:0] data_rdata_i,
  input  logic        data_err_i,
  input  logic        irq_software_i,
  input  logic        irq_timer_i,
  input  logic        irq_external_i,
  input  logic [14:0] irq_fast_i,
  input  logic        debug_req_i,
  input  logic        bank_i,
  input  logic  [4:0] other_addr_i,
  output logic [31:0] other_rdata_o,
  output logic [31:0] mepc_o,
  output logic        halt_o,
  output logic [31:0] pc_o
);
endmodule

module cl_core_standard_formal
  import cl_soc_pkg::*;
#(
  parameter  cl_soc_cfg_pkg::cfg_t Cfg        = cl_soc_cfg_pkg::Default,
  localparam int unsigned          LocalBytes = Cfg.LocalBytes
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic  [3:0] cpu_id_i,
  input logic        bus_gnt_i,
  input logic        bus_gnt_late_i,
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
  input logic        irq_ipc_i,
  input logic        debug_req_i,
  input logic        snoop_valid_i,
  input logic [31:0] snoop_addr_i
);

  obi_req_t    cmd_o, priv_cmd_o;
  logic        bus_req_o, bus_late_o, priv_req_o, fault_o, halt_o;
  logic [31:0] fault_addr_o, pc_o;

  cl_core_standard #(.Cfg(Cfg)) u_adapter (.*);

  // The core's two masters, and the cache, which asks for the data on the bus
  logic        fetch_req, fetch_gnt, data_req, data_gnt, cache_req, cache_late, cache_rvalid, cache_err;
  logic [31:0] fetch_addr, cache_rdata, local_fetch, local_data;
  obi_req_t    data_cmd, cache_cmd;

  assign fetch_req    = u_adapter.u_core.instr_req_o;
  assign fetch_gnt    = u_adapter.u_core.instr_gnt_i;
  assign fetch_addr   = u_adapter.u_core.instr_addr_o;
  assign data_req     = u_adapter.u_core.data_req_o;
  assign data_gnt     = u_adapter.u_core.data_gnt_i;
  assign data_cmd     = '{we: u_adapter.u_core.data_we_o, be: u_adapter.u_core.data_be_o,
                          addr: u_adapter.u_core.data_addr_o, wdata: u_adapter.u_core.data_wdata_o};
  assign cache_req    = u_adapter.u_dcache.bus_req_o;
  assign cache_late   = u_adapter.u_dcache.bus_late_o;
  assign cache_cmd    = u_adapter.u_dcache.bus_cmd_o;
  assign cache_rvalid = u_adapter.u_dcache.rvalid_o;
  assign cache_err    = u_adapter.u_dcache.err_o;
  assign cache_rdata  = u_adapter.u_dcache.rdata_o;

  // Where an access goes; the ranges are numbers here, as the memory map has them
  logic fetch_here, data_here, data_private, to_cache, fetch_asks, first, late;
  // Granted and not answered: a fetch from bus or local memory, the cache on the bus; data of cache, private port, memory
  logic fetch_q, fetch_here_q, cache_bus_q, cache_q, priv_q, here_q, out;
  logic waits_q, first_q, granted_q;     // a fetch waits, data were shown and wait, the bus granted
  logic [31:0] fetch_addr_q, data_addr_q;
  obi_req_t    data_cmd_q;
  logic        data_kept_q;

  assign fetch_here   = fetch_addr >= 32'h2000_0000 && fetch_addr - 32'h2000_0000 < LocalBytes;
  assign data_here    = data_cmd.addr >= 32'h2000_0000 && data_cmd.addr - 32'h2000_0000 < LocalBytes;
  assign data_private = data_cmd.addr >= 32'hF000_0000;
  assign out          = cache_q || priv_q || here_q;
  assign fetch_asks   = fetch_req && !fetch_here;
  assign first        = cache_req && !(Cfg.Scheduler && waits_q && !first_q);
  assign late         = cache_late && !fetch_asks;

  logic data_rvalid, free;
  assign data_rvalid = (cache_q && cache_rvalid) || (priv_q && priv_rvalid_i) || here_q;
  assign free        = !out || data_rvalid;
  assign to_cache    = data_req && free && !data_here && !data_private;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {fetch_q, fetch_here_q, cache_bus_q, cache_q, priv_q, here_q, waits_q, first_q, granted_q, data_kept_q} <= '0;
      {fetch_addr_q, data_addr_q, data_cmd_q} <= '0;
    end else begin
      granted_q    <= bus_gnt_i || bus_gnt_late_i;
      fetch_q      <= fetch_asks && fetch_gnt;
      fetch_here_q <= fetch_req && fetch_here;
      cache_bus_q  <= (bus_gnt_i && first) || (bus_gnt_late_i && late);
      waits_q      <= fetch_req && !fetch_gnt;
      first_q      <= first && !bus_gnt_i;
      if (fetch_req) fetch_addr_q <= fetch_addr;
      cache_q      <= (to_cache && data_gnt) || (cache_q && !cache_rvalid);
      priv_q       <= (priv_req_o && priv_gnt_i) || (priv_q && !priv_rvalid_i);
      here_q       <= data_req && free && data_here;
      data_kept_q  <= data_req && !data_gnt;
      data_cmd_q   <= data_cmd;
      if (data_gnt) data_addr_q <= data_cmd.addr;
    end
  end

  always_ff @(posedge clk_i) if (rst_ni) begin
    // The core keeps a request until its grant; the bus serves one master a cycle, late requests only if none is on time,
    // and answers a cycle later.
    if (waits_q)     assume (fetch_req && fetch_addr == fetch_addr_q);
    if (data_kept_q) assume (data_req && data_cmd == data_cmd_q);
    if (bus_gnt_i)      assume (bus_req_o);
    if (bus_gnt_late_i) assume (bus_late_o && !bus_req_o);
    assume (bus_rvalid_i == granted_q);
    assume (!(cache_req && cache_late));
    if (cache_rvalid)  assume (cache_q);
    if (priv_rvalid_i) assume (priv_q);
    if (u_adapter.u_dcache.gnt_o) assume (u_adapter.u_dcache.req_i);

    // REQ-standard-1: on the bus data go before a fetch, with a scheduler not before one that is shown already. A fetch is
    // late in its first cycle; data that a cache would like are late behind one.
    assert (bus_req_o == (cache_req || waits_q) && bus_late_o == (fetch_asks || cache_late));
    if (bus_req_o || bus_late_o)
      assert (cmd_o == (first || late ? cache_cmd : {1'b0, 4'hF, fetch_addr, 32'd0}));
    assert (u_adapter.u_dcache.bus_gnt_i == (first && bus_gnt_i) && u_adapter.u_dcache.bus_gnt_late_i == (late && bus_gnt_late_i));
    if (fetch_req) assert (fetch_gnt == (fetch_here || (!first && (bus_gnt_i || bus_gnt_late_i))));
    // REQ-standard-2: a fetch is answered a cycle after its grant, by the bus or by the local memory.
    assert (u_adapter.u_core.instr_rvalid_i == (fetch_q || fetch_here_q));
    if (fetch_q || fetch_here_q) assert (u_adapter.u_core.instr_err_i == (fetch_q && bus_err_i));
    if (fetch_q) assert (u_adapter.u_core.instr_rdata_i == bus_rdata_i);
    // REQ-standard-3: data go as they are to the cache, the private port or the local memory, and are answered by it.
    assert (u_adapter.u_dcache.req_i == to_cache && priv_req_o == (data_req && free && data_private));
    if (to_cache) assert (u_adapter.u_dcache.cmd_i == data_cmd);
    if (priv_req_o) assert (priv_cmd_o == data_cmd);
    assert (data_gnt == ((to_cache && u_adapter.u_dcache.gnt_o) || (priv_req_o && priv_gnt_i) || (data_req && free && data_here)));
    assert (u_adapter.u_core.data_rvalid_i == data_rvalid);
    if (data_rvalid) begin
      assert (u_adapter.u_core.data_err_i == ((cache_q && cache_err) || (priv_q && priv_err_i)));
      if (!here_q) assert (u_adapter.u_core.data_rdata_i == (cache_q ? cache_rdata : priv_rdata_i));
    end
    assert (u_adapter.u_dcache.bus_rvalid_i == (bus_rvalid_i && cache_bus_q));
    assert (u_adapter.u_dcache.bus_err_i == bus_err_i && u_adapter.u_dcache.bus_rdata_i == bus_rdata_i);
    assert (u_adapter.u_dcache.snoop_valid_i == snoop_valid_i && u_adapter.u_dcache.snoop_addr_i == snoop_addr_i);
    // REQ-standard-4: each error is reported, that of data with its address, else the fetch's.
    assert (fault_o == ((data_rvalid && ((cache_q && cache_err) || (priv_q && priv_err_i))) || (fetch_q && bus_err_i)));
    if (fault_o) assert (fault_addr_o == (data_rvalid && u_adapter.u_core.data_err_i ? data_addr_q : u_adapter.instr_addr_q));
    if (fetch_q) assert (u_adapter.instr_addr_q == fetch_addr_q);
    // REQ-standard-5: each interrupt has its place, and the core its number.
    assert (u_adapter.u_core.irq_external_i == irq_kernel_i && u_adapter.u_core.irq_timer_i == irq_timer_i);
    assert (u_adapter.u_core.debug_req_i == debug_req_i);
    assert (u_adapter.u_core.irq_software_i == irq_ipi_i && u_adapter.u_core.irq_fast_i == {13'd0, irq_ipc_i, irq_line_i});
    assert (u_adapter.u_core.hart_id_i == cpu_id_i && halt_o == u_adapter.u_core.halt_o && pc_o == u_adapter.u_core.pc_o);

    // Why: it remembers what was granted, and cl_split, too.
    assert (32'(cache_q) + 32'(priv_q) + 32'(here_q) <= 1 && !(fetch_q && (cache_bus_q || fetch_here_q)));
    assert (u_adapter.instr_owner_q == fetch_q && u_adapter.data_owner_q == cache_bus_q || !granted_q);
    assert (granted_q || (!fetch_q && !cache_bus_q));
    assert (u_adapter.fetch_q == fetch_here_q && u_adapter.waiting_q == waits_q && u_adapter.data_waiting_q == first_q);
    assert (u_adapter.u_split.busy_q == out);
    if (out) assert (u_adapter.u_split.mem_q == here_q && u_adapter.u_split.priv_q == priv_q && u_adapter.u_split.addr_q == data_addr_q);

    CoverFetch:   cover (fetch_q && bus_gnt_late_i && fetch_gnt);
    CoverWaits:   cover (waits_q && first && bus_gnt_i);
    CoverLate:    cover (late && bus_gnt_late_i);
    CoverLocal:   cover (LocalBytes == 0 ? fetch_q : fetch_here_q && here_q && cache_bus_q);
    CoverPrivate: cover (priv_q && data_rvalid && to_cache);
    CoverShown:   cover (Cfg.Scheduler ? cache_req && !first && bus_gnt_i : cache_req && waits_q);
    CoverFaults:  cover (fault_o && fetch_q && bus_err_i && cache_q && cache_rvalid && cache_err);
  end

  if (LocalBytes != 0) begin : g_local
    localparam int unsigned AddrW = $clog2(LocalBytes / 4);
    assign local_fetch = u_adapter.g_local_memory.u_memory.fetch_rdata_o;
    assign local_data  = u_adapter.g_local_memory.u_memory.rdata_o;
    always_ff @(posedge clk_i) if (rst_ni) begin
      // REQ-standard-6: the local memory gets what is its, and its words reach the core.
      assert (u_adapter.g_local_memory.u_memory.fetch_req_i == (fetch_req && fetch_here));
      assert (u_adapter.g_local_memory.u_memory.fetch_addr_i == fetch_addr[2 +: AddrW]);
      assert (u_adapter.g_local_memory.u_memory.req_i == (data_req && free && data_here));
      assert ({u_adapter.g_local_memory.u_memory.we_i, u_adapter.g_local_memory.u_memory.be_i,
               u_adapter.g_local_memory.u_memory.addr_i, u_adapter.g_local_memory.u_memory.wdata_i} ==
              {data_cmd.we, data_cmd.be, data_cmd.addr[2 +: AddrW], data_cmd.wdata});
      if (fetch_here_q) assert (u_adapter.u_core.instr_rdata_i == local_fetch);
      if (here_q)       assert (u_adapter.u_core.data_rdata_i == local_data);
    end
  end

endmodule
