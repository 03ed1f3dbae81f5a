-- A vault as version 0.1.0 wrote it, its second format: the statements it made it with, then rows of every table. Never edited.
CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created REAL NOT NULL);
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
  name TEXT NOT NULL, source TEXT, hash TEXT NOT NULL, title TEXT NOT NULL, kind TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('stored', 'indexed', 'ready', 'failed')),
  pages INTEGER, pages_done INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL, text_bytes INTEGER NOT NULL DEFAULT 0,
  metadata TEXT, error TEXT, created REAL NOT NULL, updated REAL NOT NULL,
  UNIQUE (collection, name));
CREATE INDEX documents_hash ON documents (hash);
CREATE INDEX documents_source ON documents (source);
CREATE TABLE pages (
  document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  number INTEGER NOT NULL, start INTEGER NOT NULL, text TEXT NOT NULL, width REAL, height REAL, boxes BLOB,
  PRIMARY KEY (document, number)) WITHOUT ROWID;
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
  ordinal INTEGER NOT NULL, page_from INTEGER, page_to INTEGER, start INTEGER NOT NULL, end INTEGER NOT NULL,
  heading TEXT NOT NULL, text TEXT NOT NULL, tokens INTEGER NOT NULL,
  UNIQUE (document, ordinal));
CREATE TABLE embedders (id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
CREATE TABLE vectors (
  chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE,
  embedder INTEGER NOT NULL REFERENCES embedders, data BLOB NOT NULL,
  PRIMARY KEY (chunk, embedder)) WITHOUT ROWID;
CREATE TABLE vector_state (only INTEGER PRIMARY KEY CHECK (only = 1), revision INTEGER NOT NULL);
INSERT INTO vector_state VALUES (1, 0);
CREATE TABLE watched (folder TEXT PRIMARY KEY, collection TEXT NOT NULL, created REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT, paths TEXT NOT NULL, collection TEXT NOT NULL, state TEXT NOT NULL,
  created REAL NOT NULL, updated REAL NOT NULL);
CREATE TABLE import_files (
  import INTEGER NOT NULL REFERENCES imports ON DELETE CASCADE, path TEXT NOT NULL, state TEXT NOT NULL, reason TEXT,
  PRIMARY KEY (import, path)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
  heading, text, content = 'chunks', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE names USING fts5 (
  heading, text, content = 'chunks', content_rowid = 'id', detail = none,
  tokenize = "unicode61 remove_diacritics 0 tokenchars '_-./@#+$§%:'");
CREATE VIRTUAL TABLE names_terms USING fts5vocab (names, 'row');
CREATE VIRTUAL TABLE words_terms USING fts5vocab (words, 'row');
CREATE TRIGGER chunks_added AFTER INSERT ON chunks BEGIN
  INSERT INTO words (rowid, heading, text) VALUES (new.id, new.heading, new.text);
  INSERT INTO names (rowid, heading, text) VALUES (new.id, new.heading, new.text);
END;
CREATE TRIGGER chunks_removed AFTER DELETE ON chunks BEGIN
  INSERT INTO words (words, rowid, heading, text) VALUES ('delete', old.id, old.heading, old.text);
  INSERT INTO names (names, rowid, heading, text) VALUES ('delete', old.id, old.heading, old.text);
END;
CREATE TABLE conversations (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, collection TEXT, leaf TEXT, created REAL NOT NULL, updated REAL NOT NULL);
CREATE TABLE messages (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
  parent TEXT REFERENCES messages (id) ON DELETE CASCADE,
  role TEXT NOT NULL, text TEXT NOT NULL, record TEXT, created REAL NOT NULL);
CREATE INDEX messages_conversation ON messages (conversation, number);
CREATE INDEX messages_parent ON messages (parent);
CREATE TABLE attachments (
  message TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE, position INTEGER NOT NULL,
  name TEXT NOT NULL, hash TEXT NOT NULL, kind TEXT NOT NULL, bytes INTEGER NOT NULL,
  PRIMARY KEY (message, position)) WITHOUT ROWID;
CREATE INDEX attachments_hash ON attachments (hash);
CREATE VIRTUAL TABLE message_words USING fts5 (
  text, content = 'messages', content_rowid = 'number', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN
  INSERT INTO message_words (rowid, text) VALUES (new.number, new.text);
END;
CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.number, old.text);
END;
CREATE TRIGGER messages_changed AFTER UPDATE OF text ON messages BEGIN
  INSERT INTO message_words (message_words, rowid, text) VALUES ('delete', old.number, old.text);
  INSERT INTO message_words (rowid, text) VALUES (new.number, new.text);
END;
CREATE TABLE journal (
  id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, summary TEXT NOT NULL, done TEXT NOT NULL, undo TEXT,
  state TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL);
CREATE TABLE documents_next (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL REFERENCES collections ON DELETE CASCADE,
  name TEXT NOT NULL, source TEXT, hash TEXT NOT NULL, original TEXT, title TEXT NOT NULL, kind TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('stored', 'indexed', 'ready', 'failed')),
  pages INTEGER, pages_done INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL, text_bytes INTEGER NOT NULL DEFAULT 0,
  headings TEXT, error TEXT, created REAL NOT NULL, updated REAL NOT NULL,
  UNIQUE (collection, name, source));
INSERT INTO documents_next
  SELECT id, collection, name, source, hash, CASE kind WHEN 'records' THEN NULL ELSE hash END, title, kind, state, pages,
    pages_done, bytes, text_bytes, NULL, error, created, updated FROM documents;
DELETE FROM sqlite_sequence WHERE name = 'documents_next';
INSERT INTO sqlite_sequence (name, seq) SELECT 'documents_next', seq FROM sqlite_sequence WHERE name = 'documents';
DROP TABLE documents;
ALTER TABLE documents_next RENAME TO documents;
CREATE INDEX documents_hash ON documents (hash);
CREATE INDEX documents_source ON documents (source);
CREATE INDEX documents_original ON documents (original);
DROP TABLE import_files;
DROP TABLE imports;
DROP TABLE journal;
CREATE TABLE chores (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE INDEX vectors_embedder ON vectors (embedder, chunk);
PRAGMA user_version = 2;
INSERT INTO collections VALUES (1, 'documents', 771000000), (2, 'work', 771000001);
INSERT INTO documents (id, collection, name, source, hash, original, title, kind, state, pages, pages_done, bytes, text_bytes, headings, error, created, updated) VALUES
  (3, 1, 'lease.txt', '/home/a/lease.txt', 'aa01', 'aa01', 'Lease', 'text', 'ready', 1, 1, 62, 62, NULL, NULL, 771000002, 771000003),
  (5, 2, 'mails.jsonl', '/home/a/mails.jsonl', 'bb02', NULL, 'Mails', 'records', 'stored', NULL, 0, 30, 21, '["A"]', NULL, 771000004, 771000005),
  (8, 2, 'broken.pdf', NULL, 'cc03', 'cc03', 'broken.pdf', 'pdf', 'failed', NULL, 0, 9, 0, NULL, 'It is damaged.', 771000006, 771000006),
  (9, 1, 'gone.txt', NULL, 'dd04', 'dd04', 'Gone', 'text', 'ready', 1, 1, 4, 4, NULL, NULL, 771000006, 771000006);
INSERT INTO pages VALUES (3, 1, 0, 'The rent is 930 euros a month.' || char(10) || 'Notice is three months.', 595, 842, NULL),
  (5, 1, 0, 'Invoice INV-2041 paid', NULL, NULL, NULL), (9, 1, 0, 'gone', NULL, NULL, NULL);
INSERT INTO chunks VALUES (11, 3, 0, 1, 1, 0, 30, 'Lease', 'The rent is 930 euros a month.', 9),
  (12, 3, 1, 1, 1, 31, 54, 'Lease', 'Notice is three months.', 5), (14, 5, 0, 1, 1, 0, 21, '', 'Invoice INV-2041 paid', 6),
  (15, 9, 0, 1, 1, 0, 4, '', 'gone', 1);
INSERT INTO embedders VALUES (1, 'test', 2);
INSERT INTO vectors VALUES (11, 1, x'0000803f01000000'), (12, 1, x'0000803f00010000');
UPDATE vector_state SET revision = 2;
INSERT INTO watched VALUES ('/home/a/letters', 'work', 771000007);
INSERT INTO conversations VALUES ('c-1', 'Rent', 'documents', 'm-4', 771000008, 771000009), ('c-2', 'Other', NULL, 'm-5', 771000008, 771000009);
INSERT INTO messages VALUES (1, 'm-1', 'c-1', NULL, 'user', 'How much is the rent?', NULL, 771000010),
  (2, 'm-2', 'c-1', 'm-1', 'assistant', 'It is 930 euros.', '{"mode":"fast"}', 771000011),
  (3, 'm-3', 'c-1', 'm-1', 'assistant', 'It is 930 euros a month.', NULL, 771000012),
  (4, 'm-4', 'c-1', 'm-3', 'user', 'And the notice?', NULL, 771000013), (5, 'm-5', 'c-2', NULL, 'user', 'Hello', NULL, 771000014);
INSERT INTO attachments VALUES ('m-1', 0, 'lease.txt', 'aa01', 'text/plain', 62);
DELETE FROM documents WHERE id = 9;
