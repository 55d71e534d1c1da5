#include "CCoreDataRuntime.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#if defined(__linux__) && defined(__GLIBC__)
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

uint8_t ccoredataruntime_answers[CCoreDataRuntimeAssumptionCount];

void *swift_retain_n(void *object, uint32_t count);

// In C: Swift's optimiser takes calls of this name for its own, and does not expect them where it looks for pairs to remove.
void ccoredataruntime_retain(void *object, uint32_t count) { swift_retain_n(object, count); }

typedef struct {
    const void *metadata;
    size_t state;
} MetadataResponse;

typedef __attribute__((swiftcall)) MetadataResponse MetadataAccessor(size_t request);

const void *ccoredataruntime_metadata(const void *accessor) { return ((MetadataAccessor *)accessor)(0).metadata; }

int ccoredataruntime_identify(int descriptor, const char *path, uint64_t identity[4]) {
#if defined(STATX_BTIME) && defined(SYS_statx)
    struct statx status;
    int flags = path[0] ? 0 : 0x1000; // AT_EMPTY_PATH
    if (syscall(SYS_statx, descriptor, path, flags, STATX_INO | STATX_NLINK | STATX_BTIME, &status) == 0) {
        identity[0] = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
        identity[1] = status.stx_ino;
        identity[2] = status.stx_mask & STATX_BTIME
            ? (uint64_t)status.stx_btime.tv_sec * 1000000000u + status.stx_btime.tv_nsec : 0;
        identity[3] = status.stx_nlink;
        return 0;
    }
    if (errno != ENOSYS && errno != EPERM) return -1;
#endif
    struct stat plain;
    if (path[0] ? stat(path, &plain) : fstat(descriptor, &plain)) return -1;
    identity[0] = (uint64_t)plain.st_dev;
    identity[1] = (uint64_t)plain.st_ino;
    identity[2] = 0;
    identity[3] = (uint64_t)plain.st_nlink;
    return 0;
}
