/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of D-Bus that a call to systemd needs, over the socket that systemd keeps for root (/run/systemd/private):
 * there is no bus in between, so no name and no greeting. Little endian.
 * https://dbus.freedesktop.org/doc/dbus-specification.html */
#ifndef CL_DBUS_H
#define CL_DBUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CL_DBUS_MOST 16384

/* A message's body while it is written. Values are put one after the other, each aligned as its type wants. */
struct cl_dbus_body {
  unsigned char byte[CL_DBUS_MOST];
  size_t length;
  bool full; /* something did not fit: the call answers E2BIG */
};

void cl_dbus_u32(struct cl_dbus_body *body, uint32_t value);
void cl_dbus_bool(struct cl_dbus_body *body, bool value);
void cl_dbus_text(struct cl_dbus_body *body, const char *text);      /* s, o */
void cl_dbus_signature(struct cl_dbus_body *body, const char *text); /* g, and what begins a variant */
void cl_dbus_align(struct cl_dbus_body *body, size_t to);            /* a struct begins at 8 */
void cl_dbus_bytes(struct cl_dbus_body *body, const void *bytes, size_t count); /* ay */
/* An array of elements aligned to `to`: what `begin` answers is for `end`. */
size_t cl_dbus_begin(struct cl_dbus_body *body, size_t to);
void cl_dbus_end(struct cl_dbus_body *body, size_t mark, size_t to);

struct cl_dbus {
  int fd;
  uint32_t serial;
  double until; /* CLOCK_MONOTONIC; later, everything answers ETIMEDOUT */
};

/* A message that came. What it points at lasts until the next one. */
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
/* Sends a call; its serial is bus->serial. */
int cl_dbus_call(struct cl_dbus *bus, const char *object, const char *interface, const char *member,
                 const char *signature, const struct cl_dbus_body *body);
int cl_dbus_next(struct cl_dbus *bus, struct cl_dbus_message *message);
/* The next value of a body, or 0 / "" behind its end. */
uint32_t cl_dbus_read_u32(struct cl_dbus_message *message);
const char *cl_dbus_read_text(struct cl_dbus_message *message);
const char *cl_dbus_read_signature(struct cl_dbus_message *message); /* what begins a variant */

#endif
