/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <threads.h>

#pragma weak tss_create
#pragma weak tss_delete
#pragma weak tss_get
#pragma weak tss_set

int tss_create(tss_t *key, tss_dtor_t destructor) {
  return pthread_key_create(key, destructor) ? thrd_error : thrd_success;
}
void tss_delete(tss_t key) { pthread_key_delete(key); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value) ? thrd_error : thrd_success; }
