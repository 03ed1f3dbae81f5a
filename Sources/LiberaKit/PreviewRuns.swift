import Core
import Foundation

/// How many answers by a local pack somebody without a purchase has had. Quotes, search, dictation and commands are not counted.
public struct PreviewRuns: Sendable, Equatable {
  public var used: Int
  public var all: Int
  public var left: Int { max(0, all - used) }
}

extension Libera {
  /// The runs of `Settings.tier` free; other tiers have no limit, and nothing is counted in them.
  public func previewRuns() async throws -> PreviewRuns {
    do {
      let file = house.folders.data.appending(path: "allowance.json")
      guard FileManager.default.fileExists(atPath: file.path) else {
        return PreviewRuns(used: 0, all: Self.allPreviewRuns)
      }
      let used = try JSON.decode(Ledger.self, from: Data(contentsOf: file)).used
      return PreviewRuns(used: min(max(0, used), Self.allPreviewRuns), all: Self.allPreviewRuns)
    } catch { throw LiberaError.told(error) }
  }

  /// A test holds it to what the library lets through.
  private static var allPreviewRuns: Int { 3 }

  private struct Ledger: Decodable { var used: Int }
}
