/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX <termios.h>, for programs that name it: of the functions nothing is defined, and the linker names one that is
 * used. */
#ifndef CORELOOM_SYS_TERMIOS_H
#define CORELOOM_SYS_TERMIOS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned tcflag_t, speed_t;
typedef unsigned char cc_t;

enum { VINTR, VQUIT, VERASE, VKILL, VEOF, VTIME, VMIN, VSTART = 8, VSTOP, VSUSP, VEOL, NCCS = 32 };
enum { IGNBRK = 1, BRKINT, PARMRK = 8, INPCK = 16, ISTRIP = 32, INLCR = 64, IGNCR = 128, ICRNL = 256, IXON = 1024 };
enum { OPOST = 1, ONLCR = 4, CS8 = 48, CREAD = 128, PARENB = 256, CLOCAL = 2048 };
enum { ISIG = 1, ICANON, ECHO = 8, ECHOE = 16, ECHOK = 32, ECHONL = 64, IEXTEN = 32768 };
enum { TCSANOW, TCSADRAIN, TCSAFLUSH, TCIFLUSH = 0, TCOFLUSH, TCIOFLUSH };
enum { B9600 = 13, B19200, B38400, B57600 = 4097, B115200 };

struct termios {
  tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
  cc_t c_cc[NCCS];
};

int tcgetattr(int file, struct termios *settings);
int tcsetattr(int file, int when, const struct termios *settings);
int tcflush(int file, int which);
int tcdrain(int file);
void cfmakeraw(struct termios *settings);
int cfsetispeed(struct termios *settings, speed_t speed);
int cfsetospeed(struct termios *settings, speed_t speed);

#ifdef __cplusplus
}
#endif

#endif
