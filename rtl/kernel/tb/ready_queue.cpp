// SPDX-License-Identifier: Apache-2.0
// Random operations on a ready queue against lists in C++; exact cycles of every operation.
//
//   ready_queue OPERATIONS SEED
//
// Prints one line of JSON: for each operation the cycles from taking it to ready, least and most, and the same less the
// number of threads in the queues before (`beyond`); the most cycles that reading the best thread took afterwards; the greatest number
// of threads that were queued. Exit status 1: a mismatch; it is on stderr.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <vector>

#include "Vmodel.h"
#include "verilated.h"

namespace {

enum Op { kPushBack, kPushFront, kPop, kRemove, kMove, kOps };
const char *const kNames[kOps] = {"push_back", "push_front", "pop", "remove", "move"};

struct Place {
  bool queued = false;
  uint32_t queue = 0, priority = 0;
};

struct Entry {
  uint32_t priority, tid;
};

uint64_t state;

uint32_t random_below(uint32_t n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return static_cast<uint32_t>(state >> 20) % n;
}

bool deadlines;

// As in cl_ready_queue_pkg
bool comes_first(uint32_t a, uint32_t b, bool or_equal) {
  constexpr uint32_t kHas = 1u << 17;
  if (!deadlines) return or_equal ? a >= b : a > b;
  if ((a ^ b) & kHas) return a & kHas;
  return (a - b - or_equal) & (kHas >> 1);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: ready_queue OPERATIONS SEED\n");
    return 2;
  }
  const long operations = std::atol(argv[1]);
  state = std::strtoull(argv[2], nullptr, 0) * 0x9e3779b97f4a7c15u + 1;
  VerilatedContext context;
  auto *top = new Vmodel(&context);
  const auto cycle = [&] {
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
  };
  top->rst_ni = 0;
  cycle();
  top->rst_ni = 1;
  cycle();

  const uint32_t queues = top->queues_o, threads = top->threads_o, priorities = top->priorities_o;
  deadlines = top->deadlines_o;
  std::vector<std::list<Entry>> model(queues);
  std::vector<Place> places(threads);
  uint32_t queued = 0, most = 0, least_cycles[kOps], most_cycles[kOps] = {};
  int least_beyond[kOps], most_beyond[kOps];
  for (auto &n : least_cycles) n = UINT32_MAX;
  for (auto &n : least_beyond) n = INT32_MAX;
  for (auto &n : most_beyond) n = INT32_MIN;
  const auto insert = [&](uint32_t queue, const Entry &entry, bool front) {
    auto at = model[queue].begin();
    while (at != model[queue].end() && !comes_first(entry.priority, at->priority, front)) ++at;
    model[queue].insert(at, entry);
  };
  const auto take = [&](uint32_t queue, uint32_t tid) {
    model[queue].remove_if([&](const Entry &entry) { return entry.tid == tid; });
  };

  // The first queue whose best is not shown as it is, or -1.
  const auto wrong_best = [&]() -> int {
    for (uint32_t q = 0; q < queues; q++) {
      const bool valid = top->best_valid_o >> q & 1;
      if (valid == model[q].empty() || (valid && (top->best_priority_o[q] != model[q].front().priority ||
                                                  top->best_tid_o[q] != model[q].front().tid))) {
        return static_cast<int>(q);
      }
    }
    return -1;
  };

