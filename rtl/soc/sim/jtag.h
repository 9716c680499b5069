// SPDX-License-Identifier: Apache-2.0
// The wires of a JTAG port, moved by a debugger over a socket by OpenOCD's protocol remote_bitbang.
#ifndef CORELOOM_JTAG_H
#define CORELOOM_JTAG_H

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "Vmodel.h"

class Jtag {
 public:
  // socket: connected to the debugger; -1: there is none. It is not closed.
  explicit Jtag(int socket) : socket_(socket), came_(socket >= 0) {}

  // Before each cycle of the clock.
  void cycle(Vmodel &top) {
    if (socket_ < 0 || --left_ > 0) return;
    for (;;) {
      if (at_ == size_ && !more()) return;
      const char what = asked_[at_++];
      if (what >= '0' && what <= '7') {
        top.tck_i = (what - '0') >> 2 & 1;
        top.tms_i = (what - '0') >> 1 & 1;
        top.tdi_i = (what - '0') & 1;
        left_ = kClocks;
        return;
      }
      if (what == 'R') answers_ += top.tdo_o ? '1' : '0';
      if (what == 'Q') socket_ = -1;
      if (what == 'Q') return;
    }
  }

  // After each cycle: whether a hart is still halted some time after the debugger has gone; asks: at its page.
  bool left(bool asks) {
    if (socket_ >= 0 || !came_) return false;
    return ++gone_ > kPause && asks;
  }

  // Whether the debugger is still there.
  bool there() const { return socket_ >= 0; }

 private:
  static constexpr int kClocks = 4; // cycles in half a period of TCK: the module takes an eighth of the clock
  static constexpr int kPause = 256; // cycles until it looks again whether something has come

  // Whether the debugger has said more. What it asked for is sent when there is nothing left to do.
  bool more() {
    for (size_t sent = 0; sent < answers_.size();) {
      const ssize_t some = send(socket_, answers_.data() + sent, answers_.size() - sent, MSG_NOSIGNAL);
      if (some <= 0) break; // it has gone: recv says so
      sent += static_cast<size_t>(some);
    }
    answers_.clear();
    const ssize_t got = recv(socket_, asked_.data(), asked_.size(), MSG_DONTWAIT);
    at_ = 0;
    size_ = got > 0 ? static_cast<size_t>(got) : 0;
    left_ = kPause;
    if (got == 0) socket_ = -1;
    return got > 0;
  }

  int socket_;
  const bool came_;
  uint64_t gone_ = 0; // cycles since it has gone
  int left_ = 1; // cycles until the next step
  std::array<char, 4096> asked_{};
  size_t at_ = 0, size_ = 0;
  std::string answers_;
};

#endif
