// SPDX-License-Identifier: Apache-2.0
// One hardware thread (cl_hw_thread) with a memory, a kernel stub and access to its registers.
//
// usage: sim BYTES SEED < commands
// BYTES: of memory at 0x4000'0000, a multiple of 4. SEED 0: every access is granted at once; others: bus and
// kernel make it wait at random. Each access out of the memory is a bus error.
// Commands, one a line; answers, one a line:
//   write OFFSET VALUE [BE]     store to a register -> ok | error
//   read OFFSET                 load of a register -> its value | error
//   give TID                    the kernel answers the pending load of next or thread_exit with a thread -> ok | none
//   answer WORD MESSAGE DELAY   the kernel stub's answer to the next operation, delayed by DELAY cycles
//   run CYCLES                  -> ok
//   until MASK VALUE MOST       run until STATUS & MASK == VALUE -> cycles since the last `give` or START | timeout
//   poke ADDRESS BYTES          to memory -> ok
//   peek ADDRESS COUNT          of memory -> bytes
// Before each answer, a line for each operation that the kernel was asked for since: `call OP ID WORD0`, or
// `saved`. The operations next and thread_exit are pending until `give`. All numbers but MOST, CYCLES, DELAY in hex.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "../../../runtime/include/cl_kernel_ops.h"
#include "Vmodel.h"
#include "verilated.h"

