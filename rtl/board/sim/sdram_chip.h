// SPDX-License-Identifier: Apache-2.0
// An SDRAM of 256 Mbit, 16 bits wide, as IS42S16160G-7 and MT48LC16M16A2-75: what both want, the larger time of each.
// edge() is a rising edge of its clock. Whatever breaks a rule is told in `wrong`, once each.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

class SdramChip {
 public:
  explicit SdramChip(uint64_t period_ps) : period_(period_ps), data_(1u << 24) {}

  struct Pins {
    bool cke, cs_n, ras_n, cas_n, we_n, drive;
    unsigned addr, bank, mask, data;
  };

  std::set<std::string> wrong;
  uint64_t activates = 0, refreshes = 0, reads = 0, writes = 0;
  uint64_t longest_ps = 0;   // between two refreshes

  // What it drives just before the next edge.
  unsigned out() const { return out_; }

  uint16_t &half(uint32_t place) { return data_[place]; }   // row, bank, column

  void edge(const Pins &pins) {
    now_ += period_;
    // A burst: what the controller samples with the next edge.
    const bool driving = read_left_ > 0 && read_wait_ == 0;
    out_ = driving ? next_beat() : 0xDEAD;
    if (read_wait_ > 0) read_wait_--;
    check(!(driving && pins.drive), "both drive the data");
    if (!pins.cke || pins.cs_n) return;
    check(now_ >= 200'000'000 || (pins.ras_n && pins.cas_n && pins.we_n), "a command within 200 us");
    switch (pins.ras_n << 2 | pins.cas_n << 1 | pins.we_n) {
      case 7: break;
      case 6: check(false, "burst terminate"); break;
      case 0: mode(pins); break;
      case 1: refresh(); break;
      case 2: precharge(pins); break;
      case 3: activate(pins); break;
      case 4: write(pins); break;
      case 5: read(pins); break;
    }
  }

  // The gap that has not ended counts, too.
  uint64_t gap_ps() const { return last_refresh_ ? now_ - last_refresh_ : 0; }

 private:
  struct Bank {
    bool open = true;   // unknown
    unsigned row = 0;
    uint64_t activated = 0, closed = 0, written = 0;
  };
  static constexpr uint64_t Ns = 1000, Rcd = 20 * Ns, Rp = 20 * Ns, Rc = 66 * Ns, Ras = 44 * Ns, RasMost = 100'000 * Ns,
                            Rrd = 15 * Ns, Wr = 15 * Ns, Rfc = 66 * Ns, Refi = 7'812'500;

  void check(bool right, const char *what) {
    if (!right) wrong.insert(what);
  }
  bool idle() const {
    bool all = true;
    for (const Bank &bank : banks_) all = all && !bank.open;
    return all;
  }
  bool after(uint64_t then, uint64_t time) const { return then == 0 || now_ - then >= time; }
  void settled() {
    check(after(last_refresh_, Rfc), "tRFC");
    check(after(mode_at_, 2 * period_), "tMRD");
    check(ready_, "an access before the mode is set");
  }
  void mode(const Pins &pins) {
    check(idle() && refreshes >= 8, "the mode is set before the refreshes");
    for (const Bank &bank : banks_) check(after(bank.closed, Rp), "tRP");
    check(after(last_refresh_, Rfc), "tRFC");
    check((pins.addr & 0x1FFF) == 0x223 && pins.bank == 0,
          "another mode than CAS latency 2, bursts of 8, single writes");
    mode_at_ = now_;
    ready_ = true;
  }
  void refresh() {
    check(idle(), "a refresh with an open bank");
    for (const Bank &bank : banks_) check(after(bank.closed, Rp), "tRP");
    check(after(last_refresh_, Rfc), "tRFC");
    check(after(mode_at_, 2 * period_), "tMRD");
    if (ready_) {
      check(gap_ps() <= Refi, "tREF");
      if (gap_ps() > longest_ps) longest_ps = gap_ps();
    }
    last_refresh_ = now_;
    refreshes++;
  }
  void precharge(const Pins &pins) {
    check(after(last_refresh_, Rfc), "tRFC");
    for (unsigned i = 0; i < 4; i++) {
      if (!(pins.addr & 0x400) && pins.bank != i) continue;
      Bank &bank = banks_[i];
      if (bank.open) {
        check(after(bank.activated, Ras), "tRAS");
        check(bank.activated == 0 || now_ - bank.activated <= RasMost, "tRAS, the longest");
        check(after(bank.written, Wr), "tWR");
        check(read_left_ == 0 || read_bank_ != i, "a precharge within a burst");
        bank.closed = now_;
      }
      bank.open = false;
    }
  }
  void activate(const Pins &pins) {
    settled();
    Bank &bank = banks_[pins.bank];
    check(!bank.open, "an open bank is activated");
    check(after(bank.closed, Rp), "tRP");
    check(after(bank.activated, Rc), "tRC");
    for (const Bank &each : banks_) check(after(each.activated, Rrd), "tRRD");
    bank.open = true;
    bank.row = pins.addr & 0x1FFF;
    bank.activated = now_;
    activates++;
  }
  uint32_t place(const Pins &pins) { return banks_[pins.bank].row << 11 | pins.bank << 9 | (pins.addr & 0x1FF); }
  void column(const Pins &pins) {
    settled();
    check(banks_[pins.bank].open, "an access to a closed bank");
    check(after(banks_[pins.bank].activated, Rcd), "tRCD");
    check(!(pins.addr & 0x400), "an access that closes its row");
  }
  void write(const Pins &pins) {
    column(pins);
    check(pins.drive, "a write without data");
    check(read_left_ == 0, "a write within a burst");
    uint16_t &to = data_[place(pins)];
    const unsigned keep = (pins.mask & 1 ? 0xFF : 0) | (pins.mask & 2 ? 0xFF00 : 0);
    to = static_cast<uint16_t>((to & keep) | (pins.data & ~keep));
    banks_[pins.bank].written = now_;
    writes++;
  }
  void read(const Pins &pins) {
    column(pins);
    check(read_left_ == 0, "a read within a burst");
    check(pins.mask == 0, "a read that is masked");
    read_place_ = place(pins);
    read_bank_ = pins.bank;
    read_left_ = 8;
    read_wait_ = 0;   // CAS latency 2: driven from the next edge on, sampled with the one after
    reads++;
  }
  unsigned next_beat() {
    const unsigned data = data_[read_place_];
    read_place_ = (read_place_ & ~7u) | ((read_place_ + 1) & 7);
    read_left_--;
    return data;
  }

  uint64_t period_, now_ = 0, last_refresh_ = 0, mode_at_ = 0;
  bool ready_ = false;
  Bank banks_[4];
  std::vector<uint16_t> data_;
  uint32_t read_place_ = 0;
  unsigned read_bank_ = 0, read_left_ = 0, read_wait_ = 0, out_ = 0xDEAD;
};
