#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <fcntl.h>
#include <sqlite3.h>

#if !defined(O_PATH) && defined(__O_PATH)
#define O_PATH __O_PATH
#endif

/// Switches off SQLite's count of the memory it has in use, and has a connection make room for ten pages when it reads the
/// first, in place of twenty; for Swift, which cannot call functions with `...`. Without effect once the process has used
/// SQLite.
static inline int csqlite_configure_memory(void) {
    int result = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return result == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 10) : result;
}

/// A descriptor that only stands for the file at a path; -1 where there is no file, or no such descriptors. Unlike
/// others, it may be closed without the process losing the locks it has on the file.
static inline int csqlite_open_place(const char *path) {
#ifdef O_PATH
    return open(path, O_PATH | O_CLOEXEC);
#else
    return -1;
#endif
}

#endif
