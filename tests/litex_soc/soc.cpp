// SPDX-License-Identifier: Apache-2.0
// A LiteX SoC with a UART of LiteX's simulation: standard output is what it sends. Argument: the most cycles.
// Ends at byte 4, too.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include "Vmodel.h"

int main(int, char **argv) {
  static Vmodel top;
  const uint64_t most = std::strtoull(argv[1], nullptr, 0);
  top.sys_clk = 0, top.serial_source_ready = 1, top.serial_sink_valid = 0;
  top.eval();
  for (uint64_t cycle = 0; cycle < most; cycle++) {
    const bool sends = top.serial_source_valid != 0;
    const int byte = top.serial_source_data;
    top.sys_clk = 1, top.eval();
    top.sys_clk = 0, top.eval();
    if (sends) std::putchar(byte);
    if (sends && byte == 4) break;
  }
}
