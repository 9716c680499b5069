/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of a stream; stream.py reads the names here, and their numbers are their places. Then what a thread logs that
 * is no call of its own. */
/* clang-format off */
CALL(end)
CALL(create) CALL(join) CALL(tryjoin) CALL(detach) CALL(exit) CALL(yield) CALL(sleep) CALL(nap)
CALL(setprio) CALL(getprio)
CALL(cancel) CALL(cancelstate) CALL(canceltype) CALL(testcancel) CALL(push) CALL(pop)
CALL(mutex_init) CALL(mutex_destroy) CALL(mutex_lock) CALL(mutex_trylock) CALL(mutex_timedlock) CALL(mutex_unlock)
CALL(mutex_consistent) CALL(mutex_setceiling) CALL(mutex_getceiling)
CALL(cond_init) CALL(cond_destroy) CALL(cond_wait) CALL(cond_timedwait) CALL(cond_signal) CALL(cond_broadcast)
CALL(rwlock_init) CALL(rwlock_destroy) CALL(rwlock_rdlock) CALL(rwlock_tryrdlock) CALL(rwlock_timedrdlock)
CALL(rwlock_wrlock) CALL(rwlock_trywrlock) CALL(rwlock_timedwrlock) CALL(rwlock_unlock)
CALL(sem_init) CALL(sem_destroy) CALL(sem_wait) CALL(sem_trywait) CALL(sem_timedwait) CALL(sem_post) CALL(sem_getvalue)
CALL(barrier_init) CALL(barrier_destroy) CALL(barrier_wait)
CALL(once_init) CALL(once)
CALL(key_create) CALL(key_delete) CALL(key_set) CALL(key_get)
CALL(settime)
CALL(timer_create) CALL(timer_delete) CALL(timer_settime) CALL(timer_gettime) CALL(timer_getoverrun)
CALL(mq_open) CALL(mq_close) CALL(mq_unlink) CALL(mq_send) CALL(mq_timedsend) CALL(mq_receive) CALL(mq_timedreceive)
CALL(mq_count) CALL(mq_notify) CALL(mq_setflags)
CALL(events_init) CALL(events_destroy) CALL(events_set) CALL(events_clear) CALL(events_get)
CALL(events_wait) CALL(events_trywait) CALL(events_timedwait)
CALL(fill) CALL(count) CALL(go)
CALL(begin) CALL(cleanup) CALL(destructor) CALL(routine) CALL(notified)
