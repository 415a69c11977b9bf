#ifndef FERRY_CSQLITE_SHIM_H
#define FERRY_CSQLITE_SHIM_H

#if !__has_include(<sqlite3.h>)
#error "Ferry needs the headers of SQLite: apt install libsqlite3-dev, dnf install sqlite-devel, pacman -S sqlite, zypper install sqlite3-devel (README: System packages)"
#else

#include <sqlite3.h>

// A macro in a form that Swift does not import.
static const int CSQLite_IOERR_NOMEM = SQLITE_IOERR_NOMEM;

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift cannot import: these wrappers make
// SQLite copy their arguments.

static inline int CSQLite_bindText(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count
) {
    return sqlite3_bind_text64(
        statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

// A null pointer would bind NULL; an empty blob is a value of its own.
static inline int CSQLite_bindBlob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count
) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_config is variadic. Without memory statistics, an allocation takes no lock; the call has no effect
// once SQLite is in use.
static inline int CSQLite_keepNoMemoryStatistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// sqlite3_db_config is variadic.
static inline int CSQLite_setSwitch(sqlite3 *connection, int option, int on) {
    return sqlite3_db_config(connection, option, on, (int *)0);
}

#endif
#endif
