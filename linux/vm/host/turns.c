/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into QEMU at a constant rate. The guest's CPUs take turns in one thread, and QEMU ends a turn at its share of
 * the time to the next timer. But every timer that expires, or is set to be the next one, ends the round: the CPU whose
 * turn comes next gets a share of what is left, the one after it a share of what is left then, and always in the same
 * order. Here a turn is TURN instructions, so a timer costs a CPU no more than one turn. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TURN = 10000, PAGE = 4096 };

/* QEMU's. The caller limits what it returns to the time to the next timer. */
int64_t icount_percpu_budget(int cpus) __attribute__((weak));

static const uint8_t return_turn[] = {0xb8, TURN & 0xff, TURN >> 8 & 0xff, TURN >> 16, 0, 0xc3}; /* mov eax; ret */

static _Noreturn void fail(const char *why) {
  (void)!write(STDERR_FILENO, why, strlen(why));
  _exit(1);
}

__attribute__((constructor)) static void replace(void) {
  uint8_t *code = (uint8_t *)(uintptr_t)icount_percpu_budget;
  if (code == NULL) fail("a constant rate needs a QEMU that loads modules, as Debian's: take this one out of PATH\n");
  uint8_t *page = code - (uintptr_t)code % PAGE;
  size_t size = (size_t)(code - page) + sizeof return_turn;
  if (mprotect(page, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    fail("a constant rate needs to change QEMU's code in memory: allow it on this host\n");
  memcpy(code, return_turn, sizeof return_turn);
}
