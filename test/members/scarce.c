/* Owns a system that has none left of what hashing takes (SCARCE): preloaded before libc, it begins no
   thread of node's workers (`threads`), or has no memory for a hash (`memory`). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Node's own for them; its other threads have the system's. */
static const size_t worker_stack = 4 * 1024 * 1024;
/* What one hash takes. */
static const size_t hash_memory = 19456 * 1024;

typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int is_scarce(const char *what) {
  const char *scarce = getenv("SCARCE");
  return scarce != NULL && strcmp(scarce, what) == 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*begin)(void *),
                   void *argument) {
  size_t stack = 0;
  if (attributes != NULL) pthread_attr_getstacksize(attributes, &stack);
  if (stack == worker_stack && is_scarce("threads")) return EAGAIN;
  return ((create *)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, begin, argument);
}

extern void *__libc_malloc(size_t size);

void *malloc(size_t size) {
  if (size < hash_memory || size > 2 * hash_memory || !is_scarce("memory")) {
    return __libc_malloc(size);
  }
  errno = ENOMEM;
  return NULL;
}
