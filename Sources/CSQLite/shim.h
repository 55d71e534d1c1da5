#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/// Switches off SQLite's count of the memory it has in use; for Swift, which cannot call functions with `...`.
/// Without effect once the process has used SQLite.
static inline int csqlite_omit_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

#endif
