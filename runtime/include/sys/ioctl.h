/* SPDX-License-Identifier: Apache-2.0
 *
 * Of <sys/ioctl.h> the size of a terminal, for programs that name it: ioctl is not defined, and the linker names it. */
#ifndef CORELOOM_SYS_IOCTL_H
#define CORELOOM_SYS_IOCTL_H

#ifdef __cplusplus
extern "C" {
#endif

#define TIOCGWINSZ 0x5413
#define FIONREAD 0x541b

struct winsize {
  unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

int ioctl(int file, unsigned long request, ...);

#ifdef __cplusplus
}
#endif

#endif
