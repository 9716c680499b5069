// SPDX-License-Identifier: Apache-2.0
// Plays clock edges on cl_backdoor_bench: inputs from stdin, outputs to stdout (tests/backdoor_rtl/harness.py has the
// formats). The argument is the seed for the synchronisers' late settling, and of a model that starts from garbage.
//
// In, for each step: `struct In` as below; edges: bit 0 clk0, bit 1 clk1, both at once with 3; bit 2 reset.
// Out: `struct Out`, after the edges.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "Vmodel.h"
#include "verilated.h"

namespace {

struct In {
  uint32_t edges;
  uint32_t near_control;  // bit 0 req, 1 we, bits 5:2 be, 6 grant to the window
  uint32_t near_addr, near_wdata;
  uint32_t far_control;   // bit 0 req, 1 we, 2 core_fault, 3 grant, 4 poke, 5 poke and mem_rdata of near's memory
  uint32_t far_addr, far_wdata;
  uint32_t core_pc, core_fault_addr, mem_addr, mem_wdata;
};

struct Out {
  uint32_t near_rdata, far_rdata, mem_rdata;
  uint32_t flags;  // bit 0 near err, 1 near irq, 2 far err, 3 bell irq, 4 dma irq, 5 bus error irq, 6 core runs
};

}  // namespace

int main(int argc, char **argv) {
  VerilatedContext context;
  context.randReset(2);
  context.randSeed(argc > 1 ? std::atoi(argv[1]) : 1);
  auto *top = new Vmodel(&context);
  In in;
  while (std::fread(&in, sizeof in, 1, stdin) == 1) {
    top->rst_ni = !(in.edges & 4);
    top->near_req_i = in.near_control & 1;
    top->near_we_i = in.near_control >> 1 & 1;
    top->near_be_i = in.near_control >> 2 & 15;
    top->near_grant_i = in.near_control >> 6 & 1;
    top->near_addr_i = in.near_addr;
    top->near_wdata_i = in.near_wdata;
    top->far_req_i = in.far_control & 1;
    top->far_we_i = in.far_control >> 1 & 1;
    top->core_fault_i = in.far_control >> 2 & 1;
    top->grant_i = in.far_control >> 3 & 1;
    top->poke_i = in.far_control >> 4 & 1;
    top->near_mem_i = in.far_control >> 5 & 1;
    top->far_addr_i = in.far_addr;
    top->far_wdata_i = in.far_wdata;
    top->core_pc_i = in.core_pc;
    top->core_fault_addr_i = in.core_fault_addr;
    top->mem_addr_i = in.mem_addr;
    top->mem_wdata_i = in.mem_wdata;
    top->eval();
    top->clk0_i = in.edges & 1;
    top->clk1_i = in.edges >> 1 & 1;
    top->eval();
    Out out;
    out.near_rdata = top->near_rdata_o;
    out.far_rdata = top->far_rdata_o;
    out.mem_rdata = top->mem_rdata_o;
    out.flags = top->near_err_o | top->near_irq_o << 1 | top->far_err_o << 2 | top->bell_irq_o << 3 |
                top->dma_irq_o << 4 | top->bus_error_irq_o << 5 | top->core_rst_no << 6;
    std::fwrite(&out, sizeof out, 1, stdout);
    std::fflush(stdout);
    top->clk0_i = 0;
    top->clk1_i = 0;
    top->eval();
    context.timeInc(1);
  }
  top->final();
  delete top;
  return 0;
}
