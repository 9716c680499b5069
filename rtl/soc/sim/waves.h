// SPDX-License-Identifier: Apache-2.0
// Writes a waveform (FST): the signals of the design, and texts in a scope of their own, `coreloom`. A text
// is a signal of characters, so any viewer shows it; nothing is added to the machine, and a model that is not built for it
// has NoWaves.
//
//   cpuN_thread, unitN_thread          which thread a processor or hardware thread runs, by its name; "idle"
//   cpuN_operation, unitN_operation    what it asks the hardware kernel for, from the request to the answer
//   cpuN_answer, unitN_answer          and what that has answered last
//   threadN                            name and state of a thread; in the hardware kernel also what it waits in
//
// Times are picoseconds, with a clock of processor 1 of its own femtoseconds, and a cycle is a nanosecond: cycle n begins
// with the rising edge at n ns.
#ifndef CORELOOM_WAVES_H
#define CORELOOM_WAVES_H

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

// Where texts are in the memory, or states of the software kernel's threads: rows of `step` bytes.
struct WavesTable {
  uint32_t at = 0, step = 0, count = 0;
};

struct WavesOptions {
  std::string file;
  std::string from, to; // a cycle, or a thread's name; empty: the whole run
  std::vector<std::string> scopes; // none: all
  uint64_t most = UINT64_MAX; // bytes of the file
  std::map<std::string, std::string> words; // KIND.NUMBER to a name; kinds: op, state, status, unit
  WavesTable names, states;
};

// The contents of the kernel's tables and ports in a cycle.
struct WavesClient {
  bool asks = false, answered = false;
  uint32_t op = 0, id = 0, answer = 0;
};
struct WavesThread {
  uint32_t state = 0, client = 0; // where it runs or ran last
};

struct NoWaves {
  static constexpr bool writes() { return false; }
  static constexpr bool ends(uint64_t) { return false; }
  static constexpr bool failed() { return false; }
  static constexpr uint64_t begin(uint64_t) { return UINT64_MAX; }
  static void cycle(uint64_t) {}
  static void dump(uint64_t) {}
  static void close() {}
  static void runs(int, uint32_t, uint64_t, uint64_t) {}
  static void is_new(int, uint32_t) {}
  static void is_named(int, const std::string &, uint64_t, uint64_t) {}
  static void idles(int, bool) {}
  static void unit(int, uint32_t, uint32_t, uint64_t, uint64_t) {}
};

#if VM_TRACE
template <int kCpus, int kUnits>
class Waves {
 public:
  static constexpr int kClients = kCpus + kUnits;
  static constexpr uint64_t kFlush = 8192; // cycles between two looks at the file's size

  using Word = std::function<uint32_t(uint32_t)>; // of the memory
  Waves(WavesOptions options, bool fine, Word word)
      : options_(std::move(options)), fine_(fine), word_(std::move(word)) {
    from_ = limit(options_.from, 0);
    to_ = limit(options_.to, UINT64_MAX);
    running_.fill(kNobody);
    running_[0] = 0;
    ran_[0] = "main";
    if (options_.from == "main") from_ = 0;
    if (options_.to == "main") to_ = 0;
  }

  // threads: rows of the kernel's table; look: calls look() with what the model shows now.
  template <typename Model>
  void attach(VerilatedContext &context, Model &model, uint32_t threads, std::function<void()> look) {
    context.traceEverOn(true);
    look_ = std::move(look);
    hardware_ = options_.states.count == 0;
    threads_ = threads;
    texts_.resize(3 * kClients + threads_);
    model.trace(&file_, 99);
    VerilatedFst *const to = file_.spTrace();
    to->addInitCb(&Waves::declare, this, "coreloom", false, static_cast<uint32_t>(texts_.size() * kWords));
    to->addFullCb(&Waves::full, 0, this);
    to->addChgCb(&Waves::change, 0, this);
    for (const std::string &scope : options_.scopes) file_.dumpvars(99, scope);
    if (!options_.scopes.empty()) file_.dumpvars(99, "coreloom");
    file_.set_time_resolution(fine_ ? "1fs" : "1ps");
  }

