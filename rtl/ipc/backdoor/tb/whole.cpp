// SPDX-License-Identifier: Apache-2.0
// Two programs at the two sides of cl_backdoor, on clocks that have nothing to do with one another, with a scoreboard.
//
// usage: sim SEED PERIOD0 PERIOD1 JITTER PERCENT HOLDS CYCLES
// PERIOD0, PERIOD1: of the clocks; JITTER: each period is that much longer or shorter at random (0: none). PERCENT: of
// the cycles of clock 1 in which the bus there grants the DMA's request. HOLDS: of 10000 steps of the near program, how
// many hold the far one and start another. The run ends when CYCLES of clock 0 are over and all that was under way has
// come; it prints what happened as JSON. A violation of the registers' contract ends it with a message, status 1.
//
// Near sends a stream of words through the down block and far takes them by DMA lists; the other way likewise. Each
// says in its word 2 how many it has put there, and in word 3 how many it has taken of the other's. Both ring bells,
// send mail, and ask for what is refused. Words of a stream are known from the number of the program (epoch) and their
// place, so each that is late, lost, old or of another program is seen.
// usage: sim stream OP WORDS PERIOD0 PERIOD1
// Instead, how fast it can be: words go through the block in pieces; near stores or loads one in each cycle, far moves
// them by lists at the same time, and each is granted at once. Prints the time from the first to the last.
//
// A bell or mail may not overtake the words that were there when it was sent.
#include <algorithm>
#include <array>
#include <coroutine>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <random>
#include <vector>

#include "../../../../runtime/include/cl_backdoor_regs.h"
#include "Vmodel.h"
#include "verilated.h"

