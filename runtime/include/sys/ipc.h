/* SPDX-License-Identifier: Apache-2.0
 *
 * What processes of System V share, for programs that name it and need none of it: of the functions nothing is defined,
 * and the linker names one that is used. <sys/sem.h>, <sys/shm.h> and <sys/msg.h> are this header. */
#ifndef CORELOOM_SYS_IPC_H
#define CORELOOM_SYS_IPC_H

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IPC_RMID, IPC_SET, IPC_STAT, IPC_CREAT = 512, IPC_EXCL = 1024, IPC_NOWAIT = 2048 };
enum { GETPID = 11, GETVAL, GETALL, GETNCNT, GETZCNT, SETVAL, SETALL, SEM_UNDO = 4096, SHM_RDONLY = 4096 };
#define IPC_PRIVATE ((key_t)0)

struct sembuf {
  unsigned short sem_num;
  short sem_op, sem_flg;
};
struct shmid_ds;
struct msqid_ds;

key_t ftok(const char *path, int number);
int semget(key_t key, int count, int flags);
int semop(int set, struct sembuf *operations, size_t count);
int semctl(int set, int number, int command, ...);
int shmget(key_t key, size_t bytes, int flags);
void *shmat(int memory, const void *address, int flags);
int shmdt(const void *address);
int shmctl(int memory, int command, struct shmid_ds *about);
int msgget(key_t key, int flags);
int msgsnd(int queue, const void *message, size_t bytes, int flags);
ssize_t msgrcv(int queue, void *message, size_t bytes, long kind, int flags);
int msgctl(int queue, int command, struct msqid_ds *about);

#ifdef __cplusplus
}
#endif

#endif