  bool writes() const { return file_.isOpen(); }
  // The cycle in which writing begins, if that is known and has not passed.
  uint64_t begin(uint64_t cycle) const { return !begun_ && from_ > cycle ? from_ : UINT64_MAX; }

  // Before the first dump of a cycle.
  void cycle(uint64_t cycle) {
    if (!begun_ && cycle == from_) open(cycle);
    if (writes()) look_();
  }

  // time: in thousandths of half a cycle, of which cycle 0 began with the third.
  void dump(uint64_t time) {
    if (!writes() || time < kStart) return;
    const uint64_t unit = (time - kStart) * 500;
    file_.dump(fine_ ? unit : unit / 1000);
  }

  // After the first dump of a cycle; returns whether writing has ended with it.
  bool ends(uint64_t cycle) {
    if (!writes()) return false;
    last_ = cycle;
    if (cycle >= to_) return close(), true;
    if (cycle < look_at_) return false;
    look_at_ = cycle + kFlush;
    const uint64_t bytes = size(), more = bytes - bytes_;
    failed_ |= flushed_ && more == 0; // a write has failed
    full_ = !failed_ && bytes + 2 * more > options_.most;
    bytes_ = bytes;
    flushed_ = true;
    if (failed_ || full_) return close(), true;
    file_.flush();
    return false;
  }

  // A processor's report on its threads, or a hardware thread's action; at: the time of the cycle's first dump.
  void runs(int cpu, uint32_t value, uint64_t cycle, uint64_t at) {
    const auto task = tasks_.find(value);
    running_[cpu] = task == tasks_.end() ? value : task->second;
    met(running_[cpu], cycle, at);
  }
  void is_new(int cpu, uint32_t value) {
    hardware_ = false;
    named_[cpu] = tasks_[value] = static_cast<uint32_t>(tasks_.size()) + 1;
  }
  void is_named(int cpu, const std::string &text, uint64_t cycle, uint64_t at) {
    if (const auto of = named_.find(cpu); of != named_.end()) {
      told_[of->second] = text;
      named_.erase(of);
    } else if (running_[cpu] != kNobody) {
      told_[running_[cpu]] = text;
      met(running_[cpu], cycle, at);
    }
  }
  void idles(int cpu, bool yes) { idle_[cpu] = yes; }
  void unit(int number, uint32_t state, uint32_t thread, uint64_t cycle, uint64_t at) {
    const bool begins = running_[kCpus + number] == kNobody && state != 0;
    running_[kCpus + number] = state ? thread : kNobody;
    told_[thread] = word("unit", static_cast<uint32_t>(number));
    if (begins) met(thread, cycle, at);
  }

  // The texts of the cycle to be dumped.
  void look(const std::array<WavesClient, kClients> &clients, const std::vector<WavesThread> &threads) {
    for (int c = 0; c < kClients; ++c) {
      const WavesClient &now = clients[c];
      Client &client = clients_[c];
      if (now.asks && !client.asked) {
        client.operation = word("op", now.op) + " " + std::to_string(now.id);
        client.busy = true;
        put(3 * c + 2, "");
      }
      client.asked = now.asks && !now.answered;
      put(3 * c + 1, client.busy ? client.operation : "");
      if (now.answered) {
        put(3 * c + 2, answer(now.answer));
        client.busy = false;
      }
      const uint32_t thread = running_[c];
      put(3 * c, c < kCpus && idle_[c] ? "idle" : thread == kNobody ? "" : shown(thread));
    }
    states_.resize(threads_);
    for (uint32_t thread = 0; thread < threads_; ++thread) {
      std::string text = name(thread);
      const auto say = [&](const std::string &does) { text += (text.empty() ? "" : ": ") + does; };
      if (hardware_ && thread < threads.size()) {
        const auto [state, client] = threads[thread];
        State &before = states_[thread];
        if (before.state != state) {
          before.state = state;
          before.in = client < kClients ? clients_[client].operation : "";
        }
        if (state == kRunning) say(place(client));
        else if (state == kBlocked) say(word("state", state) + " in " + before.in);
        else if (state) say(word("state", state));
        else text.clear();
      } else {
        int where = 0;
        while (where < kClients && (running_[where] != thread || idle_[where])) ++where;
        const uint32_t state = thread < options_.states.count
                                   ? word_(options_.states.at + thread * options_.states.step)
                                   : 0;
        if (where < kClients) say(place(where));
        else if (state) say(word("state", state));
        else if (options_.states.count) text.clear();
      }
      put(3 * kClients + thread, text);
    }
  }