namespace {

constexpr uint32_t kRing = BLOCK_BYTES / 4; // words in each stream's ring: the whole block
constexpr uint32_t kMemory = MEMORY_BYTES / 4;
constexpr uint32_t kBase = CL_BACKDOOR_MEMORY_BASE;
constexpr uint32_t kLists = 64; // the first words of the memory are for lists
constexpr int kPatience = 20000; // cycles of either side until something must have happened

VerilatedContext context;
Vmodel top(&context);
std::mt19937_64 random_bits;
uint64_t now = 0;

uint32_t upto(uint32_t n) { return static_cast<uint32_t>(random_bits() % (n + 1ull)); } // 0..n
bool chance(uint32_t percent) { return upto(99) < percent; }

[[noreturn]] void wrong(const char *format, ...) {
  std::fprintf(stderr, "at %llu: ", static_cast<unsigned long long>(now));
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  std::fprintf(stderr, "\n");
  std::exit(1);
}

#define EXPECT(condition, ...) \
  if (!(condition)) wrong(#condition ": " __VA_ARGS__)

// --- programs -------------------------------------------------------------------------------------------------------

// A program is resumed before a clock edge of its side, sees the outputs of the cycle, and sets inputs for the next.
struct Program {
  struct promise_type {
    Program get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

struct Side {
  // Inputs of the next cycle
  bool req = false, we = false;
  uint32_t addr = 0, wdata = 0, be = 15;
  // Outputs of the cycle that ends
  uint32_t rdata = 0;
  bool err = false, irq = false;

  std::coroutine_handle<> program;
  int left = 0; // edges until it goes on
  bool refused = false, was_refused = false; // the access asked for, and the one before, is a bus error

  struct Wait {
    Side &side;
    int edges;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<>) { side.left = edges; }
    uint32_t await_resume() { return side.rdata; }
  };
  Wait idle(uint32_t cycles) { return {*this, static_cast<int>(cycles) + 1}; }
  Wait store(uint32_t to, uint32_t word) { return ask(true, to, word, 1); }
  Wait load(uint32_t from) { return ask(false, from, 0, 2); }
  Wait fails(bool store, uint32_t at, uint32_t bytes = 15) {
    Wait wait = ask(store, at, 0xdeadbeef, 2);
    be = bytes;
    refused = true;
    return wait;
  }
  Wait ask(bool store, uint32_t at, uint32_t word, int edges) {
    req = true;
    we = store;
    addr = at;
    wdata = word;
    be = 15;
    return {*this, edges};
  }

  void edge() {
    EXPECT(err == was_refused, "bus error %d for %x", err, addr);
    was_refused = req && refused;
    req = refused = false;
    if (program && !program.done() && --left <= 0) program.resume();
  }
};

Side near, far;

// --- scoreboard ---------------------------------------------------------------------------------------------------

struct Bells {
  std::array<std::vector<uint32_t>, 32> rung; // words in the stream at each ring
  std::array<size_t, 32> heard = {}; // times that it was seen and cleared
  std::array<uint64_t, 32> last_ring = {}, last_clear = {};
  uint64_t rings = 0;

  void ring(uint32_t bells, uint32_t words) {
    for (int b = 0; b < 32; b++)
      if (bells >> b & 1) {
        rung[b].push_back(words);
        last_ring[b] = now;
        rings++;
      }
  }
  // Words that the listener must see now that these are pending. Each time that a bell was seen and cleared took
  // one ring of it at least, and rings come in their order.
  uint32_t hear(uint32_t bells) {
    uint32_t words = 0;
    for (int b = 0; b < 32; b++)
      if (bells >> b & 1) {
        EXPECT(heard[b] < rung[b].size(), "bell %d rings by itself", b);
        words = std::max(words, rung[b][heard[b]++]);
      }
    return words;
  }
  void clear(uint32_t bells) {
    for (int b = 0; b < 32; b++)
      if (bells >> b & 1) last_clear[b] = now;
  }
  // After all has come: none is lost, none was made.
  void check(uint32_t pending) {
    for (int b = 0; b < 32; b++) {
      const bool rings = pending >> b & 1;
      if (rung[b].size() == 0) EXPECT(!rings, "bell %d was never rung", b);
      if (rung[b].size() && last_ring[b] > last_clear[b]) EXPECT(rings, "bell %d is lost", b);
    }
  }
};

// One way, of the program that runs
struct Way {
  uint32_t put = 0; // words of the stream announced to the other side
  uint32_t taken = 0;
  std::deque<std::pair<uint32_t, uint32_t>> mail; // that was taken by the mailbox, with `put` of then
  Bells bells;
};

uint32_t epoch = 0; // the program that near starts or has started, sent in word 0
bool known = false; // near has received that this program runs: far's actions count
bool stop = false; // nothing new is begun
bool far_quiet = false; // far has ended all
uint32_t far_dma_cycles = 0; // its register then
Way down, up;

struct Counts {
  uint64_t programs, holds_in_dma, words_down, words_up, lists, wrong_lists, mail_down, mail_up, rings_down, rings_up,
      refusals, near_cycles, far_cycles;
} counts;

uint32_t word_of(uint32_t program, bool is_up, uint32_t place) {
  uint32_t x = place * 2654435761u ^ program * 0x9E3779B9u ^ (is_up ? 0x5bd1e995u : 0);
  x ^= x >> 15;
  x *= 0x2c1b3c6du;
  return x ^ x >> 13;
}

uint32_t crc_of(uint32_t crc, uint32_t word) {
  crc = ~crc ^ word;
  for (int i = 0; i < 32; i++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  return ~crc;
}

// --- the memory of processor 1 --------------------------------------------------------------------------------------

std::vector<uint32_t> memory(kMemory), should_be(kMemory);
uint32_t moving_from = 0, moving_words = 0; // where a list that runs may have written

uint32_t last_pc = 0; // of the core, before it was held last
bool dma_runs = false; // a list was started and has not ended
bool cut = false; // so it was when the core was held, since near has cleared the error of that
bool was_live = false;

// --- near -----------------------------------------------------------------------------------------------------------

uint32_t mail_word(uint32_t program, uint32_t number) { return program << 20 | (number & 0xfffff); }

#define WAIT_UNTIL(side, at, condition, what)                   \
  for (int patience = kPatience;; patience--) {                 \
    value = co_await side.load(at);                             \
    if (condition) break;                                       \
    EXPECT(patience, "%s does not come, word %x", what, value); \
    co_await side.idle(upto(3));                                \
  }

Program near_program(uint32_t holds, uint64_t cycles) {
  uint32_t value;
  value = co_await near.load(CL_BACKDOOR_NEAR_ID);
  EXPECT(value == CL_BACKDOOR_ID_WORD);
  value = co_await near.load(CL_BACKDOOR_NEAR_CONTROL);
  EXPECT(value == 0, "it is held after reset");
  uint64_t heard = 0; // bells, in all programs
  uint32_t window_words = 0, window_loads = 0, before = 0;
  for (;;) {
    // Another program: its words are there before it starts.
    epoch++;
    down = {};
    const bool at_once = epoch > 1 && chance(40); // run is 1 again before far can have been held
    if (epoch > 1) {
      co_await near.store(CL_BACKDOOR_NEAR_CONTROL, 0);
      if (chance(50)) {
        co_await near.store(CL_BACKDOOR_NEAR_ERROR, ~8u);
        co_await near.store(CL_BACKDOOR_NEAR_MAIL_SEND, 0xbad); // after the hold: refused
        value = co_await near.load(CL_BACKDOOR_NEAR_ERROR);
        EXPECT((value & 7) == 4, "%x", value);
        counts.refusals++;
      }
    }
    if (epoch > 1 && !at_once) { // wait until its hold has arrived
      WAIT_UNTIL(near, CL_BACKDOOR_NEAR_STATUS, !(value & 1), "held");
      EXPECT(!(value & 14), "status %x while held", value);
      EXPECT(!was_live, "the core runs");
      for (uint32_t n = 0; n < 4; n++) {
        value = co_await near.load(CL_BACKDOOR_NEAR_FAR_WORD + 4 * n);
        EXPECT(value == 0, "word %u of a side that is held: %x", n, value);
      }
      value = co_await near.load(CL_BACKDOOR_NEAR_FAR_PC);
      EXPECT(value == last_pc, "%x", value);
      value = co_await near.load(CL_BACKDOOR_NEAR_FAR_DOWN_BYTES);
      EXPECT(value == 0);
      value = co_await near.load(CL_BACKDOOR_NEAR_MAIL_COUNT);
      EXPECT(value == 0, "%x", value);
      co_await near.idle(upto(20));
    }
    co_await near.store(CL_BACKDOOR_NEAR_WORD + 12, 0);
    co_await near.store(CL_BACKDOOR_NEAR_WORD + 8, 0);
    co_await near.store(CL_BACKDOOR_NEAR_WORD + 4, 0);
    co_await near.store(CL_BACKDOOR_NEAR_WORD, epoch);
    co_await near.store(CL_BACKDOOR_NEAR_CONTROL, 1);
    for (; chance(20); epoch++) { // held while it starts
      co_await near.idle(upto(20));
      co_await near.store(CL_BACKDOOR_NEAR_CONTROL, 0);
      co_await near.idle(upto(6));
      co_await near.store(CL_BACKDOOR_NEAR_WORD, epoch + 1);
      co_await near.store(CL_BACKDOOR_NEAR_CONTROL, 1);
    }
    if (!at_once) {
      WAIT_UNTIL(near, CL_BACKDOOR_NEAR_STATUS, value & 1, "running");
    }
    WAIT_UNTIL(near, CL_BACKDOOR_NEAR_FAR_WORD, value == epoch, "the program");
    known = true;
    counts.programs++;
    value = co_await near.load(CL_BACKDOOR_NEAR_ERROR);
    EXPECT((value >> 3 & 1) == cut, "held in mid-transfer: %x", value);
    counts.holds_in_dma += cut;
    cut = false;
    co_await near.store(CL_BACKDOOR_NEAR_ERROR, ~0u);
    co_await near.store(CL_BACKDOOR_NEAR_BELL_CLEAR, ~0u);
    value = co_await near.load(CL_BACKDOOR_NEAR_BELL_PENDING);
    EXPECT(value == 0, "%x", value);
    co_await near.store(CL_BACKDOOR_NEAR_BELL_MERGED, 0);
    heard = 0;
    const uint32_t enable = static_cast<uint32_t>(random_bits());
    co_await near.store(CL_BACKDOOR_NEAR_BELL_ENABLE, enable);
    co_await near.store(CL_BACKDOOR_NEAR_WORD + 4, epoch); // go

    uint32_t taken = 0, freed = 0, mails = 0, pause = 0, quiet = 0, next = 0;
    for (bool again = false; !again;) {
      if (!stop && counts.near_cycles >= cycles) stop = true;
      if (upto(99) == 0) pause = std::array{0u, 0u, 3u, 60u}[upto(3)];
      if (!next) co_await near.idle(upto(pause));
      if (upto(9999) < holds && !stop) {
        known = false;
        again = true;
        break;
      }
      const uint32_t step = next ? next : upto(9);
      next = 0;
      switch (step) {
        case 0:
        case 1: { // words for far
          value = co_await near.load(CL_BACKDOOR_NEAR_FAR_WORD + 12);
          EXPECT(value >= freed && value <= down.taken, "taken %u", value);
          freed = value;
          if (stop) break;
          const uint32_t words = upto(std::min(kRing - (down.put - freed), chance(10) ? kRing : 40u));
          for (uint32_t n = 0; n < words; n++) {
            const uint32_t place = down.put + n;
            co_await near.store(CL_BACKDOOR_DOWN_OFFSET + 4 * (place % kRing), word_of(epoch, false, place));
          }
          window_words += words;
          down.put += words;
          co_await near.store(CL_BACKDOOR_NEAR_WORD + 8, down.put);
          counts.words_down += words;
          if (chance(50)) next = chance(50) ? 4 : 6; // told in the next cycle
          break;
        }
        case 2:
        case 3: { // words from far
          value = co_await near.load(CL_BACKDOOR_NEAR_FAR_WORD + 8);
          EXPECT(value >= before && value <= up.put, "put %u", value);
          before = value;
          const uint32_t words = chance(50) ? before - taken : upto(before - taken);
          for (uint32_t n = 0; n < words; n++, taken++) {
            value = co_await near.load(CL_BACKDOOR_UP_OFFSET + 4 * (taken % kRing));
            EXPECT(value == word_of(epoch, true, taken), "word %u: %x", taken, value);
          }
          window_loads += words;
          up.taken = taken;
          co_await near.store(CL_BACKDOOR_NEAR_WORD + 12, taken);
          break;
        }
        case 4: {
          if (stop) break;
          const uint32_t bells = chance(50) ? 1u << upto(31) : static_cast<uint32_t>(random_bits());
          down.bells.ring(bells, down.put);
          counts.rings_down++;
          co_await near.store(CL_BACKDOOR_NEAR_BELL_RING, bells);
          break;
        }
        case 5: {
          const uint32_t bells = co_await near.load(CL_BACKDOOR_NEAR_BELL_PENDING);
          const uint32_t words = up.bells.hear(bells);
          heard += std::popcount(bells);
          value = co_await near.load(CL_BACKDOOR_NEAR_FAR_WORD + 8);
          EXPECT(value >= words, "a bell came before %u words: %u", words, value);
          up.bells.clear(bells);
          co_await near.store(CL_BACKDOOR_NEAR_BELL_CLEAR, bells);
          value = co_await near.load(CL_BACKDOOR_NEAR_BELL_MERGED);
          EXPECT(value + heard <= up.bells.rings, "%u merged", value);
          break;
        }
        case 6: { // mail, with or without room
          if (stop) break;
          for (uint32_t n = 1 + upto(3); n; n--) {
            down.mail.emplace_back(mail_word(epoch, mails), down.put);
            co_await near.store(CL_BACKDOOR_NEAR_MAIL_SEND, mail_word(epoch, mails));
            value = co_await near.load(CL_BACKDOOR_NEAR_ERROR);
            EXPECT((value & ~1u) == 0, "%x", value);
            if (value) { // full: far has not got it
              down.mail.pop_back();
              counts.refusals++;
              co_await near.store(CL_BACKDOOR_NEAR_ERROR, 1);
            } else {
              mails++;
              counts.mail_down++;
            }
          }
          break;
        }
        case 7: { // mail, empty or not
          uint32_t count = co_await near.load(CL_BACKDOOR_NEAR_MAIL_COUNT);
          for (uint32_t n = chance(30) ? 40 : 0; n && !(count >> 8); n--)
            count = co_await near.load(CL_BACKDOOR_NEAR_MAIL_COUNT);
          EXPECT((count >> 8) <= up.mail.size() && (count & 255) <= MAIL_DEPTH, "%x", count);
          const uint32_t word = co_await near.load(CL_BACKDOOR_NEAR_MAIL_RECEIVE);
          const uint32_t put = co_await near.load(CL_BACKDOOR_NEAR_FAR_WORD + 8);
          value = co_await near.load(CL_BACKDOOR_NEAR_ERROR);
          EXPECT((value & ~2u) == 0 && (!value || (word == 0 && !(count >> 8))), "%x %x", value, count);
          if (value) {
            counts.refusals++;
            co_await near.store(CL_BACKDOOR_NEAR_ERROR, 2);
            break;
          }
          EXPECT(!up.mail.empty() && word == up.mail.front().first, "mail %x", word);
          const uint32_t words = up.mail.front().second;
          up.mail.pop_front();
          EXPECT(put >= words, "a mail came before %u words: %u", words, put);
          break;
        }
        case 8: { // unmapped addresses
          static const uint32_t gaps[] = {0x14,
                                          0x3c,
                                          0x50,
                                          0x9c,
                                          0x100,
                                          0x3ffffc,
                                          CL_BACKDOOR_DOWN_OFFSET - 4,
                                          CL_BACKDOOR_DOWN_OFFSET + BLOCK_BYTES,
                                          CL_BACKDOOR_UP_OFFSET + BLOCK_BYTES};
          counts.refusals++;
          switch (upto(3)) {
            case 0: co_await near.fails(chance(50), gaps[upto(std::size(gaps) - 1)]); break;
            case 1: co_await near.fails(true, CL_BACKDOOR_UP_OFFSET + 4 * upto(kRing - 1)); break;
            case 2: co_await near.fails(false, CL_BACKDOOR_DOWN_OFFSET + 4 * upto(kRing - 1)); break;
            default: co_await near.fails(true, CL_BACKDOOR_DOWN_OFFSET + 4 * upto(kRing - 1), 1 + upto(13));
          }
          break;
        }
        default: {
          value = co_await near.load(CL_BACKDOOR_NEAR_STATUS);
          EXPECT(value & 1, "it does not run");
          value = co_await near.load(CL_BACKDOOR_NEAR_DOWN_BYTES);
          EXPECT(value == 4 * window_words, "%u", value);
          value = co_await near.load(CL_BACKDOOR_NEAR_UP_BYTES);
          EXPECT(value == 4 * window_loads, "%u", value);
        }
      }
      // The end: all has come, and nothing else does.
      const bool ended = stop && far_quiet && taken == up.put && freed == down.put && up.mail.empty() &&
                         down.mail.empty();
      quiet = ended ? quiet + 1 : 0;
      if (quiet == 200) {
        EXPECT(down.taken == down.put);
        value = co_await near.load(CL_BACKDOOR_NEAR_BELL_PENDING);
        up.bells.check(value);
        co_await near.idle(2);
        EXPECT(near.irq == ((value & enable) != 0), "interrupt %d, pending %x", near.irq, value);
        value = co_await near.load(CL_BACKDOOR_NEAR_FAR_DMA);
        EXPECT(!(value & 1), "%x", value);
        value = co_await near.load(CL_BACKDOOR_NEAR_FAR_DOWN_BYTES);
        EXPECT(value == 4 * down.put, "%u", value);
        value = co_await near.load(CL_BACKDOOR_NEAR_FAR_UP_BYTES);
        EXPECT(value == 4 * up.put, "%u", value);
        value = co_await near.load(CL_BACKDOOR_NEAR_FAR_DMA_CYCLES);
        EXPECT(value == far_dma_cycles, "%u", value);
        co_return;
      }
    }
    before = 0;
  }
}

// --- far ------------------------------------------------------------------------------------------------------------

// Checks of far that need near to be of the same program.
#define EXPECT_KNOWN(condition, ...) \
  if (mine == epoch && known) EXPECT(condition, __VA_ARGS__)

Program far_program() {
  uint32_t value;
  up = {};
  far_quiet = false;
  std::copy(memory.begin(), memory.end(), should_be.begin());
  value = co_await far.load(CL_BACKDOOR_FAR_ID);
  EXPECT(value == CL_BACKDOOR_ID_WORD);
  const uint32_t mine = co_await far.load(CL_BACKDOOR_FAR_NEAR_WORD);
  value = co_await far.load(CL_BACKDOOR_FAR_NEAR_WORD + 8);
  EXPECT(mine != epoch || value == 0, "words of before: %u", value);
  value = co_await far.load(CL_BACKDOOR_FAR_BELL_PENDING);
  EXPECT(value == 0, "bells of before: %x", value);
  value = co_await far.load(CL_BACKDOOR_FAR_DMA_STATUS);
  EXPECT(value == 0, "%x", value);
  value = co_await far.load(CL_BACKDOOR_FAR_MAIL_COUNT);
  EXPECT(value == MAIL_DEPTH, "mail of before: %x", value);
  co_await far.store(CL_BACKDOOR_FAR_DMA_ENABLE, 1);
  const uint32_t enable = static_cast<uint32_t>(random_bits());
  co_await far.store(CL_BACKDOOR_FAR_BELL_ENABLE, enable);
  co_await far.store(CL_BACKDOOR_FAR_WORD, mine);
  WAIT_UNTIL(far, CL_BACKDOOR_FAR_NEAR_WORD + 4, value == mine || mine != epoch, "go");

  uint32_t filled = 0, freed = 0, up_freed = 0, put = 0, mails = 0, pause = 0, quiet = 0;
  uint32_t down_bytes = 0, up_bytes = 0;
  enum { kNothing, kDown, kUp, kWrong } list = kNothing;
  uint32_t words = 0, error = 0, crc = 0, next = 0;
  for (;;) {
    if (upto(99) == 0) pause = std::array{0u, 0u, 3u, 60u}[upto(3)];
    if (!next) co_await far.idle(upto(pause));
    const uint32_t step = next ? next : upto(8);
    next = 0;
    switch (step) {
      case 0:
      case 1:
      case 2: { // the DMA
        if (dma_runs) {
          if (chance(5)) { // refused, unless the one that runs ends in this cycle; then it ends at once
            co_await far.store(CL_BACKDOOR_FAR_DMA_LIST, 0);
            const bool taken = !dma_runs;
            if (taken) {
              dma_runs = true;
              error = CL_BACKDOOR_DMA_ERROR_LIST;
            }
            value = co_await far.load(CL_BACKDOOR_FAR_ERROR);
            EXPECT(value == (taken ? 0 : 4), "%x", value);
            co_await far.store(CL_BACKDOOR_FAR_ERROR, 4);
            counts.refusals++;
          }
          break;
        }
        if (list != kNothing) { // has ended
          value = co_await far.load(CL_BACKDOOR_FAR_DMA_STATUS);
          EXPECT(value == (2 | error << CL_BACKDOOR_DMA_STATUS_WORD_ERROR_LSB), "status %x, error %u", value, error);
          co_await far.store(CL_BACKDOOR_FAR_DMA_CLEAR, 0);
          value = co_await far.load(CL_BACKDOOR_FAR_DMA_CRC);
          EXPECT_KNOWN(value == crc, "%x, not %x", value, crc);
          if (list == kDown) {
            for (uint32_t n = 0; n < words; n++) should_be[moving_from + n] = word_of(mine, false, freed + n);
            down_bytes += 4 * words;
            freed += words;
          }
          if (list == kUp) {
            put += words;
            up_bytes += 4 * words;
          }
          EXPECT_KNOWN(memory == should_be, "the memory is not as it should be");
          if (mine == epoch && known) {
            down.taken = freed;
            up.put = put;
          }
          moving_words = 0;
          counts.lists++;
          value = co_await far.load(CL_BACKDOOR_FAR_DOWN_BYTES);
          EXPECT(value == down_bytes, "%u", value);
          value = co_await far.load(CL_BACKDOOR_FAR_UP_BYTES);
          EXPECT(value == up_bytes, "%u", value);
          co_await far.store(CL_BACKDOOR_FAR_WORD + (list == kDown ? 12 : 8), list == kDown ? freed : put);
          list = kNothing;
          if (chance(50)) { // told in the next cycle
            next = chance(50) ? 3 : 5;
            break;
          }
        }
        value = co_await far.load(CL_BACKDOOR_FAR_NEAR_WORD + 8);
        EXPECT_KNOWN(value >= filled && value <= down.put, "put %u", value);
        filled = value;
        value = co_await far.load(CL_BACKDOOR_FAR_NEAR_WORD + 12);
        EXPECT_KNOWN(value >= up_freed && value <= up.taken, "taken %u", value);
        up_freed = value;
        if (mine != epoch || !known) break;
        const bool is_up = chance(50);
        const uint32_t begin = is_up ? put : freed;
        const uint32_t most = std::min(is_up ? (stop ? 0 : kRing - (put - up_freed)) : filled - freed,
                                       kMemory - kLists);
        words = chance(20) ? most : upto(std::min(most, 60u));
        list = is_up ? kUp : kDown;
        error = 0;
        if (!is_up && !stop && chance(10)) {
          list = kWrong;
          words = 0;
        }
        if (words == 0 && list != kWrong) {
          list = kNothing;
          break;
        }
        // The list: pieces of the stream, and some without words between them
        const uint32_t source = kLists + upto(kMemory - kLists - words);
        std::vector<uint32_t> descriptors;
        auto describe = [&](uint32_t op, uint32_t count, uint32_t at, uint32_t place) {
          descriptors.insert(descriptors.end(), {op << 28 | count, kBase + 4 * at, 4 * (place % kRing)});
        };
        for (uint32_t n = 0; n < words;) {
          const uint32_t place = begin + n;
          uint32_t count = std::min(words - n, kRing - place % kRing);
          if (descriptors.size() < 36) count = chance(50) ? count : 1 + upto(count - 1);
          if (descriptors.size() < 36 && chance(20)) describe(upto(2), 0, 0, place);
          describe(is_up, count, source + n, place);
          n += count;
        }
        uint32_t first = 0;
        if (list == kWrong) {
          counts.wrong_lists++;
          switch (upto(3)) {
            case 0: describe(3, 1, kLists, 0), error = CL_BACKDOOR_DMA_ERROR_OP; break;
            case 1: describe(1, 9, kMemory - 8, 0), error = CL_BACKDOOR_DMA_ERROR_MEMORY; break;
            case 2: describe(0, 2, kLists, kRing - 1), error = CL_BACKDOOR_DMA_ERROR_BLOCK; break;
            default: describe(1, 9, kLists, 0), first = 4 * kMemory - 8, error = CL_BACKDOOR_DMA_ERROR_LIST;
          }
        }
        descriptors[descriptors.size() - 3] |= 1u << 31;
        std::copy(descriptors.begin(), descriptors.end(), memory.begin());
        crc = 0;
        for (uint32_t n = 0; n < words; n++) {
          const uint32_t word = word_of(mine, is_up, begin + n);
          if (is_up) memory[source + n] = word;
          crc = crc_of(crc, word);
        }
        std::copy(memory.begin(), memory.end(), should_be.begin());
        moving_from = source;
        moving_words = is_up ? 0 : words;
        if (is_up) counts.words_up += words;
        co_await far.store(CL_BACKDOOR_FAR_DMA_CRC, 0);
        co_await far.store(CL_BACKDOOR_FAR_DMA_LIST, kBase + first);
        dma_runs = true;
        break;
      }
      case 3: {
        if (stop || mine != epoch || !known) break;
        const uint32_t bells = chance(50) ? 1u << upto(31) : static_cast<uint32_t>(random_bits());
        up.bells.ring(bells, up.put);
        counts.rings_up++;
        co_await far.store(CL_BACKDOOR_FAR_BELL_RING, bells);
        break;
      }
      case 4: {
        const uint32_t bells = co_await far.load(CL_BACKDOOR_FAR_BELL_PENDING);
        if (mine != epoch || !known) break;
        const uint32_t at_least = down.bells.hear(bells);
        value = co_await far.load(CL_BACKDOOR_FAR_NEAR_WORD + 8);
        EXPECT_KNOWN(value >= at_least, "a bell came before %u words: %u", at_least, value);
        down.bells.clear(bells);
        co_await far.store(CL_BACKDOOR_FAR_BELL_CLEAR, bells);
        break;
      }
      case 5: {
        if (stop || mine != epoch || !known) break;
        up.mail.emplace_back(mail_word(mine, mails), up.put);
        co_await far.store(CL_BACKDOOR_FAR_MAIL_SEND, mail_word(mine, mails));
        value = co_await far.load(CL_BACKDOOR_FAR_ERROR);
        EXPECT((value & ~1u) == 0, "%x", value);
        if (value) {
          if (mine == epoch) up.mail.pop_back();
          counts.refusals++;
          co_await far.store(CL_BACKDOOR_FAR_ERROR, 1);
        } else {
          mails++;
          counts.mail_up++;
        }
        break;
      }
      case 6: {
        uint32_t count = co_await far.load(CL_BACKDOOR_FAR_MAIL_COUNT);
        for (uint32_t n = chance(30) ? 40 : 0; n && !(count >> 8); n--)
          count = co_await far.load(CL_BACKDOOR_FAR_MAIL_COUNT);
        EXPECT_KNOWN((count >> 8) <= down.mail.size() && (count & 255) <= MAIL_DEPTH, "%x", count);
        if (mine != epoch || !known) break;
        const uint32_t word = co_await far.load(CL_BACKDOOR_FAR_MAIL_RECEIVE);
        const uint32_t there = co_await far.load(CL_BACKDOOR_FAR_NEAR_WORD + 8);
        value = co_await far.load(CL_BACKDOOR_FAR_ERROR);
        EXPECT((value & ~2u) == 0 && (!value || (word == 0 && !(count >> 8))), "%x %x", value, count);
        if (value) {
          counts.refusals++;
          co_await far.store(CL_BACKDOOR_FAR_ERROR, 2);
          break;
        }
        if (mine != epoch || !known) break;
        EXPECT(!down.mail.empty() && word == down.mail.front().first, "mail %x", word);
        const uint32_t at_least = down.mail.front().second;
        down.mail.pop_front();
        EXPECT(there >= at_least, "a mail came before %u words: %u", at_least, there);
        break;
      }
      case 7: {
        static const uint32_t gaps[] = {0x0c, 0x14, 0x30, 0x50, 0xc4, 0xfc};
        counts.refusals++;
        if (chance(50)) co_await far.fails(chance(50), gaps[upto(std::size(gaps) - 1)]);
        else co_await far.fails(false, CL_BACKDOOR_FAR_MAIL_SEND);
        break;
      }
      default: value = co_await far.load(CL_BACKDOOR_FAR_NEAR_WORD); EXPECT_KNOWN(value == mine, "%u", value);
    }
    const bool ended = stop && list == kNothing && filled == freed && known && down.put == freed && down.mail.empty();
    quiet = ended ? quiet + 1 : 0;
    if (quiet == 200) {
      value = co_await far.load(CL_BACKDOOR_FAR_BELL_PENDING);
      down.bells.check(value);
      co_await far.idle(2);
      EXPECT(far.irq == ((value & enable) != 0), "interrupt %d, pending %x", far.irq, value);
      far_dma_cycles = co_await far.load(CL_BACKDOOR_FAR_DMA_CYCLES);
      co_await far.store(CL_BACKDOOR_FAR_WORD + 4, 1); // counters are sent along
      far_quiet = true;
    }
  }
}

// --- stream ---------------------------------------------------------------------------------------------------------

uint32_t stream_op = 0, stream_words = 0;
uint64_t stream_begin = 0, stream_end = 0;
constexpr uint32_t kPiece = std::min(kRing, kMemory - kLists) / 8;

Program near_streams() {
  uint32_t value, other = 0;
  const bool is_up = stream_op == CL_BACKDOOR_DMA_OP_UP;
  co_await near.store(CL_BACKDOOR_NEAR_CONTROL, 1);
  WAIT_UNTIL(near, CL_BACKDOOR_NEAR_FAR_WORD, value, "the start");
  if (!is_up) stream_begin = now;
  for (uint32_t done = 0; done < stream_words;) {
    const uint32_t most = is_up ? other : std::min(other + kRing, stream_words);
    if (most - done < std::min(kPiece, stream_words - done)) {
      other = co_await near.load(CL_BACKDOOR_NEAR_FAR_WORD + 4);
      continue;
    }
    const uint32_t words = std::min(most - done, kPiece);
    for (uint32_t n = 0; n < words + is_up; n++) {
      const uint32_t place = done + n, at = 4 * (place % kRing);
      if (!is_up) {
        co_await near.store(CL_BACKDOOR_DOWN_OFFSET + at, word_of(1, false, place));
      } else { // the answer comes when the next one is asked for
        value = co_await near.ask(false, CL_BACKDOOR_UP_OFFSET + at, 0, 1);
        EXPECT(n == 0 || value == word_of(1, true, place - 1), "word %u: %x", place - 1, value);
      }
    }
    done += words;
    co_await near.store(CL_BACKDOOR_NEAR_WORD, done);
  }
  if (is_up) stream_end = now;
  WAIT_UNTIL(near, CL_BACKDOOR_NEAR_FAR_WORD + 4, value == stream_words, "the end");
}

// While a list runs, far says what it has done and looks for more.
Program far_streams() {
  uint32_t value, crc = 0, other = 0, said = 0;
  const bool is_up = stream_op == CL_BACKDOOR_DMA_OP_UP;
  co_await far.store(CL_BACKDOOR_FAR_DMA_ENABLE, 1);
  co_await far.store(CL_BACKDOOR_FAR_WORD, 1);
  if (is_up) stream_begin = now;
  for (uint32_t done = 0; done < stream_words || said < done;) {
    const uint32_t most = is_up ? std::min(other + kRing, stream_words) : other;
    const uint32_t words = std::min({most - done, kRing - done % kRing, 2 * kPiece});
    if (words) {
      memory[0] = 1u << 31 | stream_op << 28 | words;
      memory[1] = kBase + 4 * kLists;
      memory[2] = 4 * (done % kRing);
      for (uint32_t n = 0; is_up && n < words; n++) memory[kLists + n] = word_of(1, true, done + n);
      moving_from = kLists;
      moving_words = is_up ? 0 : words;
      co_await far.store(CL_BACKDOOR_FAR_DMA_LIST, kBase);
      dma_runs = true;
    }
    if (said < done) co_await far.store(CL_BACKDOOR_FAR_WORD + 4, said = done);
    do other = co_await far.load(CL_BACKDOOR_FAR_NEAR_WORD);
    while (dma_runs);
    for (uint32_t n = 0; n < words; n++, done++) {
      crc = crc_of(crc, word_of(1, is_up, done));
      EXPECT(stream_op != CL_BACKDOOR_DMA_OP_DOWN || memory[kLists + n] == word_of(1, false, done), "word %u", done);
    }
    if (!is_up) stream_end = now;
    if (words) co_await far.store(CL_BACKDOOR_FAR_DMA_CLEAR, 0);
  }
  value = co_await far.load(CL_BACKDOOR_FAR_DMA_CRC);
  EXPECT(value == crc, "%x", value);
  for (;;) co_await far.idle(100);
}

} // namespace

int main(int argc, char **argv) {
  const bool streams = argc == 6;
  if (!streams && argc != 8) return 2;
  auto number = [&](int n) { return std::strtoull(argv[n], nullptr, 10); };
  random_bits.seed(number(1));
  context.randSeed(static_cast<int>(number(1)) + 1);
  const int periods = streams ? 4 : 2;
  const uint64_t period[2] = {number(periods), number(periods + 1)}, jitter = streams ? 0 : number(4);
  const uint64_t most = streams ? 0 : number(7);
  const auto percent = streams ? 100 : static_cast<uint32_t>(number(5));
  if (streams) {
    stream_op = static_cast<uint32_t>(number(2));
    stream_words = static_cast<uint32_t>(number(3));
  }
  uint64_t next[2] = {period[0], period[1]};
  top.rst0_ni = top.rst1_ni = 0;
  top.eval();
  for (int i = 0; i < 4; i++) {
    top.clk0_i = top.clk1_i = 1;
    top.eval();
    top.clk0_i = top.clk1_i = 0;
    top.eval();
  }
  top.rst0_ni = top.rst1_ni = 1;
  top.eval();
  for (auto &word : memory) word = static_cast<uint32_t>(random_bits());

  Program near_runs = streams ? near_streams() : near_program(static_cast<uint32_t>(number(6)), most);
  near.program = near_runs.handle;
  Program far_runs = {nullptr};
  bool asked = false;
  uint32_t asked_word = 0, refused_addr = 0;
  bool refused = false;

  while (!near_runs.handle.done()) {
    EXPECT(std::min(counts.near_cycles, counts.far_cycles) < most + 1000000, "it does not come to an end");
    now = std::min(next[0], next[1]);
    const bool edge[2] = {next[0] == now, next[1] == now};
    for (int c = 0; c < 2; c++)
      if (edge[c]) next[c] += period[c] + (jitter ? random_bits() % (2 * jitter + 1) - jitter : 0);

    // The state before the edge, and the programs' reactions to it
    if (edge[0]) {
      counts.near_cycles++;
      near.rdata = top.near_rdata_o;
      near.err = top.near_err_o;
      near.irq = top.near_irq_o;
      near.edge();
    }
    bool granted = false, store = false, busy = false;
    uint32_t at = 0;
    if (edge[1]) {
      counts.far_cycles++;
      // obi_req_t: we, be, addr, wdata
      granted = top.dma_req_o && top.dma_gnt_i;
      at = top.dma_cmd_o[1];
      store = top.dma_cmd_o[2] >> 4;
      if (top.dma_req_o) {
        EXPECT(at % 4 == 0 && at - kBase < MEMORY_BYTES && (top.dma_cmd_o[2] & 15) == 15, "access to %x", at);
        EXPECT(!refused || at == refused_addr, "the request changed to %x", at);
        EXPECT(top.core_rst_no && dma_runs, "access to %x, and no list", at);
      }
      EXPECT(top.dma_req_o || !refused, "a request was withdrawn");
      refused = top.dma_req_o && !granted;
      refused_addr = at;
      if (granted && store) {
        const uint32_t word = (at - kBase) / 4;
        EXPECT(word >= moving_from && word < moving_from + moving_words, "a store to %x", at);
        memory[word] = top.dma_cmd_o[0];
      }
      if (granted) asked_word = memory[(at - kBase) / 4];
      asked = granted;
      if (top.core_rst_no) {
        far.rdata = top.far_rdata_o;
        far.err = top.far_err_o;
        far.irq = top.bell_irq_o;
        if (top.dma_irq_o) dma_runs = false;
        busy = dma_runs;
        far.edge();
      }
    }
    if (edge[0]) top.clk0_i = 1;
    if (edge[1]) top.clk1_i = 1;
    top.eval();

    // Inputs of the next cycle
    if (edge[0]) {
      top.clk0_i = 0;
      top.near_req_i = near.req;
      top.near_cmd_i[0] = near.wdata;
      top.near_cmd_i[1] = near.req ? near.addr | CL_BACKDOOR_NEAR_BASE : static_cast<uint32_t>(random_bits());
      top.near_cmd_i[2] = near.we << 4 | near.be;
    }
    if (edge[1]) {
      top.clk1_i = 0;
      const bool live = top.core_rst_no;
      if (was_live && !live) { // held in mid-air
        cut |= busy;
        last_pc = top.core_pc_i;
        dma_runs = refused = asked = false;
        moving_words = 0;
        far_runs.handle.destroy();
        far = {};
        std::copy(memory.begin(), memory.end(), should_be.begin());
      } else if (!was_live && live) {
        far_runs = streams ? far_streams() : far_program();
        far.program = far_runs.handle;
      }
      was_live = live;
      top.core_pc_i = static_cast<uint32_t>(random_bits());
      top.far_req_i = far.req;
      top.far_we_i = far.we;
      top.far_addr_i = far.addr;
      top.far_wdata_i = far.wdata;
      top.dma_rvalid_i = asked;
      top.dma_rdata_i = asked ? asked_word : static_cast<uint32_t>(random_bits());
      top.dma_gnt_i = 0;
      top.eval();
      top.dma_gnt_i = top.dma_req_o && upto(99) < percent;
    }
    top.eval();
  }
  top.final();
  if (streams) {
    std::printf("{\"time\": %llu}\n", static_cast<unsigned long long>(stream_end - stream_begin));
    return 0;
  }
  std::printf("{");
  auto print = [](const char *name, uint64_t value, const char *more = ", ") {
    std::printf("\"%s\": %llu%s", name, static_cast<unsigned long long>(value), more);
  };
  print("programs", counts.programs);
  print("holds_in_dma", counts.holds_in_dma);
  print("words_down", counts.words_down);
  print("words_up", counts.words_up);
  print("lists", counts.lists);
  print("wrong_lists", counts.wrong_lists);
  print("mail_down", counts.mail_down);
  print("mail_up", counts.mail_up);
  print("rings_down", counts.rings_down);
  print("rings_up", counts.rings_up);
  print("refusals", counts.refusals);
  print("near_cycles", counts.near_cycles);
  print("far_cycles", counts.far_cycles, "}\n");
  return 0;
}
