/* SPDX-License-Identifier: Apache-2.0
 *
 * Local sockets of daemons, and their owners. A name is no proof: any user may bind one that is free. So a
 * conversation starts by checking the peer, and has one deadline for all of it: nobody can delay the tool, and the lock
 * that it holds, by answering slowly. */
#ifndef CL_SOCKET_H
#define CL_SOCKET_H

/* CLOCK_MONOTONIC in so many seconds: what the others take. */
double cl_socket_deadline(double seconds);
/* Connects without blocking: a path, or "@name" of an abstract one. EPERM: the listener is *owner, neither root nor, in
 * a tree of tests, this user. EAGAIN: its queue is full just now. */
int cl_socket_open(const char *name, int *fd, unsigned *owner);
/* Until there are `events` of poll(2), or ETIMEDOUT. */
int cl_socket_wait(int fd, short events, double deadline);

#endif
