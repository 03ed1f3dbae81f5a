import Assistant
import Core

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
      let all = PreviewLedger.free
      return PreviewRuns(used: all - (try await house.allowance.left(.free) ?? all), all: all)
    } catch { throw LiberaError.told(error) }
  }
}
