/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of <dirent.h> that picolibc leaves to the system. Names come in the order of their bytes. */
#ifndef CORELOOM_SYS_DIRENT_H
#define CORELOOM_SYS_DIRENT_H

#include <sys/types.h>

struct dirent {
  ino_t d_ino; /* 1: not known */
  unsigned char d_type;
  char d_name[256];
};

typedef struct cl_folder DIR;

#define DT_UNKNOWN 0
#define DT_FIFO 1
#define DT_CHR 2
#define DT_DIR 4
#define DT_BLK 6
#define DT_REG 8
#define DT_LNK 10
#define DT_SOCK 12

#endif
