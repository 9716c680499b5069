// SPDX-License-Identifier: Apache-2.0
// Ends as a debugger says by `choice`, while another thread waits.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t go;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int choice, spins;
static int *nowhere = (int *)0x70000000;

static void *waiter(void *argument) {
  sem_wait(&go);
  pthread_mutex_lock(&lock);
  return argument;
}

int main(void) {
  pthread_t thread;
  sem_init(&go, 0, 0);
  pthread_create(&thread, NULL, waiter, NULL);
  pthread_setname_np(thread, "waiter");
  printf("choice %d\n", choice);
  fflush(stdout);
  if (choice == 1) *nowhere = 1;
  if (choice == 2) __asm__(".word 0xffffffff");
  if (choice == 3) {
    pthread_mutex_lock(&lock);
    sem_post(&go);
    pthread_join(thread, NULL);
  }
  while (choice == 4) {
    if (++spins != 1) continue;
    puts("spins");
    fflush(stdout);
  }
  return choice;
}
