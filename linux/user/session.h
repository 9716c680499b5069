/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * The surroundings of another user's program: a session of its own and, if the tool has a terminal, a
 * pseudo-terminal of its own. README.md says why, and what passes through.
 *
 *   cl_session_descriptors()   first in main()
 *   cl_session_fork()          in the program's process *program is 0: wait for the tool, become the user, exec
 *   cl_session_begin()         just before the program may go on: the terminal is its from now on
 *   cl_session_ended()         for each child that the tool has waited for
 *   cl_session_close()         at the tool's end, also before the program's: the terminal is the tool's again */
#ifndef CL_SESSION_H
#define CL_SESSION_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "user.h"

struct cl_session {
  pid_t child;   /* the child of the tool that ends when the program ends */
  pid_t program; /* its first process: `child` itself, or a child of that */
  bool apart;    /* in a session without terminal: signals of the tool's terminal do not reach it */
  struct cl_session_shared *shared; /* with a terminal: what the processes share; else NULL */
  pid_t relay;
};

/* Opens /dev/null as each of descriptors 0 to 2 that is closed, so that no file of the tool's gets its number: what it
 * prints would go there, and the program would inherit it. */
void cl_session_descriptors(void);
/* Like fork(): sets *program to the PID, and to 0 in the program's process. `user` NULL: a plain child, in the tool's
 * session and terminal. An errno number; then there is no process. */
int cl_session_fork(struct cl_session *session, const struct cl_user *user, pid_t *program);
void cl_session_begin(struct cl_session *session);
/* Whether `pid`, which wait4() has told of, is the session's child; then the status and the usage are the program's.
 * `used` may be NULL. */
bool cl_session_ended(const struct cl_session *session, pid_t pid, int *status, struct rusage *used);
void cl_session_close(struct cl_session *session);

#endif
