/* SPDX-License-Identifier: Apache-2.0
 *
 * Sockets, addresses and names of hosts, for programs that name them and need none: of the functions nothing is defined,
 * and the linker names one that is used. The other headers of a network are this one. */
#ifndef CORELOOM_SYS_SOCKET_H
#define CORELOOM_SYS_SOCKET_H

#include <arpa/inet.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t socklen_t, in_addr_t;
typedef uint16_t in_port_t, sa_family_t;

enum { AF_UNSPEC, AF_UNIX, AF_INET, AF_LOCAL = AF_UNIX, AF_INET6 = 10 };
enum { PF_UNSPEC, PF_UNIX, PF_INET, PF_LOCAL = PF_UNIX, PF_INET6 = 10 };
enum { SOCK_STREAM = 1, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET = 5, SOCK_NONBLOCK = 2048, SOCK_CLOEXEC = 524288 };
enum { SHUT_RD, SHUT_WR, SHUT_RDWR };
enum { MSG_PEEK = 2, MSG_DONTWAIT = 64, MSG_WAITALL = 256, MSG_NOSIGNAL = 16384 };
enum { SOL_SOCKET = 1, SO_REUSEADDR, SO_TYPE, SO_ERROR, SO_BROADCAST = 6, SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE };
enum { SO_LINGER = 13, SO_REUSEPORT = 15, SO_RCVTIMEO = 20, SO_SNDTIMEO, SOMAXCONN = 4096 };
enum { IPPROTO_IP, IPPROTO_ICMP, IPPROTO_TCP = 6, IPPROTO_UDP = 17, IPPROTO_IPV6 = 41, TCP_NODELAY = 1 };
enum { AI_PASSIVE = 1, AI_CANONNAME, AI_NUMERICHOST = 4, NI_NUMERICHOST = 1, NI_NUMERICSERV, NI_MAXHOST = 1025 };
#define INADDR_ANY ((in_addr_t)0)
#define INADDR_LOOPBACK ((in_addr_t)0x7f000001)
#define INADDR_BROADCAST ((in_addr_t) - 1)
#define INADDR_NONE ((in_addr_t) - 1)
#define INET_ADDRSTRLEN 16
#define INET6_ADDRSTRLEN 46

struct sockaddr {
  sa_family_t sa_family;
  char sa_data[14];
};
struct sockaddr_storage {
  sa_family_t ss_family;
  uint32_t room[31];
};
struct sockaddr_un {
  sa_family_t sun_family;
  char sun_path[108];
};
struct in_addr {
  in_addr_t s_addr;
};
struct sockaddr_in {
  sa_family_t sin_family;
  in_port_t sin_port;
  struct in_addr sin_addr;
  uint8_t sin_zero[8];
};
struct in6_addr {
  uint8_t s6_addr[16];
};
struct sockaddr_in6 {
  sa_family_t sin6_family;
  in_port_t sin6_port;
  uint32_t sin6_flowinfo;
  struct in6_addr sin6_addr;
  uint32_t sin6_scope_id;
};
struct linger {
  int l_onoff, l_linger;
};
struct msghdr {
  void *msg_name;
  socklen_t msg_namelen;
  struct iovec *msg_iov;
  size_t msg_iovlen;
  void *msg_control;
  socklen_t msg_controllen;
  int msg_flags;
};
struct hostent {
  char *h_name, **h_aliases;
  int h_addrtype, h_length;
  char **h_addr_list;
};
#define h_addr h_addr_list[0]
struct addrinfo {
  int ai_flags, ai_family, ai_socktype, ai_protocol;
  socklen_t ai_addrlen;
  struct sockaddr *ai_addr;
  char *ai_canonname;
  struct addrinfo *ai_next;
};

int socket(int domain, int type, int protocol);
int socketpair(int domain, int type, int protocol, int pair[2]);
int bind(int socket, const struct sockaddr *address, socklen_t bytes);
int connect(int socket, const struct sockaddr *address, socklen_t bytes);
int listen(int socket, int backlog);
int accept(int socket, struct sockaddr *address, socklen_t *bytes);
int shutdown(int socket, int how);
int getsockname(int socket, struct sockaddr *address, socklen_t *bytes);
int getpeername(int socket, struct sockaddr *address, socklen_t *bytes);
int getsockopt(int socket, int level, int name, void *value, socklen_t *bytes);
int setsockopt(int socket, int level, int name, const void *value, socklen_t bytes);
ssize_t recv(int socket, void *to, size_t bytes, int flags);
ssize_t recvfrom(int socket, void *to, size_t bytes, int flags, struct sockaddr *address, socklen_t *length);
ssize_t recvmsg(int socket, struct msghdr *message, int flags);
ssize_t send(int socket, const void *from, size_t bytes, int flags);
ssize_t sendto(int socket, const void *from, size_t bytes, int flags, const struct sockaddr *address, socklen_t length);
ssize_t sendmsg(int socket, const struct msghdr *message, int flags);
in_addr_t inet_addr(const char *text);
int inet_aton(const char *text, struct in_addr *address);
char *inet_ntoa(struct in_addr address);
int inet_pton(int family, const char *text, void *address);
const char *inet_ntop(int family, const void *address, char *text, socklen_t bytes);
struct hostent *gethostbyname(const char *name);
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **found);
void freeaddrinfo(struct addrinfo *found);
const char *gai_strerror(int error);
int getnameinfo(const struct sockaddr *address, socklen_t length, char *host, socklen_t host_bytes, char *service,
                socklen_t service_bytes, int flags);

#ifdef __cplusplus
}
#endif

#endif
