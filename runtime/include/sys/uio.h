/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX <sys/uio.h>: several buffers in one call. */
#ifndef CORELOOM_SYS_UIO_H
#define CORELOOM_SYS_UIO_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iovec {
  void *iov_base;
  size_t iov_len;
};

ssize_t readv(int file, const struct iovec *parts, int count);
ssize_t writev(int file, const struct iovec *parts, int count);

#ifdef __cplusplus
}
#endif

#endif
