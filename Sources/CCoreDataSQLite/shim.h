#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// The functions whose result must be looked at are declared again, so that the compiler warns where it is dropped.
#define CSQLITE_CHECKED __attribute__((warn_unused_result))

CSQLITE_CHECKED int sqlite3_backup_finish(sqlite3_backup *);
CSQLITE_CHECKED int sqlite3_backup_step(sqlite3_backup *, int);
CSQLITE_CHECKED int sqlite3_bind_blob64(sqlite3_stmt *, int, const void *, sqlite3_uint64, void (*)(void *));
CSQLITE_CHECKED int sqlite3_bind_double(sqlite3_stmt *, int, double);
CSQLITE_CHECKED int sqlite3_bind_int64(sqlite3_stmt *, int, sqlite3_int64);
CSQLITE_CHECKED int sqlite3_bind_null(sqlite3_stmt *, int);
CSQLITE_CHECKED int sqlite3_bind_pointer(sqlite3_stmt *, int, void *, const char *, void (*)(void *));
CSQLITE_CHECKED int sqlite3_bind_text64(
    sqlite3_stmt *, int, const char *, sqlite3_uint64, void (*)(void *), unsigned char);
CSQLITE_CHECKED int sqlite3_bind_zeroblob(sqlite3_stmt *, int, int);
CSQLITE_CHECKED int sqlite3_busy_timeout(sqlite3 *, int);
CSQLITE_CHECKED int sqlite3_close(sqlite3 *);
CSQLITE_CHECKED int sqlite3_close_v2(sqlite3 *);
CSQLITE_CHECKED int sqlite3_create_collation_v2(
    sqlite3 *, const char *, int, void *, int (*)(void *, int, const void *, int, const void *), void (*)(void *));
CSQLITE_CHECKED int sqlite3_create_function_v2(
    sqlite3 *, const char *, int, int, void *, void (*)(sqlite3_context *, int, sqlite3_value **),
    void (*)(sqlite3_context *, int, sqlite3_value **), void (*)(sqlite3_context *), void (*)(void *));
CSQLITE_CHECKED int sqlite3_create_module_v2(
    sqlite3 *, const char *, const sqlite3_module *, void *, void (*)(void *));
CSQLITE_CHECKED int sqlite3_declare_vtab(sqlite3 *, const char *);
CSQLITE_CHECKED int sqlite3_exec(
    sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
CSQLITE_CHECKED int sqlite3_file_control(sqlite3 *, const char *, int, void *);
CSQLITE_CHECKED int sqlite3_finalize(sqlite3_stmt *);
CSQLITE_CHECKED int sqlite3_initialize(void);
CSQLITE_CHECKED int sqlite3_open_v2(const char *, sqlite3 **, int, const char *);
CSQLITE_CHECKED int sqlite3_prepare_v3(
    sqlite3 *, const char *, int, unsigned int, sqlite3_stmt **, const char **);
CSQLITE_CHECKED int sqlite3_reset(sqlite3_stmt *);
CSQLITE_CHECKED int sqlite3_step(sqlite3_stmt *);
CSQLITE_CHECKED int sqlite3_vfs_register(sqlite3_vfs *, int);
CSQLITE_CHECKED int sqlite3_wal_checkpoint_v2(sqlite3 *, const char *, int, int *, int *);

/// Switches off SQLite's count of the memory it has in use, and has a connection make room for ten pages when it reads the
/// first, in place of twenty; for Swift, which cannot call functions with `...`. SQLITE_MISUSE, and without effect, once the
/// process has used SQLite.
static inline int csqlite_configure_memory(void) {
    int result = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return result == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 10) : result;
}

/// Prepares a connection for a file of unknown origin: no views and triggers, and none of the ways by which SQL can damage a file.
/// Options that this version of SQLite does not know are left out.
static inline int csqlite_distrust(sqlite3 *database) {
    int result = SQLITE_OK;
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
    if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
#endif
#ifdef SQLITE_DBCONFIG_ENABLE_TRIGGER
    if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
#endif
#ifdef SQLITE_DBCONFIG_DEFENSIVE
    if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
    if (result == SQLITE_OK) result = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
#endif
    return result;
}

/// Whether statements may use views, also within triggers; otherwise every use is an error. SQLite before version 3.30 leaves
/// them on.
static inline int csqlite_enable_views(sqlite3 *database, int isEnabled) {
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
    return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, isEnabled, (int *)0);
#else
    return SQLITE_OK;
#endif
}

#endif
