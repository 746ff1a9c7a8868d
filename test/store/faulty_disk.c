/* Owns a disk that fails as it is told to: preloaded before libc, it counts and fails what a process
   does with one store file (FAULTY_STORE), by files in a folder (FAULTY_ORDERS):
     fail-file, fail-log     the next synchronisation fails, once, as Linux tells of lost writes once;
     hold-file               until it is gone that one lasts, begun-file tells that it has begun;
     full-log                the next write to the log finds no space, once;
     lose-index              after the next commit the log's index is damaged and its log unreadable.
   `calls` gets a line for each call that matters. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <stdlib.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static volatile int unreadable = 0;

/* What a path, or an open file, is to the store. */
static const char *role_of(const char *path) {
  const char *store = getenv("FAULTY_STORE");
  size_t length = store == NULL ? 0 : strlen(store);
  if (length == 0 || strncmp(path, store, length) != 0) return NULL;
  if (strcmp(path + length, "") == 0) return "file";
  if (strcmp(path + length, "-wal") == 0) return "log";
  if (strcmp(path + length, "-shm") == 0) return "index";
  return NULL;
}

static const char *role(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  return role_of(path);
}

static const char *order(char *path, const char *what, const char *which) {
  snprintf(path, 4096, "%s/%s-%s", getenv("FAULTY_ORDERS"), what, which);
  return path;
}

static void touch(const char *path) {
  close(open(path, O_WRONLY | O_CREAT, 0600));
}

/* Whether it was ordered; an order is good for once. */
static int obey(const char *what, const char *which) {
  char path[4096];
  return REAL(unlink)(order(path, what, which)) == 0;
}

static void note(const char *verb, const char *which, const char *outcome) {
  char path[4096], line[64];
  snprintf(path, sizeof path, "%s/calls", getenv("FAULTY_ORDERS"));
  int length = snprintf(line, sizeof line, "%s %s%s\n", verb, which, outcome);
  int calls = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (write(calls, line, length) != length) abort();
  close(calls);
}

static int synchronise(int descriptor, int (*real)(int)) {
  const char *which = role(descriptor);
  char path[4096];
  if (which == NULL) return real(descriptor);
  if (obey("fail", which)) {
    touch(order(path, "begun", which));
    while (access(order(path, "hold", which), F_OK) == 0) usleep(1000);
    note("synchronise", which, " EIO");
    errno = EIO;
    return -1;
  }
  note("synchronise", which, "");
  return real(descriptor);
}

int fsync(int descriptor) { return synchronise(descriptor, REAL(fsync)); }
int fdatasync(int descriptor) { return synchronise(descriptor, REAL(fdatasync)); }

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  const char *which = role(descriptor);
  if (which != NULL && strcmp(which, "index") != 0) {
    if (obey("full", which)) {
      note("write", which, " ENOSPC");
      errno = ENOSPC;
      return -1;
    }
    note("write", which, "");
  }
  return REAL(pwrite64)(descriptor, bytes, count, offset);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  const char *which = unreadable ? role(descriptor) : NULL;
  if (which != NULL && strcmp(which, "log") == 0) {
    errno = EIO;
    return -1;
  }
  return REAL(pread64)(descriptor, bytes, count, offset);
}
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return pread64(descriptor, bytes, count, offset);
}

int unlink(const char *path) {
  const char *which = role_of(path);
  if (which != NULL) note("remove", which, "");
  return REAL(unlink)(path);
}

/* The lock of whoever writes to the log (sqlite.org/walformat.html, 2.3.1). */
static const off_t write_lock = 120;

static int control(int descriptor, int command, void *argument) {
  int result = REAL(fcntl)(descriptor, command, argument);
  if (command != F_SETLK && command != F_OFD_SETLK) return result;
  struct flock *lock = argument;
  if (lock->l_type != F_UNLCK || lock->l_start != write_lock) return result;
  const char *which = role(descriptor);
  if (which == NULL || strcmp(which, "index") != 0 || !obey("lose", "index")) return result;
  static const char nothing[96];
  if (REAL(pwrite64)(descriptor, nothing, sizeof nothing, 0) != sizeof nothing) abort();
  unreadable = 1;
  return result;
}

int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return control(descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) __attribute__((alias("fcntl")));
