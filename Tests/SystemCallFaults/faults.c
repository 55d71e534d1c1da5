#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include "CoreDataSystemCallFaults.h"

static char watched[4096];
static _Atomic long calls;
static _Atomic long fault_at;
static _Atomic int fault_kind;

void faults_arm(const char *path, long at, int kind) {
    strncpy(watched, path, sizeof watched - 1);
    calls = 0;
    fault_kind = kind;
    fault_at = at;
}

long faults_count(void) { return calls; }

static void write_count(void) {
    FILE *file = fopen(getenv("FAULTS_COUNT"), "w");
    if (file) {
        fprintf(file, "%ld\n", (long)calls);
        fclose(file);
    }
}

__attribute__((constructor)) static void arm_by_environment(void) {
    const char *path = getenv("FAULTS_PATH"), *at = getenv("FAULTS_AT"), *kind = getenv("FAULTS_ERRNO");
    if (!path) return;
    int number = kind ? atoi(kind) : 0;
    if (kind && strcmp(kind, "kill") == 0) number = FAULTS_KILL;
    if (kind && strcmp(kind, "short") == 0) number = FAULTS_SHORT;
    faults_arm(path, at ? atol(at) : 0, number);
    if (getenv("FAULTS_COUNT")) atexit(write_count);
}

// What a counted call has to do: 0 to go on, else the kind of the fault.
static int counted(const char *path) {
    if (!watched[0] || !path || !strstr(path, watched)) return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number != fault_at) return 0;
    if (fault_kind == FAULTS_KILL) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    return fault_kind;
}

static int counted_descriptor(int descriptor) {
    if (!watched[0]) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return counted(path);
}

#define REAL(type, name, ...)                                                                                         \
    static type (*real)(__VA_ARGS__);                                                                                 \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

// Fails the call, or lets a short write be one.
#define FAULT(fault)                                                                                                  \
    do {                                                                                                              \
        int code = (fault);                                                                                           \
        if (code > 0) {                                                                                               \
            errno = code;                                                                                             \
            return -1;                                                                                                \
        }                                                                                                             \
    } while (0)

#define FAULT_OR_SHORT(fault, count)                                                                                  \
    do {                                                                                                              \
        int code = (fault);                                                                                           \
        if (code == FAULTS_SHORT && count > 1) count /= 2;                                                            \
        if (code > 0) {                                                                                               \
            errno = code;                                                                                             \
            return -1;                                                                                                \
        }                                                                                                             \
    } while (0)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    REAL(ssize_t, "write", int, const void *, size_t);
    FAULT_OR_SHORT(counted_descriptor(descriptor), count);
    return real(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    FAULT_OR_SHORT(counted_descriptor(descriptor), count);
    return real(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    FAULT_OR_SHORT(counted_descriptor(descriptor), count);
    return real(descriptor, bytes, count, offset);
}

ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t count, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
    FAULT(counted_descriptor(out));
    return real(in, in_offset, out, out_offset, count, flags);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t count) {
    REAL(ssize_t, "sendfile", int, int, off_t *, size_t);
    FAULT(counted_descriptor(out));
    return real(out, in, offset, count);
}

int ftruncate(int descriptor, off_t length) {
    REAL(int, "ftruncate", int, off_t);
    FAULT(counted_descriptor(descriptor));
    return real(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    REAL(int, "ftruncate64", int, off64_t);
    FAULT(counted_descriptor(descriptor));
    return real(descriptor, length);
}

int fsync(int descriptor) {
    REAL(int, "fsync", int);
    FAULT(counted_descriptor(descriptor));
    return real(descriptor);
}

int fdatasync(int descriptor) {
    REAL(int, "fdatasync", int);
    FAULT(counted_descriptor(descriptor));
    return real(descriptor);
}

int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    FAULT(counted(to));
    return real(from, to);
}

int link(const char *from, const char *to) {
    REAL(int, "link", const char *, const char *);
    FAULT(counted(to));
    return real(from, to);
}

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    FAULT(counted(path));
    return real(path);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, "unlinkat", int, const char *, int);
    FAULT(path[0] == '/' ? counted(path) : counted_descriptor(folder));
    return real(folder, path, flags);
}

int rmdir(const char *path) {
    REAL(int, "rmdir", const char *);
    FAULT(counted(path));
    return real(path);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    FAULT(counted(path));
    return real(path, mode);
}

// Only opening that makes a file changes one.
#define OPEN(name)                                                                                                    \
    int name(const char *path, int flags, ...) {                                                                      \
        REAL(int, #name, const char *, int, ...);                                                                     \
        mode_t mode = 0;                                                                                              \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                          \
            va_list list;                                                                                             \
            va_start(list, flags);                                                                                    \
            mode = va_arg(list, mode_t);                                                                              \
            va_end(list);                                                                                             \
        }                                                                                                             \
        if ((flags & O_CREAT) && access(path, F_OK) != 0) FAULT(counted(path));                                       \
        return real(path, flags, mode);                                                                               \
    }

OPEN(open)
OPEN(open64)
