package import Foundation
package import Workers

// What the fetch worker understands. It is given paths inside the packs' staging folder and sees nothing else of the user's.
// It takes nothing apart: that is the convert worker's, which has no network (ConvertMessages.swift).

/// Operation "download": fetches what is missing of one file into `to`, beside which it keeps `to`.state for resuming.
package struct DownloadRequest: Codable, Sendable, Equatable {
  /// Exactly one of both.
  package var url: String?
  package var package: Pack.PackageFile?
  package var to: String
  package var bytes: Int64
  package var sha256: String?
  /// Seconds without a byte after which the transfer counts as stalled.
  package var patience = 30

  package init(url: String? = nil, package: Pack.PackageFile? = nil, to: String, bytes: Int64, sha256: String? = nil) {
    self.url = url
    self.package = package
    self.to = to
    self.bytes = bytes
    self.sha256 = sha256
  }
}

/// Operation "published": asks the publisher for a file's SHA-256 and size without fetching it.
package struct PublishedRequest: Codable, Sendable, Equatable {
  package var url: String
  package init(url: String) { self.url = url }
}

/// Operation "listing": asks the hub which model files a repository holds. Those files may be downloaded afterwards.
package struct ListingRequest: Codable, Sendable, Equatable {
  package var repository: String
  package init(repository: String) { self.repository = repository }
}

/// Operation "release": asks for what lies beside a version of this program, its checksums and their signature, and how long it is.
package struct ReleaseRequest: Codable, Sendable, Equatable {
  package var url: String
  package init(url: String) { self.url = url }
}

/// What is known of a version before it is fetched.
package struct ReleaseNotes: Codable, Sendable, Equatable {
  package var sums: Data?
  package var signature: String?
  package var bytes: Int64?
  package init(sums: Data?, signature: String?, bytes: Int64?) {
    (self.sums, self.signature, self.bytes) = (sums, signature, bytes)
  }
}

/// Operation "reach": asks where a download would come from whether it answers, and fetches nothing. Ends without an event
/// where it does.
package struct ReachRequest: Codable, Sendable, Equatable {
  package var part: Pack.Part
  package init(part: Pack.Part) { self.part = part }
}

package enum FetchEvent: Codable, Sendable, Equatable {
  case progress(done: Int64, total: Int64)
  /// What was there could not be continued and is fetched again.
  case restarted(reason: String)
  case downloaded(bytes: Int64, sha256: String)
  case published(sha256: String, bytes: Int64)
  case listed(HubListing)
  case release(ReleaseNotes)

  /// Of a download nothing but its progress is told, for as long as it takes.
  package static func most(_ operation: String) -> ReplyBound { operation == "download" ? .stream : .bytes(4 << 20) }
}

/// One call to the fetch worker: an operation, its body, the replies. Tests run the engine in process behind it.
package typealias FetchCall = @Sendable (_ operation: String, _ body: Data) -> AsyncThrowingStream<CallReply, any Error>
