// SPDX-License-Identifier: Apache-2.0
// How often the engine takes an operation when all clients ask without a pause.
//
//   rate CYCLES
//
// Each CPU runs a thread, which posts a semaphore of its own again and again: from the answer in one cycle to the next
// request in the next one. Prints the operations answered in so many cycles, and the fewest and most of a client.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../../runtime/include/cl_kernel_ops.h"
#include "Vmodel.h"
#include "verilated.h"

namespace {

VerilatedContext context;
Vmodel *top;

void edge() {
  top->clk_i = 1;
  top->eval();
  top->clk_i = 0;
  top->eval();
  context.timeInc(1);
}

void ask(uint32_t c, uint32_t op, uint32_t id, bool store = false) {
  top->req_i |= 1u << c;
  if (store) top->we_i |= 1u << c;
  top->addr_i[c] = op << 10 | id;
}

// One access alone, until the unit is quiet again; false without an answer
bool alone(uint32_t c, uint32_t op, uint32_t id, bool store = false) {
  ask(c, op, id, store);
  bool answered = false;
  for (int cycle = 0; cycle < 100; cycle++) {
    edge();
    top->req_i = top->we_i = 0;
    top->eval();
    answered |= top->rvalid_o >> c & 1;
    if (answered && top->quiet_o) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: rate CYCLES\n");
    return 2;
  }
  const long cycles = std::atol(argv[1]);
  top = new Vmodel(&context);
  top->rst_ni = 0;
  edge();
  edge();
  top->rst_ni = 1;
  const uint32_t count = top->cpus_o;
  bool ready = true;
  for (uint32_t c = 0; c < count; c++) {
    top->wdata_i[0] = 0;  // priority, and value
    ready = ready && alone(0, CL_OP_WORD0, 0, true) && alone(0, CL_OP_SEMAPHORE_CREATE, 0);
    if (c == 0) continue;
    ready = ready && alone(0, CL_OP_THREAD_CREATE, 0) && alone(0, CL_OP_THREAD_START, c) && alone(c, CL_OP_NEXT, 0);
  }
  if (!ready) {
    std::fprintf(stderr, "an operation is not answered\n");
    return 1;
  }
  std::vector<long> done(count, 0);
  std::vector<bool> loading(count, false);
  for (long cycle = 0; cycle < cycles; cycle++) {
    top->req_i = 0;
    for (uint32_t c = 0; c < count; c++) {
      if (!loading[c]) ask(c, CL_OP_SEMAPHORE_POST, c);
      loading[c] = true;
    }
    edge();
    for (uint32_t c = 0; c < count; c++) {
      if (!(top->rvalid_o >> c & 1)) continue;
      loading[c] = false;
      done[c]++;
      if (top->rdata_o[c] != 0) {
        std::fprintf(stderr, "client %u: answer %08x\n", c, top->rdata_o[c]);
        return 1;
      }
    }
  }
  long all = 0;
  for (long each : done) all += each;
  std::printf("{\"operations\": %ld, \"fewest\": %ld, \"most\": %ld}\n", all,
              *std::min_element(done.begin(), done.end()), *std::max_element(done.begin(), done.end()));
  top->final();
  delete top;
  return 0;
}
