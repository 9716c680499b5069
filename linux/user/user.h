/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
 *
 * The user whose program a root tool starts (--as), and the change of identity. */
#ifndef CL_USER_H
#define CL_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cl_user {
  uid_t uid;
  gid_t gid;
  bool all_groups; /* with those of the name; else `gid` is the only one */
  char name[256], home[1024], shell[1024];
};

/* `given`: a name, a UID that has a name, or UID:GID. False: `why` is the error, "no-such-user: ...". Nothing is
 * changed. Only what getpwnam() finds has a name: with musl, /etc/passwd (and nscd, if that runs). */
bool cl_user_find(const char *given, struct cl_user *user, char *why, size_t size);

/* Turns the calling process, root's, into one of the user's that is about to exec: groups, GID, UID, no capabilities
 * (unless it is root again), a session keyring and an environment of its own, and no descriptor but 0 to 2 that the
 * exec leaves open. An errno number; then the process must end. */
int cl_user_become(const struct cl_user *user);

#endif