  uint32_t most_read = 1, fill = threads, levels = priorities, now = 0;
  // Some near each other, also where the numbers wrap; some far apart; some priorities
  const auto random_key = [&] {
    const uint32_t n = random_below(levels);
    if (!deadlines) return n;
    return n % 8 != 0 ? 1u << 17 | ((now + n / 8) & 0x1ffff) : ~n & 0x1ffff;
  };
  bool filling = true;
  for (long n = 0; n < operations;) {
    // Long and short queues, many and few priorities in turn
    if (n % 5000 == 0) fill = random_below(2) ? threads : 1 + random_below(threads);
    if (n % 5000 == 0) levels = random_below(2) ? priorities : deadlines ? 8 + random_below(100) : 1 + random_below(3);
    if (n % 5000 == 0) filling = true;
    if (n % 5000 == 0) now = random_below(1u << 17);
    if (queued >= fill) filling = false;
    if (levels > priorities) levels = priorities;
    const uint32_t tid = random_below(threads);
    uint32_t queue = random_below(queues), priority = random_key();
    const uint32_t to = random_below(4) ? random_key() : priority;
    int op = static_cast<int>(random_below(filling ? 4096 : kOps));
    if (op >= kOps) op = kPushBack;
    if (op == kPop && model[queue].empty()) continue;
    if (op != kPop && places[tid].queued != (op == kRemove || op == kMove)) continue;
    if (op == kRemove || op == kMove) queue = places[tid].queue, priority = places[tid].priority;

    while (random_below(4) == 0) cycle();
    top->valid_i = 1;
    top->op_i = op;
    top->queue_i = queue;
    top->priority_i = op == kPop ? random_below(priorities) : priority;
    top->to_priority_i = op == kMove ? to : random_below(priorities);
    top->tid_i = op == kPop ? random_below(threads) : tid;
    cycle();
    top->valid_i = random_below(2); // not taken before ready; nor is anything else looked at
    top->op_i = kPushBack;
    top->queue_i = random_below(queues);
    top->priority_i = random_below(priorities);
    top->to_priority_i = random_below(priorities);
    top->tid_i = random_below(threads);
    uint32_t cycles = 1;
    for (; !top->ready_o && cycles < 100000; cycles++) {
      cycle();
      if (top->ready_o) top->valid_i = 0;
    }
    top->valid_i = 0;
    if (cycles < least_cycles[op]) least_cycles[op] = cycles;
    if (cycles > most_cycles[op]) most_cycles[op] = cycles;
    const int beyond = static_cast<int>(cycles) - static_cast<int>(queued);
    if (beyond < least_beyond[op]) least_beyond[op] = beyond;
    if (beyond > most_beyond[op]) most_beyond[op] = beyond;

    if (op == kPop) {
      places[model[queue].front().tid].queued = false;
      model[queue].pop_front();
      queued--;
    } else if (op == kRemove) {
      take(queue, tid);
      places[tid].queued = false;
      queued--;
    } else if (op == kMove) {
      take(queue, tid);
      insert(queue, {to, tid}, false);
      places[tid].priority = to;
    } else {
      insert(queue, {priority, tid}, op == kPushFront);
      places[tid] = {true, queue, priority};
      queued++;
      if (queued > most) most = queued;
    }
    // Reading the best of a queue: the cycle in which the outputs are looked at counts as the first.
    uint32_t read_cycles = 1;
    int wrong = wrong_best();
    for (; wrong >= 0 && read_cycles < 8; read_cycles++) {
      cycle();
      wrong = wrong_best();
    }
    if (wrong >= 0) {
      const Entry want = model[wrong].empty() ? Entry{} : model[wrong].front();
      std::fprintf(stderr, "operation %ld (%s): queue %d shows valid %d priority %x thread %u, expected %d %x %u\n", n,
                   kNames[op], wrong, top->best_valid_o >> wrong & 1, top->best_priority_o[wrong],
                   top->best_tid_o[wrong], !model[wrong].empty(), want.priority, want.tid);
      return 1;
    }
    if (read_cycles > most_read) most_read = read_cycles;
    n++;
  }
  std::printf("{\"most_queued\": %u, \"read_next\": %u", most, most_read);
  for (int op = 0; op < kOps; op++) {
    std::printf(", \"%s\": [%u, %u]", kNames[op], least_cycles[op], most_cycles[op]);
  }
  std::printf(", \"beyond\": {");
  for (int op = 0; op < kOps; op++) {
    std::printf("%s\"%s\": [%d, %d]", op ? ", " : "", kNames[op], least_beyond[op], most_beyond[op]);
  }
  std::printf("}}\n");
  top->final();
  delete top;
  return 0;
}
