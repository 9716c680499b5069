/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of `coreloom bench rtos` need of an operating system, so that one source measures each: os_posix.h,
 * os_freertos.h and, for metric.c, os_rtos2.h and os_itron.h have the same names, each one call where the API has one.
 * -DAPI_NAME chooses the API of a front end.
 *
 * A program defines os_setup(), in which it makes its objects and then its threads. They run when it has returned; on
 * a second CPU perhaps before. What fails ends the program with its error number. */
#ifndef OS_H
#define OS_H

#include <coreloom.h>
#include <stdint.h>

#include "../moment.h"

#ifndef ROUNDS
#define ROUNDS 40
#endif
#ifndef FOOTPRINT /* bytes of straight code before each round; 8192 drive all else out of the instruction cache */
#define FOOTPRINT 0
#endif

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

/* A program has several measurements, of which -DMEASURE=name chooses one; the linker drops the others. */
#define CHOICE __attribute__((unused)) static

/* Priorities: a larger number runs first. */
enum { OS_LOW = 1, OS_MIDDLE = 3, OS_HIGH = 5 };

#define OS_STACK_BYTES 2048
#ifndef OS_PLACED /* threads stay on the CPU that they are planned for */
#define OS_PLACED 1
#endif
#ifndef OS_THREADS
#define OS_THREADS 8
#endif
#define OS_PATIENCE 1000000 /* cycles: of a wait with a time limit that is never reached */

CL_INLINE void must(int error) {
  if (__builtin_expect(error, 0)) cl_exit(error);
}

static void os_setup(void);

#if defined(CL_KERNEL_FREERTOS) || defined(API_FREERTOS)
#include "os_freertos.h"
#elif defined(API_CMSIS_RTOS2)
#include "os_rtos2.h"
#elif defined(API_ITRON)
#include "os_itron.h"
#else
#include "os_posix.h"
#endif

/* Before a round: nothing, or all that is measured leaves the instruction cache. */
CL_APART void cold(void) {
#if FOOTPRINT
  __asm__ volatile(".rept " TEXT(FOOTPRINT) " / 4\n addi t0, t0, 1\n .endr" ::: "t0");
#endif
}

CL_INLINE void before_round(void) {
  if (FOOTPRINT) cold();
}

/* After a round; the last one ends the program. */
CL_INLINE void after_round(void) {
  static volatile uint32_t rounds;
  if (++rounds == ROUNDS) cl_exit(0);
}

#endif
