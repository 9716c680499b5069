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

static void put(struct cl_dbus_body *b, const void *bytes, size_t count) {
  if (count > sizeof b->byte - b->length) {
    b->full = true;
    return;
  }
  memcpy(b->byte + b->length, bytes, count);
  b->length += count;
}

void cl_dbus_align(struct cl_dbus_body *b, size_t to) {
  static const unsigned char zero[8];
  put(b, zero, (to - b->length % to) % to);
}

void cl_dbus_u32(struct cl_dbus_body *b, uint32_t value) {
  const unsigned char bytes[] = {(unsigned char)value, (unsigned char)(value >> 8), (unsigned char)(value >> 16),
                                 (unsigned char)(value >> 24)};
  cl_dbus_align(b, 4);
  put(b, bytes, sizeof bytes);
}

void cl_dbus_bool(struct cl_dbus_body *b, bool value) { cl_dbus_u32(b, value); }

void cl_dbus_text(struct cl_dbus_body *b, const char *text) {
  cl_dbus_u32(b, (uint32_t)strlen(text));
  put(b, text, strlen(text) + 1);
}

void cl_dbus_signature(struct cl_dbus_body *b, const char *text) {
  const unsigned char length = (unsigned char)strlen(text);
  put(b, &length, 1);
  put(b, text, strlen(text) + 1);
}

void cl_dbus_bytes(struct cl_dbus_body *b, const void *bytes, size_t count) {
  cl_dbus_u32(b, (uint32_t)count);
  put(b, bytes, count);
}

size_t cl_dbus_begin(struct cl_dbus_body *b, size_t to) {
  cl_dbus_u32(b, 0);
  size_t mark = b->length;
  cl_dbus_align(b, to); /* this padding is no part of the array's length */
  return mark;
}

void cl_dbus_end(struct cl_dbus_body *b, size_t mark, size_t to) {
  if (b->full) return;
  size_t start = mark + (to - mark % to) % to, end = b->length;
  b->length = mark - 4;
  cl_dbus_u32(b, (uint32_t)(end - start));
  b->length = end;
}

/* Talking */

static int wait_for(const struct cl_dbus *bus, short events) { return cl_socket_wait(bus->fd, events, bus->until); }

static int send_all(const struct cl_dbus *bus, const void *bytes, size_t count) {
  for (const char *at = bytes; count > 0;) {
    int error = wait_for(bus, POLLOUT);
    if (error) return error;
    ssize_t sent = send(bus->fd, at, count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) return errno;
    if (sent > 0) at += sent, count -= (size_t)sent;
  }
  return 0;
}

static int receive_all(const struct cl_dbus *bus, void *bytes, size_t count) {
  for (char *at = bytes; count > 0;) {
    int error = wait_for(bus, POLLIN);
    if (error) return error;
    ssize_t got = recv(bus->fd, at, count, 0);
    if (got == 0) return ECONNRESET;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return errno;
    if (got > 0) at += got, count -= (size_t)got;
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
  int error = send_all(bus, "", 1);
  if (!error) error = send_all(bus, line, strlen(line));
  size_t length = 0;
  do { /* byte by byte, as what follows is no text */
    if (length + 1 == sizeof answer) return EPROTO;
    if (!error) error = receive_all(bus, answer + length++, 1);
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

static void put_field(struct cl_dbus_body *b, enum field field, const char *type, const char *text) {
  const unsigned char code = (unsigned char)field;
  cl_dbus_align(b, 8);
  put(b, &code, 1);
  cl_dbus_signature(b, type);
  if (type[0] == 'g') cl_dbus_signature(b, text);
  else cl_dbus_text(b, text);
}

int cl_dbus_call(struct cl_dbus *bus, const char *object, const char *interface, const char *member,
                 const char *signature, const struct cl_dbus_body *body) {
  static const unsigned char first[] = {'l', CL_DBUS_CALL, 0, 1};
  struct cl_dbus_body head = {.length = 0};
  put(&head, first, sizeof first);
  cl_dbus_u32(&head, (uint32_t)body->length);
  cl_dbus_u32(&head, ++bus->serial);
  size_t mark = cl_dbus_begin(&head, 8);
  put_field(&head, PATH, "o", object);
  put_field(&head, INTERFACE, "s", interface);
  put_field(&head, MEMBER, "s", member);
  if (*signature) put_field(&head, SIGNATURE, "g", signature);
  cl_dbus_end(&head, mark, 8);
  cl_dbus_align(&head, 8);
  if (head.full || body->full) return E2BIG;
  int error = send_all(bus, head.byte, head.length);
  return error ? error : send_all(bus, body->byte, body->length);
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
static int read_fields(struct cl_dbus_message *m, size_t length) {
  struct cl_dbus_message fields = {.body = m->byte, .length = length};
  while (fields.at < length) {
    fields.at = (fields.at + 7) / 8 * 8;
    if (fields.at + 4 > length) return EPROTO;
    unsigned code = fields.body[fields.at], type = fields.body[fields.at + 2];
    if (fields.body[fields.at + 1] != 1 || fields.body[fields.at + 3] != 0) return EPROTO;
    fields.at += 4;
    const char *text = "";
    if (type == 'u') {
      uint32_t value = cl_dbus_read_u32(&fields);
      if (code == REPLY_SERIAL) m->serial = value;
    } else if (type == 's' || type == 'o') {
      text = cl_dbus_read_text(&fields);
    } else if (type == 'g' && fields.at < length) {
      size_t size = fields.body[fields.at];
      if (fields.at + size + 2 > length || fields.body[fields.at + 1 + size] != '\0') return EPROTO;
      text = (const char *)fields.body + fields.at + 1;
      fields.at += size + 2;
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
    int error = receive_all(bus, head, sizeof head);
    if (error) return error;
    if (head[0] != 'l' || head[3] != 1) return EPROTO;
    uint32_t fields = u32_at(head + 12), body = u32_at(head + 4);
    if (fields > 1u << 26 || body > 1u << 27) return EPROTO; /* the specification's limits */
    size_t padded = (fields + 7) / 8 * 8, all = padded + body;
    m->type = head[1];
    m->serial = 0;
    m->member = m->error = m->signature = "";
    m->at = 0;
    if (all <= sizeof m->byte) {
      error = receive_all(bus, m->byte, all);
      m->body = m->byte + padded;
      m->length = body;
      return error ? error : read_fields(m, fields);
    }
    for (size_t left = all, part; !error && left > 0; left -= part) { /* a signal that is none of ours */
      part = left < sizeof m->byte ? left : sizeof m->byte;
      error = receive_all(bus, m->byte, part);
    }
    if (error) return error;
  }
}
