// Stands in for the kernel where a test does not want one: every load reads 0, nothing ever happens.
module cl_kernel #(
  parameter int unsigned Cpus       = 2,
  parameter int unsigned Threads    = 64,
  parameter int unsigned Priorities = 32,
  parameter int unsigned Ports      = 32,
  parameter int unsigned PortDepth  = 8,
  parameter int unsigned Mutexes    = 32,
  parameter int unsigned Semaphores = 32
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  tick_i,
  input  logic       [Cpus-1:0] req_i,
  output logic       [Cpus-1:0] gnt_o,
  input  logic       [Cpus-1:0] we_i,
  input  logic [Cpus-1:0][15:0] addr_i,
  input  logic [Cpus-1:0][31:0] wdata_i,
  output logic       [Cpus-1:0] rvalid_o,
  output logic [Cpus-1:0][31:0] rdata_o,
  output logic       [Cpus-1:0] irq_o,
  input  logic       [Cpus-1:0] intr_i,
  output logic       [Cpus-1:0] idle_o
);

  assign gnt_o   = req_i;
  assign rdata_o = '0;
  assign irq_o   = '0;
  assign idle_o  = '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rvalid_o <= '0;
    else         rvalid_o <= req_i;
  end

  logic unused;
  assign unused = ^{tick_i, we_i, addr_i, wdata_i, intr_i, 32'(Threads + Priorities + Ports),
                    32'(PortDepth + Mutexes + Semaphores)};

endmodule
