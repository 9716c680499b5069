/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of D-Bus that a call to systemd needs, over the socket that systemd keeps for root (/run/systemd/private):
 * there is no bus in between, so no name and no greeting. Little endian.
 * https://dbus.freedesktop.org/doc/dbus-specification.html */
#ifndef CL_DBUS_H
#define CL_DBUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_DBUS_MOST 16384

struct cl_dbus {
  int fd;
  uint32_t serial;
  double until; /* CLOCK_MONOTONIC; later, everything answers ETIMEDOUT */
};

/* A message that came. The data it points to last until the next one. */
struct cl_dbus_message {
  enum { CL_DBUS_CALL = 1, CL_DBUS_REPLY, CL_DBUS_ERROR, CL_DBUS_SIGNAL } type;
  uint32_t serial; /* of a reply or error: of the call it answers */
  const char *member, *error, *signature; /* "" where there is none */
  const unsigned char *body;
  size_t length, at; /* at: where the next value is read */
  unsigned char byte[CL_DBUS_MOST];
};

/* Connects to what is root's and authenticates as this user; `seconds` for all until it is closed. */
int cl_dbus_open(struct cl_dbus *bus, const char *path, double seconds);
void cl_dbus_close(struct cl_dbus *bus);
/* Sends a call; its serial is bus->serial. Its values follow by their types: for s and o a text, for u and b a uint32_t;
 * for v its own type, then its value; for an array how many elements there are, then each, but of ay all in one pointer.
 * E2BIG: it does not fit. */
int cl_dbus_call(struct cl_dbus *bus, const char *object, const char *interface, const char *member, const char *types,
                 va_list *values);
int cl_dbus_next(struct cl_dbus *bus, struct cl_dbus_message *message);
/* The next value of a body, or 0 / "" behind its end. */
uint32_t cl_dbus_read_u32(struct cl_dbus_message *message);
const char *cl_dbus_read_text(struct cl_dbus_message *message);
const char *cl_dbus_read_signature(struct cl_dbus_message *message); /* what begins a variant */

#endif
