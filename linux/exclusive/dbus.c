/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dbus.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "socket.h"

/* Writing */

/* Values one after the other, each aligned as its type wants. */
struct body {
  unsigned char byte[CL_DBUS_MOST];
  size_t length;
  bool full; /* something did not fit */
};

static void put(struct body *b, const void *bytes, size_t count) {
  if (count > sizeof b->byte - b->length) {
    b->full = true;
    return;
  }
  memcpy(b->byte + b->length, bytes, count);
  b->length += count;
}

static void align(struct body *b, size_t to) {
  static const unsigned char zero[8];
  put(b, zero, (to - b->length % to) % to);
}

static void put_u32(struct body *b, uint32_t value) {
  const unsigned char bytes[] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                 (unsigned char)(value >> 24)};
  align(b, 4);
  put(b, bytes, sizeof bytes);
}

static void put_signature(struct body *b, const char *text) {
  const unsigned char length = (unsigned char)strlen(text);
  put(b, &length, 1);
  put(b, text, strlen(text) + 1);
}

static const char *put_value(struct body *b, const char *type, va_list *values);

/* `element`: the type. The padding before the first one is no part of the array's length. */
static const char *put_array(struct body *b, const char *element, va_list *values) {
  const char *behind = element + 1;
  uint32_t count = va_arg(*values, uint32_t);
  put_u32(b, 0);
  size_t mark = b->length;
  align(b, *element == '(' ? 8 : *element == 'y' ? 1 : 4);
  size_t start = b->length;
  if (*element == 'y') put(b, va_arg(*values, const void *), count);
  for (uint32_t i = 0; *element != 'y' && i < count; i++) behind = put_value(b, element, values);
  size_t end = b->length;
  if (b->full) return behind;
  b->length = mark - 4;
  put_u32(b, (uint32_t)(end - start));
  b->length = end;
  return behind;
}

/* Answers what is behind the type. */
static const char *put_value(struct body *b, const char *type, va_list *values) {
  const char *text;
  switch (*type) {
    case 'a': return put_array(b, type + 1, values);
    case '(':
      align(b, 8);
      for (type++; *type != ')';) type = put_value(b, type, values);
      break;
    case 'v':
      text = va_arg(*values, const char *);
      put_signature(b, text);
      put_value(b, text, values);
      break;
    case 'g': put_signature(b, va_arg(*values, const char *)); break;
    case 's':
    case 'o':
      text = va_arg(*values, const char *);
      put_u32(b, (uint32_t)strlen(text));
      put(b, text, strlen(text) + 1);
      break;
    case 'y': {
      const unsigned char byte = (unsigned char)va_arg(*values, int);
      put(b, &byte, 1);
      break;
    }
    default: put_u32(b, va_arg(*values, uint32_t));
  }
  return type + 1;
}

static void put_values(struct body *b, const char *types, va_list *values) {
  while (*types) types = put_value(b, types, values);
}

static void put_all(struct body *b, const char *types, ...) {
  va_list values;
  va_start(values, types);
  put_values(b, types, &values);
  va_end(values);
}

/* Talking */

/* All of these bytes: POLLOUT sends them, POLLIN receives them. */
static int transfer(const struct cl_dbus *bus, short event, void *bytes, size_t count) {
  for (char *at = bytes; count > 0;) {
    int error = cl_socket_wait(bus->fd, event, bus->until);
    if (error) return error;
    ssize_t done = event == POLLIN ? recv(bus->fd, at, count, 0) : send(bus->fd, at, count, MSG_NOSIGNAL);
    if (done == 0) return ECONNRESET;
    if (done < 0 && errno != EINTR && errno != EAGAIN) return errno;
    if (done > 0) at += done, count -= (size_t)done;
  }
  return 0;
}

/* Authenticates, which the other side checks by the socket, and begins at once: one round trip. */
static int authenticate(const struct cl_dbus *bus) {
  char user[16], line[64] = "AUTH EXTERNAL ", answer[128];
  snprintf(user, sizeof user, "%u", (unsigned)geteuid());
  for (const char *digit = user; *digit != '\0'; digit++)
    snprintf(line + strlen(line), sizeof line - strlen(line), "%02x", (unsigned)*digit);
  strncat(line, "\r\nBEGIN\r\n", sizeof line - strlen(line) - 1);
  int error = transfer(bus, POLLOUT, "", 1);
  if (!error) error = transfer(bus, POLLOUT, line, strlen(line));
  size_t length = 0;
  do { /* byte by byte, as what follows is no text */
    if (length + 1 == sizeof answer) return EPROTO;
    if (!error) error = transfer(bus, POLLIN, answer + length++, 1);
  } while (!error && answer[length - 1] != '\n');
  if (error) return error;
  return strncmp(answer, "OK ", 3) == 0 ? 0 : EACCES;
}

