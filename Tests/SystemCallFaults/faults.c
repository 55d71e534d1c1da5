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
static _Atomic int fault_stays;

enum calls { CHANGES, READS };
static _Atomic enum calls counted_calls;

static void arm(enum calls which, const char *path, long at, int kind, int stays) {
    strncpy(watched, path, sizeof watched - 1);
    calls = 0;
    fault_kind = kind;
    fault_stays = stays;
    counted_calls = which;
    fault_at = at;
}

void faults_arm(const char *path, long at, int kind) { arm(CHANGES, path, at, kind, 0); }

void faults_arm_reads(const char *path, long at, int kind, int stays) { arm(READS, path, at, kind, stays); }

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
static int counted_as(enum calls which, const char *path, int stays) {
    if (which != counted_calls || !watched[0] || !path || !strstr(path, watched)) return 0;
    long number = atomic_fetch_add(&calls, 1) + 1;
    if (number != fault_at && !(stays && fault_at > 0 && number > fault_at)) return 0;
    if (fault_kind == FAULTS_KILL) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    return fault_kind;
}

static int counted(const char *path) { return counted_as(CHANGES, path, 0); }

static int counted_read(const char *path) { return counted_as(READS, path, fault_stays); }

static int counted_descriptor_as(enum calls which, int descriptor, int stays) {
    if (which != counted_calls || !watched[0]) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return counted_as(which, path, stays);
}

static int counted_descriptor(int descriptor) { return counted_descriptor_as(CHANGES, descriptor, 0); }

static int counted_read_of(int descriptor) { return counted_descriptor_as(READS, descriptor, fault_stays); }

// SQLite tries for ten seconds to get a lock in the log's index: a lock fails but once.
static int counted_lock_of(int descriptor) { return counted_descriptor_as(READS, descriptor, 0); }

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

// Only opening that makes a file changes one; any may fail to read it.
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
        if (counted_calls == READS) FAULT(counted_read(path));                                                        \
        if ((flags & O_CREAT) && faccessat(AT_FDCWD, path, F_OK, 0) != 0) FAULT(counted(path));                       \
        return real(path, flags, mode);                                                                               \
    }

OPEN(open)
OPEN(open64)

// MARK: Reading

ssize_t read(int descriptor, void *bytes, size_t count) {
    REAL(ssize_t, "read", int, void *, size_t);
    FAULT(counted_read_of(descriptor));
    return real(descriptor, bytes, count);
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
    REAL(ssize_t, "pread", int, void *, size_t, off_t);
    FAULT(counted_read_of(descriptor));
    return real(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    REAL(ssize_t, "pread64", int, void *, size_t, off64_t);
    FAULT(counted_read_of(descriptor));
    return real(descriptor, bytes, count, offset);
}

int stat(const char *path, struct stat *result) {
    REAL(int, "stat", const char *, struct stat *);
    FAULT(counted_read(path));
    return real(path, result);
}

int stat64(const char *path, struct stat64 *result) {
    REAL(int, "stat64", const char *, struct stat64 *);
    FAULT(counted_read(path));
    return real(path, result);
}

int lstat(const char *path, struct stat *result) {
    REAL(int, "lstat", const char *, struct stat *);
    FAULT(counted_read(path));
    return real(path, result);
}

int lstat64(const char *path, struct stat64 *result) {
    REAL(int, "lstat64", const char *, struct stat64 *);
    FAULT(counted_read(path));
    return real(path, result);
}

int fstat(int descriptor, struct stat *result) {
    REAL(int, "fstat", int, struct stat *);
    FAULT(counted_read_of(descriptor));
    return real(descriptor, result);
}

int fstat64(int descriptor, struct stat64 *result) {
    REAL(int, "fstat64", int, struct stat64 *);
    FAULT(counted_read_of(descriptor));
    return real(descriptor, result);
}

int access(const char *path, int mode) {
    REAL(int, "access", const char *, int);
    FAULT(counted_read(path));
    return real(path, mode);
}

// Locks alone: what takes no argument, or another, is handed on as it came.
#define CONTROL(name)                                                                                                 \
    int name(int descriptor, int command, ...) {                                                                      \
        REAL(int, #name, int, int, ...);                                                                              \
        va_list list;                                                                                                 \
        va_start(list, command);                                                                                      \
        void *argument = va_arg(list, void *);                                                                        \
        va_end(list);                                                                                                 \
        int locks = command == F_SETLK || command == F_OFD_SETLK;                                                     \
        if (locks && ((struct flock *)argument)->l_type != F_UNLCK) FAULT(counted_lock_of(descriptor));               \
        return real(descriptor, command, argument);                                                                   \
    }

CONTROL(fcntl)
CONTROL(fcntl64)
