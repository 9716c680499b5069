/* SPDX-License-Identifier: Apache-2.0
 *
 * There is one process, whose memory is all there. So locks of memory succeed, and a mapping is memory of the heap: its
 * protection is not enforced, and a file's is its contents at that time. Of the others nothing is defined, and the
 * linker names a function that is used. */
#ifndef CORELOOM_SYS_MMAN_H
#define CORELOOM_SYS_MMAN_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_ANON MAP_ANONYMOUS
#define MAP_NORESERVE 16384 /* these are of no consequence here */
#define MAP_POPULATE 32768
#define MAP_STACK 131072
#define MAP_FAILED ((void *)-1)
#define MS_ASYNC 1
#define MS_SYNC 2
#define MS_INVALIDATE 4
#define MCL_CURRENT 1
#define MCL_FUTURE 2

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
int munmap(void *address, size_t length);
int mprotect(void *address, size_t length, int protection);
int msync(void *address, size_t length, int flags);
int mlock(const void *address, size_t length);
int munlock(const void *address, size_t length);
int mlockall(int flags);
int munlockall(void);
int shm_open(const char *name, int flags, mode_t mode);
int shm_unlink(const char *name);

#ifdef __cplusplus
}
#endif

#endif
