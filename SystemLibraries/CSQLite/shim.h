#pragma once
#include <sqlite3.h>

/// For a file that somebody else has made. Swift cannot call sqlite3_db_config, whose arguments vary.
static inline void csqlite_distrust(sqlite3 *db, int bytes) {
  const int off[] = {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                     SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION,
                     SQLITE_DBCONFIG_WRITABLE_SCHEMA};
  for (unsigned i = 0; i < sizeof off / sizeof *off; i++) sqlite3_db_config(db, off[i], 0, (int *)0);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_drop_modules(db, (const char **)0);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, bytes);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 100);
  sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 4);
  sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
}