namespace {

constexpr uint32_t kBase = 0x40000000u;

struct Answer {
  uint32_t word, message;
  uint64_t delay;
};

VerilatedContext context;
Vmodel top(&context);
std::vector<uint8_t> memory;
std::mt19937 random_bits;
bool at_random = false;
uint64_t cycles = 0, started = 0;

std::deque<Answer> answers;
uint32_t word0 = 0;
bool pending = false;            // next or thread_exit waits for `give`
bool bus_valid = false, bus_error = false, kernel_valid = false;
uint32_t bus_data = 0, kernel_data = 0;
bool kernel_busy = false;
uint64_t kernel_at = 0;
uint32_t kernel_word = 0, kernel_message = 0;
bool give = false;
uint32_t give_tid = 0;

bool sometimes() { return !at_random || random_bits() % 3 != 0; }

[[noreturn]] void fail(const char *what) {
  std::fflush(stdout);
  std::fprintf(stderr, "error: %s in cycle %" PRIu64 "\n", what, cycles);
  std::exit(1);
}

// One cycle. The register request is set by the caller; its response is there after the next cycle.
void cycle() {
  top.bus_rvalid_i = bus_valid;
  top.bus_err_i = bus_error;
  top.bus_rdata_i = bus_data;
  top.kernel_rvalid_i = kernel_valid;
  top.kernel_rdata_i = kernel_data;
  top.bus_gnt_i = 0;
  top.kernel_gnt_i = 0;
  top.clk_i = 0;
  top.eval();

  // Grants may depend on requests, requests may not depend on grants.
  const bool bus = top.bus_req_o, kernel = top.kernel_req_o;
  const bool bus_gnt = bus && sometimes();
  const bool kernel_gnt = kernel && !kernel_busy && sometimes();
  if (kernel && kernel_busy && !kernel_valid) fail("a second kernel access is outstanding");
  top.bus_gnt_i = bus_gnt;
  top.kernel_gnt_i = kernel_gnt;
  top.eval();
  if (top.bus_req_o != bus || top.kernel_req_o != kernel) fail("a request depends on its grant");

  bus_valid = bus_gnt;
  bus_error = false;
  bus_data = static_cast<uint32_t>(random_bits());
  if (bus_gnt) {
    const uint32_t address = top.bus_cmd_o[1], be = top.bus_cmd_o[2] & 15;
    const bool we = top.bus_cmd_o[2] >> 4 & 1;
    if (address & 3) fail("an address is not a multiple of 4");
    const uint64_t at = uint64_t{address} - kBase;
    if (address < kBase || at + 4 > memory.size()) {
      bus_error = true;
    } else if (we) {
      for (int i = 0; i < 4; ++i) {
        if (be >> i & 1) memory[at + i] = static_cast<uint8_t>(top.bus_cmd_o[0] >> (8 * i));
      }
    } else {
      std::memcpy(&bus_data, &memory[at], 4);
    }
  }

  kernel_valid = false;
  kernel_data = static_cast<uint32_t>(random_bits());
  if (kernel_busy && !pending && cycles >= kernel_at) {
    kernel_valid = true;
    kernel_data = kernel_word;
    word0 = kernel_message;
    kernel_busy = false;
  }
  if (pending && give) {
    give = pending = false;
    kernel_busy = false;
    kernel_valid = true;
    kernel_data = 0x80000000u | give_tid;
  }
  if (kernel_gnt) {
    const uint32_t op = top.kernel_addr_o >> 10, id = top.kernel_addr_o & 1023;
    if (op == CL_OP_WORD0) {
      kernel_valid = true;
      kernel_data = word0;
      if (top.kernel_we_o) word0 = top.kernel_wdata_o;
    } else if (top.kernel_we_o) {
      if (op != CL_OP_SAVED) fail("a store to an operation that is a load");
      std::puts("saved");
      kernel_valid = true;
    } else {
      std::printf("call %x %x %x\n", op, id, word0);
      kernel_busy = true;
      if (op == CL_OP_NEXT || op == CL_OP_THREAD_EXIT) {
        pending = true;
      } else {
        const Answer answer = answers.empty() ? Answer{0, word0, 0} : answers.front();
        if (!answers.empty()) answers.pop_front();
        kernel_word = answer.word;
        kernel_message = answer.message;
        // 3 cycles from the request to the response, as cl_kernel
        kernel_at = cycles + 2 + answer.delay + (at_random ? random_bits() % 8 : 0);
      }
    }
  }
  top.clk_i = 1;
  top.eval();
  ++cycles;
  if (context.gotError() || context.gotFinish()) fail("an RTL assertion failed");
}

// An access of the registers, one cycle and the cycle of its response.
bool access(bool we, uint32_t offset, uint32_t be, uint32_t &data) {
  top.reg_req_i = 1;
  top.reg_cmd_i[0] = data;
  top.reg_cmd_i[1] = 0xE1000000u + offset;
  top.reg_cmd_i[2] = (we ? 16u : 0u) | be;
  cycle();
  top.reg_req_i = 0;
  // The response is in registers: valid right after the clock edge.
  data = top.reg_rdata_o;
  return !top.reg_err_o;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  memory.resize(std::strtoul(argv[1], nullptr, 0));
  const auto seed = static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 0));
  random_bits.seed(seed);
  at_random = seed != 0;

  top.rst_ni = 0;
  top.clk_i = 0;
  top.eval();
  top.clk_i = 1;
  top.eval();
  top.rst_ni = 1;

  std::string text;
  while (std::getline(std::cin, text)) {
    const char *const line = text.c_str();
    unsigned a = 0, b = 0, be = 15;
    unsigned long long n = 0;
    int used = 0;
    if (std::sscanf(line, "write %x %x %x", &a, &b, &be) >= 2) {
      const uint64_t now = cycles;
      uint32_t data = b;
      const bool ok = access(true, a, be, data);
      if (a == 0 && b == 1) started = now;
      std::puts(ok ? "ok" : "error");
    } else if (std::sscanf(line, "read %x", &a) == 1) {
      uint32_t data = 0;
      if (access(false, a, 15, data)) std::printf("%x\n", data);
      else std::puts("error");
    } else if (std::sscanf(line, "give %x", &a) == 1) {
      if (pending) {
        give = true;
        give_tid = a;
        started = cycles;
      }
      std::puts(pending ? "ok" : "none");
    } else if (std::sscanf(line, "answer %x %x %llu", &a, &b, &n) == 3) {
      answers.push_back({a, b, n});
      std::puts("ok");
    } else if (std::sscanf(line, "run %llu", &n) == 1) {
      while (n--) cycle();
      std::puts("ok");
    } else if (std::sscanf(line, "until %x %x %llu", &a, &b, &n) == 3) {
      for (;; --n) {
        const uint64_t now = cycles;
        uint32_t status = 0;
        access(false, 4, 15, status);
        if ((status & a) == b) {
          std::printf("%" PRIu64 "\n", now - started);
          break;
        }
        if (n == 0) {
          std::puts("timeout");
          break;
        }
      }
    } else if (std::sscanf(line, "poke %x %n", &a, &used) == 1 && used) {
      for (const char *hex = line + used; std::sscanf(hex, "%2x", &b) == 1; hex += 2) {
        memory.at(a++ - kBase) = static_cast<uint8_t>(b);
      }
      std::puts("ok");
    } else if (std::sscanf(line, "peek %x %llu", &a, &n) == 2) {
      while (n--) std::printf("%02x", memory.at(a++ - kBase));
      std::puts("");
    } else {
      fail(("unknown command: " + text).c_str());
    }
    std::fflush(stdout);
  }
  top.final();
  return 0;
}
