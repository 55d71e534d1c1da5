#ifndef CCOREDATARUNTIME_H
#define CCOREDATARUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A strong reference to the object, unless its last one is gone already; then null. The memory must still be there.
///
/// What the runtime itself uses behind weak references. Declared here and not looked up by name when it is needed: a
/// program that carries the runtime within itself has no table to look names up in.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// The task that runs on this thread; null outside of tasks. And the number of a task, which no other task of the process has:
/// an address serves one task after the other.
__attribute__((swiftcall)) const void *_Nullable swift_task_getCurrent(void);
__attribute__((swiftcall)) uint64_t swift_task_getJobTaskId(const void *_Nonnull task);

/// Where an image keeps one kind of what the compiler wrote down.
typedef struct {
    uintptr_t start;
    size_t length;
} CCoreDataRuntimeRange;

/// The beginning of what the runtime knows about an image (`MetadataSections.h` of the toolchain).
typedef struct {
    uintptr_t version;
    const void *_Nullable baseAddress;
    void *_Nullable unused0;
    void *_Nullable unused1;
    CCoreDataRuntimeRange protocols;
    CCoreDataRuntimeRange conformances;
    CCoreDataRuntimeRange types;
} CCoreDataRuntimeSections;

/// Calls the function for each image of the process that holds Swift code, until it returns false.
void swift_enumerateAllMetadataSections(
    bool (*_Nonnull body)(const CCoreDataRuntimeSections *_Nonnull sections, void *_Nullable context),
    void *_Nullable context);

/// The metadata of a class that is not generic, by the accessor its descriptor names.
const void *_Nullable ccoredataruntime_metadata(const void *_Nonnull accessor);

/// Adds so many strong references at once.
void ccoredataruntime_retain(void *_Nonnull object, uint32_t count);

/// Reads memory from its first byte to before its end, for it to be near when it is looked at in any order. (Of hints to
/// fetch memory, the processor heeds but a dozen at a time.)
static inline void ccoredataruntime_touch(const void *_Nonnull start, const void *_Nonnull end) {
    for (const volatile char *line = start; line < (const volatile char *)end; line += 64) (void)*line;
}

/// What CoreDataRuntimeSupport assumes about how Swift lays out memory.
typedef enum {
    CCoreDataRuntimeContentsOfAny,
    CCoreDataRuntimeClassMetadata,
    CCoreDataRuntimeClassDescriptors,
    CCoreDataRuntimeShortText,
    CCoreDataRuntimeAssumptionCount,
} CCoreDataRuntimeAssumption;

/// What is known of each assumption: 0 until it is checked, then 1 if it holds and 2 if not. Here for asking to cost a load:
/// a Swift variable of another module has to be made first.
extern uint8_t ccoredataruntime_answers[CCoreDataRuntimeAssumptionCount];

static inline uint8_t ccoredataruntime_answer(CCoreDataRuntimeAssumption assumption) {
    return __atomic_load_n(&ccoredataruntime_answers[assumption], __ATOMIC_RELAXED);
}

static inline void ccoredataruntime_note_answer(CCoreDataRuntimeAssumption assumption, bool holds) {
    __atomic_store_n(&ccoredataruntime_answers[assumption], (uint8_t)(holds ? 1 : 2), __ATOMIC_RELAXED);
}

/// Which file is at a path, or open as a descriptor if the path is empty: device, inode, when the inode was made, where the system
/// knows it, and the number of links. The system gives the number of a deleted file to the next one. 0 on success.
int ccoredataruntime_identify(int descriptor, const char *_Nonnull path, uint64_t identity[_Nonnull 4]);

#endif
