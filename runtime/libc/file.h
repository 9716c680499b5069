/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams that are files: picolibc's buffers, on the calls of cl_host.h, one lock for all. */
#ifndef CL_FILE_H
#define CL_FILE_H

#include <stdio-bufio.h>
#include <stdio.h>

#include "cl_host.h"

int cl_file_put(char c, FILE *stream);
int cl_file_get(FILE *stream);
ssize_t cl_file_read(int file, void *to, size_t bytes);
int ungetc_unlocked(int c, FILE *stream);

/* A struct __file_bufio. */
#define CL_FILE(descriptor, buffer, close_stream, flags_)                                                           \
  {                                                                                                                 \
      .xfile = FDEV_SETUP_EXT(cl_file_put, cl_file_get, __bufio_flush, close_stream, __bufio_seek, __bufio_setvbuf, \
                              (uint8_t)((flags_) | __SBUF)),                                                        \
      .fd = (descriptor),                                                                                           \
      .buf = (buffer),                                                                                              \
      .size = BUFSIZ,                                                                                               \
      .read = cl_file_read,                                                                                         \
      .write = cl_write,                                                                                            \
      .lseek = cl_seek,                                                                                             \
      .close = cl_close,                                                                                            \
  }

#endif
