// SPDX-License-Identifier: Apache-2.0
// Runs lists on cl_backdoor_dma, with a memory and the two blocks; tests/backdoor_rtl/test_dma.py has both ends.
//
// In, for each list: the words of Run, the down block, the memory. Out: the words of Result, the up block (whose words
// were the number of their place times kFill at first), the memory.
// Of the bus, what a master must keep to is checked: a request stays as it is until it is granted, and there is none
// outside the memory or while the DMA is not busy. A breach of that ends the program with a message.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "Vmodel.h"
#include "verilated.h"

namespace {

constexpr uint32_t kBase = 0x40000000u;
constexpr uint32_t kFill = 0x9E3779B9u;

struct Run {
  uint32_t list, flags;      // flags: bit 0 clears the CRC before, bit 1 resets before
  uint32_t seed, percent;    // of the cycles in which a request is granted
  uint32_t error_at;         // this access, from 1 on, is answered with an error; 0: none
  uint32_t reset_at;         // cycle, from 1 on, in which it is reset; 0: none
};

struct Result {
  uint32_t ended;            // 1: by end_o, 0: by the reset
  uint32_t error, busy;      // with end_o; cycles in which it was busy
  uint32_t accesses;         // granted
  uint32_t after_end;        // accesses granted in the cycle of end_o
  uint32_t crc, down_bytes, up_bytes, cycles;
};

VerilatedContext context;
Vmodel top(&context);

[[noreturn]] void wrong(const char *what, uint64_t cycle) {
  std::fprintf(stderr, "cycle %llu: %s\n", static_cast<unsigned long long>(cycle), what);
  std::exit(1);
}

void edge() {
  top.clk_i = 1;
  top.eval();
  context.timeInc(1);
  top.clk_i = 0;
}

}  // namespace

int main() {
  std::vector<uint32_t> down(BLOCK_BYTES / 4), up(BLOCK_BYTES / 4), memory(MEMORY_BYTES / 4);
  Run run;
  top.rst_ni = 0;
  top.clk_i = 0;
  top.eval();
  edge();
  top.rst_ni = 1;
  while (std::fread(&run, sizeof run, 1, stdin) == 1 && std::fread(down.data(), 4, down.size(), stdin) == down.size() &&
         std::fread(memory.data(), 4, memory.size(), stdin) == memory.size()) {
    for (size_t i = 0; i < up.size(); i++) up[i] = static_cast<uint32_t>(i) * kFill;
    std::mt19937 random_bits(run.seed);
    Result result = {};
    top.bus_rvalid_i = 0;
    if (run.flags & 2) {
      top.rst_ni = 0;
      top.eval();
      edge();
      top.rst_ni = 1;
    }
    top.crc_clear_i = run.flags & 1;
    top.start_i = 1;
    top.list_i = run.list;
    top.bus_gnt_i = 0;
    top.eval();
    if (top.busy_o || top.end_o || top.bus_req_o) wrong("not at rest", 0);
    edge();
    top.start_i = top.crc_clear_i = 0;
    bool held = false;
    uint32_t held_addr = 0, held_wdata = 0, held_we = 0;
    const uint64_t most = 1000 + 200ull * (down.size() + memory.size());
    for (uint64_t cycle = 1; !result.ended; cycle++) {
      if (cycle > most) wrong("does not end", cycle);
      if (cycle == run.reset_at) {
        top.rst_ni = 0;
        top.bus_gnt_i = 0;
        top.eval();
        edge();
        top.rst_ni = 1;
        break;
      }
      top.bus_gnt_i = 0;
      top.eval();
      top.bus_gnt_i = top.bus_req_o && random_bits() % 100 < run.percent;
      top.eval();
      if (!top.busy_o) wrong("not busy before end", cycle);
      // obi_req_t: we, be, addr, wdata
      const uint32_t wdata = top.bus_cmd_o[0], addr = top.bus_cmd_o[1], be = top.bus_cmd_o[2] & 15;
      const uint32_t we = top.bus_cmd_o[2] >> 4;
      if (top.bus_req_o) {
        if (addr % 4 || addr - kBase >= MEMORY_BYTES || be != 15) wrong("access outside the memory", cycle);
        if (held && (addr != held_addr || we != held_we || (we && wdata != held_wdata)))
          wrong("a request changed", cycle);
      } else if (held && !top.end_o) {
        wrong("a request was withdrawn", cycle);
      }
      held = top.bus_req_o && !top.bus_gnt_i;
      held_addr = addr;
      held_wdata = wdata;
      held_we = we;
      result.busy++;
      if (top.end_o) {
        result.ended = 1;
        result.error = top.error_o;
      }
      // Effects of the clock edge
      const bool granted = top.bus_gnt_i, read = top.down_req_o;
      const uint32_t place = (addr - kBase) / 4, from = top.down_addr_o;
      if (top.up_req_o) up[top.up_addr_o] = top.up_wdata_o;
      if (granted) {
        result.accesses++;
        result.after_end += top.end_o;
      }
      edge();
      top.bus_rvalid_i = granted;
      top.bus_err_i = granted && result.accesses == run.error_at;
      top.bus_rdata_i = granted && !we ? memory[place] : random_bits();
      if (granted && we && !top.bus_err_i) memory[place] = wdata;
      if (read) top.down_rdata_i = down[from];
    }
    top.bus_gnt_i = 0;
    top.eval();
    if (top.busy_o || top.end_o || top.bus_req_o) wrong("busy after end", 0);
    // An answer may still come, and must do nothing.
    if (top.up_req_o) wrong("it wrote to the block after the end", 0);
    edge();
    top.bus_rvalid_i = 0;
    top.eval();
    result.crc = top.crc_o;
    result.down_bytes = top.down_bytes_o;
    result.up_bytes = top.up_bytes_o;
    result.cycles = top.cycles_o;
    std::fwrite(&result, sizeof result, 1, stdout);
    std::fwrite(up.data(), 4, up.size(), stdout);
    std::fwrite(memory.data(), 4, memory.size(), stdout);
    std::fflush(stdout);
  }
  top.final();
  return 0;
}
