/// The source of an extension of SQLite with the virtual table `sqlite_dbpage`, which `.recover` needs. Debian's library is
/// built without it; the table reads the file through SQLite's own file methods.
enum DamagePageTable {
    static let source = #"""
        #include <string.h>
        #include <sqlite3ext.h>
        SQLITE_EXTENSION_INIT1

        typedef struct { sqlite3_vtab base; sqlite3 *db; } Table;
        typedef struct {
            sqlite3_vtab_cursor base;
            sqlite3_file *file;
            sqlite3_int64 page, last, size;
            char *bytes;
        } Cursor;

        static int connect(
            sqlite3 *db, void *data, int count, const char *const *arguments, sqlite3_vtab **result, char **message
        ) {
            int code = sqlite3_declare_vtab(db, "CREATE TABLE x(pgno INTEGER PRIMARY KEY, data BLOB, schema HIDDEN)");
            if (code != SQLITE_OK) return code;
            Table *table = sqlite3_malloc(sizeof(Table));
            if (!table) return SQLITE_NOMEM;
            memset(table, 0, sizeof(Table));
            table->db = db;
            *result = &table->base;
            return SQLITE_OK;
        }

        static int disconnect(sqlite3_vtab *table) {
            sqlite3_free(table);
            return SQLITE_OK;
        }

        /* Plan 1 has the page, plan 2 the name of the schema as its argument, plan 3 both. */
        static int plan(sqlite3_vtab *table, sqlite3_index_info *info) {
            int schema = -1, page = -1, arguments = 0;
            for (int index = 0; index < info->nConstraint; index++) {
                if (!info->aConstraint[index].usable || info->aConstraint[index].op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
                if (info->aConstraint[index].iColumn == 2) schema = index;
                if (info->aConstraint[index].iColumn <= 0) page = index;
            }
            if (schema >= 0) {
                info->aConstraintUsage[schema].argvIndex = ++arguments;
                info->aConstraintUsage[schema].omit = 1;
                info->idxNum |= 2;
            }
            if (page >= 0) {
                info->aConstraintUsage[page].argvIndex = ++arguments;
                info->aConstraintUsage[page].omit = 1;
                info->idxNum |= 1;
            }
            info->estimatedCost = page >= 0 ? 1 : 1e6;
            return SQLITE_OK;
        }

        static int openCursor(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
            Cursor *cursor = sqlite3_malloc(sizeof(Cursor));
            if (!cursor) return SQLITE_NOMEM;
            memset(cursor, 0, sizeof(Cursor));
            *result = &cursor->base;
            return SQLITE_OK;
        }

        static int closeCursor(sqlite3_vtab_cursor *base) {
            sqlite3_free(((Cursor *)base)->bytes);
            sqlite3_free(base);
            return SQLITE_OK;
        }

        static sqlite3_int64 setting(sqlite3 *db, const char *sql) {
            sqlite3_stmt *statement = 0;
            sqlite3_int64 value = 0;
            if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
                value = sqlite3_column_int64(statement, 0);
            sqlite3_finalize(statement);
            return value;
        }

        static int filter(sqlite3_vtab_cursor *base, int plan, const char *name, int count, sqlite3_value **values) {
            Cursor *cursor = (Cursor *)base;
            sqlite3 *db = ((Table *)base->pVtab)->db;
            cursor->size = setting(db, "PRAGMA page_size");
            cursor->last = setting(db, "PRAGMA page_count");
            cursor->page = 1;
            int code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &cursor->file);
            if (code != SQLITE_OK) return code;
            sqlite3_free(cursor->bytes);
            cursor->bytes = sqlite3_malloc64(cursor->size);
            if (!cursor->bytes) return SQLITE_NOMEM;
            if (plan & 1) {
                sqlite3_int64 page = sqlite3_value_int64(values[count - 1]);
                if (page < 1 || page > cursor->last) cursor->last = 0;
                else cursor->page = cursor->last = page;
            }
            return SQLITE_OK;
        }

        static int next(sqlite3_vtab_cursor *base) {
            ((Cursor *)base)->page++;
            return SQLITE_OK;
        }

        static int end(sqlite3_vtab_cursor *base) {
            return ((Cursor *)base)->page > ((Cursor *)base)->last;
        }

        static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number) {
            Cursor *cursor = (Cursor *)base;
            if (number == 0) {
                sqlite3_result_int64(context, cursor->page);
            } else if (number == 1) {
                int code = cursor->file->pMethods->xRead(
                    cursor->file, cursor->bytes, (int)cursor->size, (cursor->page - 1) * cursor->size);
                if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
                sqlite3_result_blob64(context, cursor->bytes, cursor->size, SQLITE_TRANSIENT);
            } else {
                sqlite3_result_text(context, "main", -1, SQLITE_STATIC);
            }
            return SQLITE_OK;
        }

        static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *result) {
            *result = ((Cursor *)base)->page;
            return SQLITE_OK;
        }

        static sqlite3_module module = {
            .xConnect = connect, .xBestIndex = plan, .xDisconnect = disconnect, .xOpen = openCursor, .xClose = closeCursor,
            .xFilter = filter, .xNext = next, .xEof = end, .xColumn = column, .xRowid = rowid,
        };

        int sqlite3_pages_init(sqlite3 *db, char **message, const sqlite3_api_routines *api) {
            SQLITE_EXTENSION_INIT2(api);
            return sqlite3_create_module(db, "sqlite_dbpage", &module, 0);
        }
        """#
}
