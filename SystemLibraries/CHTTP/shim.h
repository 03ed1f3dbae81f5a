#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// What Swift cannot call or spell: variadic functions, function-like macros, and the socket structures whose layout differs
// between systems.

/// A listening socket on one loopback address, or -errno. The IPv6 socket takes IPv6 alone.
static inline int libera_http_listen(uint16_t port, int v6, uint16_t *bound) {
  int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return -errno;
  int yes = 1, error = 0;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in four;
  struct sockaddr_in6 six;
  memset(&four, 0, sizeof four);
  memset(&six, 0, sizeof six);
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  six.sin6_addr = in6addr_loopback;
  if (v6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
  struct sockaddr *address = v6 ? (struct sockaddr *)&six : (struct sockaddr *)&four;
  socklen_t length = v6 ? sizeof six : sizeof four;
  if (bind(fd, address, length) || listen(fd, 1024) || getsockname(fd, address, &length)) {
    error = errno;
    close(fd);
    return -error;
  }
  *bound = ntohs(v6 ? six.sin6_port : four.sin_port);
  return fd;
}

/// By poll, not by epoll, which libmicrohttpd 0.9.75 takes on its own: when exactly as many connections are ready as it takes
/// at once (128), it waits for one more before it serves any of them, and even a call to stop is not heard.
static inline struct MHD_Daemon *libera_http_start(
    int listener, unsigned limit, unsigned timeout, size_t memory, void *context, MHD_AccessHandlerCallback access,
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connected) {
  return MHD_start_daemon(
      MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, access, context,
      MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener, MHD_OPTION_CONNECTION_LIMIT, limit, MHD_OPTION_CONNECTION_TIMEOUT,
      timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, connected, context, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

static inline int libera_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

static inline void *libera_http_context(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

/// Whether the other side has hung up; looked at while a connection is suspended, when the daemon does not watch it.
static inline int libera_http_gone(int fd) {
  char byte;
  ssize_t seen = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (seen == 0 || (seen < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) return 1;
  struct pollfd one = {.fd = fd, .events = 0, .revents = 0};
  return poll(&one, 1, 0) > 0 && (one.revents & (POLLHUP | POLLERR | POLLNVAL));
}

static inline uint64_t libera_http_unknown_size(void) { return MHD_SIZE_UNKNOWN; }
static inline ssize_t libera_http_end(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
static inline ssize_t libera_http_broken(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }
