// SPDX-License-Identifier: Apache-2.0
// As replay.v, for CXXRTL: the model of an exported cl_kernel gets the pins of a stream. replay PINS
#include CXXRTL_MODEL

#include <cinttypes>
#include <cstdint>
#include <cstdio>

namespace {

uint32_t part(const uint32_t *chunks, unsigned c, unsigned width) {
  uint32_t found = 0;
  for (unsigned b = 0; b < width; b++) found |= (chunks[(c * width + b) / 32] >> (c * width + b) % 32 & 1u) << b;
  return found;
}

void put(uint32_t *chunks, unsigned c, unsigned width, uint32_t value) {
  for (unsigned b = 0; b < width; b++) {
    const unsigned at = c * width + b;
    chunks[at / 32] = (chunks[at / 32] & ~(1u << at % 32)) | (value >> b & 1u) << at % 32;
  }
}

}  // namespace

int main(int argc, char **argv) {
  std::FILE *const file = argc == 2 ? std::fopen(argv[1], "r") : nullptr;
  if (!file) return 2;
  cxxrtl_design::p_cl__kernel__obi dut;
  uint32_t rst, tick, req, we, intr, gnt, rvalid, irq, idle;
  uint64_t line;
  long cycle = 0;
  while (std::fscanf(file, "%x %x %x %x %x %" SCNx64 " %x %x %x %x", &rst, &tick, &req, &we, &intr, &line, &gnt,
                     &rvalid, &irq, &idle) == 10) {
    dut.p_rst__ni.set(rst);
    dut.p_tick__i.set(tick);
    dut.p_req__i.set(req);
    dut.p_we__i.set(we);
    dut.p_intr__i.set(intr);
    dut.p_line__i.set(line);
    uint32_t wanted[CLIENTS];
    for (unsigned c = 0; c < CLIENTS; c++) {
      uint32_t addr, wdata;
      if (std::fscanf(file, "%x %x %x", &addr, &wdata, &wanted[c]) != 3) return 2;
      put(dut.p_addr__i.data, c, 18, addr);
      put(dut.p_wdata__i.data, c, 32, wdata);
    }
    dut.p_clk__i.set(false);
    dut.step();
    bool same = dut.p_gnt__o.get<uint32_t>() == gnt && dut.p_rvalid__o.get<uint32_t>() == rvalid &&
                dut.p_irq__o.get<uint32_t>() == irq && dut.p_idle__o.get<uint32_t>() == idle;
    for (unsigned c = 0; c < CLIENTS; c++)
      if (rvalid >> c & 1) same = same && part(dut.p_rdata__o.data, c, 32) == wanted[c];
    if (rst && !same) {
      std::printf("cycle %ld differs\n", cycle);
      return 1;
    }
    dut.p_clk__i.set(true);
    dut.step();
    cycle++;
  }
  std::printf("%ld cycles are the same\n", cycle);
  return 0;
}
