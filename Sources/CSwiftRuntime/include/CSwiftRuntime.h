#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

#include <stdint.h>

/// A strong reference to the object, unless its last one is gone already; then null. The memory must still be there.
///
/// What the runtime itself uses behind weak references. Declared here and not looked up by name when it is needed: a
/// program that carries the runtime within itself has no table to look names up in.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Adds so many strong references at once.
void cswiftruntime_retain(void *_Nonnull object, uint32_t count);

#endif
