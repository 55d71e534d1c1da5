#include "CCoreDataRuntime.h"

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
