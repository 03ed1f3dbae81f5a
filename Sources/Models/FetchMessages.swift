package import Foundation
package import Workers

// What the fetch worker understands. It is given paths inside the packs' staging folder and the scripts of Packs/, and
// sees nothing else of the user's. Archives and converters run as its children, which close themselves to any network
// before they read (Packs/sealed.py), and only ever see bytes whose SHA-256 the catalogue states.

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
  package var tools: Tools?

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

/// Operation "reach": asks where a download would come from whether it answers, and fetches nothing. Ends without an event
/// where it does.
package struct ReachRequest: Codable, Sendable, Equatable {
  package var part: Pack.Part
  package var tools: Tools?
  package init(part: Pack.Part, tools: Tools?) {
    self.part = part
    self.tools = tools
  }
}

/// Operation "script": runs a script of Packs/ over files of the staging folder.
package struct ScriptRequest: Codable, Sendable, Equatable {
  package var script: String
  package var arguments: [String]
  package var tools: Tools
  package init(script: String, arguments: [String], tools: Tools) {
    self.script = script
    self.arguments = arguments
    self.tools = tools
  }
}

package enum FetchEvent: Codable, Sendable, Equatable {
  case progress(done: Int64, total: Int64)
  /// What was there could not be continued and is fetched again.
  case restarted(reason: String)
  case downloaded(bytes: Int64, sha256: String)
  case published(sha256: String, bytes: Int64)
  /// Something a person should know, such as a converter that could not close itself to the network.
  case notice(String)
}

/// One call to the fetch worker: an operation, its body, the replies. Tests run the engine in process behind it.
package typealias FetchCall = @Sendable (_ operation: String, _ body: Data) -> AsyncThrowingStream<Reply, any Error>
