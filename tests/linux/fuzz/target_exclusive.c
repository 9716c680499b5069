/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole tool: with any words on one tree, a word a line; and with fixed words on any tree. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

int exclusive_main(int count, char **word); /* main.c, made with another name for it */

static const char *const words[] = {
    "plan",     "status",   "verify",       "restore", "attach",   "run",         "help",    "--",     "--cpu",
    "--cpus",   "--count",  "--smt",        "--force", "--sample", "--mechanism", "--max",   "--move", "--as",
    "--report", "--json",   "--prometheus", "--watch", "--trace",  "--log",       "--quiet", "--all",  "--repair",
    "--wait",   "--fifo",   "--nice",       "--unit",  "--cgroup", "a.service",   "auto",    "idle",   "share",
    "isolated", "affinity", "sh",           "500ms",   "10m",      "2h",          "1-3",     "200",    "root",
    "nobody",   "=",        "\n",           "-",       NULL};
static const char *const tree_words[] = {"\n",
                                         "\t",
                                         "0-3",
                                         "/",
                                         "/..",
                                         "note\t",
                                         "task\t",
                                         "cpus\t/",
                                         "\x1b[2J",
                                         "\xe2\x80\xae",
                                         ")",
                                         "(",
                                         "coreloom-100",
                                         FUZZ_FILE "/proc/irq/5/smp_affinity_list" FUZZ_TEXT "0-3\n",
                                         FUZZ_FILE "/sys/fs/cgroup/coreloom-100/cgroup.procs" FUZZ_TEXT "200\n",
                                         FUZZ_FILE "/run/systemd/system/x" FUZZ_TEXT,
                                         NULL};

static const char small[] = FUZZ_FILE
    "/sys/devices/system/cpu/online" FUZZ_TEXT "0-3\n" FUZZ_FILE "/proc/uptime" FUZZ_TEXT "100.00 200.00\n" FUZZ_FILE
    "/proc/sys/kernel/random/boot_id" FUZZ_TEXT "01234567-89ab-cdef-0123-456789abcdef\n" FUZZ_FILE
    "/proc/stat" FUZZ_TEXT "cpu0 1 0 0 9 0\ncpu1 1 0 0 9 0\ncpu2 1 0 0 9 0\ncpu3 1 0 0 9 0\n" FUZZ_FILE
    "/proc/200/stat" FUZZ_TEXT
    "200 (job) S 1 0 0 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0 500 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 2 0\n" FUZZ_FILE
    "/proc/200/status" FUZZ_TEXT "Name:\tjob\nTgid:\t200\nPid:\t200\nCpus_allowed_list:\t0-3\n";

static int start(int count, char **word) {
  int status = exclusive_main(count, word);
  fflush(stdout);
  fuzz_check(status == 0 || status == 1 || status == 2 || (status >= 125 && status <= 127), "status %d", status);
  const char *errors = fuzz_printed(true);
  fuzz_check(status != 2 || *errors, "status 2 and no word");
  return status;
}

static void run_arguments(const char *data, size_t size) {
  char *copy = malloc(size + 1), *word[70] = {"coreloom-exclusive", "--root"};
  int count = 3;
  memcpy(copy, data, size + 1);
  for (char *at = copy; *at; at++)
    if (*at == '/') *at = '_'; /* a file named by --log stays in the folder */
  fuzz_tree(small, sizeof small - 1);
  word[2] = (char *)fuzz_root();
  count = fuzz_split(copy, word, count, 68);
  start(count, word);
  free(copy);
}

static void run_trees(const char *data, size_t size) {
  static char *commands[][8] = {{"status", "--json"},
                                {"verify", "--json"},
                                {"plan", "--json", "--sample", "0", "--cpus", "2-3", "sh"},
                                {"status"},
                                {"verify"},
                                {"status", "--prometheus"},
                                {"plan", "attach", "--sample", "0", "200"},
                                {"plan", "--sample", "0", "--mechanism", "affinity", "sh"},
                                {"restore", "--json", "--repair", "--all"},
                                {"verify", "--json"}};
  static const size_t last = sizeof commands / sizeof *commands - 2;
  uint64_t pick = size;
  for (size_t i = 0; i < size; i++) pick = pick * 31 + (unsigned char)data[i];
  fuzz_answers(data, size);
  fuzz_tree(data, size);
  pick = pick * UINT64_C(0x9e3779b97f4a7c15) >> 40;
  size_t at = pick % 3 ? pick / 3 % last : last;
  for (size_t end = at < last ? at + 1 : at + 2; at < end; at++) { /* one that changes nothing, or the last two */
    char *word[12] = {"coreloom-exclusive", "--root", (char *)fuzz_root()};
    int count = 3;
    for (char **from = commands[at]; *from; from++) word[count++] = *from;
    fuzz_forget();
    int status = start(count, word);
    const char *text = fuzz_printed(false);
    bool json = commands[at][1] && strcmp(commands[at][1], "--json") == 0;
    if (json && *text)
      fuzz_check(fuzz_json(text), "%s: this is not JSON (status %d): %s", commands[at][0], status, text);
    if (json && status == 0) fuzz_check(*text, "%s --json prints nothing", commands[at][0]);
  }
}

FUZZ_TARGET(arguments, .run = run_arguments, .words = words, .most = 2048, .program = true)
FUZZ_TARGET(trees, .run = run_trees, .words = tree_words, .most = 200000, .program = true)
