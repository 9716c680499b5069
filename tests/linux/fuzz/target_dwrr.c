/* SPDX-License-Identifier: GPL-2.0-only
 *
 * scx_dwrr's socket: requests of a client in parts (apart by 0x1d), and answers as its monitor reads them. */
#include <fcntl.h>

#include "stats.c"

#include "fuzz.h"

static const char *const words[] = {"{\"req\":\"stats\",\"args\":{}}\n",
                                    "stats_meta",
                                    "\"req\"",
                                    "\"target\":\"top\"",
                                    "\"args\":{",
                                    "\\\"",
                                    ":",
                                    "\"",
                                    "\n",
                                    "\x1d",
                                    NULL};

static int made_up(void *from, struct dwrr_sample *now) {
  static const struct dwrr_sample none;
  *now = none;
  now->at_ns = ++*(u64 *)from;
  return *(u64 *)from % 7 == 6 ? EIO : 0;
}

/* All that was answered: lines of JSON. */
static void check_answers(int file) {
  static char text[1 << 20];
  ssize_t size = recv(file, text, sizeof text - 1, 0);
  text[size > 0 ? size : 0] = '\0';
  fuzz_check(size <= 0 || text[size - 1] == '\n', "an answer has no end");
  for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    fuzz_check(fuzz_json(line), "this is not JSON: %s", line);
    fuzz_note_text(line);
  }
}

static void run(const char *data, size_t size) {
  static struct dwrr_server server;
  u64 times = 0;
  int two[2];
  server = (struct dwrr_server){.read = made_up, .from = &times, .path = "/nowhere"};
  for (int i = 0; i <= DWRR_CLIENTS_MAX; i++) server.files[i] = (struct pollfd){-1, POLLIN, 0};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, two)) abort();
  server.files[1] = (struct pollfd){two[0], POLLIN, POLLIN};
  for (const char *at = data, *end; at < data + size && server.files[1].fd >= 0; at = end) {
    const char *stop = memchr(at, '\x1d', (size_t)(data + size - at));
    end = stop ? stop + 1 : data + size;
    if (send(two[1], at, (size_t)((stop ? stop : end) - at), MSG_NOSIGNAL) < 0) break;
    for (int i = 0; i < 4; i++) dwrr_answer(&server);
    check_answers(two[1]);
  }
  if (server.files[1].fd >= 0) close(server.files[1].fd);
  close(two[1]);
}

static void run_row(const char *data, size_t size) {
  struct dwrr_row row;
  (void)size;
  bool good = read_row(data, &row);
  fuzz_note_number(good);
  if (!good) return;
  fuzz_note(&row, sizeof row);
  dwrr_print_row(stdout, 0, &row);
  fuzz_printed(false);
}

FUZZ_TARGET(stats, .run = run, .words = words, .most = 8192)
FUZZ_TARGET(stats_row, .run = run_row, .words = words, .most = 4096)
