// SPDX-License-Identifier: Apache-2.0
// Harts with a debugger at their JTAG port, by OpenOCD's protocol remote_bitbang: what the debugger sends comes on
// stdin, what it asks for goes to stdout, so both are a socket if the caller has one.
//
// Each change of the wires lasts CLOCKS cycles of the clock.
#include <unistd.h>

#include <cstdint>

#include "Vmodel.h"
#include "verilated.h"

namespace {

constexpr int kClocks = CLOCKS;

void run(Vmodel &top, VerilatedContext &context, int cycles) {
  for (int n = 0; n < cycles; n++) {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    context.timeInc(1);
  }
}

}  // namespace

int main(int argc, char **argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  context.randReset(2);
  Vmodel top(&context);
  top.rst_ni = 0;
  run(top, context, 4);
  top.rst_ni = 1;
  char got[4096];
  for (ssize_t size; (size = read(STDIN_FILENO, got, sizeof got)) > 0;) {
    char told[sizeof got];
    ssize_t answers = 0;
    for (ssize_t at = 0; at < size; at++) {
      const char what = got[at];
      if (what >= '0' && what <= '7') {
        top.tck_i = (what - '0') >> 2 & 1;
        top.tms_i = (what - '0') >> 1 & 1;
        top.tdi_i = (what - '0') & 1;
        run(top, context, kClocks);
      } else if (what == 'R') {
        told[answers++] = top.tdo_o ? '1' : '0';
      } else if (what == 'Q') {
        return 0;
      }
    }
    for (ssize_t at = 0; at < answers;) {
      const ssize_t sent = write(STDOUT_FILENO, told + at, answers - at);
      if (sent <= 0) return 1;
      at += sent;
    }
  }
  top.final();
  return 0;
}
