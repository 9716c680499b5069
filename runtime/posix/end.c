/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a program. */
#include <unistd.h>

#include "cl_arch.h"
#include "cl_end.h"
#include "coreloom.h"

void cl_exit(int status) {
  cl_local_write(CL_EXIT, (uint32_t)status);
  for (;;) cl_irq_off();
}

void _exit(int status) { cl_exit(status); }

static void print(const char *text) {
  while (*text) cl_uart_put(*text++);
}

static void print_hex(uint32_t word) {
  print("0x");
  for (int shift = 28; shift >= 0; shift -= 4) cl_uart_put("0123456789abcdef"[word >> shift & 15]);
}

static void print_number(uint32_t number) {
  if (number > 9) print_number(number / 10);
  cl_uart_put((char)('0' + number % 10));
}

/* The beginning of a line: what has happened, where, and in which thread. */
static void print_who(const char *event, const char *what, const char *name, uint32_t number) {
  print(event);
  print(": cpu ");
  print_number(cl_local_read(CL_CPU_ID));
  print(", ");
  print(what);
  if (number != CL_UNNUMBERED) {
    print(" ");
    print_number(number);
  }
  if (name && *name) {
    print(number == CL_UNNUMBERED ? " " : " (");
    print(name);
    print(number == CL_UNNUMBERED ? "" : ")");
  }
  print(", ");
}

void cl_fault_line(const char *what, const char *name, uint32_t number, unsigned cause, uint32_t pc, uint32_t address) {
  print_who("fault", what, name, number);
  print(cl_fault_text(cause));
  print(" at pc ");
  print_hex(pc);
  print(", address ");
  print_hex(address);
  print("\n");
}

void cl_fault_in(const char *what, const char *name, uint32_t number, unsigned cause, uint32_t pc, uint32_t address) {
  cl_fault_line(what, name, number, cause, pc, address);
  cl_exit(128 + cl_fault_signal(cause));
}

void cl_ended_in(const char *what, const char *name, uint32_t number, int signal, const char *text) {
  print_who("ended", what, name, number);
  print("by signal ");
  print_number((uint32_t)signal);
  print(" (");
  print(text);
  print(")\n");
  cl_exit(128 + signal);
}

void cl_broken_in(const char *what, const char *name, uint32_t number, const char *which, const void *where) {
  print_who("broken", what, name, number);
  print(which);
  print(" at ");
  print_hex((uint32_t)(uintptr_t)where);
  print(" was overwritten, freed or initialised again while it was in use\n");
  cl_exit(CL_ABORTED);
}
