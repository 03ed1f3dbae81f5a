package import Core
import Foundation

/// What an import tells; one line of `import --json`.
package struct ImportStep: Codable, Sendable {
  package enum Kind: String, Codable, Sendable { case progress, done, skipped, failed, summary }
  package var event: Kind
  package var document: String?
  package var pagesDone: Int?
  package var pages: Int?
  package var etaSeconds: Double?
  package var chunks: Int?
  /// Of `chunks`, those that are found by meaning already.
  package var chunksDone: Int?
  /// Files of this import that were read to their end, and how many there are.
  package var filesRead: Int?
  package var files: Int?
  package var reason: String?
  /// Of the error that `reason` tells, where it failed.
  package var code: String?
  package var imported: Int?
  package var skipped: Int?
  package var failed: Int?
  package var seconds: Double?

  enum CodingKeys: String, CodingKey {
    case event, document, pages, chunks, files, reason, code, imported, skipped, failed, seconds
    case pagesDone = "pages_done"
    case chunksDone = "chunks_done"
    case filesRead = "files_read"
    case etaSeconds = "eta_s"
  }

  init(
    _ event: Kind, _ document: String? = nil, pagesDone: Int? = nil, pages: Int? = nil, chunks: Int? = nil,
    reason: String? = nil, code: String? = nil
  ) {
    self.event = event
    self.document = document
    self.pagesDone = pagesDone
    self.pages = pages
    self.chunks = chunks
    (self.reason, self.code) = (reason, code)
  }
}

/// Files and folders into the library, or attached to a conversation. Every file ends as done, skipped or failed, with its reason; one file's failure is
/// never another's.
package enum Import: Operation {
  package struct Input: Codable, Sendable {
    /// Absolute.
    package var paths: [String]
    package var collection: String?
    /// The conversation they are attached to instead of going to the library; an unknown UUID begins one.
    package var conversation: String?
    package init(paths: [String], collection: String? = nil, conversation: String? = nil) {
      (self.paths, self.collection, self.conversation) = (paths, collection, conversation)
    }
  }

  package static let name = "import"
  package static let places: [String: PlaceUse] = ["paths": .reads]
  package static func run(_ input: Input, in house: House, emit: @escaping Emit<ImportStep>) async throws {
    try await house.importing.run(input, emit: emit)
  }
}
