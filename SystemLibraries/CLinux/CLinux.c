#define _GNU_SOURCE
#include "CLinux.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_FILES 64

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#ifndef MSG_CMSG_CLOEXEC
#define MSG_CMSG_CLOEXEC 0
#endif

static void make_private(int descriptor) {
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
}

int libera_socketpair(int ends[2]) {
#ifdef SOCK_CLOEXEC
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
#else
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0) return -1;
  make_private(ends[0]);
  make_private(ends[1]);
  return 0;
#endif
}

int libera_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) < 0) return -1;
  make_private(ends[0]);
  make_private(ends[1]);
  return 0;
#endif
}

ssize_t libera_send(int socket, const struct iovec *pieces, int count, const int *files, int file_count) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * MOST_FILES)];
  } control;
  struct msghdr message = {.msg_iov = (struct iovec *)pieces, .msg_iovlen = count};
  if (file_count > MOST_FILES) {
    errno = EINVAL;
    return -1;
  }
  if (file_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.room;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * file_count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * file_count);
    memcpy(CMSG_DATA(header), files, sizeof(int) * file_count);
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t libera_receive(int socket, void *buffer, size_t length, int *files, int *file_count) {
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * MOST_FILES)];
  } control;
  struct iovec piece = {.iov_base = buffer, .iov_len = length};
  struct msghdr message = {
      .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
  int room = *file_count, found = 0, lost = 0;
  *file_count = 0;
  ssize_t received;
  do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  if (received < 0) return -1;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int i = 0; i < count; i++) {
      int file;
      memcpy(&file, CMSG_DATA(header) + i * sizeof(int), sizeof file);
      if (found < room) {
        files[found++] = file;
#if MSG_CMSG_CLOEXEC == 0
        fcntl(file, F_SETFD, FD_CLOEXEC);
#endif
      } else {
        close(file);
        lost = 1;
      }
    }
  }
  *file_count = found;
  if (lost || (message.msg_flags & MSG_CTRUNC)) {
    errno = EMSGSIZE;
    return -1;
  }
  return received;
}

int libera_peer(int socket, uid_t *user, pid_t *process) {
#ifdef __linux__
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -1;
  *user = peer.uid;
  *process = peer.pid;
  return 0;
#else
  gid_t group;
  *process = 0;
  return getpeereid(socket, user, &group);
#endif
}

// A socket's address holds 107 characters; through the open folder any path fits.
static int address_in(int folder, const char *name, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
#ifdef __linux__
  int length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", folder, name);
#else
  char path[1024];
  if (fcntl(folder, F_GETPATH, path) < 0) return -1;
  int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/%s", path, name);
#endif
  if (length < 0 || (size_t)length >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return 0;
}

static int unix_socket(void) {
  int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  if (descriptor >= 0) make_private(descriptor);
  return descriptor;
}

static int close_failed(int descriptor) {
  int reason = errno;
  close(descriptor);
  errno = reason;
  return -1;
}

int libera_listen(int folder, const char *name, int backlog) {
  struct sockaddr_un address;
  if (address_in(folder, name, &address) < 0) return -1;
  int descriptor = unix_socket();
  if (descriptor < 0) return -1;
  // The socket file takes its mode from the socket, so no moment exists in which others may connect.
  if (fchmod(descriptor, 0600) < 0 || bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0 ||
      fchmodat(folder, name, 0600, 0) < 0 || listen(descriptor, backlog) < 0)
    return close_failed(descriptor);
  return descriptor;
}

int libera_connect(int folder, const char *name) {
  struct sockaddr_un address;
  if (address_in(folder, name, &address) < 0) return -1;
  int descriptor = unix_socket();
  if (descriptor < 0) return -1;
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) return close_failed(descriptor);
  return descriptor;
}

int libera_accept(int listener) {
  int descriptor;
  do descriptor = accept(listener, NULL, NULL);
  while (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (descriptor >= 0) make_private(descriptor);
  return descriptor;
}

int libera_spawn(pid_t *process, const char *path, char *const arguments[], char *const environment[], const int *files,
                 int file_count) {
  int copies[MOST_FILES], made = 0, result;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (file_count > MOST_FILES) return EINVAL;
  if ((result = posix_spawn_file_actions_init(&actions))) return result;
  if ((result = posix_spawnattr_init(&attributes))) {
    posix_spawn_file_actions_destroy(&actions);
    return result;
  }
  // Copies above every target, so that no dup2 overwrites a descriptor still needed.
  for (; made < file_count && !result; made++) {
    int null = files[made] < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    copies[made] = fcntl(null < 0 ? files[made] : null, F_DUPFD_CLOEXEC, MOST_FILES);
    if (null >= 0) close(null);
    result = copies[made] < 0 ? errno : posix_spawn_file_actions_adddup2(&actions, copies[made], made);
  }
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#ifdef __linux__
  if (!result) result = posix_spawn_file_actions_addclosefrom_np(&actions, file_count);
#else
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
#ifdef POSIX_SPAWN_SETSID
  flags |= POSIX_SPAWN_SETSID;
#endif
  sigset_t all, none;
  sigfillset(&all);
  sigdelset(&all, SIGKILL);
  sigdelset(&all, SIGSTOP);
  sigemptyset(&none);
  if (!result) result = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!result) result = posix_spawnattr_setsigmask(&attributes, &none);
  if (!result) result = posix_spawnattr_setflags(&attributes, flags);
  if (!result) result = posix_spawn(process, path, &actions, &attributes, arguments, environment);
  for (int i = 0; i < made; i++)
    if (copies[i] >= 0) close(copies[i]);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return result;
}