int cl_dbus_open(struct cl_dbus *bus, const char *path, double seconds) {
  unsigned owner;
  *bus = (struct cl_dbus){.fd = -1, .until = cl_socket_deadline(seconds)};
  int error = cl_socket_open(path, &bus->fd, &owner);
  if (error) return error;
  error = authenticate(bus);
  if (error) cl_dbus_close(bus);
  return error;
}

void cl_dbus_close(struct cl_dbus *bus) {
  close(bus->fd);
  bus->fd = -1;
}

enum field { PATH = 1, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE };

int cl_dbus_call(struct cl_dbus *bus, const char *object, const char *interface, const char *member, const char *types,
                 va_list *values) {
  static struct body head, body;
  head.length = body.length = 0;
  head.full = body.full = false;
  put_values(&body, types, values);
  put_all(&head, "yyyyuua(yv)", 'l', CL_DBUS_CALL, 0, 1, (uint32_t)body.length, ++bus->serial, 4, PATH, "o", object,
          INTERFACE, "s", interface, MEMBER, "s", member, SIGNATURE, "g", types);
  align(&head, 8);
  if (head.full || body.full) return E2BIG;
  int error = transfer(bus, POLLOUT, head.byte, head.length);
  return error ? error : transfer(bus, POLLOUT, body.byte, body.length);
}

/* Reading */

static uint32_t u32_at(const unsigned char *byte) {
  return (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

uint32_t cl_dbus_read_u32(struct cl_dbus_message *m) {
  size_t at = (m->at + 3) / 4 * 4;
  if (at + 4 > m->length) {
    m->at = m->length;
    return 0;
  }
  m->at = at + 4;
  return u32_at(m->body + at);
}

const char *cl_dbus_read_text(struct cl_dbus_message *m) {
  size_t length = cl_dbus_read_u32(m), left = m->length - m->at;
  const char *text = (const char *)m->body + m->at;
  if (length >= left || text[length] != '\0') {
    m->at = m->length;
    return "";
  }
  m->at += length + 1;
  return text;
}

const char *cl_dbus_read_signature(struct cl_dbus_message *m) {
  size_t length = m->at < m->length ? m->body[m->at] : 0, left = m->length - m->at;
  const char *text = (const char *)m->body + m->at + 1;
  if (left < 2 || length > left - 2 || text[length] != '\0') {
    m->at = m->length;
    return "";
  }
  m->at += length + 2;
  return text;
}

/* Walks over the head's fields, each a byte and a variant, of which only texts, signatures and u occur. */
static int read_fields(struct cl_dbus_message *m) {
  while (m->at < m->length) {
    m->at = (m->at + 7) / 8 * 8;
    if (m->at + 4 > m->length) return EPROTO;
    unsigned code = m->body[m->at++];
    const char *type = cl_dbus_read_signature(m), *text = "";
    if (strcmp(type, "u") == 0) {
      uint32_t value = cl_dbus_read_u32(m);
      if (code == REPLY_SERIAL) m->serial = value;
    } else if (strcmp(type, "s") == 0 || strcmp(type, "o") == 0) {
      text = cl_dbus_read_text(m);
    } else if (strcmp(type, "g") == 0) {
      text = cl_dbus_read_signature(m);
    } else {
      return EPROTO;
    }
    if (code == MEMBER) m->member = text;
    if (code == ERROR_NAME) m->error = text;
    if (code == SIGNATURE) m->signature = text;
  }
  return 0;
}

int cl_dbus_next(struct cl_dbus *bus, struct cl_dbus_message *m) {
  unsigned char head[16];
  for (;;) {
    int error = transfer(bus, POLLIN, head, sizeof head);
    if (error) return error;
    if (head[0] != 'l' || head[3] != 1) return EPROTO;
    uint32_t fields = u32_at(head + 12), body = u32_at(head + 4);
    if (fields > 1u << 26 || body > 1u << 27) return EPROTO; /* the specification's limits */
    size_t padded = (fields + 7) / 8 * 8, all = padded + body;
    if (all <= sizeof m->byte) {
      m->type = head[1];
      m->serial = 0;
      m->member = m->error = m->signature = "";
      m->body = m->byte;
      m->length = fields;
      m->at = 0;
      error = transfer(bus, POLLIN, m->byte, all);
      if (!error) error = read_fields(m);
      m->body = m->byte + padded;
      m->length = body;
      m->at = 0;
      return error;
    }
    for (size_t left = all, part; !error && left > 0; left -= part) { /* a signal that is none of ours */
      part = left < sizeof m->byte ? left : sizeof m->byte;
      error = transfer(bus, POLLIN, m->byte, part);
    }
    if (error) return error;
  }
}
