// SPDX-License-Identifier: Apache-2.0
// Preloaded into truewheel. SHORT_IO=N: each read and write moves at most 1 to N bytes, by a fixed
// pseudo-random sequence. FAIL_ALLOCATION=N: the Nth allocation fails, and those after it while
// FAIL_ALLOCATION_COUNT (default 1) lasts. LEAVE_OUT=ADDRESS+SIZE (hexadecimal, as nm prints them):
// a function of the program within which none fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_ulong allocations;
static atomic_ulong step;
static unsigned long fail_at, fail_count, short_io;
static unsigned long left_out, left_out_size;
static const void* program;
static int started;

__attribute__((constructor)) static void start(void) {
  const char* text = getenv("FAIL_ALLOCATION");
  fail_at = text ? strtoul(text, 0, 10) : 0;
  text = getenv("FAIL_ALLOCATION_COUNT");
  fail_count = text ? strtoul(text, 0, 10) : 1;
  text = getenv("SHORT_IO");
  short_io = text ? strtoul(text, 0, 10) : 0;
  text = getenv("LEAVE_OUT");
  if (text) sscanf(text, "%lx+%lx", &left_out, &left_out_size);
}

// Counting starts with main: what static objects of a library allocate before it nobody can catch.
static int (*real_main)(int, char**, char**);
static int counted_main(int argc, char** argv, char** environment) {
  started = 1;
  return real_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  real_main = main;
  Dl_info where;
  if (dladdr(main, &where)) program = where.dli_fbase;
  int (*next)() = dlsym(RTLD_NEXT, "__libc_start_main");
  return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

static int is_left_out(void) {
  void* frames[60];
  for (int n = backtrace(frames, 60); n-- > 0;) {
    if ((uintptr_t)frames[n] - (uintptr_t)program - left_out < left_out_size) return 1;
  }
  return 0;
}

static int fails(void) {
  static _Thread_local int inside;
  if (!started || !fail_at || inside) return 0;
  inside = 1;
  unsigned long number = atomic_fetch_add(&allocations, 1) + 1;
  int failing = number >= fail_at && number < fail_at + fail_count && !is_left_out();
  inside = 0;
  return failing;
}

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);

#define TRY(call) (fails() ? (errno = ENOMEM, (void*)0) : (call))
void* malloc(size_t n) { return TRY(__libc_malloc(n)); }
void* calloc(size_t n, size_t m) { return TRY(__libc_calloc(n, m)); }
void* realloc(void* p, size_t n) { return TRY(__libc_realloc(p, n)); }
void* aligned_alloc(size_t a, size_t n) { return TRY(__libc_memalign(a, n)); }

static size_t less(size_t n) {
  if (!short_io || n < 2) return n;
  unsigned long x = atomic_fetch_add(&step, 1) * 2654435761u;
  size_t limit = 1 + (x >> 7) % short_io;
  return n < limit ? n : limit;
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))
ssize_t read(int f, void* b, size_t n) {
  return REAL("read", ssize_t(*)(int, void*, size_t))(f, b, less(n));
}
ssize_t write(int f, const void* b, size_t n) {
  return REAL("write", ssize_t(*)(int, const void*, size_t))(f, b, less(n));
}
ssize_t pread64(int f, void* b, size_t n, off64_t o) {
  return REAL("pread64", ssize_t(*)(int, void*, size_t, off64_t))(f, b, less(n), o);
}
ssize_t pwrite64(int f, const void* b, size_t n, off64_t o) {
  return REAL("pwrite64", ssize_t(*)(int, const void*, size_t, off64_t))(f, b, less(n), o);
}
ssize_t pread(int f, void* b, size_t n, off_t o) { return pread64(f, b, n, o); }
ssize_t pwrite(int f, const void* b, size_t n, off_t o) { return pwrite64(f, b, n, o); }
