package import Foundation

// What the convert worker understands. It sees nothing but the files handed over, of which the last is the one it makes, and only
// bytes whose SHA-256 the catalogue states. It replies with nothing: the call ends when the file is whole.

/// Operation "unpack": writes one member of an archive, the first file. A member of an archive in the archive is `outer!member`.
package struct UnpackRequest: Codable, Sendable, Equatable {
  package var member: String
  /// More bytes than the catalogue expects are not written.
  package var most: Int64
}

/// Operation "inflate": writes what a file of gzip holds.
package struct InflateRequest: Codable, Sendable, Equatable {
  package var most: Int64
  package init(most: Int64) { self.most = most }
}

/// Operation "convert": makes the weights of a pack from a source's files.
package struct ConvertRequest: Codable, Sendable, Equatable {
  package var form: Pack.Form
  /// What the files are, in their order.
  package var files: [String]
  /// The pack's, where the weights carry one.
  package var name: String
}

extension Pack.Form {
  /// What it is made of: the publisher's own files.
  package var files: [String] {
    switch self {
    case .bert: ["weights", "config", "tokenizer", "pooling"]
    case .sentences: ["weights", "pieces"]
    case .whisper, .whisperInBlocks: ["weights", "filters", "vocabulary"]
    }
  }
}

/// One call to a convert worker, with the files it reads and the one it makes. The upper floor starts the worker; tests run the
/// engine in process.
package typealias ConvertCall =
  @Sendable (_ operation: String, _ body: Data, _ inputs: [URL], _ output: URL) async throws -> Void
