import Core

/// Why a file or one of its pages could not be read.
package enum DocumentError: Explained, Equatable {
  case unreadable(String)
  case empty
  case unsupported(String)
  case damaged(String)
  case needsPassword
  case wrongPassword
  case protected(String)
  case tooManyPages(Int, limit: Int)
  case tooMuchText(limit: Int)
  case tooLarge(bytes: Int, limit: Int)
  case tooManyPixels(Int, limit: Int)
  case tooDense(characters: Int)
  /// The page was read, as one column.
  case columnsUntold
  /// The page was read, without what stands in some fields of its form.
  case fieldsLeftOut
  /// The calendar was read, without some of what it holds: why, as of one entry.
  case entriesLeftOut(String)
  case unpacksTooMuch(String)
  case tooSlow(seconds: Int)
  /// The pages from `first` to `last` are missing.
  case usedUp(first: Int, last: Int)
  /// Of the files attached to a message.
  case attachedUsedUp
  case attachmentUnread(String, String)
  case noSuchPage(Int, of: Int)
  case noPicture(DocumentKind)
  case recognition(String)
  case recordUnreadable(line: Int, String)
  case workerEnded(String)
  case busy(Int)

  package var code: String {
    switch self {
    case .unreadable: "document_unreadable"
    case .empty: "document_empty"
    case .unsupported: "document_unsupported"
    case .damaged: "document_damaged"
    case .needsPassword: "document_needs_password"
    case .wrongPassword: "document_wrong_password"
    case .protected: "document_protected"
    case .tooManyPages: "document_too_many_pages"
    case .tooMuchText: "document_too_much_text"
    case .tooLarge: "document_too_large"
    case .tooManyPixels: "document_too_many_pixels"
    case .tooDense, .columnsUntold, .fieldsLeftOut, .entriesLeftOut: "document_page_too_dense"
    case .unpacksTooMuch: "document_unpacks_too_much"
    case .tooSlow: "document_too_slow"
    case .usedUp, .attachedUsedUp: "document_used_up"
    case .attachmentUnread: "document_attachment_unread"
    case .noSuchPage: "document_no_such_page"
    case .noPicture: "document_no_picture"
    case .recognition: "document_recognition"
    case .recordUnreadable: "document_record_unreadable"
    case .workerEnded: "document_worker_ended"
    case .busy: "document_busy"
    }
  }

  package var message: String {
    switch self {
    case .unreadable(let why): "The file could not be read: \(why)."
    case .empty: "The file holds no text."
    case .unsupported(let what): "This is \(what), which cannot be read."
    case .damaged(let what): "The file is damaged: \(what)."
    case .needsPassword: "The document is locked with a password."
    case .wrongPassword: "The password does not open the document."
    case .protected(let how): "The document is protected: \(how)."
    case .tooManyPages(let count, let limit): "The document has \(count) pages; at most \(limit) are read."
    case .tooMuchText(let limit): "The document holds more than \(Self.size(limit)) of text."
    case .tooLarge(let bytes, let limit): "The file has \(Self.size(bytes)); at most \(Self.size(limit)) are read."
    case .tooManyPixels(let count, let limit):
      "The picture has \(count / 1_000_000) million pixels; at most \(limit / 1_000_000) million are read."
    case .tooDense(let characters): "The page claims to hold \(characters) characters."
    case .columnsUntold: "The page has too many pieces for its columns to be told apart: its lines may be mixed."
    case .fieldsLeftOut:
      "The page's form has more fields, options or text than is read of one: some of what was filled in may be missing."
    case .entriesLeftOut(let why): "The calendar was not read whole: \(why)."
    case .unpacksTooMuch(let what): "The file unpacks to far more than it should: \(what)."
    case .tooSlow(let seconds): "Reading took longer than \(seconds) s and was given up."
    case .usedUp(let first, let last):
      "The pages \(first) to \(last) are missing: reading the document took far more than a file of its size should take."
    case .attachedUsedUp: "What is attached took far more reading than files of its size should take."
    case .attachmentUnread(let name, let why): "The attached file \(name) was left out: \(why)"
    case .noSuchPage(let page, let count): "There is no page \(page); the document has \(count)."
    case .noPicture(let kind): "A document of kind \(kind.rawValue) has no pages to draw."
    case .recognition(let why): "The picture's text could not be recognised: \(why)."
    case .recordUnreadable(let line, let why): "Line \(line) is not a record: \(why)."
    case .workerEnded(let how): "Reading the file ended the reader: \(how)."
    case .busy(let waiting): "\(waiting) requests already wait to be read."
    }
  }

  package var remedy: String? {
    switch self {
    case .unreadable: "Check that it exists and may be read."
    case .empty, .noSuchPage, .noPicture: nil
    case .unsupported: "Save it as PDF, DOCX, ODT, EPUB, HTML or text and import that."
    case .damaged, .workerEnded: "Open it in the program that made it and save it anew."
    case .needsPassword, .wrongPassword: "Save a copy without a password and import that."
    case .protected: "Only a copy without the protection can be read."
    case .tooManyPages, .tooMuchText, .tooLarge, .tooSlow, .usedUp, .attachedUsedUp, .tooDense, .columnsUntold,
      .fieldsLeftOut, .entriesLeftOut:
      "Split it and import the parts."
    case .attachmentUnread: "Save it as a file of its own and import that."
    case .tooManyPixels: "Scale the picture down and import that."
    case .unpacksTooMuch: "It may be made to exhaust memory; do not open it unless you know its origin."
    case .recognition: "Install the program again; in a checkout ./libera setup brings the languages."
    case .busy: "Try again in a moment."
    case .recordUnreadable: "Mend the line: an object with _id, title and text."
    }
  }

  private static func size(_ bytes: Int) -> String {
    bytes >= 10 << 20 ? "\(bytes >> 20) MB" : bytes >= 10 << 10 ? "\(bytes >> 10) kB" : "\(bytes) bytes"
  }
}
