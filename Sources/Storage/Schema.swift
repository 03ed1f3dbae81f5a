/// The vault's tables, as steps from each format to the next. A released step is never edited; a change is a new step.
package struct Migration: Sendable {
  package let format: Int
  package let sql: String

  package init(format: Int, sql: String) {
    self.format = format
    self.sql = sql
  }
}

package enum Schema {
  package static let migrations = [
    Migration(format: 1, sql: documents + words + conversations + messageWords + records),
    Migration(format: 2, sql: sources),
    Migration(format: 3, sql: branches + messageWords),
    Migration(format: 4, sql: mail),
    Migration(format: 5, sql: folders),
    Migration(format: 6, sql: beginners),
    Migration(format: 7, sql: attachedWords),
  ]

  /// Row ids are never used twice (AUTOINCREMENT): vectors and the word index refer to chunks by them.
  private static let documents = """
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

    """

  /// Both word indexes keep no text of their own, they read the chunks. `words` finds by stem; `names` keeps identifiers,
  /// numbers and addresses in one piece, unstemmed, and is also the vocabulary that typing errors are corrected against.
  private static let words = """
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

    """

  private static let conversations = """
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

    """

  /// Goes with the table of messages whenever that is made anew.
  private static let messageWords = """
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

    """

  private static let records = """
    CREATE TABLE journal (
      id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, summary TEXT NOT NULL, done TEXT NOT NULL, undo TEXT,
      state TEXT NOT NULL, created REAL NOT NULL, updated REAL NOT NULL);
    """

  /// Two folders may hold files of one name: a document is told from others by where it came from, too. `original` is the hash
  /// of the file's bytes, which many records share; `headings` are those in force where an interrupted import goes on. What
  /// replaced documents leave in the indexes is swept up once, after an import; `chores` remembers that it is owed.
  private static let sources = """
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
    """

  /// A message follows one that came before it in its conversation, so that no walk through them can go in a circle; what once
  /// followed something else stands at the top now. Deleting a conversation deletes its messages all at once: each taking those
  /// after it along would end at SQLite's limit of a thousand steps.
  private static let branches = """
    CREATE TABLE messages_next (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
      conversation TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
      parent TEXT REFERENCES messages (id),
      role TEXT NOT NULL, text TEXT NOT NULL, record TEXT, created REAL NOT NULL);
    INSERT INTO messages_next
      SELECT m.number, m.id, m.conversation,
        (SELECT p.id FROM messages p WHERE p.id = m.parent AND p.conversation = m.conversation AND p.number < m.number),
        m.role, m.text, m.record, m.created FROM messages m;
    DELETE FROM sqlite_sequence WHERE name = 'messages_next';
    INSERT INTO sqlite_sequence (name, seq) SELECT 'messages_next', seq FROM sqlite_sequence WHERE name = 'messages';
    DROP TABLE messages;
    ALTER TABLE messages_next RENAME TO messages;
    CREATE INDEX messages_conversation ON messages (conversation, number);
    CREATE INDEX messages_parent ON messages (parent);
    CREATE TRIGGER messages_follow AFTER INSERT ON messages
      WHEN new.parent IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM messages WHERE id = new.parent AND conversation = new.conversation AND number < new.number)
    BEGIN
      SELECT RAISE (ABORT, 'a message follows one that does not come before it in its conversation');
    END;
    CREATE TRIGGER messages_stay BEFORE UPDATE OF number, id, conversation, parent ON messages BEGIN
      SELECT RAISE (ABORT, 'the place of a message never changes');
    END;

    """

  /// What tells which messages of mail belong together: hashes of a message's own id and of the id that its thread began with, who sent
  /// it, and when.
  private static let mail = """
    ALTER TABLE documents ADD COLUMN message TEXT;
    ALTER TABLE documents ADD COLUMN thread TEXT;
    ALTER TABLE documents ADD COLUMN sender TEXT;
    ALTER TABLE documents ADD COLUMN sent INTEGER;
    CREATE INDEX documents_message ON documents (message) WHERE message IS NOT NULL;
    CREATE INDEX documents_thread ON documents (thread) WHERE thread IS NOT NULL;
    """

  /// Where a person keeps a conversation; one that is nowhere has none. A folder is there as long as something is in it.
  private static let folders = "ALTER TABLE conversations ADD COLUMN folder TEXT;"

  /// The program that began a conversation, by its key, and so may go on with it.
  private static let beginners = "ALTER TABLE conversations ADD COLUMN beginner TEXT;"

  /// What is attached to conversations has word indexes of its own: how often a word stands there would else weigh in what everybody is
  /// told who asks the library. A chunk leaves the indexes that hold it: when its document has gone before it, nobody knows any more
  /// where that belonged.
  private static let attachedWords = """
    CREATE VIRTUAL TABLE attached_words USING fts5 (
      heading, text, content = 'chunks', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE attached_names USING fts5 (
      heading, text, content = 'chunks', content_rowid = 'id', detail = none,
      tokenize = "unicode61 remove_diacritics 0 tokenchars '_-./@#+$§%:'");
    CREATE VIRTUAL TABLE attached_names_terms USING fts5vocab (attached_names, 'row');
    DROP TRIGGER chunks_added;
    DROP TRIGGER chunks_removed;
    CREATE TRIGGER chunks_added AFTER INSERT ON chunks
      WHEN NOT EXISTS (
        SELECT 1 FROM documents d JOIN collections c ON c.id = d.collection
        WHERE d.id = new.document AND c.name GLOB 'attached:*')
    BEGIN
      INSERT INTO words (rowid, heading, text) VALUES (new.id, new.heading, new.text);
      INSERT INTO names (rowid, heading, text) VALUES (new.id, new.heading, new.text);
    END;
    CREATE TRIGGER chunks_attached AFTER INSERT ON chunks
      WHEN EXISTS (
        SELECT 1 FROM documents d JOIN collections c ON c.id = d.collection
        WHERE d.id = new.document AND c.name GLOB 'attached:*')
    BEGIN
      INSERT INTO attached_words (rowid, heading, text) VALUES (new.id, new.heading, new.text);
      INSERT INTO attached_names (rowid, heading, text) VALUES (new.id, new.heading, new.text);
    END;
    CREATE TRIGGER chunks_removed AFTER DELETE ON chunks BEGIN
      INSERT INTO words (words, rowid, heading, text)
        SELECT 'delete', old.id, old.heading, old.text WHERE EXISTS (SELECT 1 FROM words_docsize WHERE id = old.id);
      INSERT INTO names (names, rowid, heading, text)
        SELECT 'delete', old.id, old.heading, old.text WHERE EXISTS (SELECT 1 FROM names_docsize WHERE id = old.id);
      INSERT INTO attached_words (attached_words, rowid, heading, text)
        SELECT 'delete', old.id, old.heading, old.text WHERE EXISTS (SELECT 1 FROM attached_words_docsize WHERE id = old.id);
      INSERT INTO attached_names (attached_names, rowid, heading, text)
        SELECT 'delete', old.id, old.heading, old.text WHERE EXISTS (SELECT 1 FROM attached_names_docsize WHERE id = old.id);
    END;
    CREATE TRIGGER documents_moved AFTER UPDATE OF collection ON documents
      WHEN (SELECT name GLOB 'attached:*' FROM collections WHERE id = old.collection)
        AND NOT (SELECT name GLOB 'attached:*' FROM collections WHERE id = new.collection)
    BEGIN
      INSERT INTO words (rowid, heading, text) SELECT id, heading, text FROM chunks WHERE document = new.id;
      INSERT INTO names (rowid, heading, text) SELECT id, heading, text FROM chunks WHERE document = new.id;
      INSERT INTO attached_words (attached_words, rowid, heading, text)
        SELECT 'delete', id, heading, text FROM chunks WHERE document = new.id;
      INSERT INTO attached_names (attached_names, rowid, heading, text)
        SELECT 'delete', id, heading, text FROM chunks WHERE document = new.id;
    END;
    INSERT INTO attached_words (rowid, heading, text) SELECT k.id, k.heading, k.text
      FROM collections c JOIN documents d ON d.collection = c.id JOIN chunks k ON k.document = d.id WHERE c.name GLOB 'attached:*';
    INSERT INTO attached_names (rowid, heading, text) SELECT k.id, k.heading, k.text
      FROM collections c JOIN documents d ON d.collection = c.id JOIN chunks k ON k.document = d.id WHERE c.name GLOB 'attached:*';
    INSERT INTO words (words, rowid, heading, text) SELECT 'delete', k.id, k.heading, k.text
      FROM collections c JOIN documents d ON d.collection = c.id JOIN chunks k ON k.document = d.id WHERE c.name GLOB 'attached:*';
    INSERT INTO names (names, rowid, heading, text) SELECT 'delete', k.id, k.heading, k.text
      FROM collections c JOIN documents d ON d.collection = c.id JOIN chunks k ON k.document = d.id WHERE c.name GLOB 'attached:*';
    """
}