  void close() {
    if (!writes()) return;
    // The writer does not say whether a write has failed: it aborts, or the file's head, the last one, is missing.
    const auto before = std::signal(SIGABRT, full_disk);
    file_.close();
    std::signal(SIGABRT, before);
    FILE *const file = std::fopen(options_.file.c_str(), "rb");
    unsigned char head[9] = {};
    failed_ |= !file || std::fread(head, 1, sizeof head, file) != sizeof head || head[7] != 1 || head[8] != 73;
    if (file) std::fclose(file);
    if (failed_) std::remove(options_.file.c_str());
    bytes_ = size();
  }
  bool failed() const { return failed_; }
  static constexpr char kFailed[] = "error: the waveform cannot be written: the disk is full\n";

  // As JSON: what is in the file, and the threads that ran.
  void report(FILE *to) const {
    if (begun_) std::fprintf(to, "{\"from\": %" PRIu64, first_);
    else std::fprintf(to, "{\"from\": null");
    std::fprintf(to, ", \"to\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"full\": %s, \"ends\": %s, \"threads\": {", last_,
                 bytes_, full_ ? "true" : "false", to_ == kLater ? "false" : "true");
    const char *comma = "";
    for (const auto &[thread, name] : ran_) {
      std::fprintf(to, "%s\"%" PRIu32 "\": \"", comma, thread);
      for (const char c : name) std::fputc(c < ' ' || c == '"' || c == '\\' ? '?' : c, to);
      std::fprintf(to, "\"");
      comma = ", ";
    }
    std::fprintf(to, "}}");
  }

 private:
  static constexpr uint32_t kNobody = UINT32_MAX;
  static constexpr uint32_t kRunning = 3, kBlocked = 4; // states of a thread, in either kernel
  static constexpr size_t kChars = 40, kWords = kChars / 4;
  static constexpr uint64_t kStart = 3000; // of cycle 0
  using Text = std::array<uint32_t, kWords>;
  struct Client {
    bool asked = false, busy = false;
    std::string operation;
  };
  struct State {
    uint32_t state = 0;
    std::string in;
  };

  // A cycle, or kLater: when a thread of that name first runs.
  uint64_t limit(const std::string &text, uint64_t none) const {
    if (text.empty()) return none;
    if (text.find_first_not_of("0123456789") != std::string::npos) return kLater;
    return std::strtoull(text.c_str(), nullptr, 10);
  }

  // A thread runs, or one that runs has got its name.
  void met(uint32_t thread, uint64_t cycle, uint64_t at) {
    const std::string now = name(thread);
    std::string &known = ran_[thread];
    if (now.empty() || now == known) return;
    known = now;
    if (!begun_ && from_ == kLater && now == options_.from) {
      open(cycle);
      look_();
      dump(at);
    } else if (to_ == kLater && now == options_.to) {
      to_ = cycle;
      close();
    }
  }

  void open(uint64_t cycle) {
    begun_ = true;
    first_ = last_ = cycle;
    look_at_ = cycle + kFlush;
    file_.open(options_.file.c_str());
  }

  uint64_t size() const {
    struct stat found;
    return stat(options_.file.c_str(), &found) == 0 ? static_cast<uint64_t>(found.st_size) : 0;
  }

  std::string word(const char *kind, uint32_t number) const {
    const auto found = options_.words.find(std::string(kind) + "." + std::to_string(number));
    return found == options_.words.end() ? std::string(kind) + " " + std::to_string(number) : found->second;
  }

