/* SPDX-License-Identifier: Apache-2.0
 *
 * A fault in thread 1: one line, status 132. The program prints first what the line must say. */
#include <coreloom.h>
#include <pthread.h>
#include <stdio.h>

extern char bad_place[];

static void *bad(void *unused) {
  (void)unused;
  __asm__ volatile(".globl bad_place\nbad_place: .word 0xffffffff");
  return NULL;
}

int main(void) {
  pthread_t thread;
  printf("illegal instruction at pc 0x%08x\n", (unsigned)(uintptr_t)bad_place);
  pthread_create(&thread, NULL, bad, NULL);
  pthread_join(thread, NULL);
  return 0;
}
