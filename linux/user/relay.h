/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * The relay: a process of the tool's process group that passes input, output, window size and job control between the
 * tool's terminal and the program's pseudo-terminal. It lives as long as both, also without the tool. */
#ifndef CL_RELAY_H
#define CL_RELAY_H

#include <stdbool.h>
#include <termios.h>

/* In memory that the tool and the relay share; each has its own descriptors, above 2 and closed on exec. */
struct cl_relay {
  bool types;          /* the tool's descriptor 0 is a terminal: what is typed there is the program's */
  int outer;           /* the terminal, opened again */
  int master;          /* the pseudo-terminal's other end */
  int leader;          /* a socket to the session's leader */
  int tool, said;      /* a socket to the tool; a pipe with what the tool prints while the relay has the terminal */
  struct termios before, raw; /* the terminal's mode, and that while the relay reads from it */
};

/* Messages from the relay to the leader: one of these, which it answers when it is done, or the number of a signal for
 * the program. The leader tells the relay by which signal the program was stopped. */
enum { CL_LEAD_FRONT = 'f', CL_LEAD_BACK = 'b' };
/* Messages from the tool to the relay, which answers when it is done: take the terminal; set it back. */
enum { CL_RELAY_BEGIN = 'g', CL_RELAY_LEAVE = 'l' };

/* The relay's whole life. */
void cl_relay_run(struct cl_relay *relay) __attribute__((noreturn));
/* Sets the terminal's mode back, unless somebody else has set another since. */
void cl_relay_restore(const struct cl_relay *relay);
/* Closes every descriptor but these, and puts /dev/null instead of 0 to 2. */
void cl_relay_keep_only(const int *keep, int count);

#endif