  // The name of a thread: as the program's table says, or else what it has told.
  std::string name(uint32_t thread) const {
    std::string text;
    if (thread < options_.names.count) {
      const uint32_t at = options_.names.at + thread * options_.names.step;
      for (uint32_t n = 0; n < options_.names.step; ++n) {
        const char c = static_cast<char>(word_((at + n) & ~3u) >> (at + n) % 4 * 8);
        if (!c) break;
        text += c;
      }
    }
    if (const auto told = told_.find(thread); text.empty() && told != told_.end()) text = told->second;
    return text.empty() && thread == 0 ? "main" : text;
  }
  std::string shown(uint32_t thread) const {
    const std::string text = name(thread);
    return text.empty() ? "thread " + std::to_string(thread) : text;
  }
  std::string place(uint32_t client) const {
    const bool unit = client >= kCpus;
    return (unit ? "runs on unit " : "runs on CPU ") + std::to_string(unit ? client - kCpus : client);
  }
  std::string answer(uint32_t word) const {
    const uint32_t status = word >> 16 & 0xff, value = word & 0xffff;
    if (word >> 31) return "give way to thread " + std::to_string(value);
    if (status) return this->word("status", status);
    return (word >> 30 & 1 ? "resumed " : "ok ") + std::to_string(value);
  }

  // The last character is the lowest byte.
  void put(size_t which, const std::string &text) {
    Text made{};
    const size_t length = std::min(text.size(), kChars);
    for (size_t n = 0; n < length; ++n) {
      const size_t at = length - 1 - n;
      made[at / 4] |= static_cast<uint32_t>(static_cast<unsigned char>(text[n])) << at % 4 * 8;
    }
    texts_[which] = made;
  }

  static void full_disk(int) {
    if (write(STDERR_FILENO, kFailed, sizeof kFailed - 1) < 0) _exit(2);
    _exit(1);
  }

  static void declare(void *self, VerilatedFst *to, uint32_t code) {
    Waves &waves = *static_cast<Waves *>(self);
    waves.code_ = code;
    to->pushPrefix("coreloom", VerilatedTracePrefixType::SCOPE_MODULE);
    const auto add = [&](const std::string &name) {
      to->declWide(code, name.c_str(), -1, VerilatedTraceSigDirection::NONE, VerilatedTraceSigKind::WIRE,
                   VerilatedTraceSigType::LOGIC, 8 * kChars - 1, 0);
      code += kWords;
    };
    for (int c = 0; c < kClients; ++c) {
      const std::string who = c < kCpus ? "cpu" + std::to_string(c) : "unit" + std::to_string(c - kCpus);
      for (const char *what : {"_thread", "_operation", "_answer"}) add(who + what);
    }
    for (uint32_t thread = 0; thread < waves.threads_; ++thread) add("thread" + std::to_string(thread));
    to->popPrefix();
  }
  static void full(void *self, VerilatedFst::Buffer *to) {
    const Waves &waves = *static_cast<Waves *>(self);
    uint32_t *at = to->oldp(waves.code_);
    for (const Text &text : waves.texts_) to->fullWData(at, text.data(), 8 * kChars), at += kWords;
  }
  static void change(void *self, VerilatedFst::Buffer *to) {
    const Waves &waves = *static_cast<Waves *>(self);
    uint32_t *at = to->oldp(waves.code_);
    for (const Text &text : waves.texts_) to->chgWData(at, text.data(), 8 * kChars), at += kWords;
  }

  static constexpr uint64_t kLater = UINT64_MAX - 1;
  WavesOptions options_;
  bool fine_;
  bool hardware_ = true; // the kernel: it has the states of the threads
  Word word_;
  std::function<void()> look_;
  VerilatedFstC file_;
  uint32_t threads_ = 0, code_ = 0;
  uint64_t from_ = 0, to_ = UINT64_MAX;
  bool begun_ = false, full_ = false, failed_ = false, flushed_ = false;
  uint64_t first_ = 0, last_ = 0, look_at_ = 0, bytes_ = 0;
  std::array<uint32_t, kClients> running_;
  std::array<bool, kClients> idle_{};
  std::array<Client, kClients> clients_;
  std::map<uint32_t, std::string> told_; // names, by thread
  std::map<uint32_t, uint32_t> tasks_; // FreeRTOS's, by the address of one
  std::map<int, uint32_t> named_; // whose name comes next, by processor
  std::map<uint32_t, std::string> ran_; // threads, with the last name of each
  std::vector<State> states_;
  std::vector<Text> texts_;
};
#endif

#endif
