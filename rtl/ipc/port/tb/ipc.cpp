// SPDX-License-Identifier: Apache-2.0
// Plays cycles on cl_ipc: what goes in from stdin, what comes out to stdout (tests/ipc_rtl/harness.py has both).
// The argument is the seed of a model that starts from garbage.
//
// In, for each cycle: a word with bit 0 to have the answer at once and bit 1 for reset, then for each processor three:
// req, we and intr from bit 0 on; bits 20:2 of the address; the word stored.
// Out, for each cycle and processor two words: gnt, rvalid, err and irq from bit 0 on; the word loaded. They are what
// the clock edge at the end of the cycle sees.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "Vmodel.h"
#include "verilated.h"

int main(int argc, char **argv) {
  VerilatedContext context;
  context.randReset(2);
  context.randSeed(argc > 1 ? std::atoi(argv[1]) : 1);
  auto *top = new Vmodel(&context);
  uint32_t control, in[CPUS][3], out[CPUS][2];
  while (std::fread(&control, sizeof control, 1, stdin) == 1 && std::fread(in, sizeof in, 1, stdin) == 1) {
    for (int c = 0; c < CPUS; c++) {
      top->req_i[c] = in[c][0] & 1;
      top->we_i[c] = in[c][0] >> 1 & 1;
      top->intr_i[c] = in[c][0] >> 2 & 1;
      top->addr_i[c] = in[c][1];
      top->wdata_i[c] = in[c][2];
    }
    top->rst_ni = !(control & 2);
    top->clk_i = 0;
    top->eval();
    for (int c = 0; c < CPUS; c++) {
      out[c][0] = top->gnt_o[c] | top->rvalid_o[c] << 1 | top->err_o[c] << 2 | top->irq_o[c] << 3;
      out[c][1] = top->rdata_o[c];
    }
    std::fwrite(out, sizeof out, 1, stdout);
    if (control & 1) std::fflush(stdout);
    top->clk_i = 1;
    top->eval();
    context.timeInc(1);
  }
  top->final();
  delete top;
  return 0;
}
