/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX <mqueue.h>: queues of messages with priorities.
 *
 * A queue's memory is allocated when it is made. Of priorities, 0 to MQ_PRIO_MAX - 1, the largest is received first.
 * There are MQ_OPEN_MAX descriptors. Functions return -1 with errno set if they fail. */
#ifndef CORELOOM_MQUEUE_H
#define CORELOOM_MQUEUE_H

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int mqd_t;

#define MQ_MAXMSG_NP 10     /* of a queue without attributes */
#define MQ_MSGSIZE_NP 256

struct mq_attr {
  long mq_flags; /* 0 or O_NONBLOCK */
  long mq_maxmsg;
  long mq_msgsize;
  long mq_curmsgs;
};

/* With O_CREAT: mode_t, struct mq_attr * (NULL: MQ_MAXMSG_NP, MQ_MSGSIZE_NP). The mode is not looked at. */
mqd_t mq_open(const char *name, int flags, ...);
int mq_close(mqd_t queue);
int mq_unlink(const char *name);

int mq_send(mqd_t queue, const char *message, size_t length, unsigned priority);
ssize_t mq_receive(mqd_t queue, char *message, size_t room, unsigned *priority);
/* Until a time of CLOCK_REALTIME. */
int mq_timedsend(mqd_t queue, const char *message, size_t length, unsigned priority, const struct timespec *until);
ssize_t mq_timedreceive(mqd_t queue, char *message, size_t room, unsigned *priority, const struct timespec *until);

int mq_getattr(mqd_t queue, struct mq_attr *attr);
int mq_setattr(mqd_t queue, const struct mq_attr *attr, struct mq_attr *before); /* sets O_NONBLOCK only */
/* When a message arrives at the empty queue for which nobody waits; once. */
int mq_notify(mqd_t queue, const struct sigevent *event);

#ifdef __cplusplus
}
#endif

#endif
