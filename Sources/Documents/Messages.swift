package import Core

// What the parse worker understands: the operations' bodies and events. The file is always the call's first descriptor.

/// What a file may cost. Whatever is exceeded is named in the error, with the number.
package struct ParseLimits: Codable, Sendable, Equatable {
  package var pages = 5_000
  package var textBytes = 128 << 20
  /// Of the file itself, for kinds that are read whole (everything but PDF, records and mailboxes).
  package var fileBytes = 256 << 20
  /// Of one picture before it is read; larger ones are refused, pages are drawn smaller instead.
  package var pixels = 60_000_000
  /// Of one page, before its reading is given up.
  package var secondsPerPage = 90
  /// Of everything unpacked from an archive, and of any entry against its packed size.
  package var unpackedBytes = 256 << 20
  package var unpackedRatio = 200
  package init() {}
}

/// Operation "parse": `ParseEvent`s in reading order.
package struct ParseRequest: Codable, Sendable {
  /// The file's name: a hint between kinds of plain text, never more.
  package var name: String
  /// The first and last page (part, record) wanted: 1-based, inclusive. To resume, ask from the page after the last one kept.
  package var first = 1
  package var last: Int?
  /// Tesseract's codes ("eng", "deu"); empty: what is installed of English, German and French, narrowed by what is read.
  package var languages: [String] = []
  /// Pages without text are read from their picture.
  package var recognise = true
  package var password: String?
  package var limits = ParseLimits()
  /// Bytes that may be under way before the reader waits for `ParseCredit`; nil: it never waits.
  package var window: Int?
  /// Pages not to be touched: reading them has ended a worker.
  package var leaving: Set<Int> = []
  /// The same of files that are attached to messages.
  package var leavingAttached: [AttachedFile: RemoteError] = [:]
  /// Nothing that is attached is read any more, and why.
  package var leavingAllAttached: RemoteError?
  package init(name: String) { self.name = name }
}

/// A file attached to a message: the number of the message among those of its mailbox, and of the file among those of the message.
package struct AttachedFile: Codable, Hashable, Sendable {
  package var message: Int
  package var number: Int
  package init(message: Int, number: Int) { (self.message, self.number) = (message, number) }
}

/// Adjusts a "parse" under way: so many bytes have been taken, as many more may come.
package struct ParseCredit: Codable, Sendable {
  package var bytes: Int
  package init(bytes: Int) { self.bytes = bytes }
}

package enum ParseEvent: Codable, Sendable {
  /// Begins a document; its pages follow. Once per file, except for records and mailboxes: once per record or message.
  case document(DocumentInfo)
  case page(Page)
  /// A page is being looked at, in whatever order: if nothing more comes, it was this one's doing.
  case reading(Int)
  /// The same of an attached file.
  case readingAttached(AttachedFile)
  /// A page that could not be read; the others go on.
  case problem(PageProblem)
  case progress(ParseProgress)
  /// The last event of a file that was read to its end or to `ParseRequest.last`.
  case done(ParseReport)
}

package struct PageProblem: Codable, Sendable, Equatable {
  package var page: Int
  package var error: RemoteError
  package init(page: Int, error: RemoteError) {
    self.page = page
    self.error = error
  }
}

package struct ParseProgress: Codable, Sendable, Equatable {
  package var done: Int
  /// Unknown for a file whose size in parts is not known before its end.
  package var of: Int?
  package init(done: Int, of: Int?) {
    self.done = done
    self.of = of
  }
}

package struct ParseReport: Codable, Sendable, Equatable {
  package var pages = 0
  package var records = 0
  package var textBytes = 0
  package var recognisedPages = 0
  package var problems = 0
  package init() {}
}

/// Operation "render": one event `RenderedPage`, then its bytes in pieces, a PNG.
package struct RenderRequest: Codable, Sendable {
  package var page: Int
  /// Pixels per point; lowered when the picture would exceed `pixels`.
  package var scale: Double
  /// Passages to mark, in points.
  package var marks: [Box] = []
  package var password: String?
  package var pixels = 16_000_000
  package init(page: Int, scale: Double, marks: [Box] = []) {
    self.page = page
    self.scale = scale
    self.marks = marks
  }
}

package struct RenderedPage: Codable, Sendable, Equatable {
  package var width: Int
  package var height: Int
  package var scale: Double
  package var bytes: Int
  package init(width: Int, height: Int, scale: Double, bytes: Int) {
    self.width = width
    self.height = height
    self.scale = scale
    self.bytes = bytes
  }
}

/// Operation "markdown", without a file: one event, the HTML as a text.
package struct MarkdownRequest: Codable, Sendable {
  package var text: String
  /// The sentences to be marked, in their order.
  package var sentences: [String]
  package init(text: String, sentences: [String] = []) {
    self.text = text
    self.sentences = sentences
  }
}
