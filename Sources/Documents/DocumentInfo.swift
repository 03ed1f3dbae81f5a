/// What a file is, found from its content and never from its name.
package enum DocumentKind: String, Codable, Sendable, CaseIterable {
  case pdf, image, html, markdown, text, csv, code, docx, odt, epub, rtf, xlsx, ods, pptx, odp
  /// A message as mail programs keep it.
  case message
  /// One of the messages of a file that holds many (mbox), each a document of its own.
  case mailbox
  /// JSONL whose every line is a document of its own (`_id`, `title`, `text`).
  case records
}

/// What is known about a document before its pages come.
package struct DocumentInfo: Codable, Sendable, Equatable {
  package var kind: DocumentKind
  package var title: String?
  package var author: String?
  /// ISO 639-1, from the metadata where it is stated and otherwise guessed; nil when unsure.
  package var language: String?
  /// Physical pages; nil for a document that has none, whose `Page`s are then parts of bounded size.
  package var pages: Int?
  /// The text encoding found, for kinds that are plain bytes.
  package var encoding: String?
  /// The programming language, for code.
  package var codeLanguage: String?
  /// The `_id` of a record, what names a message of a mailbox; nil for everything that is a file of its own.
  package var record: String?
  package var mail: Mail?

  /// Of a message: which others it belongs with, by hashes of their ids.
  package struct Mail: Codable, Sendable, Equatable {
    package var message: String?
    package var thread: String?
    /// Seconds since 1970.
    package var sent: Int?
    package init() {}
  }

  package init(kind: DocumentKind) { self.kind = kind }
}
