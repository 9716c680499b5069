/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX <syslog.h>. There is no log of a system: what is written there is not seen. */
#ifndef CORELOOM_SYSLOG_H
#define CORELOOM_SYSLOG_H

#ifdef __cplusplus
extern "C" {
#endif

enum { LOG_EMERG, LOG_ALERT, LOG_CRIT, LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG };
enum { LOG_KERN, LOG_USER = 8, LOG_MAIL = 16, LOG_DAEMON = 24, LOG_AUTH = 32, LOG_LOCAL0 = 128 };
enum { LOG_PID = 1, LOG_CONS, LOG_NDELAY = 8, LOG_NOWAIT = 16, LOG_PERROR = 32 };
#define LOG_MASK(priority) (1 << (priority))
#define LOG_UPTO(priority) ((1 << ((priority) + 1)) - 1)

void openlog(const char *name, int options, int facility);
void syslog(int priority, const char *format, ...);
void closelog(void);
int setlogmask(int mask);

#ifdef __cplusplus
}
#endif

#endif