int libera_await(pid_t process) {
  siginfo_t info;
  int result;
  do result = waitid(P_PID, (id_t)process, &info, WEXITED | WNOWAIT);
  while (result < 0 && errno == EINTR);
  return result;
}

const char *libera_image(const void *address) {
  Dl_info image;
  return dladdr(address, &image) ? image.dli_fname : NULL;
}

int libera_wait(pid_t process, int *exit_code, int *signal) {
  int status;
  pid_t ended;
  do ended = waitpid(process, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended < 0) return -1;
  *exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  *signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return 0;
}

static int lower(int which, uint64_t most) {
  struct rlimit limit;
  if (getrlimit(which, &limit) < 0) return -1;
  if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most) limit.rlim_max = most;
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(which, &limit);
}

int libera_limits(uint64_t memory_bytes, uint64_t open_files) {
  if (lower(RLIMIT_CORE, 0) < 0 || lower(RLIMIT_NOFILE, open_files) < 0) return -1;
  return memory_bytes ? lower(RLIMIT_DATA, memory_bytes) : 0;
}

int libera_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

#ifdef __linux__
#include <linux/capability.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

const char *libera_loader(void) { return libera_image((const void *)getauxval(AT_BASE)); }

// Declared here because Debian's headers know only the first versions of Landlock.
struct landlock_ruleset {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};
struct landlock_beneath {
  uint64_t access;
  int32_t beneath;
} __attribute__((packed));

int libera_exchange(const char *one, const char *other) {
  return (int)syscall(__NR_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2U /* RENAME_EXCHANGE */);
}

int libera_landlock_version(void) { return (int)syscall(__NR_landlock_create_ruleset, NULL, 0, 1U); }

int libera_landlock_create(uint64_t files, uint64_t network, uint64_t scopes) {
  struct landlock_ruleset rules = {files, network, scopes};
  // An older kernel refuses a longer structure only if what it does not know is not zero.
  return (int)syscall(__NR_landlock_create_ruleset, &rules, sizeof rules, 0U);
}

int libera_landlock_allow(int ruleset, uint64_t access, int beneath) {
  struct landlock_beneath rule = {access, beneath};
  return (int)syscall(__NR_landlock_add_rule, ruleset, 1, &rule, 0U);
}

int libera_landlock_restrict(int ruleset) { return (int)syscall(__NR_landlock_restrict_self, ruleset, 0U); }

int libera_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

int libera_drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(SYS_capset, &header, none);
}

int libera_close_memory(void) {
  // The language's own crash report starts a program that reads this memory and prints what it finds there.
  static const int crashes[] = {SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
  if (lower(RLIMIT_CORE, 0) < 0) return -1;
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int libera_memory_is_closed(void) {
  struct rlimit core;
  return getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0 && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
}

long libera_raw_call(long number, long a, long b, long c, long d, long e, long f) {
  return syscall(number, a, b, c, d, e, f);
}

#ifdef __x86_64__
long libera_x32_call(void) { return syscall(0x40000000 | __NR_getpid); }

long libera_32bit_call(void) {
  long result;
  // 20 is getpid there.
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "r8", "r9", "r10", "r11", "memory");
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}
#else
long libera_x32_call(void) {
  errno = ENOSYS;
  return -1;
}
long libera_32bit_call(void) {
  errno = ENOSYS;
  return -1;
}
#endif

int libera_low_priority(void) {
  // Where the kernel shares the processor between sessions first, the session needs a low weight as well.
  int group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (group >= 0) {
    if (write(group, "5", 1) < 0) errno = 0;
    close(group);
  }
  return setpriority(PRIO_PROCESS, 0, 5);
}

// On Linux this is the thread's own.
int libera_low_thread_priority(void) { return setpriority(PRIO_PROCESS, 0, 5); }

#include <malloc.h>
#ifdef __GLIBC__
void libera_return_memory(void) { malloc_trim(0); }
void libera_one_heap(void) { mallopt(M_ARENA_MAX, 1); }
#else
void libera_return_memory(void) {}
void libera_one_heap(void) {}
#endif
#else
static int absent(void) {
  errno = ENOSYS;
  return -1;
}
const char *libera_loader(void) { return NULL; }
int libera_exchange(const char *one, const char *other) { return renamex_np(one, other, RENAME_SWAP); }
int libera_landlock_version(void) { return absent(); }
int libera_landlock_create(uint64_t files, uint64_t network, uint64_t scopes) { return absent(); }
int libera_landlock_allow(int ruleset, uint64_t access, int beneath) { return absent(); }
int libera_landlock_restrict(int ruleset) { return absent(); }
int libera_no_new_privileges(void) { return absent(); }
int libera_drop_capabilities(void) { return absent(); }
int libera_close_memory(void) { return lower(RLIMIT_CORE, 0); }
int libera_memory_is_closed(void) {
  struct rlimit core;
  return getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_max == 0;
}
long libera_raw_call(long number, long a, long b, long c, long d, long e, long f) { return absent(); }
long libera_x32_call(void) { return absent(); }
long libera_32bit_call(void) { return absent(); }
int libera_low_priority(void) { return setpriority(PRIO_PROCESS, 0, 5); }
// The quality of service of a thread says it there.
int libera_low_thread_priority(void) { return 0; }
#ifdef __APPLE__
#include <malloc/malloc.h>
void libera_return_memory(void) { malloc_zone_pressure_relief(NULL, 0); }
void libera_one_heap(void) {}
#else
void libera_return_memory(void) {}
void libera_one_heap(void) {}
#endif
#endif
