// A disk that forgets. What a program has synced below LIBERA_POWER_ROOT is noted below LIBERA_POWER_SHADOW, on the same disk: of
// a file its bytes, of a folder its names, and of both which they are by number. From these notes alone a test builds what a loss
// of power would have left. Syncing costs nothing else here, so that many losses can be tried. With LIBERA_POWER_AFTER the process
// dies when it asks for the sync of that number, before anything of it is noted.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char root[PATH_MAX], shadow[PATH_MAX - 64];
static atomic_long syncs, notes;
static long last;

__attribute__((constructor)) static void find_places(void) {
  const char *from = getenv("LIBERA_POWER_ROOT"), *to = getenv("LIBERA_POWER_SHADOW"), *after = getenv("LIBERA_POWER_AFTER");
  if (!from || !to || !realpath(from, root)) root[0] = 0;
  if (to) snprintf(shadow, sizeof shadow, "%s", to);
  last = after ? atol(after) : 0;
}

static void fail(const char *what) {
  perror(what);
  _exit(99);
}

static void note_name(char *into, size_t size, const char *kind, ino_t number) {
  snprintf(into, size, "%s/%s/%llu", shadow, kind, (unsigned long long)number);
}

// While this link is there no other file gets the number.
static void pin(int folder, const char *name, ino_t number) {
  char place[PATH_MAX];
  note_name(place, sizeof place, "pins", number);
  linkat(folder, name, AT_FDCWD, place, AT_SYMLINK_FOLLOW);
}

static void note_file(int file, const struct stat *info) {
  char own[64], place[PATH_MAX], draft[PATH_MAX + 32];
  snprintf(own, sizeof own, "/proc/self/fd/%d", file);
  pin(AT_FDCWD, own, info->st_ino);
  note_name(place, sizeof place, "data", info->st_ino);
  snprintf(draft, sizeof draft, "%s.%ld", place, atomic_fetch_add(&notes, 1));
  int from = open(own, O_RDONLY | O_CLOEXEC), to = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (from < 0 || to < 0) fail("note of a file");
  char bytes[65536];
  ssize_t count;
  while ((count = read(from, bytes, sizeof bytes)) > 0)
    if (write(to, bytes, count) != count) fail("note of bytes");
  close(from);
  close(to);
  if (rename(draft, place)) fail("note's name");
}

// A link is on the disk with its name.
static void note_link(int folder, const char *name, ino_t number) {
  char place[PATH_MAX], target[PATH_MAX];
  note_name(place, sizeof place, "data", number);
  ssize_t length = readlinkat(folder, name, target, sizeof target);
  int to = open(place, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (length < 0 || to < 0 || write(to, target, length) != length) fail("note of a link");
  close(to);
}

static void note_folder(int folder, const struct stat *info) {
  char own[64], place[PATH_MAX], draft[PATH_MAX + 32];
  snprintf(own, sizeof own, "/proc/self/fd/%d", folder);
  note_name(place, sizeof place, "names", info->st_ino);
  snprintf(draft, sizeof draft, "%s.%ld", place, atomic_fetch_add(&notes, 1));
  DIR *names = opendir(own);
  FILE *list = fopen(draft, "we");
  if (!names || !list) fail("note of a folder");
  for (struct dirent *name; (name = readdir(names));) {
    struct stat one;
    if (!strcmp(name->d_name, ".") || !strcmp(name->d_name, "..")) continue;
    if (fstatat(folder, name->d_name, &one, AT_SYMLINK_NOFOLLOW)) continue;
    if (S_ISREG(one.st_mode)) pin(folder, name->d_name, one.st_ino);
    if (S_ISLNK(one.st_mode)) note_link(folder, name->d_name, one.st_ino);
    char kind = S_ISDIR(one.st_mode) ? 'd' : S_ISREG(one.st_mode) ? 'f' : S_ISLNK(one.st_mode) ? 'l' : 0;
    if (kind) fprintf(list, "%c %llu %s\n", kind, (unsigned long long)one.st_ino, name->d_name);
  }
  closedir(names);
  if (fclose(list) || rename(draft, place)) fail("note's name");
}

// One note at a time: an older list of a folder must not take the place of a newer one.
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;

static int note(int file) {
  char own[64], path[PATH_MAX];
  struct stat info;
  snprintf(own, sizeof own, "/proc/self/fd/%d", file);
  ssize_t length = readlink(own, path, sizeof path - 1);
  if (length < 0 || fstat(file, &info)) return -1;
  path[length] = 0;
  size_t below = strlen(root);
  if (!below || strncmp(path, root, below) || (path[below] && path[below] != '/')) return 0;
  if (atomic_fetch_add(&syncs, 1) + 1 == last) kill(getpid(), SIGKILL);
  pthread_mutex_lock(&noting);
  if (S_ISDIR(info.st_mode)) note_folder(file, &info);
  if (S_ISREG(info.st_mode) && info.st_nlink > 0) note_file(file, &info);
  pthread_mutex_unlock(&noting);
  return 0;
}

int fsync(int file) { return note(file); }
int fdatasync(int file) { return note(file); }

// A new folder may get the number of one that is gone.
static int forget(int result, int at, const char *path) {
  struct stat info;
  char place[PATH_MAX];
  if (result || !root[0] || fstatat(at, path, &info, AT_SYMLINK_NOFOLLOW)) return result;
  note_name(place, sizeof place, "names", info.st_ino);
  unlink(place);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  static int (*real)(const char *, mode_t);
  if (!real) real = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");
  return forget(real(path, mode), AT_FDCWD, path);
}

int mkdirat(int at, const char *path, mode_t mode) {
  static int (*real)(int, const char *, mode_t);
  if (!real) real = (int (*)(int, const char *, mode_t))dlsym(RTLD_NEXT, "mkdirat");
  return forget(real(at, path, mode), at, path);
}
