// SPDX-License-Identifier: Apache-2.0
// All clients use cl_kernel at the same time, at random, and interrupt lines rise; the log tells in which order the
// engine took what.
//
//   concurrent OPERATIONS SEED LOG [PINS]
//
// LOG: 32-bit words, four per entry: kind, cpu, a, b. An answer precedes the operation taken in its cycle.
//   0 reset
//   1 an operation is taken: a = op << 10 | id
//   2 a save is taken
//   3 a word is answered: a = the word
//   4 the argument register `b` is read: a = its value
//   6 an interrupt line is taken: a = the line
//   5 the unit is quiet and no request stands: cpu = rests_o, a = irq_o, b = idle_o
//   7 a tick, on a quiet unit
//   8 the argument register `b` is written: a = its value
// The model plays the log afterwards (tests/kernel_rtl/test_concurrent.py).
// PINS: a line a cycle, of hexadecimal words before the rising edge of clk_i: rst_ni, tick_i, req_i, we_i, intr_i,
// line_i, gnt_o, rvalid_o, irq_o, idle_o; then for each client addr_i, wdata_i, rdata_o. Other simulators replay it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "../../../runtime/include/cl_kernel_ops.h"
#include "Vmodel.h"
#include "verilated.h"

namespace {

enum Entry : uint32_t { kReset, kTake, kSave, kAnswer, kRead, kQuiet, kLine, kTick, kWrite };

// Operations and how often they are drawn
struct Weight {
  uint32_t op, weight;
};
constexpr Weight kWeights[] = {
    {CL_OP_NEXT, 1},
    {CL_OP_SELF, 1},
    {CL_OP_YIELD, 3},
    {CL_OP_PREEMPT, 1},
    {CL_OP_THREAD_CREATE, 2},
    {CL_OP_THREAD_START, 6},
    {CL_OP_THREAD_EXIT, 1},
    {CL_OP_THREAD_JOIN, 1},
    {CL_OP_THREAD_DETACH, 1},
    {CL_OP_SET_SCHED_PARAM, 2},
    {CL_OP_THREAD_READ, 1},
    {CL_OP_SLICE, 1},
    {CL_OP_MUTEX_CREATE, 1},
    {CL_OP_MUTEX_DESTROY, 1},
    {CL_OP_MUTEX_LOCK, 3},
    {CL_OP_MUTEX_TRYLOCK, 1},
    {CL_OP_MUTEX_UNLOCK, 4},
    {CL_OP_SEMAPHORE_CREATE, 1},
    {CL_OP_SEMAPHORE_DESTROY, 1},
    {CL_OP_SEMAPHORE_WAIT, 1},
    {CL_OP_SEMAPHORE_TRYWAIT, 2},
    {CL_OP_SEMAPHORE_POST, 4},
    {CL_OP_SEMAPHORE_VALUE, 1},
    {CL_OP_PORT_OPEN, 1},
    {CL_OP_PORT_CLOSE, 1},
    {CL_OP_PORT_SEND, 4},
    {CL_OP_PORT_TRYSEND, 1},
    {CL_OP_PORT_RECEIVE, 2},
    {CL_OP_PORT_TRYRECEIVE, 2},
    {CL_OP_PORT_PUBLISH, 1},
    {CL_OP_GET_SCHED_PARAM, 1},
    {CL_OP_CHECK_SCHED_PARAM, 1},
    {CL_OP_DEQUEUE, 1},
    {CL_OP_REMOVE, 1},
    {CL_OP_GET_ENTRY, 1},
    {CL_OP_IS_QUEUED, 1},
    {CL_OP_IS_EMPTY, 1},
    {CL_OP_SET_IDLE_THREAD, 1},
    {CL_OP_COND_CREATE, 1},
    {CL_OP_COND_DESTROY, 1},
    {CL_OP_COND_TICKET, 1},
    {CL_OP_COND_WAIT, 4},
    {CL_OP_COND_SIGNAL, 1},
    {CL_OP_COND_BROADCAST, 1},
    {CL_OP_BARRIER_WAIT, 2},
    {CL_OP_FLAGS_SET, 2},
    {CL_OP_FLAGS_CLEAR, 1},
    {CL_OP_FLAGS_GET, 1},
    {CL_OP_FLAGS_FOUND, 1},
    {CL_OP_FLAGS_WAIT_ANY, 1},
    {CL_OP_FLAGS_WAIT_ALL, 1},
    {CL_OP_FLAGS_TAKE_ANY, 1},
    {CL_OP_FLAGS_TRYWAIT_ANY, 1},
    {CL_OP_FLAGS_TRYTAKE_ANY, 1},
    {CL_OP_INTERRUPT_BIND, 4},
    {CL_OP_INTERRUPT_UNBIND, 1},
    {CL_OP_INTERRUPT_WAIT, 3},
    {CL_OP_INTERRUPT_RAISE, 1},
    {CL_OP_MUTEX_LEAVE, 1},
    {CL_OP_SEMAPHORE_LEAVE, 2},
    {CL_OP_PORT_LEAVE, 2},
    {CL_OP_COND_LEAVE, 2},
    {CL_OP_RESERVE, 1},
    {CL_OP_RELEASE, 1},
    {CL_OP_SET_WEIGHT, 2},
    {255, 1},  // none
};
constexpr Weight kWeightsWithoutThread[] = {
    {CL_OP_NEXT, 4},           {CL_OP_THREAD_START, 1},    {CL_OP_SEMAPHORE_POST, 1},  {CL_OP_SET_SCHED_PARAM, 1},
    {CL_OP_COND_BROADCAST, 1}, {CL_OP_INTERRUPT_RAISE, 1}, {CL_OP_SEMAPHORE_LEAVE, 1}, {CL_OP_COND_LEAVE, 1}};

struct Client {
  bool loading = false, storing = false, saving = false, unsaved = false, lost = false, look = false;
  uint32_t address = 0;
  int pause = 0;
};

uint64_t state;

uint32_t random_below(uint32_t n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return static_cast<uint32_t>(state >> 20) % n;
}

struct Note {
  uint32_t kind, cpu, a;
};

template <size_t N>
uint32_t draw(const Weight (&weights)[N]) {
  uint32_t sum = 0;
  for (const Weight &w : weights) sum += w.weight;
  uint32_t left = random_below(sum);
  for (const Weight &w : weights) {
    if (left < w.weight) return w.op;
    left -= w.weight;
  }
  return 0;
}

uint32_t status(uint32_t word) { return word >> CL_WORD_STATUS_LSB & CL_WORD_STATUS_MASK; }

bool gives_way(uint32_t word) { return word >> CL_WORD_GIVE_WAY_LSB & CL_WORD_GIVE_WAY_MASK; }

}  // namespace

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: concurrent OPERATIONS SEED LOG [PINS]\n");
    return 2;
  }
  const long operations = std::atol(argv[1]);
  state = std::strtoull(argv[2], nullptr, 0) * 0x9e3779b97f4a7c15u + 1;
  std::FILE *log = std::fopen(argv[3], "wb");
  if (log == nullptr) {
    std::perror(argv[3]);
    return 2;
  }
  std::FILE *pins = argc == 5 ? std::fopen(argv[4], "w") : nullptr;
  if (argc == 5 && pins == nullptr) {
    std::perror(argv[4]);
    return 2;
  }
  const auto note = [&](uint32_t kind, uint32_t cpu, uint32_t a, uint32_t b) {
    const uint32_t entry[4] = {kind, cpu, a, b};
    std::fwrite(entry, 4, 4, log);
  };
  VerilatedContext context;
  auto *top = new Vmodel(&context);
  const auto edge = [&] {
    top->eval();
    if (pins != nullptr) {
      std::fprintf(pins, "%x %x %x %x %x %llx %x %x %x %x", top->rst_ni, top->tick_i, top->req_i, top->we_i,
                   top->intr_i, static_cast<unsigned long long>(top->line_i), top->gnt_o, top->rvalid_o, top->irq_o,
                   top->idle_o);
      for (uint32_t c = 0; c < top->clients_o; c++)
        std::fprintf(pins, " %x %x %x", top->addr_i[c], top->wdata_i[c], top->rdata_o[c]);
      std::fputc('\n', pins);
    }
    top->clk_i = 1;
    top->eval();
    top->clk_i = 0;
    top->eval();
    context.timeInc(1);
  };
  top->eval();

  const uint32_t cpus = top->cpus_o, count = top->clients_o, lines = top->lines_o;
  std::vector<Client> clients;
  std::vector<Note> takes;
  long done = 0, episode = 0, together = 0;
  int still = 0, stuck = 0, quiet = 0, pause_all = 0;
  uint32_t born = 0;  // an episode begins with threads that CPU 0 creates and starts
  for (bool reset = true; done < operations;) {
    if (reset) {
      reset = false;
      clients.assign(count, Client());
      takes.clear();
      episode = done;
      still = stuck = quiet = pause_all = 0;
      born = 0;
      top->rst_ni = 0;
      top->req_i = top->we_i = top->intr_i = top->line_i = 0;
      edge();
      edge();
      top->rst_ni = 1;
      note(kReset, 0, 0, 0);
    }
    // Requests of this cycle
    if (pause_all == 0 && random_below(200) == 0) pause_all = 60;
    if (pause_all > 0) pause_all--;
    top->req_i = top->we_i = 0;
    uint32_t requests = 0;
    if (pause_all == 0 && random_below(40) == 0) top->line_i ^= 1ull << random_below(lines);
    for (uint32_t c = 0; c < count; c++) {
      Client &client = clients[c];
      if (client.loading || client.storing || pause_all > 0) continue;
      if (client.pause > 0) {
        client.pause--;
        continue;
      }
      const uint32_t bit = 1u << c;
      uint32_t op;
      if (client.look) {
        op = CL_OP_WORD0;
      } else if (client.unsaved && random_below(2)) {
        op = CL_OP_SAVED;
      } else if (random_below(4) == 0) {
        op = CL_OP_WORD0;
      } else if (client.lost && random_below(4)) {
        op = draw(kWeightsWithoutThread);
      } else {
        op = draw(kWeights);
      }
      const bool store = op == CL_OP_SAVED || (op == CL_OP_WORD0 && !client.look);
      client.storing = store;
      client.loading = !store;
      client.address = op << 10 | random_below(random_below(10) ? 4 : 20);
      if (c == 0 && born < 24 && !store && op != CL_OP_WORD0) {
        client.address = (born & 1 ? CL_OP_THREAD_START : CL_OP_THREAD_CREATE) << 10 | (born / 2 + 1);
        born++;
      }
      if (op == CL_OP_SAVED) client.saving = true;
      if (op != CL_OP_WORD0) client.unsaved = false;
      top->req_i |= bit;
      if (store) top->we_i |= bit;
      top->addr_i[c] = client.address;
      top->wdata_i[c] = random_below(8) | random_below(cpus) << CL_ATTRIBUTES_CPU_LSB |
                        random_below(2) << CL_ATTRIBUTES_STATIC_LSB |
                        (random_below(4) == 0) << CL_ATTRIBUTES_DETACHED_LSB;
      if (random_below(8) == 0) top->wdata_i[c] |= CL_HARDWARE_PARAM;
      if (random_below(4) == 0) top->wdata_i[c] = random_below(4) << CL_BINDING_KIND_LSB | random_below(4);
      if (store && op == CL_OP_WORD0) note(kWrite, c, top->wdata_i[c], client.address & 0x3ff);
      requests++;
    }
    if (requests > 1) together++;
    top->eval();
    if ((top->gnt_o & top->req_i) != top->req_i) {
      std::fprintf(stderr, "an idle port does not grant\n");
      return 1;
    }
    // Events of this cycle
    bool moved = requests != 0;
    for (uint32_t c = 0; c < count; c++) {
      Client &client = clients[c];
      if (!(top->rvalid_o >> c & 1)) continue;
      moved = true;
      const uint32_t word = top->rdata_o[c];
      if (client.storing) {
        client.storing = false;
      } else if (client.loading) {
        client.loading = false;
        if (client.address >> 10 == CL_OP_WORD0) {
          client.look = false;
          note(kRead, c, word, client.address & 0x3ff);
        } else {
          done++;
          note(kAnswer, c, word, 0);
          top->intr_i &= ~(1u << c);
          const uint32_t op = client.address >> 10;
          client.unsaved = gives_way(word);
          client.lost = status(word) == CL_STATUS_ESRCH || status(word) == CL_STATUS_EINTR;
          const bool leaves = op == CL_OP_PORT_RECEIVE || op == CL_OP_PORT_TRYRECEIVE || op == CL_OP_FLAGS_GET ||
                              op == CL_OP_FLAGS_FOUND;
          client.look = leaves && word <= CL_WORD_VALUE_MASK;
        }
      } else {
        std::fprintf(stderr, "cpu %u: rvalid without an access\n", c);
        return 1;
      }
      client.pause = random_below(3) ? 0 : static_cast<int>(random_below(12));
    }
    // What the engine took in the cycle before: an answer that it gave then, which is seen now, came first.
    for (const Note &taken : takes) note(taken.kind, taken.cpu, taken.a, 0);
    takes.clear();
    for (uint32_t c = 0; c < count; c++) {
      if (!(top->take_o >> c & 1)) continue;
      if (clients[c].saving) takes.push_back({kSave, c, 0});
      clients[c].saving = false;
      if (top->take_op_o >> c & 1) takes.push_back({kTake, c, clients[c].address});
    }
    if (top->line_take_o) takes.push_back({kLine, 0, top->line_o});
    quiet = top->quiet_o && requests == 0 ? quiet + 1 : 0;
    top->tick_i = quiet % 8 == 4;
    if (top->tick_i) {
      note(kQuiet, top->rests_o, top->irq_o, top->idle_o);
      note(kTick, 0, 0, 0);
    }
    still = moved ? 0 : still + 1;
    if (still == 100) top->intr_i = 1u << random_below(cpus), stuck++;
    if (still > 5000) {
      std::fprintf(stderr, "deadlock: no client makes progress\n");
      return 1;
    }
    edge();
    if (done - episode > 3000 || stuck > 5) reset = true;
  }
  std::fclose(log);
  if (pins != nullptr) std::fclose(pins);
  std::printf("{\"operations\": %ld, \"cycles_with_several_requests\": %ld}\n", done, together);
  top->final();
  delete top;
  return 0;
}
