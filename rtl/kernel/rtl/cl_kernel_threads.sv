// SPDX-License-Identifier: Apache-2.0
// Thread table: a record per thread, the free ids, and the links of all lists of threads.
//
// The record of the thread raddr_i is there in the next cycle, with its id in tid_o, until raddr_i changes. A
// write takes effect in the next cycle; a record being written must not be read in the same cycle
// (cl_ram_1r1w). Each strobe writes the fields it names:
//   init     thread 0 runs on CPU 0 (all other ids are free; they have no record and need none)
//   create   a new thread, id new_o; only while room_o; needs the record of free_head_o read
//   add_joiner, detach, idle, move, set_priority, free   the thread read
//   set      state and CPU of the thread set_tid_i
//   link     the thread after link_tid_i
// The fields are in separate memories, as they are written at different times. A thread is in at most one list
// (a wait list; the ready queue has its own links) and a free one in none: so the free ids share
// `link`.
module cl_kernel_threads
  import cl_kernel_pkg::*;
  import cl_outcome_pkg::*;
#(
  parameter  int unsigned Clients       = 2,
  parameter  int unsigned Threads       = 64,
  parameter  int unsigned Priorities    = 32,
  localparam int unsigned CpuWidth      = (Clients > 1) ? $clog2(Clients) : 1,
  localparam int unsigned TidWidth      = $clog2(Threads),
  localparam int unsigned PriorityWidth = $clog2(Priorities)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  // The record read
  input  logic      [TidWidth-1:0] raddr_i,
  output logic      [TidWidth-1:0] tid_o,
  output thread_state_e            state_o,
  output logic      [CpuWidth-1:0] cpu_o,           // where it runs or ran last
  output logic [PriorityWidth-1:0] priority_o,
  output logic                     static_o,
  output logic                     bound_o,         // to its CPU or hardware unit (cl_kernel_bound)
  output logic                     detached_o,
  output logic                     joined_o,        // a thread waits for its end:
  output logic      [TidWidth-1:0] joiner_o,
  output logic      [TidWidth-1:0] link_o,
  input  logic               [9:0] read_id_i,       // with raddr_i: as a caller names a thread;
  output logic                     exists_o,        // the record read is of this id, and it is in use

  // New threads
  output logic                     room_o,
  output logic      [TidWidth-1:0] new_o,
  output logic      [TidWidth-1:0] free_head_o,
  input  logic      [CpuWidth-1:0] new_cpu_i,
  input  logic [PriorityWidth-1:0] new_priority_i,
  input  logic                     new_static_i,
  input  logic                     new_bound_i,
  input  logic                     new_detached_i,

  // Writes
  input  logic                     init_i,
  input  thread_change_t           change_i,
  input  logic      [TidWidth-1:0] caller_i,        // the joiner
  input  logic                     set_priority_i,
  input  logic [PriorityWidth-1:0] priority_i,
  input  logic                     set_i,
  input  logic      [TidWidth-1:0] set_tid_i,
  input  thread_state_e            set_state_i,
  input  logic      [CpuWidth-1:0] set_cpu_i,
  input  logic                     link_we_i,
  input  logic      [TidWidth-1:0] link_tid_i,
  input  logic      [TidWidth-1:0] link_i
);

  typedef logic [TidWidth-1:0] tid_t;

  typedef struct packed {
    thread_state_e       state;
    logic [CpuWidth-1:0] cpu;
  } run_t;
  typedef struct packed {
    logic is_static;
    logic bound;
    logic detached;
    logic joined;
  } attr_t;
  typedef logic [PriorityWidth-1:0] priority_t;

  run_t      run, run_wdata;
  attr_t     attr, attr_wdata;
  priority_t priority_wdata;
  tid_t      run_waddr, attr_waddr, link_waddr, link_wdata;
  logic      run_we, attr_we, priority_we, link_we;

  // Data that decide an operation's outcome
  cl_ram_1r1w #(.Width($bits(run_t)), .AddrWidth(TidWidth), .Early(1'b1)) u_run (
    .clk_i, .we_i(run_we), .waddr_i(run_waddr), .wdata_i(run_wdata), .raddr_i, .rdata_o(run)
  );
  cl_ram_1r1w #(.Width($bits(attr_t)), .AddrWidth(TidWidth), .Early(1'b1)) u_attr (
    .clk_i, .we_i(attr_we), .waddr_i(attr_waddr), .wdata_i(attr_wdata), .raddr_i, .rdata_o(attr)
  );
  // Data that only come with it
  cl_ram_1r1w #(.Width(PriorityWidth), .AddrWidth(TidWidth)) u_priority (
    .clk_i, .we_i(priority_we), .waddr_i(attr_waddr), .wdata_i(priority_wdata), .raddr_i, .rdata_o(priority_o)
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(TidWidth)) u_joiner (
    .clk_i, .we_i(change_i.add_joiner), .waddr_i(tid_o), .wdata_i(caller_i), .raddr_i, .rdata_o(joiner_o)
  );
  cl_ram_1r1w #(.Width(TidWidth), .AddrWidth(TidWidth)) u_link (
    .clk_i, .we_i(link_we), .waddr_i(link_waddr), .wdata_i(link_wdata), .raddr_i, .rdata_o(link_o)
  );

  assign state_o    = run.state;
  assign cpu_o      = run.cpu;
  assign static_o   = attr.is_static;
  assign bound_o    = attr.bound;
  assign detached_o = attr.detached;
  assign joined_o   = attr.joined;

  always_comb begin
    attr_waddr     = tid_o;
    attr_wdata     = '{
      is_static: change_i.move ? new_static_i : attr.is_static | change_i.idle,
      bound:     attr.bound | change_i.idle,
      detached:  attr.detached | change_i.detach,
      joined:    attr.joined | change_i.add_joiner
    };
    priority_wdata = priority_i;
    run_waddr      = set_tid_i;
    run_wdata      = '{state: set_state_i, cpu: set_cpu_i};
    link_waddr     = link_tid_i;
    link_wdata     = link_i;
    if (change_i.create) begin
      run_waddr      = new_o;
      run_wdata      = '{state: ThreadCreated, cpu: new_cpu_i};
      attr_waddr     = new_o;
      attr_wdata     = '{is_static: new_static_i, bound: new_bound_i, detached: new_detached_i, joined: 1'b0};
      priority_wdata = new_priority_i;
    end
    if (change_i.free) begin
      run_waddr       = tid_o;
      run_wdata.state = ThreadFree;
      link_waddr      = tid_o;
      link_wdata      = free_head_o;
    end
    if (init_i) begin
      run_waddr      = '0;
      run_wdata      = '{state: ThreadRunning, cpu: '0};
      attr_waddr     = '0;
      attr_wdata     = '0;
      priority_wdata = PriorityWidth'(Priorities / 2);
    end
  end

  logic unused;  // cl_kernel_bound's, cl_kernel_reserve's, cl_kernel_dwrr's
  assign unused = ^{change_i.unbind, change_i.reserve, change_i.give_back, change_i.weigh};

  assign run_we      = init_i | change_i.create | change_i.free | set_i;
  assign attr_we     = init_i | change_i.create | change_i.detach | change_i.idle | change_i.add_joiner |
                       change_i.move;
  assign priority_we = init_i | change_i.create | set_priority_i;
  assign link_we     = change_i.free | link_we_i;

  // ---------------------------------------------------------------------------------------------
  // Free ids: those below `unused` are in a list, last in, first out; then `unused` and those above it

  tid_t              free_head_q;
  logic [TidWidth:0] free_count_q, unused_q;
  logic              known_q;  // the id has been in use

  assign free_head_o = free_head_q;
  assign room_o      = free_count_q != '0 || 32'(unused_q) != Threads;
  assign new_o       = (free_count_q != '0) ? free_head_q : tid_t'(unused_q);
  assign exists_o    = known_q && run.state != ThreadFree;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tid_o        <= '0;
      known_q      <= 1'b0;
      free_head_q  <= '0;
      free_count_q <= '0;
      unused_q     <= (TidWidth + 1)'(1);
    end else begin
      tid_o   <= raddr_i;
      known_q <= 32'(read_id_i) < 32'(unused_q);
      if (change_i.free) begin
        free_head_q  <= tid_o;
        free_count_q <= free_count_q + 1'b1;
      end else if (change_i.create && free_count_q != '0) begin
        free_head_q  <= link_o;
        free_count_q <= free_count_q - 1'b1;
      end else if (change_i.create) begin
        unused_q     <= unused_q + 1'b1;
      end
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin end else begin
      AssertIdsAddUp:   assert (32'(unused_q) <= Threads && free_count_q <= unused_q);
      AssertCreateRoom: assert (!change_i.create || room_o);
    end
  end
`endif

endmodule
